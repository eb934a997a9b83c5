"""What is wrong with known bugs that can be read: out of date, without a link or backend, about nothing, or gone."""

from __future__ import annotations

import bisect
import dataclasses
import datetime
import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from suites.contract import without_parameters
from suites.harness.oracle.divergence import FACETS
from suites.harness.results.evidence import Evidence, fitting
from suites.harness.results.known_bugs import DIRECTORY, NO_LINK, UNEXPLAINED, Bug, Expectation, Registry, guess
from suites.harness.results.ledger import Ledger
from suites.harness.results.places import Environment, is_pattern, matches

#: A hint takes a look at many clauses, so that only so many problems of a file get one.
HINTS = 10
#: Where a header's configuration has the clauses, without parameters, of which no cell was to run on this device.
_NOT_HERE = ("of_later_profiles", "of_other_backends")


@dataclasses.dataclass(frozen=True)
class Facts:
    """What a run knows, for `lint`.

    ``clauses`` are the ids that were collected; ``whole`` says that they are all there are, so that an entry which
    matches none of them is wrong and not merely outside a partial run. ``runs`` is what ran, by environment. ``later``
    are clauses, without their parameters, that only a later profile or other backends run; ``elsewhere`` those that
    other devices alone run. ``backends`` are those of the cells that ran: of clauses that only another backend has,
    such a run knows nothing.
    """

    environment: Environment
    clauses: frozenset[str] = frozenset()
    whole: bool = False
    runs: tuple[Evidence, ...] = ()
    later: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    backends: frozenset[str] = frozenset()

    @classmethod
    def of(cls, ledger: Ledger, *, whole: bool = False) -> Facts:
        """What the run of a ledger knows.

        A record keeps no clauses: whether an entry matches one is not known from it.
        """
        configuration = ledger.header.get("configuration", {})
        later = frozenset(each for key in _NOT_HERE for each in configuration.get(key, ()))
        others = configuration.get("on_other_devices", {}).values()
        elsewhere = frozenset(clause for each in others if not isinstance(each, int) for clause in each)
        known = frozenset(ledger.clauses)
        ran = frozenset(cell.backend for cell in ledger.cells.values())
        runs, here = tuple(Evidence.of(ledger)), Environment.of(ledger.header)
        return cls(here, known, whole and bool(known), runs, later, elsewhere, ran)


@dataclasses.dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a known bug.

    ``kind`` is `unmatched`, `link`, `expired`, `backend`, `facet` or `passes`.
    """

    bug: str
    kind: str
    message: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.source}: bug {self.bug!r}: {self.message}"


def lint(registry: Registry, facts: Facts, today: datetime.date) -> list[Problem]:
    """Every known bug, or part of one, that has no business any more, with what to do about it.

    Only what was seen in an environment of ``facts`` is held against what ran there.
    """
    problems = [problem for bug in registry.bugs.values() for problem in _of_text(bug, today)]
    places = dict.fromkeys((facts.environment, *(run.environment for run in facts.runs)))
    here = [each for each in registry.expectations() if any(map(each.holds_in, places))]
    if facts.whole:
        families = {clause.partition("/")[0] for clause in (*facts.clauses, *facts.later, *facts.elsewhere)}
        later = sorted(facts.later)
        known = [each for each in here if not any(fitting(without_parameters(each.clause), later))]
        known = [each for each in known if not _is_outside(each, families) and _is_of(each, facts.backends)]
        problems += _unmatched(known, sorted(facts.clauses | facts.elsewhere))
    problems += [
        Problem(each.bug.id, "passes", f"{_gone(each, cells)}: delete it, or narrow it", each.place)
        for each, cells in gone(here, facts.runs)
    ]
    return problems


def of_no_backend(registry: Registry, misspelt: Callable[[str], str]) -> list[Problem]:
    """Every known bug of a backend about whose name ``misspelt`` has a line; patterns are of any."""
    named = [each for each in registry.expectations() if not is_pattern(each.backend)]
    lines = {backend: misspelt(backend) for backend in {each.backend for each in named}}
    told = (Problem(each.bug.id, "backend", lines[each.backend], each.place) for each in named if lines[each.backend])
    return list(dict.fromkeys(told))  # One for an entry, however many clauses it names.


def of_others_alone(registry: Registry, backends: Collection[str]) -> list[str]:
    """A line for each file of one's own of which no entry is of a backend that ran: its name is misspelt, or was."""
    files = dict.fromkeys(bug.source for bug in registry.bugs.values())
    lines = []
    for file in filter(_is_of_an_author, files):
        found = [each for bug in registry.bugs.values() if bug.source == file for each in bug.expectations()]
        if not found or any(_is_of(each, backends) for each in found):
            continue
        names = sorted({each.backend for each in found})
        more = f" and {len(names) - HINTS} more" if len(names) > HINTS else ""
        lines.append(f"{file} says nothing of {', '.join(sorted(backends))}: it is of {', '.join(names[:HINTS])}{more}")
    return lines


def unexplained(registry: Registry) -> list[Bug]:
    """Those that a tool has written down and nobody has explained."""
    return [bug for bug in registry.bugs.values() if bug.reason == UNEXPLAINED]


def _is_outside(each: Expectation, families: Collection[str]) -> bool:
    """Whether it is about clauses of its author's own tests: in a folder whose name is not, nor nearly, a family's."""
    first = each.clause.partition("/")[0]
    if first in families or is_pattern(first) or difflib.get_close_matches(first, families, n=1):
        return False
    return _is_of_an_author(each.bug.source)


def _is_of_an_author(source: str) -> bool:
    """Whether a file of known bugs is its author's own, and none of Parity's."""
    return not Path(source).resolve().is_relative_to(DIRECTORY)


def _is_of(each: Expectation, backends: Collection[str]) -> bool:
    """Whether it is of one of these backends, where any are told."""
    return not backends or any(matches(each.backend, backend) for backend in backends)


def gone(expected: Iterable[Expectation], runs: Sequence[Evidence]) -> list[tuple[Expectation, int]]:
    """What no run shows any more of what was seen where it ran, with how many cells could have."""
    found = []
    for each in expected:
        its = [run for run in runs if each.holds_in(run.environment)]
        shown = {run.shows(each) for run in its}
        if False in shown and True not in shown:
            found.append((each, sum(len(run.told(each)) for run in its)))
    return found


def _of_text(bug: Bug, today: datetime.date) -> Iterator[Problem]:
    for link in bug.links:
        if link != NO_LINK and not re.match(r"https?://\S+$", link):
            yield Problem(bug.id, "link", f"link {link!r} is not a URL and not {NO_LINK!r}", bug.place)
    if bug.expires < today:
        message = f"expired on {bug.expires}: look whether it is fixed, then delete it or move the date"
        yield Problem(bug.id, "expired", message, bug.place)
    for cells in bug.cells:
        place = f"{bug.source}:{cells.line or bug.line}" if cells.line or bug.line else bug.source
        if cells.unnamed:
            message = "its cells name no backend, and nor does the file: write `backend = ...` above the first entry"
            yield Problem(bug.id, "backend", f"{message} (`*` for all)", place)
        for fingerprint in cells.fingerprints:
            if wrong := _wrong_facet(fingerprint, cells.backends):
                message = f"fingerprint {fingerprint!r} has no facet {wrong!r}{guess(wrong, FACETS)}"
                yield Problem(bug.id, "facet", message, place)


def _wrong_facet(fingerprint: str, backends: Sequence[str]) -> str:
    """The word in a fingerprint's place of the facet that is none; empty where a wildcard may stand for the facet."""
    if any(f":{facet}:" in fingerprint for facet in FACETS):
        return ""
    layers = [f"{backend}:" for backend in backends if fingerprint.startswith(f"{backend}:")]
    rest = fingerprint[len(layers[0]) :] if layers else fingerprint.partition(":")[2]
    word, colon, kind = rest.partition(":")
    if not colon or not re.fullmatch(r"[a-z_]+", word):
        return ""
    near = difflib.get_close_matches(word, FACETS, n=1)
    return word if near or not is_pattern(kind[:1]) else ""


def _unmatched(expected: Sequence[Expectation], clauses: Sequence[str]) -> list[Problem]:
    nowhere = {(each.bug.id, each.clause): each for each in expected if not any(fitting(each.clause, clauses))}
    problems = []
    for number, ((bug, clause), each) in enumerate(nowhere.items()):
        hint = _hint(clause, clauses) if number < HINTS else ""
        problems.append(Problem(bug, "unmatched", f"clause {clause!r} matches no clause{hint}", each.place))
    return problems


def _hint(clause: str, clauses: Sequence[str]) -> str:
    """The clause that may have been meant: one beside it in the alphabet, or of its name."""
    place, name = bisect.bisect_left(clauses, clause), clause.rpartition("/")[2]
    near = [*clauses[max(place - 100, 0) : place + 100], *(each for each in clauses if each.endswith(f"/{name}"))]
    close = difflib.get_close_matches(clause, near, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def _gone(each: Expectation, cells: int) -> str:
    about = f"expects {each.fingerprint!r} of {each.clause!r} on {each.backend}"
    if cells == 1:
        return f"{about}, which the one cell it applies to does not show"
    return f"{about}, which none of the {cells} cells it applies to shows"
