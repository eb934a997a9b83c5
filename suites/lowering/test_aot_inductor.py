"""AOTInductor: a program that was exported and compiled into a package does what it did before."""

import ctypes
import gc
import sys

import torch

from suites.harness import Check, built, clause, tensor
from suites.lowering.operators import swirl

ON = ("aot_inductor",)


@clause("T16.11", shapes="dynamic", on=ON)
def test_sizes_that_are_expressions_of_several(check: Check) -> None:
    """Sizes that are sums and products of those of several arguments are right for sizes that the export never saw."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = torch.cat([a, b, a]) * c.shape[0]
        return rows + c.new_ones(2 * a.shape[0] + b.shape[0], 1), (a.t() @ a).repeat(b.shape[0] - 1, 1)

    calls = [
        (tensor(3, 4), tensor(5, 4), tensor(2)),
        (tensor(6, 4), tensor(2, 4), tensor(7)),
        (tensor(4, 9), tensor(3, 9), tensor(5)),
    ]
    result = check(program, calls=calls)
    result.values().expect("""\
out[0] = float32[11, 4] [2.373, -4.26, 0.522, -1.764, 0.08787, 3.03, -2.173, 2.802, -1.264, -3.445, 1.334, 0.7169,
    ..., -1.264, -3.445, 1.334, 0.7169]
out[1] = float32[16, 4] [1.961, 0.2472, 0.3706, -1.199, 0.2472, 12.89, -1.353, 4.864, 0.3706, -1.353, 2.602, -1.122,
    ..., -1.199, 4.864, -1.122, 2.741]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[14, 4] [-13.94, -2.783, 2.345, 10.62, -3.101, -3.276, -11.37, -4.173, 12.5, 4.612, 4.955, 8.434,
    ..., 3.088, -0.02185, -9.621, -5.58]
out[1] = float32[4, 4] [[8.759, 3.018, 3.027, -0.9446], [3.018, 2.808, 3.065, -0.968], [3.027, 3.065, 9.303, 3.434],
    [-0.9446, -0.968, 3.434, 5.899]]
""")


@clause("T16.11", shapes="dynamic", on=ON)
def test_argument_whose_size_is_an_expression(check: Check) -> None:
    """An argument as large as two others together is taken, and every element of it is used."""

    def program(a: torch.Tensor, b: torch.Tensor, both: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, b]).sin() + both * a.shape[0]

    result = check(program, calls=[(tensor(3), tensor(4), tensor(7)), (tensor(5), tensor(2), tensor(7))])
    result.values().expect("""\
out = float32[7] [3.336, -3.885, -6.904, -0.4815, -0.8651, -6.09, -2.759]
""")
    result.in_call(1).values().expect("""\
out = float32[7] [0.6517, -0.4484, 2.114, 4.667, 4.621, -2.096, -7.432]
""")


@clause("T16.10", on=ON)
def test_mutated_argument(check: Check) -> None:
    """A mutation reaches the caller's tensor, and reads before and after it see the old and the new data."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        before = a.sin()
        a.mul_(b)
        return before - a

    check(program, tensor(3, 4), tensor(4)).mutated(0).unchanged(1)


@clause("T16.10", on=ON)
def test_outputs_that_alias(check: Check) -> None:
    """An output that is a view of an argument shares its memory; views of one intermediate share theirs."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        doubled = a * 2
        return a[1:], doubled.t(), doubled[0]

    check(program, tensor(3, 4, grad=False)).aliases("out[0]", 0).aliases("out[1]", "out[2]")


@clause("T16.10", on=ON)
def test_fallback_between_generated_kernels(check: Check) -> None:
    """A custom operator gets the kernel's result of this call, and what it returns goes on."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return swirl(a.sin(), b).relu() + a

    result = check(program, tensor(3, 4), tensor(3, 4)).unchanged(0, 1).distinct("out", 0)
    result.values().expect("""\
out = float32[3, 4] [[0.6865, -2.63, -0.239, -1.382], [-0.4561, 1.217, -1.587, 1.856], [-1.132, -2.222, 0.1669,
    -0.1415]]
""")


@clause("T16.10", on=ON)
def test_parameters_and_buffers(check: Check) -> None:
    """A package holds the module's own parameters and a constant of its forward, and keeps them from call to call."""

    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 3)
            self.register_buffer("scale", torch.tensor([1.0, -2.0, 0.5]))

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            return self.linear(a) * self.scale + torch.tensor([3.0, 5.0, 7.0], device=a.device)

    check(built(Scaled), tensor(2, 4)).values().expect("""\
out = float32[2, 3] [[2.421, 7.723, 6.794], [3.118, 4.469, 7.05]]
""")


@clause("T16.10", on=ON)
def test_fallback_does_not_leak(check: Check) -> None:
    """Sixty calls of a fallback kernel whose results are a MiB each leave the process as large as it was."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return swirl(a, b) + 1

    a, b = torch.randn(512, 512), torch.randn(512, 512)
    with torch.no_grad(), check.compiled(program) as run:
        for _ in range(5):
            run(a, b)
        before = _resident_mib()
        for _ in range(60):
            run(a, b)
        grown = _resident_mib() - before
    # A leak of one result a call would be 60 MiB; the allocator's own ups and downs are a few.
    check.demand("state", "a leak of a result a call", False, grown > 30)


def _resident_mib() -> float:
    """The memory of this process that is not free, in MiB, after the allocator has given back what it can."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096 / 2**20
    return 0.0
