"""Kernels that are chosen by measuring: each candidate is right, whichever is the fastest on this machine."""

import pytest
import torch

from suites.harness import Check, clause, tensor, torch_internals

ON = ("inductor",)

#: What ``mode="max-autotune-no-cudagraphs"`` sets, with candidates of Triton's and the library's.
TUNED: dict[str, object] = {
    "inductor.max_autotune": True,
    "inductor.max_autotune_gemm_backends": "ATEN,TRITON",
    "inductor.autotune_in_subproc": False,
}


@pytest.mark.parametrize("rows, inner, columns", ((64, 64, 64), (130, 33, 50)))
@clause("gpu.candidates", on=ON, devices="cuda", profile="default")
def test_each_candidate_for_a_product(check: Check, rows: int, inner: int, columns: int) -> None:
    """Every kernel that is tried for a product and what is added to it computes what the library's does."""

    def program(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.addmm(bias, a, b).relu() + 1

    # Sums of so few products of single precision agree to five digits in whatever order they are made.
    with torch_internals.verified_candidates(1e-4, 1e-4) as verified:
        inputs = tensor(rows, inner), tensor(inner, columns), tensor(columns)
        check(program, *inputs, config=TUNED).computed().happened(len(verified) > 1, "a choice between kernels")


@clause("gpu.candidates", on=ON, devices="cuda", profile="full")
def test_each_candidate_for_a_batch_of_products(check: Check) -> None:
    """Every kernel that is tried for a batch of products in half precision computes what the library's does."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.bmm(a, b.transpose(1, 2)) * 2

    half = torch.float16
    with torch_internals.verified_candidates(1e-2, 1e-2) as verified:
        result = check(program, tensor(3, 48, 64, dtype=half), tensor(3, 40, 64, dtype=half), config=TUNED)
        result.computed().happened(len(verified) > 1, "a choice between kernels")


@clause("gpu.candidates", on=ON, devices="cuda", profile="full")
def test_each_candidate_for_a_convolution(check: Check) -> None:
    """Every kernel that is tried for a convolution in half precision computes what the library's does.

    In single precision the library's own is the one that is off: torch lets cuDNN round operands to ten bits.
    """

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.conv2d(a, weight, stride=2, padding=1).sigmoid()

    half = torch.float16
    with torch_internals.verified_candidates(1e-2, 3e-2) as verified:
        images, weight = tensor(2, 16, 20, 20, dtype=half), tensor(24, 16, 3, 3, dtype=half)
        result = check(program, images, weight, config=TUNED)
        result.computed().happened(len(verified) > 1, "a choice between kernels")


@clause("gpu.candidates", modes=("no_grad", "train"), on=ON, devices="cuda", profile="default")
def test_configurations_that_are_timed_leave_no_trace(check: Check) -> None:
    """Kernels that read and write one tensor are timed in each configuration, and write to it once all the same."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b).add_(1)
        return (a * b).sum(1)

    settings = {"inductor.max_autotune_pointwise": True, "inductor.coordinate_descent_tuning": True}
    check(program, tensor(70, 130), tensor(70, 130), config=settings).mutated(0).gradient(1)
