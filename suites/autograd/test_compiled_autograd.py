"""Compiled autograd: a backward that the program itself calls is captured whole, with its hooks and accumulation."""

from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

from suites.harness import Check, built, clause, leaf, tensor, torch_internals
from suites.harness.clauses.result import Result

ON = {"dynamo.compiled_autograd": True}


class Recorded(torch.autograd.Function):
    """The cube; backward notes its call in a list and gives twice the gradient."""

    events: list[str]

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, events: list[str]) -> torch.Tensor:
        """Keep the list."""
        ctx.save_for_backward(a)
        ctx.events = events
        return a**3

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
        """A side effect beside the gradient."""
        (a,) = ctx.saved_tensors
        ctx.events.append(f"backward of {a.shape[0]} elements")
        return cotangent * 6 * a**2, None


class Breaking(torch.autograd.Function):
    """The sine; its backward cannot be captured in one graph."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """Save the input."""
        ctx.save_for_backward(a)
        return a.sin()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """Work on both sides of a graph break."""
        (a,) = ctx.saved_tensors
        first = cotangent * a.cos()
        torch._dynamo.graph_break()
        return first * 3 + 1


class _Captures:
    """How many backwards compiled autograd has captured since this was made."""

    def __init__(self) -> None:
        self._before = torch_internals.captured_backwards()

    def demand(self, check: Check) -> None:
        """At least one: else the clause's backward went another way."""
        seen = torch_internals.captured_backwards() - self._before
        check.demand("reuse", "compiled autograd captured the backward", True, seen > 0)


def _watched(a: torch.Tensor, events: list[str]) -> torch.Tensor:
    """A leaf whose hooks say when they are called."""
    a.register_post_accumulate_grad_hook(lambda leaf_: events.append("accumulated"))
    a.register_hook(lambda gradient: events.append("tensor, first"))
    a.register_hook(lambda gradient: events.append("tensor, second"))
    return a


def _order(result: Result) -> list[object]:
    return [entry.detail for path, entry in result.call.entries.items() if path.startswith("arg[1][")]


@clause("A21", modes="train", fullgraph=False)
def test_captured_backward_calls_hooks_of_leaves_in_their_order(check: Check) -> None:
    """Tensor hooks are called in the order of their registration, and hooks after accumulation last."""

    def program(a: torch.Tensor, events: list[str]) -> torch.Tensor:
        b = a.sin()
        (b * b.exp()).sum().backward()
        return b.detach()

    captures, events = _Captures(), built(list)
    result = check(program, built(_watched, leaf(3), events), events, config=ON)
    result.happened(_order(result) == ["tensor, first", "tensor, second", "accumulated"], "hooks in their order")
    captures.demand(check)


@clause("A21", modes="train", fullgraph=False)
def test_captured_backward_calls_hooks_of_nodes_in_their_order(check: Check) -> None:
    """A node's hook before it comes first, its hook after it next, then the hooks of the leaf."""

    def program(a: torch.Tensor, events: list[str]) -> torch.Tensor:
        b = a.sin()
        loss = (b * b.exp()).sum()
        torch._dynamo.graph_break()
        loss.grad_fn.register_prehook(lambda gradients: events.append("node, before"))  # type: ignore[union-attr]
        loss.grad_fn.register_hook(lambda inputs, outputs: events.append("node, after"))  # type: ignore[union-attr]
        loss.backward()
        return b.detach()

    events = built(list)
    result = check(program, built(_watched, leaf(3), events), events, config=ON)
    order = ["node, before", "node, after", "tensor, first", "tensor, second", "accumulated"]
    result.happened(_order(result) == order, "hooks in their order")


@clause("A21", modes="train", fullgraph=False)
def test_captured_backward_applies_what_hooks_return(check: Check) -> None:
    """Hooks on a leaf and on an intermediate change the gradient that a captured backward accumulates."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        b.register_hook(lambda gradient: gradient * 3 + 1)
        a.register_hook(lambda gradient: gradient * 2 - 1)
        (b * 5).sum().backward()
        return b.detach()

    captures = _Captures()
    check(program, leaf(3), config=ON).gradient(0)
    captures.demand(check)


@clause("A22", modes="train", fullgraph=False)
def test_captured_backward_accumulates_on_top_of_what_is_there(check: Check) -> None:
    """Two captured backwards in one call leave the sum of both in the leaf's gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        (a.sin() * b).sum().backward()
        (a.exp() * 3).sum().backward()
        return a.detach() + 1

    captures = _Captures()
    check(program, leaf(3), leaf(3), config=ON).gradient(0, 1)
    captures.demand(check)


@clause("A22", modes="train", fullgraph=False)
def test_captured_backward_keeps_a_sparse_gradient(check: Check) -> None:
    """The sparse gradient of an embedding arrives sparse, with a row for each use."""

    def program(table: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        looked_up = torch.nn.functional.embedding(rows.clone(), table, sparse=True)
        (looked_up * looked_up).sum().backward()
        return looked_up.detach()

    captures = _Captures()
    check(program, leaf(5, 2), tensor(3, dtype=torch.int64, values=[0, 2, 2]), config=ON).sparse_gradient(0)
    captures.demand(check)


@clause("A22", modes="train", fullgraph=False)
def test_captured_backward_accumulates_sparse_gradients(check: Check) -> None:
    """A second sparse gradient, with other rows, is added to the first, and the sum stays sparse."""

    def program(table: torch.Tensor, rows: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
        first = torch.nn.functional.embedding(rows, table, sparse=True)
        first.sum().backward()
        second = torch.nn.functional.embedding(others, table, sparse=True)
        (second * 3).sum().backward()
        return first.detach()

    captures = _Captures()
    rows = tensor(3, dtype=torch.int64, values=[0, 2, 2]), tensor(2, dtype=torch.int64, values=[2, 4])
    check(program, leaf(5, 2), *rows, config=ON).sparse_gradient(0)
    captures.demand(check)


@clause("A22", "A23", modes="train", fullgraph=False)
def test_captured_backward_of_a_function_with_a_side_effect(check: Check) -> None:
    """The backward of a Function runs in a captured backward, its side effect on a list included, once a call."""

    def program(a: torch.Tensor, events: list[str]) -> torch.Tensor:
        b = Recorded.apply(a, events)
        b.sum().backward()
        return b.detach()

    captures = _Captures()
    result = check(program, calls=[(leaf(3), built(list)), (leaf(3), built(list))], config=ON)
    result.happened("arg[1][0]" in result.call.entries, "a backward that notes its call").gradient(0)
    captures.demand(check)


@clause("A22", modes="train", fullgraph=False)
def test_captured_backward_with_a_graph_break(check: Check) -> None:
    """A graph break in a Function's backward splits the captured graph and leaves the gradient what it is."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = Breaking.apply(a * 2)
        (b * b).sum().backward()
        return b.detach()

    captures = _Captures()
    check(program, leaf(3), config=ON).gradient(0)
    captures.demand(check)


@clause("A22", modes="train", shapes=("static", "dynamic"), fullgraph=False)
def test_captured_backward_for_other_sizes(check: Check) -> None:
    """A captured backward is right for the sizes of each of three calls."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        loss = ((a @ b).sin() * a.shape[0]).sum()
        loss.backward()
        return loss.detach()

    captures = _Captures()
    scripts = [(leaf(rows, 3), leaf(3, 2)) for rows in (4, 5, 7)]
    check(program, calls=scripts, config=ON).gradient(0, 1)
    captures.demand(check)


@clause("A23", modes="train", fullgraph=False)
def test_captured_backward_recomputes_a_checkpoint(check: Check) -> None:
    """A checkpointed part is recomputed in a captured backward, and its gradient is the same."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return (a.sin() * a).exp()

    def program(a: torch.Tensor) -> torch.Tensor:
        b = checkpoint(part, a * 2, use_reentrant=False)
        (b * b).sum().backward()
        return b.detach()

    captures = _Captures()
    check(program, leaf(3), config=ON).gradient(0)
    captures.demand(check)


@clause("A23", modes="train", fullgraph=False)
def test_captured_backward_in_anomaly_mode(check: Check) -> None:
    """In anomaly mode a captured backward refuses a gradient that is not a number, as eager's does."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.autograd.detect_anomaly():
            loss = (a * 0).sqrt().sum()
            (loss * 0).backward()
        return loss.detach()

    check(program, leaf(3, values=[1.0, 2.0, 3.0]), config=ON).raised("nan")


@clause("A23", "D13", modes="train", fullgraph=False)
def test_captured_backward_of_a_backward_is_right_or_refused(check: Check) -> None:
    """Under compiled autograd a derivative of a derivative is eager's, or a refusal that speaks of it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        (gradient,) = torch.autograd.grad(((a * a).sin() * a).sum(), a, create_graph=True)
        return torch.autograd.grad((gradient * a).sum(), a)[0]

    a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    expected = program(a)
    with check.compiled(program, fullgraph=False, config={**ON, "functorch.donated_buffer": False}) as compiled:
        try:
            seen = compiled(a)
            result: object = torch.allclose(seen, expected) or seen.tolist()
        except RuntimeError as error:
            refused = "double backward" in str(error) or "higher order gradients" in str(error)
            result = refused or str(error)
    check.demand("autograd", "double backward is as eager's or refused", True, result)


@clause("A21", "A22", modes="train", fullgraph=False)
def test_backward_inside_of_the_program_without_capture(check: Check) -> None:
    """With compiled autograd off, a backward that the program calls runs on its graphs, and gradients accumulate."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        b.register_hook(lambda gradient: gradient * 2 + 1)
        (a.sin() * b).sum().backward()
        (a.exp() * b).sum().backward()
        return a.detach() + 1

    check(program, leaf(3), leaf(3)).gradient(0, 1)
