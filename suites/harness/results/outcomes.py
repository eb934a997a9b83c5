"""What a cell can come to: every outcome, with all that is said of it anywhere, in one place."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from enum import Enum
from typing import Any


@dataclasses.dataclass(frozen=True)
class _Row:
    """What is said of one outcome; see `Outcome` for what each column is."""

    value: str
    label: str
    letter: str
    told: str
    style: str
    meaning: str
    compared: bool = False
    diverges: bool = False
    against: bool = False


class Outcome(str, Enum):
    """What a cell has come to, the worst last. The value is the word of the ledger.

    A ledger holds only what was seen. `KNOWN` and `UNEXPECTED_PASS` are what known bugs make of it where it is read,
    `SILENT` and `LOUD` the two kinds of `FAIL`: see `suites.harness.results.summary.standing`.
    """

    #: The column of the matrix, and the name in reports.
    label: str
    #: pytest's letter.
    letter: str
    #: What ``parity check`` says of a program.
    told: str
    #: rich's style.
    style: str
    #: A line for people who have not seen the word before.
    meaning: str
    #: Whether the program ran on the backend and was compared with eager.
    compared: bool
    #: Whether the compiled program does not mean what the eager one means.
    diverges: bool
    #: Whether it counts against a backend, whatever the options say.
    against: bool

    # To type checkers, which take `Outcome("pass")` for a call of it, a word is as good as a row.
    def __new__(cls, row: Any) -> Outcome:
        """A member from its row of the table below."""
        assert isinstance(row, _Row)
        member = str.__new__(cls, row.value)
        member._value_ = row.value
        for field in dataclasses.fields(row):
            if field.name != "value":
                setattr(member, field.name, getattr(row, field.name))
        member.compared = row.compared or row.diverges
        return member

    PASS = _Row("pass", "passed", ".", "same", "green", "everything that a caller can see is equal", compared=True)
    KNOWN = _Row("xfail", "known", "x", "known", "cyan", "diverges as a known bug says", compared=True)
    INHERITED = _Row(
        *("inherited", "inherited", "i", "diverges below it", "blue"),
        "diverges as a lower layer of torch already does: not this backend's",
        diverges=True,
    )
    UNSUPPORTED = _Row(
        *("unsupported", "unsupported", "u", "unsupported", "dim"),
        "the backend said that it does not support the program, or this machine cannot tell",
    )
    SKIP = _Row("skip", "skipped", "s", "rejected", "dim", "not run, for a reason that is named")
    CHANGED = _Row(
        *("changed", "changed", "g", "another golden", "yellow"),
        "the graph, or what eager computes, is another than the golden",
        compared=True,
    )
    FALLBACK = _Row(
        *("fallback", "fallback", "b", "same, by torch itself", "yellow"),
        "torch, and not the backend, executed the whole graph",
        compared=True,
        against=True,
    )
    VACUOUS = _Row(
        *("vacuous", "vacuous", "v", "vacuous", "yellow"),
        "nothing was compiled, or what the clause is about did not happen",
        against=True,
    )
    UNEXPECTED_PASS = _Row(
        *("xpass", "unexpected pass", "X", "same, though a bug is known", "yellow"),
        "a known bug names the cell, but it passes",
        compared=True,
        against=True,
    )
    FLAKE = _Row(
        *("flake", "flake", "K", "fails by chance", "magenta"),
        "failed, and did not when it was run again",
        diverges=True,
        against=True,
    )
    ERROR = _Row("error", "error", "E", "error", "magenta", "the clause itself failed to run", against=True)
    TIMEOUT = _Row(
        "timeout", "timeout", "T", "hangs", "magenta", "did not come back in time", diverges=True, against=True
    )
    CRASH = _Row("crash", "crash", "C", "crashes", "bold magenta", "the process died", diverges=True, against=True)
    FAIL = _Row(
        "fail", "diverges", "F", "diverges", "bold red", "does not mean what eager means", diverges=True, against=True
    )
    LOUD = _Row(
        *("loud", "loud", "F", "diverges", "bold yellow"),
        "raised where eager does not, or the other way round",
        diverges=True,
        against=True,
    )
    SILENT = _Row(
        "silent", "silent", "F", "diverges", "bold red", "ran, and differs from eager", diverges=True, against=True
    )

    # Python 3.10 and 3.12 do not agree on what a str with names formats as: it is the word of the ledger.
    __str__ = str.__str__

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    @property
    def recorded(self) -> bool:
        """Whether a ledger may hold it."""
        return self not in (Outcome.KNOWN, Outcome.UNEXPECTED_PASS, Outcome.LOUD, Outcome.SILENT)

    @property
    def junit(self) -> str:
        """JUnit's element of a cell: ``failure``, ``error`` or ``skipped``; empty for a pass."""
        if self.against:
            return "error" if self is Outcome.ERROR else "failure"
        return "" if self in (Outcome.PASS, Outcome.CHANGED) else "skipped"


#: Where a cell can stand in the matrix, the worst last: `FAIL` is told apart into `SILENT` and `LOUD`.
STANDINGS = tuple(outcome for outcome in Outcome if outcome is not Outcome.FAIL)
#: The standings that have a column of their own in the matrix.
ALWAYS = (
    *(Outcome.PASS, Outcome.KNOWN, Outcome.INHERITED),
    *(Outcome.SILENT, Outcome.LOUD, Outcome.CRASH, Outcome.VACUOUS),
)
#: The words for: the compiled program does not mean what the eager one means.
DIVERGING = frozenset[str](outcome for outcome in Outcome if outcome.diverges)


#: What a cell with divergences has come to where one of them is of the facet of that name.
_BY_FACET = (Outcome.CRASH, Outcome.TIMEOUT, Outcome.FALLBACK)


def diverged(facets: Iterable[str]) -> Outcome:
    """What a cell has come to that diverges in these facets: it crashed, hung, fell back, or failed like any other."""
    seen = frozenset(facets)
    return next((outcome for outcome in _BY_FACET if outcome.value in seen), Outcome.FAIL)


def recorded(word: str) -> Outcome:
    """The outcome that a ledger's word stands for. Raises `ValueError` for a word that no ledger may hold."""
    for outcome in Outcome:
        if outcome.recorded and outcome.value == word:
            return outcome
    raise ValueError(f"{word!r} is no outcome: {', '.join(each.value for each in Outcome if each.recorded)}")
