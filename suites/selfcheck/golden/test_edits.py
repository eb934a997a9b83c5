"""What workers recorded becomes one plan, whatever the order; what cannot be done safely is refused in a line."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from golden.editing.edits import EditSink, Plan, plan, read_records, unreferenced
from golden.editing.locate import Place
from golden.expectation import Visit

OLD = "def forward(self, a):\n    sin = torch.ops.aten.sin.default(a)\n    return (sin,)\n"
NEW = OLD.replace("sin", "cos")
RENAMED = NEW.replace("cos =", "x =").replace("(cos,)", "(x,)")
PLACE = Place("/project/test_a.py", (3, 4, 3, 9), OLD)

VISIT = Visit(
    golden="clause#forward",
    cell="clause[aot_eager]",
    variant="train",
    stage="forward",
    format=1,
    verdict="changed",
    explanation="aten.sin became aten.cos",
    expected=OLD,
    new=NEW,
    torch="2.13.0",
    baseline=True,
    place=PLACE,
    test="test_a.py::test[aot_eager]",
)


def visit(**changes: object) -> Visit:
    return dataclasses.replace(VISIT, **changes)  # type: ignore[arg-type]


def planned(tmp_path: Path, *visits: Visit, outcome: str = "pass", reason: str = "") -> Plan:
    """Record visits by several workers, with the given outcome of every cell, and plan."""
    for number, one in enumerate(visits):
        sink = EditSink(tmp_path, f"gw{number % 2}")
        sink.visit(one)
        if outcome:
            sink.outcome(one.cell, outcome, reason)
    return plan(read_records(tmp_path))


@pytest.mark.parametrize(
    "verdict, category", [("created", "create"), ("changed", "fix"), ("reordered", "fix"), ("cosmetic", "update")]
)
def test_the_category_tells_what_an_edit_means(tmp_path: Path, verdict: str, category: str) -> None:
    (edit,) = planned(tmp_path, visit(verdict=verdict)).edits
    assert edit.category == category
    assert (edit.file, edit.span, edit.old, edit.new) == (PLACE.file, PLACE.span, OLD, NEW)


def test_what_is_same_is_not_pending(tmp_path: Path) -> None:
    assert planned(tmp_path, visit(verdict="same", new=OLD)).pending == 0


def test_one_literal_seen_by_several_cells_is_one_edit(tmp_path: Path) -> None:
    (edit,) = planned(tmp_path, visit(), visit(cell="clause[other]"), visit(golden="clause2#forward")).edits
    assert edit.cells == ("clause[aot_eager]", "clause[other]")
    assert edit.goldens == ("clause#forward", "clause2#forward")


def test_two_values_for_one_literal_are_refused_and_name_the_variants(tmp_path: Path) -> None:
    other = visit(cell="clause[dynamic]", variant="train-dynamic", new=NEW.replace("cos", "tan"))
    result = planned(tmp_path, visit(), other)
    assert result.pending == 0
    (refusal,) = result.refusals
    assert "two values for one literal" in refusal.line
    assert "clause[aot_eager] (train) and clause[dynamic] (train-dynamic) disagree" in refusal.line
    assert "aten.cos" in refusal.line
    assert "\n" not in refusal.line


def test_a_variant_that_matches_disagrees_too(tmp_path: Path) -> None:
    result = planned(tmp_path, visit(), visit(cell="clause[b]", verdict="same", new=OLD))
    assert result.pending == 0
    assert "two values" in result.refusals[0].line


def test_spellings_of_one_meaning_agree(tmp_path: Path) -> None:
    (edit,) = planned(tmp_path, visit(cell="b", new=RENAMED), visit(cell="a")).edits
    assert edit.new == NEW, "the first cell's spelling, in the order of cell ids"
    stands = visit(cell="c", verdict="same", new=RENAMED)
    assert planned(tmp_path / "2", visit(verdict="cosmetic"), stands).pending == 0


@pytest.mark.parametrize("outcome, expected", [("fail", False), ("crash", False), ("xfail", True), ("skip", True)])
def test_a_cell_that_does_not_pass_is_refused(tmp_path: Path, outcome: str, expected: bool) -> None:
    result = planned(tmp_path, visit(), outcome=outcome, reason="mutation:\nlost")
    assert result.pending == 0
    (refusal,) = result.refusals
    assert f"cell clause[aot_eager] is {outcome} (mutation: lost)" in refusal.line
    assert refusal.expected is expected


def test_a_cell_that_never_ended_is_refused(tmp_path: Path) -> None:
    assert "never came to an end" in planned(tmp_path, visit(), outcome="").refusals[0].line


def test_a_literal_without_a_place_is_refused_with_its_reason(tmp_path: Path) -> None:
    assert "it is computed" in planned(tmp_path, visit(place=None, problem="it is computed")).refusals[0].line


def test_the_plan_does_not_depend_on_order(tmp_path: Path) -> None:
    visits = [visit(cell=f"clause[{n}]", place=dataclasses.replace(PLACE, span=(n % 3, 0, n % 3, 5))) for n in range(9)]
    visits += [
        visit(cell="clause[x]", new=OLD.replace("sin", "tan"), place=dataclasses.replace(PLACE, span=(1, 0, 1, 5)))
    ]
    plans = []
    for number in range(4):
        random.Random(number).shuffle(visits)
        plans.append(planned(tmp_path / str(number), *visits))
    assert all(other == plans[0] for other in plans)
    assert (len(plans[0].edits), len(plans[0].refusals)) == (2, 1)


def test_a_torn_line_is_skipped(tmp_path: Path) -> None:
    planned(tmp_path, visit())
    with (tmp_path / "gw0.jsonl").open("a") as stream:
        stream.write('{"kind": "visit", "gol')
    assert plan(read_records(tmp_path)).pending == 1


def test_any_text_survives_recording(tmp_path: Path) -> None:
    text = 'é → 𝄞 \ud800 \u2028 \x85 \\ """'
    (edit,) = planned(tmp_path, visit(new=text)).edits
    assert edit.new == text


def test_off_the_baseline_bands_are_pending_and_not_literals(tmp_path: Path) -> None:
    result = planned(tmp_path, visit(baseline=False, torch="2.15.0"))
    assert not result.edits
    (band,) = result.bands
    assert (band.golden, band.torch, band.new, band.inline) == ("clause#forward", "2.15.0", NEW, OLD)
    spelling = visit(baseline=False, verdict="cosmetic")
    assert planned(tmp_path / "2", spelling).pending == 0, "another spelling of the literal needs no band"


def test_goldens_that_no_cell_reached(tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(f'g.expect("""{OLD}""")\nh.expect("""{NEW}""")\nre.expect("no graph")\n')
    reached = visit(place=Place(str(file), (1, 9, 4, 3), OLD))
    (edit,) = unreferenced([file], [reached])
    assert (edit.category, edit.new, edit.old) == ("trim", "", NEW)
