"""Images of one channel, in two memory formats at once: which of them a caller's next function takes them to be in."""

from collections.abc import Callable, Mapping

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause


def _formats(check: Check, functions: Mapping[str, Callable[[torch.Tensor], torch.Tensor]], where: str) -> None:
    """Images of one channel, in plain order and channels_last: what a convolution outside of the program makes of them.

    Its result has three channels, whose strides tell in which format it took the images to be.
    """

    def program(plain: torch.Tensor, last: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            f"{name} {format}": function(a)
            for name, function in functions.items()
            for format, a in (("plain", plain), ("last", last))
        }

    plain = torch.arange(64.0).reshape(2, 1, 4, 8)
    last = torch.empty_strided((2, 1, 4, 8), (32, 1, 8, 1)).copy_(plain)
    weight = torch.ones(3, 1, 1, 1)

    def convolved(made: dict[str, torch.Tensor]) -> dict[str, tuple[int, ...]]:
        return {name: functional.conv2d(found, weight).stride() for name, found in made.items()}

    with torch.no_grad(), check.compiled(program) as compiled:
        expected, seen = program(plain, last), compiled(plain, last)
        alike = all(torch.allclose(found, seen[name]) for name, found in expected.items())
        check.demand("value", "the numbers are eager's", True, alike)
        check.demand("layout", where, convolved(expected), convolved(seen))


#: What a program makes of such images, as eager does, and what torch makes in another format.
ALIKE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda a: a + 1,
    "first": lambda a: (a * 2)[:1],
    "second": lambda a: (a * 3)[1:],
    "one of three": lambda a: (a.expand(-1, 3, -1, -1) * torch.arange(3.0)[:, None, None])[:, 1:2],
    "rows turned": lambda a: (a * 3).transpose(2, 3),
    "laid out anew": lambda a: (a * 1.5).contiguous(memory_format=torch.channels_last),
    "sum of channels": lambda a: a.sum(1, keepdim=True),
    "mean of pixels": lambda a: a.mean((2, 3), keepdim=True),
    "convolved": lambda a: functional.conv2d(a, torch.ones(1, 1, 2, 2)),
    "pooled": lambda a: functional.max_pool2d(a, 2),
    "sorted": lambda a: a.sort(-1).values,
    "joined": lambda a: torch.cat([a, a * 2], 0),
    "without dimensions": lambda a: (a[0, 0] + 1)[None, None],
}
OTHERWISE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "one of two": lambda a: torch.cat([a, a * 3], 1)[:, 1:],
    "larger": lambda a: functional.interpolate(a, scale_factor=2.0),
    "turned": lambda a: (a.transpose(2, 3) * 3).transpose(2, 3),
    "permuted": lambda a: (a.permute(0, 2, 3, 1) + 1).permute(0, 3, 1, 2),
    "normalised": lambda a: functional.batch_norm(a, None, None, training=True),
}


@clause("A17", "T7.10", "layout.memory-formats", devices="cpu")
def test_images_of_one_channel_that_a_caller_convolves(check: Check) -> None:
    """Images of one channel that a program returns are in eager's format to the convolution that comes after it."""
    _formats(check, ALIKE, "the formats that a convolution finds")


@clause("A17", "T7.10", "layout.memory-formats", devices="cpu")
@pytest.mark.parametrize("made", OTHERWISE)
def test_images_of_one_channel_that_are_resampled_or_turned(check: Check, made: str) -> None:
    """So are those of two channels, and those resampled, normalised or computed in another order of dimensions."""
    _formats(check, {made: OTHERWISE[made]}, "the format that a convolution finds")
