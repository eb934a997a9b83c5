"""Version bands: the goldens of torch releases whose graphs differ from the baseline's.

The literal in the test is the baseline's. Where another release gives another graph, its text lives here, keyed by
golden id and a range of releases. Releases are told apart by major and minor number: patch releases and nightlies
share a band. On a release whose goldens were all recorded (`RECORDED`) they are strict, as on the baseline.

A file ``golden/bands/<family>.toml`` holds::

    format = 1

    [[band]]
    golden = "mutation/test_in_place.py::test_x#forward"
    torch = ">=2.14,<2.16"
    text = \"\"\"
    def forward(self, primals_1):
        ...
    \"\"\"
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from golden.editing.locate import normalised
from golden.expectation import Mode
from golden.graphs.compare import compare_texts
from golden.graphs.graph_value import FORMAT
from golden.toml import tomllib

#: The release that the inline literals were recorded under.
BASELINE = "2.13"

#: The releases under which ``parity regen`` has recorded every golden, on the CPU: those that differ have a band.
RECORDED = ("2.11", BASELINE, "2.15")

#: Where the project's own bands are.
FOLDER = Path(__file__).parent / "bands"

Release: TypeAlias = tuple[int, int]

#: Ends that stand for "from the first release" and "no end".
FIRST: Release = (0, 0)
LAST: Release = (10**6, 0)


class BadBands(ValueError):
    """A band file says something that cannot be; the message names the file and the entry."""


def release_of(version: str) -> Release:
    """Major and minor number of a torch version: ``2.15.0.dev20260101+cpu`` is ``(2, 15)``."""
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is None:
        raise BadBands(f"not a torch version: {version!r} (expected MAJOR.MINOR)")
    return int(match[1]), int(match[2])


def is_baseline(version: str) -> bool:
    """Whether inline literals belong to this torch."""
    return release_of(version) == release_of(BASELINE)


def is_recorded(version: str) -> bool:
    """Whether goldens are known to be those of this torch, which is a release and no nightly."""
    final = re.fullmatch(r"\d+\.\d+(\.\d+)*(\+.*)?", version) is not None
    return final and release_of(version) in map(release_of, RECORDED)


def default_mode(version: str, device: str = "cpu") -> Mode:
    """How goldens are compared unless told otherwise: strictly where they were recorded, as drift elsewhere."""
    return "strict" if is_recorded(version) and device == "cpu" else "drift"


@dataclasses.dataclass(frozen=True, order=True)
class Band:
    """One golden's text for the releases from ``start`` up to, and without, ``stop``."""

    golden: str
    start: Release
    stop: Release
    text: str

    def covers(self, release: Release) -> bool:
        """Whether the band holds for a release."""
        return self.start <= release < self.stop

    @property
    def range(self) -> str:
        """The releases, as the file has them: ``>=2.14,<2.16``."""
        low = [] if self.start == FIRST else [f">={self.start[0]}.{self.start[1]}"]
        high = [] if self.stop == LAST else [f"<{self.stop[0]}.{self.stop[1]}"]
        return ",".join(low + high) or "*"


def parse_range(text: str) -> tuple[Release, Release]:
    """Read ``>=A.B,<C.D``, either half of it, ``==A.B`` or ``*``; raises `BadBands`."""
    start, stop = FIRST, LAST
    for part in () if text.strip() == "*" else text.split(","):
        match = re.fullmatch(r"\s*(>=|<|==)\s*(\d+)\.(\d+)(?:\.\*)?\s*", part)
        if match is None:
            raise BadBands(f"torch range {text!r}: expected something like '>=2.14,<2.16', '>=2.14' or '==2.15'")
        release = (int(match[2]), int(match[3]))
        if match[1] in (">=", "=="):
            start = release
        if match[1] == "<":
            stop = release
        elif match[1] == "==":
            stop = _next(release)
    if start >= stop:
        raise BadBands(f"torch range {text!r} is empty: no release is in it")
    return start, stop


def _next(release: Release) -> Release:
    return release[0], release[1] + 1


class BandSet:
    """All bands of a folder; values of this class do not change, `recorded` and `trimmed` give new ones."""

    def __init__(self, bands: Iterable[Band] = ()) -> None:
        self.bands = tuple(sorted(bands))
        self._by_golden: dict[str, list[Band]] = {}
        for band in self.bands:
            others = self._by_golden.setdefault(band.golden, [])
            if others and others[-1].stop > band.start:
                raise BadBands(f"{band.golden}: the bands {others[-1].range} and {band.range} overlap")
            others.append(band)

    def text_for(self, golden_id: str, torch_version: str) -> str | None:
        """The golden's text under that torch, or None when no band covers it."""
        release = release_of(torch_version)
        return next((band.text for band in self._by_golden.get(golden_id, ()) if band.covers(release)), None)

    def recorded(self, golden_id: str, torch_version: str, text: str, inline: str | None) -> BandSet:
        """The set after ``text`` was seen under that torch, where the literal in the test is ``inline``.

        A text that means what the literal means needs no band. Neighbours with equal texts become one band.
        """
        release = release_of(torch_version)
        rest = [band for band in self.bands if band.golden != golden_id]
        mine = [piece for band in self._by_golden.get(golden_id, ()) for piece in _without(band, release)]
        same = inline is not None and compare_texts(normalised(inline), normalised(text)).verdict in (
            "same",
            "cosmetic",
        )
        if not same:
            mine.append(Band(golden_id, release, _next(release), text))
        return BandSet([*rest, *merged(mine)])

    def trimmed(self, known: set[str] | None, oldest: Release = (2, 11)) -> BandSet:
        """The set without bands that nothing reaches.

        Those are: bands of the baseline (its literals stand in the tests), bands that end before the oldest supported
        torch, and, when ``known`` is given, bands of goldens that are not in it.
        """
        baseline = release_of(BASELINE)
        kept = [
            piece
            for band in self.bands
            if band.stop > oldest and (known is None or band.golden in known)
            for piece in _without(band, baseline)
        ]
        return BandSet(merged(kept))


def _without(band: Band, release: Release) -> list[Band]:
    """What is left of a band when one release is taken out of it."""
    if not band.covers(release):
        return [band]
    pieces = (
        dataclasses.replace(band, stop=release),
        dataclasses.replace(band, start=_next(release)),
    )
    return [piece for piece in pieces if piece.start < piece.stop]


def merged(bands: Iterable[Band]) -> list[Band]:
    """Bands with equal neighbours made one; a gap between two bands stays."""
    result: list[Band] = []
    for band in sorted(bands):
        last = result[-1] if result else None
        if last is not None and (last.golden, last.stop, last.text) == (band.golden, band.start, band.text):
            result[-1] = dataclasses.replace(last, stop=band.stop)
        else:
            result.append(band)
    return result


def load_bands(folder: Path = FOLDER) -> BandSet:
    """Read every band file of a folder; a folder that is not there holds none. Raises `BadBands`."""
    return BandSet([band for path in sorted(folder.glob("*.toml")) for band in _load(path)])


def _load(path: Path) -> list[Band]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadBands(f"{path}: {error}") from None
    if data.get("format") != FORMAT:
        raise BadBands(
            f"{path}: format {data.get('format')!r} is not the format of this Parity ({FORMAT}); regenerate it"
        )
    return [_band(path, number, entry) for number, entry in enumerate(data.get("band", []), 1)]


def _band(path: Path, number: int, entry: Mapping[str, Any]) -> Band:
    wanted = {"golden", "torch", "text"}
    if set(entry) != wanted or not all(isinstance(value, str) for value in entry.values()):
        raise BadBands(f"{path}: band {number} has the keys {sorted(entry)}, expected the texts {sorted(wanted)}")
    try:
        start, stop = parse_range(entry["torch"])
    except BadBands as error:
        raise BadBands(f"{path}: band {number}: {error}") from None
    return Band(entry["golden"], start, stop, entry["text"])


def file_name(golden_id: str) -> str:
    """The file that holds a golden's bands: one a family, the first word of the golden's id."""
    words = [word for word in re.split(r"[^A-Za-z0-9_-]+", golden_id) if word]
    if words[:1] == ["suites"] and len(words) > 1:
        words = words[1:]
    return (words[0] if words else "goldens") + ".toml"


def files_of(bands: BandSet) -> dict[str, str]:
    """The content of every band file, by file name."""
    import tomli_w

    entries: dict[str, list[dict[str, str]]] = {}
    for band in bands.bands:
        entry = {"golden": band.golden, "torch": band.range, "text": band.text}
        entries.setdefault(file_name(band.golden), []).append(entry)
    return {
        name: tomli_w.dumps({"format": FORMAT, "band": found}, multiline_strings=True)
        for name, found in sorted(entries.items())
    }
