"""Graphs of launches: warmed up once, recorded in the second call, replayed from the third on, and always eager's.

What a replay returns lies in the recording's own memory, until the next call: each program copies what it got.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from suites.harness import Check, Result, clause, tensor

Compile = Callable[[Any], Any]

#: What ``mode="reduce-overhead"`` sets.
RECORDED: dict[str, object] = {"inductor.triton.cudagraphs": True}
#: Calls that see the warm-up, the recording and two replays.
CALLS = 4


def replayed(check: Check, part: Callable[..., torch.Tensor], *calls: tuple[Any, ...], **config: object) -> Result:
    """Compare each call of ``part``, recorded, with eager's; what it returns is copied at once."""

    def program(compile_part: Compile, *inputs: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = compile_part(part)(*inputs)
        return out.clone()

    return check(program, calls=calls, in_parts=True, config={**RECORDED, **config}).in_call(-1)


@clause("gpu.cuda-graphs", modes=("no_grad", "inference"), on=("inductor",), devices="cuda")
def test_replay_reads_the_arguments_of_its_call(check: Check) -> None:
    """A replay computes on what this call was handed, wherever that lies."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).relu() * b

    replayed(check, part, *[(tensor(16, 16), tensor(16, 16))] * CALLS).unchanged(0, 1).computed()


@clause("gpu.cuda-graphs", on=("inductor",), devices="cuda")
def test_replay_writes_to_the_argument_of_its_call(check: Check) -> None:
    """An argument that the program writes to is written to in every call."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b + 1)
        return a.sum()

    replayed(check, part, *[(tensor(12), tensor(12))] * CALLS).mutated(0)


class Counting(nn.Module):
    """A product whose module counts its calls and keeps a running mean."""

    mean: torch.Tensor
    total: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.eye(8) * 0.5 + 0.1)
        self.register_buffer("mean", torch.zeros(8))
        self.register_buffer("total", torch.zeros((), dtype=torch.int64))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """The product, less the mean of all calls."""
        out: torch.Tensor = a @ self.weight
        self.total.add_(1)
        self.mean.lerp_(out.detach().mean(0), 0.5)
        return out - self.mean


@clause("gpu.cuda-graphs", on=("inductor",), devices="cuda")
def test_state_of_a_module_moves_with_every_replay(check: Check) -> None:
    """Buffers that forward changes have changed once more after each call, also by replay."""

    def program(compile_part: Compile, a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        model = Counting().to(a.device)
        part = compile_part(model)
        outs = [part(a + number).clone() for number in range(CALLS)]
        return (*outs, model.mean.clone(), model.total.clone())

    result = check(program, tensor(4, 8), in_parts=True, config=RECORDED)
    result.happened(int(result.value(f"out[{CALLS + 1}]")) == CALLS, "each call is counted")


@clause("gpu.cuda-graphs", shapes=("static", "dynamic"), on=("inductor",), devices="cuda")
def test_each_size_has_a_recording_of_its_own(check: Check) -> None:
    """Sizes that change from call to call, and come back, are computed on as they are."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return a.softmax(-1) + a.shape[0]

    replayed(check, part, *[(tensor(size, 10),) for size in (3, 5, 3, 7, 5, 3, 7, 5)]).shape("out", 5, 10).computed()


@clause("gpu.cuda-graphs", on=("inductor",), devices="cuda")
def test_replays_draw_on(check: Check) -> None:
    """Random numbers go on from call to call: a replay draws the numbers that eager's call would draw."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(a, 0.5, training=True) + torch.rand_like(a)

    replayed(check, part, *[(tensor(64),)] * CALLS).drew_random()


@clause("gpu.cuda-graphs", "T16.1", on=("inductor",), devices="cuda")
def test_part_on_the_cpu_between_two_that_are_recorded(check: Check) -> None:
    """What goes through the CPU between two recorded parts is this call's, in each replay."""

    def part(a: torch.Tensor) -> torch.Tensor:
        there = (a * 2).cpu().sin()
        return there.to(a.device) + a

    replayed(check, part, *[(tensor(10),)] * CALLS, **{"inductor.graph_partition": True}).computed()


@clause("gpu.cuda-graphs", on=("inductor",), devices="cuda")
def test_result_that_is_a_view_of_an_argument(check: Check) -> None:
    """A result that is a view of an argument is one of this call's argument, beside one that is recorded memory."""

    def program(compile_part: Compile, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        turned, powers = compile_part(lambda t: (t.t(), t.exp()))(a)
        return turned, powers.clone()

    result = check(program, calls=[(tensor(6, 4),)] * CALLS, in_parts=True, config=RECORDED)
    result.in_call(-1).aliases("out[0]", "arg[0]")


@clause("gpu.cuda-graphs", modes="train", on=("inductor",), devices="cuda")
def test_steps_of_training(check: Check) -> None:
    """Forward and backward by replay, step after step, leave eager's losses and parameters."""

    def program(compile_part: Compile, batch: torch.Tensor) -> list[torch.Tensor]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 2))
        model = model.to(batch.device, batch.dtype)
        step, optimizer = compile_part(model), torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        losses = []
        for number in range(CALLS):
            loss = step(batch.detach() + number).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.detach().clone())
        return losses + [parameter.detach().clone() for parameter in model.parameters()]

    result = check(program, tensor(4, 8), in_parts=True, backward=False, config=RECORDED)
    result.happened(bool(result.value("out[3]") < result.value("out[0]")), "training makes the loss less")
