"""The table of operators as data: what is written by hand and by the tool agree with torch's own table."""

from __future__ import annotations

import fnmatch
from pathlib import Path

import pytest
import torch

from suites.harness import torch_internals
from suites.operators.table import choices, choosing, modules
from suites.operators.table.choices import LEFT_OUT, Choice, Exempt, Table
from suites.selfcheck.sampling import one_in

BASELINE = torch.__version__.partition("+")[0] == torch_internals.BASELINE
#: One in so many operators makes its samples again: they change with the table that is pinned, or with the choice.
ASKED = 8
OTHER = f"torch {torch.__version__} has tables of its own; python -m suites.operators.table.choosing --drift names them"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    known = (Choice("abs", "float32", ("[5]",), ("int64",), True, False), Choice("neg", "int64", ("[]", "[2]")))
    choices.write(reversed(known), "2.13.0", tmp_path / "choices.json")
    assert choices.operators(tmp_path / "choices.json") == known
    assert choices.written_for(tmp_path / "choices.json") == "2.13.0"


def test_operators_of_the_default_profile_are_chosen_from() -> None:
    assert choices.table().default <= {choice.name for choice in choices.operators()}
    assert {choice.name for choice in choices.of_profile("default")} == choices.table().default


def test_every_operator_is_in_one_profile() -> None:
    both = [*choices.of_profile("default"), *choices.of_profile("full")]
    assert sorted(both, key=lambda choice: choice.name) == list(choices.operators())


@pytest.mark.skipif(not BASELINE, reason=OTHER)
def test_every_exemption_is_of_an_operator_or_a_module() -> None:
    names = [*torch_internals.operator_table(), *torch_internals.module_table()]
    patterns = [pattern for each in choices.table().exempt for pattern in each.operators]
    assert not [pattern for pattern in patterns if not fnmatch.filter(names, pattern)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not BASELINE, reason=OTHER)
def test_choice_is_of_the_samples_that_torch_has(pytestconfig: pytest.Config) -> None:
    """Of one operator in `ASKED`; with ``--profile full`` of all."""
    asked = 1 if pytestconfig.option.profile == "full" else ASKED
    known = [choice for choice in choices.operators() if one_in(asked, choice.name)]
    infos = {name: info for name, info in torch_internals.operator_table().items() if one_in(asked, name)}
    assert len(known) > len(choices.operators()) / (2 * asked)
    assert not list(choosing.drift(known, infos))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not BASELINE, reason=OTHER)
def test_modules_are_chosen_as_the_tool_does() -> None:
    found = (choosing.choose_module(name, info) for name, info in sorted(torch_internals.module_table().items()))
    assert tuple(choice for choice in found if choice is not None) == choices.operators(modules.PLACE)


def test_exemption_without_a_reason_or_of_no_kind_is_refused(tmp_path: Path) -> None:
    for line, said in (
        ('what = "left out"', "no reason why abs: left out"),
        ('what = "slow"', "'slow' of abs is none"),
    ):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.toml"
        path.write_text(f'[default]\n[[exempt]]\n{line}\noperators = ["abs"]\n')
        with pytest.raises(ValueError, match=said):
            choices.table(path)


def test_samples_are_left_out_by_patterns_that_know_no_brackets() -> None:
    own = Table(frozenset(), (Exempt(LEFT_OUT, ("any*",), "undefined", ("[5, ?], *",)),))
    assert own.leaves_out("any_of", "[5, 5], dim=1")
    assert not own.leaves_out("any_of", "5, dim=1")
    assert not own.leaves_out("all", "[5, 5], dim=1")
    assert not own.reason("any_of", LEFT_OUT)


def test_importing_torchs_tables_changes_nothing_else() -> None:
    torch_internals.operator_table()
    before = torch.backends.mkldnn.deterministic
    torch.backends.mkldnn.deterministic = before


def test_operator_that_is_left_out_in_a_dtype_runs_in_the_others() -> None:
    own = Table(frozenset(), (Exempt(LEFT_OUT, ("pinv*",), "undefined", dtypes=("complex64",)),))
    assert own.leaves_out_dtype("pinverse", "complex64")
    assert not own.leaves_out_dtype("pinverse", "float64")
    assert not own.reason("pinverse", LEFT_OUT)
    assert not own.leaves_out("pinverse", "[3, 3]")
