"""How far a run is: read from the ledger files that its workers are writing."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter, deque
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from suites.harness.results import summary
from suites.harness.results.answering import NOBODYS, Answering, asked_for
from suites.harness.results.known_bugs import Registry
from suites.harness.results.ledger import Cell, record_of, worker_files
from suites.harness.results.outcomes import STANDINGS, Outcome
from suites.harness.results.places import Environment
from tools.views.remaining import Remaining

#: Where nobody watches a terminal, a line at most this often, in seconds.
PLAIN_EVERY = 10.0
#: The current rate is over this many seconds.
_WINDOW = 15.0


class Tail:
    """Reads what has been appended to a ledger and its workers' files since the last look.

    A line without its end yet is left for the next look; a torn one is skipped.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._offsets: dict[Path, int] = {}

    def new_records(self) -> list[dict[str, Any]]:
        """Every whole record written since the last call."""
        records = []
        for path in [self._ledger, *worker_files(self._ledger)]:
            records.extend(self._of(path))
        return records

    def _of(self, path: Path) -> list[dict[str, Any]]:
        try:
            with path.open("rb") as file:
                file.seek(self._offsets.get(path, 0))
                text = file.read()
        except OSError:
            return []
        whole, end, _ = text.rpartition(b"\n")
        self._offsets[path] = self._offsets.get(path, 0) + len(whole) + len(end)
        return [record for record in map(record_of, whole.splitlines()) if record is not None]


@dataclasses.dataclass
class State:
    """What has happened so far, judged by what is ``known``."""

    known: Registry
    environment: Environment = dataclasses.field(default_factory=lambda: Environment("0"))
    started: float = dataclasses.field(default_factory=time.monotonic)
    #: The backends that the run was asked for, and who answers there for what.
    asked: frozenset[str] = frozenset()
    answering: Answering = NOBODYS
    planned: set[str] = dataclasses.field(default_factory=set)
    standings: dict[str, Outcome] = dataclasses.field(default_factory=dict)
    remaining: Remaining = dataclasses.field(default_factory=Remaining)
    _times: deque[float] = dataclasses.field(default_factory=deque)

    @property
    def done(self) -> int:
        """Cells with a record."""
        return len(self.standings)

    def take(self, records: list[dict[str, Any]]) -> None:
        """Count new records."""
        now = time.monotonic()
        for record in records:
            if record["kind"] == "header":
                self.environment, self.asked = Environment.of(record), frozenset(asked_for(record))
            elif record["kind"] == "plan":
                self.planned.update(record.get("cells", ()))
                self.answering = Answering(self.asked, frozenset(self.planned))
                for cell in record.get("nodeids", {}).values():
                    self.remaining.plan(cell["backend"])
            elif record["kind"] == "cell" and "id" in record:
                if record["id"] not in self.standings:
                    self._times.append(now)
                    self.remaining.take(record.get("backend", ""), record.get("seconds", 0.0))
                self.standings[record["id"]] = self._standing(record)
        while self._times and now - self._times[0] > _WINDOW:
            self._times.popleft()

    def _standing(self, record: dict[str, Any]) -> Outcome:
        try:
            return summary.standing(self.known.judge(Cell.from_json(record), self.environment, self.answering))
        except (TypeError, KeyError, ValueError):
            return Outcome.ERROR

    def rate(self) -> float:
        """Cells a second, over the last seconds."""
        span = min(_WINDOW, time.monotonic() - self.started)
        return len(self._times) / span if span > 0.5 else 0.0

    def counts(self) -> str:
        """The standings that matter while one waits, each apart."""
        counts = Counter(self.standings.values())
        always = (Outcome.SILENT, Outcome.LOUD)
        bad = [each for each in reversed(STANDINGS) if counts[each] and each.against and each not in always]
        return ", ".join(f"{counts[each]} {each.label}" for each in (*always, *bad))

    def left(self) -> str:
        """About how long the rest takes; empty while that cannot be said."""
        seconds = self.remaining.seconds(time.monotonic() - self.started)
        if seconds is None:
            return ""
        return f"about {seconds / 60:.0f} min left" if seconds > 90 else f"about {seconds:.0f} s left"

    def beginning(self) -> str:
        """What is done before the first cell has ended."""
        return f"0/{len(self.planned)} cells, starting processes" if self.planned else "collecting clauses"

    def line(self) -> str:
        """The whole state on one line."""
        planned = str(len(self.planned)) if self.planned else "?"
        elapsed = time.monotonic() - self.started
        if not self.done:
            return f"{self.beginning()}, {elapsed:.0f} s"
        parts = [
            f"{self.done}/{planned} cells",
            self.counts(),
            f"{self.rate():.1f} cells/s",
            f"{elapsed:.0f} s",
            self.left(),
        ]
        return ", ".join(part for part in parts if part)


class Shown:
    """Shows a `State` to a person: live on a terminal, else a plain line every `PLAIN_EVERY` seconds."""

    def __init__(self, state: State, console: Console, *, live: bool) -> None:
        self.state = state
        self._console = console
        self._last = time.monotonic()
        self._live: Live | None = None
        if live:
            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(bar_width=30),
                MofNCompleteColumn(),
                TextColumn("[dim]{task.fields[rate]}"),
                TimeElapsedColumn(),
                console=console,
            )
            self._task = self._bar.add_task(state.beginning(), total=None, rate="")
            self._live = Live(self._bar, console=console, transient=True, refresh_per_second=8)

    def __enter__(self) -> Shown:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self) -> None:
        """Show the state as it is now."""
        if self._live is not None:
            self._bar.update(
                self._task,
                description=self.state.counts() if self.state.done else self.state.beginning(),
                completed=self.state.done,
                total=len(self.state.planned) or None,
                rate=f"{self.state.rate():.1f} cells/s {self.state.left()}" if self.state.done else "",
            )
        elif time.monotonic() - self._last >= PLAIN_EVERY:
            self._last = time.monotonic()
            self._console.print(self.state.line(), highlight=False)
