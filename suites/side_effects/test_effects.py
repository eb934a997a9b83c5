"""Effects happen, though nobody reads a result: assertions, operators that write, operators that do something else."""

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed.fsdp

from suites.harness import ANY, Check, clause, tensor, torch_internals

_HAPPENED: list[int] = []


@torch.library.custom_op("parity_effects::append", mutates_args={"log"})
def _append(log: torch.Tensor, x: torch.Tensor) -> None:
    """Shift ``log`` by one and put the sum of ``x`` at its end."""
    log[:-1] = log[1:].clone()
    log[-1] = x.sum()


@torch.library.custom_op("parity_effects::notes", mutates_args=())
def _notes(x: torch.Tensor, number: int) -> torch.Tensor:
    """A copy of ``x``; as an effect, ``number`` is noted outside of every tensor."""
    _HAPPENED.append(number)
    return x.clone()


@torch.library.custom_op("parity_effects::pure", mutates_args=())
def _pure(x: torch.Tensor) -> torch.Tensor:
    """A copy of ``x``, and nothing else."""
    return x.clone()


_notes.register_fake(lambda x, number: torch.empty_like(x))
_pure.register_fake(torch.empty_like)
torch_internals.register_ordered_effect("parity_effects::notes")


def _noted(check: Check, program: Callable[..., Any], *args: Any) -> list[int]:
    """What the cell's backend has the program note in the second call of what it compiled."""
    with check.compiled(program) as compiled, torch.no_grad():
        compiled(*args)
        _HAPPENED.clear()
        compiled(*args)
    return list(_HAPPENED)


@clause("T12", entry=ANY, devices="cpu")
def test_assertion_on_the_data_raises(check: Check) -> None:
    """An assertion whose result nobody reads raises with its message for the data that it is about, and only for it."""

    def program(a: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        torch._assert_async(wanted.all(), "not all that was wanted")
        return a * 2

    good = tensor(2, dtype=torch.bool, values=[True, True])
    bad = tensor(2, dtype=torch.bool, values=[True, False])
    result = check(program, calls=[(tensor(3), good), (tensor(3), bad), (tensor(3), good)])
    errors = [call.error is not None for call in result.expected.calls]
    result.happened(errors == [False, True, False], "an error in the second call alone")


@clause("T12", modes="train")
def test_assertion_on_an_intermediate_raises_in_training(check: Check) -> None:
    """An assertion about an intermediate is in the forward graph of a training program, and not left to backward."""

    def program(a: torch.Tensor) -> torch.Tensor:
        scaled = a * 2
        torch._assert_async((scaled < 10).all(), "too large")
        return scaled.sin()

    result = check(program, calls=[(tensor(3),), (tensor(3, values=[1, 2, 30]),)])
    result.gradient(0)
    result.in_call(1).raised()
    result.forward.expect("""\
def forward(self, primals_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    lt = torch.ops.aten.lt.Scalar(mul, 10)
    all_1 = torch.ops.aten.all.default(lt)
    _assert_async = torch.ops.aten._assert_async.msg(all_1, 'too large')
    sin = torch.ops.aten.sin.default(mul)
    return (sin, primals_1)
""")


@clause("T12", modes=("train", "no_grad"), entry=ANY)
def test_operator_that_only_writes_is_kept(check: Check) -> None:
    """A custom operator that returns nothing is kept for what it writes, beside a result that does not need it."""

    def program(log: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity_effects.append(log, a)
        return a * 2

    result = check(program, tensor(3, grad=False), tensor(4, grad=False))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity_effects.append.default, _all_bases=[arg0_1], _log_base_index=0, x=arg1_1,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    mul = torch.ops.aten.mul.Tensor(arg1_1, 2)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem)
    return (mul,)
""")


@clause("T12", entry=ANY)
def test_equal_writes_are_two_writes(check: Check) -> None:
    """The same writing operator on the same operands, twice, writes twice: equal nodes with effects do not merge."""

    def program(log: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity_effects.append(log, a)
        torch.ops.parity_effects.append(log, a)
        return log.sum() + a.sum()

    check(program, tensor(4), tensor(3)).mutated(0).unchanged(1)


@clause("T12", entry=ANY)
def test_writes_keep_their_order(check: Check) -> None:
    """Operators that write to one tensor, and a plain in-place op between them, act in the program's order."""

    def program(log: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
        torch.ops.parity_effects.append(log, a)
        log.mul_(2)
        torch.ops.parity_effects.append(log, b)

    check(program, tensor(4), tensor(3), tensor(2)).mutated(0).unchanged(1, 2)


@clause("T12", entry=ANY)
def test_write_through_a_view_alone(check: Check) -> None:
    """A write to a row of an input, with no output at all, is all that the program does: it is done."""

    def program(a: torch.Tensor, b: torch.Tensor) -> None:
        torch.ops.parity_effects.append(a[1], b)

    check(program, tensor(3, 2), tensor(3)).mutated(0).unchanged(1)


@clause("T12", "T14")
def test_copy_of_fsdp_is_kept(check: Check) -> None:
    """`fsdp.copy_` is not functionalized: it is in the middle of the graph, before the reads that follow it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.fsdp.copy_(a, b * 2)
        return a + 1

    result = check(program, tensor(3), tensor(3))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    copy_ = torch.ops.fsdp.copy_.default(arg1_1, mul)
    add = torch.ops.aten.add.Tensor(arg1_1, 1)
    return (add,)
""")


@clause("T12", entry=ANY)
def test_result_that_nobody_reads_of_an_out_argument(check: Check) -> None:
    """`out=` an input, its result dropped, and an in-place op whose result is dropped write all the same."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        torch.sub(a, b, out=c)
        torch.ops.aten.add_.Tensor(b, a)
        return a * 2

    result = check(program, tensor(3), tensor(3), tensor(3))
    result.mutated(1, 2).unchanged(0)


@clause("T12", "effects.order")
def test_operator_with_an_effect_runs_though_its_result_is_dropped(check: Check) -> None:
    """Operators registered as effectful run once each and in order, though nobody reads what they return."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity_effects.notes(a, 1)
        b = a.sin()
        torch.ops.parity_effects.notes(b, 2)
        torch.ops.parity_effects.notes(a, 1)
        return a + 1

    result = check(program, tensor(3))
    result.unchanged(0)
    result.values().expect("""\
out = float32[3] [1.686, -1.63, 0.761]
""")
    result.demand("value", "what the operators noted", [1, 2, 1], _noted(check, program, torch.ones(3)))


@clause("T12", entry=ANY)
def test_dead_computations_leave_the_graph(check: Check) -> None:
    """Pure operators, in-place ops on what nobody reads, and a pure custom operator are gone from the graph."""

    def program(a: torch.Tensor) -> torch.Tensor:
        unread = (a @ a.t()).exp()
        unread.mul_(2)[0].fill_(1)
        torch.ops.parity_effects.pure(a)
        return a * 3

    result = check(program, tensor(2, 2))
    result.unchanged(0)
    result.forward.expect("""\
def forward(self, arg0_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 3)
    return (mul,)
""")


def _doubled(gradient: torch.Tensor) -> torch.Tensor:
    return gradient * 2


def _tripled(gradient: torch.Tensor) -> torch.Tensor:
    return gradient * 3


def _fivefold(gradient: torch.Tensor) -> torch.Tensor:
    return gradient * 5


@clause("T12", modes="train")
def test_hooks_on_an_input_registered_and_removed(check: Check) -> None:
    """Of the hooks that a program registers on an input, those are called in backward that it has not removed."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first = a.register_hook(_doubled)
        a.register_hook(_tripled)
        first.remove()
        a.register_hook(_fivefold)
        return a * 2

    check(program, tensor(3)).gradient(0)
