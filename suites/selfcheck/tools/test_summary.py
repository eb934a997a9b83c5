"""The matrix counts every standing apart, and the list of findings says what a person needs."""

from __future__ import annotations

import io
import json

from expecttest import assert_expected_inline
from rich.console import Console, RenderableType

from suites.harness.results import summary
from suites.harness.results.outcomes import STANDINGS, Outcome
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
    assert len({outcome.letter for outcome in Outcome if outcome.recorded}) == 11
    assert len({outcome.label for outcome in STANDINGS}) == len(STANDINGS)
    assert {outcome for outcome in Outcome if outcome.against} == {
        *("fail", "silent", "loud", "crash", "timeout", "error", "vacuous", "fallback", "xpass")
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
        shown(summary.matrix(every_outcome())),
        """\
 backend, family  passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 aot_eager             6      .          .       .     .      .        .
   mutation            6      .          .       .     .      .        .
 inductor              6      .          1       1     1      1        1
   aliasing            .      .          1       1     1      1        1
   mutation            6      .          .       .     .      .        .

 and inductor, aliasing: 1 timeout, 1 error, 1 fallback, 1 changed, 1 skipped, 1 unsupported
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
        shown(summary.matrix(book)),
        """\
 backend, family  passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 mine                  2      .          .       .     .      .        .
   mutation            2      .          .       .     .      .        .
 inductor              1      .          .       .     .      .        .
   mutation            1      .          .       .     .      .        .

 and mine, mutation: 1 fallback
 executed by the backend: 1 of 2 cells in which mine is equal to eager
""",
    )


def test_the_matrix_fits_a_narrow_terminal_and_spells_rare_standings_out() -> None:
    assert_expected_inline(
        shown(summary.matrix(every_outcome()), width=80),
        """\
 backend, family  passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 aot_eager             6      .          .       .     .      .        .
   mutation            6      .          .       .     .      .        .
 inductor              6      .          1       1     1      1        1
   aliasing            .      .          1       1     1      1        1
   mutation            6      .          .       .     .      .        .

 and inductor, aliasing: 1 timeout, 1 error, 1 fallback, 1 changed, 1 skipped, 1
unsupported
""",
    )
    assert_expected_inline(
        shown(summary.matrix(ledger(cell(backend="aot_eager_decomp_partition"))), width=80),
        """\
 backend, family         passed  known  inherited  silent  loud  crash  vacuous
 ------------------------------------------------------------------------------
 aot_eager_decomp_parti       1      .          .       .     .      .        .
 tion
   mutation                   1      .          .       .     .      .        .
""",
    )


def test_findings_say_where_what_layer_and_how_to_see_it_again() -> None:
    assert_expected_inline(
        shown(summary.render(ledger(cell("fail")))),
        """\
silent mutation/inputs/add_[inductor-train-static-plain]
  An in-place op on an input changes the caller's tensor.
  value at call 0: out[0]: values differ; first at inductor
    expected tensor([1., 2.])
    seen     tensor([1., 3.])
  again: pytest 'suites/mutation/inputs/add_[inductor]'


 backend, family  passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 inductor              .      .          .       1     .      .        .
   mutation            .      .          .       1     .      .        .
""",
    )


def test_the_worst_comes_first_and_long_lists_are_cut() -> None:
    book = ledger(cell("vacuous", "a/b/c"), cell("fail", "z/y/x"))
    assert [each.clause for each in summary.against(book)] == ["z/y/x", "a/b/c"]
    many = [cell("fail", f"mutation/inputs/case_{number}") for number in range(30)]
    assert "and 10 more, in the report" in shown(summary.render(ledger(*many)))


def test_a_changed_graph_counts_only_when_goldens_are_strict() -> None:
    book = ledger(cell("changed"))
    assert summary.against(book) == []
    assert len(summary.against(book, strict_goldens=True)) == 1


def test_cells_that_never_ran_are_named() -> None:
    assert "1 planned cells never ran, a.b.c[x] first" in shown(summary.render(ledger(cell(), planned=["a.b.c[x]"])))


def test_paces_are_by_backend() -> None:
    pace = summary.paces(ledger(cell(seconds=1.0), cell(clause="mutation/inputs/b", seconds=3.0)))[0]
    assert (pace.cells, pace.median, pace.slowest, pace.per_second) == (2, 2.0, 3.0, 0.5)
