"""Where a known bug was seen: releases of torch, devices, platforms, vector instructions; and the least text for it.

A place is a line like ``torch>=2.13,<2.15``, or ``torch>=2.13 on cuda``: after ``on`` stands a device, a platform, the
C++ compiler as it names itself (``on g++*13.3.*``), or the vector instructions of the kernels that are built
(``on avx512``, ``on avx*``, ``on default`` for none), which only code for the CPU can show; or several of these, joined
by ``and``.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

#: The oldest release of torch that Parity runs on, as ``(major, minor)``.
OLDEST = (2, 11)
#: What a place can be told by, beside the release, when one is looked for; the most general first.
_CONDITIONS = ("", "cpu", "cuda", "avx512", "avx2", "avx*", "default")
#: As many places are tried together; what they do not explain is written down one by one.
_FEW = 2


@dataclasses.dataclass(frozen=True)
class Environment:
    """Where a cell ran, as far as known bugs tell places apart."""

    torch: str
    device: str = ""
    platform: str = ""
    #: The vector instructions of kernels for the CPU, as torch names them: ``AVX2``, ``AVX512``, ``DEFAULT`` for none.
    vector: str = ""
    #: The C++ compiler, as it names itself.
    compiler: str = ""

    @classmethod
    def of(cls, header: Mapping[str, Any]) -> Environment:
        """Where the cells of the ledger with that header ran."""
        known = {key: str(header.get(key) or "") for key in ("torch", "device", "platform", "compiler")}
        return cls(**known, vector=str(header.get("kernel_vector") or header.get("vector") or ""))

    @property
    def release(self) -> tuple[int, int]:
        """The minor release of torch, ``(0, 0)`` where none is told."""
        version = Version(self.torch or "0")
        return version.major, version.minor


def hold(places: Iterable[str], environment: Environment) -> bool:
    """Whether one of the places is that environment."""
    return any(_is_there(place, environment) for place in places)


def check(places: Iterable[str]) -> None:
    """Raise `ValueError` with a line that names the first text which is no place."""
    for place in places:
        try:
            if not place.startswith("torch"):
                raise InvalidSpecifier
            SpecifierSet(place.removeprefix("torch").partition(" on ")[0])
        except InvalidSpecifier:
            raise ValueError(f"must be like 'torch>=2.13,<2.15' or 'torch>=2.13 on cuda', not {place!r}") from None


@functools.cache
def _is_there(place: str, environment: Environment) -> bool:
    release, _, where = place.removeprefix("torch").partition(" on ")
    vector = environment.vector if environment.device in ("cpu", "") else ""
    here = (environment.device, environment.platform, environment.compiler, vector)
    there = not where or all(
        any(matches(condition.lower(), text.lower()) for text in here) for condition in where.split(" and ")
    )
    version = Version(environment.torch or "0").base_version
    return there and SpecifierSet(release).contains(version, prereleases=True)


def matches(pattern: str, text: str) -> bool:
    """`*` and `?` only: ids and fingerprints hold brackets, which stand for themselves here."""
    return pattern in ("*", text) or (is_pattern(pattern) and _compiled(pattern).fullmatch(text) is not None)


def is_pattern(text: str) -> bool:
    """Whether a text stands for others than itself."""
    return "*" in text or "?" in text


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)


# Conditions from runs -------------------------------------------------------------------------------------------------


def least(seen: Mapping[Environment, bool], before: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The simplest places that hold wherever something was seen, and in no other environment that ran.

    ``seen`` says of each environment that ran whether the divergence showed; ``before`` are the places that were
    claimed, and stay if they agree with it. Of several answers the one is taken that has few places and conditions and
    changes little of ``before`` where nothing ran: see `_cost`. Releases between two in which it was seen are taken to
    have it. Empty where it was seen nowhere, and nothing is claimed elsewhere.
    """
    if all(hold(before, environment) is shown for environment, shown in seen.items()):
        return before
    return _least(frozenset(seen.items()), before)


@functools.cache
def _least(seen: frozenset[tuple[Environment, bool]], before: tuple[str, ...]) -> tuple[str, ...]:
    ran = dict(seen)
    releases = _releases(ran, before)
    compilers = _compilers(ran)
    everywhere = [*_grid(releases), *_grid(releases, compilers)]
    grid = [environment for environment in everywhere if not any(_same(environment, each) for each in ran)]
    running = {environment.release for environment in ran}
    told = [place for place in before if " on " in place]  # What else is claimed of a release, its runs have answered.
    claimed = frozenset(
        environment for environment in grid if hold(told if environment.release in running else before, environment)
    )
    if not claimed and not any(ran.values()):
        return ()
    places = [
        _place(low, high, where)
        for where in (*_CONDITIONS, *(f"cpu and {_called(compiler)}" for compiler in compilers))
        for low, high in itertools.combinations_with_replacement(releases, 2)
    ]
    explaining = [
        chosen
        for count in range(1, _FEW + 1)
        for chosen in itertools.combinations(places, count)
        if all(hold(chosen, environment) is shown for environment, shown in ran.items())
    ]
    if explaining:
        showing = {environment.release for environment, shown in ran.items() if shown}
        showing |= {environment.release for environment in claimed}
        between = {release for release in releases if min(showing) < release < max(showing)}
        return min(explaining, key=lambda chosen: _cost(chosen, grid, claimed, running | between))
    return tuple(dict.fromkeys(_exact(environment) for environment, shown in sorted(ran.items(), key=str) if shown))


def _compilers(ran: Iterable[Environment]) -> list[str]:
    """The C++ compilers by which alone some environments differ from others, as they name themselves."""
    by_rest: dict[tuple[object, ...], set[str]] = {}
    for environment in ran:
        if environment.device == "cpu" and environment.compiler:
            by_rest.setdefault((environment.release, environment.vector), set()).add(environment.compiler)
    return sorted({compiler for compilers in by_rest.values() if len(compilers) > 1 for compiler in compilers})


def _called(compiler: str) -> str:
    """A compiler as a place names it: ``g++*13.3.*`` of ``g++ (Ubuntu 13.3.0-6ubuntu2) 13.3.0``."""
    version = compiler_version(compiler)
    return f"{compiler.split()[0]}*{version}.*" if version else compiler


def compiler_version(compiler: str) -> str:
    """``13.3`` of ``g++ (Ubuntu 13.3.0-6ubuntu2) 13.3.0``; empty where a compiler names none."""
    # What is in brackets is the packager's.
    found = re.search(r"\d+\.\d+", re.sub(r"\(.*?\)", "", compiler))
    return found[0] if found else ""


def _cost(
    chosen: tuple[str, ...],
    grid: Iterable[Environment],
    claimed: frozenset[Environment],
    free: Collection[tuple[int, int]],
) -> float:
    """How much such an answer asks to be believed: a place counts 1, a condition a half, a changed claim up to 1.

    A claim about a GPU that no run bears out is mostly one that nobody thought of. What is said of another device or
    processor in the releases ``free`` costs nothing: those that ran, and those between.
    """
    changed = 0.0
    for environment in grid:
        holds, was = hold(chosen, environment), environment in claimed
        if holds and not was:
            changed += environment.release not in free
        elif was and not holds:
            changed += 0.2 if environment.device == "cuda" else 1
    return len(chosen) + sum(" on " in place for place in chosen) / 2 + changed


def _releases(ran: Iterable[Environment], before: Iterable[str]) -> list[tuple[int, int]]:
    """All minor releases from the oldest to the newest that ran or is named in what was claimed."""
    named = [
        (int(major), int(minor) - ("<" in sign))
        for place in before
        for sign, major, minor in re.findall(r"([<>=]+)(\d+)\.(\d+)", place)
    ]
    known = [OLDEST, *(environment.release for environment in ran), *named]
    newest = max(known)
    return sorted({*known, *((newest[0], minor) for minor in range(OLDEST[1], newest[1] + 1))})


def _grid(releases: Iterable[tuple[int, int]], compilers: Collection[str] = ("",)) -> list[Environment]:
    kinds = (("cpu", "AVX2"), ("cpu", "AVX512"), ("cpu", "DEFAULT"), ("cuda", ""))
    return [
        Environment(f"{major}.{minor}", device, "", vector, compiler)
        for (major, minor), (device, vector), compiler in itertools.product(releases, kinds, compilers)
    ]


def _same(one: Environment, other: Environment) -> bool:
    vectors = {one.vector, other.vector} if one.device == "cpu" else {""}
    compilers = {one.compiler, other.compiler, ""} if one.device == "cpu" else {""}
    return one.release == other.release and one.device == other.device and len(vectors) == 1 and len(compilers) <= 2


def _place(low: tuple[int, int], high: tuple[int, int], where: str = "") -> str:
    return f"torch>={low[0]}.{low[1]},<{high[0]}.{high[1] + 1}" + (f" on {where}" if where else "")


def _exact(environment: Environment) -> str:
    where = environment.vector.lower() if environment.device == "cpu" else environment.device
    return _place(environment.release, environment.release, where)


def not_run(places: Collection[str], ran: Iterable[Environment]) -> list[str]:
    """The releases that ``places`` claim and that no environment ran, as ``2.12``."""
    run = list(ran)
    claimed = [each for each in _grid(_releases(run, places)) if hold(places, each)]
    have = {environment.release for environment in run}
    return [f"{major}.{minor}" for major, minor in sorted({each.release for each in claimed} - have)]
