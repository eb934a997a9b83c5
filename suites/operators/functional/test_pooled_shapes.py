"""Pooling of no images at all, and of volumes no two of whose sizes, windows or gaps are alike."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_pooling_of_no_images(check: Check) -> None:
    """Of no images there are none pooled, of the size that others would have, and their gradient is of none."""

    def program(images: torch.Tensor, volumes: torch.Tensor, row: torch.Tensor) -> dict[str, object]:
        image, places = functional.max_pool2d(images, 2, return_indices=True)
        volume, where = functional.max_pool3d(volumes, 2, return_indices=True)
        return {
            "largest": image,
            "back": functional.max_unpool2d(image, places, [2, 2]),
            "volumes": volume,
            "volumes back": functional.max_unpool3d(volume, where, [2, 2, 2]),
            "to a size": functional.adaptive_max_pool2d(images, 2, return_indices=True),
            "volumes to a size": functional.adaptive_max_pool3d(volumes, 2),
            "means": functional.avg_pool2d(images, (2, 3)),
            "means to a size": functional.adaptive_avg_pool2d(images, (3, 2)),
            "of all": images.sum((0, 2)) + row,
        }

    result = check(program, tensor(0, 2, 5, 6), tensor(0, 2, 4, 5, 4), tensor(6)).gradient(0, 1)
    result.shape("out['back']", 0, 2, 4, 6).computed()


@clause("numbers.options", modes="train")
def test_volumes_pooled_by_unlike_windows(check: Check) -> None:
    """In each dimension its own window, gap and rounding choose how many windows there are and what lies in them."""

    def program(a: torch.Tensor, samples: torch.Tensor) -> dict[str, object]:
        whole = a.detach()
        return {
            "rounded up": functional.avg_pool3d(whole, 3, 2, ceil_mode=True),
            "gap in the middle": functional.max_pool3d(a, 3, 1, dilation=(1, 2, 1)),
            "gap at the end": functional.max_pool3d(whole, 2, 1, dilation=(1, 1, 3), return_indices=True),
            "gap at the front": functional.max_pool3d(a, (2, 1, 3), 2, dilation=(3, 1, 1)),
            "fractions": functional.fractional_max_pool3d(
                whole, (2, 3, 2), output_size=(3, 2, 3), _random_samples=samples
            ),
            "other fractions": functional.fractional_max_pool3d(
                whole, (1, 2, 4), output_size=(2, 3, 2), _random_samples=samples, return_indices=True
            ),
        }

    samples = tensor(1, 1, 3, grad=False, values=[[[0.1, 0.9, 0.6]]])
    check(program, tensor(1, 1, 6, 5, 6), samples).gradient(0).shape("out['rounded up']", 1, 1, 3, 2, 3).computed()


@clause("numbers.options", modes="train")
def test_slopes_of_pooled_volumes_that_are_turned(check: Check) -> None:
    """The slope of a largest number goes to where it is in a volume, however the volume lies in memory."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        turned = a.transpose(-1, -2)
        return {
            "rows and columns": functional.max_pool3d(turned, (2, 3, 3), 2, padding=1),
            "overlapping": functional.max_pool3d(turned, 2, 1),
            "rounded up": functional.max_pool3d(a.detach(), 3, 2, ceil_mode=True),
            "depth last": functional.max_pool3d(a.permute(0, 1, 3, 4, 2), (3, 2, 4), 1),
            "channels last": functional.max_pool3d(a.to(memory_format=torch.channels_last_3d) * 2, 2, 2, 1),
        }

    check(program, tensor(1, 2, 5, 4, 6)).gradient(0).computed()


@clause("numbers.options", "numbers.indices", modes="train")
def test_places_in_large_windows_of_what_is_turned(check: Check) -> None:
    """Of more than 25 numbers, too, the place of the largest is counted along the image, and not along its memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {
            "image": functional.max_pool2d(a.mT, 6, 2, return_indices=True),
            "volume": functional.max_pool3d(b.mT, 3, 2, padding=1, return_indices=True),
        }

    check(program, tensor(1, 2, 7, 9), tensor(1, 1, 4, 5, 6)).gradient(0, 1).computed()


@clause("numbers.options", modes="train")
def test_slopes_of_means_that_overhang_a_volume(check: Check) -> None:
    """A mean that overhangs, without padding, hands each number its share of those inside the volume."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "all sides": functional.avg_pool3d(a, 3, 2, ceil_mode=True) ** 2,
            "one side": functional.avg_pool3d(b, (1, 1, 2), ceil_mode=True) ** 2,
        }

    check(program, tensor(1, 1, 6, 4, 6), tensor(1, 2, 2, 2, 3)).gradient(0, 1).computed()
