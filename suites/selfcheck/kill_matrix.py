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
import contextlib
import dataclasses
import fnmatch
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from suites.harness.clauses.scope import AOT_FUNCTION
from suites.harness.execution import environment
from suites.harness.execution.isolation import Finished, leave_cuda_to_forks, one_thread, run_forked
from suites.selfcheck.clauses import COLUMNS, Clause, of_device
from suites.selfcheck.mutants import HONEST, MUTANTS
from suites.selfcheck.trials import PAIR_LIMIT, Trials

PLACE = Path(__file__).with_name("kill_matrix.json")
#: Seconds for one clause under every mutant, in a process of its own.
CLAUSE_LIMIT = 600.0
#: Seconds after which the rows that are new are written down: a run that is stopped loses the last ones alone.
WRITTEN_EVERY = 10.0


def place_of(device: str) -> Path:
    """The file that a device's matrix is in."""
    return PLACE if device == "cpu" else PLACE.with_suffix(f".{device}.json")


@dataclasses.dataclass(frozen=True)
class Row:
    """A clause's line of the matrix. ``honest`` is what it comes to on the honest twin."""

    digest: str
    honest: str
    tried: tuple[str, ...]
    failed_by: tuple[str, ...]


def current(clause: Clause, rows: Mapping[str, Row]) -> Row | None:
    """The row of a clause as it is now; None if there is none, or one of what it was before it changed."""
    row = rows.get(clause.id)
    return row if row is not None and row.digest == clause.digest else None


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
    row = None if everything else current(clause, known)
    return tuple(name for name in clause.mutants(device) if row is None or name not in row.tried)


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
        every = {**read(), **known}
        wanted = {
            name: _likeliest_first(names, name, every)
            for name, names in wanted.items()
            if (row := current(_CLAUSES[name], known)) is None or len(row.failed_by) < options.enough
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
    met = COLUMNS if options.device == "cpu" else ()
    idle = [name for name in met if not any(name in row.failed_by for row in rows.values())]
    safe = [name for name, row in sorted(rows.items()) if not row.failed_by]
    print(f"{len(rows)} clauses, {len(COLUMNS)} mutants, {time.monotonic() - started:.0f} s")
    print("\n".join([*(f"no clause catches {name}" for name in idle), *(f"no mutant fails {name}" for name in safe)]))
    return 1 if idle else 0


if __name__ == "__main__":
    sys.exit(main())
