"""A smaller program that diverges in the same way: fewer statements, inputs, elements and features.

Works on any file for ``parity check``: every step is an edit of its syntax tree, kept if the program still diverges
with the same fingerprint. Comments do not survive.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator, Sequence

from .edits import PASSES, Pass, function_named, tidy
from .names import names_are_bound


@dataclasses.dataclass(frozen=True)
class Reduced:
    """The smallest program found. ``tried``: how many candidates were run; ``finished``: nothing is left to try."""

    text: str
    tried: int
    seconds: float
    finished: bool


#: Of several programs, the place of the first that diverges as is asked for; None if none does.
FirstOf = Callable[[Sequence[str]], int | None]


def one_by_one(still: Callable[[str], bool]) -> FirstOf:
    """Programs tried in their order, up to the first that holds."""
    return lambda texts: next((place for place, text in enumerate(texts) if still(text)), None)


def reduce(
    text: str,
    first_of: FirstOf,
    seconds: float = 120.0,
    first: Sequence[Pass] = (),
    enough: Callable[[str], bool] = lambda text: False,
    at_once: int = 1,
) -> Reduced:
    """The smallest program that ``first_of`` finds to hold, in so many seconds. It does hold for ``text``.

    ``first`` are edits of its own kind, tried before those of any program. A program that is ``enough`` is not made
    smaller. ``at_once``: how many candidates ``first_of`` is given, where it can tell of several as fast as of one.
    """
    return _Reduction(text, first_of, time.monotonic() + seconds, enough, at_once).run((*first, *PASSES))


class _Reduction:
    def __init__(
        self, text: str, first_of: FirstOf, deadline: float, enough: Callable[[str], bool], at_once: int
    ) -> None:
        self.started = time.monotonic()
        self.tree = ast.parse(text)
        self.seen = {ast.unparse(self.tree)}
        self.tried = 0
        self.first_of, self.deadline, self.enough, self.at_once = first_of, deadline, enough, at_once
        #: What ends it early: the time is up, or the program is enough.
        self.stopped = ""

    def run(self, passes: Sequence[Pass]) -> Reduced:
        """Every pass in turn, for as long as some pass makes the program smaller."""
        self._stop_if_enough()
        progress = True
        while progress and not self.stopped:
            progress = False
            for edits in passes:
                progress |= self._run_pass(edits)
        seconds = time.monotonic() - self.started
        return Reduced(pretty(self.tree), self.tried, seconds, self.stopped != "late")

    def _run_pass(self, edits: Pass) -> bool:
        """Try each edit of a pass. One that is kept leaves the next one in its place."""
        progress, position = False, 0
        candidates = self._sources(edits, position)
        while not self.stopped:
            batch = list(itertools.islice(candidates, self.at_once))
            if not batch:
                break
            if time.monotonic() > self.deadline:
                self.stopped = "late"
                break
            self.tried += len(batch)
            held = self.first_of([source + "\n" for _, source in batch])
            if held is None:
                continue
            # What comes after it was judged too, and may come up again as what is left of the smaller program.
            self.seen -= {source for _, source in batch[held + 1 :]}
            position, source = batch[held]
            self.tree, progress = ast.parse(source), True
            self._stop_if_enough()
            candidates = self._sources(edits, position)
        return progress

    def _stop_if_enough(self) -> None:
        if self.enough(ast.unparse(self.tree)):
            self.stopped = "enough"

    def _sources(self, edits: Pass, position: int) -> Iterator[tuple[int, str]]:
        """The candidates of a pass from a position on, with their positions: those that were not tried and may run."""
        for place, candidate in enumerate(edits(self.tree)):
            if place < position:
                continue
            tidy(candidate)
            source = ast.unparse(ast.fix_missing_locations(candidate))
            if source not in self.seen:
                self.seen.add(source)
                if names_are_bound(candidate):
                    yield place, source


def pretty(tree: ast.Module) -> str:
    """The program as text, with two blank lines around definitions."""
    parts: list[str] = []
    was_block = False
    for node in tree.body:
        is_block = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if parts and (is_block or was_block):
            parts.append("\n")
        parts.append(ast.unparse(node))
        was_block = is_block
    return "\n".join(parts) + "\n"


def statements(text: str) -> int:
    """How many statements ``program`` has, its return among them where it returns more than a name."""
    tree = ast.parse(text)
    function = function_named(tree, "program")
    inner = [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]
    plain = sum(
        isinstance(node, ast.Return) and (node.value is None or isinstance(node.value, (ast.Name, ast.Tuple)))
        for node in inner
    )
    return len(inner) - plain
