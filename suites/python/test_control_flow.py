"""Branches, exceptions and context managers: what runs, in which order, and what stays done."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: SIM107, SIM222, SIM223
# mypy: disable-error-code="comparison-overlap, index, var-annotated"

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from suites.harness import Check, clause, tensor


@clause("python.control-flow")
def test_try_runs_its_parts_in_order(check: Check) -> None:
    """``else`` runs without an exception only, ``finally`` always and last, also on the way out of a loop."""

    def program(a: torch.Tensor, fails: bool) -> Any:
        log: list[str] = []
        for turn in range(3):
            try:
                if fails and turn == 1:
                    raise KeyError("one")
            except LookupError as error:
                log.append(f"caught {error.args[0]}")
                break
            else:
                log.append("fine")
                continue
            finally:
                log.append("finally")
        return a * len(log), log

    result = check(program, calls=[(tensor(3), True), (tensor(3), False)])
    result.holds("out[1]", ["fine", "finally", "caught one", "finally"])


@clause("python.control-flow")
def test_return_in_finally_wins(check: Check) -> None:
    """A ``return`` in ``finally`` replaces the one under way, and what was computed for that one stays done."""

    def program(a: torch.Tensor, items: list[Any]) -> Any:
        def choose() -> torch.Tensor:
            try:
                items.append("try")
                return a * 2
            finally:
                items.append("finally")
                return a * 3  # noqa: B012

        return choose() + 1

    check(program, tensor(3), []).holds(1, ["try", "finally"])


@clause("python.control-flow", fullgraph=False)
def test_exception_carries_its_cause_and_context(check: Check) -> None:
    """An exception raised from another has it as its cause; one raised while handling another, as its context."""

    class Refused(ValueError):
        def __init__(self, code: int) -> None:
            super().__init__(f"code {code}")
            self.code = code

    def caused() -> list[Any]:
        try:
            try:
                raise Refused(7)
            except Refused as first:
                code = first.code
                raise TypeError("second") from first
        except TypeError as error:
            return [code, type(error.__cause__).__name__, str(error.__cause__)]

    def in_context() -> list[Any]:
        try:
            try:
                raise KeyError("x")
            except KeyError:
                raise IndexError("y")  # noqa: B904
        except IndexError as error:
            return [type(error.__context__).__name__, error.__cause__ is None]

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        facts = caused()
        return b * facts[0], facts, in_context()

    result = check(program, tensor(3)).holds("out[1]", [7, "Refused", "code 7"])
    result.holds("out[2]", ["KeyError", True])


@clause("python.control-flow")
def test_what_was_done_before_an_exception_stays_done(check: Check) -> None:
    """A tensor that was written to and a list that grew keep that when the code after it raises and is caught."""

    def program(a: torch.Tensor, items: list[Any]) -> torch.Tensor:
        def work() -> None:
            a.add_(2)
            items.append("added")
            raise RuntimeError("stop")

        try:
            work()
            items.append("never")
        except RuntimeError as error:
            items.append(str(error))
        return a * 3

    check(program, tensor(3), []).mutated(0).holds(1, ["added", "stop"])


class Logged:
    """A context manager that writes down when it is entered and left, and swallows one kind of exception."""

    def __init__(self, log: list[Any], name: str, swallows: type[BaseException] | None = None) -> None:
        self.log, self.name, self.swallows = log, name, swallows

    def __enter__(self) -> str:
        self.log.append(f"enter {self.name}")
        return self.name.upper()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        self.log.append(f"exit {self.name} {kind.__name__ if kind else None}")
        return self.swallows is not None and kind is not None and issubclass(kind, self.swallows)


@clause("python.control-flow")
def test_context_managers_are_left_in_reverse(check: Check) -> None:
    """Managers are entered from left to right and left in reverse, and ``as`` binds what entering returned."""

    def program(a: torch.Tensor, log: list[Any]) -> torch.Tensor:
        with Logged(log, "x") as x, Logged(log, "y") as y:
            b = a * 2
            log.append(x + y)
        log.append("after")
        return b - 1

    check(program, tensor(3), []).holds(1, ["enter x", "enter y", "XY", "exit y None", "exit x None", "after"])


@clause("python.control-flow")
def test_context_manager_swallows_an_exception(check: Check) -> None:
    """A manager hears of the exception that leaves it; one that answers true ends it, and the program goes on."""

    def program(a: torch.Tensor, log: list[Any]) -> torch.Tensor:
        b = a
        with Logged(log, "outer", ValueError):
            with Logged(log, "inner", KeyError):
                b = b * 2
                raise ValueError("x")
            log.append("never")
        log.append("after")
        return b + 1

    check(program, tensor(3), []).holds(
        1, ["enter outer", "enter inner", "exit inner ValueError", "exit outer ValueError", "after"]
    )


@clause("python.control-flow")
def test_return_inside_of_a_context_manager_leaves_it(check: Check) -> None:
    """``return`` and ``break`` inside of a ``with`` leave the manager first; the value is computed before that."""

    def program(a: torch.Tensor, log: list[Any]) -> torch.Tensor:
        def inside() -> int:
            for turn in range(5):
                with Logged(log, str(turn)):
                    if turn == 1:
                        return len(log)
            return -1

        return a * inside()

    check(program, tensor(3), []).holds(1, ["enter 0", "exit 0 None", "enter 1", "exit 1 None"])


@clause("python.control-flow")
def test_generator_based_context_manager_cleans_up(check: Check) -> None:
    """A manager made of a generator runs what is after its ``yield`` at the end, its ``finally`` on an exception."""

    @contextlib.contextmanager
    def noted(log: list[str], name: str) -> Iterator[str]:
        log.append(f"in {name}")
        try:
            yield name * 2
        finally:
            log.append(f"out {name}")

    def program(a: torch.Tensor, log: list[Any]) -> torch.Tensor:
        with noted(log, "p") as p:
            log.append(p)
        try:
            with noted(log, "q"):
                raise ValueError("q")
        except ValueError:
            log.append("caught")
        return a * len(log)

    check(program, tensor(3), []).holds(1, ["in p", "pp", "out p", "in q", "out q", "caught"])


@clause("python.control-flow", fullgraph=False)
def test_exit_stack_calls_back_in_reverse(check: Check) -> None:
    """An `ExitStack` leaves managers and callbacks in reverse; `suppress` ends the exceptions it names."""

    def program(a: torch.Tensor, log: list[Any]) -> torch.Tensor:
        b = a * 2
        with contextlib.ExitStack() as stack:
            stack.enter_context(Logged(log, "x"))
            stack.callback(log.append, "callback")
            log.append("body")
        with contextlib.suppress(KeyError):
            log.append({}["none"])
        return b * len(log)

    check(program, tensor(3), []).holds(1, ["enter x", "body", "callback", "exit x None"])


@clause("python.control-flow")
def test_chained_comparison_asks_its_middle_once(check: Check) -> None:
    """The middle of a chained comparison is computed once, and what comes after the first false link never."""

    def program(a: torch.Tensor) -> Any:
        log: list[int] = []

        def ask(number: int) -> int:
            log.append(number)
            return number

        facts = [ask(1) < ask(5) < ask(3), ask(9) < ask(8) < ask(7), 1 < 2 == 2 != 3]
        return a * len(log), log, facts

    result = check(program, tensor(3)).holds("out[1]", [1, 5, 3, 9, 8])
    result.holds("out[2]", [False, False, True])


@clause("python.control-flow")
def test_and_and_or_give_one_of_their_operands(check: Check) -> None:
    """``and`` and ``or`` give the operand that decided, not a bool, and leave the others unevaluated."""

    def program(a: torch.Tensor, empty: list[Any], log: list[Any]) -> Any:
        chosen = [0 or "x", "" or 0.0, 2 and [], None and log.append("never"), empty or {}, not empty]
        kept = (empty and a) or a * 2
        return kept, chosen, empty or log

    result = check(program, tensor(3), [], []).holds("out[1]", ["x", 0.0, [], None, {}, True])
    result.same_object("out[2]", "arg[2]").holds(2, [])


@clause("python.control-flow", fullgraph=False)
def test_truth_of_a_tensor_chooses_the_branch(check: Check) -> None:
    """``and``, ``or``, ``not`` and ``if`` ask a tensor for its value in each call, in order, and give the operand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        positive = a.sum() > 0
        chosen = (positive and b) or a
        if not positive:
            chosen = chosen * 2
        return chosen + 1, "yes" if positive else "no"

    one, minus = tensor(1, values=(1.5,)), tensor(1, values=(-2.5,))
    result = check(program, calls=[(one, tensor(1, values=(4.0,))), (minus, one), (one, tensor(1, values=(0.0,)))])
    second = result.in_call(1).call.entries
    result.holds("out[1]", "yes").happened(second["out[1]"].detail == "no", "the other branch")


@clause("python.control-flow")
def test_match_takes_the_first_pattern_that_fits(check: Check) -> None:
    """Patterns of values, sequences, mappings, classes and alternatives are tried in order and bind what they name."""

    class Point:
        __match_args__ = ("x", "y")

        def __init__(self, x: int, y: int) -> None:
            self.x, self.y = x, y

    def kind(subject: Any) -> Any:
        match subject:
            case 0 | None:
                return "nothing"
            case bool() as flag:
                return "flag", flag
            case [first, *_, last] if first == last:
                return "ring", first
            case (first, second):
                return "pair", second
            case {"x": x, **rest}:
                return "named", x, rest
            case Point(0, y=y) | Point(y, 0):
                return "axis", y
            case str(text):
                return "text", text
            case _:
                return "other"

    subjects: list[Any] = [None, True, [4, 5, 4], (1, 2), {"x": 3, "z": 4}, "ab", 2.5]

    def program(a: torch.Tensor) -> Any:
        kinds = [kind(subject) for subject in [*subjects, Point(0, 8), Point(9, 0), Point(1, 1)]]
        return a * len(kinds), kinds

    expected = ["nothing", ("flag", True), ("ring", 4), ("pair", 2), ("named", 3, {"z": 4}), ("text", "ab"), "other"]
    check(program, tensor(3)).holds("out[1]", [*expected, ("axis", 8), ("axis", 9), "other"])


@clause("python.control-flow")
def test_bare_raise_raises_what_was_caught_last(check: Check) -> None:
    """``raise`` alone is of the exception being handled; ``from`` hides the context; arguments make up the text."""

    def handled() -> list[Any]:
        try:
            raise LookupError("outer", 2)
        except LookupError as outer:
            try:
                try:
                    raise OverflowError("inner")
                except OverflowError:
                    raise
            except (LookupError, OverflowError) as caught:
                return [type(caught).__name__, str(caught), str(outer)]

    def chained() -> list[Any]:
        try:
            try:
                raise IndexError
            except IndexError as first:
                raise TypeError("second", (3,)) from first
        except TypeError as error:
            return [error.__suppress_context__, type(error.__cause__).__name__, str(error), str(error.__cause__)]

    def program(a: torch.Tensor) -> Any:
        facts = handled()
        return a * len(facts), facts, chained()

    result = check(program, tensor(3)).holds("out[1]", ["OverflowError", "inner", "('outer', 2)"])
    result.holds("out[2]", [True, "IndexError", "('second', (3,))", ""])


@clause("python.control-flow")
def test_with_and_match_bind_what_they_are_given(check: Check) -> None:
    """``with`` binds what a null context holds; a pattern of a sequence takes lists and ranges, no texts or bytes."""

    def kind(subject: Any) -> Any:
        match subject:
            case [first, *rest]:
                return first, len(rest)
            case _:
                return "no sequence"

    def program(a: torch.Tensor) -> Any:
        with contextlib.nullcontext(a * 2) as doubled, contextlib.nullcontext() as nothing:
            scaled = (a if doubled is None else doubled) + 1
        subjects: list[Any] = [b"pq", "pq", b"pqr", [7, 8], range(4, 9), b""]
        return scaled, nothing, [kind(subject) for subject in subjects]

    result = check(program, tensor(3)).holds("out[1]", None)
    result.holds("out[2]", [*["no sequence"] * 3, (7, 1), (4, 4), "no sequence"])
