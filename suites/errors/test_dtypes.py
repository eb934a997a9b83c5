"""Dtypes that an operator does not take are refused, and not converted on the way."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: Operators of a matrix and of a vector of another dtype.
MIXED: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "matrix by vector": lambda a, b: a @ b,
    "step": lambda a, b: torch.heaviside(a, b),
    "cross product": lambda a, b: torch.linalg.cross(a, b.expand(3, 3)),
    "weights of classes": lambda a, b: functional.cross_entropy(a, torch.tensor([0, 2, 1], device=a.device), b),
    "rows that are written": lambda a, b: a.index_copy(0, torch.tensor([1], device=a.device), b.unsqueeze(0)),
}


@clause("errors.dtypes")
def test_mean_of_integers(check: Check) -> None:
    """The mean of integers is refused: it would not be an integer."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.mean()

    check(program, tensor(4, dtype=torch.int64)).raised("mean")


@clause("errors.dtypes")
def test_matrix_product_of_two_dtypes(check: Check) -> None:
    """A matrix product does not promote its operands."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b

    check(program, tensor(3, 4), tensor(4, 2, dtype=torch.float64)).raised("same dtype")


@clause("errors.dtypes")
def test_index_of_floats(check: Check) -> None:
    """A tensor of floats is no index."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a[b]

    check(program, tensor(5, 2), tensor(3, values=[0.0, 1.0, 2.0])).raised("tensors used as indices must be")


@clause("errors.dtypes")
def test_bitwise_and_of_floats(check: Check) -> None:
    """Bitwise operators take integers and booleans only."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a & b

    check(program, tensor(4), tensor(4)).raised("bitwise_and")


@clause("errors.dtypes")
def test_order_of_complex_numbers(check: Check) -> None:
    """Complex numbers have no order."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a < b

    check(program, tensor(4, dtype=torch.complex64), tensor(4, dtype=torch.complex64)).raised("Complex")


@clause("errors.dtypes")
def test_floor_of_complex_numbers(check: Check) -> None:
    """A complex number has no floor."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).floor()

    check(program, tensor(4, dtype=torch.complex64)).raised("complex")


@clause("errors.dtypes")
def test_scattered_values_of_another_dtype(check: Check) -> None:
    """`scatter` does not convert what it scatters."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.scatter(0, index, b)

    check(program, tensor(5), tensor(3, dtype=torch.int64, values=[0, 2, 4]), tensor(3, dtype=torch.float64)).raised(
        "dtype"
    )


@clause("errors.dtypes")
def test_values_of_another_dtype_put_by_index(check: Check) -> None:
    """`index_put` does not convert the values that it puts."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.index_put((index,), b)

    check(program, tensor(5), tensor(3, dtype=torch.int64, values=[0, 2, 4]), tensor(3, dtype=torch.float64)).raised(
        "dtypes match"
    )


@clause("errors.dtypes")
def test_negation_of_booleans(check: Check) -> None:
    """Booleans have no minus."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return -a

    check(program, tensor(4, dtype=torch.bool)).raised("not supported")


@clause("errors.dtypes")
def test_subtraction_of_booleans(check: Check) -> None:
    """Booleans are not subtracted."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a - b

    check(program, tensor(4, dtype=torch.bool), tensor(4, dtype=torch.bool)).raised("not supported")


@clause("errors.dtypes")
def test_embedding_with_float_indices(check: Check) -> None:
    """An embedding is looked up by integers."""

    def program(weight: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return functional.embedding(index, weight)

    check(program, tensor(5, 2), tensor(2, values=[0.0, 1.0])).raised("Long")


@clause("errors.dtypes")
def test_condition_that_is_no_boolean(check: Check) -> None:
    """`where` takes a condition of booleans."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.where(a, b, -b)

    check(program, tensor(4, dtype=torch.int64), tensor(4)).raised("where")


@clause("errors.dtypes")
def test_bounds_that_the_dtype_cannot_hold(check: Check) -> None:
    """`clamp` of int8 between bounds beyond eight bits is refused, or the bounds are none (since torch 2.14)."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.clamp(-1000, 1000)

    result = check(program, tensor(3, dtype=torch.int8, values=[-128, 0, 127]))
    result.happened(result.call.error is not None or result.value("out").tolist() == [-128, 0, 127], "one of the two")


@clause("errors.dtypes")
@pytest.mark.parametrize("operator", MIXED)
def test_dtypes_that_are_not_promoted(check: Check, operator: str) -> None:
    """Operators that take one dtype refuse another one beside it, though their formulas would promote."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return MIXED[operator](a, b)

    check(program, tensor(3, 3), tensor(3, dtype=torch.float64)).raised()


@clause("errors.dtypes")
def test_classes_that_are_no_64_bit_integers(check: Check) -> None:
    """`one_hot` takes classes of 64 bits only."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.one_hot(a, 4)

    check(program, tensor(3, dtype=torch.int32, values=[1, 0, 3])).raised("index tensor of type LongTensor")


@clause("errors.dtypes", devices="cpu")
def test_loss_of_classes_of_32_bits(check: Check) -> None:
    """A loss of classes is told them by 64 bits, or as bytes, and by nothing between."""

    def program(a: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return functional.nll_loss(a, classes)

    check(program, tensor(3, 4), tensor(3, dtype=torch.int32, values=[1, 0, 3])).raised("Long")
