"""Graphs of launches: warmed up once, recorded in the second call, replayed from the third on, and always eager's."""

import torch
from torch import nn

from suites.harness import Check, built, clause, tensor

#: What ``mode="reduce-overhead"`` sets.
RECORDED: dict[str, object] = {"inductor.triton.cudagraphs": True}
#: Calls that see the warm-up, the recording and two replays.
CALLS = 4


@clause("gpu.cuda-graphs", modes=("no_grad", "inference", "train"), on=("inductor",), devices="cuda")
def test_replay_reads_the_call_s_own_arguments(check: Check) -> None:
    """A replay computes on what this call was handed, wherever that lies, and each result is the caller's own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).relu() * b

    calls = [(tensor(16, 16), tensor(16, 16))] * CALLS
    check(program, calls=calls, config=RECORDED, probe=False).in_call(CALLS - 1).computed()


@clause("gpu.cuda-graphs", on=("inductor",), devices="cuda")
def test_replay_writes_to_the_call_s_own_argument(check: Check) -> None:
    """An argument that the program writes to is written to in every call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b + 1)
        return a.sum()

    result = check(program, calls=[(tensor(12), tensor(12))] * CALLS, config=RECORDED, probe=False)
    result.in_call(CALLS - 1).mutated(0)


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


@clause("gpu.cuda-graphs", modes=("train", "no_grad"), on=("inductor",), devices="cuda")
def test_state_of_a_module_moves_with_every_replay(check: Check) -> None:
    """Buffers that forward changes have changed once more after each call, also by replay."""
    model = built(Counting)
    result = check(model, calls=[(tensor(4, 8),)] * CALLS, config=RECORDED, probe=False)
    result.in_call(CALLS - 1).computed()


@clause("gpu.cuda-graphs", shapes=("static", "dynamic"), on=("inductor",), devices="cuda")
def test_each_size_has_a_recording_of_its_own(check: Check) -> None:
    """Sizes that change from call to call, and come back, are computed on as they are."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.softmax(-1) + a.shape[0]

    sizes = (3, 5, 3, 7, 5, 3, 7, 5)
    result = check(program, calls=[(tensor(size, 10),) for size in sizes], config=RECORDED, probe=False)
    result.in_call(len(sizes) - 1).shape("out", 5, 10).computed()


@clause("gpu.cuda-graphs", modes=("train", "no_grad"), on=("inductor",), devices="cuda")
def test_replays_draw_on(check: Check) -> None:
    """Random numbers go on from call to call: a replay draws the numbers that eager's call would draw."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(a, 0.5, training=True) + torch.rand_like(a)

    result = check(program, calls=[(tensor(64),)] * CALLS, config=RECORDED, probe=False)
    result.in_call(CALLS - 1).drew_random()


@clause("gpu.cuda-graphs", "T16.1", on=("inductor",), devices="cuda")
def test_part_on_the_cpu_between_two_that_are_recorded(check: Check) -> None:
    """What goes through the CPU between two recorded parts is this call's, in each replay."""

    def program(a: torch.Tensor) -> torch.Tensor:
        there = (a * 2).cpu().sin()
        return there.to(a.device) + a

    config = {**RECORDED, "inductor.graph_partition": True}
    check(program, calls=[(tensor(10),)] * CALLS, config=config, probe=False).in_call(CALLS - 1).computed()


@clause("gpu.cuda-graphs", on=("inductor",), devices="cuda")
def test_result_that_is_an_argument(check: Check) -> None:
    """A result that is a view of an argument is one of this call's argument, beside one that is recorded memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.t(), a.exp()

    result = check(program, calls=[(tensor(6, 4),)] * CALLS, config=RECORDED, probe=False)
    result.in_call(CALLS - 1).aliases("out[0]", "arg[0]")


@clause("gpu.cuda-graphs", modes="train", on=("inductor",), devices="cuda")
def test_steps_of_training(check: Check) -> None:
    """Forward and backward by replay give every parameter eager's gradient, step after step."""

    def model() -> nn.Module:
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 2))

    result = check(built(model), calls=[(tensor(4, 8),)] * CALLS, config=RECORDED, probe=False)
    result.in_call(CALLS - 1).gradient(0)
