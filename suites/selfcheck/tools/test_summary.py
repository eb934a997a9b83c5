"""The matrix counts every standing apart, and the list of findings says what a person needs."""

from __future__ import annotations

import datetime
import io
import json

from expecttest import assert_expected_inline
from rich.console import Console, RenderableType

from suites.harness.execution import accelerations
from suites.harness.results import ending, summary
from suites.harness.results.causes import causes
from suites.harness.results.known_bugs import Registry
from suites.harness.results.outcomes import STANDINGS, Outcome
from suites.harness.results.verdict import Expectations, verdict
from suites.harness.session import terminal
from suites.selfcheck.tools.synthetic import cell, divergence, every_outcome, ledger


def shown(renderable: RenderableType, width: int = 100) -> str:
    """What the terminal shows, in ASCII and without blanks at the ends of lines, as inline texts have to be."""
    stream = io.StringIO()
    Console(file=stream, width=width).print(renderable)
    text = stream.getvalue().replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "-").replace("\N{MIDDLE DOT}", ".")
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def test_every_outcome_has_a_standing() -> None:
    assert {summary.standing(cell(outcome)) for outcome in Outcome} == set(STANDINGS)


def test_all_that_is_said_of_outcomes_is_said_of_each() -> None:
    for outcome in Outcome:
        for text in (outcome.label, outcome.letter, outcome.told, outcome.style, outcome.meaning):
            assert text, outcome
        assert not outcome.against or outcome.junit in ("failure", "error")
        assert not outcome.diverges or outcome.compared
        assert f"{outcome}" == str(outcome) == outcome.value == json.loads(json.dumps(outcome))
        Console(file=io.StringIO()).print("x", style=outcome.style)
    recorded = [outcome for outcome in Outcome if outcome.recorded]
    assert len({outcome.letter for outcome in recorded}) == len(recorded)
    assert len({outcome.label for outcome in STANDINGS}) == len(STANDINGS)
    assert {outcome for outcome in Outcome if outcome.against} == {
        *("fail", "silent", "loud", "crash", "timeout", "error", "flake", "vacuous", "fallback", "xpass")
    }


def test_causes_are_counted_apart_from_the_cells_that_they_explain() -> None:
    known = [cell("fail", f"mutation/inputs/{name}") for name in "abc"]
    for each, bugs in zip(known, (["one"], ["one"], ["one", "two"]), strict=True):
        each.outcome, each.bugs = Outcome.KNOWN, bugs
    assert summary.explained(ledger(*known, cell())) == "2 causes explain 3 known cells"
    assert summary.causes(ledger(*known)) == {"one": 3, "two": 1}
    assert summary.explained(ledger(cell())) == ""


def test_a_cell_with_silent_and_loud_divergences_is_silent() -> None:
    loud = divergence("error", silent=False)
    assert summary.standing(cell("fail", divergences=[loud])) == "loud"
    assert summary.standing(cell("fail", divergences=[loud, divergence()])) == "silent"


def test_the_matrix_keeps_silent_and_loud_apart() -> None:
    counts = summary.tallies(every_outcome())["inductor"]["aliasing"]
    assert [counts[each] for each in (Outcome.SILENT, Outcome.LOUD, Outcome.CRASH)] == [1, 1, 1]
    assert_expected_inline(
        shown(ending.matrix(every_outcome())),
        """\
 backend          passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 aot_eager             6      .          .       .     .      .        .
 inductor              6      .          1       1     1      1        1
   aliasing            .      .          1       1     1      1        1

 and aot_eager: 1 unsupported
 and inductor: 1 timeout, 1 error, 1 flake, 1 fallback, 1 changed, 1 skipped, 1 unsupported
""",
    )


def test_the_share_that_a_backend_executed_itself_is_told_where_it_is_known() -> None:
    own = [cell(clause=f"mutation/inputs/{name}", backend="mine") for name in "abc"]
    for each, executed in zip(own, (True, False, None), strict=True):
        each.executed = executed
    own[1].outcome = Outcome.FALLBACK
    book = ledger(*own, cell())
    assert summary.executed(book) == {"mine": (1, 2)}
    assert_expected_inline(
        shown(ending.matrix(book)),
        """\
 backend          passed  known  inherited  silent  loud  crash  vacuous  fallback
 ---------------------------------------------------------------------------------
 mine                  2      .          .       .     .      .        .         1
   mutation            2      .          .       .     .      .        .         1
 inductor              1      .          .       .     .      .        .         .

 executed by the backend: 1 of 2 cells in which mine is equal to eager
""",
    )


def test_rare_standings_that_some_cell_has_are_columns_where_there_is_room() -> None:
    rare = "timeout  error  flake  fallback  changed  skipped  unsupported"
    wide = shown(ending.matrix(every_outcome()), width=140)
    assert wide.splitlines()[0].endswith(f"  vacuous  {rare}")
    assert " and " not in wide
    narrow = ledger(cell("fallback"), cell("timeout", "mutation/inputs/hangs"))
    assert_expected_inline(
        shown(ending.matrix(narrow), width=60),
        """\
 backend          timeout  fallback
 ----------------------------------
 inductor               1         1
   mutation             1         1
""",
    )
    assert "1 timeout, 1 fallback" in shown(ending.matrix(narrow), width=30)


def test_the_matrix_fits_a_narrow_terminal_and_spells_rare_standings_out() -> None:
    assert_expected_inline(
        shown(ending.matrix(every_outcome()), width=80),
        """\
 backend          passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 aot_eager             6      .          .       .     .      .        .
 inductor              6      .          1       1     1      1        1
   aliasing            .      .          1       1     1      1        1

 and aot_eager: 1 unsupported
 and inductor: 1 timeout, 1 error, 1 flake, 1 fallback, 1 changed, 1 skipped, 1
unsupported
""",
    )
    assert_expected_inline(
        shown(ending.matrix(ledger(cell(backend="aot_eager_decomp_partition"))), width=80),
        """\
 backend                     passed
 ----------------------------------
 aot_eager_decomp_partition       1
""",
    )


def test_the_matrix_has_whole_names_and_all_its_numbers_in_forty_columns() -> None:
    bad = cell("fail", "aliasing/a/b", backend="aot_eager_decomp_partition")
    assert_expected_inline(
        shown(
            ending.matrix(ledger(bad, cell(backend="aot_eager_decomp_partition"), cell(backend="inductor"))), width=40
        ),
        """\
 aot_eager_decomp_partition
   1 passed, 1 silent
   aliasing: 1 silent
 inductor
   1 passed
""",
    )


def test_a_run_that_fails_in_many_ways_on_many_backends_is_told_in_25_lines() -> None:
    cells = [
        cell("fail", f"family_{family}/a/{kind}", backend=backend, divergences=[divergence(kind=f"{kind} differ")])
        for backend in ("aot_eager", "aot_eager_decomp_partition", "inductor")
        for family in range(9)
        for kind in ("shapes", "sizes", "strides", "signs", "sums", "seeds")
    ]
    text = shown(ending.render(ledger(*cells)), width=110)
    assert len(text.splitlines()) <= 25, text
    assert all(f" {backend} " in text for backend in ("aot_eager", "aot_eager_decomp_partition", "inductor"))


def test_findings_say_where_what_layer_and_how_to_see_it_again() -> None:
    assert_expected_inline(
        shown(ending.render(ledger(cell("fail")))),
        """\
silent 1 cell: value: values differ; first at inductor
  call 0: out[0]: expected tensor([1., 2.]), seen tensor([1., 3.])
  again: pytest 'suites/mutation/inputs/add_[inductor]'

 backend          passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 inductor              .      .          .       1     .      .        .
   mutation            .      .          .       1     .      .        .
""",
    )


def test_the_worst_comes_first_and_long_lists_are_cut() -> None:
    book = ledger(cell("vacuous", "a/b/c"), cell("fail", "z/y/x"))
    assert [each.clause for each in summary.against(book)] == ["z/y/x", "a/b/c"]
    kinds = [divergence(kind=f"the {number}th way") for number in range(9)]
    many = [cell("fail", f"mutation/inputs/case_{number}", divergences=[kind]) for number, kind in enumerate(kinds)]
    assert "and 6 more causes of 6 cells, in the report" in shown(ending.render(ledger(*many)))


def test_the_largest_cause_of_each_standing_is_told_after_the_worst() -> None:
    loud = [divergence("error", kind=f"raised {number}", silent=False) for number in (0, 0, 1)]
    cells = [
        *(cell("fail", f"mutation/a/b{number}", divergences=[divergence(kind=f"way {number}")]) for number in range(4)),
        *(cell("fail", f"mutation/a/c{number}", divergences=[item]) for number, item in enumerate(loud)),
        cell("crash", "mutation/a/d"),
    ]
    text = shown(ending.findings(cells))
    assert text.splitlines()[9:] == [
        "loud 2 cells: error: raised 0; first at inductor",
        "  again: pytest 'suites/mutation/a/c0[inductor]'",
        "crash 1 cell: crash: signal 11; first at inductor",
        "  again: pytest 'suites/mutation/a/d[inductor]'",
        "and 2 more causes of 2 cells, in the report",
    ]


def test_cells_that_fail_in_one_way_are_one_cause_and_the_simplest_is_its_example() -> None:
    loud, other = divergence("error", kind="raises", silent=False), divergence(kind="NaN")
    cells = [
        cell("fail", "aliasing/a/b", divergences=[loud]),
        *(cell("fail", f"aliasing/a/c{number}", divergences=[loud]) for number in range(5)),
        cell("fail", "mutation/a/d", divergences=[loud, other], program="x" * 9),
        cell("fail", "mutation/a/e", backend="aot_eager", divergences=[other], program="x" * 99),
        cell("vacuous", "mutation/a/f", detail="nothing happened: of this"),
        cell("vacuous", "mutation/a/g", detail="nothing happened: of that"),
    ]
    found = causes(cells)
    assert [(cause.standing, cause.fingerprint, len(cause.cells)) for cause in found] == [
        ("silent", "inductor:value:NaN", 2),
        ("loud", "inductor:error:raises", 6),
        ("vacuous", "", 2),
    ]
    assert [cause.example.clause for cause in found] == ["mutation/a/e", "aliasing/a/b", "mutation/a/f"]
    assert found[2].told == "nothing happened"
    assert found[0].backends == {"aot_eager": 1, "inductor": 1}


def test_what_a_lower_layer_does_makes_no_error_of_the_backends_silent() -> None:
    below, own = divergence(layer="aot_eager"), divergence("error", kind="raises", silent=False, layer="mine:b")
    name = "mutation/a/b[mine:b-train-static-plain]"
    book = ledger(cell("fail", "mutation/a/b", backend="mine:b", divergences=[below, own]))
    outcome = verdict(Registry().judged(book), Registry(), Expectations(), datetime.date(2026, 1, 1))
    (cause,) = causes(outcome.against)
    assert (cause.standing, cause.fingerprint) == (Outcome.LOUD, "mine:b:error:raises")
    assert [(reason.kind, reason.cell) for reason in outcome.reasons][:1] == [("loud", name)]


def test_a_lower_layer_that_torchs_own_answers_for_counts_as_its_own() -> None:
    below, own = divergence(layer="aot_eager"), divergence("error", kind="raises", silent=False)
    book = ledger(cell("fail", "mutation/a/b", divergences=[below, own]))
    (judged,) = Registry().judged(book).cells.values()
    assert judged.own == ("inductor", "aot_eager_decomp_partition", "aot_eager", "eager")
    assert summary.standing(judged) is Outcome.SILENT


def test_backends_that_nobody_asked_for_share_a_row_unless_they_fail() -> None:
    others = [cell(backend=f"mode_{number}") for number in range(20)]
    bad = cell("fail", "aliasing/a/b", backend="mode_0")
    assert_expected_inline(
        shown(ending.matrix(ledger(cell(), *others, bad))),
        """\
 backend                      passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------------------
 inductor                          1      .          .       .     .      .        .
 mode_0                            1      .          .       1     .      .        .
   aliasing                        .      .          .       1     .      .        .
 19 others, named by clauses      19      .          .       .     .      .        .
""",
    )


def test_a_backend_that_is_wrong_everywhere_is_told_in_twenty_lines() -> None:
    cells = [
        cell("fail", f"family_{family}/a/{kind}", divergences=[divergence(kind=f"{kind} differ")])
        for family in range(20)
        for kind in ("shapes", "sizes", "strides", "signs", "sums", "seeds")
    ]
    assert_expected_inline(
        shown(ending.render(ledger(*cells))),
        """\
silent 20 cells: value: seeds differ; first at inductor
  call 0: out[0]: expected tensor([1., 2.]), seen tensor([1., 3.])
  again: pytest 'suites/family_0/a/seeds[inductor]'
silent 20 cells: value: shapes differ; first at inductor
  call 0: out[0]: expected tensor([1., 2.]), seen tensor([1., 3.])
  again: pytest 'suites/family_0/a/shapes[inductor]'
silent 20 cells: value: signs differ; first at inductor
  call 0: out[0]: expected tensor([1., 2.]), seen tensor([1., 3.])
  again: pytest 'suites/family_0/a/signs[inductor]'
and 3 more causes of 60 cells, in the report

 backend             passed  known  inherited  silent  loud  crash  vacuous
 --------------------------------------------------------------------------
 inductor                 .      .          .     120     .      .        .
   family_0               .      .          .       6     .      .        .
   family_1               .      .          .       6     .      .        .
   family_10              .      .          .       6     .      .        .
   family_11              .      .          .       6     .      .        .
   16 more families       .      .          .      96     .      .        .
""",
    )


def test_a_changed_graph_counts_only_when_goldens_are_strict() -> None:
    book = ledger(cell("changed"))
    assert summary.against(book) == []
    assert len(summary.against(book, strict_goldens=True)) == 1


def test_cells_that_never_ran_are_named() -> None:
    assert "1 planned cell never ran, a.b.c[x] first" in shown(ending.render(ledger(cell(), planned=["a.b.c[x]"])))


def test_paces_are_by_backend() -> None:
    pace = summary.paces(ledger(cell(seconds=1.0), cell(clause="mutation/inputs/b", seconds=3.0)))[0]
    assert (pace.cells, pace.median, pace.slowest, pace.per_second) == (2, 2.0, 3.0, 0.5)


def test_clauses_of_other_devices_are_named_by_family() -> None:
    book = ledger(cell())
    book.header["configuration"] = {**(book.header.get("configuration") or {}), "on_other_devices": {"gpu": 52}}
    line = f"only on another device than {book.header['device']}: 52 of gpu"
    assert summary.elsewhere(book) == line
    book.header["configuration"]["on_other_devices"] = {"gpu": [f"gpu/memory/{number}" for number in range(52)]}
    assert summary.elsewhere(book) == line
    assert line in shown(ending.matrix(book))
    assert summary.elsewhere(ledger(cell())) == ""


def test_that_nobody_asked_who_executed_is_said_of_backends_of_others_alone() -> None:
    """pytest's summary says it as the gate does, where the watch was off; of a backend that torch executes by design
    there is nothing to ask, and of one that was asked nothing to say.
    """
    cells = [cell("pass", backend=name) for name in ("mine:backend", "inductor", "ts")]
    off = {accelerations.WATCHED: "off: --plain"}
    line = "nobody asked who executed the passes of mine:backend (--plain): torch may have"
    assert terminal.unasked(ledger(*cells, accelerations=off)) == line
    assert terminal.unasked(ledger(*cells, accelerations={accelerations.WATCHED: "on"})) == ""
    assert terminal.unasked(ledger(*cells[1:], accelerations=off)) == ""
    cells[0].executed = True
    assert terminal.unasked(ledger(*cells, accelerations=off)) == ""
