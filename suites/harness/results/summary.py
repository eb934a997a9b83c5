"""What a ledger comes to, in numbers: where each cell stands, by backend and family, and what counts against one."""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from collections.abc import Iterable

from suites.harness.planning import choice
from suites.harness.results.ledger import Cell, Ledger
from suites.harness.results.outcomes import ALWAYS, STANDINGS, Outcome

#: As many families are told by name.
_NAMED = 3
#: What a cell comes to that says nothing of its backend: no run of it was compared with eager's.
NOT_COMPARED = (Outcome.UNSUPPORTED, Outcome.SKIP)


def standing(cell: Cell) -> Outcome:
    """Where a cell stands in the matrix. A failing one is `SILENT` if a divergence that counts is, else `LOUD`."""
    if cell.outcome is Outcome.FAIL:
        return Outcome.SILENT if cell.silent or not cell.divergences else Outcome.LOUD
    return cell.outcome


def counts_against(cell: Cell, *, strict_goldens: bool = False) -> bool:
    """Whether this cell alone makes its backend not conformant."""
    return cell.outcome.against or (strict_goldens and cell.outcome is Outcome.CHANGED)


def against(ledger: Ledger, *, strict_goldens: bool = False) -> list[Cell]:
    """The cells that count against a backend, the worst standing first, then by backend and id."""
    cells = [cell for cell in ledger.cells.values() if counts_against(cell, strict_goldens=strict_goldens)]
    return sorted(cells, key=lambda cell: (-STANDINGS.index(standing(cell)), cell.backend, cell.id))


def backends(ledger: Ledger) -> list[str]:
    """The backends that some cell ran on, in order of appearance."""
    return list(dict.fromkeys(cell.backend for cell in ledger.cells.values()))


def asked(ledger: Ledger) -> list[str]:
    """The backends that the run was asked for, of those that ran; all that ran, where its header does not tell.

    A clause may name others, and run on them too.
    """
    ran, named = backends(ledger), {str(name) for header in ledger.headers for name in header.get("backends") or ()}
    return [name for name in ran if name in named] or ran


def places(ledger: Ledger, most: int = 6) -> str:
    """The backends that were asked for, at most so many, and how many more there were, in words."""
    named, ran = asked(ledger), backends(ledger)
    shown, more = named[:most], len(ran) - len(named[:most])
    return (", ".join(shown) + (f" and {more} more" if more else "")) or "no backend"


def tallies(ledger: Ledger) -> dict[str, dict[str, Counter[Outcome]]]:
    """Backend -> family -> how many cells have each standing. Families are in alphabetical order."""
    result: dict[str, dict[str, Counter[Outcome]]] = {backend: {} for backend in backends(ledger)}
    for cell in sorted(ledger.cells.values(), key=lambda cell: cell.family):
        result[cell.backend].setdefault(cell.family, Counter())[standing(cell)] += 1
    return result


def labelled(ledger: Ledger) -> dict[str, dict[str, dict[str, int]]]:
    """What `tallies` says, in plain words for machines."""
    return {
        backend: {
            family: {each.label: number for each, number in counts.items()} for family, counts in families.items()
        }
        for backend, families in tallies(ledger).items()
    }


def total(families: Iterable[Counter[Outcome]]) -> Counter[Outcome]:
    """The sum of several families' counts; standings stay apart."""
    return sum(families, Counter())


def columns(present: Counter[Outcome]) -> tuple[Outcome, ...]:
    """The usual columns of the matrix, then those of rarer standings that some cell has, the worst first."""
    return (*ALWAYS, *(each for each in reversed(STANDINGS) if present[each] and each not in ALWAYS))


def left_out(ledger: Ledger) -> list[str]:
    """What the run left out because it was told to, or because a backend claims no more: a line each."""
    return [str(line) for line in (ledger.header.get("configuration") or {}).get("left_out") or ()]


def compared(ledger: Ledger) -> int:
    """How many cells say something of their backend."""
    return sum(cell.outcome not in NOT_COMPARED for cell in ledger.cells.values())


def sample(ledger: Ledger) -> str:
    """Of what the compared cells of a run that was asked for a part are a part, in words; empty for one of all."""
    asked = ledger.header.get("configuration") or {}
    ran, quick, shard = len(ledger.cells), asked.get("quick"), asked.get("shard")
    smoke = asked.get("profile") == "smoke"
    if asked.get("whole") and not smoke:
        return ""
    if asked.get("named"):
        return f"in {count(compared(ledger), 'cell')} of tests that were named,"
    drawn_from = quick or shard
    every = (int(drawn_from["of" if quick else "cells"]) if drawn_from else ran) + int(asked.get("left_out_cells") or 0)
    families = [str(family) for family in asked.get("families") or ()] if asked.get("every_family") is False else []
    whose = f" of {', '.join(families[:_NAMED])}" if families else ""
    rest = len(families) - _NAMED
    whose += f" and {rest} more famil{'y' if rest == 1 else 'ies'}" if rest > 0 else ""
    whose += f" (shard {shard['number']}/{shard['of']})" if shard else ""
    profile = f"the {choice.drawn_from(str(asked.get('profile') or 'default'))} profile"
    if left_out(ledger) and "left_out_cells" not in asked and ran >= every:
        return f"in {count(compared(ledger), 'cell')}, a part of {profile},"  # The ledger of an earlier Parity.
    if ran >= every and not whose and not smoke:
        return ""
    part = f"{told} of " if (told := compared(ledger)) < every else ""
    return f"in {part}{profile}'s {count(every, 'cell')}{whose}"


def torn(ledger: Ledger) -> str:
    """One line: where the first line is that is no record, and how many there are; empty if there are none."""
    if not ledger.torn:
        return ""
    more = f", and {ledger.torn - 1} more like it" if ledger.torn > 1 else ""
    how = "records follow: it was damaged" if ledger.damaged else "it is the last line, cut short"
    return f"{ledger.torn_at}: not a whole record{more}: left out; {how}"


def elsewhere(ledger: Ledger) -> str:
    """One line: the clauses that only another device has cells of; empty if there are none."""
    families = (ledger.header.get("configuration") or {}).get("on_other_devices") or {}
    counts = {family: each if isinstance(each, int) else len(each) for family, each in families.items()}
    named = ", ".join(f"{number} of {family}" for family, number in counts.items())
    return f"only on another device than {ledger.header.get('device')}: {named}" if named else ""


def executed(ledger: Ledger) -> dict[str, tuple[int, int]]:
    """Backend -> in how many of its passes it executed something, and of how many that is known; none where of none.

    A fallback is counted among them: all was equal, but torch did the work.
    """
    asked = [cell for cell in ledger.cells.values() if cell.executed is not None]
    return {
        backend: (sum(cell.backend == backend and bool(cell.executed) for cell in asked), number)
        for backend, number in Counter(cell.backend for cell in asked).items()
    }


def causes(ledger: Ledger) -> Counter[str]:
    """The known bugs that explain cells of a judged ledger, by id, with how many each explains."""
    known = (cell for cell in ledger.cells.values() if cell.outcome is Outcome.KNOWN)
    return Counter(bug for cell in known for bug in cell.bugs)


def explained(ledger: Ledger) -> str:
    """How many causes explain how many cells of a judged ledger; empty if none does."""
    number, cells = len(causes(ledger)), sum(cell.outcome is Outcome.KNOWN for cell in ledger.cells.values())
    return f"{count(number, 'cause')} explain{'s' * (number == 1)} {count(cells, 'known cell')}" if cells else ""


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def explanation(cell: Cell) -> str:
    """A cell's detail where its divergences do not say it already."""
    told = cell.outcome in (Outcome.FAIL, Outcome.INHERITED, Outcome.KNOWN, Outcome.FALLBACK)
    return "" if cell.divergences and told else cell.detail


def first_line(text: str, width: int = 160) -> str:
    """The first line of a text that is not blank, cut at ``width`` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= width else line[: width - 3] + "..."


@dataclasses.dataclass(frozen=True)
class Pace:
    """How fast one backend's cells were; seconds, and MiB of the largest worker."""

    backend: str
    cells: int
    median: float
    slowest: float
    total: float
    compiling: float
    memory_mib: float

    @property
    def per_second(self) -> float:
        """Cells a second of one worker."""
        return self.cells / self.total if self.total else 0.0


def paces(ledger: Ledger) -> list[Pace]:
    """How fast each backend's cells were."""
    result = []
    for backend in backends(ledger):
        cells = [cell for cell in ledger.cells.values() if cell.backend == backend]
        seconds = [cell.seconds for cell in cells]
        result.append(
            Pace(
                backend,
                len(cells),
                statistics.median(seconds),
                max(seconds),
                sum(seconds),
                sum(cell.compile_seconds for cell in cells),
                max(cell.memory_mib for cell in cells),
            )
        )
    return result
