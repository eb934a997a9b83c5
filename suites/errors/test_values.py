"""Values that an operator refuses: what eager checks when it runs, a compiled program checks, too."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("errors.values", isolated=True, devices="cpu")
def test_integers_divided_by_zero(check: Check) -> None:
    """Integers floored after division by zero raise: there is no integer to return. On the CPU: a GPU does not say."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a // b

    check(
        program, tensor(4, dtype=torch.int64, values=[7, 8, 9, 10]), tensor(4, dtype=torch.int64, values=[1, 0, 2, 3])
    ).raised("ZeroDivisionError")


@clause("errors.values", isolated=True, devices="cpu")
def test_remainder_of_division_by_zero(check: Check) -> None:
    """The remainder of integers by zero raises. On the CPU: a GPU does not say."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.remainder(a, b)

    check(
        program, tensor(4, dtype=torch.int64, values=[7, 8, 9, 10]), tensor(4, dtype=torch.int64, values=[1, 0, 2, 3])
    ).raised("ZeroDivisionError")


@clause("errors.values")
def test_negative_integer_power_of_an_integer(check: Check) -> None:
    """An integer to a negative integer power raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a**-2

    check(program, tensor(4, dtype=torch.int64, values=[1, 2, 3, 4])).raised("negative integer powers")


@clause("errors.values")
def test_negative_number_counted(check: Check) -> None:
    """`bincount` counts no negative numbers."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.bincount(a, minlength=5) * 2

    check(program, tensor(3, dtype=torch.int64, values=[1, -2, 3])).raised("non-negative")


@clause("errors.values", asserts_on_device=True)
def test_class_beyond_the_last_one_hot(check: Check) -> None:
    """`one_hot` of a class beyond the last one raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.one_hot(a, 3) * 2

    check(program, tensor(3, dtype=torch.int64, values=[0, 3, 1])).raised("smaller than num_classes")


@clause("errors.values", asserts_on_device=True)
def test_negative_one_hot_class(check: Check) -> None:
    """`one_hot` of a negative class raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.one_hot(a, 3) * 2

    check(program, tensor(3, dtype=torch.int64, values=[0, -1, 1])).raised("non-negative")


@clause("errors.values")
def test_cholesky_of_a_matrix_that_is_not_positive(check: Check) -> None:
    """A matrix that is not positive-definite has no Cholesky factor."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.linalg.cholesky(a + 0) * 2

    check(program, tensor(2, 2, values=[[1.0, 2.0], [2.0, 1.0]])).raised("not positive-definite")


@clause("errors.values")
def test_inverse_of_a_singular_matrix(check: Check) -> None:
    """A singular matrix has no inverse."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.linalg.inv(a * 1) + 1

    check(program, tensor(2, 2, values=[[1.0, 2.0], [2.0, 4.0]])).raised("singular")


@clause("errors.values", asserts_on_device=True)
def test_negative_weight_of_multinomial(check: Check) -> None:
    """`multinomial` refuses negative weights."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.multinomial(a, 1)

    check(program, tensor(3, values=[0.5, -0.5, 1.0])).raised("probability tensor")


@clause("errors.values", asserts_on_device=True)
def test_probability_above_one(check: Check) -> None:
    """`bernoulli` refuses probabilities above one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.bernoulli(a * 2)

    check(program, tensor(3, values=[0.25, 0.75, 0.1])).raised("p_in <= 1")


@clause("errors.values", asserts_on_device=True)
def test_target_of_binary_cross_entropy_above_one(check: Check) -> None:
    """Binary cross entropy of a probability above one raises."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return functional.binary_cross_entropy(a * 2, b)

    check(program, tensor(2, values=[0.25, 0.75]), tensor(2, values=[0.0, 1.0])).raised("between 0 and 1")


@clause("errors.values", fullgraph=False)
def test_negative_repetitions(check: Check) -> None:
    """`repeat_interleave` refuses negative counts."""

    def program(a: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        return a.repeat_interleave(counts)

    check(program, tensor(3), tensor(3, dtype=torch.int64, values=[1, -1, 2])).raised("negative")


@clause("errors.values", fullgraph=False)
def test_several_elements_as_one_number(check: Check) -> None:
    """`item` of several elements raises."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.cos() * a.item()

    check(program, tensor(3)).raised("converted to Scalar")


@clause("errors.values", fullgraph=False)
def test_truth_of_several_elements(check: Check) -> None:
    """The truth of several elements is ambiguous."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a + 1 if a.sum(0) > 0 else a - 1

    check(program, tensor(3, 2)).raised("ambiguous")


@clause("errors.values")
def test_negative_deviation_of_a_normal_draw(check: Check) -> None:
    """`normal` refuses a tensor of deviations with one below zero."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.normal(torch.zeros(3, device=a.device), a) + 1

    check(program, tensor(3, values=[1.0, -1.0, 0.5])).raised("std >= 0")
