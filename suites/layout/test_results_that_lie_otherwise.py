"""Images whose results a program lays out otherwise than they lie, and the gradients that come back to them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

Function = Callable[[torch.Tensor], torch.Tensor]
#: Functions of images and of volumes of two or four channels.
OF_EITHER: dict[str, Function] = {
    "normalised": lambda a: functional.batch_norm(a, None, None, training=True),
    "nearest": lambda a: functional.interpolate(a, scale_factor=2.0, mode="nearest"),
    "weighed": lambda a: a.softmax(1),
    "sloped": lambda a: functional.prelu(a, a.new_full((a.size(1),), 0.25)),
}
OF_IMAGES: dict[str, Function] = {
    "largest": lambda a: functional.max_pool2d(a, 2),
    "overlapping": lambda a: functional.max_pool2d(a, 3, stride=1, padding=1),
    "largest to a size": lambda a: functional.adaptive_max_pool2d(a, 3),
    "mean": lambda a: functional.avg_pool2d(a, 2, ceil_mode=True),
    "to a size": lambda a: functional.adaptive_avg_pool2d(a, (2, 4)),
    "spread": lambda a: functional.pixel_shuffle(a, 2),
    "convolved": lambda a: functional.conv2d(a, a.new_full((4, 4, 2, 2), 0.25)),
}
OF_VOLUMES: dict[str, Function] = {
    "largest": lambda a: functional.max_pool3d(a, 2),
    "overlapping": lambda a: functional.max_pool3d(a, 3, stride=1, padding=1),
    "mean": lambda a: functional.avg_pool3d(a, 2),
    "to a size": lambda a: functional.adaptive_avg_pool3d(a, (2, 4, 3)),
}
#: Functions that have a clause each, of images or volumes whichever they are handed.
ALONE: dict[str, Function] = {
    "border": lambda a: functional.pad(a, (1, 1, 1, 1, *((0, 2) if a.ndim == 5 else ())), mode="replicate"),
    "mirrored": lambda a: functional.pad(a, (1, 0, 2, 1, *((0, 1) if a.ndim == 5 else ())), mode="reflect"),
    "each_by_itself": functional.instance_norm,
    "in_groups": lambda a: functional.group_norm(a, 2),
    "largest_to_a_size": lambda a: (functional.adaptive_max_pool3d if a.ndim == 5 else functional.adaptive_max_pool2d)(
        a, 2
    ),
}
#: Functions of images that kernels and formulas lay out in ways of their own.
OF_MORE: dict[str, Function] = {
    "spread by a convolution": lambda a: functional.conv_transpose2d(a, a.new_full((4, 3, 2, 2), 0.25)),
    "each channel convolved": lambda a: functional.conv2d(a, a.new_full((4, 1, 3, 3), 0.125), padding=1, groups=4),
    "folded": lambda a: functional.fold(functional.unfold(a, 2), (6, 6), 2),
    "gathered in blocks": lambda a: functional.pixel_unshuffle(a, 2),
    "smaller": lambda a: functional.interpolate(a, (3, 4), mode="area"),
    "nearest of other sizes": lambda a: functional.interpolate(a, (4, 9), mode="nearest-exact"),
    "powers": lambda a: functional.lp_pool2d(a, 2, 2),
    "mean without borders": lambda a: functional.avg_pool2d(a, 3, 2, 1, count_include_pad=False),
    "around": lambda a: functional.pad(a, (1, 1, 2, 0), mode="circular"),
    "cut": lambda a: functional.pad(a, (-1, 1, 1, -2)),
    "halves": lambda a: functional.glu(a, 1),
    "of length one": lambda a: functional.normalize(a, dim=1),
    "rows normalised": lambda a: functional.layer_norm(a, (6, 6)),
    "running": lambda a: a.cumsum(1),
    "in order": lambda a: a.sort(1).values,
    "largest two": lambda a: a.topk(2, 1).values,
    "mirrored channels": lambda a: a.flip(1),
    "repeated": lambda a: a.repeat(1, 2, 1, 1),
    "each twice": lambda a: a.repeat_interleave(2, 1),
    "chosen": lambda a: a[:, [0, 2]],
    "chosen rows": lambda a: a.index_select(2, torch.tensor([1, 0], device=a.device)),
    "along": lambda a: torch.take_along_dim(a, a.argsort(1), 1),
    "scattered": lambda a: a.scatter(1, a.new_zeros(2, 1, 6, 6, dtype=torch.int64), 0.5),
    "below": lambda a: a.tril(),
    "products": lambda a: a @ a.mT,
    "joined": lambda a: torch.cat([a, a * 2], 1),
    "of two layouts": lambda a: torch.addcmul(a, a, a.contiguous()),
    "between two layouts": lambda a: torch.lerp(a, a.contiguous() * 2, 0.25),
    "deviations": lambda a: a.std((2, 3), keepdim=True) * a,
    "attention": lambda a: functional.scaled_dot_product_attention(a, a, a),
}
#: Those of images that have a clause each.
IMAGES_ALONE: dict[str, Function] = {
    "moved_along": lambda a: a.roll(1, 1),
    "channels_shuffled": lambda a: functional.channel_shuffle(a, 2),
    "pooling_undone": lambda a: functional.max_unpool2d(*functional.max_pool2d(a, 2, return_indices=True), (2, 2)),
}
DIMENSIONS = pytest.mark.parametrize("dimensions", [2, 3])
LIE = pytest.mark.parametrize("lie", ["channels_last", "plain"])


def _otherwise(
    functions: Mapping[str, Function], lie: str, dimensions: int
) -> tuple[Callable[[torch.Tensor], dict[str, torch.Tensor]], Any]:
    """A program that has what functions make of images in the format that these are not in, and the images."""
    last = torch.channels_last if dimensions == 2 else torch.channels_last_3d
    other = torch.contiguous_format if lie == "channels_last" else last
    shape, strides = ((2, 4, 6, 6), (144, 1, 24, 4)) if dimensions == 2 else ((1, 2, 4, 4, 4), (128, 1, 32, 8, 2))

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {name: function(a * 1.5).contiguous(memory_format=other) for name, function in functions.items()}

    return program, tensor(*shape, strides=strides) if lie == "channels_last" else tensor(*shape)


@DIMENSIONS
@LIE
@clause("A17", modes="train")
def test_gradients_of_images_whose_results_lie_otherwise(check: Check, lie: str, dimensions: int) -> None:
    """What a program makes of images lies otherwise than they do, and so does what comes back to each operator."""
    program, images = _otherwise({**OF_EITHER, **(OF_IMAGES if dimensions == 2 else OF_VOLUMES)}, lie, dimensions)
    check(program, images).gradient(0)


@DIMENSIONS
@LIE
@pytest.mark.parametrize("function", ALONE)
@clause("A17", modes="train")
def test_gradient_of_images_whose_result_lies_otherwise(check: Check, function: str, lie: str, dimensions: int) -> None:
    """Borders, instances, groups and largest elements of images, each alone, in the format that these are not in."""
    program, images = _otherwise({function: ALONE[function]}, lie, dimensions)
    check(program, images).gradient(0)


@LIE
@clause("A17", modes="train", on=("aot_eager", "aot_eager_decomp_partition"), devices="cpu")
def test_gradients_of_more_images_whose_results_lie_otherwise(check: Check, lie: str) -> None:
    """So do results of convolutions, borders, orders, choices and products of images, and what comes back to these."""
    program, images = _otherwise(OF_MORE, lie, 2)
    check(program, images).gradient(0)


@LIE
@pytest.mark.parametrize("function", IMAGES_ALONE)
@clause("A17", modes="train")
def test_gradient_of_moved_images_whose_result_lies_otherwise(check: Check, function: str, lie: str) -> None:
    """Images that are moved along, shuffled or pooled and back, each alone, in the format that these are not in."""
    program, images = _otherwise({function: IMAGES_ALONE[function]}, lie, 2)
    check(program, images).gradient(0)
