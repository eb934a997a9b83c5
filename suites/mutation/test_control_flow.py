"""Writes from inside of `torch.cond` and `torch.while_loop`: which tensor outside has them afterwards."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor


def _start(beside: torch.Tensor) -> torch.Tensor:
    return torch.zeros((), dtype=torch.int64, device=beside.device)


def grow(a: torch.Tensor) -> torch.Tensor:
    """A branch that adds to its operand."""
    a.add_(10)
    return a.sum()


def shrink(a: torch.Tensor) -> torch.Tensor:
    """A branch that halves its operand."""
    a.mul_(0.5)
    return a.sum()


@clause("T3.1", torch=">=2.13")
def test_branch_that_writes_to_an_argument(check: Check) -> None:
    """A branch that writes to its operand changes the caller's tensor as that branch does, and the other not at all."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.cond(a.sum() > 0, grow, shrink, (a,))

    calls = [(tensor(2, values=values),) for values in ([1.0, 2.0], [-1.0, -2.0])]
    check(program, calls=calls).mutated(0)


@clause("T3.1", torch=">=2.13")
def test_branch_that_writes_to_what_was_written_before(check: Check) -> None:
    """A branch that writes to an argument which the program wrote to before it adds to that write."""

    def program(a: torch.Tensor) -> Any:
        a.add_(1)
        return torch.cond(a.sum() > 0, grow, shrink, (a,)), a * 2

    calls = [(tensor(2, values=values),) for values in ([1.0, 2.0], [-3.0, -4.0])]
    check(program, calls=calls).mutated(0)


@clause("T3.1", torch=">=2.13")
def test_body_of_a_loop_that_writes_to_an_argument(check: Check) -> None:
    """A loop whose body writes to a tensor from outside of it writes there once for every turn."""

    def program(a: torch.Tensor) -> Any:
        def body(turn: torch.Tensor) -> tuple[torch.Tensor]:
            a.mul_(2)
            return (turn + 1,)

        return torch.while_loop(lambda turn: turn < 3, body, (_start(a),))[0], a + 1

    result = check(program, tensor(2, values=[1.0, -3.0])).mutated(0)
    result.happened(result.value("arg[0]").tolist() == [8.0, -24.0], "three writes")


@clause("T3.1", torch=">=2.13")
def test_condition_of_a_loop_that_writes_to_an_argument(check: Check) -> None:
    """A loop whose condition writes to a tensor from outside of it writes there each time that it is asked."""

    def program(a: torch.Tensor) -> Any:
        def condition(turn: torch.Tensor) -> torch.Tensor:
            a.add_(1)
            return turn < 3

        return torch.while_loop(condition, lambda turn: (turn + 1,), (_start(a),))[0], a * 2

    result = check(program, tensor(2, values=[1.0, -3.0])).mutated(0)
    result.happened(result.value("arg[0]").tolist() == [5.0, 1.0], "four writes")


@clause("T3.1", torch=">=2.13")
def test_condition_that_writes_to_what_was_written_before(check: Check) -> None:
    """A loop whose condition writes to an argument which the program wrote to before the loop adds to that write."""

    def program(a: torch.Tensor) -> Any:
        def condition(turn: torch.Tensor) -> torch.Tensor:
            a.add_(1)
            return turn < 3

        a.mul_(10)
        return torch.while_loop(condition, lambda turn: (turn + 1,), (_start(a),))[0], a * 2

    result = check(program, tensor(2, values=[1.0, -3.0])).mutated(0)
    result.happened(result.value("arg[0]").tolist() == [14.0, -26.0], "one write and four")


@clause("mutation.overlapping-views")
def test_write_to_the_result_of_a_loop_without_a_turn(check: Check) -> None:
    """A loop that makes no turn gives copies of what it was given: a write to the one leaves the other alone."""

    def program(a: torch.Tensor) -> Any:
        b = a.sin()
        _, carried = torch.while_loop(lambda turn, c: turn < 0, lambda turn, c: (turn + 1, c + 1), (_start(b), b))
        return carried.mul_(100), b.add_(1)

    result = check(program, tensor(3)).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[3] [63.38, -48.95, -23.67]
out[1] = float32[3] [1.634, 0.5105, 0.7633]
""")
