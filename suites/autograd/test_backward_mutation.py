"""Mutation in backward: buffers, saved tensors and the gradients handed over, changed when backward runs."""

from typing import Any

import torch

from suites.harness import Check, built, clause, leaf, tensor


@torch.library.custom_op("parity_autograd::tally", mutates_args={"total"})
def tally(total: torch.Tensor, value: torch.Tensor) -> None:
    """Twice what was there and the value on top: order and number of the calls show in the total."""
    total.mul_(2).add_(value)


@torch.library.custom_op("parity_autograd::tallied_in_backward", mutates_args=())
def tallied_in_backward(a: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    """The cube of ``a``; backward tallies in ``total``."""
    return a**3


@tallied_in_backward.register_fake
def _(a: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(a)


def _save_both(ctx: Any, inputs: tuple[torch.Tensor, torch.Tensor], output: torch.Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _tally_cotangent(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
    a, total = ctx.saved_tensors
    tally(total, cotangent)
    return cotangent * 3 * a**2, None


tallied_in_backward.register_autograd(_tally_cotangent, setup_context=_save_both)


class TalliedInForward(torch.autograd.Function):
    """The cube of its input, which forward tallies; backward leaves the total alone."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        """Tally by a custom operator."""
        ctx.save_for_backward(a)
        tally(total, a.detach())
        return a**3

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
        """The gradient alone."""
        (a,) = ctx.saved_tensors
        return cotangent * 3 * a**2, None


class SavedIsChanged(torch.autograd.Function):
    """The sine; backward raises its saved input by one, after use."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """Save the input itself."""
        ctx.save_for_backward(a)
        return a.sin()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """The gradient at the old value, and a new value for what was saved."""
        (a,) = ctx.saved_tensors
        gradient = cotangent * a.cos()
        a.add_(1)
        return gradient


class Counted(torch.autograd.Function):
    """Twice its input; backward counts in a tensor that needs no gradient."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        """Save the counter."""
        ctx.save_for_backward(count)
        return a * 2

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
        """Raise the counter, then use it."""
        (count,) = ctx.saved_tensors
        count.add_(1)
        return cotangent * 2 + count, None


class CotangentScaled(torch.autograd.Function):
    """The identity, copied; backward scales what it is handed in place and passes it on."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """A copy."""
        return a.clone()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """Three times the cotangent, written into the cotangent."""
        return cotangent.mul_(3)


class BothWays(torch.autograd.Function):
    """Adds one to a counter in forward, multiplies it by ten in backward: the order shows in the digits."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        """Count, in a way that backward must not repeat."""
        count.add_(1)
        ctx.count = count
        return a * 2

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
        """Count, in a way that forward must not make."""
        ctx.count.mul_(10)
        return cotangent * 2, None


class RowsChanged(torch.autograd.Function):
    """Backward adds the cotangent to one row of a table, then doubles the row below and overwrites a third."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """Keep the table."""
        ctx.save_for_backward(table)
        return a.exp()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
        """Write through views, each depending on the one before."""
        (table,) = ctx.saved_tensors
        table[0].add_(cotangent)
        table[1].mul_(table[0])
        table[2] = table[1] - 1
        return cotangent * table[2], None


@clause("T9.1", "A2", modes="train")
def test_operator_whose_backward_mutates_a_buffer(check: Check) -> None:
    """A custom operator whose registered backward mutates a buffer changes it once per backward, by the cotangent."""

    def program(a: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        return tallied_in_backward(a, total).sin()

    result = check(program, tensor(3), tensor(3, grad=False))
    result.unchanged(1).mutated_in_backward(1).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    tallied_in_backward = torch.ops.parity_autograd.tallied_in_backward.default(primals_1, primals_2)
    sin = torch.ops.aten.sin.default(tallied_in_backward)
    return (sin, primals_1, primals_2, tallied_in_backward)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_2, tallied_in_backward, tangents_1):
    cos = torch.ops.aten.cos.default(tallied_in_backward)
    mul = torch.ops.aten.mul.Tensor(tangents_1, cos)
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity_autograd.tally.default, _all_bases=[primals_2], _total_base_index=0, value=mul,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 3)
    pow_1 = torch.ops.aten.pow.Tensor_Scalar(primals_1, 2)
    mul_2 = torch.ops.aten.mul.Tensor(mul_1, pow_1)
    copy_ = torch.ops.aten.copy_.default(primals_2, getitem)
    return (mul_2, None)
""")


@clause("T9.2", "A2", modes="train")
def test_mutation_by_an_operator_in_forward_stays_in_forward(check: Check) -> None:
    """A custom operator that mutates a buffer in forward alone leaves it alone when backward runs."""

    def program(a: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        return TalliedInForward.apply(a, total).sin()

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(1).gradient(0)
    result.happened(not result.call.after_backward, "a backward that changes nothing")
    result.backward.expect("""\
def forward(self, primals_1, tangents_1):
    pow_1 = torch.ops.aten.pow.Tensor_Scalar(primals_1, 3)
    cos = torch.ops.aten.cos.default(pow_1)
    mul = torch.ops.aten.mul.Tensor(tangents_1, cos)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 3)
    pow_2 = torch.ops.aten.pow.Tensor_Scalar(primals_1, 2)
    mul_2 = torch.ops.aten.mul.Tensor(mul_1, pow_2)
    return (mul_2, None)
""")


@clause("T9.1", modes="train")
def test_backward_mutates_a_saved_leaf(check: Check) -> None:
    """A leaf that backward changes has the new value after backward, and the old one's gradient."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return SavedIsChanged.apply(a) * 3

    result = check(program, leaf(3))
    result.unchanged(0).mutated_in_backward(0).gradient(0)


@clause("T9.1", modes="train")
def test_backward_mutates_a_saved_tensor_with_history(check: Check) -> None:
    """An input with history that backward changes has the new value after backward; the gradient is the old one's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return SavedIsChanged.apply(a) * 3

    result = check(program, tensor(3))
    result.unchanged(0).mutated_in_backward(0).gradient(0)
    result.backward.expect("""\
def forward(self, primals_1, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 3)
    cos = torch.ops.aten.cos.default(primals_1)
    mul_1 = torch.ops.aten.mul.Tensor(mul, cos)
    add = torch.ops.aten.add.Tensor(primals_1, 1)
    copy_ = torch.ops.aten.copy_.default(primals_1, add)
    return (mul_1,)
""")


@clause("T9.1", modes="train")
def test_backward_counts_in_a_buffer_and_uses_the_count(check: Check) -> None:
    """A buffer that backward raises, then reads: the caller sees it raised, and the gradient uses the raised one."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return Counted.apply(a, count)

    result = check(program, tensor(3), tensor(3, grad=False))
    result.unchanged(1).mutated_in_backward(1).gradient(0)
    result.backward.expect("""\
def forward(self, primals_2, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 2)
    add = torch.ops.aten.add.Tensor(primals_2, 1)
    add_1 = torch.ops.aten.add.Tensor(mul, add)
    copy_ = torch.ops.aten.copy_.default(primals_2, add)
    return (add_1, None)
""")


@clause("T9.1", modes="train")
def test_backward_mutates_a_buffer_for_every_use(check: Check) -> None:
    """A Function used three times multiplies its counter three times in backward, once all three forwards have run."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        first = BothWays.apply(a, count).sin()
        second = BothWays.apply(first, count).cos()
        return BothWays.apply(second, count)

    result = check(program, tensor(3), tensor(3, grad=False, values=[1.0, 2.0, 3.0]))
    result.mutated_in_backward(1).gradient(0)
    counted = result.call.after_backward["arg[1] after backward"]
    result.happened(counted.value.tolist() == [4000.0, 5000.0, 6000.0], "three steps forward, three back")  # type: ignore[union-attr]


@clause("T9.1", modes="train")
def test_backward_that_changes_what_another_backward_saved_is_refused(check: Check) -> None:
    """Where one backward changes a tensor that another one saved, the other raises instead of reading the new value."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return Counted.apply(Counted.apply(a, count).sin(), count)

    result = check(program, tensor(3), tensor(3, grad=False))
    error = result.call.backward_error
    result.happened(error is not None and "modified by an inplace operation" in error.message, "a refusal")


class _CountsBackwards(torch.nn.Module):
    """A module that counts how often its backward ran."""

    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return Counted.apply(a, self.count).cos()


@clause("T9.1", "T13", modes="train")
def test_module_counts_its_backwards_in_a_buffer(check: Check) -> None:
    """A module's buffer that only backward raises goes up by one per backward, from call to call."""
    result = check(built(_CountsBackwards), tensor(3))
    result.unchanged("module.count").mutated_in_backward("module.count").gradient(0)
    counts = [call.after_backward["module.count after backward"].value.tolist() for call in result.expected.calls]  # type: ignore[union-attr]
    result.happened(counts == [[1.0] * 3, [2.0] * 3], "a count of one, then of two")


@clause("T9.2", modes="train")
def test_backward_mutates_the_cotangent(check: Check) -> None:
    """A Function that scales its cotangent in place gives the scaled gradient, and the caller sees it scaled."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return CotangentScaled.apply(a)

    # One call: what sum() hands to backward cannot be written to.
    result = check(program, calls=[(tensor(3),)])
    result.mutated_in_backward("cotangent of out").gradient(0)


@clause("T9.2", modes="train")
def test_backward_mutates_an_intermediate_cotangent(check: Check) -> None:
    """A cotangent that backward made itself may be scaled in place; other paths that share it see their own value."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        return CotangentScaled.apply(b) * 5 + b.exp()

    result = check(program, tensor(3))
    result.gradient(0)
    result.happened(not result.call.after_backward, "a caller's cotangent that stays as it is")


@clause("T9.2", modes="train")
def test_forward_and_backward_mutate_one_buffer(check: Check) -> None:
    """A counter raised in forward and multiplied in backward is each of the two exactly once, in that order."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return BothWays.apply(a, count) + count

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(1).mutated_in_backward(1).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    add = torch.ops.aten.add.Tensor(primals_2, 1)
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    add_1 = torch.ops.aten.add.Tensor(mul, add)
    mul_1 = torch.ops.aten.mul.Tensor(add, 10)
    copy_ = torch.ops.aten.copy_.default(primals_2, add)
    return (add_1, primals_2, mul_1)
""")
    result.backward.expect("""\
def forward(self, primals_2, mul_1, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 2)
    copy_ = torch.ops.aten.copy_.default(primals_2, mul_1)
    return (mul, None)
""")


@clause("T9.2", modes="train")
def test_backward_writes_through_views_of_a_buffer(check: Check) -> None:
    """Writes to rows of a buffer in backward, each reading the one before, all reach the caller's buffer."""

    def program(a: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        return RowsChanged.apply(a, table) * 2

    result = check(program, tensor(3), tensor(4, 3, grad=False))
    result.mutated_in_backward(1).unchanged(1).gradient(0)


@clause("T9.2", modes="train")
def test_backward_mutates_a_column_of_a_larger_buffer(check: Check) -> None:
    """A buffer that is a strided view is written by backward at its own elements, and its neighbours are left alone."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return Counted.apply(a, count).sin()

    result = check(program, tensor(3), tensor(3, grad=False, strides=(4,), offset=2))
    result.mutated_in_backward(1).gradient(0)


@clause("T9.1", modes="train")
def test_backward_twice_mutates_twice(check: Check) -> None:
    """With its graph retained, backward runs again and mutates its buffer a second time."""

    def program(a: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        return tallied_in_backward(a, total)

    result = check(program, tensor(3), tensor(3, grad=False), backward_twice=True)
    result.mutated_in_backward(1).gradient(0)


@clause("T9.2", modes="train", fullgraph=False)
def test_two_forwards_before_their_backwards(check: Check) -> None:
    """Backward multiplies the counter as it is when backward runs, not as it was when its own forward ended."""

    def program(a: torch.Tensor, b: torch.Tensor, count: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = BothWays.apply(a, count)
        torch._dynamo.graph_break()
        return first, BothWays.apply(b, count)

    result = check(program, tensor(3), tensor(3), tensor(3, grad=False))
    result.mutated(2).mutated_in_backward(2).gradient(0, 1)
