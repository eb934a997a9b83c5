"""How a wrapped call encodes which view of its base an argument is: itself, a slice, or size, strides and offset."""

import pytest
import torch

from suites.harness import Check, clause, tensor, view_of

from . import operators  # noqa: F401

VIEWS = {
    "alias": lambda t: t.view(4, 6),
    "slice_of_rows": lambda t: t[1:3],
    "slice_of_columns": lambda t: t[:, 2:5],
    "piece_of_a_split": lambda t: t.split([1, 2, 1])[1],
    "row": lambda t: t[2],
    "transposed": lambda t: t.t(),
    "every_second_column": lambda t: t[:, ::2],
    "diagonal": lambda t: t.diagonal(),
    "as_strided": lambda t: t.as_strided((2, 3), (7, 2), 3),
    "slice_of_a_slice": lambda t: t[1:, 1:],
}


@clause("T10.2")
@pytest.mark.parametrize("view", VIEWS)
def test_mutation_through_a_view(check: Check, view: str) -> None:
    """A write to a view of an input lands in the view's elements of the input, and in no other."""
    part = VIEWS[view]

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(part(a), part(b))
        return a * 3

    check(program, tensor(4, 6), tensor(4, 6)).mutated(0).unchanged(1)


@clause("T10.2")
def test_slice_is_encoded_as_a_slice(check: Check) -> None:
    """A slice in one dimension is encoded by its dimension, start and end, and written back into the input."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a[1:3], b)
        return a * 3

    result = check(program, tensor(4, 3), tensor(2, 3))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity.accumulate.default, _all_bases=[arg0_1], _target_base_index=0, _target_slice_dim=0,
        _target_slice_end=3, _target_slice_start=1, source=arg1_1,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    mul = torch.ops.aten.mul.Tensor(getitem, 3)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem)
    return (mul,)
""")


@clause("T10.2")
def test_transposed_view_is_encoded_by_its_strides(check: Check) -> None:
    """A view that is no slice is encoded by size, strides and offset, and written back into the input."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a.t(), b)
        return a * 3

    result = check(program, tensor(2, 3), tensor(3, 2))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity.accumulate.default, _all_bases=[arg0_1], _target_base_index=0, _target_size=(3, 2),
        _target_storage_offset=0, _target_stride=(1, 3), source=arg1_1,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    mul = torch.ops.aten.mul.Tensor(getitem, 3)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem)
    return (mul,)
""")


@clause("T10.2")
def test_two_views_of_one_base_are_one_base(check: Check) -> None:
    """Two mutated views of one input name one base between them, which is copied back once."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.mix(a[0], a[2])
        return a * 3

    result = check(program, tensor(3, 4))
    result.mutated(0)
    result.forward.expect("""\
def forward(self, arg0_1):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity.mix.default, _all_bases=[arg0_1], _x_base_index=0, _x_size=(4,), _x_storage_offset=0,
        _x_stride=(1,), _y_base_index=0, _y_size=(4,), _y_storage_offset=8, _y_stride=(1,),
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    mul = torch.ops.aten.mul.Tensor(getitem, 3)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem)
    return (mul,)
""")


@clause("T10.2", shapes="dynamic")
def test_symbolic_slice(check: Check) -> None:
    """With symbolic sizes, the start and the end of a slice, and the strides of a transposed part, are each call's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a[:, 1 : a.shape[1] - 1], b)
        torch.ops.parity.accumulate(a.t()[1:], a.t()[:-1] * 2)
        return a * 3

    calls = [(tensor(3, 5), tensor(3, 3)), (tensor(4, 7), tensor(4, 5))]
    check(program, calls=calls).mutated(0).unchanged(1)


@clause("T10.2")
def test_view_of_an_input_that_is_a_view(check: Check) -> None:
    """A slice of an input that is itself a strided view of the caller's tensor is written in the caller's memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a[1:], b)
        return a * 3

    base = tensor(4, 4)
    part = view_of(base, lambda t: t[:, 1:3])
    check(program, part, tensor(3, 2)).mutated(0, "arg[0]._base").unchanged(1)


@clause("T10.2")
def test_view_of_an_intermediate(check: Check) -> None:
    """A write to a transposed slice of an intermediate shows in the intermediate and in its other views."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = a.sin()
        other = inner.view(-1)
        torch.ops.parity.accumulate(inner.t()[1:], b)
        return inner * 3, other * 5

    result = check(program, tensor(3, 4), tensor(3, 3)).unchanged(0, 1)
    result.values().expect("""\
out[0] = float32[3, 4] [[1.901, -9.877, -2.666, -3.039], [-1.321, 3.339, -12.72, 5.217], [-2.716, -6.215, -0.9451,
    -3.158]]
out[1] = float32[12] [3.169, -16.46, -4.444, -5.065, -2.202, 5.564, -21.21, 8.696, -4.526, -10.36, -1.575, -5.263]
""")


@clause("T10.2")
def test_mutated_view_that_is_returned(check: Check) -> None:
    """A slice of an input that an operator mutated and the program returns is a view of the caller's tensor."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        part = a[1:]
        torch.ops.parity.accumulate(part, b)
        return part

    check(program, tensor(4, grad=False), tensor(3, grad=False)).mutated(0).aliases("out", "arg[0]")
