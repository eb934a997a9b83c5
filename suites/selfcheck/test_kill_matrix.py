"""Every clause can fail, and every mutant is caught: the remembered pairs are run again.

``kill_matrix.json`` remembers which mutant fails which clause. For every mutant a pair is confirmed; for a clause
that is new or has changed one is looked for; and of the clauses that are as they were one in `CONFIRMED` has its pair
confirmed, with ``--profile full`` all. In CI mutants and clauses take turns.
"""

from __future__ import annotations

import functools
import importlib.util
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from suites.harness import Check, clause
from suites.harness.results import known_bugs
from suites.selfcheck import kill_matrix
from suites.selfcheck.clauses import COLUMNS, INDISCRIMINATE, Clause, of_device, of_function
from suites.selfcheck.kill_matrix import Row, current
from suites.selfcheck.mutants import MUTANTS
from suites.selfcheck.sampling import one_in
from suites.selfcheck.trials import Trials

KNOWN = kill_matrix.read()
CLAUSES = {clause.id: clause for clause in of_device("cpu")}

#: One in so many clauses that are as the matrix remembers them is run against its mutant again.
CONFIRMED = 16

#: With ``--turn``: one in so many clauses that are as they were, others each turn, and one in so many mutants.
CLAUSES_IN_TURN, MUTANTS_IN_TURN = 64, 3

#: How many clauses are tried for a mutant whose remembered ones no longer catch it.
SEARCHED = 8

#: What to type where a GPU is.
ON_A_GPU = "python -m suites.selfcheck.kill_matrix --device cuda --enough 2"

#: Faults that no family of clauses is about, each with the reason.
UNCAUGHT: dict[str, str] = {}

#: How many clauses each mutant fails, to try the likely ones first and the telling ones before the blunt.
FAILS = Counter(name for row in KNOWN.values() for name in row.failed_by)


def _candidates(clause: Clause, row: Row | None) -> list[str]:
    """Mutants to try on a clause: those remembered, the most telling first, then the rest, the likeliest first."""
    remembered = sorted((name for name in (row.failed_by if row else ()) if name in MUTANTS), key=FAILS.__getitem__)
    others = [name for name in clause.mutants() if name not in remembered and name not in INDISCRIMINATE]
    return [*remembered, *sorted(others, key=lambda name: -FAILS[name])]


def _is_clean(clause: Clause) -> bool:
    row = current(clause, KNOWN)
    return row is not None and row.honest == "pass"


@functools.cache
def _known() -> known_bugs.Registry:
    return known_bugs.load(known_bugs.default_files())


def _is_known(name: str) -> bool:
    """Whether a real backend is known to fail a clause."""
    return bool(_known().of_clause(name))


def _never_failed(clauses: Iterable[Clause], known: Mapping[str, Row]) -> list[str]:
    return [
        clause.id
        for clause in clauses
        if (row := current(clause, known)) is not None and not row.failed_by and not _is_known(clause.id)
    ]


def _is_confirmed(clause: Clause, profile: str, turn: int | None) -> bool:
    if current(clause, KNOWN) is None or profile == "full":
        return True
    if turn is None:
        return one_in(CONFIRMED, clause.id)
    return one_in(CLAUSES_IN_TURN, clause.id, turn % CLAUSES_IN_TURN)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.function is test_clause_can_fail:
        profile, turn = metafunc.config.option.profile, metafunc.config.getoption("turn", None)
        names = sorted(name for name, clause in CLAUSES.items() if _is_confirmed(clause, profile, turn))
        metafunc.parametrize("name", names)


def test_every_clause_is_remembered_to_fail() -> None:
    """By a mutant, or by a real backend. A clause that is new or has changed is tried below instead."""
    assert not _never_failed(CLAUSES.values(), KNOWN)


def test_every_clause_about_a_gpu_is_remembered_to_fail() -> None:
    """Those that are new or have changed are tried where a GPU is, by hand: no other test runs them."""
    clauses = of_device("cuda")
    known = kill_matrix.read(kill_matrix.place_of("cuda"))
    assert not _never_failed(clauses, known)
    untried = [each.id for each in clauses if current(each, known) is None]
    if untried:
        pytest.skip(f"untried since they changed, until {ON_A_GPU}: {', '.join(untried)}")


def test_clause_can_fail(name: str) -> None:
    clause, row = CLAUSES[name], KNOWN.get(name)
    if lacking := clause.lacks():
        pytest.skip(lacking)
    known = _is_known(name)
    if known and (row is None or not row.failed_by):
        return
    trials, candidates = Trials(clause), _candidates(clause, row)
    if (now := current(clause, KNOWN)) is not None:
        candidates = candidates[: len(now.failed_by)]
    caught = any(trials.failed_by(mutant, clean=_is_clean(clause)) for mutant in candidates)
    assert caught or known, f"{name}: no mutant fails it, and no real backend is known to; can it fail at all?"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.in_turn(index % MUTANTS_IN_TURN, MUTANTS_IN_TURN))
        for index, name in enumerate(COLUMNS)
    ],
)
def test_mutant_is_caught_by_the_suites(name: str) -> None:
    def catches(clause: Clause) -> bool:
        return Trials(clause).failed_by(name, clean=_is_clean(clause))

    remembered = [CLAUSES[row] for row, known in KNOWN.items() if name in known.failed_by and row in CLAUSES]
    caught = any(map(catches, remembered[:SEARCHED]))
    if not caught:
        tried = (clause for clause in CLAUSES.values() if name in clause.mutants())
        fresh = [clause for clause in tried if current(clause, KNOWN) is None]
        caught = any(map(catches, fresh[:SEARCHED]))
    if name in UNCAUGHT:
        assert not caught, f"{name} is caught now: take it out of UNCAUGHT"
        pytest.xfail(UNCAUGHT[name])
    assert caught, (
        f"no clause is remembered to catch {name} ({MUTANTS[name].about}), nor do the first {SEARCHED} that are new; "
        "type: python -m suites.selfcheck.kill_matrix"
    )


def test_remembered_matrix_is_about_these_mutants() -> None:
    stale = {name for row in KNOWN.values() for name in row.failed_by} - set(COLUMNS)
    assert not stale, f"type: python -m suites.selfcheck.kill_matrix   (unknown now: {', '.join(sorted(stale))})"


def _digest_under(mark: str, tmp_path: Path) -> str:
    (tmp_path / "family").mkdir(exist_ok=True)
    path = tmp_path / "family" / f"test_{len(list(tmp_path.rglob('test_*.py')))}.py"
    path.write_text(f"from suites.harness import clause\n\n@clause({mark})\ndef test_it(check):\n    check(abs)\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (clause,) = of_function(path, "test_it", module.test_it, "", True)
    return clause.digest


def test_digest_is_of_what_runs_and_not_of_how_the_mark_is_written(tmp_path: Path) -> None:
    same = ('"T1.1"', '"T3.1"', '"T1.1", "D1", fullgraph=True')
    other = ('"T1.1", inputs=("strided",)', '"T1.1", fullgraph=False')
    digests = {mark: _digest_under(mark, tmp_path) for mark in same + other}
    assert len({digests[mark] for mark in same}) == 1
    assert len(set(digests.values())) == 3


@pytest.mark.parametrize(("number", "rows"), [(0, "0123456789"), (1, "0"), (3, "048"), (20, "0123456789")])
def test_rows_of_a_table_stand_for_all(number: int, rows: str) -> None:
    @clause("T1.1", stand_for_all=number)
    @pytest.mark.parametrize("row", list(range(10)))
    def test_it(check: Check, row: int) -> None:
        """One row."""

    found = of_function(Path("family/test_group.py"), "test_it", test_it, "", True)
    assert [each.parameters["row"] for each in found] == list(map(int, rows))


def test_matrix_that_is_written_is_read(tmp_path: Path) -> None:
    kill_matrix.write(KNOWN, "2.13.0", tmp_path / "matrix.json")
    assert kill_matrix.read(tmp_path / "matrix.json") == KNOWN
