"""From a pytest item to the cell it is: ids, clauses, records. Plain functions on what pytest collected."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.util
import inspect
import os
import resource
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from suites.contract import without_parameters
from suites.harness.clauses.scope import PROFILES, Scope
from suites.harness.oracle.examine import Examination
from suites.harness.planning import choice
from suites.harness.results import ledger
from suites.harness.results.known_bugs import Registry
from suites.harness.results.places import Environment

#: The folder of Parity's own clauses, of which a run may have all.
SUITES = Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Description:
    """What is known of a cell before it runs.

    ``id`` is ``family/group/name[backend-variant]``: stable as long as the clause keeps its name and place.
    """

    clause: str
    backend: str
    variant: str
    nodeid: str
    sentence: str = ""
    covers: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    torch: str = ""
    needs: str = ""
    file: str = ""
    line: int = 0
    #: Reads the clause's text. Most cells of a run are described in a process that never does.
    read_source: Callable[[], str] = dataclasses.field(default=str, repr=False, compare=False)

    @property
    def id(self) -> str:
        """The cell's id."""
        return f"{self.clause}[{self.backend}-{self.variant}]"

    @property
    def family(self) -> str:
        """The folder that the clause lives in."""
        return self.clause.partition("/")[0]

    def clause_record(self) -> dict[str, Any]:
        """The clause as a ledger record."""
        return {
            "kind": "clause",
            "id": self.clause,
            "family": self.family,
            "sentence": self.sentence,
            "covers": list(self.covers),
            "devices": list(self.devices),
            "torch": self.torch,
            "needs": self.needs,
            "file": self.file,
            "line": self.line,
        }

    def plan_record(self) -> dict[str, str]:
        """The cell as the ledger's plan names it, under pytest's name of it."""
        return {"clause": self.clause, "backend": self.backend, "variant": self.variant}

    def cell(self) -> ledger.Cell:
        """An empty record of the cell."""
        return ledger.Cell(
            id=self.id,
            clause=self.clause,
            family=self.family,
            sentence=self.sentence,
            backend=self.backend,
            variant=self.variant,
            program=self.read_source(),
            nodeid=f"{self.file}::{self.nodeid.partition('::')[2]}" if self.file else self.nodeid,
        )


def scope_of(item: Any) -> Scope:
    """The scope that the `clause` mark gives; the default one without a mark."""
    mark = item.get_closest_marker("clause")
    if mark is None:
        return Scope()
    scope = mark.args[0]
    assert isinstance(scope, Scope)
    return scope


def isolated(scope: Scope) -> Scope:
    """The same scope with every run in a process of its own."""
    return dataclasses.replace(scope, isolated=True)


def is_cell(item: pytest.Item) -> bool:
    """Whether an item is a cell of a clause (and not a test of Parity itself)."""
    return isinstance(item, pytest.Function) and isinstance(_param(item), tuple)


def backends_of(items: Iterable[pytest.Item]) -> set[str]:
    """The backends that the cells among some items run on."""
    params = (_param(item) for item in items if isinstance(item, pytest.Function))
    return {param[0] for param in params if isinstance(param, tuple)}


def is_empty(item: pytest.Item) -> bool:
    """Whether an item is what pytest makes of a clause that has no cell on the chosen backends."""
    return isinstance(item, pytest.Function) and "check" in item.fixturenames and not is_cell(item)


def on_other_devices(items: Sequence[pytest.Item], device: str) -> dict[str, list[str]]:
    """Family -> those of its clauses among items that have cells on other devices alone."""
    clauses = {describe(item).clause: family_of(item) for item in items if not scope_of(item).is_on(device)}
    families = sorted({*clauses.values()})
    return {family: sorted(each for each in clauses if clauses[each] == family) for family in families}


def of_later_profiles(items: Sequence[pytest.Item], profile: str) -> list[str]:
    """The clauses among items, without their parameters, that only a profile after this one runs."""
    return sorted({without_parameters(describe(item).clause) for item in items if not _is_reached(item, profile)})


def of_other_backends(items: Sequence[pytest.Item], profile: str, device: str) -> list[str]:
    """The clauses among items without a cell, without their parameters, that have one there on other backends."""
    there = (item for item in items if _is_reached(item, profile) and scope_of(item).is_on(device))
    return sorted({without_parameters(describe(item).clause) for item in there})


def _is_reached(item: pytest.Item, profile: str) -> bool:
    return scope_of(item).profile in PROFILES[: PROFILES.index(choice.drawn_from(profile)) + 1]


def holds_goldens(item: pytest.Item) -> bool:
    """Whether an item is the cell that its clause's goldens belong to."""
    if not is_cell(item):
        return False
    assert isinstance(item, pytest.Function)
    return bool(_param(item) == scope_of(item).golden_home)


def _param(item: pytest.Function) -> Any:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get("check") if callspec is not None else None


def clause_id(path: str, test: str, parameters: Sequence[str] = ()) -> str:
    """``family/group/name`` from the path of a test's file, as `place_of` has it, and the test's name."""
    parts = list(Path(path).with_suffix("").parts)
    parts[-1] = parts[-1].removeprefix("test_")
    name = test.removeprefix("test_")
    suffix = f"({', '.join(parameters)})" if parameters else ""
    return "/".join([*parts, name]) + suffix


@functools.cache
def place_of(file: Path, named: str) -> str:
    """The path of a test's file in the ids of its clauses: from `suites` on, if it is Parity's own.

    A file of anyone else's is ``named`` as pytest names it: from the root of its own project on.
    """
    real = file.resolve()
    return str(real.relative_to(SUITES)) if real.is_relative_to(SUITES) else named


@functools.cache
def _from_root(file: Path, root: Path) -> str:
    """The path of a test's file from pytest's root on. pytest names one outside by where it looked for it."""
    return Path(os.path.relpath(file, root)).as_posix()


def describe(item: pytest.Item) -> Description:
    """The cell that an item is; of a clause without one, backend and variant are empty."""
    assert isinstance(item, pytest.Function)
    backend, variant = _param(item) if is_cell(item) else ("", "")
    others = [f"{name}={value}" for name, value in item.callspec.params.items() if name != "check"]
    function = item.function
    return Description(
        clause=clause_id(_place(item), item.originalname, others),
        backend=backend,
        variant=str(variant),
        nodeid=item.nodeid,
        sentence=" ".join((inspect.getdoc(function) or "").split("\n\n")[0].split()),
        covers=scope_of(item).covers,
        devices=scope_of(item).devices,
        torch=scope_of(item).torch,
        needs=scope_of(item).needs,
        file=_from_root(item.path, item.config.rootpath),
        line=function.__code__.co_firstlineno,
        read_source=functools.partial(source_of, function),
    )


def family_of(item: pytest.Item) -> str:
    """The folder that an item's clause lives in."""
    return clause_id(_place(item), "").partition("/")[0]


def _place(item: pytest.Item) -> str:
    return place_of(item.path, item.nodeid.partition("::")[0])


@functools.cache
def source_of(function: Any) -> str:
    """What a function is written as, at the left margin; empty where there is no such text."""
    try:
        return textwrap.dedent(inspect.getsource(function))
    except OSError:
        return ""


def known_to_crash(known: Registry, cell: Description, environment: Environment) -> bool:
    """Whether this cell is known to crash or to hang: then it runs in a process of its own."""
    expected = known.of_cell(cell.clause, cell.backend, cell.variant, environment)
    return any(each.expects_a_loss for each in expected)


def fill(cell: ledger.Cell, verdict: Examination) -> None:
    """Copy what an examination found into the cell's record."""
    counter = verdict.counter
    cell.facets = dict(verdict.facets)
    cell.divergences = list(verdict.divergences)
    cell.layer = verdict.layer
    cell.fingerprint = verdict.divergences[0].fingerprint if verdict.divergences else ""
    cell.graphs, cell.nodes, cell.recompilations = counter.graphs, counter.nodes, counter.recompilations
    cell.compile_seconds = counter.compile_seconds
    cell.run_seconds = max(verdict.seconds - counter.compile_seconds, 0.0)
    cell.tolerance = verdict.tolerance
    cell.stderr = verdict.stderr
    cell.plain_retry = verdict.plain_retry
    cell.executed = verdict.executed


def cpu_seconds() -> float:
    """What this process, and all that it started and that has ended, took of the processor."""
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def peak_memory_mib() -> float:
    """Peak resident memory of this process, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform != "darwin" else peak / 1024 / 1024


def families() -> set[str]:
    """The clause families that there are: the folders of `suites`, but for the harness and its own tests."""
    return {path.parent.name for path in SUITES.glob("*/__init__.py")} - {"harness", "selfcheck"}


def names_tests(config: pytest.Config) -> bool:
    """Whether the command line names files or tests, and not only folders."""
    return any("::" in str(argument) or str(argument).endswith(".py") for argument in config.args)


def has_families(config: pytest.Config) -> bool:
    """Whether the command line names more than Parity's tests of itself."""
    return any(not _file_of(config, str(argument)).is_relative_to(SUITES / "selfcheck") for argument in config.args)


def is_own(config: pytest.Config) -> bool:
    """Whether the command line names nothing but folders and files of Parity's own clauses."""
    own = [_file_of(config, str(argument)).is_relative_to(SUITES) for argument in config.args]
    return bool(own) and all(own) and has_families(config)


def is_narrowed(config: pytest.Config) -> bool:
    """Whether tests of Parity's own were named, or any were deselected: of clauses outside none need be there."""
    option = config.option
    named = (_file_of(config, str(argument)) for argument in config.args) if names_tests(config) else ()
    own = any(not file.is_dir() and file.is_relative_to(SUITES) for file in named)
    return bool(option.keyword or option.markexpr or option.deselect or own)


def _file_of(config: pytest.Config, argument: str) -> Path:
    file = argument.partition("::")[0]
    if getattr(config.option, "pyargs", False):
        with contextlib.suppress(ImportError, ValueError):
            file = getattr(importlib.util.find_spec(file), "origin", None) or file
    return (config.invocation_params.dir / file).resolve()


def is_whole(config: pytest.Config, ran: set[str] | None = None) -> bool:
    """Whether nothing was left out, by name, profile or shard, and every family (``ran``, if given) is among them."""
    part = is_narrowed(config) or config.option.shard or config.option.profile == "quick"
    return not part and (ran is None or ran >= families())
