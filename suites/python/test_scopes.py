"""Names: closures, globals, defaults, comprehensions, and when each is looked up."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: B007, F821
# mypy: disable-error-code="misc"

import collections
from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


@clause("python.scopes")
def test_nonlocal_name_is_written_for_the_caller(check: Check) -> None:
    """A name of the enclosing function that the program binds anew is bound anew there, and read in the next call."""
    total: Any = 1

    def program(a: torch.Tensor) -> torch.Tensor:
        nonlocal total
        total = total + 2
        return a * total

    result = check(program, calls=[(tensor(3),)] * 3)
    entries = result.in_call(2).call.entries
    result.happened(entries["closure total"].detail == 7, "a sum over three calls")


@clause("python.scopes")
def test_two_closures_share_one_cell(check: Check) -> None:
    """What one inner function writes to a shared name, its sibling and the enclosing function read."""

    def program(a: torch.Tensor) -> Any:
        state = a

        def put(value: torch.Tensor) -> None:
            nonlocal state
            state = state * 2 + value

        def get() -> torch.Tensor:
            return state - 1

        put(a)
        first = get()
        put(first)
        return first, get(), state

    result = check(program, tensor(3)).distinct("out[0]", "out[2]")
    result.values().expect("""\
out[0] = float32[3] [1.059, -8.89, -1.717]
out[1] = float32[3] [4.178, -25.67, -4.151]
out[2] = float32[3] [5.178, -24.67, -3.151]
""")


@clause("python.scopes")
def test_lambdas_of_a_loop_see_its_last_value(check: Check) -> None:
    """Functions made in a loop look the loop's name up when they are called; a default is bound when it is made."""

    def program(a: torch.Tensor) -> Any:
        late: list[Callable[[], int]] = []
        early: list[Callable[..., int]] = []
        for number in range(3):
            late.append(lambda: number * 10)
            early.append(lambda number=number: number * 10)
        values = [function() for function in late], [function() for function in early]
        number = 7
        return a * late[0](), values

    check(program, tensor(3)).holds("out[1]", ([20, 20, 20], [0, 10, 20]))


@clause("python.scopes")
def test_comprehension_has_a_scope_of_its_own(check: Check) -> None:
    """A comprehension's name leaves an outer name of the same spelling alone; a loop's name outlives the loop."""

    def program(a: torch.Tensor) -> Any:
        item = 5
        squares = [item * item for item in range(4)]
        nested = [(item, other) for item in range(2) for other in range(item)]
        functions = [lambda: item for item in range(3)]
        for place in range(2):
            pass
        return a * item, squares, nested, item, place, functions[0]()

    result = check(program, tensor(3)).holds("out[1]", [0, 1, 4, 9]).holds("out[2]", [(1, 0)])
    result.holds("out[3]", 5).holds("out[4]", 1).holds("out[5]", 2)


@clause("python.scopes", fullgraph=False)
def test_walrus_binds_outside_of_the_comprehension(check: Check) -> None:
    """A name that ``:=`` binds inside of a comprehension is bound in the function around it."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        b = a * 2
        big = [last for item in items if (last := item * 2) > 4]
        while (item := items.pop()) > 2:
            big.append(item)
        return b * last, big, last, item

    result = check(program, tensor(3), [1, 2, 3, 5]).holds("out[1]", [6, 10, 5, 3]).holds("out[2]", 10)
    result.holds("out[3]", 2).holds(1, [1])


STEPS = 0
HISTORY: list[Any] = []


@clause("python.scopes")
def test_global_name_is_written(check: Check) -> None:
    """A global that a call binds anew is read by the next call, number, list and all."""

    def program(a: torch.Tensor, first: bool) -> Any:
        global STEPS, HISTORY
        if first:
            STEPS, HISTORY = 0, []
        STEPS += 3
        HISTORY = [*HISTORY, STEPS]
        return a * STEPS, STEPS, list(HISTORY)

    result = check(program, calls=[(tensor(3), True), (tensor(3), False), (tensor(3), False)])
    entries = result.in_call(2).call.entries
    result.happened(entries["out[1]"].detail == 9 and entries["out[2]"].detail == "3 elements", "three steps")


@clause("python.scopes")
def test_mutable_default_outlives_the_call(check: Check) -> None:
    """A list that is a default argument is one list for all calls, and grows over them."""

    def program(a: torch.Tensor, seen: list[Any] = []) -> torch.Tensor:  # noqa: B006
        seen.append(len(seen))
        return a * len(seen)

    result = check(program, calls=[(tensor(3),), (tensor(3),), (tensor(3),)])
    entries = result.in_call(2).call.entries
    result.happened(entries["default 0"].detail == "3 elements", "a default that grows")


@clause("python.scopes")
def test_defaults_are_evaluated_when_the_function_is_made(check: Check) -> None:
    """The default of an inner function is what its name meant then; the name in its body is what it means now."""

    def program(a: torch.Tensor) -> Any:
        scale = 2

        def scaled(value: torch.Tensor, by: int = scale, *, bias: list[int] = [scale]) -> Any:  # noqa: B006
            bias.append(scale)
            return value * by, list(bias)

        scale = 5
        scaled(a)
        return scaled(a + scale)

    check(program, tensor(3)).holds("out[1]", [2, 5, 5])


@clause("python.scopes", fullgraph=False)
def test_deleted_local_is_unbound(check: Check) -> None:
    """Reading a local name after ``del``, or after the ``except`` clause that bound it, raises `UnboundLocalError`."""

    def read_deleted(scale: int) -> str:
        kept = scale + 1
        del scale
        try:
            return f"{scale} is there"
        except UnboundLocalError as error:
            return f"{kept} {type(error).__name__}"

    def read_handled() -> str:
        try:
            raise ValueError("x")
        except ValueError as error:
            kept = error.args[0]
        try:
            return f"{error} is there"
        except NameError as missing:
            return f"{kept} {type(missing).__name__}"

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        deleted = read_deleted(3)
        handled = read_handled()
        return b * len(deleted), deleted, handled

    result = check(program, tensor(3)).holds("out[1]", "4 UnboundLocalError")
    result.holds("out[2]", "x UnboundLocalError")


@clause("python.scopes")
def test_recursion_keeps_its_frames_apart(check: Check) -> None:
    """Each level of a recursion has names of its own, and results come back in the order of the returns."""

    def program(a: torch.Tensor, depth: int) -> Any:
        trail: list[int] = []

        def descend(value: torch.Tensor, level: int) -> torch.Tensor:
            here = level * 10
            if level > 1:
                value = value * 0.5 + descend(value + level, level - 1)
            trail.append(here)
            return value - here

        return descend(a, depth), trail

    check(program, tensor(3), 4).holds("out[1]", [10, 20, 30, 40])


@clause("python.scopes", fullgraph=False)
def test_returned_closure_goes_on_from_the_program(check: Check) -> None:
    """A function that the program returns has the values that the program left in its cells."""

    def program(a: torch.Tensor) -> Any:
        count = 1
        b = a * 2

        def step() -> Any:
            nonlocal count
            count += 1
            return b + count

        step()
        return step, b

    result = check(program, tensor(3))
    result.holds("out[0].<closure count>", 2).same_object("out[1]", "out[0].<closure b>")


def counting() -> Callable[..., Any]:
    """A program that uses a class made beside it, whose methods write to what they close over."""
    log: list[Any] = []
    count = {"left": 0}
    seen: set[str] = set()

    class Scope:
        def __enter__(self) -> Any:
            log.append("enter")
            return self

        def __exit__(self, *error: object) -> None:
            count["left"] += 1

        def __call__(self, a: torch.Tensor) -> torch.Tensor:
            seen.add("called")
            return a * 2

        def scaled(self, a: torch.Tensor) -> torch.Tensor:
            log.append(tuple(a.shape))
            return a * 3

    def program(a: torch.Tensor) -> Any:
        with Scope() as scope:
            return scope(a) + scope.scaled(a)

    # The program reaches them through the class alone; as attributes of it they are seen from outside.
    vars(program).update(log=log, count=count, seen=seen)
    return program


@clause("python.scopes")
def test_methods_of_a_local_class_write_to_what_they_close_over(check: Check) -> None:
    """A list, a dict and a set that methods of a class made beside the program write to hold what was written."""
    result = check(built(counting), calls=[(tensor(2),)] * 2)
    held = result.in_call(1).call.entries
    result.happened(held["program.count['left']"].detail == 2, "two calls that were counted")


@clause("python.scopes")
def test_what_a_part_hands_out_works_outside(check: Check) -> None:
    """A function's keyword defaults, a queue's bound, a strict `zip` and an error's cause hold outside of it."""

    def part(a: torch.Tensor, shift: int) -> Any:
        def scaled(value: Any, *, by: int = 7) -> Any:
            return value * by + shift

        try:
            raise ValueError("bad") from KeyError("worse")
        except ValueError as caught:
            error = caught
        queue = collections.deque([1, 2, 3], maxlen=2)
        return a * 2, scaled, queue, zip([4, 5], [6], strict=True), error

    def program(compile_part: Callable[[Any], Any], a: torch.Tensor) -> Any:
        b, scaled, queue, pairs, error = compile_part(part)(a, 3)
        queue.append(9)
        seen: list[Any] = [scaled(1), scaled(1, by=2), list(queue), type(error.__cause__).__name__, next(pairs)]
        try:
            seen.append(next(pairs))
        except ValueError:
            seen.append("unequal")
        except StopIteration:
            seen.append("over")
        return scaled(b), seen

    check(program, tensor(3), in_parts=True).holds("out[1]", [10, 5, [3, 9], "KeyError", (4, 6), "unequal"])
