"""Arguments at the very end of what they may be, and those that are told twice or in another way."""

from typing import Any

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.options")
def test_arguments_at_their_ends(check: Check) -> None:
    """As many as there are, an order of nought, bounds that coincide, and a window that just fits are allowed."""

    def program(a: torch.Tensor, image: torch.Tensor, samples: torch.Tensor) -> dict[str, object]:
        return {
            "all of them": a.topk(4),
            "all of a column": a.topk(3, 0, largest=False, sorted=True),
            "last of them": a.kthvalue(4),
            "one bound": functional.hardtanh(a, 0.5, 0.5),
            "order of nought": torch.polygamma(0, a.abs() + 1),
            "several": torch.mvlgamma(a.abs() + 3, 4),
            "one": torch.mvlgamma(a.abs() + 3, 1),
            "window that fits": functional.fractional_max_pool2d(
                image, 2, output_size=(2, 4), _random_samples=samples, return_indices=True
            ),
            "nothing narrowed": a.narrow(1, 4, 0),
            "all narrowed": a.narrow(0, 0, 3) * 2,
        }

    samples = tensor(1, 2, 2, grad=False, values=[[[0.1, 0.9], [0.5, 0.3]]])
    check(program, tensor(3, 4), tensor(1, 2, 5, 5), samples).computed()


@clause("numbers.options")
def test_arguments_told_in_another_way(check: Check) -> None:
    """A side that is told by two arguments, a triangle by a small letter, and an order of bounds beside a number."""

    def program(a: torch.Tensor, edges: torch.Tensor, order: torch.Tensor) -> dict[str, torch.Tensor]:
        square = a @ a.t()
        return {
            "twice": torch.searchsorted(edges, a, side="right", right=True),
            "left, twice": torch.searchsorted(edges, a, side="left", right=False),
            "small upper": torch.linalg.eigvalsh(square, UPLO="u"),
            "small lower": torch.linalg.eigvalsh(square + square.tril(), UPLO="l"),
            "number in an order": torch.searchsorted(edges[[2, 0, 3, 1]], 0.5, sorter=order),
            "number after, in an order": torch.searchsorted(edges[[2, 0, 3, 1]], 0.5, sorter=order, side="right"),
        }

    edges = tensor(4, values=[-1.0, 0.0, 0.5, 2.0])
    order = tensor(4, dtype=torch.int64, values=[1, 3, 0, 2])
    check(program, tensor(3, 4), edges, order, exact=False).computed()


@clause("numbers.options")
def test_arguments_by_the_names_that_numpy_gives_them(check: Check) -> None:
    """An axis is a dimension, and what stands beside it holds too: a dtype, a correction, an order, what is kept."""

    by_any_name: Any = torch  # Its types know one name of each.

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, object]:
        return {
            "sum in double": by_any_name.sum(whole, axis=1, dtype=torch.float64),
            "kept": by_any_name.sum(a, axis=0, keepdims=True),
            "mean": by_any_name.mean(a, axis=(0, 1), keepdims=True, dtype=torch.float64),
            "spread": by_any_name.var(a, axis=1, correction=0, keepdims=True),
            "largest": by_any_name.amax(x=a, axis=-1),
            "place": by_any_name.argmax(a, axis=0, keepdims=True),
            "running": by_any_name.cumsum(whole, axis=0, dtype=torch.int8),
            "put together": by_any_name.cat((a, a * 2), axis=1),
            "sum": by_any_name.add(x1=a, x2=whole, alpha=2),
            "sorted": by_any_name.sort(a, axis=0, descending=True, stable=True),
            "turned": by_any_name.flip(input=a, dims=(1,)),
        }

    whole = tensor(3, 4, dtype=torch.int64, values=[[1, -2, 100, 4], [90, 6, 7, -8], [70, 0, 3, 2]])
    check(program, tensor(3, 4), whole).computed()


@clause("numbers.promotion")
def test_operands_of_unlike_kinds(check: Check) -> None:
    """Whole divisors of what is added, a weight of a wider number, sums of narrow diagonals, wide complex numbers."""

    def program(
        a: torch.Tensor, whole: torch.Tensor, weight: torch.Tensor, wide: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "divided by whole numbers": torch.addcdiv(a, a * 2, whole),
            "whole numbers divided": torch.addcdiv(a, whole, a.abs() + 1, value=0.5),
            "wider weight": torch.lerp(a, a * 3, weight),
            "narrow trace": torch.trace(whole.view(2, 2).int()),
            "trace of bytes": torch.trace(whole.view(2, 2).to(torch.uint8)),
            "wide complex": wide.to(torch.complex128) * 2,
            "complex": a.to(torch.complex64) + 1,
            "complex of wide": wide.to(torch.complex64) * 1j,
            "bounds that are cut": functional.hardtanh(whole, -1.6, 2.0),
            "bounds between": functional.hardtanh(whole, -2.5, 1.5),
            "two low precisions": torch.logaddexp(a.half(), a.bfloat16() * 2),
        }

    whole = tensor(4, dtype=torch.int64, values=[-3, 1, 2, 250])
    weight = tensor(dtype=torch.float64, grad=False, values=[0.25])
    check(program, tensor(4), whole, weight, tensor(3, dtype=torch.float64)).computed()
