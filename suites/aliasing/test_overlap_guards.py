"""Guards on overlap: a program compiled for one alias pattern must not run on another."""

import torch

from suites.harness import Check, clause, tensor, view_of


@clause("T6.7", "reuse.overlap", modes="train", shapes=("static", "dynamic"))
def test_separate_tensors_then_a_tensor_and_its_view(check: Check) -> None:
    """A program compiled for separate tensors sees, when called with a tensor and a view of it, the write in both."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a.mul_(2)
        return a + 1, b + 1

    base = tensor(6)
    result = check(program, calls=[(tensor(6), tensor(4)), (base, view_of(base, lambda t: t[2:]))])
    result.mutated(0).unchanged(1)
    result.in_call(1).mutated(1)


@clause("T6.7", modes="train", shapes=("static", "dynamic"))
def test_a_tensor_and_its_view_then_separate_tensors(check: Check) -> None:
    """A program compiled for a tensor and its view leaves, when called with separate tensors, the second one alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a.mul_(2)
        return a + 1, b + 1

    base = tensor(6)
    result = check(program, calls=[(base, view_of(base, lambda t: t[2:])), (tensor(6), tensor(4))])
    result.mutated(0, 1)
    result.in_call(1).unchanged(1)


@clause("T6.7", "reuse.overlap", modes="train", shapes=("static", "dynamic"))
def test_disjoint_views_then_overlapping_ones(check: Check) -> None:
    """Two views of one tensor, disjoint in the first call and overlapping in the second: the overlap sees the write."""

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.mul_(2)
        return left + 1, right + 1

    first, second = tensor(8), tensor(8)
    disjoint = view_of(first, lambda t: t[:4]), view_of(first, lambda t: t[4:])
    overlapping = view_of(second, lambda t: t[:4]), view_of(second, lambda t: t[2:6])
    result = check(program, calls=[disjoint, overlapping])
    result.mutated(0).unchanged(1).recompiled_at_most(1)
    result.in_call(1).mutated(1)


@clause("T6.7", modes="train", shapes=("static", "dynamic"))
def test_overlapping_views_then_disjoint_ones(check: Check) -> None:
    """Two views of one tensor, overlapping in the first call and disjoint in the second: no write strays."""

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.mul_(2)
        return left + 1, right + 1

    first, second = tensor(8), tensor(8)
    overlapping = view_of(first, lambda t: t[:4]), view_of(first, lambda t: t[2:6])
    disjoint = view_of(second, lambda t: t[:4]), view_of(second, lambda t: t[4:])
    result = check(program, calls=[overlapping, disjoint])
    result.mutated(0, 1)
    result.in_call(1).unchanged(1)


@clause("T6.7", shapes="dynamic")
def test_views_that_overlap_once_they_are_longer(check: Check) -> None:
    """Disjoint views stay disjoint in one compiled program when they grow, and see each other's writes once they meet.

    Only a guard on the overlap itself can tell: the graph compiled for disjoint views asks nothing of their sizes.
    """

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.add_(1)
        return right * 2

    bases = [tensor(16) for _ in range(3)]
    calls = [
        (view_of(bases[0], lambda t: t[:4]), view_of(bases[0], lambda t: t[6:10])),
        (view_of(bases[1], lambda t: t[:5]), view_of(bases[1], lambda t: t[6:11])),
        (view_of(bases[2], lambda t: t[:8]), view_of(bases[2], lambda t: t[6:14])),
    ]
    result = check(program, calls=calls)
    result.mutated(0).recompiled_at_most(1)
    changed = ["arg[1]" in call.changed for call in result.expected.calls]
    result.happened(changed == [False, False, True], "views that meet in the third call")


@clause("T6.7", modes="train", shapes=("static", "dynamic"))
def test_overlap_moves_between_calls(check: Check) -> None:
    """The same shapes overlapping by two elements, then by three: each call's overlap is its own, not the first's."""

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.add_(1)
        return left * 2, right * 2

    first, second = tensor(8), tensor(8)
    result = check(
        program,
        calls=[
            (view_of(first, lambda t: t[:4]), view_of(first, lambda t: t[2:6])),
            (view_of(second, lambda t: t[:4]), view_of(second, lambda t: t[1:5])),
        ],
    )
    result.mutated(0, 1).happened(
        result.facts("arg[1]").offset != result.in_call(1).facts("arg[1]").offset, "another offset"
    )


@clause("T6.7", modes="train", shapes="dynamic")
def test_aliases_of_other_sizes_under_dynamic_shapes(check: Check) -> None:
    """With symbolic sizes, an aliased pair of other sizes in the second call has its write at the right elements."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        view.mul_(2)
        return base + view.sum()

    first, second = tensor(6), tensor(9)
    result = check(
        program,
        calls=[(first, view_of(first, lambda t: t[2:])), (second, view_of(second, lambda t: t[2:]))],
    )
    result.mutated(0, 1)
    result.in_call(1).shape("arg[0]", 9)


@clause("T6.7", modes="train", shapes="dynamic")
def test_aliases_of_equal_symbolic_size(check: Check) -> None:
    """Overlapping inputs of one size share its symbol; a second call with unequal sizes is right too."""

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.mul_(2)
        return left + 1, right + 1

    first, second = tensor(8), tensor(8)
    result = check(
        program,
        calls=[
            (view_of(first, lambda t: t[:5]), view_of(first, lambda t: t[3:])),
            (view_of(second, lambda t: t[:6]), view_of(second, lambda t: t[3:])),
        ],
    )
    result.mutated(0, 1).shape(0, 5).shape(1, 5)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [primals_2], [1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided, 2)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, mul, [primals_2], [1], 0)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [primals_2], [1], 0)
    add = torch.ops.aten.add.Tensor(as_strided_1, 1)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [primals_2], [1], primals_3)
    add_1 = torch.ops.aten.add.Tensor(as_strided_2, 1)
    sym_size = torch.ops.aten.sym_size.int(primals_1, 0)
    return (as_strided_scatter, add, add_1, primals_2, primals_3, sym_size)
""")


@clause("T6.7", "reuse.overlap", modes="train", shapes=("static", "dynamic"))
def test_output_view_of_an_input_that_becomes_aliased(check: Check) -> None:
    """Called with separate tensors first and with a tensor and its offset view then, the returned view stays right."""

    def program(written: torch.Tensor, viewed: torch.Tensor) -> torch.Tensor:
        written.add_(1)
        return viewed[1:]

    base = tensor(6)
    result = check(program, calls=[(tensor(6), tensor(4)), (base, view_of(base, lambda t: t[2:]))])
    result.mutated(0).aliases("out", 1)


@clause("T6.7", modes="train", shapes=("static", "dynamic"))
def test_unaliased_read_only_pair_then_aliased(check: Check) -> None:
    """Inputs that are only read may overlap in a later call without a new compilation."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.sum() * b

    base = tensor(6)
    result = check(
        program,
        calls=[(tensor(6, grad=False), tensor(4, grad=False)), (base, view_of(base, lambda t: t[2:]))],
    )
    result.unchanged(0, 1)
    result.values().expect("""\
out = float32[4] [4.768, -2.707, 3.402, 6.679]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [0.06367, -0.8513, 0.4479, 0.4897]
""")
