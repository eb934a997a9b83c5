"""Which operators run changed by default: those that a change makes reach what none of them reaches as it is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from suites.operators.table import choices, reaching
from suites.operators.table.changes import FEW
from suites.operators.table.choosing import Measuring
from suites.operators.table.programs import outputs_of


def test_an_operator_stays_for_what_nothing_before_it_reaches() -> None:
    plain = [frozenset("ab"), frozenset("c")]
    changed = {
        "few": {"neg": frozenset("ad"), "abs": frozenset("de"), "sin": frozenset("bc")},
        "larger": {"neg": frozenset("de"), "abs": frozenset("ae"), "sin": frozenset("f")},
    }
    assert reaching.beyond(plain, changed) == {"few": ["abs"], "larger": ["sin"]}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = {kind: ["abs", "neg"] for kind in reaching.CHANGED}
    choices.write_names(found, "2.13.0", tmp_path / "reaching.json")
    assert reaching.reaching(tmp_path / "reaching.json") == {kind: {"abs", "neg"} for kind in found}


@pytest.mark.parametrize("kind", reaching.CHANGED)
def test_operators_that_reach_something_are_of_models_and_take_the_change(kind: str) -> None:
    names = [choice.name for choice in choices.of_profile("default") if reaching.takes(choice, kind)]
    assert reaching.reaching()[kind]
    assert reaching.reaching()[kind] <= set(names)


def test_what_is_measured_is_what_the_layer_runs() -> None:
    pytest.importorskip("coverage", reason="the package coverage measures")
    choice = choices.named("nn_functional_cross_entropy")
    with Measuring() as measuring:
        reaching.reached(measuring, choice, outputs_of)  # What registers decompositions runs once.
        drawn = reaching.reached(measuring, choice, outputs_of)
        # Remembered answers would leave branches out.
        assert reaching.reached(measuring, choice, outputs_of) == drawn
        few = reaching.reached(measuring, choice, reaching.CHANGED[FEW], change=FEW)
    assert drawn
    assert few - drawn, "what only something of no elements runs"
