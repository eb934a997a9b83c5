"""What lies around a tensor in its memory: NaN here, before it, behind it and behind each row.

Kernels read whole registers and blocks, and mask what is too much: a mask that is lost or one too wide shows as NaN in
a result, or as a write to what is no tensor's.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor, view_of
from suites.harness.programs.specs import ViewSpec

#: Elements before and behind: more than the widest register holds, and as many as a block.
MARGIN = 1024
#: Rows and columns that fill no register and no block, below the smallest and beyond.
SIZES = ((3, 7), (37, 65))


def amid(
    *shape: int, gap: int = 0, dtype: torch.dtype = torch.float32, values: Sequence[object] | None = None
) -> ViewSpec:
    """A tensor in the midst of NaN, or of a large number where there is none, with ``gap`` more behind each row."""

    def place(inner: torch.Tensor) -> torch.Tensor:
        width = shape[-1] + gap
        poison = float("nan") if dtype.is_floating_point else 101
        memory = inner.new_full((inner.numel() // shape[-1] * width + 2 * MARGIN,), poison)
        return memory[MARGIN:-MARGIN].view(*shape[:-1], width)[..., : shape[-1]].copy_(inner)

    return view_of(tensor(*shape, dtype=dtype, values=values), place)


@clause("layout.surroundings", modes=("no_grad", "train"))
def test_reductions(check: Check) -> None:
    """Reductions of rows, of columns and of all take in no element from around."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": a.sum(1),
            "columns": b.sum(0),
            "all": a.sum() + b.sum(),
            "greatest": b.amax(1) + a.amax(1),
            "least of columns": a.amin(0),
            "spread": b.var(1),
            "norm": a.norm(dim=1),
            "softmax": b.softmax(1),
            "running": a.cumsum(1) + b.cumsum(0),
            "standardized": functional.layer_norm(b, b.shape[1:]),
            "exponents": a.logsumexp(0),
        }

    calls = [(amid(*size), amid(*size, gap=3)) for size in SIZES]
    check(program, calls=calls).computed().in_call(1).computed()


@clause("layout.surroundings", modes="no_grad")
def test_places_and_answers(check: Check) -> None:
    """Places of extremes, answers and sorted rows know no element from around, which as NaN would win each of them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            a.argmax(1),
            b.argmin(0),
            b.max(1).indices,
            a.isnan().any(1),
            b.isnan().sum(),
            b.isfinite().all(),
            b.sort(1).values,
            a.topk(2, 1).indices,
            b.aminmax().max,
        )

    calls = [(amid(*size), amid(*size, gap=3)) for size in SIZES]
    check(program, calls=calls).computed().in_call(1).computed()


@clause("layout.surroundings", modes=("no_grad", "train"))
def test_elements_from_elsewhere(check: Check) -> None:
    """What is shifted, turned, padded, joined or left out by a condition has the tensor's own elements alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        column = torch.arange(a.shape[1], device=a.device)
        return {
            "shifted": a[:, 1:] - b[:, :-1],
            "rolled": torch.roll(b, (1, -2), (0, 1)),
            "turned": a.flip(1) * b.flip(0),
            "transposed": a.t() + b.t(),
            "padded": functional.pad(b, (2, 1, 1, 2), value=0.5) * 2,
            "mirrored": functional.pad(a[None], (2, 1), mode="reflect"),
            "drawn out": functional.pad(b[None], (1, 3), mode="replicate"),
            "around": functional.pad(a[None], (3, 2), mode="circular"),
            "cut off": functional.pad(b, (-1, 2)),
            "joined": torch.cat([a, b * 2, a[:1]], 0),
            "windows": b.unfold(1, 3, 2) + 1,
            "by index": a[:, (column * 5) % a.shape[1]],
            "by a guarded index": torch.where(column < 2, 0, b[:, (column - 2).clamp(min=0)]),
            "below": a.tril(-1) + b.triu(1),
            "diagonal": b.diagonal() * a.diagonal(),
        }

    calls = [(amid(*size), amid(*size, gap=3)) for size in SIZES]
    check(program, calls=calls).computed().in_call(1).computed()


@clause("layout.surroundings", modes="no_grad")
def test_windows_over_the_border(check: Check) -> None:
    """Pooling, convolution and interpolation at an image's border read the padding, and not what lies there."""

    def program(image: torch.Tensor, weight: torch.Tensor, grid: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "greatest": functional.max_pool2d(image, 3, 2, padding=1, ceil_mode=True),
            "mean": functional.avg_pool2d(image, 3, 2, padding=1, ceil_mode=True, count_include_pad=False),
            "to a size": functional.adaptive_avg_pool2d(image, (3, 4)),
            "convolved": functional.conv2d(image, weight, padding=2, dilation=2),
            "bilinear": functional.interpolate(image, (10, 14), mode="bilinear"),
            "bicubic": functional.interpolate(image, (10, 14), mode="bicubic"),
            "nearest": functional.interpolate(image, scale_factor=1.7, mode="nearest-exact"),
            "sampled": functional.grid_sample(image, grid * 2, align_corners=False),
            "sampled at the border": functional.grid_sample(
                image, grid * 2, mode="bicubic", padding_mode="border", align_corners=True
            ),
            "columns": functional.unfold(image, 3, padding=1, stride=2),
            "mirrored": functional.pad(image, (2, 1, 1, 2), mode="reflect"),
            "shuffled": functional.pixel_unshuffle(functional.pad(image, (0, 1, 0, 1)), 2),
        }

    # Whole numbers, and fractions that floats hold: no order of adding up rounds.
    image = [float(place * 5 % 17 - 8) for place in range(140)]
    weight = [float(place % 5 - 2) for place in range(54)]
    grid = [place * 3 % 11 / 8 - 0.625 for place in range(48)]
    inputs = (
        amid(2, 2, 5, 7, gap=3, values=image),
        amid(3, 2, 3, 3, values=weight),
        amid(2, 4, 3, 2, values=grid),
    )
    check(program, *inputs).computed()


@clause("layout.surroundings", modes=("no_grad", "train"))
def test_products(check: Check) -> None:
    """Products of matrices of odd sizes sum over the rows and columns that there are."""

    def program(a: torch.Tensor, b: torch.Tensor, batch: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "product": a @ b.t(),
            "added to": torch.addmm(b[:, 0], a, b.t(), beta=2),
            "vector": a.t() @ b[:, 0],
            "batch": batch @ batch.mT,
            "outer": torch.outer(a[0], b[1]),
            "summed": torch.einsum("ij,ij->i", a, b),
            "small": (batch[:, :1] * batch[:, 1:]).sum(-1),
        }

    check(program, amid(5, 7), amid(5, 7, gap=3), amid(3, 5, 7, gap=1)).computed()


@pytest.mark.parametrize(
    "dtype",
    (torch.bfloat16, torch.float16, torch.float64, torch.uint8, torch.int64),
    ids=lambda dtype: str(dtype).removeprefix("torch."),
)
@clause("layout.surroundings", modes="no_grad")
def test_numbers_of_each_width(check: Check, dtype: torch.dtype) -> None:
    """Registers and blocks hold more of narrow numbers: what of them lies beyond the end counts in no result."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sum(1), b.sum(0), (a * 2).amax(1), b.amin(), a + b, b.float().mean(1), (a == b).sum(1), a.argmax(0)

    calls = [(amid(*size, dtype=dtype), amid(*size, gap=3, dtype=dtype)) for size in SIZES]
    check(program, calls=calls).computed().in_call(1).computed()


@clause("layout.surroundings", modes="no_grad")
def test_writes(check: Check) -> None:
    """Writes in place, of all, of rows, by index and by a mask, leave what lies around as it was."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        read = a[:, 1:] * 2
        a.mul_(b).add_(1)
        b.copy_(a.flip(1))
        b[1:].t().sub_(a[:-1].t())
        a[:, -1] = 5
        a.index_put_((torch.tensor([2, 0], device=a.device),), b[:2], accumulate=True)
        b.scatter_(1, torch.tensor([[1], [0]], device=b.device), a[:2, :1])
        b.masked_fill_(a > 1, -3)
        b.index_copy_(1, torch.tensor([6, 3], device=b.device), a[:, 2:4])
        return read

    calls = [(amid(*size), amid(*size, gap=3)) for size in SIZES]
    check(program, calls=calls).mutated(0, 1).in_call(1).mutated(0, 1)
