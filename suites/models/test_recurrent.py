"""Recurrent layers over whole sequences: their options, packed sequences, states that go on from call to call.

Dynamo refuses torch's recurrent layers within a graph unless it is told to take them (`allow_rnn`), and runs them as
eager does beside its graphs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import rnn

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, compiled_at_most, train

#: Kinds of layers, each with options that are not its defaults.
LAYERS: dict[str, tuple[Callable[..., nn.RNNBase], dict[str, Any]]] = {
    "lstm_of_two": (nn.LSTM, {"num_layers": 2}),
    "lstm": (nn.LSTM, {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    "lstm_projected": (nn.LSTM, {"proj_size": 2, "num_layers": 2}),
    "lstm_without_bias": (nn.LSTM, {"bias": False, "batch_first": True}),
    "gru": (nn.GRU, {"num_layers": 2, "bidirectional": True}),
    "gru_without_bias": (nn.GRU, {"bias": False, "batch_first": True, "bidirectional": True}),
    "rnn": (nn.RNN, {"num_layers": 2, "nonlinearity": "relu", "batch_first": True}),
    "rnn_both_ways": (nn.RNN, {"bidirectional": True, "bias": False}),
}
KINDS: dict[str, Callable[..., nn.RNNBase]] = {"lstm": nn.LSTM, "gru": nn.GRU, "rnn": nn.RNN}
WITHIN = {"dynamo.allow_rnn": True}


class _Tagger(nn.Module):
    """A layer between two projections, and the squares of what it says and of where its states end."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        layer, options = LAYERS[kind]
        self.into = nn.Linear(3, 5)
        self.layer = layer(5, 33, **options)
        width = options.get("proj_size", 33) * (2 if options.get("bidirectional") else 1)
        self.out = nn.Linear(width, 3)

    def before(self, sequences: torch.Tensor) -> torch.Tensor:
        """What the layer is handed."""
        return self.into(sequences).tanh()

    def lost(self, sequences: torch.Tensor, found: torch.Tensor, states: Any) -> torch.Tensor:
        """The squares."""
        states = torch.cat(states, -1) if isinstance(states, tuple) else states
        return (self.out(found) - sequences).square().mean() + states.square().mean()

    def forward(self, sequences: torch.Tensor) -> torch.Tensor:
        return self.lost(sequences, *self.layer(self.before(sequences)))


@clause("models.recurrent", modes="train")
@pytest.mark.parametrize("kind", LAYERS)
def test_recurrent_layer_in_a_graph(check: Check, kind: str) -> None:
    """Where Dynamo takes recurrent layers, what they say, where their states end and their gradients are eager's."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(lambda: _Tagger(kind), batches)
        return train(network, compile_part(network), zip(batches))

    calls = [(tensor(2, 2, 4, 3, grad=False),)]
    check(program, calls=calls, in_parts=True, backward=False, exact=False, config=WITHIN).computed()


@clause("models.recurrent", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("kind", ["lstm_of_two", "gru", "rnn"])
def test_recurrent_layer_beside_graphs(check: Check, kind: str) -> None:
    """As torch has it by default the layer runs beside the graphs of what is before and after it, and trains."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(lambda: _Tagger(kind), batches)
        return train(network, compile_part(network), zip(batches))

    result = check(program, calls=[(tensor(2, 2, 4, 3, grad=False),)], in_parts=True, backward=False).computed()
    compiled_at_most(result, 2)


class _Words(nn.Module):
    """Sequences of several lengths, packed, through a layer and unpacked again."""

    def __init__(self, layer: nn.RNNBase) -> None:
        super().__init__()
        self.layer = layer
        self.out = nn.Linear(layer.hidden_size, 3)

    def forward(self, sequences: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = rnn.pack_padded_sequence(sequences * 2, lengths, batch_first=True, enforce_sorted=False)
        found, _ = self.layer(packed)
        padded, _ = rnn.pad_packed_sequence(found, batch_first=True, padding_value=0.5)
        return (self.out(padded) - sequences).square().mean()


@clause("models.recurrent", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences(check: Check, kind: str) -> None:
    """Sequences that are packed by their lengths, not in their order, train the layer by what is there of them."""

    def program(compile_part: Compile, batches: torch.Tensor, told: list[int]) -> dict[str, Any]:
        lengths = torch.tensor(told)  # On the CPU, wherever the sequences are.
        network = begin(lambda: _Words(KINDS[kind](3, 6)), batches)
        return train(network, compile_part(network), ((batch, lengths) for batch in batches))

    calls = [(tensor(2, 3, 4, 3, grad=False), [2, 4, 1])]
    check(program, calls=calls, in_parts=True, backward=False).computed()


@clause("models.recurrent", modes="train", fullgraph=False)
def test_sequences_that_are_filled_up(check: Check) -> None:
    """Sequences of several lengths are filled up on either side, packed in any order, and are themselves again."""

    def program(first: torch.Tensor, second: torch.Tensor, third: torch.Tensor) -> dict[str, object]:
        sequences, lengths = [first, second, third], torch.tensor([2, 4, 1])
        padded = rnn.pad_sequence(sequences, batch_first=True, padding_value=-1.5)
        packed = rnn.pack_sequence(sequences, enforce_sorted=False)
        whole, told = rnn.pad_packed_sequence(packed, padding_value=0.25, total_length=5)
        return {
            "filled behind": padded * 2,
            "filled before": rnn.pad_sequence(sequences, padding_value=3.0, padding_side="left") + 1,
            "parts again": [part.exp() for part in rnn.unpad_sequence(padded, lengths, batch_first=True)],
            "packed": packed.data.sin(),
            "at once": packed.batch_sizes,
            "order": (packed.sorted_indices, packed.unsorted_indices),
            "whole": whole * 3,
            "told": told,
            "parts of it": [part.cos() for part in rnn.unpack_sequence(packed)],
        }

    result = check(program, tensor(2, 3), tensor(4, 3), tensor(1, 3)).gradient(0, 1, 2)
    result.shape("out['whole']", 5, 3, 3).shape("out['filled before']", 4, 3, 3).computed()


@clause("models.recurrent", modes=("no_grad", "inference"))
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_states_that_go_on(check: Check, kind: str) -> None:
    """A layer out of training takes the states of the last call and hands on those of this one, longer ones too."""

    def program(compile_part: Compile, sequences: torch.Tensor) -> list[Any]:
        layer = begin(lambda: KINDS[kind](3, 33, num_layers=2, dropout=0.5), sequences).eval()
        compiled, states, found = compile_part(layer), None, []
        for size in (1, 1, 2, 3):
            said, states = compiled(sequences[:size], states)
            found += [said, states]
        return found

    check(program, calls=[(tensor(3, 2, 3),)], in_parts=True, backward=False, exact=False, config=WITHIN).computed()


@clause("models.recurrent", modes="train", devices="cpu")
@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("kind", KINDS)
def test_two_recurrent_layers_of_data(check: Check, kind: str, share: float) -> None:
    """Two layers whose input needs no gradient; what is dropped between them is what the seeded generator says.

    On a GPU cuDNN keeps a state of its own for what it drops, which no seed sets back.
    """

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(lambda: KINDS[kind](3, 6, num_layers=2, dropout=share), batches)
        compiled = compile_part(network)
        return train(network, lambda batch: compiled(batch)[0].square().mean(), zip(batches))

    calls = [(tensor(2, 4, 2, 3, grad=False),)]
    result = check(program, calls=calls, in_parts=True, backward=False, exact=False, config=WITHIN).computed()
    if share:
        result.drew_random()
