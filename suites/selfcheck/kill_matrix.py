"""Which mutant fails which clause: the proof that each clause can fail and that each fault would be found.

``kill_matrix.json`` beside this file is that table. It is generated::

    python -m suites.selfcheck.kill_matrix              # what is new or has changed since
    python -m suites.selfcheck.kill_matrix --all -j 2   # everything, on two cores
    python -m suites.selfcheck.kill_matrix --enough 3   # what is new, until three mutants fail a clause
    python -m suites.selfcheck.kill_matrix --only 'schemas:*' --family custom_ops   # new mutants, where they matter

A clause is run in its primary variant, or in its first one in the mode that a mutant asks for. ``test_kill_matrix``
confirms one pair a clause and one a mutant. Clauses about another device alone have a table of their own, which is
generated where there is one and read everywhere: ``kill_matrix.cuda.json``, by ::

    python -m suites.selfcheck.kill_matrix --device cuda --enough 2 -j 8
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import fnmatch
import functools
import hashlib
import importlib
import inspect
import itertools
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import suites
from golden.expectation import Session, use_session
from suites.harness.backends.names import INDUCTOR_MODES
from suites.harness.backends.registry import resolve
from suites.harness.clauses.check import Check
from suites.harness.clauses.endings import CellEnded
from suites.harness.clauses.scope import AOT_FUNCTION, DYNAMO, Scope
from suites.harness.execution import environment, ranks
from suites.harness.execution.isolation import Finished, leave_cuda_to_forks, one_thread, run_forked
from suites.harness.observation.global_state import GlobalState
from suites.harness.observation.interrupts import Stopped, interrupts_stop
from suites.harness.oracle.examine import Examination
from suites.harness.oracle.runs import Aborted, Completed, Run, Runner, Subject
from suites.harness.programs.specs import Variant
from suites.harness.results.places import matches
from suites.harness.session.cells import clause_id, isolated, source_of
from suites.selfcheck.mutants import HONEST, MUTANTS, Mutant
from suites.selfcheck.remembering import Memory, remembering

#: Routes that trace a program by themselves: where mutants of make_fx meet it.
TRACING = frozenset(
    {"functionalize", "functionalize_keeping_views", "make_fx", "make_fx_decomposed", "nnc", "without_dead_code"}
)

PLACE = Path(__file__).with_name("kill_matrix.json")
SUITES = Path(suites.__file__).parent
#: Seconds for one clause under every mutant, in a process of its own.
CLAUSE_LIMIT = 600.0
PAIR_LIMIT = 60.0
#: Seconds after which the rows that are new are written down: a run that is stopped loses the last ones alone.
WRITTEN_EVERY = 10.0

#: Backends that lower through Inductor: clauses about them alone meet the mutants that stand on Inductor, too.
INDUCTOR_LIKE = frozenset({*INDUCTOR_MODES, "aot_inductor"})

#: Mutants that are not about what a program means: they end or hang the process, or do nothing at all.
LEFT_OUT = frozenset(name for name in MUTANTS if name.startswith("process:"))
COLUMNS: tuple[str, ...] = tuple(name for name in MUTANTS if name not in LEFT_OUT)
#: Mutants that fail any program whatever: one clause a file is enough to see it, and proves nothing of that clause.
_BLUNT = ("leaks_", "changes_the_directory", "deletes_env", "seeds_", "sets_the_default", "exits_", "interrupts_")
INDISCRIMINATE = frozenset(
    name for name in COLUMNS if name.startswith(("state:", "errors:")) and name.partition(":")[2].startswith(_BLUNT)
)


@dataclasses.dataclass(frozen=True)
class Clause:
    """A clause as a function that can be called. ``digest`` is of what it runs, and of what its file shares.

    ``first``: the first of its file.
    """

    id: str
    function: Callable[..., None]
    scope: Scope
    parameters: Mapping[str, Any]
    digest: str
    first: bool

    @property
    def family(self) -> str:
        """The folder that the clause lives in."""
        return self.id.partition("/")[0]

    def places(self) -> tuple[str, ...]:
        """Where a mutant must meet a program for this clause to notice."""
        if self.scope.ranks > 1:
            return ("ranks",)
        if self.scope.on and TRACING.issuperset(self.scope.on):
            return ("traced",)
        within = ("graph", "backward", "program")
        # What is about another device alone is about the kernels that are made for it.
        if any(name in INDUCTOR_LIKE for name in self.scope.on) or not (self.scope.on or self.scope.is_on("cpu")):
            return (*within, "lowering")
        return ("alone",) if self.scope.entry == AOT_FUNCTION else within + ("alone",) * (self.scope.entry != DYNAMO)

    def lacks(self, device: str = "cpu") -> str | None:
        """One line: what the clause needs is not installed, or not there for each rank; None if it is."""
        lacking = environment.missing_package(self.scope.needs)
        return lacking or (ranks.why_not(self.scope.ranks, device) if self.scope.ranks > 1 else None)

    def is_named(self, patterns: Sequence[str] | None) -> bool:
        """Whether a pattern names it, as ``parity gate --clause`` reads them; without patterns each clause is."""
        return not patterns or any(matches(pattern, self.id) for pattern in patterns)

    def mutants(self, device: str = "cpu") -> tuple[str, ...]:
        """The mutants that can be tried on this clause: on a device that it runs on, with what it needs."""
        if not self.scope.is_on(device) or self.lacks(device):
            return ()
        here = (name for name in COLUMNS if MUTANTS[name].place in self.places())
        return tuple(name for name in here if self.first or name not in INDISCRIMINATE)

    def variant(self, mode: str) -> Variant:
        """The primary variant; the first in ``mode`` if the clause has one and a mutant asks for it."""
        variants = self.scope.variants("default")
        return next((variant for variant in variants if variant.mode == mode), variants[0])


@functools.cache
def clauses(*, every_row: bool = False) -> tuple[Clause, ...]:
    """Every clause of the suites, in the order of their files. Raises what importing a file of clauses raises.

    ``every_row``: of a long table all rows, not those alone that stand for it.
    """
    return tuple(_clauses(every_row))


def of_device(device: str) -> tuple[Clause, ...]:
    """The clauses that a device's matrix is of: all that run on the CPU, or those about another device alone."""
    there = (clause for clause in clauses() if clause.scope.is_on(device))
    return tuple(clause for clause in there if device == "cpu" or not clause.scope.is_on("cpu"))


def place_of(device: str) -> Path:
    """The file that a device's matrix is in."""
    return PLACE if device == "cpu" else PLACE.with_suffix(f".{device}.json")


def _clauses(every_row: bool) -> Iterator[Clause]:
    for path in sorted(SUITES.glob("*/**/test_*.py")):
        if path.relative_to(SUITES).parts[0] in ("harness", "selfcheck"):
            continue
        name = ".".join([suites.__name__, *path.relative_to(SUITES).with_suffix("").parts])
        module = importlib.import_module(name)
        shared = _shared_source(path)
        first = True
        for test, function in list(vars(module).items()):
            own = inspect.isfunction(function) and function.__module__ == name
            if test.startswith("test_") and own and "check" in inspect.signature(function).parameters:
                yield from of_function(path.relative_to(SUITES), test, function, shared, first, every_row)
                first = False


def _shared_source(path: Path) -> str:
    """What the clauses of a file share: everything in it but tests, imports and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kept = [
        node
        for node in tree.body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    return "\n".join(map(ast.unparse, kept))


def of_function(
    path: Path, test: str, function: Callable[..., None], shared: str, first: bool, every_row: bool = False
) -> Iterator[Clause]:
    """The clauses that a test is: one for each set of its parameters, or for those that stand for all."""
    marks = getattr(function, "pytestmark", [])
    scope = next((mark.args[0] for mark in marks if mark.name == "clause"), Scope())
    digest = hashlib.blake2b((shared + _what_runs(function, scope)).encode(), digest_size=8).hexdigest()
    rows = list(_parameter_sets([mark for mark in marks if mark.name == "parametrize"]))
    step = -(-len(rows) // scope.stand_for_all) if scope.stand_for_all and not every_row else 1
    for parameters in rows[::step]:
        described = [f"{name}={value}" for name, value in parameters.items()]
        yield Clause(clause_id(str(path), test, described), function, scope, parameters, digest, first)


def _what_runs(function: Callable[..., None], scope: Scope) -> str:
    """A clause's code and where it applies: neither how its mark is written nor which lines of the map it covers."""
    (test,) = ast.parse(source_of(function)).body
    assert isinstance(test, ast.FunctionDef)
    test.decorator_list = [mark for mark in test.decorator_list if not ast.unparse(mark).startswith("clause(")]
    return ast.unparse(test) + repr(dataclasses.replace(scope, covers=()))


def _parameter_sets(marks: Sequence[Any]) -> Iterator[dict[str, Any]]:
    axes = []
    for mark in marks:
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else list(mark.args[0])
        names = [name.strip() for name in names]
        values = [getattr(value, "values", (value,) if len(names) == 1 else value) for value in mark.args[1]]
        axes.append([dict(zip(names, value, strict=True)) for value in values])
    for chosen in itertools.product(*axes):
        yield {name: value for part in chosen for name, value in part.items()}


# One pair ------------------------------------------------------------------------------------------------------------


class _Trial(Check):
    """A cell whose runs other than the candidate's are remembered."""

    memory: Memory
    trust_references = False

    def runner(self, subject: Subject) -> Runner:
        made = super().runner(subject)
        remembered = remembering(self.backend.name, made, self.memory)

        def make(run: Run) -> Completed | Aborted:
            if run.only_call is not None:
                return Aborted("", "whether a later call fails by itself too makes no difference here")
            if self.trust_references and run.layer not in (None, self.backend.name):
                return remembered(Run())
            return remembered(run)

        return make


def try_pair(
    clause: Clause,
    backend: str,
    memory: Memory,
    *,
    mode: str = "",
    device: str = "cpu",
    clean: bool = False,
    goldens: bool = False,
) -> Outcome:
    """Run a clause on a backend. ``memory`` belongs to the clause, the variant and the device.

    ``clean``: the honest twin is known to pass, so that whatever differs is the backend's own. ``goldens``: graphs are
    compared, too, but for those of a parameter set, which only pytest can tell apart.
    """
    trial = _Trial(resolve(backend), clause.variant(mode), clause.scope, device=device, time_limit=PAIR_LIMIT)
    trial.memory, trial.trust_references = memory, clean
    # What a mutant leaks must not decide what the next one is found to do.
    global_state = GlobalState.read()
    session = Session("strict" if goldens and not clause.parameters else "off", clause.id)
    with use_session(session), interrupts_stop():
        try:
            clause.function(check=trial, **clause.parameters)
        except CellEnded as error:
            return Outcome(error.outcome, *_found(trial.cell.verdict))
        except Stopped:
            raise
        except BaseException as error:
            # Where a clause compiles by hand, what a mutant raises arrives here.
            return Outcome(f"error: {type(error).__name__}: {error}")
        finally:
            global_state.restore()
    return Outcome("pass")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a clause came to on a backend, and what differed there for the first time."""

    outcome: str
    own: frozenset[tuple[str, str, str]] = frozenset()

    def failed(self, honest: Outcome) -> bool:
        """Whether the clause fails on this backend for a reason that the honest twin gives it none."""
        if self.outcome in ("fail", "crash", "timeout"):
            return bool(self.own - honest.own)
        return self.outcome == "vacuous" and honest.outcome == "pass"


def _found(verdict: Examination | None) -> tuple[frozenset[tuple[str, str, str]]]:
    divergences = verdict.divergences if verdict is not None else []
    return (frozenset((item.facet, item.kind, item.where) for item in divergences),)


def twin_of(mutant: Mutant) -> str:
    """The backend that is right where the mutant is wrong."""
    return mutant.honest if mutant.place in ("alone", "lowering", "traced") else HONEST


class Trials:
    """All trials of one clause: the honest twins' outcomes are found once."""

    def __init__(self, clause: Clause, device: str = "cpu") -> None:
        self.clause, self.device = clause, device
        self._memories: dict[tuple[Variant, str], Memory] = {}
        self._honest: dict[tuple[Variant, str], Outcome] = {}

    def honest(self, twin: str = HONEST, mode: str = "") -> Outcome:
        """What the clause comes to on an honest twin."""
        key = self.clause.variant(mode), twin
        if key not in self._honest:
            self._honest[key] = try_pair(self.clause, twin, self._memory(mode, twin), mode=mode, device=self.device)
        return self._honest[key]

    def failed_by(self, name: str, *, clean: bool = False) -> bool:
        """Whether the clause fails under a mutant. ``clean``: its honest twin is known to pass."""
        mutant = MUTANTS[name]
        twin = twin_of(mutant)
        # What is remembered of the honest twin is aot_eager's; where another is right, that one is asked.
        clean = clean and mutant.place not in ("alone", "lowering", "traced")
        memory = self._memory(mutant.mode, twin)
        outcome = try_pair(self.clause, mutant.backend, memory, mode=mutant.mode, device=self.device, clean=clean)
        return outcome.failed(Outcome("pass") if clean else self.honest(twin, mutant.mode))

    def _memory(self, mode: str, twin: str) -> Memory:
        return self._memories.setdefault((self.clause.variant(mode), twin), {})


# The matrix ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Row:
    """A clause's line of the matrix. ``honest`` is what it comes to on the honest twin."""

    digest: str
    honest: str
    tried: tuple[str, ...]
    failed_by: tuple[str, ...]


def read(path: Path = PLACE) -> dict[str, Row]:
    """The rows of the generated file, by clause; empty if it is not there."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    columns = tuple(data["mutants"])
    return {
        clause: Row(
            row["digest"],
            row["honest"],
            tuple(name for place, name in enumerate(columns) if place not in untried),
            tuple(row["failed_by"]),
        )
        for clause, row in data["clauses"].items()
        for untried in (_places(row["untried"]),)
    }


def _runs(places: Iterable[int]) -> str:
    """Ascending numbers as a text, what follows one another in one word: ``0-92 97``."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1][1:] = [place]
        else:
            runs.append([place])
    return " ".join("-".join(map(str, run)) for run in runs)


def _places(runs: str) -> frozenset[int]:
    """The numbers that `_runs` made a text of."""
    ends = (list(map(int, run.split("-"))) for run in runs.split())
    return frozenset(place for end in ends for place in range(end[0], end[-1] + 1))


def write(rows: Mapping[str, Row], torch_version: str, path: Path = PLACE) -> None:
    """Write the matrix: by mutant and family for the report, by clause for the test.

    ``untried`` counts in the order of ``mutants``: those that cannot meet the clause's programs, or are not tried.
    """
    families = sorted({clause.partition("/")[0] for clause in rows})
    mutants = {name: _column(name, families, rows) for name in COLUMNS}
    lines = [
        f"{json.dumps(clause)}: "
        + json.dumps(
            {
                "digest": row.digest,
                "honest": row.honest,
                "failed_by": list(row.failed_by),
                "untried": _runs(place for place, name in enumerate(COLUMNS) if name not in row.tried),
            }
        )
        for clause, row in sorted(rows.items())
    ]
    head = [f"{json.dumps(name)}: {json.dumps(column)}" for name, column in mutants.items()]
    text = (
        f'{{"torch": {json.dumps(torch_version)},\n"families": {json.dumps(families)},\n"mutants": {{\n'
        + ",\n".join(head)
        + '\n},\n"clauses": {\n'
        + ",\n".join(lines)
        + "\n}}\n"
    )
    path.write_text(text, encoding="utf-8")


def _column(name: str, families: Iterable[str], rows: Mapping[str, Row]) -> dict[str, Any]:
    caught: dict[str, int] = {}
    cells: dict[str, int] = {}
    for family in families:
        mine = [row for clause, row in rows.items() if clause.partition("/")[0] == family and name in row.tried]
        cells[family] = len(mine)
        caught[family] = sum(name in row.failed_by for row in mine)
    mutant = MUTANTS[name]
    return {"about": mutant.about, "facets": list(mutant.facets), "caught": caught, "cells": cells}


def score(clause: Clause, names: Sequence[str], enough: int = 0, device: str = "cpu") -> Row:
    """Try mutants on a clause, in a process of its own; pair by pair if that one does not come back.

    ``enough``: stop when so many have failed it; 0: try all.
    """

    if clause.scope.stops(device):
        clause = dataclasses.replace(clause, scope=isolated(clause.scope))

    def together() -> Row:
        trials = Trials(clause, device)
        twin = "aot_function_keep_mutations" if clause.scope.entry == AOT_FUNCTION else HONEST
        twin = "make_fx" if clause.places() == ("traced",) else twin
        honest = trials.honest(twin).outcome
        tried: list[str] = []
        failed: list[str] = []
        for name in names:
            if enough and len(failed) >= enough:
                break
            tried.append(name)
            if trials.failed_by(name):
                failed.append(name)
        return Row(clause.digest, honest, tuple(tried), tuple(failed))

    outcome = run_forked(together, CLAUSE_LIMIT)
    if isinstance(outcome, Finished):
        row: Row = outcome.value
        return row
    failed = []
    for name in names:
        alone = run_forked(lambda name=name: Trials(clause, device).failed_by(name), PAIR_LIMIT)  # type: ignore[misc]
        if not isinstance(alone, Finished) or alone.value:
            failed.append(name)
    honest = run_forked(lambda: Trials(clause, device).honest().outcome, PAIR_LIMIT)
    text = honest.value if isinstance(honest, Finished) else "crash"
    return Row(clause.digest, text, tuple(names), tuple(failed))


def _wanted(clause: Clause, known: Mapping[str, Row], everything: bool, device: str) -> tuple[str, ...]:
    row = known.get(clause.id)
    if everything or row is None or row.digest != clause.digest:
        return clause.mutants(device)
    return tuple(name for name in clause.mutants(device) if name not in row.tried)


def _merged(old: Row | None, new: Row) -> Row:
    if old is None or old.digest != new.digest:
        return new
    kept = [name for name in old.failed_by if name not in new.tried]
    return Row(
        new.digest, new.honest, (*new.tried, *(n for n in old.tried if n not in new.tried)), (*kept, *new.failed_by)
    )


def _without_the_gone(row: Row) -> Row:
    """The row without mutants that are no more."""
    kept = tuple(name for name in row.failed_by if name in COLUMNS)
    return dataclasses.replace(row, failed_by=kept, tried=tuple(name for name in row.tried if name in COLUMNS))


_CLAUSES: dict[str, Clause] = {}


def _score_by_id(task: tuple[str, tuple[str, ...], int, str]) -> tuple[str, Row]:
    name, mutants, enough, device = task
    return name, score(_CLAUSES[name], mutants, enough, device)


def _likeliest_first(names: Sequence[str], clause: str, known: Mapping[str, Row]) -> tuple[str, ...]:
    """Mutants in the order in which they are likely to fail a clause: first those that failed it before it changed."""
    family, before = clause.partition("/")[0], known[clause].failed_by if clause in known else ()
    fails = Counter(
        name for clause, row in known.items() for name in row.failed_by * (4 if clause.startswith(f"{family}/") else 1)
    )
    return tuple(sorted(names, key=lambda name: (name not in before, -fails[name])))


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring a device's matrix up to date. Returns 1 if no clause that runs on the CPU catches some mutant.

    Clauses that no mutant fails are named too: ``test_kill_matrix`` asks that a known bug speak of each.
    """
    parser = argparse.ArgumentParser(prog="python -m suites.selfcheck.kill_matrix", description=__doc__)
    parser.add_argument("--all", action="store_true", help="try every pair again")
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="how many clauses at once")
    parser.add_argument("--enough", type=int, default=0, metavar="N", help="stop when N mutants fail a clause")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="try only mutants of such names")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="cuda: clauses about it alone")
    parser.add_argument("--family", action="append", metavar="NAME", help="only clauses of this family (repeatable)")
    parser.add_argument("--clause", action="append", metavar="PATTERN", help="only clauses of such ids (repeatable)")
    options = parser.parse_args(arguments)
    leave_cuda_to_forks()
    if options.device != "cpu" and (reason := environment.why_not(HONEST, options.device)):
        parser.exit(3, f"{parser.prog}: {reason}\n")
    one_thread()
    import torch

    started = written = time.monotonic()
    _CLAUSES.update({clause.id: clause for clause in of_device(options.device)})
    place = place_of(options.device)
    known = read(place)
    wanted = {clause.id: _wanted(clause, known, options.all, options.device) for clause in _CLAUSES.values()}
    if options.enough:
        found = {name: row for name, row in known.items() if name in _CLAUSES and row.digest == _CLAUSES[name].digest}
        wanted = {
            name: _likeliest_first(names, name, {**read(), **known})
            for name, names in wanted.items()
            if name not in found or len(found[name].failed_by) < options.enough
        }
    families = options.family or {clause.family for clause in _CLAUSES.values()}
    chosen = {
        name: tuple(fnmatch.filter(names, options.only))
        for name, names in wanted.items()
        if _CLAUSES[name].family in families and _CLAUSES[name].is_named(options.clause)
    }
    # Those that failed a clause before it changed are all tried again: for some mutant it may be the only one.
    before = {name: len(row.failed_by) for name, row in known.items()}
    least = {name: options.enough and max(options.enough, before.get(name, 0)) for name in chosen}
    tasks = [(name, names, least[name], options.device) for name, names in chosen.items() if names]
    rows = {name: _without_the_gone(row) for name, row in known.items() if name in _CLAUSES}
    with contextlib.ExitStack() as stack:
        each: Iterable[tuple[str, Row]] = map(_score_by_id, tasks)
        if options.jobs > 1:
            pool = stack.enter_context(multiprocessing.get_context("fork").Pool(options.jobs))
            each = pool.imap_unordered(_score_by_id, tasks)
        for number, (name, row) in enumerate(each, 1):
            rows[name] = _merged(None if options.all else rows.get(name), row)
            print(f"{number}/{len(tasks)} {name}: {row.honest}, failed by {len(row.failed_by)}", flush=True)
            if time.monotonic() - written > WRITTEN_EVERY:
                write(rows, torch.__version__.partition("+")[0], place)
                written = time.monotonic()
    write(rows, torch.__version__.partition("+")[0], place)
    # What each fault must meet are the clauses of the CPU: those about another device are few.
    idle = [name for name in COLUMNS if not any(name in row.failed_by for row in rows.values())]
    idle = idle if options.device == "cpu" else []
    safe = [name for name, row in sorted(rows.items()) if not row.failed_by]
    print(f"{len(rows)} clauses, {len(COLUMNS)} mutants, {time.monotonic() - started:.0f} s")
    print("\n".join([*(f"no clause catches {name}" for name in idle), *(f"no mutant fails {name}" for name in safe)]))
    return 1 if idle else 0


if __name__ == "__main__":
    sys.exit(main())
