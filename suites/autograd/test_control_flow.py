"""Gradients through `torch.cond`, `torch.while_loop` and scans: of what was taken, turn by turn."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, clause, leaf, tensor, torch_internals

associative_scan, scan = torch_internals.scans()

#: Inductor reads the number of the turn from a tensor.
CAPTURED = {"dynamo.capture_scalar_outputs": True}


@clause("A13", modes="train")
def test_gradient_of_the_branch_that_was_taken(check: Check) -> None:
    """The gradient is that of the branch which the call's own data choose; what that branch leaves out gets zeros."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cond(a.sum() > 0, lambda x, y: x.sin() * 2, lambda x, y: x * y.exp(), (a, b))

    calls = [(tensor(2, values=values), leaf(2)) for values in ([1.0, 2.0], [-1.0, -2.0], [3.0, 1.0])]
    check(program, calls=calls).gradient(0, 1)


@clause("A13", modes="train")
def test_gradient_of_what_a_branch_closes_over(check: Check) -> None:
    """A tensor that a branch of a branch closes over gets its gradient in the calls that come there."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        def inner(x: torch.Tensor) -> torch.Tensor:
            return torch.cond(x.amax() > 2, lambda y: y * weight, lambda y: y + weight.cos(), (x,))

        return torch.cond(a.sum() > 0, inner, lambda x: x * 4 * weight.detach(), (a,))

    calls = [(tensor(2, values=values), leaf(2)) for values in ([1.0, 3.0], [1.0, 1.5], [-1.0, -2.0])]
    check(program, calls=calls).gradient(0, 1)


@clause("A13", modes="train")
def test_gradient_through_the_turns_of_a_loop(check: Check) -> None:
    """Backward of a loop goes back through as many turns as the call made, and sums up what they give its weight."""

    def program(a: torch.Tensor, weight: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
        def body(turn: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return turn + 1, b.sin() * weight

        return torch.while_loop(lambda turn, b: turn < turns, body, (torch.zeros((), dtype=torch.int64), a * 1))[1]

    calls = [(tensor(3), leaf(3), tensor(dtype=torch.int64, values=[turns])) for turns in (3, 1)]
    check(program, calls=calls).gradient(0, 1)


@clause("A13", modes="train")
def test_gradient_of_a_running_product(check: Check) -> None:
    """The gradient of an associative scan, forwards and backwards in order, is that of the running products."""

    def program(a: torch.Tensor) -> Any:
        def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return x * y

        first = associative_scan(product, a, 0, combine_mode="generic")
        return first, associative_scan(product, a, 1, reverse=True, combine_mode="generic")

    check(program, tensor(5, 3)).gradient(0).shape("out[1]", 5, 3)


@clause("A13", modes="train")
def test_gradient_of_one_part_of_a_scan(check: Check) -> None:
    """Of a scan over pairs of which one half is returned alone, both halves of the pairs have their gradients."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        def compose(left: Any, right: Any) -> Any:
            return left[0] * right[0], right[1] + right[0] * left[1]

        return associative_scan(compose, (a, b), 0, combine_mode="generic")[1]

    check(program, tensor(5, 3), tensor(5, 3)).gradient(0, 1)


def _recurrence(
    state_of: Callable[[torch.Tensor], torch.Tensor], rows: torch.Tensor, weight: torch.Tensor
) -> torch.Tensor:
    def step(carried: torch.Tensor, row: torch.Tensor) -> Any:
        state = state_of(carried * weight + row)
        return state, state * 2

    return scan(step, torch.zeros(3, device=rows.device), rows)[1]


@clause("A13", modes="train")
def test_gradient_of_a_recurrence(check: Check) -> None:
    """A recurrence over rows has gradients for its weight, from every row, and for the rows."""

    def program(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return _recurrence(torch.sin, rows, weight)

    check(program, tensor(4, 3), leaf(3), config=CAPTURED).gradient(0, 1)


@clause("A13", modes="train")
def test_gradient_of_a_recurrence_over_another(check: Check) -> None:
    """Of two recurrences, the second over what the first gave, both weights and the rows have their gradients."""

    def program(rows: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return _recurrence(torch.sin, _recurrence(torch.sin, rows, first), second)

    check(program, tensor(4, 3), leaf(3), leaf(3), config=CAPTURED).gradient(0, 1, 2)


@clause("A13", modes="train")
def test_gradient_of_a_recurrence_that_saves_its_state(check: Check) -> None:
    """A recurrence whose state is what backward needs, a hyperbolic tangent, has gradients for weight and rows."""

    def program(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return _recurrence(torch.tanh, rows, weight)

    check(program, tensor(4, 3), leaf(3), config=CAPTURED).gradient(0, 1)


@clause("control-flow.operators", modes="train")
def test_gradient_of_what_branches_multiply_and_sum(check: Check) -> None:
    """A tensor that one branch multiplies by and the other sums gets the gradient of the branch that was taken."""

    def program(a: torch.Tensor, taken: torch.Tensor) -> torch.Tensor:
        v = a * 2
        return torch.cond(taken, lambda b: b * v, lambda b: b + v.sum(), (a,))

    calls = [(tensor(2, 3), tensor(dtype=torch.bool, values=[taken])) for taken in (True, False)]
    check(program, calls=calls).gradient(0).computed()


@clause("control-flow.operators", modes="train")
def test_gradients_of_branches_that_reduce(check: Check) -> None:
    """Branches that reduce in several ways give gradients of the branch that was taken, expanded or not."""

    def program(a: torch.Tensor, taken: torch.Tensor) -> dict[str, torch.Tensor]:
        v = a * 2
        return {
            "operand": torch.cond(taken, lambda b: b.sum(), lambda b: (b * b).sum(), (a,)),
            "rows": torch.cond(taken, lambda b: b.mean(0), lambda b: b.amax(0), (a,)),
            "closed over": torch.cond(taken, lambda b: b * v, lambda b: b + v, (a,)),
            "reduced before": torch.cond(taken, lambda b, c: b * c, lambda b, c: b + c, (a, v.sum())),
        }

    calls = [(tensor(2, 3), tensor(dtype=torch.bool, values=[taken])) for taken in (True, False)]
    check(program, calls=calls).gradient(0).computed()


@clause("control-flow.operators", modes="train", fullgraph=False)
def test_gradient_of_a_recurrence_where_graphs_may_break(check: Check) -> None:
    """A recurrence over rows has the gradients of its weight and of the rows where graph breaks are allowed."""

    def program(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return _recurrence(torch.sin, rows, weight)

    check(program, tensor(4, 3), leaf(3)).gradient(0, 1)


@clause("control-flow.operators", modes="train")
def test_gradient_of_what_only_one_branch_closes_over(check: Check) -> None:
    """Tensors that one branch alone closes over are its own, and get its gradient in the calls that take it."""

    def program(a: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor, taken: torch.Tensor) -> torch.Tensor:
        return torch.cond(taken, lambda x: x * scale, lambda x: x.cos() - shift, (a,))

    flags = [tensor(dtype=torch.bool, values=[taken]) for taken in (True, False)]
    check(program, calls=[(tensor(3), tensor(3), tensor(3), flag) for flag in flags]).gradient(0, 1, 2)


@clause("A13", modes="train")
def test_gradient_of_a_recurrence_along_another_dimension(check: Check) -> None:
    """A scan along the second dimension, forwards and backwards in order, lays its results along that dimension."""

    def program(columns: torch.Tensor, weight: torch.Tensor) -> Any:
        def step(carried: torch.Tensor, column: torch.Tensor) -> Any:
            state = torch.sin(carried * weight + column)
            return state, state * 2

        start = torch.zeros(3, device=columns.device)
        last, along = scan(step, start, columns, dim=1)
        return last, along, scan(step, start, columns, dim=1, reverse=True)[1]

    check(program, tensor(3, 4), leaf(3), config=CAPTURED).gradient(0, 1)
