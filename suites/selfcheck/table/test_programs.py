"""What the table's clauses run."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from suites.harness.backends.registry import resolve
from suites.harness.clauses.check import Check
from suites.harness.clauses.endings import Diverged, NotSupported
from suites.harness.clauses.scope import Scope
from suites.harness.programs.errors import OtherRelease
from suites.harness.programs.specs import Variant
from suites.operators.table import choices
from suites.operators.table.choices import Choice
from suites.operators.table.programs import ErrorProgram, OperatorProgram, outputs_of, written_by
from suites.selfcheck.mutants import MUTANTS


def _check(backend: str = "aot_eager", mode: str = "train") -> Check:
    return Check(resolve(backend), Variant(mode), Scope(modes=(mode,)))


def _program(choice: Choice, mode: str = "train") -> OperatorProgram:
    return OperatorProgram(choice, "cpu", mode, outputs_of)


SOFTMAX = Choice("softmax", "float32", ("[5], 0", "[5, 5], 0"))


def test_inputs_of_each_run_are_its_own_and_alike() -> None:
    instance = _program(SOFTMAX).instantiate()
    first, second = (build().args[0][0][0] for build in instance.calls)
    assert first is not second
    assert torch.equal(first, second)
    assert first.requires_grad
    assert not _program(SOFTMAX, "no_grad").instantiate().calls[0]().args[0][0][0].requires_grad
    assert _program(SOFTMAX).instantiate(upcast=True).calls[0]().args[0][0][0].dtype == torch.float64


def test_generators_are_found_alike_whether_samples_are_drawn_or_remembered() -> None:
    states = []
    for _ in range(2):
        torch.manual_seed(0)
        _program(dataclasses.replace(SOFTMAX, samples=("[5, 5], -1",))).instantiate()
        states.append(torch.get_rng_state())
    assert torch.equal(*states)


def test_operator_passes_and_a_wrong_one_does_not() -> None:
    assert len(_check().program(_program(SOFTMAX)).computed().call.gradients) == 2
    with pytest.raises(Diverged):
        _check(MUTANTS["values:one_element_off"].backend).program(_program(SOFTMAX))


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (Choice("gone", "float32", ("[]",)), "has no operator gone in its table"),
        (Choice("softmax", "float32", ("[99]",)), "has none of the chosen samples of softmax in float32"),
    ],
)
def test_what_another_release_has_not_is_not_supported(choice: Choice, said: str) -> None:
    with pytest.raises(OtherRelease, match=said):
        _program(choice).instantiate()
    with pytest.raises(NotSupported, match=said):
        _check().program(_program(choice))


def test_writes_reach_the_middle_row_alone() -> None:
    program = OperatorProgram(choices.named("add"), "cpu", "no_grad", written_by)
    result = _check(mode="no_grad").program(program)
    assert result.call.changed
    before = program.instantiate().calls[0]().args
    for number, (_, _, *targets) in enumerate(before):
        for place, target in enumerate(targets, 2):
            if target is not None:
                after = result.value(f"arg[{number}][{place}]")
                assert torch.equal(after[0], target[0])
                assert torch.equal(after[2], target[2])


def test_refused_inputs_are_refused_by_both() -> None:
    result = _check(mode="no_grad").program(ErrorProgram(choices.named("gather"), "cpu"))
    assert all(call.error is not None for call in result.expected.calls)


def test_memory_for_a_result_does_not_hold_it_before_the_call() -> None:
    for name in ("linalg_inv", "isposinf"):
        result = _check(mode="no_grad").program(OperatorProgram(choices.named(name), "cpu", "no_grad", written_by))
        assert any(path.endswith("[3]") for path in result.call.changed)
