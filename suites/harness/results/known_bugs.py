"""Known bugs: each cause once, with its reason, its link, where it was seen, and the cells and finds that it explains.

Torch's own are the files in ``suites/known_bugs``; a backend's author keeps one of the same form and names it with
``--waivers``::

    backend = "my_backend:compile_graph"       # for all cells of this file that do not name their own

    [[bug]]
    id = "detached-alias"                      # unique over all files that are read together
    reason = "A detached alias of an intermediate takes the gradient of its siblings."
    link = "https://github.com/pytorch/pytorch/pull/195357"      # or "none known"
    seen = "torch>=2.13,<2.15"                 # of the base version; also `torch>=2.13 on cuda`, `on avx512`
    expires = 2027-06-30
    by_chance = "Which kernel runs is chosen by timing."         # optional: why it does not show in every run

    [[bug.cells]]                              # each clause x backend x variant, in each facet and fingerprint
    clause = "aliasing/outputs/*"              # `*` any text, `?` one character
    backend = ["aot_eager", "inductor"]        # every value may be a text, or a list of them
    variant = "train-*"                        # optional, like backend, facet, and `seen` where it is not the bug's
    fingerprint = "aot_eager:autograd:gradient missing"

    [[bug.finds]]                              # how a campaign recognises it
    title = "The gradient of a view beside a detached alias is lost"
    fingerprint = "aot_eager:autograd:gradient missing"
    operators = ["detach", "view|reshape"]     # each fits one of the program's
    program = "pieces_beside_the_detached_whole.py"              # in suites/fuzz/frozen

A known bug never removes a check: the cell runs, and a divergence that no fingerprint expects fails as before. The
ledger holds what was seen; `Registry.judge` is applied where a ledger is read.
"""

from __future__ import annotations

import dataclasses
import datetime
import difflib
import functools
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from golden.toml import tomllib
from suites.harness.oracle.divergence import FACETS, Divergence
from suites.harness.results import places
from suites.harness.results.answering import NOBODYS, Answering
from suites.harness.results.ledger import Cell, Ledger, seen
from suites.harness.results.outcomes import Outcome, diverged
from suites.harness.results.places import Environment, is_pattern, matches

#: Where the known bugs of torch's own backends are.
DIRECTORY = Path(__file__).parents[2] / "known_bugs"
#: The link of a bug that nobody has reported yet.
NO_LINK = "none known"
#: The reason of a bug that a tool has written down and nobody has explained.
UNEXPLAINED = "Not explained yet."
#: A header of a table in a file.
HEADER = re.compile(r"\s*\[\[\s*(bug(?:\s*\.\s*(?:cells|finds))?)\s*\]\]")
#: Entries of a file whose faults are told at once.
TOLD = 20

_BUG = dict.fromkeys(("id", "reason", "link", "seen", "expires"), True)
_BUG |= dict.fromkeys(("by_chance", "cells", "finds"), False)
_CELLS = {"clause": True, "fingerprint": True, "facet": False, "backend": False, "variant": False, "seen": False}
_FIND = {"title": True, "fingerprint": True, "operators": True, "program": True}


class KnownBugsError(ValueError):
    """A file of known bugs cannot be used; the message is one line that says which file, which entry and why."""


@dataclasses.dataclass(frozen=True)
class Cells:
    """One table of cells: each clause on each backend in each variant, with each of the fingerprints."""

    clauses: tuple[str, ...]
    fingerprints: tuple[str, ...]
    facets: tuple[str, ...] = ("*",)
    backends: tuple[str, ...] = ("*",)
    variants: tuple[str, ...] = ("*",)
    seen: tuple[str, ...] = ()
    #: The line of its header; 0 where the text does not tell.
    line: int = 0
    #: Neither it nor its file names a backend: it is of all.
    unnamed: bool = dataclasses.field(default=False, compare=False)


@dataclasses.dataclass(frozen=True)
class FindPattern:
    """How a campaign recognises a bug: see `suites.fuzz.campaigns.known`."""

    title: str
    fingerprints: tuple[str, ...]
    operators: tuple[str, ...]
    program: str


@dataclasses.dataclass(frozen=True)
class Bug:
    """One cause. ``source`` is the file, ``line`` that of its header, 0 where the text does not tell."""

    id: str
    reason: str
    links: tuple[str, ...]
    seen: tuple[str, ...]
    expires: datetime.date
    #: Why it does not show in every run; empty for one that does.
    by_chance: str = ""
    cells: tuple[Cells, ...] = ()
    finds: tuple[FindPattern, ...] = ()
    source: str = ""
    line: int = 0

    @property
    def link(self) -> str:
        """The first link."""
        return self.links[0]

    @property
    def place(self) -> str:
        """Where it is written."""
        return f"{self.source}:{self.line}" if self.line else self.source

    @property
    def places(self) -> tuple[str, ...]:
        """Every place in which part of it was seen."""
        own = (place for cells in self.cells for place in cells.seen or self.seen)
        return tuple(dict.fromkeys(own)) or self.seen

    def not_run_in(self, ran: Collection[Environment]) -> list[str]:
        """The releases of torch that it names and that none of those environments is, as ``2.12``."""
        return places.not_run(self.places, ran)

    def expectations(self) -> Iterator[Expectation]:
        """Each clause, backend, variant and fingerprint that it explains, by itself."""
        for cells in self.cells:
            columns = cells.clauses, cells.backends, cells.variants, cells.facets, cells.fingerprints
            for each in itertools.product(*columns):
                yield Expectation(self, cells, *each)


@dataclasses.dataclass(frozen=True, eq=False)
class Expectation:
    """One clause on one backend in one variant (or patterns of them), and one divergence that it should show."""

    bug: Bug
    cells: Cells
    clause: str
    backend: str
    variant: str
    facet: str
    fingerprint: str

    @property
    def place(self) -> str:
        """Where it is written."""
        line = self.cells.line or self.bug.line
        return f"{self.bug.source}:{line}" if line else self.bug.source

    def holds_in(self, environment: Environment) -> bool:
        """Whether it was seen in such a place."""
        return places.hold(self.cells.seen or self.bug.seen, environment)

    @property
    def expects_a_loss(self) -> bool:
        """Whether it expects the process to die or to hang."""
        return any(self.facet == lost or f":{lost}:" in self.fingerprint for lost in ("crash", "timeout"))

    def asked_of(self, cell: Cell) -> bool:
        """Whether the run of a cell could have shown it: who executed a graph is not asked in every run."""
        return cell.executed is not None or not (self.facet == "fallback" or ":fallback:" in self.fingerprint)

    def covers(self, divergence: Divergence) -> bool:
        """Whether it expects that divergence, of a cell that it is about."""
        return matches(self.facet, divergence.facet) and matches(self.fingerprint, divergence.fingerprint)


class Registry:
    """All known bugs that a ledger is held against, found by clause."""

    def __init__(self, bugs: Iterable[Bug] = ()) -> None:
        self.bugs = {bug.id: bug for bug in bugs}
        self._exact: dict[str, list[Expectation]] = {}
        self._patterns: list[Expectation] = []
        for each in self.expectations():
            if is_pattern(each.clause):
                self._patterns.append(each)
            else:
                self._exact.setdefault(each.clause, []).append(each)
        self._of_clause: dict[str, list[Expectation]] = {}

    def expectations(self) -> Iterator[Expectation]:
        """Everything that is expected, in the order of the files."""
        return itertools.chain.from_iterable(bug.expectations() for bug in self.bugs.values())

    def of_clause(self, clause: str) -> list[Expectation]:
        """What is expected of a clause, wherever it runs."""
        if clause not in self._of_clause:
            fitting = [each for each in self._patterns if matches(each.clause, clause)]
            self._of_clause[clause] = [*self._exact.get(clause, ()), *fitting]
        return self._of_clause[clause]

    def of_cell(self, clause: str, backend: str, variant: str, environment: Environment) -> list[Expectation]:
        """What is expected of a cell that runs there."""
        return [
            each
            for each in self.of_clause(clause)
            if matches(each.backend, backend) and matches(each.variant, variant) and each.holds_in(environment)
        ]

    def explain(self, cell: Cell, environment: Environment, answering: Answering = NOBODYS) -> list[Expectation | None]:
        """For each divergence of a cell, the first thing known that expects it, or ``None``.

        What is known of a layer that the cell answers for explains what it has from there.
        """
        known = (self.of_cell(cell.clause, layer, cell.variant, environment) for layer in answering.own(cell))
        expected = list(itertools.chain.from_iterable(known))
        return [next((each for each in expected if each.covers(item)), None) for item in cell.divergences]

    def unexplained(self, cell: Cell, environment: Environment, answering: Answering = NOBODYS) -> list[Divergence]:
        """The divergences of a cell that count: of a layer that it answers for, and nothing known expects them."""
        return _counting(cell, self.explain(cell, environment, answering), answering)

    def judge(self, cell: Cell, environment: Environment, answering: Answering = NOBODYS) -> Cell:
        """The cell as known bugs make it, with the ids of those that made it so.

        A cell whose every divergence is expected, or of a layer below its backend that others answer for, is `KNOWN`:
        what it has from below is told of there, as where it has nothing else. A cell that passes though something is
        expected of it is an `UNEXPECTED_PASS`: the entry is stale, or too wide, but for a bug that shows by chance.
        Anything else stays as it was seen, but that no cell inherits what it answers for. A crash or a timeout is a
        divergence like the others.
        """
        outcome, found = seen(cell.outcome, cell), list[Expectation | None]()
        if outcome is Outcome.PASS:
            expected = self.of_cell(cell.clause, cell.backend, cell.variant, environment)
            found += [each for each in expected if not each.bug.by_chance and each.asked_of(cell)]
            outcome = Outcome.UNEXPECTED_PASS if found else outcome
        elif (outcome.diverges or outcome is Outcome.FALLBACK) and cell.divergences:
            found = self.explain(cell, environment, answering)
            counting = _counting(cell, found, answering)
            if counting and outcome is Outcome.INHERITED:
                outcome = diverged(item.facet for item in counting)
            elif any(found) and not counting:
                outcome = Outcome.KNOWN
        bugs = list(dict.fromkeys(each.bug.id for each in found if each is not None))
        return dataclasses.replace(cell, outcome=outcome, bugs=bugs, own=answering.own(cell))

    def judged(self, ledger: Ledger) -> Ledger:
        """The ledger with every cell judged where it ran. One that has been judged before is judged afresh."""
        where, answering = where_cells_ran(ledger), Answering.of(ledger)
        cells = {name: self.judge(cell, where[name], answering) for name, cell in ledger.cells.items()}
        return dataclasses.replace(ledger, cells=cells)


def _counting(cell: Cell, found: Iterable[Expectation | None], answering: Answering) -> list[Divergence]:
    own = answering.own(cell)
    return [item for item, known in zip(cell.divergences, found, strict=True) if known is None and item.layer in own]


def where_cells_ran(ledger: Ledger) -> dict[str, Environment]:
    """Of each cell the environment that it ran in: in the ledger of shards there may be several."""
    environments = [Environment.of(header) for header in ledger.headers or ({},)]
    return {name: environments[ledger.ran_under.get(name, 0)] for name in ledger.cells}


# Files ----------------------------------------------------------------------------------------------------------------


def default_files() -> list[Path]:
    """The files of known bugs that come with Parity, in a stable order."""
    return sorted(DIRECTORY.glob("*.toml"))


def load(paths: Iterable[Path]) -> Registry:
    """Read files of known bugs, each once.

    Raises `KnownBugsError` with one line for a file that cannot be read, is not TOML or has the old form, or an id that
    is already taken; and with a line for each entry of a file with keys that are missing or unknown, or a value of the
    wrong kind.
    """
    bugs: dict[str, Bug] = {}
    for path in {path.resolve(): path for path in map(Path, paths)}.values():
        for bug in _kept(path, path.stat().st_mtime_ns) if _is_ours(path) else _read(path):
            if bug.id in bugs:
                taken = bugs[bug.id]
                raise KnownBugsError(
                    f"{bug.source}:{bug.line}: bug {bug.id!r}: id already used at {taken.source}:{taken.line}"
                )
            bugs[bug.id] = bug
    return Registry(bugs.values())


def _is_ours(path: Path) -> bool:
    return path.parent == DIRECTORY and path.is_file()


@functools.cache
def _kept(path: Path, changed: int) -> tuple[Bug, ...]:
    """The bugs of a file that comes with Parity, which a process asks for several times; ``changed``: when it was."""
    return tuple(_read(path))


def parse(path: Path) -> tuple[str, dict[str, Any]]:
    """A file's text and its tables. Raises `KnownBugsError` with one line for what cannot be read or is not TOML."""
    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise KnownBugsError(f"{path}: cannot read this file of known bugs: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise KnownBugsError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise KnownBugsError(_syntax_message(path, text, str(error))) from None


def _read(path: Path) -> Iterator[Bug]:
    text, data = parse(path)
    if "waiver" in data:
        raise KnownBugsError(f"{path}: [[waiver]] is the old form; type: parity waivers convert {path} > NEW.toml")
    _check_keys(data, {"backend": False, "bug": False}, f"{path}: at the top")
    backends = _texts(data["backend"], f"{path}: at the top: key 'backend'") if "backend" in data else ()
    lines, wrong = _header_lines(text, data), list[str]()
    for number, entry in enumerate(_tables(data, "bug", str(path)), 1):
        line = next(lines)
        place = f"{path}:{line}" if line else str(path)
        name = f"bug {entry['id']!r}" if isinstance(entry.get("id"), str) else f"bug number {number}"
        cells_lines = iter([next(lines) for _ in _listed(entry.get("cells"))])
        try:
            yield _bug(entry, f"{place}: {name}", backends, cells_lines, path, line)
        except KnownBugsError as error:
            wrong.append(str(error))
    if wrong:
        more = [f"{path}: {len(wrong) - TOLD} more like these"] if len(wrong) > TOLD else []
        raise KnownBugsError("\n".join([*wrong[:TOLD], *more]))


def _listed(value: object) -> list[Any]:
    """The tables of a key; none where it holds no list, which `_tables` tells of."""
    return value if isinstance(value, list) else []


def _header_lines(text: str, data: Mapping[str, Any]) -> Iterator[int]:
    """The lines of the headers of bugs, cells and finds; zeros where the text does not tell (one inside a string)."""
    bugs = [bug for bug in _listed(data.get("bug")) if isinstance(bug, dict)]
    expected = [name for bug in bugs for name in ("bug", *("bug.cells" for _ in _listed(bug.get("cells"))))]
    headers = [
        (match[1].replace(" ", ""), number)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := HEADER.match(line)) and not match[1].endswith("finds")
    ]
    exact = [name for name, _ in headers] == expected
    return iter([number for _, number in headers] if exact else [0] * len(expected))


def _bug(
    entry: Mapping[str, Any], where: str, backends: tuple[str, ...], lines: Iterator[int], path: Path, line: int
) -> Bug:
    _check_keys(entry, _BUG, where)
    expires = _date(entry["expires"])
    if expires is None:
        raise KnownBugsError(f"{where}: key 'expires' must be a date like 2027-06-30, not {entry['expires']!r}")
    texts = {key: _texts(entry[key], f"{where}: key {key!r}") for key in ("id", "reason", "link", "seen")}
    _check_places(texts["seen"], where)
    texts["by_chance"] = _texts(entry["by_chance"], f"{where}: key 'by_chance'") if "by_chance" in entry else ("",)
    for key in ("id", "reason", "by_chance"):
        if len(texts[key]) > 1:
            raise KnownBugsError(f"{where}: key {key!r} must be one text")
    return Bug(
        id=texts["id"][0],
        reason=texts["reason"][0],
        links=texts["link"],
        seen=texts["seen"],
        expires=expires,
        by_chance=texts["by_chance"][0],
        cells=tuple(_cells(each, where, backends, next(lines)) for each in _tables(entry, "cells", where)),
        finds=tuple(_find(each, where) for each in _tables(entry, "finds", where)),
        source=str(path),
        line=line,
    )


def _cells(entry: Mapping[str, Any], where: str, backends: tuple[str, ...], line: int) -> Cells:
    where = f"{where}: cells" + (f" in line {line}" if line else "")
    _check_keys(entry, _CELLS, where)
    texts = {key: _texts(value, f"{where}: key {key!r}") for key, value in entry.items()}
    _check_places(texts.get("seen", ()), where)
    for facet in texts.get("facet", ()):
        if facet not in (*FACETS, "*"):
            raise KnownBugsError(f"{where}: unknown facet {facet!r}{guess(facet, FACETS)}")
    for fingerprint in texts["fingerprint"]:
        if not is_pattern(fingerprint) and not any(f":{facet}:" in fingerprint for facet in FACETS):
            wrong = next(iter(fingerprint.split(":")[1:2]), fingerprint)
            raise KnownBugsError(f"{where}: fingerprint {fingerprint!r} names no facet{guess(wrong, FACETS)}")
    return Cells(
        clauses=texts["clause"],
        fingerprints=texts["fingerprint"],
        facets=texts.get("facet", ("*",)),
        backends=texts.get("backend", backends) or ("*",),
        variants=texts.get("variant", ("*",)),
        seen=texts.get("seen", ()),
        line=line,
        unnamed=not (backends or "backend" in texts),
    )


def _find(entry: Mapping[str, Any], where: str) -> FindPattern:
    where = f"{where}: finds"
    _check_keys(entry, _FIND, where)
    operators = _texts(entry["operators"], f"{where}: key 'operators'") if entry["operators"] else ()
    texts = {key: _texts(entry[key], f"{where}: key {key!r}") for key in ("title", "fingerprint", "program")}
    return FindPattern(texts["title"][0], texts["fingerprint"], operators, texts["program"][0])


def _tables(entry: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    tables = entry.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise KnownBugsError(f"{where}: write each of {key!r} as a table [[...]] of its own, not as {tables!r}"[:400])
    return tables


def _check_keys(entry: Mapping[str, Any], keys: Mapping[str, bool], where: str) -> None:
    """Say which keys are not known and which are missing, all at once."""
    wrong = [f"unknown key {key!r}{guess(key, keys)}" for key in entry if key not in keys]
    missing = [repr(key) for key, required in keys.items() if required and key not in entry]
    if missing:
        wrong.append(f"key{'s' if len(missing) > 1 else ''} {', '.join(missing)} missing")
    if wrong:
        raise KnownBugsError(f"{where}: {'; '.join(wrong)}")


def _texts(value: object, where: str) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise KnownBugsError(f"{where} must be text that is not empty, or a list of such, not {value!r}")
    return tuple(texts)


def _check_places(seen: Collection[str], where: str) -> None:
    try:
        places.check(seen)
    except ValueError as error:
        raise KnownBugsError(f"{where}: key 'seen' {error}") from None


def guess(word: str, known: Iterable[str]) -> str:
    """What a word that is not known may have been meant to be, for the end of a message."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"


def _date(value: object) -> datetime.date | None:
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _syntax_message(path: Path, text: str, message: str) -> str:
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if place:
        return f"{path}:{place[1]}:{place[2]}: not TOML: {message[: place.start()]}"
    last = text.count("\n") + 1
    return f"{path}:{last}:1: not TOML: {message.replace(' (at end of document)', ' at the end of the file')}"
