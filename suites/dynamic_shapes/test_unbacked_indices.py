"""Positions that only the data decide: `select`, `slice` and `narrow` at an unbacked index, in range and out of it."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor

CAPTURED = {"dynamo.capture_scalar_outputs": True, "dynamo.capture_dynamic_output_shape_ops": True}


def number(value: int) -> object:
    """One integer, for `item`. Not of dimension zero: of such an input Dynamo guards on the value instead."""
    return tensor(1, dtype=torch.int64, values=[value])


@clause("T16.7", modes="train")
def test_select_at_an_unbacked_index(check: Check) -> None:
    """`select` at an index from the data, positive, zero or negative, takes that row and sends the gradient there."""

    def program(a: torch.Tensor, index: Any) -> torch.Tensor:
        return a.select(0, index.item()) * 2

    calls = [(tensor(4, 3), number(value)) for value in (2, 0, -1, 3, -4)]
    result = check(program, calls=calls, config=CAPTURED, probe=False).gradient(0).recompiled(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    _local_scalar_dense = torch.ops.aten._local_scalar_dense.default(primals_2)
    select = torch.ops.aten.select.int(primals_1, 0, _local_scalar_dense)
    mul = torch.ops.aten.mul.Tensor(select, 2)
    return (mul, _local_scalar_dense)
""")


@clause("T16.7")
def test_select_returned_as_a_view(check: Check) -> None:
    """A row selected at an index from the data is a view of the input, at that index's own offset."""

    def program(a: torch.Tensor, index: Any) -> torch.Tensor:
        return a[index.item()]

    result = check(program, calls=[(tensor(4, 3), number(value)) for value in (2, -1, 0)], config=CAPTURED)
    offsets = [call.tensors["out"].offset for call in result.expected.calls]
    result.aliases("out", 0).happened(offsets == [6, 9, 0], "offsets that follow the index")


@clause("T16.7")
def test_select_out_of_range_raises(check: Check) -> None:
    """`select` at an index from the data that is out of range, on either side, raises as eager does."""

    def program(a: torch.Tensor, index: Any) -> torch.Tensor:
        return a.select(0, index.item()) + 1

    calls = [(tensor(4, 3), number(value)) for value in (1, 4, -5, 3)]
    result = check(program, calls=calls, config=CAPTURED)
    errors = [call.error is not None for call in result.expected.calls]
    result.happened(errors == [False, True, True, False], "indices out of range")


@clause("T16.7")
def test_slice_between_unbacked_ends(check: Check) -> None:
    """A slice between ends from the data counts negative ones from the end and clamps those out of range."""

    def program(a: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        start, stop = ends.tolist()
        return a[start:stop] * 2

    ends = [(1, 4), (-3, -1), (0, 9), (4, 2), (-9, 2), (2, 2)]
    calls = [(tensor(5, 2), tensor(2, dtype=torch.int64, values=each)) for each in ends]
    result = check(program, calls=calls, config=CAPTURED, probe=False).recompiled(0)
    result.values().expect("""\
out = float32[3, 2] [[-0.478, -2.764], [-0.9121, 2.03], [-3.173, 1.802]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 2] [[-0.9572, -1.046], [4.176, 0.4534]]
""")


@clause("T16.7", modes="train")
def test_slice_from_an_unbacked_start(check: Check) -> None:
    """What remains after a start from the data is as long as the call's start leaves, and so is its gradient."""

    def program(a: torch.Tensor, start: Any) -> tuple[torch.Tensor, torch.Tensor]:
        rest = a[start.item() :]
        return rest.sum(0), rest * 3

    calls = [(tensor(5), number(value)) for value in (2, 4, -1, 7, 0)]
    check(program, calls=calls, config=CAPTURED, probe=False).gradient(0).shape("out[1]", 3).recompiled(0)


@clause("T16.7")
def test_steps_between_unbacked_ends(check: Check) -> None:
    """Of every second or third element between ends from the data there are as many as fit, none where they cross."""

    def program(a: torch.Tensor, start: Any, end: Any) -> dict[str, torch.Tensor]:
        first, last = start.item(), end.item()
        return {
            "after": a[first::2] * 2,
            "before": a[:last:3] + 1,
            "between": a[first:last:2].sin(),
            "columns": a.t()[:, first:last:3] * 3,
        }

    ends = ((1, 6), (0, 5), (2, 2), (-5, -1), (3, 9), (4, 1))
    calls = [(tensor(7, 2), number(start), number(end)) for start, end in ends]
    result = check(program, calls=calls, config=CAPTURED, probe=False).recompiled(0)
    result.shape("out['between']", 3, 2).in_call(1).shape("out['before']", 2, 2)


@clause("T16.7", modes="train")
def test_narrow_at_an_unbacked_start(check: Check) -> None:
    """`narrow` at a start from the data takes so many from there, and refuses to run over the end."""

    def program(a: torch.Tensor, start: Any) -> torch.Tensor:
        return torch.narrow(a, 0, start.item(), 2).sin()

    calls = [(tensor(5), number(value)) for value in (1, 3, 0, 4)]
    result = check(program, calls=calls, config=CAPTURED, probe=False)
    result.gradient(0)
    result.in_call(3).raised()


@clause("T16.7", "T3.5")
def test_write_to_a_row_at_an_unbacked_index(check: Check) -> None:
    """A row written at an index from the data changes in the caller's tensor, and no other does."""

    def program(a: torch.Tensor, index: Any, row: torch.Tensor) -> torch.Tensor:
        a[index.item()] = row
        a.select(0, index.item()).add_(1)
        return a.sum(1)

    calls = [(tensor(4, 3), number(value), tensor(3)) for value in (2, 0, -1)]
    check(program, calls=calls, config=CAPTURED).mutated(0).unchanged(2).recompiled(0)


@clause("T16.7", "dynamic-shapes.unbacked")
def test_gather_at_indices_found_by_nonzero(check: Check) -> None:
    """Rows found by `nonzero` are gathered, the last one among them by a negative index, for the call's own data."""

    def program(a: torch.Tensor, chosen: Any) -> tuple[torch.Tensor, torch.Tensor]:
        rows = chosen.nonzero().squeeze(1)
        torch._check(rows.size(0) >= 1)
        return a.index_select(0, rows), a[rows[-1].item()] * rows.size(0)

    masks = [(1, 0, 1, 0), (0, 1, 0, 0), (1, 1, 1, 1)]
    calls = [(tensor(4, 2), tensor(4, dtype=torch.bool, values=each)) for each in masks]
    result = check(program, calls=calls, config=CAPTURED).recompiled(0)
    result.values().expect("""\
out[0] = float32[2, 2] [[0.6865, -2.63], [-0.4561, 1.015]]
out[1] = float32[2] [-0.9121, 2.03]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[1, 2] [[-0.06803, 0.9096]]
out[1] = float32[2] [-0.06803, 0.9096]
""")
