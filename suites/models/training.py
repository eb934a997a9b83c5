"""Steps of training, in which only what is compiled differs, and all that they leave behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import torch
from torch import nn

from suites.harness.clauses.result import Result

#: What a clause's program is handed: it compiles a function or a module, or hands it back as it is.
Compile = Callable[[Any], Any]
#: The layers on which a clause runs that is about no kernel: it compiles within a second there.
QUICK = ("aot_eager", "aot_eager_decomp_partition")
Network = TypeVar("Network", bound=nn.Module)


def begin(network: Callable[[], Network], beside: torch.Tensor) -> Network:
    """A network whose parameters are the same in every run, of the dtype and on the device of ``beside``."""
    torch.manual_seed(0)
    return network().to(beside)


def train(
    network: nn.Module,
    loss: Callable[..., torch.Tensor],
    batches: Iterable[Sequence[Any]],
    optimizer: torch.optim.Optimizer | None = None,
) -> dict[str, Any]:
    """Make a step on each batch, of SGD with momentum unless told; what is left behind after the last.

    ``loss`` is called with what a batch holds. See `left_behind` for the result.
    """
    optimizer = optimizer or torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        value = loss(*batch)
        value.backward()
        optimizer.step()
        losses.append(value.detach())
    return left_behind(network, losses)


def left_behind(network: nn.Module, losses: Sequence[torch.Tensor]) -> dict[str, Any]:
    """The losses, each parameter and its last gradient, and each buffer, by name."""
    return {
        "losses": list(losses),
        "parameters": {name: parameter.detach() for name, parameter in network.named_parameters()},
        "gradients": {name: parameter.grad for name, parameter in network.named_parameters()},
        "buffers": dict(network.named_buffers()),
    }


def compiled_at_most(result: Result, graphs: int) -> None:
    """Demand that all steps together were compiled as no more graphs than this, and as one at least."""
    seen, within = result.verdict.counter.graphs, f"1 to {graphs}"
    result.demand("reuse", "graphs compiled", within, within if 1 <= seen <= graphs else seen)
