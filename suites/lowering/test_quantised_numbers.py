"""Numbers of few bits: patterns of quantised layers become one operator only where that means the same."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor, view_of
from suites.harness.programs.specs import TensorSpec
from suites.lowering.quantised import numbers_of, quantised, steps


@clause("numbers.near-misses")
def test_greatest_of_quantised_windows_in_another_scale(check: Check) -> None:
    """The greatest numbers of windows are quantised by the scale and the zero point that they are told."""

    def program(image: torch.Tensor) -> dict[str, torch.Tensor]:
        pooled = functional.max_pool2d
        return {
            "scale": quantised(pooled(numbers_of(image), 2), 0.25),
            "zero point": quantised(pooled(numbers_of(image), 3, 1, 1), 0.5, 3),
        }

    check(program, steps(1, 2, 4, 4)).computed()


@clause("numbers.near-misses")
def test_greatest_of_quantised_windows_that_overhang(check: Check) -> None:
    """The last windows of quantised numbers overhang the image, where they are told to."""

    def program(image: torch.Tensor) -> torch.Tensor:
        return quantised(functional.max_pool2d(numbers_of(image), 2, 2, 0, 1, ceil_mode=True))

    check(program, steps(1, 2, 5, 5)).shape("out", 1, 2, 3, 3).computed()


@clause("numbers.near-misses")
def test_quantised_numbers_are_kept_in_narrower_bounds(check: Check) -> None:
    """Windows, views and joints that are quantised in narrower bounds, or with a sign, saturate at those."""
    signed = torch.ops.quantized_decomposed.quantize_per_tensor

    def program(image: torch.Tensor, other: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "windows": quantised(functional.max_pool2d(numbers_of(image), 2), low=20, high=127),
            "view": quantised(numbers_of(other + 1).reshape(2, 6), low=15, high=50),
            "joint": quantised(torch.cat([numbers_of(other), numbers_of(other)], 1), low=15, high=50),
            "signed": signed(numbers_of(image + 1).reshape(4, 8), 0.5, 10, -128, 127, torch.int8),
        }

    check(program, steps(1, 2, 4, 4), steps(3, 4)).computed()


@clause("numbers.near-misses", "T7.9")
def test_quantised_view_is_no_argument(check: Check) -> None:
    """What is seen in another shape and quantised again, as it was before, is memory of its own."""

    def program(small: torch.Tensor) -> torch.Tensor:
        return quantised(numbers_of(small).reshape(2, 6))

    check(program, steps(3, 4)).distinct("out", 0).computed()


@clause("numbers.near-misses")
def test_quantised_windows_views_and_joints(check: Check) -> None:
    """Windows, views and joints in one scale, in another, used twice or computed with are quantised as written."""

    def program(image: torch.Tensor, other: torch.Tensor) -> dict[str, torch.Tensor]:
        seen = numbers_of(other).reshape(2, 6)
        joined = torch.cat([numbers_of(other), numbers_of(other, 0.25, 3)], 1)
        values, places = functional.max_pool2d(numbers_of(image), 2, return_indices=True)
        return {
            "windows": quantised(functional.max_pool2d(numbers_of(image), 3, 1, 1)),
            "places": quantised(values) + places.to(torch.uint8),
            "means": quantised(functional.avg_pool2d(numbers_of(image), 2)),
            "view": quantised(seen) + 1,
            "another scale": quantised(seen, 0.25) + 1,
            "used twice": quantised(seen) + seen,
            "joint of two scales": quantised(joined),
            "joint": quantised(torch.cat([numbers_of(other), numbers_of(other[:1])], 0)),
            "turned": quantised(numbers_of(other).t()),
            "positive": quantised(numbers_of(other).relu()),
        }

    check(program, steps(1, 2, 4, 4), steps(3, 4)).computed()


def product_of_bytes(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """A linear map whose weight is kept as bytes."""
    return functional.linear(rows, weight.to(rows.dtype))


def rows_of_few_bits(*shape: int) -> TensorSpec:
    """Whole numbers near nought, such that no product of them with bytes is rounded in bfloat16."""
    count = int(torch.Size(shape).numel())
    return tensor(*shape, dtype=torch.bfloat16, values=(torch.arange(count) % 3 - 1.0).view(shape).tolist())


def weight_of_bytes(rows: int, columns: int) -> TensorSpec:
    """Small whole numbers as bytes with a sign."""
    numbers = (torch.arange(rows * columns) % 5 - 2).view(rows, columns)
    return tensor(rows, columns, dtype=torch.int8, values=numbers.tolist())


def scales(count: int) -> TensorSpec:
    """Powers of two, one for each column of a product."""
    return tensor(count, dtype=torch.bfloat16, values=(2.0 ** (torch.arange(count) % 4 - 2)).tolist())


@clause("numbers.near-misses")
def test_scaled_product_with_bytes_in_other_rows(check: Check) -> None:
    """A product with a weight of bytes that is seen in other rows, and scaled, is in those."""

    def program(batch: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return product_of_bytes(batch.flatten(0, 1), weight).view(3, 2, 8) * scale

    check(program, rows_of_few_bits(2, 3, 16), weight_of_bytes(8, 16), scales(8)).shape("out", 3, 2, 8).computed()


@clause("numbers.near-misses")
def test_scaled_product_with_bytes_by_heads(check: Check) -> None:
    """A product with a weight of bytes that is cut into heads is scaled by a number for each place in a head."""

    def program(rows: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return product_of_bytes(rows, weight).view(4, 2, 4) * scale

    check(program, rows_of_few_bits(4, 16), weight_of_bytes(8, 16), scales(4)).shape("out", 4, 2, 4).computed()


@clause("numbers.near-misses")
def test_scaled_product_with_a_turned_weight_of_bytes(check: Check) -> None:
    """A weight of bytes whose columns lie together in memory is multiplied and scaled as one whose rows do."""

    def program(rows: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return (rows @ weight.t().to(rows.dtype)) * scale

    turned = view_of(weight_of_bytes(16, 8), torch.t)
    check(program, rows_of_few_bits(4, 16), turned, scales(8)).computed()


@clause("numbers.near-misses")
def test_scaled_products_with_bytes(check: Check) -> None:
    """Products with a weight of bytes are scaled by columns, by rows or by one number, in the rows that they have."""

    def program(
        rows: torch.Tensor, batch: torch.Tensor, weight: torch.Tensor, scale: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        product = product_of_bytes(rows, weight)
        return {
            "by columns": product_of_bytes(rows * 2, weight) * scale,
            "of a batch": product_of_bytes(batch, weight) * scale,
            "by rows": product_of_bytes(rows * 4, weight) * scale[:4, None],
            "by one number": product_of_bytes(rows * 8, weight) * scale[3],
            "from the left": scale * product_of_bytes(rows / 2, weight),
            "used twice": product * scale + product,
            "of one row": product_of_bytes(rows[0], weight) * scale,
            "in another precision": product_of_bytes(rows.float(), weight) * scale,
        }

    given = (rows_of_few_bits(4, 16), rows_of_few_bits(2, 3, 16), weight_of_bytes(8, 16), scales(8))
    check(program, *given).computed()
