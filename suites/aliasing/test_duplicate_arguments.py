"""Duplicate arguments: the same tensor object passed twice is one graph input, and guarded as such."""

import torch

from suites.harness import ANY, Check, clause, leaf, tensor, view_of


@clause("T2.5", "T6.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_write_through_one_duplicate_is_read_through_the_other(check: Check) -> None:
    """The same tensor passed twice is one graph input: a write under one name is read under the other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return b + 1

    same = tensor(4)
    result = check(program, same, same)
    result.mutated(0).same_object("arg[1]", "arg[0]")
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(mul, 1)
    return (mul, add)
""")


@clause("T2.5", modes=("train", "no_grad"), entry=ANY)
def test_duplicate_returned_under_both_names(check: Check) -> None:
    """Returning both names of one mutated input gives the caller's own tensor twice."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a.add_(1)
        return a, b

    same = tensor(4)
    result = check(program, same, same)
    result.mutated(0).same_object("out[0]", "arg[0]").same_object("out[1]", "arg[0]")


@clause("T2.5", modes="train", entry=ANY)
def test_gradients_of_duplicates_add_up(check: Check) -> None:
    """A leaf passed twice collects the sum of the gradients of both uses."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.sin() * b.exp()

    same = leaf(4)
    result = check(program, same, same)
    result.gradient(0).same_object("arg[1]", "arg[0]")
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    exp = torch.ops.aten.exp.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(sin, exp)
    return (mul, primals_1, exp)
""")


@clause("T2.5", modes=("train", "no_grad"), entry=ANY)
def test_duplicate_in_a_container(check: Check) -> None:
    """A tensor that is an argument and an element of a list argument too is one tensor: a write shows in both."""

    def program(a: torch.Tensor, pair: list[torch.Tensor]) -> torch.Tensor:
        pair[1].add_(a)
        return a * pair[0]

    same = tensor(4)
    result = check(program, same, [tensor(4), same])
    result.mutated(0).same_object("arg[1][1]", "arg[0]")


@clause("T2.5", "T6.1", modes=("train", "no_grad"), entry=ANY)
def test_duplicate_beside_a_view_of_it(check: Check) -> None:
    """A tensor passed twice with a view of it between: the write through the view shows under both names."""

    def program(a: torch.Tensor, view: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        view.mul_(3)
        return a + b

    same = tensor(5)
    result = check(program, same, view_of(same, lambda t: t[1:]), same)
    result.mutated(0, 1).aliases(0, 1)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [4], [1], 1)
    mul = torch.ops.aten.mul.Tensor(as_strided, 3)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, mul, [4], [1], 1)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [5], [1], 0)
    add = torch.ops.aten.add.Tensor(as_strided_1, as_strided_1)
    return (as_strided_scatter, add)
""")


@clause("T2.5", "T6.7", modes=("train", "no_grad"))
def test_duplicates_then_distinct_tensors(check: Check) -> None:
    """A program compiled for one tensor passed twice recompiles for two: the write then stays off the second."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a + b

    same = tensor(4)
    result = check(program, calls=[(same, same), (tensor(4), tensor(4))])
    result.mutated(0).same_object("arg[1]", "arg[0]").recompiled(1)


@clause("T2.5", "T6.7", modes=("train", "no_grad"))
def test_distinct_tensors_then_duplicates(check: Check) -> None:
    """A program compiled for two tensors recompiles for one passed twice: the write then reaches both names."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a + b

    same = tensor(4)
    result = check(program, calls=[(tensor(4), tensor(4)), (same, same)])
    result.mutated(0).unchanged(1).recompiled(1)
