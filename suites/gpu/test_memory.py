"""Memory of the GPU: no more at once than eager takes, by a stated factor, and given back as eager gives it back.

Each cell has a process of its own: what another one left to the garbage collector would be counted.
"""

import gc
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from suites.harness import Check, clause

MIB = 2**20
#: Rows and columns of a tensor of 16 MiB, which the allocator rounds to nothing else.
SIDE = 2048
#: Calls after which whatever is set up once is there: compiled code, workspaces of libraries, recorded graphs.
WARM_UP = 5

Call = Callable[[], object]


def held() -> int:
    """The bytes of the tensors that are alive on the GPU."""
    gc.collect()
    wait_for_backward()
    torch.cuda.synchronize()
    return torch.cuda.memory_allocated()


def wait_for_backward() -> None:
    """Autograd's thread for the GPU lets go of a backward's gradients when it takes the next: here one of nothing."""
    with torch.enable_grad():
        nothing = torch.empty(0, device="cuda", requires_grad=True)
        torch.autograd.grad(nothing * 2, nothing, torch.empty(0, device="cuda"))


def peak(call: Call) -> int:
    """The bytes that a call takes at once, beyond what there was before it; with what it returns."""
    for _ in range(WARM_UP):
        call()
    before = held()
    torch.cuda.reset_peak_memory_stats()
    call()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def kept(call: Call) -> int:
    """The bytes that stay for as long as what a call returns does."""
    for _ in range(WARM_UP):
        call()
    before = held()
    returned = call()
    during = held()
    del returned
    return during - before


def demand_within(check: Check, what: str, limit: float, seen: int) -> None:
    """Demand that ``seen`` bytes are ``limit`` at most, and that eager took any."""
    check.demand("state", f"eager has no {what}", True, limit >= MIB)
    within = f"{limit / MIB:.1f} MiB at most"
    check.demand("state", what, within, within if seen <= limit else f"{seen / MIB:.1f} MiB")


def square(*, grad: bool = False) -> torch.Tensor:
    """A tensor of 16 MiB, of values that products and exponentials keep small."""
    return torch.linspace(-1, 1, SIDE * SIDE, device="cuda").view(SIDE, SIDE).requires_grad_(grad)


@clause("gpu.memory", on=("inductor",), isolated=True, devices="cuda")
def test_peak_of_a_chain(check: Check) -> None:
    """A chain of pointwise operators takes no more memory at once than eager's, which frees each operand after use."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return functional.gelu((a * b).sin() + a).exp() * (b - a).cos()

    a, b = square(), square()
    with torch.no_grad(), check.compiled(program) as run:
        demand_within(check, "peak of memory", peak(lambda: program(a, b)), peak(lambda: run(a, b)))


@clause("gpu.memory", modes="train", on=("aot_eager", "inductor"), isolated=True, devices="cuda")
def test_peak_of_a_step_of_training(check: Check) -> None:
    """Forward and backward of two layers take no more than a quarter more than eager's."""

    def program(a: torch.Tensor, up: torch.Tensor, down: torch.Tensor) -> torch.Tensor:
        return (functional.gelu(functional.layer_norm(a @ up, (SIDE,))) @ down + a).square().mean()

    inputs = [square(grad=True) for _ in range(3)]
    with check.compiled(program) as run:
        expected = peak(lambda: torch.autograd.grad(program(*inputs), inputs))
        demand_within(check, "peak of memory", 1.25 * expected, peak(lambda: torch.autograd.grad(run(*inputs), inputs)))


@clause("gpu.memory", modes="train", on=("aot_eager", "inductor"), isolated=True, devices="cuda")
def test_what_forward_keeps_for_backward(check: Check) -> None:
    """What stays after forward, the result and what backward will need, is no more than a quarter more than eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a @ b).sin().exp() * a).tanh()

    inputs = [square(grad=True), square(grad=True)]
    with check.compiled(program) as run:
        expected = kept(lambda: program(*inputs))
        demand_within(check, "memory kept by forward", 1.25 * expected, kept(lambda: run(*inputs)))


@clause("gpu.memory", modes="train", isolated=True, devices="cuda")
def test_backward_frees_what_forward_kept(check: Check) -> None:
    """After backward the result alone is left of what forward kept, as long as somebody holds it; then nothing is."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a @ b).sin().exp() * a).tanh()

    inputs = [square(grad=True), square(grad=True)]

    def step(run: Callable[..., Any]) -> torch.Tensor:
        out: torch.Tensor = run(*inputs)
        torch.autograd.grad(out.sum(), inputs)
        return out

    with check.compiled(program) as run:
        expected, seen = kept(lambda: step(program)), kept(lambda: step(run))
        check.demand("state", "memory after backward beside a result", f"{expected} bytes", f"{seen} bytes")
        before = held()
        step(run)
        check.demand("state", "memory left by a step", "0 bytes", f"{held() - before} bytes")


@clause("gpu.memory", modes="train", isolated=True, devices="cuda")
def test_hundred_calls_leave_nothing(check: Check) -> None:
    """A hundred steps, of sizes that change and come back, leave as much memory as there was before them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        written = a.clone()
        written[1:].mul_(b)
        return written.softmax(-1) @ a

    rows = [torch.ones(size, size, device="cuda", requires_grad=True) for size in (64, 65, 64, 90)]
    b = torch.full((1,), 0.5, device="cuda")

    def step(number: int) -> None:
        a = rows[number % len(rows)]
        torch.autograd.grad(run(a, b).sum(), a)

    with check.compiled(program, dynamic=True) as run:
        for number in range(2 * len(rows)):
            step(number)
        before = held()
        for number in range(100):
            step(number)
        check.demand("state", "memory left by a hundred steps", "0 bytes", f"{held() - before} bytes")


@clause("gpu.memory", "gpu.cuda-graphs", on=("inductor",), isolated=True, devices="cuda")
def test_hundred_replays_leave_nothing(check: Check) -> None:
    """A hundred replays of a recorded graph leave as much memory as there was after it was recorded."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).relu() * b

    a, b = square(), square()
    with torch.no_grad(), check.compiled(program, config={"inductor.triton.cudagraphs": True}) as run:
        for _ in range(WARM_UP):
            run(a, b)
        before = held()
        for _ in range(100):
            run(a, b)
        check.demand("state", "memory left by a hundred replays", "0 bytes", f"{held() - before} bytes")
