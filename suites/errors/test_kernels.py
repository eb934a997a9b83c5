"""What a kernel refuses and the formula that it is put by would compute: numbers and dtypes that it has no code for."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: Operators of low precision, with a number beyond it.
BEYOND: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "filled by a mask": lambda a: a.masked_fill(a > 0, -1e9),
    "filled by index": lambda a: a.index_fill(0, torch.tensor([1], device=a.device), -1e9),
    "below a threshold": lambda a: functional.threshold(a, 0.0, -1e9),
}

#: Operators of a matrix of dtypes for which there is no kernel.
UNKNOWN: dict[str, tuple[torch.dtype, Callable[[torch.Tensor], torch.Tensor]]] = {
    "complex sum without NaN": (torch.complex64, lambda a: a.nansum()),
    "matrix of truths by a vector": (torch.bool, lambda a: torch.mv(a, a[0])),
    "product of vectors of truths": (torch.bool, lambda a: torch.dot(a[0], a[1])),
    "trace of truths": (torch.bool, lambda a: torch.trace(a)),
    "logarithm of a sum of whole numbers": (torch.int64, lambda a: torch.logaddexp(a, a)),
    "fraction of whole numbers": (torch.int64, lambda a: torch.frac(a)),
    "softmax of whole numbers": (torch.int64, lambda a: functional.softmax(a, 1)),
    "activation of whole numbers": (torch.int64, functional.gelu),
    "loss of whole numbers": (torch.int64, lambda a: functional.cross_entropy(a, a[0].abs() % 3)),
    "error of complex numbers": (torch.complex64, lambda a: functional.mse_loss(a, a + 1)),
    "resampled truths": (torch.bool, lambda a: functional.interpolate(a[None, None], scale_factor=2.0)),
    "linear map of truths": (torch.bool, lambda a: functional.linear(a, a)),
    "window of whole numbers": (torch.int64, lambda a: torch.hann_window(3, dtype=a.dtype, device=a.device) + a),
}

#: Operators of a matrix and of indices of 32 bits.
NARROW_INDICES: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "filled": lambda a, index: a.index_fill(0, index, 2.0),
    "copied": lambda a, index: a.index_copy(0, index, a[:2]),
    "put": lambda a, index: a.put(index, a[0, :2]),
    "gathered": lambda a, index: a.gather(0, index.unsqueeze(1) * 2.5),
    "scattered": lambda a, index: a.scatter(0, index.unsqueeze(1) > 0, a),
}


@clause("errors.dtypes", devices="cpu")
@pytest.mark.parametrize("operator", BEYOND)
def test_numbers_that_half_precision_cannot_hold(check: Check, operator: str) -> None:
    """A number beyond float16 is refused where a tensor of float16 is to hold it, and does not become an infinity."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return BEYOND[operator](a)

    check(program, tensor(3, dtype=torch.float16)).raised("without overflow")


@clause("errors.dtypes")
def test_numbers_that_low_precision_holds(check: Check) -> None:
    """An infinity is no overflow in float16, and a number that large is none in bfloat16."""

    def program(a: torch.Tensor, low: torch.Tensor) -> list[torch.Tensor]:
        infinite = [a.masked_fill(a > 0, -float("inf")), functional.threshold(a, 0.0, -float("inf"))]
        return [*infinite, *(filled(low) for filled in BEYOND.values())]

    numbers = [0.5, -1.0, 2.0]
    parts = tensor(3, dtype=torch.float16, values=numbers), tensor(3, dtype=torch.bfloat16, values=numbers)
    check(program, *parts).values().expect("""\
out[0] = float16[3] [-inf, -1, -inf]
out[1] = float16[3] [0.5, -inf, 2]
out[2] = bfloat16[3] [-9.982e+08, -1, -9.982e+08]
out[3] = bfloat16[3] [0.5, -9.982e+08, 2]
out[4] = bfloat16[3] [0.5, -9.982e+08, 2]
""")


@clause("errors.dtypes", devices="cpu")
@pytest.mark.parametrize("operator", UNKNOWN)
def test_dtypes_without_a_kernel(check: Check, operator: str) -> None:
    """What no kernel computes of a dtype is refused, though the formula that it is put by would compute it."""
    dtype, compute = UNKNOWN[operator]

    def program(a: torch.Tensor) -> torch.Tensor:
        return compute(a)

    check(program, tensor(3, 3, dtype=dtype)).raised()


@clause("errors.dtypes", devices="cpu")
@pytest.mark.parametrize("operator", NARROW_INDICES)
def test_indices_of_32_bits(check: Check, operator: str) -> None:
    """Operators that write by an index of 64 bits refuse one of 32, and all refuse one that is no index."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return NARROW_INDICES[operator](a, index)

    check(program, tensor(3, 4), tensor(2, dtype=torch.int32, values=[2, 0])).raised()
