"""False aliasing: inputs that share a storage but no element need no synthetic base, and must not get one."""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, clause, tensor, view_of


@clause("T6.2", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_disjoint_halves_stay_two_inputs(check: Check) -> None:
    """Two halves of one tensor, one mutated, stay two graph inputs, and the other half stays as it was."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.mul_(2)
        return left + right

    base = tensor(8)
    result = check(program, view_of(base, lambda t: t[:4]), view_of(base, lambda t: t[4:]))
    result.mutated(0).unchanged(1).aliases(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(mul, primals_2)
    return (mul, add)
""")


@clause("T6.2", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_interleaved_columns_stay_two_inputs(check: Check) -> None:
    """Left and right columns of a matrix interleave in memory but share no element: two graph inputs, no scatter."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.mul_(2)
        return left + right

    base = tensor(3, 4)
    result = check(program, view_of(base, lambda t: t[:, :2]), view_of(base, lambda t: t[:, 2:]))
    result.mutated(0).unchanged(1).aliases(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(mul, primals_2)
    return (mul, add)
""")


@clause("T6.2", modes=("train", "no_grad"), entry=ANY)
def test_blocks_in_padded_rows_stay_two_inputs(check: Check) -> None:
    """Two blocks side by side in rows with padding between them share no element: two graph inputs, no scatter."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.mul_(2)
        return left + right

    base = tensor(15)
    result = check(
        program,
        view_of(base, lambda t: t.as_strided((3, 2), (5, 1), 0)),
        view_of(base, lambda t: t.as_strided((3, 2), (5, 1), 2)),
    )
    result.mutated(0).unchanged(1).strides(0, 5, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(mul, primals_2)
    return (mul, add)
""")


@clause("T6.2", modes=("train", "no_grad"), entry=ANY)
def test_neighbours_without_a_common_element_stay_two_inputs(check: Check) -> None:
    """A range that begins at the element after another's last is no alias of it: two graph inputs."""

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.add_(1)
        return left * 2, right * 2

    base = tensor(9)
    result = check(program, view_of(base, lambda t: t[:5]), view_of(base, lambda t: t[5:]))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    add = torch.ops.aten.add.Tensor(clone, 1)
    mul = torch.ops.aten.mul.Tensor(add, 2)
    mul_1 = torch.ops.aten.mul.Tensor(primals_2, 2)
    return (add, mul, mul_1)
""")


@clause("T6.2", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_one_common_element_makes_a_base(check: Check) -> None:
    """Ranges that overlap by one element are aliases: one graph input, and the write shows in the other's element."""

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.add_(1)
        return left * 2, right * 2

    base = tensor(9)
    result = check(program, view_of(base, lambda t: t[:5]), view_of(base, lambda t: t[4:]))
    result.mutated(0, 1)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [5], [1], 0)
    add = torch.ops.aten.add.Tensor(as_strided, 1)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, add, [5], [1], 0)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [5], [1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided_1, 2)
    as_strided_2 = torch.ops.aten.as_strided.default(as_strided_scatter, [5], [1], 4)
    mul_1 = torch.ops.aten.mul.Tensor(as_strided_2, 2)
    return (as_strided_scatter, mul, mul_1)
""")


@clause("T6.2", modes=("train", "no_grad"), entry=ANY)
def test_one_common_column_makes_a_base(check: Check) -> None:
    """Column blocks that have one column in common are aliases: the write shows in that column of the other block."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.mul_(2)
        return right + 1

    base = tensor(3, 4)
    result = check(program, view_of(base, lambda t: t[:, :3]), view_of(base, lambda t: t[:, 2:]))
    result.mutated(0, 1)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    as_strided = torch.ops.aten.as_strided.default(clone, [3, 3], [4, 1], 0)
    mul = torch.ops.aten.mul.Tensor(as_strided, 2)
    as_strided_scatter = torch.ops.aten.as_strided_scatter.default(clone, mul, [3, 3], [4, 1], 0)
    as_strided_1 = torch.ops.aten.as_strided.default(as_strided_scatter, [3, 2], [4, 1], 2)
    add = torch.ops.aten.add.Tensor(as_strided_1, 1)
    return (as_strided_scatter, add)
""")


@clause("T6.2", modes=("train", "no_grad"), entry=ANY)
def test_even_and_odd_elements(check: Check) -> None:
    """Even and odd elements of one tensor share none: with a base or without, a write to one leaves the other."""

    def program(even: torch.Tensor, odd: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        even.mul_(2)
        return even + 1, odd + 1

    base = tensor(8)
    result = check(program, view_of(base, lambda t: t[::2]), view_of(base, lambda t: t[1::2]))
    result.mutated(0).unchanged(1).strides(0, 2)


@clause("T6.2", modes=("train", "no_grad"), entry=ANY)
def test_aliases_that_nobody_mutates_stay_two_inputs(check: Check) -> None:
    """Overlapping inputs that are only read stay separate graph inputs: a base is made for mutation alone."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        return base.sum() * view

    base = tensor(6)
    result = check(program, base, view_of(base, lambda t: t[2:]))
    result.unchanged(0, 1).aliases(0, 1).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    sum_1 = torch.ops.aten.sum.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(sum_1, primals_2)
    return (mul, primals_2, sum_1)
""")


@clause("T6.3", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_metadata_mutation_makes_no_base(check: Check) -> None:
    """Transposing an aliased input in place changes its metadata alone: the inputs stay two, no base is made."""

    def program(matrix: torch.Tensor, flat: torch.Tensor) -> torch.Tensor:
        matrix.t_()
        return flat + 1

    base = tensor(6)
    result = check(program, view_of(base, lambda t: t.view(2, 3)), view_of(base, lambda t: t.view(-1)))
    result.shape(0, 3, 2).aliases(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    view = torch.ops.aten.view.default(primals_1, [2, 3])
    t = torch.ops.aten.t.default(view)
    add = torch.ops.aten.add.Tensor(primals_2, 1)
    return (t, add)
""")


@clause("T6.8", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_data_mutation_beside_metadata_mutation(check: Check) -> None:
    """One alias transposed in place and the other written: both have the new data, the first its new shape too."""

    def program(matrix: torch.Tensor, flat: torch.Tensor) -> torch.Tensor:
        matrix.t_()
        flat.mul_(2)
        return matrix + 1

    base = tensor(6)
    result = check(program, view_of(base, lambda t: t.view(2, 3)), view_of(base, lambda t: t.view(-1)))
    result.shape(0, 3, 2).mutated(1)
