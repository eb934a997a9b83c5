"""Chooses the cells of the quick profile: those that catch most of the known faults for their cost.

::

    python -m suites.selfcheck.quick LEDGER --budget 90            # the ledger of a run of the default profile
    python -m suites.selfcheck.quick LEDGER --budget 90 --measured QUICK_LEDGER    # with better figures of some cells
    python -m suites.selfcheck.quick --budget 90 --try             # with the costs of last time; looks for more pairs

What a cell costs is the ledger's, and what it catches is the kill matrix's: a mutant on the backend that the cell is
of. The cells are those of the default profile on the default backends, from the clauses as they are. Greedily, the cell
is taken next that adds most for its cost. A mutant that is caught already counts for less; a line of the behaviour map,
a family or a variant that no cell has yet counts a little.

Half of the mutants (`is_held_back`, by a hash of their names) are not looked at until `HALF` of the budget is spent:
how many of them those cells catch all the same is what the profile is worth against faults that nobody has thought of.
The rest of the budget then goes to all mutants. The matrix remembers few pairs of a clause, so a mutant that it knows
no chosen clause to catch may be caught by one after all; ``--try`` finds out, and the file remembers the pairs.

It writes ``suites/harness/planning/quick.json`` and ``durations.json`` beside it.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import heapq
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from suites.harness.backends.names import DEFAULT
from suites.harness.clauses.scope import AOT_FUNCTIONS
from suites.harness.execution.isolation import one_thread
from suites.harness.planning import choice, durations
from suites.harness.planning.durations import Durations
from suites.harness.results import ledger as ledgers
from suites.harness.results.ledger import Ledger
from suites.selfcheck import kill_matrix
from suites.selfcheck.clauses import Clause, every_clause
from suites.selfcheck.kill_matrix import Row
from suites.selfcheck.mutants import MUTANTS

#: The part of the budget that is spent without a look at the mutants that are held back.
HALF = 0.8
#: What a mutant counts for that so many chosen cells catch already, to the power of their number.
_AGAIN = 0.3
#: What a first line of the map, family or variant of a backend counts for, where a first mutant is 1.
_LINE, _FAMILY = 0.3, 0.3
#: No cell is cheaper: what it costs to hand it out and to write it down.
_LEAST = 0.02

#: The backends that a mutant of a graph or a program stands for, and where those of AOTAutograd alone are met.
GROUPS = (*DEFAULT, "aot_function")


def is_held_back(mutant: str) -> bool:
    """Whether a mutant is of the half that the choice is measured on."""
    return hashlib.blake2b(mutant.encode(), digest_size=4).digest()[0] % 2 == 1


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A cell that may be chosen. ``catches``: mutants, each on a group of backends."""

    clause: str
    name: str
    seconds: float
    catches: frozenset[tuple[str, str]]
    also: frozenset[tuple[str, str, str]]


def _group(backend: str) -> str:
    if backend in DEFAULT:
        return backend
    return "aot_function" if backend in AOT_FUNCTIONS else "others"


def catches(clause: Clause, failed_by: Iterable[str], backend: str, variant: str) -> frozenset[tuple[str, str]]:
    """The mutants that a cell would show, each with the group of backends on which.

    A pair speaks for the variant that it was tried in. The one cell of a clause on the layer between aot_eager and
    Inductor, which is in a variant of its own, is taken to show what the clause shows.
    """
    found = set()
    for name in failed_by:
        mutant, group = MUTANTS[name], _group(backend)
        if mutant.place in ("traced", "ranks"):
            group = "others"
        elif (mutant.place == "alone") != (group == "aot_function") or group == "others":
            continue
        tried = str(clause.variant(mutant.mode)) == variant
        if tried or backend == "aot_eager_decomp_partition":
            found.add((group, name))
    return frozenset(found)


def candidates(
    planned: Iterable[tuple[str, str, str]],
    clauses: Mapping[str, Clause],
    failed_by: Mapping[str, Sequence[str]],
    costs: Durations,
) -> list[Candidate]:
    """A candidate for each planned cell (clause, backend, variant) of a clause that there is."""
    result = []
    for clause, backend, variant in planned:
        if clause not in clauses:
            continue
        group = _group(backend)
        also = {("line", group, line) for line in clauses[clause].scope.covers}
        also |= {("family", group, clauses[clause].family), ("variant", group, variant)}
        shows = catches(clauses[clause], failed_by.get(clause, ()), backend, variant)
        seconds = max(costs.seconds(clause, backend), _LEAST)
        result.append(Candidate(clause, f"{backend}-{variant}", seconds, shows, frozenset(also)))
    return result


def choose(
    offered: Sequence[Candidate], budget: float, counts: Callable[[str], bool], before: Sequence[Candidate] = ()
) -> list[Candidate]:
    """Those that add most for their cost, until the budget is spent, ``before`` ahead of them and paid from it.

    Only the mutants that ``counts`` says count. The answer depends on nothing but the arguments.
    """
    chosen, spent = list(before), sum(each.seconds for each in before)
    covered: Counter[Any] = Counter()

    def weight(cell: Candidate) -> float:
        mutants = sum(_AGAIN ** covered[pair] for pair in cell.catches if counts(pair[1]))
        also = sum((_LINE if kind[0] == "line" else _FAMILY) for kind in cell.also if not covered[kind])
        return (mutants + also) / cell.seconds

    def take(cell: Candidate) -> None:
        covered.update(cell.catches)
        covered.update(cell.also)

    for cell in before:
        take(cell)
    taken = {(cell.clause, cell.name) for cell in before}
    rest = [cell for cell in offered if (cell.clause, cell.name) not in taken]
    heap = [(-weight(cell), cell.clause, cell.name, cell) for cell in rest]
    heapq.heapify(heap)
    while heap:
        _, clause, name, cell = heapq.heappop(heap)
        worth = weight(cell)
        if heap and worth < -heap[0][0]:
            # What was counted for it has been covered since.
            heapq.heappush(heap, (-worth, clause, name, cell))
        elif worth <= 0:
            break
        elif spent + cell.seconds <= budget:
            chosen.append(cell)
            spent += cell.seconds
            take(cell)
    return chosen


def two_steps(offered: Sequence[Candidate], budget: float) -> tuple[list[Candidate], list[Candidate]]:
    """The cells that are chosen without the mutants that are held back, and all of them."""
    blind = choose(offered, budget * HALF, lambda mutant: not is_held_back(mutant))
    return blind, choose(offered, budget, lambda mutant: True, blind)


def shares(chosen: Sequence[Candidate], offered: Sequence[Candidate], counts: Callable[[str], bool]) -> dict[str, Any]:
    """Of the mutants that the offered cells catch, how many the chosen ones do: on any backend, and on each group.

    Those that are missed on every backend are named.
    """
    can = {pair for cell in offered for pair in cell.catches if counts(pair[1])}
    do = {pair for cell in chosen for pair in cell.catches if counts(pair[1])}
    names, found = {name for _, name in can}, {name for _, name in do}
    by_group = {
        group: {
            "of": sum(each[0] == group for each in can),
            "caught": sum(each[0] == group for each in do),
            "missed": sorted(name for each, name in can - do if each == group),
        }
        for group in (*GROUPS, "others")
    }
    return {"of": len(names), "caught": len(found), "missed": sorted(names - found), "on": by_group}


# What no pair is remembered of ----------------------------------------------------------------------------------------


def try_missed(
    chosen: Sequence[Candidate], missed: Iterable[tuple[str, str]], clauses: Mapping[str, Clause]
) -> dict[str, list[str]]:
    """Mutant -> chosen clauses that it fails, of pairs that nobody has tried, until none is missed. Takes minutes.

    ``missed``: groups of backends, each with a mutant that no chosen cell of that group is known to show. A mutant is
    tried on clauses of the families that are known to notice it.
    """
    left, found = set(missed), defaultdict[str, list[str]](list)
    known = kill_matrix.read()
    groups: dict[str, set[str]] = defaultdict(set)
    for cell in chosen:
        groups[cell.clause].add(_group(cell.name.split("-", 1)[0]))
    at_home = {(name.partition("/")[0], mutant) for name, row in known.items() for mutant in row.failed_by}
    # Clauses that are there on many backends, and that many mutants fail, settle most.
    rows = {name: known.get(name, Row("", "", (), ())) for name in groups}
    names = sorted(groups, key=lambda name: (-len(groups[name]), -len(rows[name].failed_by), name))
    for number, name in enumerate(names, 1):
        family = clauses[name].family
        here = {mutant for group, mutant in left if group in groups[name] and (family, mutant) in at_home}
        fresh = [each for each in clauses[name].mutants() if each in here and each not in rows[name].tried]
        if not fresh:
            continue
        row = kill_matrix.score(clauses[name], fresh)
        for mutant in row.failed_by:
            found[mutant].append(name)
            left -= {(group, mutant) for group in groups[name]}
        print(f"{number}/{len(names)} {name}: {', '.join(row.failed_by) or 'none'}; {len(left)} left", flush=True)
    return found


# The file -------------------------------------------------------------------------------------------------------------


def costs_of(book: Ledger, measured: Ledger | None) -> Durations:
    """What cells cost by a ledger, and by a second one where it has figures of its own, which are better.

    The first one's are brought to the second's measure, backend by backend: a loaded machine makes all of them longer.
    """
    whole = Durations.of_ledger(book)
    if measured is None:
        return whole
    better = Durations.of_ledger(measured).of_clause
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for clause, by_backend in better.items():
        for backend, seconds in by_backend.items():
            if backend in whole.of_clause.get(clause, {}):
                sums[backend][0] += seconds
                sums[backend][1] += whole.of_clause[clause][backend]
    everywhere = [sum(each[0] for each in sums.values()), sum(each[1] for each in sums.values())]
    merged = {}
    for clause, by_backend in whole.of_clause.items():
        merged[clause] = {
            backend: better.get(clause, {}).get(backend, seconds * _ratio(sums.get(backend), everywhere))
            for backend, seconds in by_backend.items()
        }
    return Durations.of(merged)


def _ratio(own: Sequence[float] | None, everywhere: Sequence[float]) -> float:
    for now, before in (own or (0.0, 0.0), everywhere):
        if before:
            return now / before
    return 1.0


def planned(clauses: Iterable[Clause]) -> list[tuple[str, str, str]]:
    """Clause, backend and variant of each cell of the default profile on the default backends."""
    return [
        (clause.id, backend, str(variant))
        for clause in clauses
        for backend, variant in clause.scope.cells(DEFAULT, "default", by_default=True)
    ]


def digest_of(offered: Sequence[Candidate]) -> str:
    """What tells the inputs of one choice from those of another."""
    text = repr(sorted((each.clause, each.name, each.seconds, sorted(each.catches)) for each in offered))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def failed_by(rows: Mapping[str, Row], remembered: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Clause -> the mutants that fail it, by the matrix and by what an earlier file remembers of mutants."""
    result = {name: list(row.failed_by) for name, row in rows.items()}
    for mutant, clauses in remembered.items():
        for clause in clauses:
            if mutant in MUTANTS and mutant not in result.setdefault(clause, []):
                result[clause].append(mutant)
    return result


def write(data: Mapping[str, Any], path: Path = choice.PLACE) -> None:
    """Write the choice, a line a clause."""
    lines = [f"{json.dumps(clause)}: {json.dumps(names)}" for clause, names in sorted(data["cells"].items())]
    provenance = json.dumps(data["provenance"], indent=1)
    text = (
        f'{{"provenance": {provenance},\n"backends": {json.dumps(data["backends"])},\n"cells": {{\n'
        + ",\n".join(lines)
        + "\n}}\n"
    )
    path.write_text(text, encoding="utf-8")


def made_of(
    costs: Durations, budget: float, clauses: Mapping[str, Clause], known: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], list[Candidate]]:
    """What the file holds, and the cells that were chosen blindly."""
    offered = candidates(planned(clauses.values()), clauses, known, costs)
    blind, chosen = two_steps(offered, budget)
    cells: dict[str, list[str]] = defaultdict(list)
    for cell in sorted(chosen, key=lambda each: (each.clause, each.name)):
        cells[cell.clause].append(cell.name)
    provenance = {
        "torch": costs.torch,
        "inputs": digest_of(offered),
        "budget_seconds": budget,
        "seconds": round(sum(cell.seconds for cell in chosen), 1),
        "seconds_of_all": round(sum(cell.seconds for cell in offered), 1),
        "clauses": len(cells),
        "of_clauses": len({cell.clause for cell in offered}),
        "cells": len(chosen),
        "of_cells": len(offered),
        "chosen_blindly": len(blind),
        "held_back": shares(blind, offered, is_held_back),
        "mutants": shares(chosen, offered, lambda mutant: True),
    }
    backends = sorted({cell.name.split("-", 1)[0] for cell in offered})
    return {"provenance": provenance, "backends": backends, "cells": dict(cells)}, blind


def _costs(files: Sequence[Path], measured: Path | None) -> Durations:
    """The costs of a ledger of the default profile; those of last time if none is given. Raises `ValueError`."""
    if not files:
        return durations.read()
    book = ledgers.read(files)
    profile = (book.header.get("configuration") or {}).get("profile")
    if profile != "default" or not book.cells:
        raise ValueError(f"{files[0]} holds {len(book.cells)} cells of profile {profile!r}; expected the default one")
    costs = costs_of(book, ledgers.read([measured]) if measured else None)
    return costs.rounded(str(book.header.get("torch", "")))


def main(arguments: Sequence[str] | None = None) -> int:
    """Choose, measure and write. Returns 2, with a line, for a ledger that cannot be read or is of another profile."""
    parser = argparse.ArgumentParser(
        prog="python -m suites.selfcheck.quick",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ledger", type=Path, nargs="*", help="a run of the default profile, or its workers' files")
    parser.add_argument("--budget", type=float, required=True, metavar="SECONDS", help="what all chosen cells may cost")
    parser.add_argument("--measured", type=Path, metavar="LEDGER", help="another run, whose figures are better")
    parser.add_argument("--try", dest="trying", action="store_true", help="try the pairs that nobody has tried")
    options = parser.parse_args(arguments)
    try:
        costs = _costs(options.ledger, options.measured)
    except (OSError, ValueError) as error:
        print(f"quick: {error}", file=sys.stderr)
        return 2
    one_thread()
    clauses = {clause.id: clause for clause in every_clause()}
    rows = kill_matrix.read()
    remembered: dict[str, list[str]] = choice.read().provenance.get("tried", {})
    data, blind = made_of(costs, options.budget, clauses, failed_by(rows, remembered))
    if options.trying:
        by_group = data["provenance"]["held_back"]["on"].items()
        missed = [(group, mutant) for group, told in by_group for mutant in told["missed"]]
        for mutant, found in try_missed(blind, missed, clauses).items():
            remembered[mutant] = sorted({*remembered.get(mutant, ()), *found})
        data, _ = made_of(costs, options.budget, clauses, failed_by(rows, remembered))
    data["provenance"]["tried"] = dict(sorted(remembered.items()))
    write(data)
    costs.write()
    told = data["provenance"]
    print(f"{told['cells']} of {told['of_cells']} cells, {told['seconds']} of {told['seconds_of_all']} s")
    for what in ("held_back", "mutants"):
        on = ", ".join(f"{name} {each['caught']}/{each['of']}" for name, each in told[what]["on"].items())
        print(f"{what}: {told[what]['caught']} of {told[what]['of']} ({on})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
