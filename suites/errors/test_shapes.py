"""Shapes that do not fit are refused, though a compiler could make them fit."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("errors.shapes")
def test_operands_that_do_not_broadcast(check: Check) -> None:
    """Sizes 3 and 4 do not broadcast against each other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * 2 + b

    check(program, tensor(2, 3), tensor(4)).raised("must match")


@clause("errors.shapes")
def test_matrices_that_do_not_multiply(check: Check) -> None:
    """The inner sizes of a matrix product have to be equal."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).relu()

    check(program, tensor(3, 4), tensor(5, 2)).raised("cannot be multiplied")


@clause("errors.shapes")
def test_bias_that_does_not_fit(check: Check) -> None:
    """A linear layer refuses a bias of another width."""

    def program(a: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return functional.linear(a, weight, bias)

    check(program, tensor(3, 4), tensor(5, 4), tensor(3)).raised("expand")


@clause("errors.shapes")
def test_view_of_a_transposed_tensor(check: Check) -> None:
    """`view` does not copy: sizes that the strides cannot express are refused."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.t().view(-1) + 1

    check(program, tensor(3, 4)).raised("view size is not compatible")


@clause("errors.shapes")
def test_reshape_to_another_number_of_elements(check: Check) -> None:
    """`reshape` keeps the number of elements."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a + 1).reshape(5, 2)

    check(program, tensor(3, 4)).raised("invalid for input of size")


@clause("errors.shapes")
def test_concatenation_of_other_widths(check: Check) -> None:
    """`cat` refuses pieces that differ in another dimension than the one it joins."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, b], 0)

    check(program, tensor(2, 3), tensor(2, 4)).raised("Sizes of tensors must match")


@clause("errors.shapes")
def test_dimension_that_is_not_there(check: Check) -> None:
    """A reduction over dimension 2 of a matrix is refused."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(2)

    check(program, tensor(3, 4)).raised("Dimension out of range")


@clause("errors.shapes")
def test_expansion_of_a_size_that_is_not_one(check: Check) -> None:
    """`expand` repeats sizes of one and no others."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.expand(6, 4) * 2

    check(program, tensor(3, 4)).raised("must match the existing size")


@clause("errors.shapes")
def test_stack_of_other_shapes(check: Check) -> None:
    """`stack` takes equal shapes only, also where they would broadcast."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.stack([a, b])

    check(program, tensor(3), tensor(1)).raised("equal size")


@clause("errors.shapes")
def test_split_sizes_that_do_not_add_up(check: Check) -> None:
    """The sizes of a split have to add up to the size that is split."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.split([1, 3], 0)[1] * 2

    check(program, tensor(5, 2)).raised("split_with_sizes expects")


@clause("errors.shapes")
def test_sum_with_a_product_that_is_shorter(check: Check) -> None:
    """What the product of a matrix and a vector is added to is spread to its size, and the product not to that."""

    def program(a: torch.Tensor, matrix: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.addmv(a, matrix, b)

    check(program, tensor(4), tensor(1, 3), tensor(3)).raised("size mismatch")
