"""Unsigned numbers of sixteen, 32 and 64 bits: what eager has of them, with the largest, which no signed one holds.

A GPU has no products, bits or orders of them.
"""

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import TensorSpec

UNSIGNED = {"uint16": torch.uint16, "uint32": torch.uint32, "uint64": torch.uint64}


def _extremes(name: str) -> tuple[TensorSpec, TensorSpec]:
    """Two tensors with noughts, the largest number, those around the middle, and small ones."""
    dtype = UNSIGNED[name]
    middle = 1 << (torch.iinfo(dtype).bits - 1)
    first = tensor(5, dtype=dtype, values=[0, 2 * middle - 1, middle, middle + 5, 7])
    return first, tensor(5, dtype=dtype, values=[3, 2 * middle - 2, 1, middle + 5, 2])


@clause("numbers.integers", "numbers.promotion", profile="default", devices="cpu")
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_arithmetic_of_unsigned_numbers(check: Check, dtype: str) -> None:
    """Equality, bits, products and quotients of numbers past the signed ones are eager's, and so are their sums."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "equal": a == b,
            "unlike": a != b,
            "equal to a number": a == 7,
            "bits and": a & b,
            "bits or": a | b,
            "bits either": a ^ b,
            "product": a * b,
            "triple": a * 3,
            "all products": torch.outer(a, b),
            "quotient": a / (b | 1),
            "half": a / 2,
            "rounded": [a.floor(), a.ceil(), a.round(), a.trunc()],
            "root": a.sqrt(),
            "logarithm": (a | 1).log(),
            "scaled": a * 0.5,
            "scaled by a tensor": a * torch.tensor([0.5], device=a.device),
            "sum": a.sum(),
            "products of all": (a | 1).prod(),
            "running sum": a.cumsum(0),
            "mean": a.mean(dtype=torch.float32),
            "any": a.any(),
            "is none": a.isnan(),
            "finite": a.isfinite(),
        }

    check(program, *_extremes(dtype)).computed()


@clause("numbers.integers", "numbers.promotion", profile="default", devices="cpu")
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_conversions_of_unsigned_numbers(check: Check, dtype: str) -> None:
    """Converted, to whole numbers, narrower and wider, and to fractions and back, they are what eager makes of them."""
    to = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8)

    def program(a: torch.Tensor, small: torch.Tensor) -> list[torch.Tensor]:
        found = [a.to(each) for each in (*to, torch.uint8, torch.bool, torch.complex64, *UNSIGNED.values())]
        found += [a.view(torch.uint8), a.view(torch.uint8).flip(0).view(a.dtype), small.to(a.dtype)]
        found += [small.float().to(a.dtype), a.to(torch.int64).to(a.dtype), (a & 255).double().to(a.dtype)]
        return [*found, torch.full_like(a, 9), torch.zeros_like(a), a.new_ones(2), a.new_full((2,), 65535)]

    check(program, _extremes(dtype)[0], tensor(3, dtype=torch.int64, values=[0, 5, 200])).computed()


@clause("numbers.integers", profile="default", devices="cpu")
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_pieces_of_unsigned_numbers(check: Check, dtype: str) -> None:
    """Joined, cut, ordered, repeated and copied, they keep every bit."""

    def program(a: torch.Tensor, b: torch.Tensor, places: torch.Tensor) -> dict[str, object]:
        return {
            "joined": torch.cat([a, b]),
            "beside": torch.stack([a, b], 1),
            "by places": a[places],
            "turned": a.roll(1),
            "cut": a[1:].clone(),
            "in order": a.sort(),
            "order": a.argsort(stable=True),
            "padded": functional.pad(a, (1, 1), value=3),
            "repeated": a.repeat(2),
            "expanded": a.expand(2, 5) * 1,
            "copied": torch.zeros_like(a).copy_(b),
            "bits in place": a.bitwise_or_(b).clone(),
            "products in place": b.mul_(3).clone(),
        }

    places = tensor(2, dtype=torch.int64, values=[3, 1])
    check(program, *_extremes(dtype), places).mutated(0, 1).computed()


@clause("numbers.integers", profile="default", devices="cpu")
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_whether_all_unsigned_numbers_are_nought(check: Check, dtype: str) -> None:
    """Whether all of them are other than nought is told, of all and of each row."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.all(), a.view(1, 5).all(0)

    check(program, _extremes(dtype)[0]).computed()


@clause("numbers.integers", profile="default", devices="cpu")
@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("how", ["told", "written"])
def test_unsigned_numbers_told(check: Check, dtype: str, how: str) -> None:
    """What a program tells number by number, or writes at a place, is each number that it should be."""

    def program(a: torch.Tensor) -> torch.Tensor:
        if how == "told":
            return a * torch.tensor([3, 2, 1, 0, 65535], dtype=a.dtype, device=a.device)
        written = a.clone()
        written[1] = 5
        return written

    check(program, _extremes(dtype)[0]).computed()


@clause("numbers.integers", profile="default", torch=">=2.13")
@pytest.mark.parametrize("dtype", UNSIGNED)
def test_unsigned_numbers_chosen_by_truths(check: Check, dtype: str) -> None:
    """Truths choose between two tensors of them, and between a tensor and a number."""

    def program(a: torch.Tensor, b: torch.Tensor, truths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.where(truths, a, b), torch.where(truths, a, 1)

    truths = tensor(5, dtype=torch.bool, values=[True, False, True, True, False])
    check(program, *_extremes(dtype), truths).computed()
