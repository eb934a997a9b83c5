"""make_fx of functionalize: the graph holds functional operators, and what was mutated is mutated all the same."""

import torch
from torch import fx

from suites.harness import Check, built, clause, tensor

FUNCTIONALIZED = ("functionalize",)
#: With views removed, and with views kept as views.
BOTH = ("functionalize", "functionalize_keeping_views")


@clause("T1.4", shapes=("static", "dynamic"), on=BOTH)
def test_in_place_op_on_an_intermediate_becomes_functional(check: Check) -> None:
    """An in-place op on an intermediate is its functional twin in the graph, and no in-place op is left."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a * 3
        b.add_(1).relu_()
        return b.neg_()

    result = check(program, tensor(3, 3))
    result.unchanged(0)
    result.forward.expect("""\
def forward(self, a_1):
    mul = torch.ops.aten.mul.Tensor(a_1, 3)
    add = torch.ops.aten.add.Tensor(mul, 1)
    relu = torch.ops.aten.relu.default(add)
    neg = torch.ops.aten.neg.default(relu)
    return neg
""")


@clause("T1.4", on=BOTH)
def test_mutated_input_is_written_once_at_the_end(check: Check) -> None:
    """Mutations of an input are one `copy_` into it, last of the graph, of the value that all of them make."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        middle = a - b
        a.add_(b)
        return middle * a

    result = check(program, tensor(3), tensor(3))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, a_1, b_1):
    mul = torch.ops.aten.mul.Tensor(a_1, 2)
    sub = torch.ops.aten.sub.Tensor(mul, b_1)
    add = torch.ops.aten.add.Tensor(mul, b_1)
    mul_1 = torch.ops.aten.mul.Tensor(sub, add)
    copy_ = torch.ops.aten.copy_.default(a_1, add)
    return mul_1
""")


@clause("T1.4", on=BOTH)
def test_function_traced_by_fx_is_functionalized(check: Check) -> None:
    """A function that fx traced into a graph of in-place methods is functionalized like the function itself."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a + b
        c.mul_(a)
        return c.sub_(b).view(-1).exp()

    result = check(built(lambda: fx.symbolic_trace(program)), tensor(2, 3), tensor(3))
    result.unchanged(0, 1).shape("out", 6)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    add = torch.ops.aten.add.Tensor(arg0_1, arg1_1)
    mul = torch.ops.aten.mul.Tensor(add, arg0_1)
    sub = torch.ops.aten.sub.Tensor(mul, arg1_1)
    view_copy = torch.ops.aten.view_copy.default(sub, [-1])
    view_copy_1 = torch.ops.aten.view_copy.default(sub, [-1])
    exp = torch.ops.aten.exp.default(view_copy_1)
    return exp
""")


@clause("T1.4", "functionalization.views", on=FUNCTIONALIZED)
def test_views_are_removed_by_copies(check: Check) -> None:
    """With views removed, a write through a view is a copy of the view, a functional write and a scatter back."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a + 1
        b[1].mul_(10)
        b.t()[0].zero_()
        return b

    result = check(program, tensor(3, 2))
    result.unchanged(0)
    result.forward.expect("""\
def forward(self, a_1):
    add = torch.ops.aten.add.Tensor(a_1, 1)
    select_copy = torch.ops.aten.select_copy.int(add, 0, 1)
    mul = torch.ops.aten.mul.Tensor(select_copy, 10)
    select_scatter = torch.ops.aten.select_scatter.default(add, mul, 0, 1)
    select_copy_1 = torch.ops.aten.select_copy.int(select_scatter, 0, 1)
    t_copy = torch.ops.aten.t_copy.default(add)
    select_copy_2 = torch.ops.aten.select_copy.int(t_copy, 0, 0)
    t_copy_1 = torch.ops.aten.t_copy.default(select_scatter)
    select_copy_3 = torch.ops.aten.select_copy.int(t_copy_1, 0, 0)
    zero = torch.ops.aten.zero.default(select_copy_3)
    t_copy_2 = torch.ops.aten.t_copy.default(select_scatter)
    select_scatter_1 = torch.ops.aten.select_scatter.default(t_copy_2, zero, 0, 0)
    t_copy_3 = torch.ops.aten.t_copy.default(select_scatter_1)
    t_copy_4 = torch.ops.aten.t_copy.default(t_copy_3)
    select_copy_4 = torch.ops.aten.select_copy.int(t_copy_4, 0, 0)
    return t_copy_3
""")


@clause("T1.4", "functionalization.views", on=("functionalize_keeping_views",))
def test_views_are_applied_again_as_views(check: Check) -> None:
    """With mutations alone removed, views stay views and are taken again of the base's new value after a write."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a + 1
        row = b[1]
        b.t()[0].zero_()
        row.mul_(10)
        return b * row

    result = check(program, tensor(3, 2))
    result.unchanged(0)
    result.forward.expect("""\
def forward(self, a_1):
    add = torch.ops.aten.add.Tensor(a_1, 1)
    select = torch.ops.aten.select.int(add, 0, 1)
    t = torch.ops.aten.t.default(add)
    select_1 = torch.ops.aten.select.int(t, 0, 0)
    zero = torch.ops.aten.zero.default(select_1)
    t_1 = torch.ops.aten.t.default(add)
    select_scatter = torch.ops.aten.select_scatter.default(t_1, zero, 0, 0)
    t_2 = torch.ops.aten.t.default(select_scatter)
    t_3 = torch.ops.aten.t.default(t_2)
    select_2 = torch.ops.aten.select.int(t_3, 0, 0)
    select_3 = torch.ops.aten.select.int(t_2, 0, 1)
    mul = torch.ops.aten.mul.Tensor(select_3, 10)
    select_scatter_1 = torch.ops.aten.select_scatter.default(t_2, mul, 0, 1)
    select_4 = torch.ops.aten.select.int(select_scatter_1, 0, 1)
    mul_1 = torch.ops.aten.mul.Tensor(select_scatter_1, select_4)
    return mul_1
""")


@clause("functionalization.views", on=("functionalize_keeping_views",))
def test_returned_view_of_an_input_is_still_a_view(check: Check) -> None:
    """With views reapplied, an output that views an input lies in the caller's memory, at the right place."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a[1:, ::2], a.t().diagonal(1)

    result = check(program, tensor(3, 4))
    result.aliases("out[0]", 0).aliases("out[1]", 0).strides("out[0]", 4, 2)
    result.forward.expect("""\
def forward(self, a_1):
    slice_1 = torch.ops.aten.slice.Tensor(a_1, 0, 1, 9223372036854775807)
    slice_2 = torch.ops.aten.slice.Tensor(slice_1, 1, 0, 9223372036854775807, 2)
    t = torch.ops.aten.t.default(a_1)
    diagonal = torch.ops.aten.diagonal.default(t, 1)
    return (slice_2, diagonal)
""")


@clause("T1.4", on=BOTH)
def test_write_through_a_view_of_an_input_reaches_it(check: Check) -> None:
    """A write through a view of an input reaches the caller's tensor in the view's place and in no other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.diagonal().copy_(b)
        a[:, 2].add_(b)
        return a.sum(0)

    check(program, tensor(3, 3), tensor(3)).mutated(0).unchanged(1)


@clause("T1.4", on=FUNCTIONALIZED)
def test_out_argument_becomes_functional(check: Check) -> None:
    """`out=` an intermediate is the functional operator in the graph, and its result is read from then on."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a * 2
        torch.sub(c, b, out=c)
        values = torch.empty(2, device=a.device)
        places = torch.empty(2, dtype=torch.int64, device=a.device)
        torch.topk(c, 2, out=(values, places))
        return values * places + c.sum()

    result = check(program, tensor(4), tensor(4))
    result.unchanged(0, 1)
    result.forward.expect("""\
def forward(self, a_1, b_1):
    mul = torch.ops.aten.mul.Tensor(a_1, 2)
    sub = torch.ops.aten.sub.Tensor(mul, b_1)
    empty = torch.ops.aten.empty.memory_format([2])
    empty_1 = torch.ops.aten.empty.memory_format([2], dtype=torch.int64)
    topk = torch.ops.aten.topk.default(sub, 2)
    getitem = operator.getitem(topk, 0)
    getitem_1 = operator.getitem(topk, 1)
    mul_1 = torch.ops.aten.mul.Tensor(getitem, getitem_1)
    sum_1 = torch.ops.aten.sum.default(sub)
    add = torch.ops.aten.add.Tensor(mul_1, sum_1)
    return add
""")


@clause("T1.4", "T1.2", on=BOTH)
def test_functionalize_around_vmap_and_grad(check: Check) -> None:
    """functionalize composes with vmap and grad of a function that writes in place to what it made itself."""

    def program(a: torch.Tensor) -> torch.Tensor:
        def inner(x: torch.Tensor) -> torch.Tensor:
            y = x * x
            y[0].mul_(3)
            return y.sum()

        return torch.func.vmap(torch.func.grad(inner))(a)

    check(program, tensor(3, 2)).values().expect("""\
out = float32[3, 2] [[4.119, -5.26], [-1.434, -2.764], [-2.736, 2.03]]
""")


@clause("T1.4", fullgraph=False)
def test_functionalize_inside_of_the_program(check: Check) -> None:
    """A part of a program under functionalize computes what that part computes."""

    def written(a: torch.Tensor) -> torch.Tensor:
        b = a.clone()
        b[1:].add_(1)
        return b

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.func.functionalize(written)(a * 2) * 3

    check(program, tensor(3, values=[0.5, -1.0, 2.0])).computed()
