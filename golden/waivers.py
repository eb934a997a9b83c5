"""Waivers: divergences that are known, each with its scope, its reason, a link and a date to look at it again.

A waiver file is TOML, one file a backend::

    backend = "inductor"                       # for every entry that does not name its own

    [[waiver]]
    id = "detached-alias"                      # unique over all files that are loaded together
    clause = "aliasing/outputs/*"              # exact, or a pattern: `*` any text, `?` one character
    variant = "train-*"                        # optional, "*" where absent
    facet = "autograd"                         # or "*"
    fingerprint = "inductor:autograd:gradient missing"
    torch = ">=2.13,<2.15"                     # compared with the base version: 2.13.0+cpu is 2.13.0
    reason = "A detached alias of an intermediate takes the gradient of its siblings."
    link = "https://github.com/pytorch/pytorch/pull/195357"
    expires = 2027-06-30

``link = "none known"`` is allowed where nobody has reported it yet; ``finding = "NAME"`` then names it.

A waiver never removes a check: the cell runs, and a divergence that does not match the fingerprint fails as before.
"""

from __future__ import annotations

import dataclasses
import datetime
import difflib
import functools
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Where the waivers for torch's own backends are.
DIRECTORY = Path(__file__).with_name("waivers")

NO_LINK = "none known"

_REQUIRED = ("id", "clause", "facet", "fingerprint", "torch", "reason", "expires")
_OPTIONAL = ("variant", "backend", "link", "finding")
_KEYS = _REQUIRED + _OPTIONAL

#: Outcomes of cells that ran their program and compared it.
_COMPARED = frozenset({"pass", "fail", "inherited", "xfail", "xpass", "changed", "crash", "timeout"})
#: Outcomes that a waiver can turn into an expected failure.
_DIVERGED = frozenset({"fail", "inherited", "crash", "timeout"})


class WaiverError(ValueError):
    """A waiver file cannot be used; the message is one line that says which file, which entry and why."""


class Difference(Protocol):
    """What a waiver looks at in a divergence."""

    @property
    def facet(self) -> str:
        """The facet that differs."""

    @property
    def fingerprint(self) -> str:
        """Layer, facet and kind of the difference."""


class Judged(Protocol):
    """What waivers look at in the record of a cell."""

    @property
    def clause(self) -> str:
        """The clause's id."""

    @property
    def backend(self) -> str:
        """The backend's name as it was given."""

    @property
    def variant(self) -> str:
        """The variant's name."""

    @property
    def outcome(self) -> str:
        """One of the ledger's outcomes."""

    @property
    def divergences(self) -> Sequence[Difference]:
        """Every divergence of the cell."""


@dataclasses.dataclass(frozen=True)
class Waiver:
    """One known divergence. ``source`` is ``file:line`` of its entry."""

    id: str
    clause: str
    facet: str
    fingerprint: str
    torch: str
    reason: str
    expires: datetime.date
    link: str = ""
    finding: str = ""
    variant: str = "*"
    backend: str = "*"
    source: str = ""

    def applies(self, clause: str, backend: str, variant: str, torch_version: str) -> bool:
        """Whether this waiver speaks of that cell under that torch."""
        return (
            _matches(self.clause, clause)
            and _matches(self.backend, backend)
            and _matches(self.variant, variant)
            and _in_range(self.torch, torch_version)
        )

    def covers(self, difference: Difference) -> bool:
        """Whether this waiver, applied to a cell, expects that difference."""
        return _matches(self.facet, difference.facet) and _matches(self.fingerprint, difference.fingerprint)


@dataclasses.dataclass(frozen=True)
class Facts:
    """What a run knows, for `lint`.

    ``clauses`` are the ids that were collected; ``whole`` says that they are all there are, so that a waiver which
    matches none of them is wrong and not merely outside a partial run. ``cells`` are the cells that ran.
    """

    torch_version: str
    clauses: frozenset[str] = frozenset()
    whole: bool = False
    cells: tuple[Judged, ...] = ()


@dataclasses.dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a waiver: ``kind`` is `unmatched`, `link`, `expired` or `passes`."""

    waiver: str
    kind: str
    message: str
    source: str = ""

    def __str__(self) -> str:
        return f"{self.source}: waiver {self.waiver!r}: {self.message}"


@functools.lru_cache(maxsize=4096)
def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(re.escape(glob).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)


def _matches(glob: str, text: str) -> bool:
    """`*` and `?` only: ids and fingerprints hold brackets, which stand for themselves here."""
    return glob == text or _pattern(glob).fullmatch(text) is not None


@functools.lru_cache(maxsize=1024)
def _in_range(specifier: str, torch_version: str) -> bool:
    return SpecifierSet(specifier).contains(Version(torch_version).base_version, prereleases=True)


def default_files() -> list[Path]:
    """The waiver files that come with Parity, in a stable order."""
    return sorted(DIRECTORY.glob("*.toml"))


def load(paths: Iterable[Path], *, facets: Collection[str] = ()) -> list[Waiver]:
    """Read waiver files.

    ``facets``, if given, are the facet names that exist. Raises `WaiverError` with one line for a file that cannot be
    read, is not TOML, has an unknown or missing key, a value of the wrong kind, or an id that is already taken.
    """
    waivers: list[Waiver] = []
    taken: dict[str, str] = {}
    for path in paths:
        for waiver in _load_file(Path(path), facets):
            if waiver.id in taken:
                raise WaiverError(f"{waiver.source}: waiver {waiver.id!r}: id already used at {taken[waiver.id]}")
            taken[waiver.id] = waiver.source
            waivers.append(waiver)
    return waivers


def _load_file(path: Path, facets: Collection[str]) -> list[Waiver]:
    text = _read(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WaiverError(_syntax_message(path, text, str(error))) from None
    for key in data:
        if key not in ("backend", "waiver"):
            raise WaiverError(f"{path}: unknown key {key!r} at the top{_guess(key, ('backend', 'waiver'))}")
    backend = data.get("backend", "*")
    if not isinstance(backend, str):
        raise WaiverError(f"{path}: key 'backend' at the top must be text, not {backend!r}")
    entries = data.get("waiver", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise WaiverError(f"{path}: write each waiver as a table [[waiver]] of its own, not as {entries!r}"[:400])
    lines = _entry_lines(text, len(entries))
    return [
        _waiver({"backend": backend, **entry}, number, f"{path}:{line}" if line else str(path), facets)
        for number, (entry, line) in enumerate(zip(entries, lines, strict=True), 1)
    ]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise WaiverError(f"{path}: cannot read this waiver file: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise WaiverError(f"{path}: not UTF-8 text (byte {error.start})") from None


def _syntax_message(path: Path, text: str, message: str) -> str:
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if place:
        return f"{path}:{place[1]}:{place[2]}: not TOML: {message[: place.start()]}"
    last = text.count("\n") + 1
    return f"{path}:{last}:1: not TOML: {message.replace(' (at end of document)', ' at the end of the file')}"


def _entry_lines(text: str, count: int) -> list[int]:
    """Line numbers of the entries' headers; zeros where the text does not tell (a header inside a string)."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if re.match(r"\s*\[\[\s*waiver\s*\]\]", line)]
    return lines if len(lines) == count else [0] * count


def _guess(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"


def _waiver(entry: Mapping[str, Any], number: int, source: str, facets: Collection[str]) -> Waiver:
    name = f"waiver {entry['id']!r}" if isinstance(entry.get("id"), str) else f"waiver number {number}"

    def wrong(what: str) -> WaiverError:
        return WaiverError(f"{source}: {name}: {what}")

    for key in entry:
        if key not in _KEYS:
            raise wrong(f"unknown key {key!r}{_guess(key, _KEYS)}")
    for key in _REQUIRED:
        if key not in entry:
            raise wrong(f"key {key!r} is missing")
    for key, value in entry.items():
        if key != "expires" and (not isinstance(value, str) or (not value.strip() and key not in ("link", "torch"))):
            raise wrong(f"key {key!r} must be text that is not empty, not {value!r}")
    if facets and entry["facet"] not in (*facets, "*"):
        raise wrong(f"unknown facet {entry['facet']!r}{_guess(entry['facet'], facets)}")
    try:
        SpecifierSet(entry["torch"])
    except InvalidSpecifier:
        raise wrong(f"key 'torch' must be a version range like '>=2.13,<2.15', not {entry['torch']!r}") from None
    expires = _date(entry["expires"])
    if expires is None:
        raise wrong(f"key 'expires' must be a date like 2027-06-30, not {entry['expires']!r}")
    return Waiver(**{**entry, "expires": expires, "source": source})


def _date(value: object) -> datetime.date | None:
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def match(
    waivers: Iterable[Waiver],
    clause: str,
    backend: str,
    variant: str,
    divergences: Sequence[Difference],
    torch_version: str,
) -> list[Waiver | None]:
    """For each divergence of one cell, the first waiver that expects it, or ``None``."""
    applying = [waiver for waiver in waivers if waiver.applies(clause, backend, variant, torch_version)]
    return [next((waiver for waiver in applying if waiver.covers(item)), None) for item in divergences]


def before(outcome: str, divergences: Sequence[Difference]) -> str:
    """The outcome that a cell had before waivers, so that judging a judged cell again changes nothing."""
    if outcome == "xpass":
        return "pass"
    if outcome == "xfail":
        facets = {item.facet for item in divergences}
        return next((facet for facet in ("crash", "timeout") if facet in facets), "fail")
    return outcome


def judge(
    outcome: str,
    waivers: Iterable[Waiver],
    clause: str,
    backend: str,
    variant: str,
    divergences: Sequence[Difference],
    torch_version: str,
) -> tuple[str, list[str]]:
    """The outcome of a cell after waivers, and the ids of the waivers that made it so.

    A cell whose every divergence is waived is `xfail`. A cell that passes though a waiver applies to it is `xpass`: the
    waiver is stale or too wide. Anything else stays as it was. A crash or a timeout is a divergence like the others.
    A cell judged before, with whatever waivers, is judged afresh.
    """
    outcome = before(outcome, divergences)
    waivers = list(waivers)
    if outcome == "pass":
        stale = [waiver.id for waiver in waivers if waiver.applies(clause, backend, variant, torch_version)]
        return ("xpass", stale) if stale else ("pass", [])
    if outcome not in _DIVERGED or not divergences:
        return outcome, []
    matched = match(waivers, clause, backend, variant, divergences, torch_version)
    ids = list(dict.fromkeys(waiver.id for waiver in matched if waiver is not None))
    return ("xfail" if all(matched) else outcome), ids


def lint(waivers: Iterable[Waiver], facts: Facts, today: datetime.date) -> list[Problem]:
    """Every waiver that has no business any more, with what to do about it.

    Only waivers whose torch range holds the torch of ``facts`` are held against what ran.
    """
    problems: list[Problem] = []
    for waiver in waivers:
        problems.extend(_lint_text(waiver, today))
        if _in_range(waiver.torch, facts.torch_version):
            problems.extend(_lint_against(waiver, facts))
    return problems


def _lint_text(waiver: Waiver, today: datetime.date) -> Iterable[Problem]:
    if not waiver.link:
        yield Problem(
            waiver.id,
            "link",
            f"no link: give the URL of the report, or link = {NO_LINK!r} and finding = its name",
            waiver.source,
        )
    elif waiver.link == NO_LINK and not waiver.finding:
        yield Problem(waiver.id, "link", f"link = {NO_LINK!r} needs finding = its name", waiver.source)
    elif waiver.link != NO_LINK and not re.match(r"https?://\S+$", waiver.link):
        yield Problem(waiver.id, "link", f"link {waiver.link!r} is not a URL and not {NO_LINK!r}", waiver.source)
    if waiver.expires < today:
        yield Problem(
            waiver.id,
            "expired",
            f"expired on {waiver.expires}: look whether it is fixed, then delete it or move the date",
            waiver.source,
        )


def _lint_against(waiver: Waiver, facts: Facts) -> Iterable[Problem]:
    if facts.whole and not any(_matches(waiver.clause, clause) for clause in facts.clauses):
        close = difflib.get_close_matches(waiver.clause, sorted(facts.clauses), n=1, cutoff=0.6)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        yield Problem(waiver.id, "unmatched", f"clause {waiver.clause!r} matches no clause{hint}", waiver.source)
        return
    cells = [
        cell
        for cell in facts.cells
        if cell.outcome in _COMPARED and waiver.applies(cell.clause, cell.backend, cell.variant, facts.torch_version)
    ]
    if cells and not any(waiver.covers(item) for cell in cells for item in cell.divergences):
        yield Problem(
            waiver.id,
            "passes",
            f"expects {waiver.fingerprint!r}, which {_cells(len(cells))}: delete it, or narrow it",
            waiver.source,
        )


def _cells(number: int) -> str:
    return (
        f"none of the {number} cells it applies to shows" if number > 1 else "the one cell it applies to does not show"
    )
