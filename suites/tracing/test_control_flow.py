"""Branches and loops that are operators, `torch.cond`, `torch.while_loop`, `scan` and `map`: reads and results."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor, torch_internals

associative_scan, scan = torch_internals.scans()
mapped = torch_internals.mapped()


def _start(beside: torch.Tensor) -> torch.Tensor:
    return torch.zeros((), dtype=torch.int64, device=beside.device)


def _running_sums(rows: torch.Tensor) -> Any:
    def step(carried: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return carried + row, carried * row

    return scan(step, torch.ones(2, device=rows.device), rows, dim=0)


@clause("control-flow.operators")
def test_scan_in_a_whole_graph(check: Check) -> None:
    """`scan` gives what is carried out of the last turn, and what each turn gave, with other rows in another call."""
    check(_running_sums, tensor(3, 2, values=[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])).values().expect("""\
out[0] = float32[2] [10, 5]
out[1] = float32[3, 2] [[1, 2], [6, -12], [25, -6]]
""")


@clause("control-flow.operators", fullgraph=False)
def test_scan_where_graphs_may_break(check: Check) -> None:
    """`scan` is the same where graph breaks are allowed."""
    check(_running_sums, tensor(3, 2, values=[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])).values().expect("""\
out[0] = float32[2] [10, 5]
out[1] = float32[3, 2] [[1, 2], [6, -12], [25, -6]]
""")


def _doubled_rows(rows: torch.Tensor) -> Any:
    return mapped(lambda row: (row * 2, row.sum()), rows)


@clause("control-flow.operators")
def test_map_in_a_whole_graph(check: Check) -> None:
    """`map` gives what its function makes of each row, stacked."""
    check(_doubled_rows, tensor(3, 2, values=[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])).values().expect("""\
out[0] = float32[3, 2] [[2, 4], [6, -8], [10, 12]]
out[1] = float32[3] [3, -1, 11]
""")


@clause("control-flow.operators", fullgraph=False)
def test_map_where_graphs_may_break(check: Check) -> None:
    """`map` is the same where graph breaks are allowed."""
    check(_doubled_rows, tensor(3, 2, values=[[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])).values().expect("""\
out[0] = float32[3, 2] [[2, 4], [6, -8], [10, 12]]
out[1] = float32[3] [3, -1, 11]
""")


@clause("control-flow.operators", fullgraph=False)
def test_branches_and_loops_where_graphs_may_break(check: Check) -> None:
    """`cond`, `while_loop` and `associative_scan` are the same where graph breaks are allowed, behind a break too."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        def body(turn: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return turn + 1, b * 2 + turn

        def add(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            return left + right

        taken = torch.cond(a.sum() > 0, lambda b: b + 1, lambda b: b - 1, (a,))
        torch._dynamo.graph_break()
        turns, looped = torch.while_loop(lambda turn, b: turn < 3, body, (_start(a), taken))
        return {
            "taken": taken,
            "turns": turns,
            "looped": looped,
            "scanned": associative_scan(add, looped, 0, combine_mode="generic"),
        }

    calls = [(tensor(2, values=values),) for values in ([1.0, 2.0], [-1.0, -2.0])]
    check(program, calls=calls).values().expect("""\
out['taken'] = float32[2] [2, 3]
out['turns'] = int64[] 3
out['looped'] = float32[2] [20, 28]
out['scanned'] = float32[2] [20, 48]
""")


@clause("control-flow.operators")
def test_one_tensor_as_two_states_of_a_loop(check: Check) -> None:
    """A loop that is given one tensor for two of its states carries each of them on by itself."""

    def program(a: torch.Tensor) -> Any:
        def body(turn: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return turn + 1, b + 1, c * 2

        return torch.while_loop(lambda turn, b, c: turn < 3, body, (_start(a), a, a))

    check(program, tensor(3, values=[0.0, 1.0, -2.0])).computed()


@clause("control-flow.operators")
def test_tensor_that_a_loop_carries_and_reads(check: Check) -> None:
    """A tensor that is a loop's first state and is read by its body is read as it was before the loop."""

    def program(a: torch.Tensor) -> Any:
        def body(turn: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return turn + 1, b * 2 + a

        return torch.while_loop(lambda turn, b: turn < 3, body, (_start(a), a))

    check(program, tensor(3, values=[0.0, 1.0, -2.0])).computed()


@clause("control-flow.operators")
def test_states_of_a_loop_that_are_exchanged(check: Check) -> None:
    """A tensor and its copies are states of a loop that change places in each turn, and one is read as it was."""

    def program(a: torch.Tensor) -> Any:
        read = a * 1

        def body(turn: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return turn + 1, c + read, b * 2

        return torch.while_loop(lambda turn, b, c: turn < 3, body, (_start(a), a, a.clone()))

    check(program, tensor(3, values=[0.0, 1.0, -2.0])).values().expect("""\
out[0] = int64[] 3
out[1] = float32[3] [0, 5, -10]
out[2] = float32[3] [0, 6, -12]
""")


@clause("control-flow.operators")
def test_loop_without_a_turn(check: Check) -> None:
    """A loop that makes no turn gives copies of its states, which are arguments or were computed."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        def body(turn: torch.Tensor, *states: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return turn + 1, *(state + 1 for state in states)

        c = b * 2
        return torch.while_loop(lambda turn, *states: turn < 0, body, (_start(a), a, b.t(), c)), c

    result = check(program, tensor(3, values=[0.0, 1.0, -2.0]), tensor(2, 3))
    result.distinct("out[0][1]", 0).distinct("out[0][2]", 1).distinct("out[0][3]", "out[1]")
    result.values().expect("""\
out[0][0] = int64[] 0
out[0][1] = float32[3] [0, 1, -2]
out[0][2] = float32[3, 2] [[0.6865, -1.382], [-2.63, -0.4561], [-0.239, 1.015]]
out[0][3] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
out[1] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
""")


@clause("control-flow.operators")
def test_number_that_a_loop_carries(check: Check) -> None:
    """A number of Python is a state of a loop, which counts its turns and comes back."""

    def program(a: torch.Tensor) -> Any:
        return torch.while_loop(lambda turn, b: turn < 4, lambda turn, b: (turn + 1, b * 2), (0, a))

    check(program, tensor(3, values=[0.0, 1.0, -2.0])).values("out[1]").expect("""\
out[1] = float32[3] [0, 16, -32]
""")


def _powers(a: torch.Tensor, turns: int, factor: float) -> Any:
    def body(turn: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return turn + 1, b * factor

    return torch.while_loop(lambda turn, b: turn < turns, body, (_start(a), a))


@clause("control-flow.operators")
def test_number_of_turns_of_a_loop(check: Check) -> None:
    """A whole number of Python that a loop's condition closes over is that of the call."""
    result = check(_powers, calls=[(tensor(3), turns, 2.0) for turns in (2, 3, 0)])
    result.in_call(1).values().expect("""\
out[0] = int64[] 3
out[1] = float32[3] [-4.022, -2.183, -0.5443]
""")


@clause("control-flow.operators", torch="<2.15")
def test_factor_that_a_loop_reads(check: Check) -> None:
    """A float of Python that a loop's body closes over is that of the call; on 2.15 eager refuses the second one."""
    result = check(_powers, calls=[(tensor(3), 2, factor) for factor in (2.0, 0.5, 3.0)])
    result.in_call(1).values().expect("""\
out[0] = int64[] 2
out[1] = float32[3] [-0.1257, -0.06822, -0.01701]
""")


def _scaled_or_shifted(a: torch.Tensor, number: float) -> torch.Tensor:
    return torch.cond(a.sum() > 0, lambda b: b * number, lambda b: b + number, (a,))


def _both_ways(*numbers: float) -> list[Any]:
    data = [[1.0, 2.0], [-1.0, -2.0]] * 2
    return [(tensor(2, values=values), number) for values, number in zip(data, numbers, strict=True)]


@clause("control-flow.operators", torch="<2.15")
def test_factor_that_a_branch_reads(check: Check) -> None:
    """A float of Python that a branch closes over is that of the call; on 2.15 eager refuses the second one."""
    check(_scaled_or_shifted, calls=_both_ways(2.0, 0.5, 3.0, 0.25)).computed()


@clause("control-flow.operators")
def test_whole_number_that_a_branch_reads(check: Check) -> None:
    """A whole number of Python that a branch closes over is that of the call, in either branch."""
    result = check(_scaled_or_shifted, calls=_both_ways(2, 5, 3, 4))
    result.in_call(1).values().expect("""\
out = float32[2] [4, 3]
""")
    result.in_call(2).values().expect("""\
out = float32[2] [3, 6]
""")


@clause("control-flow.operators")
def test_strides_of_what_a_branch_computes(check: Check) -> None:
    """What either branch makes of a turned tensor lies in memory as eager's does, and is read as it lies."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        turned = a.t()
        plain = torch.cond(
            a.sum() > 0,
            lambda b: (b + 1).contiguous(),
            lambda b: b.clone(memory_format=torch.contiguous_format),
            (turned,),
        )
        kept = torch.cond(a.sum() > 0, lambda b: b * 2, lambda b: b - 3, (turned,))
        images = torch.cond(
            a.sum() > 0,
            lambda b: (b.expand(2, 3, *b.shape) * 4).to(memory_format=torch.channels_last),
            lambda b: (b.expand(2, 3, *b.shape) - 5).contiguous(memory_format=torch.channels_last),
            (a,),
        )
        return {
            "plain": plain,
            "kept": kept,
            "images": images,
            "read": plain @ a + kept @ a,
            "summed": images.sum((1, 2)),
        }

    rows = [[float(3 * row + column + 1) for column in range(3)] for row in range(4)]
    both = rows, [[-number for number in row] for row in rows]
    check(program, calls=[(tensor(4, 3, values=values),) for values in both]).computed()
