"""Programs in pieces: what changes between calls, or is changed by the caller's side in the middle of one."""

from typing import Any

import torch

from suites.harness import Check, built, clause, leaf, tensor, view_of


@clause("reuse.graph-breaks", modes="train", fullgraph=False)
def test_values_across_a_graph_break(check: Check) -> None:
    """Tensors, numbers and containers made before a graph break are there after it, gradients included."""

    def program(a: torch.Tensor, scale: float) -> tuple[torch.Tensor, dict[str, Any]]:
        parts: dict[str, Any] = {"double": a * 2, "scale": scale + 1}
        torch._dynamo.graph_break()
        parts["sum"] = parts["double"].sum() * parts["scale"]
        return parts["double"] + a, parts

    result = check(program, calls=[(tensor(3), 2.0), (tensor(4), 2.0), (tensor(3), 0.5)], probe=False)
    result.gradient(0).shape("out[1]['sum']")


@clause("reuse.graph-breaks", "T3.1", modes="train", fullgraph=False)
def test_mutation_on_both_sides_of_a_graph_break(check: Check) -> None:
    """Writes to an input before and after a graph break, and to a view made before it, all reach the caller."""

    def program(a: torch.Tensor) -> torch.Tensor:
        tail = a[1:]
        a.mul_(2)
        torch._dynamo.graph_break()
        tail.add_(1)
        return a * tail.size(0)

    check(program, calls=[(tensor(4),), (tensor(6),), (tensor(4),)]).mutated(0).gradient(0)


@clause("reuse.graph-breaks", "T6.7", shapes="dynamic", fullgraph=False)
def test_aliases_across_a_graph_break(check: Check) -> None:
    """What is written after a graph break to one of two overlapping inputs shows in the other, in that call alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        total = a.sum()
        torch._dynamo.graph_break()
        b.mul_(3)
        return a + total, b

    base = tensor(5)
    calls = [(tensor(5), tensor(3)), (base, view_of(base, lambda t: t[1:4])), (tensor(5), tensor(3))]
    result = check(program, calls=calls, probe=False)
    result.mutated(1).unchanged(0)
    result.in_call(1).mutated(0)


@clause("reuse.graph-breaks", fullgraph=False)
def test_branch_on_data_between_graphs(check: Check) -> None:
    """A branch on a tensor's value is taken by the call's own data, and each side is right for other data."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        if doubled.sum() > 0:
            return doubled + 1
        return doubled - 1

    values = ([1, 2, 3], [-1, -2, -3], [4, -1, 2], [-4, 1, 2])
    result = check(program, calls=[(tensor(3, values=each),) for each in values])
    result.shape("out", 3)
    result.values().expect("""\
out = float32[3] [3, 5, 7]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-3, -5, -7]
""")


@clause("reuse.graph-breaks", fullgraph=False)
def test_state_changed_in_the_middle(check: Check) -> None:
    """A list that is changed between two graphs of one call is read by the second as it is then."""

    @torch.compiler.disable
    def note(seen: list[float], value: float) -> None:
        seen.append(value)

    def program(a: torch.Tensor, seen: list[float]) -> torch.Tensor:
        total = a * sum(seen)
        note(seen, len(seen) + 0.5)
        return total + sum(seen)

    result = check(program, calls=[(tensor(3), [1.0]), (tensor(3), [1.0, 4.0]), (tensor(3), [2.0])], probe=False)
    result.holds(1, [1.0, 1.5])


@clause("reuse.graph-breaks", modes="train", fullgraph=False)
def test_loop_with_a_graph_break_in_it(check: Check) -> None:
    """A loop that breaks the graph in each turn runs as often as the call says."""

    def step(a: torch.Tensor, turn: int) -> torch.Tensor:
        doubled = a * 2
        torch._dynamo.graph_break()
        return doubled + turn

    def program(a: torch.Tensor, turns: int) -> torch.Tensor:
        for turn in range(turns):
            a = step(a, turn)
        return a

    check(program, calls=[(leaf(3), turns) for turns in (2, 3, 0, 1)], probe=False).gradient(0)


@clause("reuse.graph-breaks", fullgraph=False)
def test_exception_behind_a_graph_break(check: Check) -> None:
    """An error raised behind a graph break is caught where the program catches it, and what came before stays."""

    def guarded(a: torch.Tensor, limit: float) -> None:
        a.mul_(2)
        torch._dynamo.graph_break()
        if limit > 1:
            raise ValueError("too much")
        a.add_(1)

    def program(a: torch.Tensor, limit: float) -> torch.Tensor:
        try:
            guarded(a, limit)
        except ValueError:
            a.sub_(5)
        return a + limit

    check(program, calls=[(tensor(3), 0.5), (tensor(3), 2.0), (tensor(3), 0.25)], probe=False).mutated(0)


@clause("reuse.graph-breaks", modes="train", fullgraph=False)
def test_function_that_runs_eagerly_in_the_middle(check: Check) -> None:
    """A helper kept out of compilation gets the call's own tensors, by identity, and its results are differentiable."""

    @torch.compiler.disable
    def helper(a: torch.Tensor, kept: list[torch.Tensor]) -> torch.Tensor:
        kept.append(a)
        return a.exp() if a.size(0) > 3 else a.sin()

    def program(a: torch.Tensor, kept: list[torch.Tensor]) -> torch.Tensor:
        return helper(a, kept) * 2 + kept[0].cos()

    result = check(program, calls=[(tensor(3), []), (tensor(5), []), (tensor(3), [])], probe=False)
    result.gradient(0).same_object("arg[1][0]", 0)


@clause("reuse.graph-breaks", fullgraph=False)
def test_block_without_autocast_around_a_graph_break(check: Check) -> None:
    """A block in which autocast is switched off, with its dtype told, is still such a block behind a graph break."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast(a.device.type, dtype=torch.bfloat16, enabled=False):
            before = a @ a
            torch._dynamo.graph_break()
            inside = before @ a
        return inside, inside @ a

    result = check(program, calls=[(tensor(3, 3),), (tensor(4, 4),)], probe=False)
    result.happened(result.facts("out[0]").dtype == "float32", "a product in float32")


@clause("reuse.graph-breaks", modes="train", fullgraph=False)
def test_modes_made_before_a_graph_break_and_entered_behind_it(check: Check) -> None:
    """Modes that were made before a graph break hold in their blocks behind it, and tensors deleted there are gone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        recording, low = torch.enable_grad(), torch.autocast(a.device.type, dtype=torch.bfloat16)
        first, second, third = a + 1, a + 2, a + 3
        torch._dynamo.graph_break()
        with recording:
            recorded = a * 3
        with low:
            product = first @ second
        del first
        return recorded, product, product.float() @ second + third

    result = check(program, calls=[(leaf(3, 3),), (leaf(4, 4),)], probe=False)
    dtypes = [result.facts(path).dtype for path in ("out[0]", "out[1]", "out[2]")]
    result.gradient(0).happened(dtypes == ["float32", "bfloat16", "float32"], "one product in bfloat16")


@clause("reuse.graph-breaks", "state.grad-modes", modes="train", fullgraph=False)
def test_no_grad_made_before_a_graph_break_ends_with_its_block(check: Check) -> None:
    """Behind the block of a `no_grad` that was made before a graph break, what is computed is recorded again."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        off = torch.no_grad()
        doubled = a * 2
        torch._dynamo.graph_break()
        with off:
            without = doubled * 2
        return without, doubled * 3

    result = check(program, calls=[(leaf(3),), (leaf(4),)], probe=False)
    result.no_grad("out[0]").requires_grad("out[1]").gradient(0)


@clause("reuse.graph-breaks", fullgraph=False)
def test_attributes_set_before_a_graph_break_keep_their_order(check: Check) -> None:
    """Attributes of a caller's object that were set before a graph break are there after it in the order of setting."""

    class Box:
        def __init__(self) -> None:
            self.kept = 1

    def program(a: torch.Tensor, box: Any) -> tuple[torch.Tensor, list[str]]:
        box.second = a * 2
        box.first = 3
        box.last = "text"
        torch._dynamo.graph_break()
        return a + box.second * box.first, list(vars(box))

    check(program, tensor(3), built(Box), probe=False).values().expect("""\
out[0] = float32[3] [4.805, -18.41, -1.673]
out[1][0] = str 'kept'
out[1][1] = str 'second'
out[1][2] = str 'first'
out[1][3] = str 'last'
arg[1].second = float32[3] [1.373, -5.26, -0.478]
""")
