"""Operators with effects: each happens once, in the order of the program, and beside mutations, views and aliases.

A program is handed the journal that the operators write into, so that what they wrote is compared like an argument.
"""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor

from .operators import RecordsBackward, RecordsBothWays, fresh_journal

JOURNAL = built(fresh_journal)


@clause("effects.order")
def test_effects_keep_their_order(check: Check) -> None:
    """Effects on unrelated values happen once each, in the order of the program, by a token threaded through them."""

    def program(a: torch.Tensor, b: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        late = torch.ops.parity.record(b, "first")
        early = torch.ops.parity.record(a, "second")
        torch.ops.parity.note("third")
        return early - late

    result = check(program, tensor(3), tensor(3), JOURNAL)
    result.holds("arg[2][0]", "first").holds("arg[2][2]", "second").holds("arg[2][4]", "third")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    with_effects = torch.ops.higher_order.with_effects(arg0_1, torch.ops.parity.record.default, arg1_1, 'first')
    getitem = operator.getitem(with_effects, 0)
    getitem_1 = operator.getitem(with_effects, 1)
    with_effects_1 = torch.ops.higher_order.with_effects(getitem, torch.ops.parity.record.default, arg2_1, 'second')
    getitem_2 = operator.getitem(with_effects_1, 0)
    getitem_3 = operator.getitem(with_effects_1, 1)
    with_effects_2 = torch.ops.higher_order.with_effects(getitem_2, torch.ops.parity.note.default, 'third')
    getitem_4 = operator.getitem(with_effects_2, 0)
    sub = torch.ops.aten.sub.Tensor(getitem_3, getitem_1)
    return (getitem_4, sub)
""")


@clause("effects.order")
def test_effect_whose_result_nobody_uses(check: Check) -> None:
    """An operator with an effect is called though its result is dropped, and though it has none."""

    def program(a: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        torch.ops.parity.record(a + 1, "dropped")
        torch.ops.parity.note("nothing")
        return a * 2

    check(program, tensor(3), JOURNAL).holds("arg[1][0]", "dropped").holds("arg[1][2]", "nothing")


@clause("effects.order")
def test_equal_effects_happen_each(check: Check) -> None:
    """The same effect on the same value three times is three effects: equal calls are not made one."""

    def program(a: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        first = torch.ops.parity.record(a, "again")
        second = torch.ops.parity.record(a, "again")
        third = torch.ops.parity.record(a, "again")
        return first + second * 3 + third * 5

    check(program, tensor(3), JOURNAL).holds("arg[1][0]", "again").holds("arg[1][4]", "again")


@clause("effects.order")
def test_effects_around_a_mutation_of_an_input(check: Check) -> None:
    """An effect before a mutation of an input sees the old value, and one after it the new value."""

    def program(a: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        before = torch.ops.parity.record(a, "before")
        a.mul_(3)
        after = torch.ops.parity.record(a, "after")
        return before - after

    result = check(program, tensor(3), JOURNAL)
    result.mutated(0).holds("arg[1][0]", "before").holds("arg[1][2]", "after")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    with_effects = torch.ops.higher_order.with_effects(arg0_1, torch.ops.parity.record.default, arg1_1, 'before')
    getitem = operator.getitem(with_effects, 0)
    getitem_1 = operator.getitem(with_effects, 1)
    mul = torch.ops.aten.mul.Tensor(arg1_1, 3)
    with_effects_1 = torch.ops.higher_order.with_effects(getitem, torch.ops.parity.record.default, mul, 'after')
    getitem_2 = operator.getitem(with_effects_1, 0)
    getitem_3 = operator.getitem(with_effects_1, 1)
    sub = torch.ops.aten.sub.Tensor(getitem_1, getitem_3)
    copy_ = torch.ops.aten.copy_.default(arg1_1, mul)
    return (getitem_2, sub)
""")


@clause("effects.order")
def test_effects_around_a_mutable_operator(check: Check) -> None:
    """An effect before a mutable operator sees the old value of its argument, and one after it the new value."""

    def program(a: torch.Tensor, b: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        torch.ops.parity.record(a, "before")
        torch.ops.parity.accumulate(a, b)
        torch.ops.parity.record(a, "after")
        return a * 3

    result = check(program, tensor(3), tensor(3), JOURNAL)
    result.mutated(0).unchanged(1).holds("arg[2][0]", "before").holds("arg[2][2]", "after")


@clause("effects.order")
def test_effect_beside_a_view_of_an_input(check: Check) -> None:
    """With tokens among the graph's outputs, a returned view of an input is still made of that input."""

    def program(a: torch.Tensor, b: torch.Tensor, journal: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
        part = b[1:]
        torch.ops.parity.record(a, "between")
        return part, a * 2

    result = check(program, tensor(3, grad=False), tensor(3, grad=False), JOURNAL)
    result.aliases("out[0]", "arg[1]").distinct("out[1]", "arg[0]").holds("arg[2][0]", "between")


@clause("effects.order", modes=("no_grad", "train"))
def test_effect_beside_outputs_that_alias(check: Check) -> None:
    """With tokens among the graph's outputs, two views of one intermediate share its memory and nobody else's."""

    def program(a: torch.Tensor, journal: list[Any]) -> tuple[torch.Tensor, ...]:
        inner = a.sin()
        torch.ops.parity.note("between")
        return inner[:2], inner[1:], a * 3

    result = check(program, tensor(3), JOURNAL)
    result.aliases("out[0]", "out[1]").distinct("out[0]", "out[2]").holds("arg[1][0]", "between")


@clause("effects.order", modes="train")
def test_effects_in_backward_alone(check: Check) -> None:
    """An effect in backward happens in backward, once, with the gradient, and not when forward runs."""

    def program(a: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        return RecordsBackward.apply(a.sin(), "gradient") * 3

    result = check(program, tensor(3), JOURNAL)
    result.gradient(0).mutated_in_backward(1)
    result.happened("arg[1][0]" not in result.call.entries, "forward without an effect")
    result.backward.expect("""\
def forward(self, primals_1, tangents_1, tangents_token):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 3)
    with_effects = torch.ops.higher_order.with_effects(tangents_token, torch.ops.parity.record.default, mul, 'gradient')
    getitem = operator.getitem(with_effects, 0)
    getitem_1 = operator.getitem(with_effects, 1)
    cos = torch.ops.aten.cos.default(primals_1)
    mul_1 = torch.ops.aten.mul.Tensor(getitem_1, cos)
    return (mul_1, getitem)
""")


@clause("effects.order", modes="train")
def test_two_effects_in_backward(check: Check) -> None:
    """Two effects in backward happen in the order in which eager's backward comes by them."""

    def program(a: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        inner = RecordsBackward.apply(a.sin(), "inner")
        return RecordsBackward.apply(inner.cos(), "outer")

    result = check(program, tensor(3), JOURNAL)
    result.gradient(0).mutated_in_backward(1)


@clause("effects.order", modes="train")
def test_effects_in_forward_and_in_backward(check: Check) -> None:
    """An effect in forward happens in forward and its partner in backward: none is recomputed, none is moved."""

    def program(a: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        return RecordsBothWays.apply(a.sin(), "way") * 3

    result = check(program, tensor(3), JOURNAL)
    result.gradient(0).holds("arg[1][0]", "forward way").mutated_in_backward(1)


@clause("effects.order", shapes="dynamic")
def test_effects_with_symbolic_sizes(check: Check) -> None:
    """With symbolic sizes effects see each call's values, and a later call has effects of its own."""

    def program(a: torch.Tensor, journal: list[Any]) -> torch.Tensor:
        head = torch.ops.parity.record(a[: a.shape[0] // 2], "head")
        torch.ops.parity.record(a[a.shape[0] // 2 :], "tail")
        return head

    result = check(program, calls=[(tensor(4), JOURNAL), (tensor(6), JOURNAL)])
    result.holds("arg[1][0]", "head").holds("arg[1][2]", "tail")
