"""Inputs that start or stop requiring grad inside of the program."""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, clause, leaf, tensor, view_of


@clause("T4.4", modes=("train", "no_grad"), fullgraph=False)
def test_requires_grad_turned_on_for_an_input(check: Check) -> None:
    """`requires_grad_` on an input makes it a differentiable leaf, and what is computed of it requires grad."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        b.mul_(2)
        a.requires_grad_()
        return a * b

    result = check(program, tensor(3, grad=False), tensor(3, grad=False))
    result.mutated(1).requires_grad(0, "out").no_grad(1)


@clause("T4.4", modes="train", entry=AOT_FUNCTION)
def test_requires_grad_turned_on_for_a_traced_input(check: Check) -> None:
    """`requires_grad_` traced by AOTAutograd makes the caller's tensor, and the output, require grad."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.requires_grad_()
        return a * 2

    check(program, tensor(3, grad=False)).requires_grad(0, "out")


@clause("T4.4", modes=("train", "no_grad"), fullgraph=False)
def test_requires_grad_turned_off_for_a_leaf(check: Check) -> None:
    """`requires_grad_(False)` freezes a leaf: what is computed of it afterwards does not require grad."""

    def program(parameter: torch.Tensor, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = parameter * a
        parameter.requires_grad_(False)
        return before, parameter * 2

    result = check(program, leaf(3), tensor(3))
    result.no_grad(0, "out[1]").requires_grad("out[0]")


@clause("T4.4", modes="train", fullgraph=False)
def test_input_is_detached_in_place(check: Check) -> None:
    """`detach_` of an input makes the caller's tensor a leaf without grad, and cuts the gradient there."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.detach_()
        return a * b

    result = check(program, tensor(3), tensor(3))
    result.no_grad(0).requires_grad("out").no_gradient(0).gradient(1)


@clause("T4.4", modes="train", entry=AOT_FUNCTION)
def test_traced_input_is_detached_in_place(check: Check) -> None:
    """`detach_` traced by AOTAutograd makes the caller's tensor a leaf without grad."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.detach_()
        return a * b

    check(program, tensor(3), tensor(3)).no_grad(0).no_gradient(0)


@clause("T4.6", modes="train", entry=ANY)
def test_input_becomes_differentiable_by_adding_a_differentiable_one(check: Check) -> None:
    """`x.add_(y)` makes an input without grad carry the history of `y`; no `copy_` of it is in the graph."""

    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(y)
        return x * 2

    result = check(program, tensor(3, grad=False), tensor(3))
    result.mutated(0).requires_grad(0, "out").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    add = torch.ops.aten.add.Tensor(clone, primals_2)
    mul = torch.ops.aten.mul.Tensor(add, 2)
    return (add, mul)
""")


@clause("T4.6", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_input_becomes_differentiable_through_its_view(check: Check) -> None:
    """A differentiable value assigned to one row makes the whole input require grad."""

    def program(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x[1] = y.exp()
        return x * 2

    result = check(program, tensor(3, 2, grad=False), tensor(2))
    result.mutated(0).requires_grad(0).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_2)
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    select = torch.ops.aten.select.int(clone, 0, 1)
    copy = torch.ops.aten.copy.default(select, exp)
    select_scatter = torch.ops.aten.select_scatter.default(clone, copy, 0, 1)
    mul = torch.ops.aten.mul.Tensor(select_scatter, 2)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (select_scatter, mul, detach_1)
""")


@clause("T4.6", modes="train", entry=ANY)
def test_base_becomes_differentiable_by_a_write_to_its_view(check: Check) -> None:
    """When a view without grad is handed in and takes a differentiable value, its base requires grad as well."""

    def program(x: torch.Tensor, y: torch.Tensor) -> None:
        x.add_(y)

    base = tensor(4, grad=False)
    result = check(program, view_of(base, lambda t: t[:2]), tensor(2))
    result.mutated(0).requires_grad(0, "arg[0]._base").gradient(0)
