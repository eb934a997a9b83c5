"""What a program is told, before they are there, of images, signals and samples, and of their slopes."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of


def _slope(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """The gradient of the sum of a function, for a program that takes it itself."""
    return torch.func.grad(lambda a: function(a).sum())


@clause("T7.10", "numbers.options")
def test_windows_of_unlike_sides(check: Check) -> None:
    """A program is told truly what becomes of images whose windows have sides, gaps and steps that are all unlike."""

    def program(
        a: torch.Tensor, weight: torch.Tensor, volume: torch.Tensor, deep: torch.Tensor
    ) -> tuple[object, object]:
        back = weight.transpose(0, 1)
        found = {
            "convolved": functional.conv2d(a, weight, stride=(2, 1), padding=(0, 2), dilation=(1, 2)),
            "turned back": functional.conv_transpose2d(
                a, back, stride=(3, 1), padding=(1, 0), output_padding=(2, 0), dilation=(1, 2)
            ),
            "turned back, wider gaps above": functional.conv_transpose2d(a, back, padding=(0, 1), dilation=(3, 1)),
            "volume": functional.conv3d(volume, deep, stride=(1, 2, 1), padding=(1, 0, 2), dilation=(2, 1, 1)),
            "volume turned back": functional.conv_transpose3d(
                volume, deep, stride=(1, 3, 2), output_padding=(0, 1, 1), dilation=(2, 1, 3)
            ),
            "largest": functional.max_pool2d(a, (2, 3), (2, 1), (1, 0), (1, 2), ceil_mode=True, return_indices=True),
            "means": functional.avg_pool2d(a, (3, 2), (1, 2), (1, 0), ceil_mode=True),
            "means of volumes": functional.avg_pool3d(volume, (1, 2, 3), (1, 1, 2), (0, 1, 1)),
            "unfolded": functional.unfold(a, (2, 3), dilation=(2, 1), padding=(0, 1), stride=(1, 2)),
            "resampled": functional.interpolate(a, scale_factor=(1.5, 0.7), mode="bilinear"),
            "nearest": functional.interpolate(a, scale_factor=(0.4, 2.6)),
            "padded": functional.pad(a, (1, -2, 0, 3), mode="constant", value=0.5),
        }
        return found, told_of(found)

    inputs = tensor(1, 2, 6, 7), tensor(3, 2, 2, 3), tensor(1, 2, 4, 5, 6), tensor(2, 2, 2, 1, 2)
    check(program, *inputs, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_slopes_of_images_in_channels_last(check: Check) -> None:
    """A program is told truly how the slopes lie that it takes itself of images and volumes in channels last."""

    def program(image: torch.Tensor, volume: torch.Tensor) -> tuple[object, object]:
        # Of numbers that are no constants, so that slopes are computed and not spread.
        found = {
            "largest in volumes": _slope(lambda a: functional.max_pool3d(a, 2).square())(volume),
            "means of volumes": _slope(lambda a: functional.avg_pool3d(a, 2).square())(volume),
            "largest": _slope(lambda a: functional.max_pool2d(a, 2, 1).square())(image),
            "largest of parts": _slope(lambda a: functional.adaptive_max_pool2d(a, 3).square())(image),
            "means": _slope(lambda a: functional.avg_pool2d(a, 2, 1).square())(image),
            "padded": _slope(lambda a: functional.pad(a, (1, 2)).square())(image),
            "by groups": _slope(lambda a: functional.group_norm(a, 2).exp())(image),
            "unit": _slope(lambda a: functional.hardswish(a).square())(image),
        }
        return found, told_of(found)

    image = tensor(2, 4, 5, 4, strides=(80, 1, 16, 4))
    volume = tensor(2, 3, 4, 4, 4, strides=(192, 1, 48, 12, 3))
    check(program, image, volume).computed()


@clause("numbers.options")
def test_slopes_of_resampled_images_in_channels_last(check: Check) -> None:
    """The slopes that a program takes itself of an image in channels last that is resampled lie as the image does."""

    def program(image: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "nearest": _slope(lambda a: functional.interpolate(a, scale_factor=2).square())(image),
            "between": _slope(lambda a: functional.interpolate(a, scale_factor=2, mode="bilinear").square())(image),
        }

    check(program, tensor(2, 4, 5, 4, strides=(80, 1, 16, 4)), exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_of_unlike_orders_that_are_joined(check: Check) -> None:
    """A program is told truly how images lie that are joined, of which some are in channels last, or all."""

    def program(image: torch.Tensor, other: torch.Tensor) -> tuple[object, object]:
        found = {
            "last and first": torch.cat([image, other], 1),
            "first and last": torch.cat([other, image], 1),
            "both last": torch.cat([image, image.exp()]),
            "one that is last of three": torch.cat([other, other.exp(), image], 1),
            "sideways": torch.hstack([image, other]),
        }
        return found, told_of(found)

    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)
    check(program, image, tensor(2, 3, 4, 5, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_in_channels_last_that_are_pooled(check: Check) -> None:
    """A program is told truly how pooled images and volumes in channels last lie, and where what they keep was."""

    def program(image: torch.Tensor, volume: torch.Tensor) -> tuple[object, object]:
        found = {
            "means": functional.avg_pool2d(image, 2),
            "means, from the padding on": functional.avg_pool2d(image, 2, 2, 1, ceil_mode=True),
            "largest": functional.max_pool2d(image, 2, 2, 1, ceil_mode=True, return_indices=True),
            "means of parts": functional.adaptive_avg_pool2d(image, 3),
            "largest of parts": functional.adaptive_max_pool2d(image, 3, return_indices=True),
            "means of volumes": functional.avg_pool3d(volume, 2),
            "largest of volumes": functional.max_pool3d(volume, 2, return_indices=True),
            "means of parts of volumes": functional.adaptive_avg_pool3d(volume.double(), 2),
        }
        return found, told_of(found)

    image = tensor(2, 3, 5, 7, strides=(105, 1, 21, 3), grad=False)
    volume = tensor(2, 3, 4, 4, 4, strides=(192, 1, 48, 12, 3), grad=False)
    check(program, image, volume, exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_in_channels_last_that_are_reflected(check: Check) -> None:
    """A program is told truly how images in channels last lie that are repeated or reflected at their sides."""

    def program(image: torch.Tensor) -> tuple[object, object]:
        found = [functional.pad(image, (1, 1, 2, 0), mode=mode) for mode in ("reflect", "replicate", "circular")]
        return found, told_of(found)

    check(program, tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_in_channels_last_that_are_shuffled_or_summed(check: Check) -> None:
    """A program is told truly how images in channels last lie that are shuffled, cut into columns or summed."""

    def program(image: torch.Tensor) -> tuple[object, object]:
        found = {
            "shuffled": functional.pixel_shuffle(image, 2),
            "unshuffled": functional.pixel_unshuffle(image, 2),
            "shuffled without a batch": functional.pixel_shuffle(image[0], 2),
            "as columns": functional.unfold(image, 2),
            "and back": functional.fold(functional.unfold(image, 2), (4, 6), 2),
            "half of channels": functional.glu(image, 1),
            "sum": torch.cumsum(image, 1),
            "product": torch.cumprod(image, 2),
            "largest": torch.cummax(image, 1),
            "by neighbours": functional.local_response_norm(image, 2),
            "by groups": functional.group_norm(image, 2),
            "by rows": functional.layer_norm(image, (6,)),
        }
        return found, told_of(found)

    check(program, tensor(2, 8, 4, 6, strides=(192, 1, 48, 8), grad=False), exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_that_are_convolved_or_made_in_channels_last(check: Check) -> None:
    """A program is told truly how lies what is convolved or made in channels last, and what points and places are."""

    def program(
        image: torch.Tensor, weight: torch.Tensor, plain: torch.Tensor, volume: torch.Tensor
    ) -> tuple[object, object]:
        found = {
            "convolved": functional.conv2d(image, weight, stride=(1, 2)),
            "by weights in channels last": functional.conv2d(
                plain, weight.contiguous(memory_format=torch.channels_last)
            ),
            "turned back": functional.conv_transpose2d(image, weight.transpose(0, 1)),
            "ones": torch.ones_like(plain, memory_format=torch.channels_last),
            "noughts": torch.zeros_like(plain, memory_format=torch.channels_last),
            "halves": torch.full_like(plain, 0.5, memory_format=torch.channels_last),
            "ones, turned": torch.ones_like(plain[0].permute(2, 0, 1), memory_format=torch.contiguous_format),
            "copy": plain.clone(memory_format=torch.channels_last),
            "of a volume": torch.ones_like(volume, memory_format=torch.channels_last_3d),
            "parts of a volume": functional.adaptive_max_pool3d(volume, (2, 3, 2), return_indices=True),
            "parts of an image": functional.adaptive_max_pool2d(plain, (3, 2), return_indices=True),
            "parts of a row": functional.adaptive_max_pool1d(plain[0, 0], 2, return_indices=True),
            "points": torch.linspace(0, 1, 4, dtype=torch.float64, device=plain.device),
            "points of powers": torch.logspace(0, 1, 4, dtype=torch.float64, device=plain.device),
            "narrow points": torch.linspace(0, 3, 4, dtype=torch.int16, device=plain.device),
            "complex points": torch.linspace(0, 1j, 3, device=plain.device),
        }
        return found, told_of(found)

    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)
    inputs = tensor(4, 3, 2, 2, grad=False), tensor(2, 3, 4, 5, grad=False), tensor(1, 2, 3, 5, 3, grad=False)
    check(program, image, *inputs, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_slopes_of_samples_and_of_attention(check: Check) -> None:
    """A program is told truly how the slopes lie of sampled images and points, of pooled parts and of attention."""

    def program(
        image: torch.Tensor, volume: torch.Tensor, points: torch.Tensor, query: torch.Tensor, key: torch.Tensor
    ) -> tuple[object, object]:
        def sampled(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return functional.grid_sample(a, b, align_corners=False).square()

        def attended(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
            return functional.scaled_dot_product_attention(a, b, c).square().sum()

        deep, flat = torch.stack([points] * 2, 1), points[..., :2].clone()
        found = {
            "points": _slope(lambda b: sampled(image, b.transpose(1, 2)))(flat),
            "sampled": _slope(lambda a: sampled(a, flat))(image),
            "points in a volume": _slope(lambda b: sampled(volume, b.transpose(1, 2)))(deep),
            "sampled volume": _slope(lambda a: sampled(a, deep))(volume),
            "means of parts": _slope(lambda a: functional.adaptive_avg_pool2d(a, 3).square())(image),
            "mean": _slope(lambda a: functional.adaptive_avg_pool2d(a, 1).square())(image),
            "means of parts of volumes": _slope(lambda a: functional.adaptive_avg_pool3d(a, 3).square())(volume),
            "largest of parts of volumes": _slope(lambda a: functional.adaptive_max_pool3d(a, 3).square())(volume),
            "attention": torch.func.grad(attended, argnums=(0, 1, 2))(query, key, key.exp()),
        }
        return found, told_of(found)

    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)
    volume = tensor(2, 3, 4, 4, 4, strides=(192, 1, 48, 12, 3), grad=False)
    parts = tensor(2, 3, 5, 3, grad=False), tensor(2, 2, 3, 8, grad=False), tensor(2, 2, 4, 8, grad=False)
    check(program, image, volume, *parts, exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_signals_that_are_turned_and_resampled_to_the_nearest(check: Check) -> None:
    """A program is told truly how signals lie whose dimensions are turned and that are resampled to the nearest."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = {
            (way, mode, size): functional.interpolate(a.permute(way), size, mode=mode)
            for way in ((0, 2, 1), (2, 1, 0), (1, 0, 2))
            for mode in ("nearest", "nearest-exact")
            for size in (3, 8)
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_signals_that_are_turned_and_resampled_in_between(check: Check) -> None:
    """A program is told truly how signals lie that are turned and resampled linearly or by areas."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = [
            found
            for turned in (a.permute(0, 2, 1), a.permute(2, 1, 0), a.permute(1, 0, 2))
            for found in (
                functional.interpolate(turned, 8, mode="linear"),
                functional.interpolate(turned, 3, mode="linear", align_corners=True),
                functional.interpolate(turned, 2, mode="area"),
            )
        ]
        return found, told_of(found)

    check(program, tensor(2, 3, 4, grad=False), exact=False).computed()
