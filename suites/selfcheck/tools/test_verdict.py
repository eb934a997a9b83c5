"""The verdict: what counts against a backend, and what does not."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

import pytest
from expecttest import assert_expected_inline

from suites.harness.results.known_bugs import Bug, Cells, Registry
from suites.harness.results.ledger import Cell, Ledger, read
from suites.harness.results.outcomes import Outcome
from suites.harness.results.verdict import Expectations, Reason, Verdict, shortfall, verdict, with_more
from suites.selfcheck.tools.synthetic import cell, divergence, every_outcome, ledger, write

TODAY = datetime.date(2026, 1, 1)
EXPECTED = Cells(("mutation/inputs/*",), ("inductor:value:values differ",))
KNOWN = Bug(
    id="known",
    reason="known",
    links=("https://example.org/1",),
    seen=("torch>=2.13,<2.14",),
    expires=datetime.date(2026, 12, 31),
    cells=(EXPECTED,),
    source="mine.toml",
    line=1,
)
OF_ALIASING = dataclasses.replace(KNOWN, cells=(dataclasses.replace(EXPECTED, clauses=("aliasing/*",)),))


def judge(*cells: Cell, by: tuple[Bug, ...] = (), **expected: object) -> Verdict:
    return of(ledger(*cells), by=by, **expected)


def of(book: Ledger, by: tuple[Bug, ...] = (), **expected: object) -> Verdict:
    return verdict(book, Registry(by), Expectations(**expected), TODAY)  # type: ignore[arg-type]


def test_all_passing_is_conformant() -> None:
    result = judge(cell())
    assert result.conformant
    assert result.line == "CONFORMANT: 1 cell on inductor"


@pytest.mark.parametrize("outcome", ["fail", "crash", "timeout", "error", "vacuous", "pass"])
def test_each_bad_outcome_alone_is_not_conformant(outcome: str) -> None:
    bad = cell(outcome, "aliasing/outputs/x")
    result = judge(cell(clause="mutation/inputs/ok"), bad, by=(OF_ALIASING,) if outcome == "pass" else ())
    assert not result.conformant
    assert [reason.cell for reason in result.reasons if reason.cell] == [bad.id]


@pytest.mark.parametrize("outcome", ["inherited", "unsupported", "skip", "changed"])
def test_named_outcomes_do_not_fail(outcome: str) -> None:
    below = cell(clause="mutation/inputs/other", backend="aot_eager")
    assert judge(cell(), cell(outcome, "mutation/inputs/other"), below).conformant


def test_what_no_cell_of_torchs_own_tells_of_a_lower_layer_counts_on_the_lowest_above_it() -> None:
    """Of Dynamo's faults no cell tells by default: in a run of torch's own they are aot_eager's, and no candidate's."""
    of_dynamo = [divergence(layer="eager")]
    lowest = cell("inherited", backend="aot_eager", divergences=of_dynamo)
    above = cell("inherited", divergences=of_dynamo)
    found = judge(above, lowest)
    assert [(reason.kind, reason.cell) for reason in found.reasons] == [("silent", lowest.id)]
    assert found.line == "NOT CONFORMANT: 1 silent; 2 cells on inductor, aot_eager"
    assert judge(above, cell("pass", backend="aot_eager")).conformant
    mine = cell("inherited", backend="mine:b", divergences=of_dynamo)
    assert of(ledger(mine, backends={"mine:b": ""}, configuration={})).conformant
    assert of(ledger(mine, lowest, backends={"mine:b": "", "aot_eager": ""}, configuration={})).conformant


def test_a_changed_graph_fails_when_goldens_are_strict() -> None:
    assert not judge(cell("changed"), strict_goldens=True).conformant


def test_a_known_divergence_does_not_fail_and_a_different_one_does() -> None:
    result = judge(cell("fail"), by=(KNOWN,))
    assert result.conformant
    assert result.line == "CONFORMANT: 1 cell on inductor (1 known)"
    assert result.ledger.cells[cell().id].bugs == ["known"]
    other = cell("fail", divergences=[divergence(kind="NaN where eager has none")])
    assert judge(other, by=(KNOWN,)).line.startswith("NOT CONFORMANT: 1 silent")


def test_conformant_of_a_backend_that_executed_nothing_is_no_plain_word() -> None:
    fallback = divergence("fallback", kind="torch executed the whole graph", layer="mine:b")
    idle = cell("fallback", backend="mine:b", divergences=[fallback], executed=False)
    explained = dataclasses.replace(EXPECTED, backends=("mine:b",), fingerprints=(fallback.fingerprint,))
    known = dataclasses.replace(KNOWN, cells=(explained,))
    result = judge(idle, by=(known,))
    assert result.line == "CONFORMANT, with nothing executed by the backend: 1 cell on mine:b (1 known)"
    busy = cell(clause="aliasing/outputs/x", backend="mine:b", executed=True)
    assert judge(idle, busy, by=(known,)).line == "CONFORMANT: 2 cells on mine:b (1 known)"
    others = judge(idle, cell(), by=(known,))
    assert others.line.startswith("CONFORMANT, with nothing executed by mine:b: 2 cells on ")


def test_one_ledger_is_judged_by_any_known_bugs_later(tmp_path: Path) -> None:
    book = read([write(tmp_path / "ledger.jsonl", ledger(cell("fail"), cell(clause="aliasing/outputs/x")))])
    assert of(book, (KNOWN,)).line == "CONFORMANT: 2 cells on inductor (1 known)"
    assert of(book, ()).line == "NOT CONFORMANT: 1 silent; 2 cells on inductor"
    assert of(book, (KNOWN, dataclasses.replace(OF_ALIASING, id="x"))).line.startswith("NOT CONFORMANT: 1 unexpected")
    judged = of(book, (KNOWN,)).ledger
    assert judged.cells[cell().id].outcome is Outcome.KNOWN
    assert of(judged, ()).line == of(book, ()).line
    assert of(book, (KNOWN,)).conformant


def test_faulty_known_bugs_fail() -> None:
    expired = dataclasses.replace(KNOWN, expires=datetime.date(2025, 1, 1))
    result = judge(cell("fail"), by=(expired,))
    assert [reason.kind for reason in result.reasons] == ["known bug"]
    assert "1 known bug to mend" in result.line
    nowhere = dataclasses.replace(KNOWN, cells=(dataclasses.replace(EXPECTED, clauses=("mutation/inputs/ad_",)),))
    assert judge(cell(), by=(nowhere,)).conformant
    assert not judge(cell(), by=(nowhere,), whole=True).conformant


def test_nothing_is_never_green() -> None:
    results = [
        of(ledger()),
        judge(cell(), backends=("inductor", "mine:b")),
        judge(cell(), families=("mutation", "aliasing")),
        judge(cell(graphs=0)),
    ]
    assert_expected_inline(
        "".join(f"{result.line}\n" for result in results),
        """\
NOT CONFORMANT: no cell ran; 0 cells on no backend
NOT CONFORMANT: backend mine:b ran no cell; 1 cell on inductor
NOT CONFORMANT: family aliasing has no cell; 1 cell on inductor
NOT CONFORMANT: backend inductor compiled no graph in 1 cell; 1 cell on inductor
""",
    )


def test_backend_whose_processes_died_is_not_told_to_compile_nothing() -> None:
    """The crashes are told, or known; what was compiled before them went with their processes."""
    lost = cell("crash", "lowering/aot/sizes", "aot_inductor", graphs=0)
    assert [reason.kind for reason in judge(cell(), lost).reasons] == ["crash"]
    passed = cell("pass", "lowering/aot/sums", "aot_inductor", graphs=0)
    assert [reason.kind for reason in judge(cell(), lost, passed).reasons] == ["crash", "no graphs"]


def test_backend_that_only_clauses_name_may_be_unsupported_here() -> None:
    cells = cell(), cell("unsupported", "lowering/aot/sizes", "aot_inductor", graphs=0)
    assert judge(*cells).conformant
    assert not judge(*cells, backends=("inductor", "aot_inductor")).conformant


def test_backend_of_which_no_cell_was_compared_is_not_conformant() -> None:
    """Whether the backend supports nothing or the place lacks what its clauses need: the reason says which."""
    names, both = [f"mutation/inputs/case_{number}" for number in range(3)], {"inductor": "", "mine:b": ""}
    refused = [cell("unsupported", name, "mine:b", detail="the backend says: no kernel") for name in names]
    elsewhere = [cell("unsupported", name, graphs=0, detail="torch 2.13.0 is not >=2.14") for name in names]
    of_a_clause = cell("unsupported", "lowering/aot/sizes", "aot_inductor", graphs=0, detail="no C++ compiler")
    results = [
        of(ledger(cell(), *refused, backends=both)),
        of(ledger(cell(), *refused[:1], cell("skip", names[1], "mine:b"), backends=both)),
        judge(*elsewhere),
        judge(of_a_clause),
        judge(of_a_clause, cell("skip", "lowering/aot/sums", "aot_inductor")),
    ]
    assert_expected_inline(
        "".join(f"{result.line.rpartition('; ')[0] or result.line}\n" for result in results),
        """\
NOT CONFORMANT: backend mine:b: all 3 cells are unsupported (the backend says: no kernel)
NOT CONFORMANT: backend mine:b: none of 2 cells ran: 1 unsupported, 1 skipped (the backend says: no kernel)
NOT CONFORMANT: backend inductor: all 3 cells are unsupported (torch 2.13.0 is not >=2.14)
NOT CONFORMANT: nothing was compared: the only cell is unsupported (no C++ compiler)
NOT CONFORMANT: backend aot_inductor: none of 2 cells ran: 1 unsupported, 1 skipped (no C++ compiler)
""",
    )
    assert of(ledger(*refused, cell("inherited", "aliasing/outputs/x", "mine:b"), backends=both)).conformant


def test_backend_that_is_equal_nowhere_and_says_nothing_elsewhere_is_not_conformant() -> None:
    """That all it does is wrong in a known way is no reason to believe what it does not do."""
    refused = [cell("unsupported", f"mutation/inputs/case_{number}") for number in range(2)]
    wrong, other = cell("fail"), "aliasing/outputs/x"
    result = judge(*refused, wrong, by=(KNOWN,))
    told = "backend inductor: none of 3 cells is equal to eager: 1 known, 2 unsupported"
    assert result.line == f"NOT CONFORMANT: {told}; 3 cells on inductor"
    assert [reason.kind for reason in result.reasons] == ["nothing equal"]
    assert judge(wrong, by=(KNOWN,)).conformant
    for equal in ("pass", "changed", "inherited"):
        below = cell(clause=other, backend="aot_eager")
        assert judge(*refused, wrong, cell(equal, other), below, by=(KNOWN,)).conformant, equal
    fallback = divergence("fallback", kind="torch executed the whole graph")
    of_torch = dataclasses.replace(EXPECTED, clauses=(other,), fingerprints=(fallback.fingerprint,))
    known = dataclasses.replace(KNOWN, cells=(EXPECTED, of_torch))
    kept = cell("fallback", other, divergences=[fallback], executed=False)
    line = judge(*refused, wrong, kept, by=(known,)).line
    assert line.startswith("CONFORMANT, with nothing executed by the backend: 2 cells on inductor (2 known); ")


def test_cells_that_were_not_compared_are_named_apart_from_those_that_conform() -> None:
    others = cell("unsupported", "mutation/inputs/one"), cell("skip", "mutation/inputs/two")
    apart = "not compared: 1 unsupported, 1 skipped"
    assert judge(cell(), *others).line == f"CONFORMANT: 1 cell on inductor; {apart}"
    of_a_family = {"every_family": False, "families": ["mutation"], "profile": "smoke"}
    line = of(ledger(cell(), *others, configuration=of_a_family, backends={"inductor": ""})).line
    assert line == f"CONFORMANT in 1 of the smoke profile's 3 cells of mutation on inductor; {apart}"


def test_line_spells_out_a_few_reasons_of_the_run() -> None:
    line = judge(cell(), families=("a", "b", "c", "d", "e")).line
    told = "family a has no cell; family b has no cell; family c has no cell; 2 more reasons"
    assert line == f"NOT CONFORMANT: {told}; 1 cell on inductor"


def test_a_run_that_does_not_say_where_it_ran_fails() -> None:
    result = of(dataclasses.replace(ledger(cell()), headers=[]))
    assert result.line.startswith("NOT CONFORMANT: the ledger has no header: on which torch and device")


def test_cells_that_never_ran_and_a_run_without_an_end_fail() -> None:
    results = [of(ledger(cell(), planned=["a[x]", "b[x]"])), of(ledger(cell(), complete=False))]
    assert_expected_inline(
        "".join(f"{result.line}\n" for result in results),
        """\
NOT CONFORMANT: 2 planned cells never ran, a[x] first; 1 cell on inductor
NOT CONFORMANT: the run did not come to its own end; 1 cell on inductor
""",
    )


def test_silent_and_loud_are_never_added_up() -> None:
    assert_expected_inline(
        of(every_outcome()).line.replace("; ", "\n"),
        """\
NOT CONFORMANT: 1 silent
1 loud
1 crash
1 timeout
1 error
1 flake
1 vacuous
1 fallback
1 planned cell never ran, aliasing/outputs/never[inductor-train] first
25 cells on aot_eager, inductor""",
    )


def test_expectations_are_read_from_the_header() -> None:
    asked = {"backends": ["inductor"], "families": ["mutation"], "golden": "strict", "whole": True}
    expected = Expectations.of(ledger(cell(), configuration=asked))
    assert expected == Expectations(("inductor",), ("mutation",), True, True)
    assert Expectations.of(Ledger()) == Expectations()


@pytest.mark.parametrize(
    ("configuration", "backends"),
    [
        ({}, ("inductor", "aot_eager")),
        ({"clauses": ["mutation/*"], "backends": []}, ()),
        ({"clauses": ["mutation/*"], "backends": ["inductor"]}, ("inductor",)),
    ],
    ids=["every clause", "named clauses", "named clauses and backends"],
)
def test_backends_that_nobody_named_may_have_no_cell_of_named_clauses(
    configuration: dict[str, list[str]], backends: tuple[str, ...]
) -> None:
    header = {"backends": {"inductor": "", "aot_eager": ""}, "configuration": configuration}
    assert Expectations.of(Ledger(headers=[header])).backends == backends


def test_cells_that_an_earlier_run_had_are_missed_by_name() -> None:
    record = ledger(
        cell(), cell(clause="aliasing/outputs/one"), cell(clause="aliasing/outputs/two", backend="aot_eager")
    )
    now = of(ledger(cell(), configuration={}, backends={"inductor": ""}))
    assert now.conformant
    assert not shortfall(now.ledger, now.ledger)
    assert not shortfall(now.ledger, record, families=["mutation"])
    (reason,) = shortfall(now.ledger, record)
    gone = "aliasing/outputs/one[inductor-train-static-plain]"
    assert reason == Reason("fell", f"family aliasing has 1 cell less of 1, {gone} first")
    fallen = with_more(now, [reason])
    assert not fallen.conformant
    assert fallen.line.startswith(f"NOT CONFORMANT: {reason.text}; 1 cell on inductor")
    assert with_more(now, []) == now


def test_less_is_asked_of_a_run_that_was_asked_for_less() -> None:
    """Clauses, modes and backends that it was not asked for are none that it lost; a choice of cells is another run."""
    other = cell(clause="aliasing/outputs/one")
    inferred = cell(variant="inference-static-plain")
    elsewhere = cell(backend="mine:backend")
    record = ledger(cell(), other, inferred, elsewhere, configuration={"backends": ["mine:backend"]})

    def lost(**asked: object) -> list[str]:
        return [each.text for each in shortfall(ledger(cell(), configuration=asked), record)]

    assert len(lost(backends=["inductor"])) == 2
    assert lost(clauses=["mutation/*"], modes=["train"]) == []
    assert "mutation has 1 cell less of 2" in lost(clauses=["mutation/*"])[0]
    (backend,) = lost(backends=["inductor", "mine:backend"], clauses=["mutation/*"], modes=["train"])
    assert backend.endswith(f"{elsewhere.id} first")
    record.headers[0]["configuration"]["profile"] = "default"
    for asked in ({"shard": {"number": 1}}, {"missing_shards": {"numbers": [2]}}, {"profile": "quick"}):
        with pytest.raises(ValueError, match=r"a shard has not all cells|a quick run has fewer cells"):
            lost(**asked)


def test_backend_that_has_few_cells_in_a_part_is_not_missed() -> None:
    """What a shard has of a backend may be cells that compile nothing; so may the clauses that were named."""
    refused = cell(clause="tracing/weights/refused", backend="make_fx", graphs=0)
    part = {"number": 1, "of": 2, "cells": 2, "digest": "", "whole": True}
    for asked, conformant in (({}, False), ({"shard": part}, True), ({"clauses": ["tracing/*"]}, True)):
        book = ledger(cell(), refused, configuration=asked, backends={"inductor": ""})
        assert of(book, **dataclasses.asdict(Expectations.of(book))).conformant is conformant, asked
    named = ledger(refused, configuration={"clauses": ["tracing/*"], "backends": ["make_fx"]})
    assert "compiled no graph" in of(named, **dataclasses.asdict(Expectations.of(named))).line


def test_shard_without_a_clause_is_conformant_once_it_ended() -> None:
    part = {"number": 2, "of": 2, "cells": 1, "digest": "", "whole": True}
    book = ledger(configuration={"shard": part})
    assert of(book, shard=True).line == "CONFORMANT in 0 of the default profile's 1 cell (shard 2/2) on no backend"
    assert not of(book).conformant
    book.complete = False
    assert not of(book, shard=True).conformant


def test_each_shard_is_judged_where_it_ran() -> None:
    """A bug that was seen with some vector instructions explains nothing of a machine without them, in any order."""
    on = dataclasses.replace(KNOWN, seen=("torch>=2.13,<2.14 on avx512",))
    failed, passed = cell("fail", "mutation/inputs/one"), cell(clause="mutation/inputs/two")
    for order in ((failed, passed), (passed, failed)):
        book = ledger(*order)
        book.headers = [{**book.header, "vector": "AVX512" if each is failed else "AVX2"} for each in order]
        book.ran_under = {each.id: number for number, each in enumerate(order)}
        assert of(book, by=(on,)).conformant
        assert {each.id: str(each.outcome) for each in of(book, by=(on,)).ledger.cells.values()} == {
            failed.id: "xfail",
            passed.id: "pass",
        }
        book.ran_under = {each.id: 0 for each in order}
        assert not of(book, by=(on,)).conformant
