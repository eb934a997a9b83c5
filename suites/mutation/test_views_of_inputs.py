"""Mutation of inputs that are views, and mutation of inputs through views taken inside the program."""

import torch

from suites.harness import ANY, Check, built, clause, tensor, torch_internals, view_of


@clause("T3.4", modes=("no_grad", "train"), shapes=("static", "dynamic"), inputs=("plain", "subclass"), entry=ANY)
def test_base_of_a_stride_two_view_sees_the_change(check: Check) -> None:
    """Mutating a view with stride 2 changes every other element of its base and none between."""

    def program(view: torch.Tensor) -> torch.Tensor:
        view.mul_(2)
        return view + 1

    base = tensor(6)
    result = check(program, view_of(base, lambda t: t[::2]))
    result.mutated(0)
    result.forward.expect("""\
def forward(self, arg0_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    add = torch.ops.aten.add.Tensor(mul, 1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, mul)
    return (add,)
""")


@clause("T3.4", modes=("no_grad", "train"), shapes=("static", "dynamic"), inputs=("plain", "subclass"), entry=ANY)
def test_base_of_a_column_sees_the_change(check: Check) -> None:
    """Mutating a column of a matrix changes that column of the base alone."""

    def program(column: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        column.add_(other)
        return column * 2

    base = tensor(3, 4)
    check(program, view_of(base, lambda t: t[:, 1]), tensor(3)).mutated(0).unchanged(1)


@clause("T3.4", modes=("train", "no_grad"), entry=ANY)
def test_mutated_view_with_offset_writes_at_its_offset(check: Check) -> None:
    """A view that starts inside its storage is written there: what lies before and after it stays."""

    def program(view: torch.Tensor) -> torch.Tensor:
        view.mul_(2)
        return view.sum()

    check(program, tensor(2, 2, strides=(4, 1), offset=3)).mutated(0)


class Holder:
    """A tensor that the program uses, and another of its aliases that it does not."""

    def __init__(self, tensor: torch.Tensor, alias: torch.Tensor) -> None:
        self.tensor = tensor
        self.alias = alias


@clause("T3.7", modes=("train", "no_grad"))
def test_alias_outside_of_the_program_sees_the_mutation(check: Check) -> None:
    """A view that the program never touches shows the new data of its mutated base, and backward through it works."""

    def program(holder: Holder) -> torch.Tensor:
        holder.tensor.mul_(2)
        return holder.tensor.sum()

    base = tensor(4)
    result = check(program, built(Holder, base, view_of(base, lambda t: t[1:])))
    result.mutated("arg[0].tensor", "arg[0].alias").gradient(0)


@clause("T3.7", modes=("train", "no_grad"))
def test_base_outside_of_the_program_sees_the_mutation_of_its_view(check: Check) -> None:
    """A base that the program never touches shows what was done to its view, and backward through it works."""

    def program(holder: Holder) -> torch.Tensor:
        holder.tensor.mul_(2)
        return holder.tensor.sum()

    base = tensor(4)
    result = check(program, built(Holder, view_of(base, lambda t: t[1:3]), base))
    result.mutated("arg[0].tensor", "arg[0].alias").gradient(0)


@clause("T3.7", modes="train", fullgraph=False)
def test_history_of_an_outstanding_alias_is_regenerated(check: Check) -> None:
    """After the base was mutated, the history of an outstanding view is regenerated as a view's, not lost."""

    @torch.compiler.disable
    def history(alias: torch.Tensor) -> tuple[bool, bool]:
        return alias.grad_fn is not None, torch_internals.view_base(alias) is not None

    def program(base: torch.Tensor, holder: Holder) -> tuple[bool, bool]:
        base.mul_(2)
        return history(holder.alias)

    base = tensor(4)
    alias = view_of(base, lambda t: t[1:])
    result = check(program, base, built(Holder, base, alias))
    result.mutated(0).happened(result.call.entries["out[0]"].detail is True, "an alias with a history")


@clause("T3.5", modes=("train", "no_grad"), entry=ANY)
def test_mutation_through_a_view_taken_inside_reaches_the_input(check: Check) -> None:
    """A view made in the program and written to changes the caller's tensor at the view's place."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a[1].mul_(2)
        return a + 1

    result = check(program, tensor(3, 3))
    result.mutated(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    select = torch.ops.aten.select.int(clone, 0, 1)
    mul = torch.ops.aten.mul.Tensor(select, 2)
    select_scatter = torch.ops.aten.select_scatter.default(clone, mul, 0, 1)
    add = torch.ops.aten.add.Tensor(select_scatter, 1)
    return (select_scatter, add)
""")


@clause("T3.5", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_mutation_through_a_chain_of_views(check: Check) -> None:
    """A write through a view of a view of a view lands on the right elements of the input."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.t()[1:].unsqueeze(0).select(2, 0).add_(5)
        return a * 2

    result = check(program, tensor(3, 4))
    result.mutated(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    t = torch.ops.aten.t.default(clone)
    slice_1 = torch.ops.aten.slice.Tensor(t, 0, 1, 9223372036854775807)
    unsqueeze = torch.ops.aten.unsqueeze.default(slice_1, 0)
    select = torch.ops.aten.select.int(unsqueeze, 2, 0)
    add = torch.ops.aten.add.Tensor(select, 5)
    select_scatter = torch.ops.aten.select_scatter.default(unsqueeze, add, 2, 0)
    squeeze = torch.ops.aten.squeeze.dim(select_scatter, 0)
    slice_scatter = torch.ops.aten.slice_scatter.default(t, squeeze, 0, 1, 9223372036854775807)
    t_1 = torch.ops.aten.t.default(slice_scatter)
    mul = torch.ops.aten.mul.Tensor(t_1, 2)
    return (t_1, mul)
""")


@clause("T3.5", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_mutation_through_each_kind_of_view(check: Check) -> None:
    """Diagonal, transpose, narrow, view, as_strided and movedim views all write through to the input."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.diagonal().mul_(2)
        a.transpose(0, 1)[0].add_(1)
        a.narrow(1, 1, 2).sub_(1)
        a.view(-1)[4:].mul_(3)
        a.as_strided((2,), (5,), 1).add_(7)
        a.movedim(0, 1).neg_()
        return a.sin()

    check(program, tensor(4, 4)).mutated(0).gradient(0)


@clause("T3.5", modes=("no_grad", "inference"), shapes=("static", "dynamic"), entry=ANY)
def test_mutation_through_pieces_of_a_split(check: Check) -> None:
    """Writes to the pieces of `split`, `chunk` and `unbind` change the input they were cut from."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first, second = a.split([1, 3])
        first.add_(1)
        second.mul_(2)
        a.unbind(1)[2].zero_()
        a.chunk(2)[1].neg_()
        return a + 1

    check(program, tensor(4, 3)).mutated(0)


@clause("T3.5", entry=ANY)
def test_mutation_through_a_view_of_another_dtype(check: Check) -> None:
    """Bits changed through an integer view of a float input change the float values that the caller sees."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.view(torch.int32).bitwise_and_(0x7FFF0000)
        return a * 2

    check(program, tensor(4)).mutated(0)


@clause("T3.5", modes=("no_grad", "train"), entry=ANY)
def test_mutation_through_the_real_view_of_a_complex_input(check: Check) -> None:
    """Scaling the imaginary parts through `view_as_real` changes the complex input."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.view_as_real(a)[..., 1].mul_(3)
        return a * 2

    check(program, tensor(3, dtype=torch.complex64)).mutated(0)


@clause("T3.5", modes=("no_grad", "train"), entry=ANY)
def test_parts_of_an_input_that_was_written_through_its_conjugate(check: Check) -> None:
    """The real and imaginary parts of a complex input show what was written to it through its conjugate."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a.conj().mul_(2j)
        return a.real + 1, a.imag * 2

    check(program, tensor(3, dtype=torch.complex64)).mutated(0)


@clause("T3.5", modes=("train", "inference"), entry=ANY)
def test_view_taken_before_the_mutation_shows_the_new_data(check: Check) -> None:
    """A view made before its base is written to is read afterwards: it shows the write."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = a[1:]
        a.mul_(2)
        return before + 1, before

    check(program, tensor(3)).mutated(0).aliases("out[1]", "arg[0]").gradient(0)


@clause("T3.5", modes=("train", "no_grad"), entry=ANY)
def test_overlapping_views_see_each_others_writes(check: Check) -> None:
    """Of two views that share an element, the second reads and writes what the first left there."""

    def program(a: torch.Tensor) -> torch.Tensor:
        left, right = a[:2], a[1:]
        left.add_(1)
        right.mul_(2)
        left.sub_(right[:1].clone())
        return left + right

    check(program, tensor(3)).mutated(0).gradient(0)


@clause("T3.5", "T4.2", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_mutation_through_a_view_under_no_grad_stays_in_the_training_graph(check: Check) -> None:
    """Written to under no_grad, through a view, an input that requires grad is copied into inside the graph."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            a[0].mul_(2)
        return a * 3

    result = check(program, tensor(3, 3))
    result.mutated(0).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    select = torch.ops.aten.select.int(primals_1, 0, 0)
    mul = torch.ops.aten.mul.Tensor(select, 2)
    select_scatter = torch.ops.aten.select_scatter.default(primals_1, mul, 0, 0)
    mul_1 = torch.ops.aten.mul.Tensor(select_scatter, 3)
    copy_ = torch.ops.aten.copy_.default(primals_1, select_scatter)
    return (mul_1,)
""")


@clause("T3.6", modes=("train", "no_grad"), shapes=("dynamic", "static"), entry=ANY)
def test_squeezed_view_of_a_clone_is_mutated_under_dynamic_shapes(check: Check) -> None:
    """A write through `squeeze` of an intermediate shows in that intermediate and leaves the input alone."""

    def program(a: torch.Tensor) -> torch.Tensor:
        copied = a.clone().unsqueeze(0)
        copied.squeeze().mul_(2)
        return copied + a

    result = check(program, tensor(3, 4))
    result.unchanged(0).gradient(0).shape("out", 1, 3, 4)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    clone = torch.ops.aten.clone.default(primals_3)
    unsqueeze = torch.ops.aten.unsqueeze.default(clone, 0)
    squeeze = torch.ops.aten.squeeze.default(unsqueeze)
    mul = torch.ops.aten.mul.Tensor(squeeze, 2)
    unsqueeze_1 = torch.ops.aten.unsqueeze.default(mul, 0)
    squeeze_1 = torch.ops.aten.squeeze.dim(unsqueeze_1, 0)
    unsqueeze_2 = torch.ops.aten.unsqueeze.default(squeeze_1, 0)
    add = torch.ops.aten.add.Tensor(unsqueeze_2, primals_3)
    return (add, primals_1, primals_2)
""")


@clause("T3.5", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_mutation_of_an_intermediate_through_its_view(check: Check) -> None:
    """A fresh tensor is written to through its views: it and other views of it show that, the input does not."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        fresh = a * 2
        row, column = fresh[0], fresh[:, 0]
        row.add_(1)
        column.mul_(3)
        return fresh, row * column

    result = check(program, tensor(3, 3))
    result.unchanged(0).distinct("out[0]", "arg[0]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    select = torch.ops.aten.select.int(mul, 0, 0)
    add = torch.ops.aten.add.Tensor(select, 1)
    select_scatter = torch.ops.aten.select_scatter.default(mul, add, 0, 0)
    select_1 = torch.ops.aten.select.int(select_scatter, 1, 0)
    mul_1 = torch.ops.aten.mul.Tensor(select_1, 3)
    select_scatter_1 = torch.ops.aten.select_scatter.default(select_scatter, mul_1, 1, 0)
    select_2 = torch.ops.aten.select.int(select_scatter_1, 1, 0)
    select_3 = torch.ops.aten.select.int(select_scatter_1, 0, 0)
    mul_2 = torch.ops.aten.mul.Tensor(select_3, select_2)
    return (select_scatter_1, mul_2, select_scatter_1)
""")
