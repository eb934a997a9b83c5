"""Random numbers of the GPU: counted on where eager counts on, across graphs, streams and functional operators."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

Compile = Callable[[Any], Any]

#: Elements around those that one launch draws four of at a time.
COUNTS = (1, 1023, 70_001)


@pytest.mark.parametrize("count", COUNTS)
@clause("gpu.random", modes=("no_grad", "train"), on=("aot_eager", "aot_eager_decomp_partition"), devices="cuda")
def test_functional_draws(check: Check, count: int) -> None:
    """Draws that became functions of a seed and an offset are eager's, and the generator goes on behind them."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.rand_like(a) * a + torch.rand(a.shape, device=a.device)

    check(program, tensor(count), config={"functorch.functionalize_rng_ops": True}).drew_random().gradient(0)


@clause("gpu.random", modes=("no_grad", "train"), devices="cuda")
def test_draws_in_graphs_with_an_eager_one_between(check: Check) -> None:
    """Two graphs that draw, and a draw of eager's between them, take their numbers one after the other."""

    def program(compile_part: Compile, a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        first, last = (
            compile_part(lambda t: functional.dropout(t, 0.5)),
            compile_part(lambda t: torch.randn_like(t) + t),
        )
        dropped: torch.Tensor = first(a)
        between = torch.rand(5, device=a.device)
        return dropped, between, last(dropped)

    check(program, tensor(1025), in_parts=True).drew_random().gradient(0)


@clause("gpu.random", fullgraph=False, devices="cuda")
def test_draws_on_another_stream(check: Check) -> None:
    """Streams share the generator: draws on two of them are numbered in the order of the program."""

    def program(a: torch.Tensor) -> torch.Tensor:
        here = torch.rand_like(a)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            there = torch.rand_like(a)
        torch.cuda.current_stream().wait_stream(side)
        return here + 2 * there + 4 * torch.rand_like(a)

    check(program, tensor(300)).drew_random()


@clause("gpu.random", modes=("no_grad", "train"), devices="cuda")
def test_draws_of_sizes_that_need_several_rounds(check: Check) -> None:
    """Normal, integer, exponential and dropped-out draws of more elements than threads leave eager's generator."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        dropped = functional.dropout(a, 0.3)
        return (
            dropped,
            torch.randn_like(a),
            torch.randint(0, 9, a.shape, device=a.device),
            torch.rand(3, device=a.device),
        )

    check(program, tensor(1_200_003)).drew_random().gradient(0)
