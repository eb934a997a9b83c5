"""Exceptions that a program raises itself, and what it does about them."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import built


class TooSmall(Exception):
    """An exception of the program's own."""


@clause("errors.exceptions", fullgraph=False)
def test_exception_of_the_program_reaches_the_caller(check: Check) -> None:
    """A `ValueError` that the program raises after some computation comes out with its message."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        if a.shape[0] == 3:
            raise ValueError(f"three rows, {doubled.dim()} dimensions")
        return doubled

    check(program, tensor(3, 2)).raised("three rows, 2 dimensions")


@clause("errors.exceptions", fullgraph=False)
def test_exception_class_of_the_programs_own(check: Check) -> None:
    """An exception class that the program defines comes out, with its arguments in the message."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        if a.shape[0] < 4:
            raise TooSmall("too small", a.shape[0])
        return doubled

    check(program, tensor(3)).raised("('too small', 3)")


@clause("errors.exceptions")
def test_exception_caught_by_the_program(check: Check) -> None:
    """What the program raises and catches itself is no error: the handler sees the exception and its arguments."""

    def program(a: torch.Tensor, sizes: list[int]) -> torch.Tensor:
        try:
            if a.shape[0] < 4:
                raise TooSmall("too small", a.shape[0])
            return a * 2
        except TooSmall as error:
            sizes.append(error.args[1])
            return a * error.args[1]

    check(program, tensor(3), built(list)).holds("arg[1][0]", 3)


@clause("errors.exceptions")
def test_mutation_before_a_caught_exception_stays(check: Check) -> None:
    """What was mutated before the exception stays mutated, and what comes after it in the block does not happen."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        try:
            a.mul_(3)
            if a.dim() == 1:
                raise ValueError
            b.add_(1)
        except ValueError:
            return a + b
        return a - b

    check(program, tensor(4), tensor(4)).mutated(0).unchanged(1)


@clause("errors.exceptions")
def test_else_and_finally_run_in_their_turn(check: Check) -> None:
    """``else`` runs where nothing was raised, ``except`` where something was, and ``finally`` last, each time."""

    def program(a: torch.Tensor, order: list[str], key: str) -> torch.Tensor:
        try:
            value = {"there": 2.0}[key]
        except KeyError:
            order.append("except")
            value = 5.0
        else:
            order.append("else")
            a.add_(1)
        finally:
            order.append("finally")
            a.mul_(2)
        return a * value

    calls = [(tensor(3), built(list), "there"), (tensor(3), built(list), "missing")]
    check(program, calls=calls).mutated(0).holds("arg[1]", ["else", "finally"])


@clause("errors.exceptions")
def test_return_in_finally_swallows_the_exception(check: Check) -> None:
    """A ``return`` inside ``finally`` wins over the exception that is on its way."""

    def program(a: torch.Tensor) -> torch.Tensor:
        try:
            raise ValueError("on its way")
        finally:
            return a * 7  # noqa: B012

    result = check(program, tensor(3))
    result.happened(result.call.error is None, "an exception swallowed")
    result.values().expect("""\
out = float32[3] [4.805, -18.41, -1.673]
""")


@clause("errors.exceptions")
def test_exception_raised_in_a_handler(check: Check) -> None:
    """An outer handler sees the exception that an inner one raised, and whose cause it is."""

    def program(a: torch.Tensor, seen: list[str]) -> torch.Tensor:
        try:
            try:
                raise ValueError("inner")
            except ValueError as error:
                raise TypeError("outer") from error
        except TypeError as error:
            seen.append(str(error))
            seen.append(str(error.__cause__))
        return a + len(seen)

    check(program, tensor(3), built(list)).holds("arg[1]", ["outer", "inner"])


@clause("errors.exceptions")
def test_exception_from_a_function_that_mutated(check: Check) -> None:
    """An exception that leaves a function called by the program leaves the function's writes behind."""

    def scaled(a: torch.Tensor, log: dict[str, int]) -> torch.Tensor:
        log["calls"] = log.get("calls", 0) + 1
        a[0] = 9
        raise IndexError("after the write")

    def program(a: torch.Tensor, log: dict[str, int]) -> torch.Tensor:
        doubled = a * 2
        try:
            doubled = scaled(a, log)
        except (KeyError, IndexError):
            log["caught"] = 1
        return doubled + a

    check(program, tensor(3), built(dict)).mutated(0).holds("arg[1]", {"calls": 1, "caught": 1})


@clause("errors.exceptions", fullgraph=False)
def test_error_of_an_operator_caught_by_the_program(check: Check) -> None:
    """The program's handler catches what an operator raises, as it does in eager, and goes on."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        try:
            return doubled + b
        except RuntimeError:
            return doubled - 1

    result = check(program, tensor(3), tensor(4))
    result.happened(result.call.error is None, "an error caught").shape("out", 3)
    result.values().expect("""\
out = float32[3] [0.3729, -6.26, -1.478]
""")


@clause("errors.exceptions")
def test_context_manager_that_swallows(check: Check) -> None:
    """A context manager whose exit returns true ends the exception; the statements that it skipped stay skipped."""

    class Swallow:
        def __enter__(self) -> None: ...

        def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
            return kind is ValueError

    def program(a: torch.Tensor) -> torch.Tensor:
        result = a * 2
        with Swallow():
            if a.dim() == 1:
                raise ValueError
            result = a * 3
        return result + 1

    result = check(program, tensor(3))
    result.happened(result.call.error is None, "an exception swallowed")
    result.values().expect("""\
out = float32[3] [2.373, -4.26, 0.522]
""")


@clause("errors.exceptions", fullgraph=False, devices="cpu")
def test_writes_before_an_operator_raises_stay(check: Check) -> None:
    """What was written to a tensor and to a list before an operator raised stays written; what comes after is not."""

    def part(a: torch.Tensor, places: torch.Tensor, log: list[str]) -> torch.Tensor:
        log.append("before")
        a.add_(1)
        chosen = a.index_select(0, places)
        log.append("after")
        return chosen

    def program(compiled: Any, a: torch.Tensor, places: torch.Tensor, log: list[str]) -> torch.Tensor:
        try:
            return compiled(part)(a, places, log)
        except (IndexError, RuntimeError):
            return a * 2

    places = tensor(1, dtype=torch.int64, values=[99])
    result = check(program, tensor(3), places, built(list), in_parts=True)
    result.mutated(0).holds("arg[2]", ["before"])
