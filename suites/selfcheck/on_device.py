"""Whether each mutant is caught on another device, too, by the clauses that are known to catch it on the CPU.

    python -m suites.selfcheck.on_device --device cuda -j 14

Of each mutant the pairs of the kill matrix are run until one of them fails, each in a process of its own; if none does,
each of their runs is: an error in which eager loses the device would be that of every later run.
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import functools
import itertools
import multiprocessing
import sys
import time
from collections.abc import Mapping, Sequence

from suites.harness.execution.isolation import Finished, leave_cuda_to_forks, one_thread, run_forked
from suites.harness.session.cells import isolated
from suites.selfcheck.clauses import COLUMNS, Clause, every_clause
from suites.selfcheck.kill_matrix import Row, read
from suites.selfcheck.trials import Trials

#: Pairs of a mutant that are tried.
TRIED = 6
#: Seconds for one pair.
LIMIT = 300.0


def pairs(mutant: str, rows: Mapping[str, Row], there: Mapping[str, Clause]) -> list[str]:
    """The clauses of ``there`` to try for a mutant: those first that catch many, one of each family in turn."""
    caught = sorted((name for name in rows if name in there and mutant in rows[name].failed_by), key=_blunt_first(rows))
    families: dict[str, list[str]] = {}
    for name in caught:
        families.setdefault(there[name].family, []).append(name)
    turns = itertools.zip_longest(*families.values())
    return [name for turn in turns for name in turn if name is not None][:TRIED]


def _blunt_first(rows: Mapping[str, Row]) -> functools.partial[tuple[int, str]]:
    return functools.partial(_bluntness, rows)


def _bluntness(rows: Mapping[str, Row], name: str) -> tuple[int, str]:
    return -len(rows[name].failed_by), name


_CLAUSES: dict[str, Clause] = {}


def _caught(task: tuple[str, Sequence[str], str]) -> tuple[str, str, list[str]]:
    """The mutant, the clause that caught it (empty if none did), and what the others came to."""
    mutant, names, device = task
    others: list[str] = []
    for apart, name in itertools.product((False, True), names):
        clause = _CLAUSES[name]
        trials = Trials(dataclasses.replace(clause, scope=isolated(clause.scope)) if apart else clause, device)
        outcome = run_forked(functools.partial(trials.failed_by, mutant), LIMIT)
        if isinstance(outcome, Finished) and outcome.value:
            return mutant, name, others
        others.append(f"{name}: {'passes' if isinstance(outcome, Finished) else outcome}")
    return mutant, "", others


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants. Returns 1 if some mutant is caught by none of its clauses."""
    parser = argparse.ArgumentParser(prog="python -m suites.selfcheck.on_device", description=__doc__)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="how many mutants at once")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="try only mutants of such names")
    options = parser.parse_args(arguments)
    leave_cuda_to_forks()
    one_thread()
    started = time.monotonic()
    here = [
        clause for clause in every_clause() if clause.scope.is_on(options.device) and not clause.lacks(options.device)
    ]
    _CLAUSES.update({clause.id: clause for clause in here})
    rows = read()
    mutants = fnmatch.filter(COLUMNS, options.only)
    tasks = [(mutant, pairs(mutant, rows, _CLAUSES), options.device) for mutant in mutants]
    away = [mutant for mutant, names, _ in tasks if not names]
    uncaught = []
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for mutant, name, others in pool.imap_unordered(_caught, [task for task in tasks if task[1]]):
            print(f"{mutant}: {name or 'not caught'}{''.join(f'; {each}' for each in others)}", flush=True)
            uncaught += [] if name else [mutant]
    for mutant in away:
        print(f"no clause that runs on {options.device} here catches {mutant} on the CPU")
    number = len(tasks) - len(away)
    seconds = time.monotonic() - started
    print(f"{options.device}: {number - len(uncaught)} of {number} mutants are caught, {seconds:.0f} s")
    return 1 if uncaught else 0


if __name__ == "__main__":
    sys.exit(main())
