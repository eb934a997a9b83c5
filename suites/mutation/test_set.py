"""`set_` of an input: the caller's tensor is pointed at other memory.

Dynamo takes no `set_` of an input into a graph: with graph breaks allowed the program still means the same.
"""

import torch

from suites.harness import AOT_FUNCTION, Check, clause, tensor, view_of


@clause(
    "T5.4",
    modes=("no_grad", "train"),
    shapes=("static", "dynamic"),
    entry=AOT_FUNCTION,
    golden="aot_function_keep_mutations",
)
def test_set_replaces_the_data_that_the_caller_sees(check: Check) -> None:
    """After `set_` to a tensor made in the program, the caller's input has its data, and one `set_` ends the graph."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.set_(b * 2)  # type: ignore[call-overload]
        return a + 1

    result = check(program, tensor(3, grad=False), tensor(3, grad=False))
    result.mutated(0).distinct(0, 1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg1_1, 2)
    add = torch.ops.aten.add.Tensor(mul, 1)
    set_ = torch.ops.aten.set_.source_Tensor(arg0_1, mul)
    return (add,)
""")


@clause("T5.4", entry=AOT_FUNCTION)
def test_two_sets_that_cancel_out_leave_none(check: Check) -> None:
    """An input set to other memory and back to its own is untouched, and no `set_` is left in the graph."""

    def program(a: torch.Tensor) -> torch.Tensor:
        own = a.view(-1)
        a.set_(torch.zeros(3, 3, device=a.device))  # type: ignore[call-overload]
        emptied = a * 1
        a.set_(own.view(3, 3))  # type: ignore[call-overload]
        return emptied

    result = check(program, tensor(3, 3, grad=False))
    result.unchanged(0).shape("out", 3, 3)
    result.forward.expect("""\
def forward(self, arg0_1):
    zeros = torch.ops.aten.zeros.default([3, 3])
    mul = torch.ops.aten.mul.Tensor(zeros, 1)
    return (mul,)
""")


@clause("T5.5", entry=AOT_FUNCTION)
def test_set_to_another_input_then_mutating_that_one(check: Check) -> None:
    """An input set to another one shares its memory: a later write to the source shows in both."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.set_(b)  # type: ignore[call-overload]
        b.mul_(2)
        return a + 1

    result = check(program, tensor(3, grad=False), tensor(3, grad=False))
    result.mutated(0, 1).aliases(0, 1)


@clause("T5.6", modes=("no_grad", "train"), entry=AOT_FUNCTION)
def test_mutating_an_input_after_set(check: Check) -> None:
    """An in-place op on an input after its `set_` writes to the new memory, and the caller sees it there."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.set_(b * 2)  # type: ignore[call-overload]
        a.add_(1)
        return a * 3

    check(program, tensor(3, grad=False), tensor(3, grad=False)).mutated(0).unchanged(1)


@clause("T5.6", entry=AOT_FUNCTION)
def test_mutating_an_old_view_after_set(check: Check) -> None:
    """A view taken before `set_` keeps the old memory: a write through it does not reach the input any more."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        old = a.view(-1)
        a.set_(b)  # type: ignore[call-overload]
        old.mul_(2)
        return a + 1

    check(program, tensor(3, grad=False), tensor(3, grad=False)).mutated(0)


@clause("T5.7", shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_set_to_a_view_takes_over_its_memory(check: Check) -> None:
    """An input set to a view of another input shares that one's memory at the view's offset, and sees writes to it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.set_(b[1:])  # type: ignore[call-overload]
        return a * 2

    check(program, tensor(2, grad=False), tensor(3, grad=False)).mutated(0).aliases(0, 1)


@clause("T5.4", modes=("no_grad", "train"), fullgraph=False)
def test_set_in_a_compiled_program(check: Check) -> None:
    """Through torch.compile, by a graph break, `set_` points the caller's tensor at the new memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.set_(b * 2)  # type: ignore[call-overload]
        return a + 1

    check(program, tensor(3, grad=False), tensor(3, grad=False)).mutated(0).distinct(0, 1)


@clause("T5.5", "D13", fullgraph=False)
def test_set_to_another_input_in_a_compiled_program(check: Check) -> None:
    """Through torch.compile, by a graph break, two inputs share memory after `set_`, and each shows later writes."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.set_(b)  # type: ignore[call-overload]
        b.mul_(2)
        return a + 1

    check(program, tensor(3, grad=False), tensor(3, grad=False)).mutated(0, 1).aliases(0, 1)


@clause("T5.4", "D13", modes=("no_grad", "train"))
def test_data_attribute_is_assigned(check: Check) -> None:
    """Assigning `.data` points the caller's tensor at the new value and leaves its place in autograd alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.data = b * 2
        return a + 1

    check(program, tensor(3), tensor(3, grad=False)).mutated(0).gradient(0)


@clause("T5.7", fullgraph=False)
def test_view_of_the_old_memory_outlives_set(check: Check) -> None:
    """Of a base and its view, `set_` of the base leaves the view on the old memory, apart from the base's new one."""

    def program(base: torch.Tensor, view: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        base.set_(new)  # type: ignore[call-overload]
        view.mul_(2)
        return base + 1

    base = tensor(4, grad=False)
    result = check(program, base, view_of(base, lambda t: t[:2]), tensor(4, grad=False))
    result.mutated(0, 1).aliases(0, 2).distinct(0, 1)
