"""Asserts in the generated code: they see what is wrong with numbers and sizes, and leave what is right alone."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, clause, tensor

NAN_ASSERTS = {"inductor.nan_asserts": True}


def error_of(check: Check, program: Callable[..., Any], *args: torch.Tensor) -> str:
    """The class of the error that the program raises, compiled with asserts for NaN and run; else ``none``."""
    try:
        with torch.no_grad(), check.compiled(program, config=NAN_ASSERTS) as compiled:
            compiled(*args)
    except Exception as error:
        return type(error).__name__
    return "none"


def shifted_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A product by a kernel of the library, and a generated kernel after it."""
    return (a @ b).sin() + b


def quotient(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Infinite where ``b`` is zero."""
    return a / b + 1


@clause("T16.6", modes="train", shapes=("static", "dynamic"), on=("inductor",))
def test_finite_numbers_pass(check: Check) -> None:
    """With asserts for NaN on, finite arguments, results and gradients are eager's."""
    check(shifted_product, tensor(3, 3), tensor(3, 3), config=NAN_ASSERTS).gradient(0, 1)


@clause("T16.6", on=("inductor",))
def test_asserts_for_nan_are_off_unless_asked_for(check: Check) -> None:
    """NaN and inf are numbers like others by default: they go in and come out as in eager."""
    special = tensor(2, 2, values=((float("nan"), 1.0), (float("-inf"), 2.0)), grad=False)
    check(quotient, special, tensor(2, 2, values=((1.0, 0.0), (2.0, -4.0)), grad=False)).values().expect("""\
out = float32[2, 2] [[nan, inf], [-inf, 0.5]]
""")


@clause("T16.6", on=("inductor",))
def test_nan_among_the_arguments_is_caught(check: Check) -> None:
    """A NaN in an argument raises, also where no result shows it."""
    a = torch.tensor([[1.0, float("nan")], [0.5, 2.0]])
    seen = error_of(check, lambda a: torch.nan_to_num(a) + 1, a)
    check.demand("error", "NaN in an argument", "AssertionError", seen)


@clause("T16.6", on=("inductor",))
def test_inf_among_the_arguments_is_caught(check: Check) -> None:
    """An infinite argument raises, also where the result is finite."""
    seen = error_of(check, lambda a: a.clamp(-1, 1) * 2, torch.tensor([1.0, float("-inf")]))
    check.demand("error", "inf in an argument", "AssertionError", seen)


@clause("T16.6", on=("inductor",))
def test_nan_in_a_result_is_caught(check: Check) -> None:
    """A NaN that finite arguments give raises before the result reaches the caller."""
    seen = error_of(check, lambda a: (a - 1).log(), torch.tensor([2.0, 0.5]))
    check.demand("error", "NaN in a result", "AssertionError", seen)


@clause("T16.6", on=("inductor",))
def test_inf_in_one_of_several_results_is_caught(check: Check) -> None:
    """An infinite number in the second of two results raises, though the first is finite."""
    seen = error_of(check, lambda a, b: (a + b, a / b), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 0.0]))
    check.demand("error", "inf in a result", "AssertionError", seen)


@clause("T16.6", on=("inductor",))
def test_without_asserts_for_sizes(check: Check) -> None:
    """Asserts for sizes and alignment off, a strided argument and a view of it give what eager gives."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a[:, 1:] @ b[1:]).t() + a.sum()

    config = {"inductor.size_asserts": False, "inductor.alignment_asserts": False}
    result = check(program, tensor(3, 4, strides=(1, 3)), tensor(4, 3), config=config)
    result.strides("out", 1, 3)
    result.values().expect("""\
out = float32[3, 3] [[-3.587, -10.63, -5.675], [-0.658, -9.899, -1.958], [-5.347, -6.316, -5.732]]
""")
