"""Inline expectations: what happens when a test compares a graph, or eager's values, with its golden.

The running cell sets a `Session`; ``expect`` of a graph or of values asks it what to do. A golden belongs to one cell:
every other cell is handed a `NoGraph`, whose ``expect`` does nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Protocol

from golden.editing.locate import NotFound, Place, locate, normalised, placed
from golden.graphs.compare import Comparison, compare_texts
from golden.graphs.graph_value import FORMAT

__all__ = [
    "VALUES",
    "GoldenResult",
    "GraphChanged",
    "Mode",
    "NoGraph",
    "Session",
    "Values",
    "Visit",
    "current_session",
    "expect_text",
    "placed",
    "use_session",
]

Mode = Literal["strict", "drift", "off", "record"]


@dataclasses.dataclass(frozen=True)
class GoldenResult:
    """What one golden came to.

    ``verdict``: `same`, `cosmetic` (only spelling), `reordered` (independent nodes in another order), `changed`,
    `created` (the golden is still empty), `elsewhere` (it belongs to another cell), `off` (not compared).
    ``golden`` is the golden's id: clause and stage. ``text`` is the canonical text that was seen.
    """

    verdict: str
    golden: str
    stage: str
    explanation: str = ""
    diff: str = ""
    text: str = ""
    format: int = FORMAT

    @property
    def ok(self) -> bool:
        """Whether a build goes on under strict comparison: the meaning is what the golden says, or nobody asked."""
        return self.verdict in ("same", "cosmetic", "elsewhere", "off")

    def to_json(self) -> dict[str, Any]:
        """The verdict as a ledger holds it."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Visit:
    """One look at a golden in record mode: what stands there, what was seen, and in which cell.

    ``expected`` is the text that held (the literal's or a band's), ``new`` the text that was seen. ``place`` is None
    when the literal could not be found; ``problem`` then says why in one line. ``baseline`` is False when the running
    torch is not the one that inline literals belong to: the edit is then a band's. ``test`` is pytest's node id.
    """

    golden: str
    cell: str
    variant: str
    stage: str
    format: int
    verdict: str
    explanation: str
    expected: str
    new: str
    torch: str
    baseline: bool
    place: Place | None
    problem: str = ""
    test: str = ""


class Sink(Protocol):
    """Where record mode writes; `golden.editing.edits.EditSink` is one."""

    def visit(self, visit: Visit) -> None:
        """Keep one visit."""


class Bands(Protocol):
    """Goldens of torch releases other than the baseline; `golden.bands.BandSet` is one."""

    def text_for(self, golden_id: str, torch_version: str) -> str | None:
        """The golden's text under that torch, or None when no band covers it."""


#: The stage of goldens that hold eager's values.
VALUES = "values"
_SUBJECTS = {VALUES: "eager's values are"}


class GraphChanged(AssertionError):
    """A graph differs from its golden in what it means, or in the order of its nodes; or eager's values are others."""

    def __init__(self, verdict: GoldenResult) -> None:
        self.verdict = verdict
        self.explanation = verdict.explanation
        self.diff = verdict.diff
        super().__init__(
            f"{verdict.golden}: {_SUBJECTS.get(verdict.stage, f'the {verdict.stage} graph is')} {verdict.verdict}: "
            f"{verdict.explanation}\n{verdict.diff}\n"
            f"If what was seen is right, record it: parity regen --review"
        )


@dataclasses.dataclass
class Session:
    """How the goldens of one cell are handled; made afresh for every cell.

    ``clause`` is the first part of golden ids (default: the cell's id up to ``[``). ``sink`` takes what record mode
    sees. ``root``: only literals in files below it are looked for. ``param_indices`` are the indices of the running
    parameter set (pytest's ``request.node.callspec.indices``). ``baseline`` says whether inline literals belong to the
    running torch, ``torch`` which release that is; off the baseline the goldens in ``bands`` come first.
    """

    mode: Mode
    cell: str
    clause: str = ""
    sink: Sink | None = None
    root: Path | None = None
    param_indices: Mapping[str, int] = dataclasses.field(default_factory=dict)
    variant: str = ""
    bands: Bands | None = None
    torch: str = ""
    baseline: bool = True
    verdicts: list[GoldenResult] = dataclasses.field(default_factory=list)
    _ordinals: dict[str, int] = dataclasses.field(default_factory=dict)

    def golden_id(self, stage: str) -> str:
        """The id of the next golden of a stage: ``clause#stage``, then ``clause#stage.2`` and so on."""
        number = self._ordinals[stage] = self._ordinals.get(stage, 0) + 1
        clause = self.clause or self.cell.split("[", 1)[0]
        return f"{clause}#{stage}" if number == 1 else f"{clause}#{stage}.{number}"


_CURRENT: contextvars.ContextVar[Session | None] = contextvars.ContextVar("golden_session", default=None)


def current_session() -> Session:
    """The running cell's session; outside of any cell, a strict one of its own."""
    return _CURRENT.get() or Session(mode="strict", cell="(no cell)")


@contextlib.contextmanager
def use_session(session: Session) -> Iterator[Session]:
    """Make ``session`` the one that ``expect`` asks."""
    token = _CURRENT.set(session)
    try:
        yield session
    finally:
        _CURRENT.reset(token)


def expect_text(stage: str, text: str, literal: str, *, depth: int = 1) -> GoldenResult:
    """Compare a canonical text with a golden as the session says.

    ``depth``: how many frames up the test's own call is. Raises `GraphChanged` in strict mode.
    """
    session = current_session()
    identity = session.golden_id(stage)
    if session.mode == "off":
        return _noted(session, GoldenResult("off", identity, stage, text=text))
    expected = _expected(session, identity, literal)
    comparison = _compared(expected, text)
    verdict = GoldenResult(comparison.verdict, identity, stage, comparison.explanation, comparison.diff, text)
    _noted(session, verdict)
    if session.mode == "record":
        _record(session, verdict, literal, expected, sys._getframe(depth))
    elif not verdict.ok and session.mode == "strict":
        raise GraphChanged(verdict)
    return verdict


def _noted(session: Session, verdict: GoldenResult) -> GoldenResult:
    session.verdicts.append(verdict)
    return verdict


def _expected(session: Session, identity: str, literal: str) -> str:
    """The text that holds under the running torch: a band's where one covers it, else the literal's."""
    if session.baseline or session.bands is None:
        return literal
    band = session.bands.text_for(identity, session.torch)
    return literal if band is None else band


def _compared(expected: str, text: str) -> Comparison:
    if not normalised(expected):
        return Comparison("created", "the golden is empty", "")
    return compare_texts(normalised(expected), normalised(text))


def _record(session: Session, verdict: GoldenResult, literal: str, expected: str, frame: FrameType) -> None:
    if session.sink is None:
        raise ValueError("record mode needs a sink: pass Session(sink=EditSink(directory, worker))")
    place, problem = None, ""
    try:
        place = locate(literal, frame, session.root, session.param_indices)
    except NotFound as error:
        problem = str(error)
    session.sink.visit(
        Visit(
            golden=verdict.golden,
            cell=session.cell,
            variant=session.variant,
            stage=verdict.stage,
            format=verdict.format,
            verdict=verdict.verdict,
            explanation=verdict.explanation,
            expected=expected,
            new=verdict.text,
            torch=session.torch,
            baseline=session.baseline,
            place=place,
            problem=problem,
            test=os.environ.get("PYTEST_CURRENT_TEST", "").rsplit(" (", 1)[0],
        )
    )


@dataclasses.dataclass(frozen=True)
class Values:
    """Eager's values at some paths, as canonical text (`golden.values`)."""

    text: str

    def expect(self, literal: str) -> GoldenResult:
        """Compare with the golden at the call site, as the cell's `Session` says.

        Raises `GraphChanged` in strict mode when a value is another, or another number by more than its last digits.
        """
        return expect_text(VALUES, self.text, literal, depth=2)


@dataclasses.dataclass(frozen=True)
class NoGraph:
    """What a cell is handed for a graph, or for values, whose golden belongs to another cell."""

    stage: str
    home: str = "the reference cell"
    text: str = ""
    targets: tuple[str, ...] = ()

    def expect(self, literal: str) -> GoldenResult:
        """Do nothing but note that the golden is compared in its own cell."""
        del literal
        session = current_session()
        identity = session.golden_id(self.stage)
        return _noted(session, GoldenResult("elsewhere", identity, self.stage, f"compared in {self.home}"))
