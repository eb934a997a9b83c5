"""Samples are chosen for what they reach of torch's decompositions."""

from __future__ import annotations

import math
import types
from typing import Any

import pytest
import torch

from suites.harness import torch_internals
from suites.operators.table import choices, choosing
from suites.operators.table.choices import LEFT_OUT, Choice, Exempt, Table
from suites.operators.table.samples import Sample


def _sample(key: str, *args: Any, **kwargs: Any) -> Sample:
    return Sample(key, args, kwargs)


def test_fewest_samples_that_reach_all_are_chosen_in_their_order() -> None:
    reached = {"a": frozenset("x"), "b": frozenset("xyz"), "c": frozenset("w"), "d": frozenset("yw")}
    assert choosing.covering(reached) == ["b", "c"]
    assert choosing.covering(reached, most=1) == ["b"]
    assert choosing.covering({}) == []


def test_calls_alike_in_all_but_sizes_and_numbers_are_measured_so_many_times() -> None:
    keys = ["[5], 1", "[6], 2", "[7], 3", "[7], 3 #2", "[0], 1", "[5], dim=1"]
    kept = [sample.key for sample in choosing.differing(map(_sample, keys), alike=2)]
    assert kept == ["[5], 1", "[6], 2", "[0], 1", "[5], dim=1"]


def test_form_tells_ranks_words_and_emptiness() -> None:
    told = choosing.form(_sample("", torch.zeros(2, 0), "mean", None, 3, keepdim=True))
    assert told == {"0: rank 2", "1=mean", "2=None", "keepdim=True", "keepdim", "no elements"}


@pytest.fixture(scope="module")
def measuring() -> Any:
    with choosing.Measuring() as measured:
        yield measured


def test_branch_of_a_decomposition_is_reached_by_the_call_that_takes_it(measuring: choosing.Measuring) -> None:
    def reach(**kwargs: Any) -> tuple[choosing.Reached, set[str]]:
        mode = choosing.TakenApart()
        sample = _sample("", torch.rand(3, requires_grad=True), torch.rand(3), **kwargs)
        return measuring.reached(lambda: choosing.called(torch.nn.functional.huber_loss, sample, mode)), mode.names

    (mean, names), (again, _), (added, _) = reach(), reach(), reach(reduction="sum")
    assert mean == again
    assert mean != added
    assert {file for file, *_ in mean} >= {"_decomp/decompositions.py"}
    assert "aten.huber_loss.default" not in names


def test_error_of_a_call_is_no_error_of_the_measurement(measuring: choosing.Measuring) -> None:
    def refused() -> None:
        raise RuntimeError

    assert measuring.reached(refused) == frozenset()


def test_operator_is_chosen_from_but_for_what_is_left_out(measuring: choosing.Measuring) -> None:
    infos = torch_internals.operator_table()
    every = choosing.choose("softmax", Table(frozenset(), ()), measuring, infos, limit=math.inf)
    assert every is not None
    assert "[5, 5], 0" in every.samples
    own = Table(frozenset(), (Exempt(LEFT_OUT, ("softmax",), "for a test", ("[5, 5], *",)),))
    fewer = choosing.choose("softmax", own, measuring, infos, limit=math.inf)
    assert fewer is not None
    assert fewer.samples
    assert not [key for key in fewer.samples if key.startswith("[5, 5], ")]


def test_operator_without_a_known_dtype_is_not_chosen_from(measuring: choosing.Measuring) -> None:
    info = types.SimpleNamespace(dtypes={torch.float8_e4m3fn})
    assert choosing.choose("scaled", Table(frozenset(), ()), measuring, {"scaled": info}) is None


def test_drift_is_named() -> None:
    infos = {name: torch_internals.operator_table()[name] for name in ("abs", "neg")}
    known = [Choice("abs", "float32", (*choices.named("abs").samples, "[77]")), Choice("gone", "float32", ("[]",))]
    assert list(choosing.drift(known, infos)) == [
        "abs: no sample '[77]'",
        f"gone: torch {torch.__version__} has no such operator",
        f"neg: torch {torch.__version__} has it, and nothing is chosen of it",
    ]


def test_unknown_operator_is_a_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert choosing.main(["no_such_operator"]) == 2
    assert capsys.readouterr().err == (f"no operator 'no_such_operator' in the table of torch {torch.__version__}\n")
