"""Synthetic bases: inputs that overlap in memory, one of them mutated, become one graph input that all are views of."""

import torch

from suites.harness import ANY, Check, built, clause, tensor, view_of


@clause("T6.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_mutated_base_before_its_view(check: Check) -> None:
    """Mutating the base is seen by a read of its view later in the program: both come from one graph input."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        base.mul_(2)
        return base.sum() + view * 3

    base = tensor(6)
    result = check(program, base, view_of(base, lambda t: t[2:5]))
    result.mutated(0, 1).aliases(0, 1)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [6], [1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided, 2)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, mul, [6], [1], 0)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [6], [1], 0)
    sum_1 = torch.ops.aten.sum.default(as_strided_1)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [3], [1], 2)
    mul_1 = torch.ops.aten.mul.Tensor(as_strided_2, 3)
    add = torch.ops.aten.add.Tensor(sum_1, mul_1)
    return (as_strided_scatter, add)
""")


@clause("T6.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_mutated_view_before_its_base(check: Check) -> None:
    """Mutating a view is seen by a read of its base, though the view comes first in the signature."""

    def program(view: torch.Tensor, base: torch.Tensor) -> torch.Tensor:
        view.mul_(2)
        return base * 3

    base = tensor(6)
    result = check(program, view_of(base, lambda t: t[2:5]), base)
    result.mutated(0, 1).aliases(0, 1)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [3], [1], 2)
    mul = torch.ops.aten.mul.Tensor(as_strided, 2)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, mul, [3], [1], 2)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [6], [1], 0)
    mul_1 = torch.ops.aten.mul.Tensor(as_strided_1, 3)
    return (as_strided_scatter, mul_1)
""")


@clause("T6.1", modes=("train", "no_grad"), entry=ANY)
def test_two_views_that_are_equal(check: Check) -> None:
    """Two tensor objects over the same elements are one memory: a write to the second is read through the first."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        right.add_(1)
        return left * right

    base = tensor(2, 3)
    result = check(program, view_of(base, lambda t: t.view(-1)), view_of(base, lambda t: t.view(-1)))
    result.mutated(0, 1).aliases(0, 1)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [6], [1], 0)
    add = torch.ops.aten.add.Tensor(as_strided, 1)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, add, [6], [1], 0)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [6], [1], 0)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [6], [1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided_2, as_strided_1)
    return (as_strided_scatter, mul, as_strided_scatter)
""")


@clause("T6.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_views_of_different_shapes(check: Check) -> None:
    """A write through a column is read through a flat view of the same memory: each view keeps its own geometry."""

    def program(column: torch.Tensor, flat: torch.Tensor) -> torch.Tensor:
        column.add_(1)
        return flat.cumsum(0)

    base = tensor(3, 4)
    result = check(program, view_of(base, lambda t: t[:, 1]), view_of(base, lambda t: t.view(-1)))
    result.mutated(0, 1).strides(0, 4).shape(1, 12)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [3], [4], 1)
    add = torch.ops.aten.add.Tensor(as_strided, 1)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, add, [3], [4], 1)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [12], [1], 0)
    cumsum = torch.ops.aten.cumsum.default(as_strided_1, 0)
    return (as_strided_scatter, cumsum)
""")


@clause("T6.1", modes=("train", "no_grad"), entry=ANY)
def test_base_is_the_first_graph_input_whatever_the_signature(check: Check) -> None:
    """With ordinary arguments between two views, each argument still receives its own data and its own mutation."""

    def program(
        first: torch.Tensor, view: torch.Tensor, middle: torch.Tensor, base: torch.Tensor, last: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        view.add_(first)
        last.mul_(3)
        return base + middle.sum(), view * last

    base = tensor(6)
    result = check(program, tensor(3), view_of(base, lambda t: t[3:]), tensor(4), base, tensor(3))
    result.mutated(1, 3, 4).unchanged(0, 2).aliases(1, 3)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4):
    clone = torch.ops.aten.clone.default(primals_1)
    clone_1 = torch.ops.aten.clone.default(primals_3)
    as_strided = torch.ops.aten.as_strided.default(clone, [3], [1], 3)
    add = torch.ops.aten.add.Tensor(as_strided, primals_2)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, add, [3], [1], 3)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [3], [1], 3)
    mul = torch.ops.aten.mul.Tensor(clone_1, 3)
    sum_1 = torch.ops.aten.sum.default(primals_4)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [6], [1], 0)
    add_1 = torch.ops.aten.add.Tensor(as_strided_2, sum_1)
    mul_1 = torch.ops.aten.mul.Tensor(as_strided_1, mul)
    return (as_strided_scatter, mul, add_1, mul_1, as_strided_1, mul)
""")


@clause("T6.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_three_views_of_one_base(check: Check) -> None:
    """A write through the middle one of three overlapping views changes exactly its elements in the other two."""

    def program(low: torch.Tensor, middle: torch.Tensor, high: torch.Tensor) -> tuple[torch.Tensor, ...]:
        middle.zero_()
        return low * 2, middle + 1, high * 3

    base = tensor(8)
    result = check(
        program, view_of(base, lambda t: t[:5]), view_of(base, lambda t: t[2:6]), view_of(base, lambda t: t[3:])
    )
    result.mutated(0, 1, 2)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [4], [1], 2)
    zero = torch.ops.aten.zero.default(as_strided)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, zero, [4], [1], 2)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [4], [1], 2)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [5], [1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided_2, 2)
    add = torch.ops.aten.add.Tensor(as_strided_1, 1)
    as_strided_3 = torch.ops.aten.as_strided.default(as_strided_scatter, [5], [1], 3)
    mul_1 = torch.ops.aten.mul.Tensor(as_strided_3, 3)
    return (as_strided_scatter, mul, add, mul_1)
""")


@clause("T6.1", modes=("train", "no_grad"), entry=ANY)
def test_writes_through_both_aliases_keep_their_order(check: Check) -> None:
    """Alternating writes through two overlapping views land in program order, each on what the one before left."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.mul_(2)
        right.add_(1)
        left.mul_(3)
        return left.sum() - right.sum()

    base = tensor(6)
    result = check(program, view_of(base, lambda t: t[:4]), view_of(base, lambda t: t[2:]))
    result.mutated(0, 1).gradient(0)


@clause("T6.1", modes=("train", "no_grad"), entry=ANY)
def test_two_groups_of_aliases_have_two_bases(check: Check) -> None:
    """Two pairs of views of two tensors, interleaved in the signature, get a base each and never exchange data."""

    def program(a: torch.Tensor, b: torch.Tensor, a_view: torch.Tensor, b_view: torch.Tensor) -> torch.Tensor:
        a_view.mul_(2)
        b.add_(a)
        return a * b_view.sum()

    a, b = tensor(4), tensor(4)
    result = check(program, a, b, view_of(a, lambda t: t[1:]), view_of(b, lambda t: t[:2]))
    result.mutated(0, 1, 2, 3).aliases(0, 2).aliases(1, 3).distinct(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    clone_1 = torch.ops.aten.clone.default(primals_2)
    as_strided = torch.ops.aten.as_strided.default(clone, [3], [1], 1)
    as_strided_1 = torch.ops.aten.as_strided.default(clone_1, [4], [1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided, 2)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, mul, [3], [1], 1)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [4], [1], 0)
    add = torch.ops.aten.add.Tensor(as_strided_1, as_strided_2)
    as_strided_scatter_1 = torch.ops.aten.as_strided_scatter.default(clone_1, add, [4], [1], 0)
    as_strided_3 = torch.ops.aten.as_strided.default(as_strided_scatter_1, [2], [1], 0)
    sum_1 = torch.ops.aten.sum.default(as_strided_3)
    mul_1 = torch.ops.aten.mul.Tensor(as_strided_2, sum_1)
    return (as_strided_scatter, as_strided_scatter_1, mul_1, as_strided_scatter, sum_1)
""")


@clause("T6.1", "A6", modes=("train", "no_grad"), shapes="dynamic")
def test_aliases_between_tensors_and_numbers(check: Check) -> None:
    """Where aliases of one memory stand between tensors and numbers that are none, each argument is still its own."""

    def program(
        a: torch.Tensor, rows: int, base: torch.Tensor, factor: float, b: torch.Tensor, view: torch.Tensor, offset: int
    ) -> torch.Tensor:
        base.mul_(2)
        return a.sum(0) * rows + view * factor - b.sum(0) * offset

    base = tensor(6)
    result = check(program, tensor(4, 3), 7, base, 0.5, tensor(5, 3), view_of(base, lambda t: t[2:5]), 3)
    result.mutated(2, 5).aliases(2, 5)


@clause("T6.1", modes=("train", "no_grad"), entry=ANY)
def test_value_read_before_the_aliased_write(check: Check) -> None:
    """What was computed from an alias before the write keeps the old data: the write never moves ahead of the read."""

    def program(read: torch.Tensor, written: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = read * 2
        copied = read.clone()
        written.fill_(7)
        return before + copied, read * 2

    base = tensor(5)
    check(program, view_of(base, lambda t: t[:4]), view_of(base, lambda t: t[1:])).mutated(0, 1)


@clause("T6.1", modes=("no_grad", "inference"), entry=ANY)
def test_aliases_of_different_dtypes(check: Check) -> None:
    """A write to floats is read, bit for bit, through an integer view of the same memory."""

    def program(floats: torch.Tensor, integers: torch.Tensor) -> torch.Tensor:
        floats.mul_(2)
        return integers + 1

    base = tensor(4, grad=False)
    result = check(program, base, view_of(base, lambda t: t.view(torch.int32)))
    result.mutated(0, 1).aliases(0, 1)


@clause("T6.4", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_aliases_without_a_base(check: Check) -> None:
    """Tensors that share a storage but are views of nothing get a base made from the storage."""

    def over(base: torch.Tensor, offset: int) -> torch.Tensor:
        return torch.empty(0, device=base.device).set_(base.untyped_storage(), offset, (5,), (1,))

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.mul_(2)
        return left + 1, right + 1

    base = tensor(8, grad=False)
    result = check(program, built(lambda t: over(t, 0), base), built(lambda t: over(t, 3), base))
    result.mutated(0, 1).aliases(0, 1)
    result.happened(result.facts("arg[0]").base is None, "an alias that is a view of nothing")
    result.forward.expect("""\
def forward(self, arg0_1):
    as_strided = torch.ops.aten.as_strided.default(arg0_1, [5], [1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided, 2)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(arg0_1, mul, [5], [1], 0)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [5], [1], 0)
    add = torch.ops.aten.add.Tensor(as_strided_1, 1)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [5], [1], 3)
    add_1 = torch.ops.aten.add.Tensor(as_strided_2, 1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, as_strided_scatter)
    return (add, add_1)
""")


@clause("T6.4", modes="inference", entry=ANY)
def test_aliases_made_in_inference_mode(check: Check) -> None:
    """Inference tensors track no bases, yet a write through one alias is read through the other."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        view.add_(1)
        return base * 2

    base = tensor(6)
    check(program, base, view_of(base, lambda t: t[2:])).mutated(0, 1).aliases(0, 1)


@clause("T6.1", modes="train", entry=ANY)
def test_mutated_input_beside_its_detached_alias(check: Check) -> None:
    """A write to a differentiable input is seen in its detached alias, which stays without a gradient."""

    def program(tracked: torch.Tensor, detached: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        tracked.mul_(2)
        return tracked + 1, detached + 1

    base = tensor(4)
    result = check(program, base, view_of(base, lambda t: t.detach()))
    result.mutated(0, 1).requires_grad(0).no_grad(1).gradient(0)


@clause("T6.5", modes=("train", "no_grad"), entry=ANY)
def test_returned_alias_of_a_mutated_input(check: Check) -> None:
    """After a write through a view, the base returned as it is remains the caller's own tensor, with the new data."""

    def program(base: torch.Tensor, view: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        view.mul_(2)
        return base, view + 1

    base = tensor(6)
    result = check(program, base, view_of(base, lambda t: t[2:]))
    result.mutated(0, 1).same_object("out[0]", "arg[0]")


@clause("T6.5", modes=("train", "no_grad"), entry=ANY)
def test_returned_view_of_a_mutated_base(check: Check) -> None:
    """A view of the base, returned after its offset alias was mutated, lies in the caller's memory like eager's."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        view.add_(1)
        return base[1:4]

    base = tensor(6)
    result = check(program, base, view_of(base, lambda t: t[2:]))
    result.mutated(0, 1).aliases("out", 0)


@clause("T6.5", "D3", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_returned_view_of_a_mutated_offset_alias(check: Check) -> None:
    """A view of the alias that starts within the base, returned after a write, lies where eager's lies."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        base.add_(1)
        return view.view(-1)

    base = tensor(6, 2)
    result = check(program, base, view_of(base, lambda t: t[1:]))
    result.mutated(0, 1).aliases("out", 0)


@clause("T6.5", "D3", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_element_of_a_mutated_offset_alias(check: Check) -> None:
    """An element of the offset alias, taken after a write through the base, is that element of the caller's memory."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        base.mul_(3)
        return view[0]

    base = tensor(6)
    check(program, base, view_of(base, lambda t: t[1:])).mutated(0, 1).aliases("out", 0)


@clause("T6.1", "T9.1", modes="train")
def test_gradient_of_a_part_that_becomes_its_logarithm(check: Check) -> None:
    """The gradient of an operator in place that needs what it overwrites is of what was there, for a part of a base."""

    def program(part: torch.Tensor, base: torch.Tensor) -> torch.Tensor:
        part.log_()
        return base.sum()

    base = tensor(4, values=[0.3, 0.2, 0.4, 0.7])
    result = check(program, view_of(base, lambda t: t[2:]), base)
    result.mutated(0).gradient(0)
