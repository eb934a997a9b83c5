"""Images and signals on another grid: which elements a result is made of, where factors are no whole numbers."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.resampling", modes="train")
def test_nearest_by_a_factor_that_leaves_a_size(check: Check) -> None:
    """Nearest by 1.3 of three rows has three rows still, and they are the ones that were there."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(a, scale_factor=(1.3, 1.5), mode="nearest") * 1

    check(program, tensor(1, 1, 3, 4)).shape("out", 1, 1, 3, 6).gradient(0)


@clause("numbers.resampling", modes="train")
def test_nearest_by_a_factor_that_is_asked_for_anew(check: Check) -> None:
    """With `recompute_scale_factor` the sizes decide which elements are nearest, not the factor that gave them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        given = functional.interpolate(a, scale_factor=1.7, mode="nearest", recompute_scale_factor=True)
        return given, functional.interpolate(a, scale_factor=1.7, mode="nearest-exact")

    check(program, tensor(1, 2, 5)).shape("out[0]", 1, 2, 8).gradient(0)


@clause("numbers.resampling", modes="train", shapes="dynamic")
def test_nearest_to_a_smaller_size_that_changes(check: Check) -> None:
    """Nearest to half the rows takes every other row of each call's own image."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(a, size=(a.shape[2] // 2, 5), mode="nearest")

    check(program, calls=[(tensor(1, 1, 6, 4),), (tensor(1, 1, 9, 4),)]).shape("out", 1, 1, 3, 5).gradient(0)


@clause("numbers.resampling", modes="train")
def test_linear_with_and_without_aligned_corners(check: Check) -> None:
    """Bilinear resampling puts its samples elsewhere when corners are aligned, and averages when it is antialiased."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        aligned = functional.interpolate(a, size=(7, 4), mode="bilinear", align_corners=True)
        apart = functional.interpolate(a, scale_factor=2.0, mode="bilinear")
        return aligned, apart, functional.interpolate(a, size=(2, 2), mode="bilinear", antialias=True)

    # Every sample is a sum of these by weights that binary fractions hold, so no order of adding up rounds.
    rows = [[8.0 * (row * row - 3 * column) for column in range(4)] for row in range(4)]
    check(program, tensor(1, 1, 4, 4, values=[[rows]])).shape("out[1]", 1, 1, 8, 8).gradient(0)


@clause("numbers.resampling", modes="train")
def test_samples_outside_of_the_image(check: Check) -> None:
    """`grid_sample` beyond the border takes zeros, the border or the reflection, as it was told."""

    def program(a: torch.Tensor, grid: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ways = ("zeros", "border", "reflection")
        return tuple(functional.grid_sample(a, grid * 1.5, padding_mode=way, align_corners=False) for way in ways)

    check(program, tensor(1, 2, 4, 5), tensor(1, 3, 3, 2)).shape("out[0]", 1, 2, 3, 3).gradient(0)
