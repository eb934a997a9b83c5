"""Operators that mutate a list of tensors."""

import pytest
import torch

from suites.harness import Check, clause, tensor, view_of

from . import operators  # noqa: F401
from .test_arguments import FORMS, in_form


@clause("T10.3", "T10.2")
@FORMS
def test_list_made_in_the_graph(check: Check, form: str) -> None:
    """A list of an input, a part of another and an intermediate, made for the call, is mutated element by element."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        inner = c * 2
        torch.ops.parity.scale_list([a, b[1], inner], c)
        return a + b + inner

    check(program, tensor(3), tensor(2, 3), tensor(3), config=in_form(form)).mutated(0, 1).unchanged(2)


@clause("T10.3", "inductor.fallbacks")
def test_list_is_wrapped_by_its_bases(check: Check) -> None:
    """A mutated list of two inputs is two bases of the wrapped call, and two copies back."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_list([b, a], c)
        return a - b

    result = check(program, tensor(3), tensor(3), tensor(3))
    result.mutated(0, 1).unchanged(2)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity.scale_list.default, _all_bases=[arg1_1, arg2_1], _tensors_0_base_index=0,
        _tensors_1_base_index=1, _tensors_length=2, source=arg0_1,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    getitem_1 = operator.getitem(auto_functionalized_v2, 2)
    sub = torch.ops.aten.sub.Tensor(getitem_1, getitem)
    copy_ = torch.ops.aten.copy_.default(arg1_1, getitem)
    copy__1 = torch.ops.aten.copy_.default(arg2_1, getitem_1)
    return (sub,)
""")


@clause("T10.4", "inductor.fallbacks", golden="inductor")
def test_list_through_a_fallback_kernel(check: Check) -> None:
    """Inductor hands the operator a list of the inputs themselves, and later reads of them are from after the call."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_list([a, b], c)
        return a - b

    result = check(program, tensor(3), tensor(3), tensor(3))
    result.mutated(0, 1).unchanged(2)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1, arg2_1):
    torch.ops.parity.scale_list.default([arg1_1, arg2_1], arg0_1)
    buf3 = empty_strided_cpu((3,), (1,), torch.float32)
    cpp_fused_sub_0(arg1_1, arg2_1, buf3)
    return (buf3,)
""")


@clause("T10.3")
def test_list_that_is_an_argument_of_the_program(check: Check) -> None:
    """A list that the caller made, and a slice of it, are mutated in the caller's tensors."""

    def program(tensors: list[torch.Tensor], c: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_list(tensors, c)
        torch.ops.parity.scale_list(tensors[1:], c * 2)
        return tensors[0] + tensors[2]

    check(program, [tensor(3), tensor(3), tensor(3)], tensor(3)).mutated("arg[0][0]", "arg[0][1]", "arg[0][2]")


@clause("T10.3", "T10.2")
@pytest.mark.parametrize("elements", ["same", "view"])
def test_elements_that_share_memory(check: Check, elements: str) -> None:
    """A list that holds one tensor twice, or a tensor and a view of it, is changed in the list's order."""
    twice = elements == "same"

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_list([a, b, a if twice else a[1:]], b)
        return a - b

    check(program, tensor(3), tensor(3)).mutated(0, 1)


@clause("T10.3", "T10.2")
@FORMS
def test_empty_list(check: Check, form: str) -> None:
    """An empty list is mutated by doing nothing, and the calls around it are made."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a, b)
        torch.ops.parity.scale_list([], b)
        torch.ops.parity.accumulate(a, b)
        return a * 3

    check(program, tensor(3), tensor(3), config=in_form(form)).mutated(0).unchanged(1)


@clause("T10.3", "T10.2")
def test_list_with_none_in_it(check: Check) -> None:
    """None in a list of optional tensors is passed on as None, and the tensors around it are mutated."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_optionals([None, a, None, b], b * 2)
        return a - b

    check(program, tensor(3), tensor(3)).mutated(0, 1)


@clause("T10.3")
def test_pieces_of_one_tensor(check: Check) -> None:
    """The pieces of a split input, handed over as a list, are mutated in their places."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_list(list(a.split([1, 2, 3])), b)
        return a * 3

    check(program, tensor(6), tensor(2)).mutated(0).unchanged(1)


@clause("T10.3", shapes="dynamic")
def test_list_of_symbolic_sizes(check: Check) -> None:
    """A list of tensors of symbolic sizes is mutated element by element at each call's sizes."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_list([a[: b.shape[0]], b, a[b.shape[0] :]], b)
        return a * 3

    calls = [(tensor(6), tensor(4)), (tensor(9), tensor(5))]
    check(program, calls=calls).mutated(0, 1)


@clause("T10.3")
def test_list_of_inputs_that_overlap(check: Check) -> None:
    """A list of two inputs that are views of one tensor is mutated in the caller's one memory, in the list's order."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.scale_list([b, a], c)
        return a + b

    base = tensor(5)
    check(program, view_of(base, lambda t: t[:4]), view_of(base, lambda t: t[1:]), tensor(4)).mutated(0, 1)
