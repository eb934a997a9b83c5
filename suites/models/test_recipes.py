"""What training loops add to a step: accumulation, checkpoints, averages, parametrizations, mixed precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrizations, parametrize
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.checkpoint import checkpoint

from suites.harness import Check, clause, tensor
from suites.models.training import Compile, begin, left_behind, train


class _Blocks(nn.Module):
    """Two blocks with dropout, each computed again in backward if told, and a squared error."""

    def __init__(self, checkpointed: bool = False) -> None:
        super().__init__()
        self.checkpointed = checkpointed
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 4), nn.Dropout(0.25), nn.Mish()) for _ in range(2)
        )

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        hidden = a
        for block in self.blocks:
            hidden = hidden + (checkpoint(block, hidden, use_reentrant=False) if self.checkpointed else block(hidden))
        return (hidden - a.roll(1, -1)).square().mean()


@clause("models.recipes", modes="train")
def test_checkpointed_blocks_with_dropout(check: Check) -> None:
    """Blocks that are computed again in backward drop what they dropped, in every step."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(lambda: _Blocks(checkpointed=True), batches)
        return train(network, compile_part(network), zip(batches))

    result = check(program, calls=[(tensor(2, 3, 4, grad=False),)], in_parts=True, backward=False)
    result.drew_random().values("out['losses']").expect("""\
out['losses'][0] = float32[] 3.729
out['losses'][1] = float32[] 2.262
""")


@clause("models.recipes", modes="train")
def test_gradients_that_accumulate(check: Check) -> None:
    """Gradients of several batches add up before a step, are scaled and clipped to a norm, and go on from there."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Blocks, batches).eval()
        compiled = compile_part(network)
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
        losses, norms = [], []
        for number, batch in enumerate(batches):
            loss = compiled(batch) / 2
            loss.backward()
            losses.append(loss.detach())
            if number % 2:
                norms.append(nn.utils.clip_grad_norm_(network.parameters(), 0.25))
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)
        return [left_behind(network, losses), norms]

    result = check(program, calls=[(tensor(4, 3, 4, grad=False),)], in_parts=True, backward=False)
    result.values("out[0]['losses']", "out[1]").expect("""\
out[0]['losses'][0] = float32[] 1.336
out[0]['losses'][1] = float32[] 1.072
out[0]['losses'][2] = float32[] 2.124
out[0]['losses'][3] = float32[] 1.746
out[1][0] = float32[] 2.238
out[1][1] = float32[] 2.759
""")


@clause("models.recipes", modes="train")
def test_average_of_the_parameters(check: Check) -> None:
    """A moving average of parameters and buffers follows the training, and runs compiled with its own values."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(lambda: nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh()), batches)
        average = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(0.75), use_buffers=True)
        compiled = compile_part(network)
        found = []
        for batch in batches:
            found.append(train(network, lambda batch: (compiled(batch) - batch).square().mean(), [(batch,)]))
            average.update_parameters(network)
        return [found, dict(average.named_parameters()), compile_part(average.module.eval())(batches[0])]

    result = check(program, calls=[(tensor(2, 5, 4, grad=False),)], in_parts=True, backward=False)
    result.values("out[0][1]['losses']", "out[2]").expect("""\
out[0][1]['losses'][0] = float32[] 0.5541
out[2] = float32[5, 4] [[-0.3381, -0.174, -0.2866, -0.4518], [-0.1767, 0.8584, -0.6009, 0.5018], [-0.01925, 0.5363,
    -0.5147, 0.1963], [0.2581, -0.3145, -0.03291, -0.7253], [0.1065, -0.2665, -0.2099, -0.5998]]
""")


class _Symmetric(nn.Module):
    """A square matrix made symmetric."""

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight.triu() + weight.triu(1).transpose(-1, -2)


def _parametrized() -> nn.Module:
    layers = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.utils.parametrizations.weight_norm(nn.Linear(4, 4), dim=0))
    parametrize.register_parametrization(layers[0], "weight", _Symmetric())
    return layers


@clause("models.recipes", modes="train")
def test_parametrized_weights(check: Check) -> None:
    """Weights that are computed from parameters in every step train those parameters."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_parametrized, batches)
        compiled = compile_part(network)
        return train(network, lambda batch: (compiled(batch) - batch.roll(1, -1)).square().mean(), zip(batches))

    result = check(program, calls=[(tensor(2, 3, 4, grad=False),)], in_parts=True, backward=False)
    result.values("out['losses']", "out['parameters']").expect("""\
out['losses'][0] = float32[] 1.135
out['losses'][1] = float32[] 0.8763
out['parameters']['0.bias'] = float32[4] [0.264, 0.3248, -0.3481, -0.1321]
out['parameters']['0.parametrizations.weight.original'] = float32[4, 4] [[-0.01033, 0.2425, -0.448, -0.3318],
    [-0.1926, 0.1311, -0.06542, 0.4673], [-0.04437, 0.1323, -0.1764, -0.2103], [-0.4777, -0.3311, -0.2061, 0.1552]]
out['parameters']['2.bias'] = float32[4] [-0.2088, 0.3388, 0.1438, 0.1605]
out['parameters']['2.parametrizations.weight.original0'] = float32[4, 1] [[0.6709], [0.6488], [0.609], [0.7412]]
out['parameters']['2.parametrizations.weight.original1'] = float32[4, 4] [[0.1646, 0.4501, -0.1191, 0.3392],
    [-0.1029, 0.05834, 0.4467, -0.4665], [-0.2893, -0.1049, -0.1626, 0.4707], [-0.343, -0.2816, -0.325, -0.4486]]
""")


@clause("models.recipes", modes="train")
def test_training_in_mixed_precision(check: Check) -> None:
    """Under autocast layers compute in bfloat16, losses and gradients are float32, and the parameters stay so."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(lambda: nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4)), batches)

        def loss(batch: torch.Tensor) -> torch.Tensor:
            with torch.autocast(batch.device.type, dtype=torch.bfloat16):
                found = network(batch)
            return functional.mse_loss(found.float(), batch.roll(1, -1))

        return train(network, compile_part(loss), zip(batches))

    result = check(program, calls=[(tensor(2, 3, 4, grad=False),)], in_parts=True, backward=False)
    result.values("out['losses']").expect("""\
out['losses'][0] = float32[] 1.626
out['losses'][1] = float32[] 1.349
""")


#: Parametrizations of torch's own, each of a layer in training.
PARAMETRIZATIONS: dict[str, Callable[[], nn.Module]] = {
    "spectral": lambda: parametrizations.spectral_norm(nn.Linear(4, 4), n_power_iterations=2),
    "spectral_wide": lambda: parametrizations.spectral_norm(nn.Linear(4, 33), dim=1),
    "weight_norm": lambda: parametrizations.weight_norm(nn.Linear(4, 33), dim=1),
    "weight_norm_of_all": lambda: parametrizations.weight_norm(nn.Linear(4, 4), dim=None),  # type: ignore[arg-type]
    "spectral_by_a_hook": lambda: nn.utils.spectral_norm(nn.Linear(4, 4), n_power_iterations=2, eps=1e-6, dim=1),
    "weight_norm_by_a_hook": lambda: nn.utils.weight_norm(nn.Linear(4, 4), dim=1),
    "householder": lambda: parametrizations.orthogonal(nn.Linear(4, 4), orthogonal_map="householder"),
    "exponential": lambda: parametrizations.orthogonal(nn.Linear(4, 4), orthogonal_map="matrix_exp"),
    "cayley": lambda: parametrizations.orthogonal(nn.Linear(4, 4), orthogonal_map="cayley", use_trivialization=False),
}


@clause("models.recipes", modes="train", fullgraph=False)
@pytest.mark.parametrize("kind", PARAMETRIZATIONS)
def test_parametrizations_in_training(check: Check, kind: str) -> None:
    """A weight that is a norm's, a direction's or at right angles trains what it is computed from, and its vectors."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(PARAMETRIZATIONS[kind], batches)
        compiled = compile_part(network)
        found = train(network, lambda batch: compiled(batch).square().mean(), zip(batches))
        return [found, compile_part(network.eval())(batches[0])]

    check(program, calls=[(tensor(3, 3, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


@clause("models.recipes", modes="train", fullgraph=False)
def test_parametrized_weight_that_is_cached(check: Check) -> None:
    """Within `parametrize.cached` a weight that is used twice is computed once in each step, and anew in the next."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_parametrized, batches)

        def lost(batch: torch.Tensor) -> torch.Tensor:
            with parametrize.cached():
                return (network(network(batch)) - batch).square().mean()

        return train(network, compile_part(lost), zip(batches))

    check(program, calls=[(tensor(3, 3, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()
