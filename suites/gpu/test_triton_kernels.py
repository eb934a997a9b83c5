"""Kernels of Triton's in a program: what they read, write and share is what eager's launch reads, writes and shares."""

import contextlib
from typing import Any

import torch

from suites.harness import Check, clause, tensor, view_of
from suites.harness.clauses.endings import NotSupported

with contextlib.suppress(ImportError):
    from suites.gpu import kernels


@clause("T16.9", modes=("no_grad", "inference"), shapes=("static", "dynamic"), devices="cuda")
def test_kernel_fills_a_new_tensor(check: Check) -> None:
    """What a kernel stores in a new tensor is the program's result, for sizes that no block divides, too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(a)
        kernels.add_scaled[kernels.grid(a.numel())](a, b, out, a.numel(), 0.5, BLOCK=kernels.BLOCK)
        return out.sin()

    calls = [(tensor(5, 33), tensor(5, 33)), (tensor(2, 64), tensor(2, 64))]
    check(program, calls=calls).unchanged(0, 1).computed()


@clause("T16.9", shapes=("static", "dynamic"), devices="cuda")
def test_kernel_writes_to_an_argument(check: Check) -> None:
    """What a kernel stores in the program's argument reaches the caller, between writes of torch's own."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        before = a.clone()
        kernels.double[kernels.grid(a.numel())](a, a.numel(), BLOCK=kernels.BLOCK)
        a.sub_(3)
        return before + a

    check(program, tensor(7, 11)).mutated(0).computed()


@clause("T16.9", devices="cuda")
def test_kernel_writes_to_a_view_of_an_argument(check: Check) -> None:
    """A kernel that is handed rows of an argument writes to these, and the others stay."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rows = a[1:3]
        kernels.double[kernels.grid(rows.numel())](rows, rows.numel(), BLOCK=kernels.BLOCK)
        return a.sum(1)

    check(program, tensor(4, 9)).mutated(0).computed()


@clause("T16.9", devices="cuda")
def test_kernel_writes_through_one_of_two_aliases(check: Check) -> None:
    """A kernel that writes through one argument is seen through another that shares its memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        kernels.double[kernels.grid(a.numel())](a, a.numel(), BLOCK=kernels.BLOCK)
        return b * 3

    base = tensor(6, 5)
    check(program, view_of(base, lambda t: t[:3]), view_of(base, lambda t: t[2:])).mutated(0, 1)


@clause("T16.9", devices="cuda")
def test_kernel_has_one_tensor_as_two_of_its_arguments(check: Check) -> None:
    """A kernel that reads and writes one tensor under two names changes that tensor."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        kernels.add_scaled[kernels.grid(a.numel())](a, b, a, a.numel(), 2.0, BLOCK=kernels.BLOCK)
        return a - b

    check(program, tensor(70), tensor(70)).mutated(0).unchanged(1)


@clause("T16.9", devices="cuda")
def test_kernel_writes_to_two_arguments(check: Check) -> None:
    """Two tensors that a kernel exchanges are exchanged, also where only one is used afterwards."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        mine = b * 2
        kernels.exchange[kernels.grid(a.numel())](a, mine, a.numel(), BLOCK=kernels.BLOCK)
        return mine.cos()

    check(program, tensor(65), tensor(65)).mutated(0).unchanged(1).computed()


@clause("T16.9", devices="cuda")
def test_two_launches_read_what_the_one_before_stored(check: Check) -> None:
    """Launches in a row keep their order, and what torch computes between them its place."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        one, two = a.sin(), torch.empty_like(a)
        for out, scale in ((one, 2.0), (two, 3.0)):
            kernels.add_scaled[kernels.grid(a.numel())](a, one, out, a.numel(), 0.5, BLOCK=kernels.BLOCK)
            one.mul_(scale)
        return one, two

    check(program, tensor(100)).computed()


@clause("T16.9", inputs=("plain", "strided"), devices="cuda")
def test_kernel_is_handed_strides(check: Check) -> None:
    """A kernel that walks by the strides it is handed reads the tensor as it lies."""

    def program(a: torch.Tensor) -> torch.Tensor:
        turned = (a * 2).t()
        out = torch.empty(turned.shape[1], turned.shape[0], device=a.device, dtype=a.dtype)
        shape, strides = turned.shape, turned.stride()
        kernels.transpose[kernels.grid(a.numel())](turned, out, *shape, *strides, BLOCK=kernels.BLOCK)
        return out

    check(program, tensor(13, 6)).unchanged(0).computed()


@clause("T16.9", devices="cuda")
def test_kernel_with_a_function_a_constant_and_quotes(check: Check) -> None:
    """A kernel keeps the function that it calls, the constant of its module and any text in its docstring."""

    def program(a: torch.Tensor, negate: bool) -> torch.Tensor:
        out = torch.empty_like(a)
        kernels.shift[kernels.grid(a.numel())](a, out, a.numel(), negate, BLOCK=kernels.BLOCK)
        return out

    calls = [(tensor(8), True), (tensor(8), False)]
    check(program, calls=calls).computed()


@clause("T16.9", modes=("no_grad", "inference"), shapes=("static", "dynamic"), devices="cuda")
def test_kernel_is_handed_descriptors(check: Check) -> None:
    """Tiles that a kernel moves by descriptors of the host's are those of the tensors of this call, over their ends."""
    if not kernels.has_descriptors():
        raise NotSupported("descriptors of tensors need Triton 3.3 and a GPU of capability 9")

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(a)
        a.add_(1)
        kernels.double_by_tiles(a, out)
        kernels.double_by_tiles(out, b)
        return out.sin() + b

    calls = [(tensor(40, 64), tensor(40, 64)), (tensor(16, 36), tensor(16, 36))]
    check(program, calls=calls).mutated(0, 1).computed().in_call(1).mutated(0, 1)


@clause("T16.9", devices="cuda")
def test_timing_of_candidates_leaves_no_sums(check: Check) -> None:
    """A kernel that adds up is the same sum whichever candidate was timed: what timing added is set to zero."""

    def program(a: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(1, device=a.device, dtype=torch.int64)
        kernels.add_up[lambda meta: (-(-a.numel() // meta["BLOCK"]),)](a, total, a.numel())
        return total

    check(program, tensor(300, dtype=torch.int64)).unchanged(0).computed()


@clause("T16.9", devices="cuda")
def test_timing_of_candidates_leaves_the_argument(check: Check) -> None:
    """A kernel that writes where it reads does so once: what timing wrote is restored."""

    def program(a: torch.Tensor) -> torch.Tensor:
        kernels.triple[lambda meta: (-(-a.numel() // meta["BLOCK"]),)](a, a.numel())
        return a + 1

    check(program, tensor(200)).mutated(0)


@clause("T16.9", modes=("train", "no_grad"), shapes=("static", "dynamic"), devices="cuda")
def test_operator_of_a_kernel_has_its_gradient(check: Check) -> None:
    """An operator that is made of a kernel computes what it does eagerly, and has the gradient that it registers."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return kernels.scaled_sum(a.sin(), b, 0.25) * a

    calls = [(tensor(9), tensor(9)), (tensor(130), tensor(130))]
    check(program, calls=calls).gradient(0, 1).computed()


@clause("T16.9", devices="cuda")
def test_operator_of_a_kernel_that_writes(check: Check) -> None:
    """An operator that says its kernel writes to an argument is not left out, moved or done to a copy."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        kept = b + 1
        kernels.double_(kept)
        kernels.double_(a)
        return kept * a

    check(program, tensor(40), tensor(40)).mutated(0).unchanged(1).computed()


@clause("T16.9", modes="train", devices="cuda")
def test_kernels_in_both_ways_of_a_function(check: Check) -> None:
    """An autograd.Function whose forward and backward launch kernels has eager's result and gradients."""

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(a)
            kernels.add_scaled[kernels.grid(a.numel())](a, b, out, a.numel(), 3.0, BLOCK=kernels.BLOCK)
            return out

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            grad = grad.contiguous()
            out = torch.zeros_like(grad)
            kernels.add_scaled[kernels.grid(out.numel())](out, grad, out, out.numel(), 3.0, BLOCK=kernels.BLOCK)
            return grad, out

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        applied: torch.Tensor = Scaled.apply(a.sin(), b.cos())
        return applied * 2

    check(program, tensor(33), tensor(33)).gradient(0, 1).computed()
