"""Python's numbers and texts: how they are computed, and of which type they come back."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: F523, F524, UP030, UP031

import math
import operator
from typing import Any

import pytest
import torch

from suites.harness import Check, clause, tensor


@clause("python.values", shapes=("static", "dynamic"))
def test_integers_are_unbounded(check: Check) -> None:
    """An integer argument grows beyond 64 bits in products, powers and shifts without wrapping."""

    def program(a: torch.Tensor, number: int) -> Any:
        facts = [number**41, number << 70, (number * 2**62) // 7, -(number**30) % 1000, (number << 70) > 2**64]
        return a * (number**41 % 11), facts

    number = 5
    facts = [number**41, number << 70, (number * 2**62) // 7, -(number**30) % 1000, True]
    check(program, tensor(3), number).holds("out[1]", facts)


@clause("python.values", shapes=("static", "dynamic"))
def test_large_integer_is_reduced_before_it_meets_a_tensor(check: Check) -> None:
    """The remainder of an integer beyond 64 bits, by which a tensor is multiplied, is that of the whole integer."""

    def program(a: torch.Tensor, number: int) -> torch.Tensor:
        return a * (number**41 % 11)

    result = check(program, calls=[(tensor(3), 5), (tensor(3), 7)])
    result.values().expect("""\
out = float32[3] [3.432, -13.15, -1.195]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-3.519, -1.91, -0.4762]
""")


@clause("python.values", shapes=("static", "dynamic"))
def test_division_of_integers_rounds_down(check: Check) -> None:
    """``//`` and ``%`` of negative numbers round towards minus infinity; `int` and `trunc` towards zero."""

    def program(a: torch.Tensor, number: int) -> Any:
        rounded = int(number / 2), math.trunc(-1.5), number // 4
        return a * rounded[-1], [number // 2, number % 3, -number // 2, number % -3, *rounded]

    result = check(program, calls=[(tensor(3), -7), (tensor(3), 9)])
    result.holds("out[1]", [-4, 2, 3, -1, -3, -1, -2])


@clause("python.values", fullgraph=False)
def test_divmod_gives_quotient_and_remainder(check: Check) -> None:
    """`divmod` gives a rounded quotient and a remainder of the divisor's sign, for the numbers of each call."""

    def program(a: torch.Tensor, number: int) -> Any:
        b = a * 2
        return b * divmod(number, 3)[0], divmod(number, 4), divmod(-number, -4), divmod(number / 2, -2)

    result = check(program, calls=[(tensor(3), -7), (tensor(3), 9)])
    result.holds("out[1]", (-2, 1)).holds("out[2]", (-2, -1)).holds("out[3]", (1.0, -1.5))


@clause("python.values", shapes=("static", "dynamic"))
def test_true_division_and_powers_change_the_type(check: Check) -> None:
    """``/`` of integers and a negative power give floats, ``//`` of a float a float, `round` without digits an int."""

    def program(a: torch.Tensor, number: int) -> Any:
        facts = [
            number / 2,
            number**-1,
            number // 2.0,
            number**2,
            round(number / 4),
            round(2.5),
            round(2.675, 2),
            -number,
        ]
        return a * (number / 2), facts

    check(program, tensor(3), 6).holds("out[1]", [3.0, 6**-1, 3.0, 36, 2, 2, 2.67, -6])


@clause("python.values", shapes=("static", "dynamic"))
def test_bool_int_and_float_come_back_as_they_are(check: Check) -> None:
    """Of equal numbers of several types each comes back in its own; arithmetic of bools gives ints."""

    def program(a: torch.Tensor, number: int, flag: bool) -> Any:
        facts = [True, 1, 1.0, flag + flag, flag & True, flag & 1, not number, number == 1, flag * 1.0, [False, 0, 0.0]]
        same = 1 == True == 1.0
        return a * number, facts, same, isinstance(flag, int), type(flag) is int

    result = check(program, tensor(3), 1, True)
    result.holds("out[1]", [True, 1, 1.0, 2, True, 1, False, True, 1.0, [False, 0, 0.0]])
    result.holds("out[2]", True).holds("out[3]", True).holds("out[4]", False)


@clause("python.values", shapes=("static", "dynamic"))
def test_floats_are_double_precision(check: Check) -> None:
    """A float argument is computed with in double precision, in each call anew, and only then meets a tensor."""

    def program(a: torch.Tensor, number: float) -> Any:
        third = number / 3
        return a * third, third, number + 1e-12, (number + 1e16) - 1e16, math.floor(-number)

    result = check(program, calls=[(tensor(3), 0.1), (tensor(3), 0.7), (tensor(3), 123.456)])
    result.holds("out[1]", 0.1 / 3).holds("out[2]", 0.1 + 1e-12)


@clause("python.values")
def test_special_floats_follow_their_own_rules(check: Check) -> None:
    """NaN is unequal to itself and found by identity, minus zero keeps its sign, and infinities order around all."""

    def program(a: torch.Tensor, number: float) -> Any:
        nan, minus = number * 0.0, -0.0
        facts = [nan == nan, nan in [nan], math.copysign(1.0, minus), minus == 0.0, number > 10**400, max(1.0, nan)]
        return a + math.copysign(2.0, minus * 3), facts, minus, -number, math.isnan(nan)

    result = check(program, tensor(3), math.inf).holds("out[1]", [False, True, -1.0, True, True, 1.0])
    result.holds("out[3]", -math.inf).holds("out[4]", True)


@clause("python.values")
def test_complex_numbers_of_python(check: Check) -> None:
    """Python's complex numbers multiply, conjugate and have an absolute value, and scale a complex tensor."""

    def program(a: torch.Tensor, number: complex) -> Any:
        turned = number * (1 - 2j)
        return a * turned, turned, abs(number), number.conjugate().imag, number**2

    result = check(program, tensor(3, dtype=torch.complex64), 3 + 4j)
    result.holds("out[1]", 11 - 2j).holds("out[2]", 5.0).holds("out[3]", -4.0)


@pytest.mark.parametrize("part", ["inf", "nan"])
@clause("python.values")
def test_complex_number_whose_imaginary_part_is_no_number(check: Check, part: str) -> None:
    """A complex constant whose imaginary part is infinite, or no number, is a constant like any other."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a + complex(1.0, float(part))

    check(program, tensor(3, dtype=torch.complex64)).computed()


@clause("python.values", shapes=("static", "dynamic"), fullgraph=False)
def test_numbers_are_formatted_as_the_interpreter_formats(check: Check) -> None:
    """Format specifications, ``%``, `repr` and `str` give Python's own text for ints, floats, bools and sizes."""

    def texts_of(a: torch.Tensor, number: int, value: float) -> list[str]:
        return [
            f"{value:.3f}|{value:>8.1e}|{number:05d}|{number:+,}|{number:x}",
            "%5.2f and %s" % (value, True),
            "{0!r:>6}{1}".format("x", None),
            repr(0.1 + 0.2),
            str(value) + str(number),
            f"{a.shape} {list(a.shape)} {a.dtype} {number=}",
        ]

    def program(a: torch.Tensor, number: int, value: float) -> Any:
        b = a * 2
        texts = texts_of(a, number, value)
        return b * len(texts[0]), texts

    result = check(program, tensor(2, 3), 1234, 3.0625)
    result.holds("out[1][0]", "3.062| 3.1e+00|01234|+1,234|4d2").holds("out[1][1]", " 3.06 and True")
    result.holds("out[1][2]", "   'x'None").holds("out[1][5]", "torch.Size([2, 3]) [2, 3] torch.float32 number=1234")


@clause("python.values", shapes=("static", "dynamic"))
def test_formatted_number_is_a_text(check: Check) -> None:
    """A number alone in a formatted text is a text, filled and signed as its specification says."""

    def program(a: torch.Tensor, number: int) -> Any:
        return a * number, f"{number:05d}", f"{number}"

    check(program, tensor(3), 42).holds("out[1]", "00042").holds("out[2]", "42")


@clause("python.values")
def test_strings_are_taken_apart_and_joined(check: Check) -> None:
    """Splitting, stripping, translating, slicing and searching strings and bytes give Python's own results."""

    def program(a: torch.Tensor, text: str) -> Any:
        words = text.strip().split()
        parts = ["-".join(reversed(words)), text.title(), text[::-2], text.partition("b"), words[0].ljust(4, ".")]
        found = text.find("z"), text.count("a"), "b c" in text, text.encode()[1], ord(words[0]), "Ab".swapcase()
        return a * len(words), parts, found

    result = check(program, tensor(3), " a b ca ").holds("out[1][0]", "ca-b-a").holds("out[1][2]", " cba"[::1])
    result.holds("out[2]", (-1, 2, True, 97, 97, "aB"))


@clause("python.values", shapes=("static", "dynamic"), fullgraph=False)
def test_bits_of_integers(check: Check) -> None:
    """Bitwise operators on negative integers work on infinitely many sign bits, and shifts round down."""

    def facts_of(number: int) -> Any:
        return [number & 0xFF, number | 1, number ^ 5, ~number, number >> 1, number.bit_length(), hex(number)]

    def program(a: torch.Tensor, number: int) -> Any:
        b = a * 2
        facts = facts_of(number)
        return b * facts[4], facts

    result = check(program, tensor(3), -13)
    result.holds("out[1]", [243, -13, -10, 12, -7, 4, "-0xd"])


@clause("python.values", shapes=("static", "dynamic"))
def test_size_of_a_tensor_is_a_tuple_of_integers(check: Check) -> None:
    """`torch.Size` compares as a tuple, multiplies out, stays a `torch.Size` when sliced and becomes one by ``+``."""

    def program(a: torch.Tensor) -> Any:
        size = a.shape
        facts = [isinstance(size, tuple), size == (2, 3, 4), size.numel(), size.index(3), len(size)]
        return a.reshape(size[0], -1) * size[-1], facts, size[1:], size + (1,), (*size[:1], 9)

    result = check(program, tensor(2, 3, 4)).holds("out[1]", [True, True, 24, 1, 3])
    result.holds("out[2]", torch.Size([3, 4])).holds("out[4]", (2, 9))


@clause("python.values")
def test_tensor_made_of_a_size(check: Check) -> None:
    """`torch.Tensor` of a `torch.Size` is a tensor of that size, and of a tuple of numbers one that holds them."""

    def program(a: torch.Tensor) -> Any:
        return a * 2, torch.Tensor(a.size()).shape, torch.Tensor(tuple(a.size()))

    check(program, tensor(3, 4)).holds("out[1]", torch.Size([3, 4])).shape("out[2]", 2)


def _raise_by(kind: str, number: int) -> Any:
    match kind:
        case "order":
            return max(number, "a")
        case "extreme of nothing":
            return max([])
        case "joint":
            return "-".join([number])  # type: ignore[list-item]
        case "sum":
            return sum([number, "a"])
        case "field":
            return "{1}".format(number)  # type: ignore[str-format]
        case "format":
            return f"{number:.2d}"
        case "power":
            return 2.0 ** (number * 10_000)
        case "quotient":
            return divmod(number, 0)
    return int("z" * number)


_KINDS = ("order", "extreme of nothing", "joint", "sum", "field", "format", "power", "quotient", "number")


@pytest.mark.parametrize("kind", _KINDS)
@clause("python.values", fullgraph=False)
def test_error_of_a_builtin_is_caught(check: Check, kind: str) -> None:
    """What a builtin raises of numbers and texts is the interpreter's error, which the program catches and reads."""

    def program(a: torch.Tensor, number: int) -> Any:
        try:
            return a * 2, _raise_by(kind, number)
        except (TypeError, ValueError, IndexError, ArithmeticError) as error:
            return a * 3, [type(error).__name__, *error.args]

    names = {"field": "IndexError", "power": "OverflowError", "quotient": "ZeroDivisionError"}
    types = ("order", "joint", "sum")
    check(program, tensor(3), 1).holds("out[1][0]", names.get(kind, "TypeError" if kind in types else "ValueError"))


@clause("python.values")
def test_conversions_to_an_index_and_to_ascii(check: Check) -> None:
    """The index of a bool is an integer; ``!a`` escapes what is not ASCII, where ``!r`` and ``!s`` leave it."""

    def program(a: torch.Tensor, flag: bool, text: str) -> Any:
        number = operator.index(flag)
        return a * (number + 1), [number, operator.index(7)], [f"{text!a}", f"{text!r}", f"{text!s:>5}", f"{number}"]

    result = check(program, tensor(3), True, "\u00fc\u2192").holds("out[1]", [1, 7])
    result.holds("out[2]", ["'\\xfc\\u2192'", "'\u00fc\u2192'", "   \u00fc\u2192", "1"])
