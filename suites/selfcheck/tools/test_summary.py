"""The matrix counts every standing apart, and the list of findings says what a person needs."""

from __future__ import annotations

import io

from expecttest import assert_expected_inline
from rich.console import Console, RenderableType

from suites.harness.results import summary
from suites.harness.results.ledger import OUTCOMES
from suites.selfcheck.tools.synthetic import cell, divergence, every_outcome, ledger


def shown(renderable: RenderableType, width: int = 100) -> str:
    """What the terminal shows, in ASCII and without blanks at the ends of lines, as inline texts have to be."""
    stream = io.StringIO()
    Console(file=stream, width=width).print(renderable)
    text = stream.getvalue().replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "-").replace("\N{MIDDLE DOT}", ".")
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def test_every_outcome_has_a_standing() -> None:
    assert {summary.standing(cell(outcome)) for outcome in OUTCOMES} == set(summary.STANDINGS) - {"loud"}
    assert set(summary.MEANING) == set(summary.STYLE) == set(summary.STANDINGS)


def test_a_cell_with_silent_and_loud_divergences_is_silent() -> None:
    loud = divergence("error", silent=False)
    assert summary.standing(cell("fail", divergences=[loud])) == "loud"
    assert summary.standing(cell("fail", divergences=[loud, divergence()])) == "silent"


def test_the_matrix_keeps_silent_and_loud_apart() -> None:
    counts = summary.tallies(every_outcome())["inductor"]["aliasing"]
    assert [counts[name] for name in ("silent", "loud", "crash")] == [1, 1, 1]
    assert_expected_inline(
        shown(summary.matrix(every_outcome())),
        """\
 backend, family  passed  known  inherited  silent  loud  crash  vacuous
 -----------------------------------------------------------------------
 aot_eager             6      .          .       .     .      .        .
   mutation            6      .          .       .     .      .        .
 inductor              6      1          1       1     1      1        1
   aliasing            .      1          1       1     1      1        1
   mutation            6      .          .       .     .      .        .

 and inductor, aliasing: 1 timeout, 1 error, 1 unexpected pass, 1 changed, 1 skipped, 1 unsupported
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
 inductor              6      1          1       1     1      1        1
   aliasing            .      1          1       1     1      1        1
   mutation            6      .          .       .     .      .        .

 and inductor, aliasing: 1 timeout, 1 error, 1 unexpected pass, 1 changed, 1
skipped, 1 unsupported
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
