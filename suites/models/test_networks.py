"""Networks of each kind, trained for two steps."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.models.training import Compile, begin, train


class _Autoencoder(nn.Module):
    """A layer, and its transposed weight as the decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(6, 4)
        self.bias = nn.Parameter(torch.zeros(6))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        hidden = functional.gelu(self.encoder(a))
        return (functional.linear(hidden, self.encoder.weight.t(), self.bias) - a).square().mean()


@clause("models.networks", modes="train")
def test_autoencoder_with_tied_weights(check: Check) -> None:
    """A weight that encodes and decodes gets one gradient from both."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_Autoencoder, batches)
        return train(network, compile_part(network), zip(batches))

    result = check(program, calls=[(tensor(2, 5, 6, grad=False),)], in_parts=True, backward=False)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 0.8036
out['losses'][1] = float32[] 1.115
""")


class _Residual(nn.Module):
    """A block of two normalised convolutions beside a strided one, and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(2, 4, 3, stride=2, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 4, 3, padding=1, groups=2, bias=False)
        self.second_norm = nn.BatchNorm2d(4, momentum=0.3)
        self.shortcut = nn.Conv2d(2, 4, 1, stride=2)
        self.head = nn.Linear(4, 3)

    def forward(self, a: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        inner = self.first_norm(self.first(a)).relu()
        outer = (self.second_norm(self.second(inner)) + self.shortcut(a)).relu()
        return functional.cross_entropy(self.head(functional.adaptive_avg_pool2d(outer, 1).flatten(1)), target)


@clause("models.networks", modes="train")
def test_residual_network_with_batch_normalisation(check: Check) -> None:
    """Convolutions and their statistics move over two steps as in eager."""

    def program(compile_part: Compile, images: torch.Tensor, targets: torch.Tensor) -> dict[str, Any]:
        network = begin(_Residual, images)
        return train(network, compile_part(network), zip(images, targets, strict=True))

    targets = tensor(2, 3, dtype=torch.int64, values=[[0, 2, 1], [1, 1, 0]])
    images = tensor(2, 3, 2, 4, 4, grad=False)
    # On a GPU, eager normalises by cuDNN, which no traced graph calls.
    exact = check.device == "cpu"
    result = check(program, calls=[(images, targets)], in_parts=True, backward=False, exact=exact)
    result.values("out['losses']", "out['buffers']").expect("""\
out['losses'][0] = float32[] 1.19
out['losses'][1] = float32[] 1.525
out['buffers']['first_norm.running_mean'] = float32[4] [-0.002158, -0.005048, -0.01454, 0.02006]
out['buffers']['first_norm.running_var'] = float32[4] [0.8456, 0.8642, 0.8443, 0.8388]
out['buffers']['first_norm.num_batches_tracked'] = int64[] 2
out['buffers']['second_norm.running_mean'] = float32[4] [-0.02233, -0.09996, -0.03435, 0.0502]
out['buffers']['second_norm.running_var'] = float32[4] [0.5349, 0.5388, 0.5158, 0.5059]
out['buffers']['second_norm.num_batches_tracked'] = int64[] 2
""")


class _Recurrent(nn.Module):
    """Two kinds of cells, one after the other, over a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.long = nn.LSTMCell(3, 4)
        self.short = nn.GRUCell(4, 3)

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        hidden, cell = sequence.new_zeros(2, 4), sequence.new_zeros(2, 4)
        state = sequence.new_ones(2, 3)
        loss = sequence.new_zeros(())
        for now, later in itertools.pairwise(sequence):
            hidden, cell = self.long(now, (hidden, cell))
            state = self.short(hidden, state)
            loss = loss + functional.smooth_l1_loss(state, later, beta=0.5)
        return loss


@clause("models.networks", modes="train")
def test_recurrent_network_over_time(check: Check) -> None:
    """Gradients go back through each step of two recurrent cells, whose weights are shared by all steps."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_Recurrent, batches)
        return train(network, compile_part(network), zip(batches))

    result = check(program, calls=[(tensor(2, 4, 2, 3, grad=False),)], in_parts=True, backward=False)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 1.705
out['losses'][1] = float32[] 2.42
""")


class _Mixture(nn.Module):
    """Each token goes to the two experts of three that a gate prefers, weighed by it."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 3, bias=False)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        weights, chosen = self.gate(tokens).softmax(-1).topk(2)
        weights = weights / weights.sum(-1, keepdim=True)
        mixed = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            token, rank = torch.where(chosen == number)
            mixed = mixed.index_add(0, token, expert(tokens[token]).tanh() * weights[token, rank, None])
        return (mixed - tokens.roll(1, -1)).square().mean()


@clause("models.networks", modes="train")
def test_mixture_of_experts(check: Check) -> None:
    """The tokens of each expert are as many as the data say; those who chose none get no gradient."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_Mixture, batches)
        return train(network, compile_part(network), zip(batches))

    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    calls = [(tensor(2, 5, 4, grad=False),)]
    result = check(program, calls=calls, in_parts=True, backward=False, config=config)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 1.096
out['losses'][1] = float32[] 1.188
""")


class _Messages(nn.Module):
    """Nodes that take the mean and the maximum of what their neighbours send."""

    def __init__(self) -> None:
        super().__init__()
        self.send = nn.Linear(6, 4)
        self.take = nn.GRUCell(8, 3)

    def forward(self, nodes: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        source, target = edges
        sent = functional.leaky_relu(self.send(torch.cat([nodes[source], nodes[target]], 1)), 0.2)
        index = target[:, None].expand_as(sent)
        nothing = sent.new_zeros(nodes.shape[0], 4)
        mean = nothing.scatter_reduce(0, index, sent, "mean", include_self=False)
        largest = nothing.scatter_reduce(0, index, sent, "amax", include_self=False)
        return self.take(torch.cat([mean, largest], 1), nodes).square().sum()


@clause("models.networks", modes="train")
def test_messages_on_a_graph(check: Check) -> None:
    """Messages are gathered along edges and reduced at their ends, where one node gets none."""

    def program(compile_part: Compile, batches: torch.Tensor, edges: torch.Tensor) -> dict[str, Any]:
        network = begin(_Messages, batches)
        return train(network, compile_part(network), ((batch, edges) for batch in batches))

    edges = tensor(2, 6, dtype=torch.int64, values=[[0, 1, 2, 3, 0, 2], [1, 2, 1, 1, 3, 3]])
    result = check(program, calls=[(tensor(2, 4, 3, grad=False), edges)], in_parts=True, backward=False)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 7.209
out['losses'][1] = float32[] 3.323
""")


class _Variational(nn.Module):
    """An autoencoder that draws its code."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(6, 4)
        self.decoder = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.3), nn.Softplus(), nn.Linear(4, 6))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        mean, logarithm = self.encoder(a).chunk(2, -1)
        code = mean + torch.randn_like(mean) * (logarithm / 2).exp()
        drawn = functional.binary_cross_entropy_with_logits(self.decoder(code), a.sigmoid(), reduction="sum")
        return drawn - 0.5 * (1 + logarithm - mean.square() - logarithm.exp()).sum()


@clause("models.networks", modes="train")
def test_variational_autoencoder(check: Check) -> None:
    """Noise and dropout are those of the seeded generator, in both steps."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_Variational, batches)
        return train(network, compile_part(network), zip(batches))

    result = check(program, calls=[(tensor(2, 3, 6, grad=False),)], in_parts=True, backward=False)
    result.drew_random().values("out['losses']").expect("""\
out['losses'][0] = float32[] 13.53
out['losses'][1] = float32[] 13.29
""")


class _Bags(nn.Module):
    """Words in bags, by their mean and their weighted sum, with a padding word."""

    def __init__(self) -> None:
        super().__init__()
        self.mean = nn.EmbeddingBag(6, 3, mode="mean", padding_idx=0)
        self.sum = nn.EmbeddingBag(6, 3, mode="sum", include_last_offset=True)
        self.head = nn.Linear(6, 2)

    def forward(
        self, words: torch.Tensor, offsets: torch.Tensor, weights: torch.Tensor, target: torch.Tensor
    ) -> torch.Tensor:
        mean, total = self.mean(words, offsets[:-1]), self.sum(words, offsets, weights)
        return functional.cross_entropy(self.head(torch.cat([mean, total], 1)), target, label_smoothing=0.1)


@clause("models.networks", modes="train")
def test_bags_of_words(check: Check) -> None:
    """Bags of several lengths, an empty one among them, train their embeddings, but for the padding."""

    def program(
        compile_part: Compile, words: torch.Tensor, offsets: torch.Tensor, weights: torch.Tensor, target: torch.Tensor
    ) -> dict[str, Any]:
        network = begin(_Bags, weights)
        return train(network, compile_part(network), ((each, offsets, weights, target) for each in words))

    words = tensor(2, 7, dtype=torch.int64, values=[[0, 2, 2, 3, 1, 4, 5], [5, 0, 1, 2, 0, 0, 3]])
    offsets = tensor(5, dtype=torch.int64, values=[0, 3, 3, 5, 7])
    target = tensor(4, dtype=torch.int64, values=[1, 0, 0, 1])
    calls = [(words, offsets, tensor(7, grad=False), target)]
    result = check(program, calls=calls, in_parts=True, backward=False)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 0.6187
out['losses'][1] = float32[] 0.8965
""")


class _StateSpace(nn.Module):
    """A linear state whose decay and input depend on what comes in, over a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.Linear(3, 7)
        self.decay = nn.Parameter(torch.linspace(-1, 1, 2))
        self.skip = nn.Parameter(torch.ones(3))

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        rate, into, out = self.parts(sequence).split([3, 2, 2], -1)
        rate = functional.softplus(rate)
        kept = torch.exp(-rate[..., None] * self.decay.exp())
        added = (rate * sequence)[..., None] * into[..., None, :]
        state = torch.zeros_like(added[:, 0])
        states = []
        for now in range(sequence.shape[1]):
            state = kept[:, now] * state + added[:, now]
            states.append(state)
        result = (torch.stack(states, 1) * out[..., None, :]).sum(-1) + self.skip * sequence
        return (result[:, :-1] - sequence[:, 1:]).square().mean()


@clause("models.networks", modes="train")
def test_selective_state_space(check: Check) -> None:
    """A scan whose coefficients the input gives keeps its state from step to step, and its gradient on the way back."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_StateSpace, batches)
        return train(network, compile_part(network), zip(batches))

    result = check(program, calls=[(tensor(2, 2, 4, 3, grad=False),)], in_parts=True, backward=False)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 1.896
out['losses'][1] = float32[] 3.412
""")
