"""The matrix counts every standing apart, and the list of findings says what a person needs."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType

from suites.harness.results import summary
from suites.harness.results.ledger import OUTCOMES
from suites.selfcheck.tools.synthetic import cell, divergence, every_outcome, ledger


def shown(renderable: RenderableType, width: int = 100) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(renderable)
    return stream.getvalue()


def test_every_outcome_has_a_standing() -> None:
    assert {summary.standing(cell(outcome)) for outcome in OUTCOMES} == set(summary.STANDINGS) - {"loud"}
    assert set(summary.MEANING) == set(summary.STYLE) == set(summary.STANDINGS)


def test_a_cell_with_silent_and_loud_divergences_is_silent() -> None:
    loud = divergence("error", silent=False)
    assert summary.standing(cell("fail", divergences=[loud])) == "loud"
    assert summary.standing(cell("fail", divergences=[loud, divergence()])) == "silent"


def test_the_matrix_keeps_silent_and_loud_apart() -> None:
    counts = summary.tallies(every_outcome())["inductor"]["aliasing"]
    assert counts["silent"] == 1
    assert counts["loud"] == 1
    assert counts["crash"] == 1
    text = shown(summary.matrix(every_outcome()))
    assert "silent" in text
    assert "loud" in text


def test_the_matrix_fits_a_narrow_terminal_and_spells_rare_standings_out() -> None:
    lines = shown(summary.matrix(every_outcome()), width=80).splitlines()
    header = next(line for line in lines if line.strip())
    assert header.split() == ["backend,", "family", *summary.ALWAYS]
    assert "and inductor, aliasing: 1 timeout, 1 error, 1 unexpected pass" in " ".join(" ".join(lines).split())
    text = shown(summary.matrix(ledger(cell(backend="aot_eager_decomp_partition"))), width=80)
    assert "…" not in text
    assert " and " not in text


def test_findings_say_where_what_layer_and_how_to_see_it_again() -> None:
    text = shown(summary.render(ledger(cell("fail"))))
    for part in (
        "silent mutation/inputs/add_[inductor-train-static-plain]",
        "value at call 0: out[0]: values differ; first at inductor",
        "expected tensor([1., 2.])",
        "seen     tensor([1., 3.])",
        "again: pytest 'suites/mutation/inputs/add_[inductor]'",
    ):
        assert part in text


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
