"""Forms that Inductor's Triton code can take by an option: whatever the form, elements are where they were."""

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: What the code is made of, and the options that have it made so.
FORMS: dict[str, dict[str, object]] = {
    "block pointers": {"inductor.triton.use_block_ptr": True},
    "descriptors": {"inductor.triton.use_tensor_descriptor": True, "inductor.assume_aligned_inputs": True},
    "tiles": {
        "inductor.triton.prefer_nd_tiling": True,
        "inductor.triton.tile_reductions": True,
        "inductor.triton.max_tiles": 3,
    },
    "whole indices": {"inductor.triton.dense_indexing": True},
    "kernels in one": {"inductor.combo_kernels": True},
    "products of its own": {"inductor.triton.native_matmul": True},
}
#: Sizes that are no power of two, so that blocks overhang, and sizes that blocks fill.
SIZES = ((37, 65), (64, 128))


@pytest.mark.parametrize("form", FORMS)
@clause("gpu.forms", on=("inductor",), devices="cuda")
def test_elements_from_elsewhere(check: Check, form: str) -> None:
    """Transposed, turned, cut, repeated, padded and joined tensors have each element where it belongs."""

    def program(a: torch.Tensor, b: torch.Tensor, row: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "transposed": a.t() * 2 + b.t(),
            "both ways": a[:30, :30] + a.t()[:30, :30],
            "turned": a.flip(0) - b.flip(1),
            "cut": a[3:, 5:-2] * b[:-3, 7:] + 1,
            "steps": a[1::3, ::2] + b[::3, 1::2][: a[1::3].shape[0], : a[:, ::2].shape[1]].sum(),
            "row": a * row + row.exp(),
            "column": a * a[:, :1] + row[None, :1],
            "padded": functional.pad(a, (1, 2, 3, 0), value=0.5) * 3,
            "joined": torch.cat([a, b * 2, a[:1]], 0).relu(),
            "side by side": torch.cat([a, b.cos()], 1) - 1,
            "three ways": (a[:, None, :8] + b[None, :5, :8]).permute(2, 0, 1) * 2,
            "rolled": torch.roll(a, (2, -3), (0, 1)) + b,
            "parts": (a + 1).unfold(1, 4, 3).sum(-1),
        }

    calls = [(tensor(*size), tensor(*size), tensor(size[1])) for size in SIZES]
    check(program, calls=calls, config=FORMS[form]).computed().in_call(1).computed()


@pytest.mark.parametrize("form", FORMS)
@clause("gpu.forms", modes=("no_grad", "train"), on=("inductor",), devices="cuda")
def test_reductions_of_each_shape(check: Check, form: str) -> None:
    """Reductions of rows, of columns, of a dimension in the middle, of several, of what is cut, turned and padded."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "rows": a.sum(1) + 1,
            "columns": (a * 2).amax(0),
            "middle": b.var(1),
            "outside": (b + 1).sum((0, 2)),
            "all": b.mean() * a,
            "transposed": a.t().logsumexp(0),
            "cut": a[1:, 3:-1].prod(0),
            "padded": functional.pad(a, (2, 1), value=-3.0).amin(1),
            "masked": torch.where(a > 0, a, 0.25).sum(0),
            "normalised": (b - b.mean(-1, keepdim=True)) / b.std(-1, keepdim=True),
            "softmax": (a * 3).softmax(0) + a.softmax(1),
            "place": a.argmax(1) + a.argmin(1),
            "twice": (a.sum(1, keepdim=True) * a).sum(0),
        }

    calls = [(tensor(*size), tensor(5, size[0], 9)) for size in SIZES]
    check(program, calls=calls, config=FORMS[form]).gradient(0).computed().in_call(1).computed()


@pytest.mark.parametrize("form", FORMS)
@clause("gpu.forms", on=("inductor",), devices="cuda")
def test_running_values(check: Check, form: str) -> None:
    """Running sums and extremes of short and long rows and columns, from either end, and what is reduced of them."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sums": whole.cumsum(1),
            "down": (whole + 1).cumsum(0),
            "extremes": a.cummax(1).values,
            "and reduced": whole.cumsum(1).amax(1) - whole.sum(1),
            "back": whole.flip(1).cumsum(1).flip(1),
        }

    numbers = torch.int64
    calls = [(tensor(7, 65), tensor(7, 65, dtype=numbers)), (tensor(3, 4100), tensor(3, 4100, dtype=numbers))]
    check(program, calls=calls, config=FORMS[form]).computed().in_call(1).computed()


@pytest.mark.parametrize("form", [form for form in FORMS if form != "kernels in one"])
@clause("gpu.forms", on=("inductor",), devices="cuda")
def test_rows_in_order(check: Check, form: str) -> None:
    """Rows are put in their order, and equal numbers stay in theirs. Two sorts in one kernel compile for minutes."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "in order": a[:, :60].sort(dim=1).values,
            "places": (whole[:, :60] % 5).sort(dim=1, stable=True).indices,
        }

    calls = [(tensor(rows, 65), tensor(rows, 65, dtype=torch.int64)) for rows in (7, 3)]
    check(program, calls=calls, config=FORMS[form]).computed().in_call(1).computed()


@pytest.mark.parametrize("form", FORMS)
@clause("gpu.forms", on=("inductor",), devices="cuda")
def test_elements_by_index_and_by_mask(check: Check, form: str) -> None:
    """Rows and elements that numbers of a tensor name are read, written and added to where those numbers say."""

    def program(a: torch.Tensor, whole: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        counted = torch.zeros(11, dtype=torch.int64, device=a.device)
        return {
            "rows": a[rows] * 2,
            "from the end": a[rows - 4],
            "two": a[rows, rows + 1] + 1,
            "gathered": a.gather(1, rows[None].expand(3, -1)) - 1,
            "counted": counted.index_add(0, rows, torch.ones_like(rows)),
            "scattered": whole.scatter_add(1, rows[None, :4].expand(3, -1), whole[:3, :4] * 2),
            "put": torch.index_put(a, (rows[:2],), a[:1] * 5),
            "masked": a.masked_fill(a > 0.5, -7.0).sum(1),
            "looked up": functional.embedding(rows[None] % 3, a) + 1,
        }

    rows = tensor(6, dtype=torch.int64, values=[0, 3, 3, 1, 2, 0])
    calls = [(tensor(*size), tensor(*size, dtype=torch.int64), rows) for size in SIZES]
    check(program, calls=calls, config=FORMS[form]).computed().in_call(1).computed()


@pytest.mark.parametrize("form", FORMS)
@clause("gpu.forms", on=("inductor",), devices="cuda")
def test_writes_into_parts(check: Check, form: str) -> None:
    """What is written to a part, to a transposed view or beside what is read changes those elements and no others."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        read = a[:, 1:] * 2
        a[2:5, 3:40:2] = b[2:5, 3:40:2] + 1
        a.t()[7:9].mul_(-1)
        b[:, ::3].add_(a[:, ::3])
        a[-1].copy_(b[0])
        return read + a[:, :-1].sum(1, keepdim=True)

    calls = [(tensor(*size), tensor(*size)) for size in SIZES]
    check(program, calls=calls, config=FORMS[form]).mutated(0, 1).in_call(1).mutated(0, 1)


@pytest.mark.parametrize("form", FORMS)
@clause("gpu.forms", on=("inductor",), devices="cuda")
def test_numbers_of_each_width(check: Check, form: str) -> None:
    """Halves, bytes, truths and long integers are computed and reduced in their own width, and stored in another."""

    def program(half: torch.Tensor, brain: torch.Tensor, byte: torch.Tensor, long: torch.Tensor) -> list[torch.Tensor]:
        truth = half > 0
        return [
            half.amax(1) * 2,
            (half.float() * 3).to(torch.bfloat16),
            brain.float().sum(0),
            byte * 3,
            byte.sum(1),
            byte.float() / 3,
            (byte.to(torch.int8) >> 1).long() + long,
            long.sum(0) // 7,
            long * 5_000_000_019,
            long % 3 - (long.remainder(-4)),
            truth & (byte > 100),
            truth.sum(1),
            truth.any(0),
            half.to(torch.int32) + truth,
            (long.double() / 3).sum(1),
            torch.where(truth, long, byte.long()),
            half.double().to(torch.float16),
        ]

    dtypes = (torch.float16, torch.bfloat16, torch.uint8, torch.int64)
    calls = [tuple(tensor(*size, dtype=dtype) for dtype in dtypes) for size in SIZES]
    check(program, calls=calls, config=FORMS[form]).computed().in_call(1).computed()


def _product(kind: str, a: torch.Tensor, b: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
    match kind:
        case "plain":
            return a @ b
        case "around":
            return ((a + 1) @ b.relu()) * 2 - a[:, :1]
        case "transposed":
            return b.t() @ a.t()
        case "batch":
            return batch @ batch.transpose(1, 2)
        case "sum":
            return torch.addmm(b[:1], a, b)
        case _:
            return (a @ b).sum(1)


@pytest.mark.parametrize("kind", ["plain", "around", "transposed", "batch", "sum", "reduced"])
@clause("gpu.forms", on=("inductor",), devices="cuda")
def test_product_of_its_own(check: Check, kind: str) -> None:
    """A product of matrices that is code like any other's: with what comes before and after, in batches, transposed."""

    def program(a: torch.Tensor, b: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
        return _product(kind, a, b, batch)

    calls = [(tensor(rows, 24), tensor(24, 40), tensor(3, rows, 16)) for rows in (37, 64)]
    check(program, calls=calls, config=FORMS["products of its own"]).computed().in_call(1).computed()


@clause("gpu.forms", modes="train", on=("inductor",), devices="cuda")
def test_gradients_of_a_product_of_its_own(check: Check) -> None:
    """The gradients of a product that is code like any other's are products of that kind, too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a + 1) @ b.relu()) * 2

    check(program, tensor(37, 24), tensor(24, 40), config=FORMS["products of its own"]).gradient(0, 1)
