"""How functions are called, bound, cached and wrapped."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: D102
# mypy: disable-error-code="attr-defined, call-arg, misc"

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


@clause("python.functions")
def test_arguments_arrive_where_python_puts_them(check: Check) -> None:
    """Positional-only, keyword-only, starred and double-starred arguments arrive in their names, keywords in order."""

    def spread(first: Any, /, second: Any = 2, *rest: Any, only: Any = 5, **named: Any) -> list[Any]:
        return [first, second, list(rest), only, list(named.items())]

    def program(a: torch.Tensor, items: list[int], options: dict[str, int]) -> Any:
        calls = [spread(1), spread(1, *items, **options), spread(*items, z=1, only=0, first=8)]
        return a * len(calls), calls

    result = check(program, tensor(3), [7, 8, 9], {"y": 3, "only": 6, "x": 4})
    result.holds("out[1][0]", [1, 2, [], 5, []]).holds("out[1][1]", [1, 7, [8, 9], 6, [("y", 3), ("x", 4)]])
    result.holds("out[1][2]", [7, 8, [9], 0, [("z", 1), ("first", 8)]])


@clause("python.functions", fullgraph=False)
def test_wrong_arguments_raise(check: Check) -> None:
    """A missing, a surplus and a doubled argument raise a `TypeError`, before anything of the function runs."""

    def scaled(value: Any, *, by: int) -> Any:
        log.append("ran")
        return value * by

    def attempt(call: Callable[[], Any]) -> str:
        try:
            call()
        except TypeError as error:
            return type(error).__name__
        return "fine"

    log: list[str] = []

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        calls = [lambda: scaled(1, 2), lambda: scaled(1), lambda: scaled(1, by=2, value=3)]
        return b, [attempt(call) for call in calls], list(log)

    check(program, tensor(3)).holds("out[1]", ["TypeError"] * 3).holds("out[2]", [])


@clause("python.functions")
def test_partials_are_keys_by_identity(check: Check) -> None:
    """Two partials of one function with equal arguments are two keys of a dict; the same one is one key."""

    def scaled(value: Any, by: int) -> Any:
        return value * by

    def program(a: torch.Tensor, first: Any, second: Any) -> Any:
        named = {first: "first", second: "second"}
        named[first] += " again"
        return first(a) - second(a), len(named), named[first], named[second], first == second

    def make() -> Any:
        return functools.partial(scaled, by=3)

    result = check(program, tensor(3), built(make), built(make)).holds("out[1]", 2).holds("out[2]", "first again")
    result.holds("out[3]", "second").holds("out[4]", False)


@clause("python.functions")
def test_partial_adds_to_the_arguments_of_its_call(check: Check) -> None:
    """A partial's own positions come first, a keyword of the call wins, and a partial of a partial is one."""

    def spread(*values: Any, **named: Any) -> Any:
        return list(values), named

    def program(a: torch.Tensor) -> Any:
        first = functools.partial(spread, 1, x=1, y=2)
        second = functools.partial(first, 2, y=3)
        return a * len(second.args), second(3, z=4), first(y=9), second.keywords, second.func is spread

    result = check(program, tensor(3)).holds("out[1]", ([1, 2, 3], {"x": 1, "y": 3, "z": 4}))
    result.holds("out[2]", ([1], {"x": 1, "y": 9})).holds("out[3]", {"x": 1, "y": 3}).holds("out[4]", True)


@clause("python.functions", fullgraph=False)
def test_cached_function_runs_once_for_equal_arguments(check: Check) -> None:
    """A cached function runs once for equal arguments, and hands out the same object again."""

    def work(log: list[int]) -> Any:
        @functools.cache
        def squares(number: int) -> list[int]:
            log.append(number)
            return [number * number]

        first = squares(3)
        first.append(squares(4)[0])
        return squares(3), squares(3) is first

    def program(a: torch.Tensor) -> Any:
        log: list[int] = []
        b = a * 2
        squared, same = work(log)
        return b * squared[1], squared, log, same

    result = check(program, tensor(3)).holds("out[1]", [9, 16]).holds("out[2]", [3, 4]).holds("out[3]", True)
    result.shape("out[0]", 3)


@clause("python.functions")
def test_decorators_wrap_from_the_inside(check: Check) -> None:
    """The decorator next to the function wraps first, the outermost runs first, and `wraps` hands on the name."""

    def noted(name: str) -> Callable[..., Any]:
        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def wrapper(value: Any, log: list[str]) -> Any:
                log.append(f"into {name}")
                result = function(value + len(name), log)
                log.append(f"out of {name}")
                return result

            return wrapper

        return decorate

    def program(a: torch.Tensor, log: list[str]) -> Any:
        @noted("outer")
        @noted("in")
        def doubled(value: Any, log: list[str]) -> Any:
            return value * 2

        return doubled(a, log), doubled.__name__

    result = check(program, tensor(3), []).holds(1, ["into outer", "into in", "out of in", "out of outer"])
    result.holds("out[1]", "doubled")


@clause("python.functions", fullgraph=False)
def test_getters_of_operator_reach_into_objects(check: Check) -> None:
    """`itemgetter`, `attrgetter` and `methodcaller` pick what their names say, several at once as a tuple."""

    def program(a: torch.Tensor, rows: list[dict[str, int]]) -> Any:
        b = a * 2
        ordered = sorted(rows, key=operator.itemgetter("x"))
        picked = operator.itemgetter("y", "x")(ordered[0])
        dims = operator.attrgetter("ndim")(b), operator.methodcaller("dim")(b)
        return b * picked[0], picked, dims, operator.index(True), list(map(operator.mul, [2, 3], [4, 5]))

    result = check(program, tensor(3), [{"x": 5, "y": 1}, {"x": 2, "y": 7}]).holds("out[1]", (7, 2))
    result.holds("out[2]", (1, 1)).holds("out[3]", 1).holds("out[4]", [8, 15])


class Tally:
    """An object whose methods are handed around."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def note(self, value: Any) -> int:
        self.seen.append(value)
        return len(self.seen)


@clause("python.functions")
def test_bound_method_keeps_its_object(check: Check) -> None:
    """A bound method that is stored, passed and mapped works on its own object, also under another name."""

    def program(a: torch.Tensor, tally: Tally, other: Tally) -> Any:
        note = tally.note
        tally = other
        counts = list(map(note, "ab"))
        count = Tally.note(tally, "mine")
        return a * note("c"), counts, count, note.__self__ is other, note == other.note

    result = check(program, tensor(3), built(Tally), built(Tally)).holds("out[1]", [1, 2]).holds("out[2]", 1)
    result.holds("arg[1].seen", ["a", "b", "c"]).holds("arg[2].seen", ["mine"]).holds("out[4]", False)


@clause("python.functions", fullgraph=False)
def test_attribute_of_a_function_counts_calls(check: Check) -> None:
    """An attribute that a function sets on itself is there in its next call, within the program and over its calls."""

    def helper(value: Any) -> Any:
        helper.calls = getattr(helper, "calls", 0) + 1
        return value * helper.calls

    def program(a: torch.Tensor) -> Any:
        b = helper(a) - helper(a + 1)
        return b, helper.calls

    result = check(program, calls=[(tensor(3),), (tensor(3),)]).holds("out[1]", 2)
    second = result.in_call(1).call.entries
    result.happened(second["out[1]"].detail == 4, "four calls")


@clause("python.functions")
def test_keywords_of_a_helper_are_its_own(check: Check) -> None:
    """A keyword may have the name of a positional-only argument; keyword defaults that are bound anew are used."""

    def helper(value: Any, scale: int = 3, /, *, shift: int = 1, **named: Any) -> Any:
        return value * scale + shift, [scale, shift, list(named.items())]

    def program(a: torch.Tensor) -> Any:
        b, plain = helper(a)
        c, named = helper(a, scale=8, value=9)
        return b + c, plain, named

    def default(shift: int) -> Any:
        def change(function: types.FunctionType) -> None:
            (function.__closure__ or ())[0].cell_contents.__kwdefaults__ = {"shift": shift}

        return change

    result = check(program, calls=[(tensor(3),)] * 3, before=[default(1), default(6), default(1)])
    result.holds("out[1]", [3, 1, []]).holds("out[2]", [3, 1, [("scale", 8), ("value", 9)]])
    result.in_call(1).holds("out[1]", [3, 6, []])
