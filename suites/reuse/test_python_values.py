"""Python values that a program was compiled with, and later calls that bring others."""

import enum
import functools
import itertools
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


class Reduction(enum.Enum):
    """How a loss is reduced."""

    SUM = "sum"
    MEAN = "mean"


@clause("reuse.values", modes="train")
def test_another_float(check: Check) -> None:
    """A float argument is the call's own in values and gradients, in the second call and in those after it."""

    def program(a: torch.Tensor, scale: float) -> torch.Tensor:
        return a.sin() * scale + scale

    check(program, calls=[(tensor(3), scale) for scale in (0.5, 2.5, -1.5, 0.5, 1e-30)], probe=False).gradient(0)


@clause("reuse.values")
def test_float_that_is_not_a_number(check: Check) -> None:
    """A NaN and the infinities as arguments are neither each other nor the float that was compiled for."""

    def program(a: torch.Tensor, limit: float) -> torch.Tensor:
        return torch.where(a < limit, a, 1 / torch.full((3,), limit, device=a.device))

    limits = (0.0, float("nan"), float("-inf"), float("inf"), 0.0)
    result = check(program, calls=[(tensor(3), limit) for limit in limits], probe=False)
    result.values().expect("""\
out = float32[3] [inf, -2.63, -0.239]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [nan, nan, nan]
""")


@clause("reuse.values")
def test_negative_zero_after_zero(check: Check) -> None:
    """-0.0 as an argument is not the 0.0 that was compiled for, though the two are equal in Python."""

    def program(a: torch.Tensor, sign: float) -> torch.Tensor:
        return torch.copysign(a, torch.full((3,), sign, device=a.device))

    result = check(program, calls=[(tensor(3), sign) for sign in (0.0, -0.0, 0.0)])
    result.values().expect("""\
out = float32[3] [0.6865, 2.63, 0.239]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-0.5028, -0.2729, -0.06803]
""")


@clause("reuse.values")
def test_integer_float_and_bool_of_one_value(check: Check) -> None:
    """1, 1.0 and True are equal in Python and promote a tensor differently: each call has its own result type."""

    def program(counts: torch.Tensor, factor: float) -> torch.Tensor:
        return counts * factor

    counts = tensor(3, dtype=torch.int64)
    result = check(program, calls=[(counts, factor) for factor in (1, 1.0, True, 1, 2.0)])
    dtypes = [call.tensors["out"].dtype for call in result.expected.calls]
    result.happened(len(set(dtypes)) == 2 and dtypes[1] == dtypes[4], "another promotion")
    result.values().expect("""\
out = int64[3] [6, 1, 6]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [7, 7, 2]
""")


@clause("reuse.values")
def test_another_text_and_none(check: Check) -> None:
    """A text, another text, the empty one and None each take their own branch."""

    def program(a: torch.Tensor, kind: str | None) -> torch.Tensor:
        if kind is None:
            return a - 1
        return getattr(a, kind)() if kind else a * 3

    calls = [(tensor(3), kind) for kind in ("sin", "cos", None, "", "sin")]
    result = check(program, calls=calls).recompiled(3)
    result.values().expect("""\
out = float32[3] [0.6338, -0.4895, -0.2367]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [0.8763, 0.963, 0.9977]
""")


@clause("reuse.values")
def test_another_member_of_an_enumeration(check: Check) -> None:
    """A member of an enumeration, a dtype and a bool choose as the call at hand says."""

    def program(a: torch.Tensor, reduction: Reduction, dtype: torch.dtype, signed: bool) -> torch.Tensor:
        total = (a if signed else a.abs()).to(dtype)
        return total.sum() if reduction is Reduction.SUM else total.mean()

    calls = [
        (tensor(3), Reduction.SUM, torch.float64, True),
        (tensor(3), Reduction.MEAN, torch.float64, True),
        (tensor(3), Reduction.MEAN, torch.float16, True),
        (tensor(3), Reduction.MEAN, torch.float16, False),
    ]
    result = check(program, calls=calls).recompiled(3)
    result.values().expect("""\
out = float64[] -2.183
""")
    result.in_call(1).values().expect("""\
out = float64[] -0.2812
""")


@clause("reuse.values")
def test_an_optional_tensor_that_comes_and_goes(check: Check) -> None:
    """An optional tensor is used in the calls that bring it, and in no other."""

    def program(a: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        return a * 2 if bias is None else a * 2 + bias

    result = check(program, calls=[(tensor(3), None), (tensor(3), tensor(3)), (tensor(3), None)]).recompiled(1)
    result.values().expect("""\
out = float32[3] [1.373, -5.26, -0.478]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-0.09591, -1.024, -0.6593]
""")


@clause("reuse.values", modes="train")
def test_another_number_of_elements_in_a_list(check: Check) -> None:
    """A list of another length, of tensors or of numbers, is used to its own end."""

    def program(parts: list[torch.Tensor], powers: list[int]) -> torch.Tensor:
        total = torch.zeros(3, device=parts[0].device)
        for place, part in enumerate(parts):
            total = total + part * (place + 1)
        for power in powers:
            total = total * power + parts[0]
        return total

    calls = [
        ([tensor(3), tensor(3)], [2]),
        ([tensor(3), tensor(3), tensor(3)], [2]),
        ([tensor(3)], [2, 3]),
        ([tensor(3)], [3, 2, 1]),
    ]
    check(program, calls=calls, probe=False).gradient(0, 1).shape("out", 3)


@clause("reuse.values")
def test_another_set_of_keys(check: Check) -> None:
    """A dict of other keys, or of the same keys in another order, is gone through as the call at hand has it."""

    def program(inputs: Mapping[str, torch.Tensor]) -> tuple[torch.Tensor, list[str]]:
        total = torch.zeros(3, device=inputs["x"].device)
        for place, (name, value) in enumerate(inputs.items()):
            total = total + value * (place + 1) + len(name)
        return total, list(inputs)

    a, b = tensor(3), tensor(3)
    calls = [({"x": a, "y": b},), ({"y": b, "x": a},), ({"x": a},), ({"x": a, "zzz": b},)]
    check(program, calls=calls).holds("out[1]", ["x", "y"]).recompiled(3)


@clause("reuse.values")
def test_missing_key_after_a_call_that_had_it(check: Check) -> None:
    """A key that is there in one call and missing in the next falls back to the default, or raises."""

    def program(inputs: Mapping[str, Any], name: str) -> torch.Tensor:
        return inputs[name] * inputs.get("scale", 2)

    calls = [({"x": tensor(3), "scale": 3}, "x"), ({"x": tensor(3)}, "x"), ({"x": tensor(3)}, "y")]
    result = check(program, calls=calls)
    result.shape("out", 3)
    result.in_call(2).raised()


@clause("reuse.values")
def test_another_number_of_arguments(check: Check) -> None:
    """Arguments beyond those of the first call are used, and defaults step in for those that are gone."""

    def program(a: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        for place, other in enumerate(others):
            a = a * (place + 2) - other
        return a

    calls = [(tensor(3), tensor(3)), (tensor(3), tensor(3), tensor(3)), (tensor(3),), (tensor(3), tensor(3))]
    result = check(program, calls=calls).recompiled(2)
    result.values().expect("""\
out = float32[3] [2.755, -4.804, -1.493]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-7.834, -0.4282, 1.197]
""")


@clause("reuse.values")
def test_another_order_of_keyword_arguments(check: Check) -> None:
    """Keyword arguments in another order, and another choice of them, reach the parameters of their names."""

    def combine(a: torch.Tensor, *, low: float = -1.0, high: float = 1.0) -> torch.Tensor:
        return a.clamp(low, high) * 2

    def program(a: torch.Tensor, options: Mapping[str, float]) -> torch.Tensor:
        return combine(a, **options)

    options: list[dict[str, float]] = [
        {"low": 0.0, "high": 0.5},
        {"high": 0.5, "low": 0.0},
        {"high": 0.25},
        {"low": 0.125},
        {},
    ]
    result = check(program, calls=[(tensor(4), each) for each in options], probe=False)
    result.values().expect("""\
out = float32[4] [1, 0, 0, 0]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [0, 0, 0, 1]
""")


@clause("reuse.values")
def test_another_order_of_collected_keyword_arguments(check: Check) -> None:
    """`**rest` is gone through in the order in which the call at hand gives it."""

    def combine(a: torch.Tensor, **rest: float) -> torch.Tensor:
        return a + sum(place * value for place, value in enumerate(rest.values(), 1))

    def program(a: torch.Tensor, options: Mapping[str, float]) -> torch.Tensor:
        return combine(a, **options)

    options: list[dict[str, float]] = [{"x": 1.0, "y": 3.0}, {"y": 3.0, "x": 1.0}]
    result = check(program, calls=[(tensor(4), each) for each in options])
    result.shape("out", 4).happened(len(result.expected.calls) == 2, "another order")
    result.values().expect("""\
out = float32[4] [7.686, 4.37, 6.761, 5.618]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [4.497, 4.727, 4.932, 5.91]
""")


@clause("reuse.values")
def test_objects_of_another_type(check: Check) -> None:
    """Values of other types in one place, an int, a tuple, a tensor, a slice, index as their own types do."""

    def program(a: torch.Tensor, where: Any) -> torch.Tensor:
        return a[where] * 2

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    calls = [(tensor(3, 4), where) for where in (1, (1, 2), index, slice(0, 2), [2, 1], None)]
    result = check(program, calls=calls, probe=False)
    result.values().expect("""\
out = float32[4] [-0.9121, 2.03, -3.173, 1.802]
""")
    result.in_call(1).values().expect("""\
out = float32[] 4.176
""")


@clause("reuse.values")
def test_another_method_of_tensors(check: Check) -> None:
    """A method of `torch.Tensor` that is handed in, or held by an object, is the one that is called."""

    def program(a: torch.Tensor, b: torch.Tensor, operator: Any, held: Any) -> tuple[torch.Tensor, torch.Tensor]:
        return operator(a, b), held.operator(a, b)

    methods = [torch.Tensor.add, torch.Tensor.mul, torch.Tensor.__sub__]
    holders = [built(functools.partial(types.SimpleNamespace, operator=method)) for method in methods]
    calls = [(tensor(3), tensor(3), *both) for both in zip(methods, holders, strict=True)]
    result = check(program, calls=calls)
    result.values().expect("""\
out[0] = float32[3] [-0.6955, -3.086, 0.7762]
out[1] = float32[3] [-0.6955, -3.086, 0.7762]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [-0.4573, 0.1306, 0.0356]
out[1] = float32[3] [-0.4573, 0.1306, 0.0356]
""")


@clause("reuse.values")
def test_least_of_an_item_and_a_whole_number(check: Check) -> None:
    """The lesser of a tensor's number and of a whole one is that one, and not a float of its size."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, Any]:
        least = min(a.sum().item(), 3)
        return a * 2, least

    calls = [(tensor(5, values=[value] * 5),) for value in (1.0, 0.25, 2.0)]
    check(program, calls=calls).holds("out[1]", 3).in_call(2).holds("out[1]", 3)


@clause("reuse.values")
def test_greatest_of_a_whole_number_and_a_float(check: Check) -> None:
    """The greater of a whole number, however large, and of a float is the one of them that it is."""

    def program(a: torch.Tensor, number: int) -> tuple[torch.Tensor, Any, Any]:
        return a * number, max(number, 3.5), min(number, 1e300)

    result = check(program, calls=[(tensor(3), number) for number in (5, 7, 2**53 + 1)])
    result.holds("out[1]", 5).in_call(2).holds("out[1]", 2**53 + 1).holds("out[2]", 2**53 + 1)


class Steps(int):
    """A whole number of a class of its own."""


@clause("reuse.values")
def test_numbers_of_a_class_patterns_and_views_of_dicts(check: Check) -> None:
    """A number of an `int` subclass, a regular expression and a read-only view of a dict are each the call's own."""

    def program(a: torch.Tensor, steps: Steps, pattern: re.Pattern[str], names: Mapping[str, int]) -> Any:
        return a * steps, pattern.match("abc") is not None, len(names), "y" in names

    def viewed(**names: int) -> Any:
        return built(lambda: types.MappingProxyType(names))

    first, other = re.compile("ab"), re.compile("[xy]")
    calls = [
        (tensor(3), Steps(4), first, viewed(x=1)),
        (tensor(3), Steps(5), first, viewed(x=1)),
        (tensor(3), Steps(4), other, viewed(x=1)),
        (tensor(3), Steps(4), first, viewed(x=1, y=2)),
    ]
    result = check(program, calls=calls, probe=False)
    result.holds("out[1]", True).in_call(2).holds("out[1]", False)
    result.in_call(3).holds("out[2]", 2).holds("out[3]", True)


@clause("reuse.values")
def test_another_choice_of_bound_keywords(check: Check) -> None:
    """A partial that binds one keyword more, or another positional argument, is called with what it binds."""

    def line(factor: int, a: torch.Tensor, shift: int = 1, power: int = 1) -> tuple[torch.Tensor, list[int]]:
        return (a * factor + shift) ** power, [factor, shift, power]

    def program(a: torch.Tensor, step: Any) -> tuple[torch.Tensor, list[int]]:
        return step(a)

    bound: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((2,), {"shift": 3}),
        ((2,), {"shift": 3, "power": 2}),
        ((2,), {}),
        ((2,), {"power": 2, "shift": 3}),
    ]
    steps = [functools.partial(line, *arguments, **keywords) for arguments, keywords in bound]
    result = check(program, calls=[(tensor(3), step) for step in steps], probe=False)
    result.holds("out[1]", [2, 3, 1]).in_call(1).holds("out[1]", [2, 3, 2]).in_call(2).holds("out[1]", [2, 1, 1])


@clause("reuse.values")
def test_iterators_are_taken_from_where_they_stand(check: Check) -> None:
    """Of iterators that are handed in, a call takes what comes next in its own, and leaves the rest to the caller."""

    def program(a: torch.Tensor, counter: Iterator[int], steps: Iterator[int], parts: Iterator[int]) -> Any:
        next(parts)
        next(parts)
        return a * next(counter), next(steps), next(parts), counter, steps, parts

    def started(count: int, steps: range, *parts: int) -> Any:
        return (
            tensor(3),
            built(lambda: itertools.count(count)),
            built(lambda: iter(steps)),
            built(lambda: iter(parts)),
        )

    calls = [started(2, range(2, 7), 2, 3, 5, 7), started(5, range(2, 7), 2, 3, 5, 7), started(2, range(4, 8), 9, 8, 7)]
    result = check(program, calls=calls, probe=False)
    result.holds("out[1]", 2).holds("out[2]", 5)
    result.in_call(2).holds("out[1]", 4).holds("out[2]", 7)


@clause("reuse.values", shapes="dynamic")
def test_floats_of_double_precision_and_no_numbers_at_all(check: Check) -> None:
    """A float is multiplied in all of its digits, and after a call with a NaN other numbers are what they are."""

    def program(a: torch.Tensor, scale: float, limit: float) -> tuple[torch.Tensor, str]:
        if limit != limit:
            return a * scale, "none"
        return a * scale + limit, "limited"

    calls = [
        (tensor(3, dtype=torch.float64), scale, limit)
        for scale, limit in ((0.1, float("nan")), (0.3, 2.5), (1 / 3, 0.7), (0.7, float("nan")))
    ]
    result = check(program, calls=calls, probe=False)
    result.holds("out[1]", "none").in_call(1).holds("out[1]", "limited")


class Tenfold(dict[str, Any]):
    """A dict whose brackets answer ten times what it holds."""

    def __getitem__(self, key: str) -> Any:
        """Ten times the value."""
        return super().__getitem__(key) * 10


@clause("reuse.values")
def test_dicts_of_a_class_and_makers_of_dicts(check: Check) -> None:
    """A class method of `dict` that is handed in makes a dict; a class's own brackets are not asked by `values`."""

    def program(a: torch.Tensor, make: Any, weights: Mapping[str, torch.Tensor]) -> Any:
        made = make(["x", "y"], 3)
        total = a * len(made)
        for weight in weights.values():
            total = total + weight
        return total, weights["x"], made

    def weights(scale: int) -> Any:
        return built(lambda x, y: Tenfold(x=x * scale, y=y), tensor(3), tensor(3))

    result = check(program, calls=[(tensor(3), dict.fromkeys, weights(scale)) for scale in (1, 2)], probe=False)
    result.holds("out[2]", {"x": 3, "y": 3})
