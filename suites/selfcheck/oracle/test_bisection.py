"""Whose divergence is it: the reference backends, inheritance, and what only a second call shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import torch

from suites.harness import tensor
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions
from suites.harness.backends.registry import resolve
from suites.harness.execution.runners import forked
from suites.harness.observation.observe import Call, CallOptions, ErrorFacts, Observation, observe
from suites.harness.observation.walk import Entry
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import Aborted, Completed, Run, Runner, Subject
from suites.harness.programs.clause_programs import ClauseProgram
from suites.harness.torch_internals import setting

CANDIDATE = "inductor"


def _subject(calls: int = 2) -> Subject:
    specs = (tensor(2, grad=False),)
    return Subject(ClauseProgram(lambda a: a + 1, (specs,) * calls), CallOptions("no_grad"))


def _observed(subject: Subject, only_call: int | None = None) -> Observation:
    return observe(subject.program, lambda run: run, subject.call_options, only_call=only_call)


Changes = dict[str, Callable[[Observation], object]]


def _staged(changes: Changes, *, alone: Changes | None = None, lost: dict[str, Aborted] | None = None) -> Examination:
    """Examine with layers that differ as said: what each run comes to is written by hand."""
    subject = _subject()

    def runner(run: Run) -> Completed | Aborted:
        if run.layer in (lost or {}):
            return (lost or {})[run.layer or ""]
        observation = _observed(subject, run.only_call)
        chosen = changes if run.only_call is None else (alone or {})
        layer = run.layer or "plain"
        if layer in chosen:
            chosen[layer](observation)
        return Completed(observation, CompileCounter(graphs=1, graphs_by_call=[1, 1]))

    return examine(subject, resolve(CANDIDATE), runner)


def _output(number: int, **facts: tuple[int, ...]) -> Callable[[Observation], object]:
    """Something is otherwise in the output of one call."""

    def change(observation: Observation) -> None:
        call = observation.calls[number if len(observation.calls) > 1 else 0]
        call.tensors["out"] = dataclasses.replace(call.tensors["out"], **facts)  # type: ignore[arg-type]

    return change


def _shape(number: int) -> Callable[[Observation], object]:
    return _output(number, shape=(2, 1), strides=(1, 1))


def _layers(verdict: Examination) -> list[tuple[str, str]]:
    return [(item.facet, item.layer) for item in verdict.divergences]


def test_no_divergence_is_a_pass() -> None:
    assert _staged({}).outcome == "pass"


def test_divergence_of_the_candidate_is_its_own() -> None:
    verdict = _staged({CANDIDATE: _shape(0)})
    assert (verdict.outcome, _layers(verdict)) == ("fail", [("shape", CANDIDATE)])


@pytest.mark.parametrize("layer", ["eager", "aot_eager", "aot_eager_decomp_partition"])
def test_divergence_that_a_lower_layer_has_is_inherited(layer: str) -> None:
    verdict = _staged({CANDIDATE: _shape(0), layer: _shape(0)})
    assert (verdict.outcome, _layers(verdict)) == ("inherited", [("shape", layer)])


def test_first_layer_is_named() -> None:
    verdict = _staged({CANDIDATE: _shape(0), "eager": _shape(0), "aot_eager": _shape(0)})
    assert verdict.layer == "eager"


def test_another_divergence_below_is_no_excuse() -> None:
    def device(observation: Observation) -> None:
        call = observation.calls[0]
        call.tensors["out"] = dataclasses.replace(call.tensors["out"], device="meta")

    verdict = _staged({CANDIDATE: _shape(0), "aot_eager": device})
    assert verdict.outcome == "fail"


def _value(change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Observation], object]:
    def changed(observation: Observation) -> None:
        facts = observation.calls[0].tensors["out"]
        assert facts.value is not None
        observation.calls[0].tensors["out"] = dataclasses.replace(facts, value=change(facts.value))

    return changed


def _one_off(value: torch.Tensor) -> torch.Tensor:
    return value + torch.tensor([0.5, 0.0])


@pytest.mark.parametrize(
    ("change", "outcome", "layer"),
    [
        (_one_off, "inherited", "aot_eager"),
        (lambda value: _one_off(value) * (1 + 1e-7), "inherited", "aot_eager"),
        (lambda value: value * 0, "fail", CANDIDATE),
        (lambda value: value - torch.tensor([0.5, 0.0]), "fail", CANDIDATE),
    ],
)
def test_another_value_than_the_one_below_is_not_inherited(
    change: Callable[[torch.Tensor], torch.Tensor], outcome: str, layer: str
) -> None:
    verdict = _staged({CANDIDATE: _value(change), "aot_eager": _value(_one_off)})
    assert (verdict.outcome, _layers(verdict)) == (outcome, [("value", layer)])


@pytest.mark.parametrize(
    ("merged", "outcome"),
    [((), "fail"), (("aot_eager",), "inherited"), ((CANDIDATE, "aot_eager"), "inherited")],
)
def test_gradient_that_follows_from_other_outputs_is_inherited(merged: tuple[str, ...], outcome: str) -> None:
    """Where outputs are other tensors, backward starts from others: that gradients differ, too, says nothing."""

    def gradient(layer: str, times: float) -> Callable[[Observation], None]:
        def change(observation: Observation) -> None:
            call = observation.calls[0]
            value = call.tensors["out"].value
            assert value is not None
            call.gradients["leaf[0]"] = dataclasses.replace(call.tensors["out"], value=value * times)
            if layer in merged:
                call.entries["out"] = Entry("same", "Tensor", "arg[0]")

        return change

    layers = {"plain": 1, "aot_eager": 3, CANDIDATE: 2}
    assert _staged({layer: gradient(layer, times) for layer, times in layers.items()}).outcome == outcome


def test_layer_that_comes_to_the_same_is_named() -> None:
    changes = {CANDIDATE: _value(torch.zeros_like), "aot_eager_decomp_partition": _value(torch.zeros_like)}
    assert _staged({**changes, "aot_eager": _value(_one_off)}).layer == "aot_eager_decomp_partition"


def test_one_divergence_of_its_own_among_inherited_ones_fails() -> None:
    def both(observation: Observation) -> None:
        _shape(0)(observation)
        observation.calls[0].global_state["grad mode"] = "?"

    verdict = _staged({CANDIDATE: both, "aot_eager": _shape(0)})
    assert verdict.outcome == "fail"
    assert set(_layers(verdict)) == {("shape", "aot_eager"), ("state", CANDIDATE)}


def test_later_call_that_is_wrong_only_after_the_first_is_reuse() -> None:
    verdict = _staged({CANDIDATE: _shape(1)})
    assert [(item.facet, item.kind) for item in verdict.divergences] == [
        ("reuse", "shape on a later call: shape differs")
    ]


def test_later_call_that_is_wrong_by_itself_is_not_reuse() -> None:
    verdict = _staged({CANDIDATE: _shape(1)}, alone={CANDIDATE: _shape(1)})
    assert [item.facet for item in verdict.divergences] == ["shape"]


def test_what_the_second_call_repeats_is_told_once() -> None:
    def twice(observation: Observation) -> None:
        _shape(0)(observation)
        _shape(1)(observation)

    assert len(_staged({CANDIDATE: twice}).divergences) == 1


@pytest.mark.parametrize(("facet", "outcome"), [("crash", "crash"), ("timeout", "timeout")])
def test_lost_candidate(facet: str, outcome: str) -> None:
    verdict = _staged({}, lost={CANDIDATE: Aborted(facet, "SIGSEGV")})
    assert (verdict.outcome, _layers(verdict)) == (outcome, [(facet, CANDIDATE)])
    assert not verdict.divergences[0].silent


def test_crash_that_a_lower_layer_has_too_is_inherited() -> None:
    verdict = _staged({}, lost={CANDIDATE: Aborted("crash", "SIGSEGV"), "aot_eager": Aborted("crash", "SIGSEGV")})
    assert (verdict.outcome, verdict.layer) == ("inherited", "aot_eager")


def test_crash_of_another_kind_below_is_no_excuse() -> None:
    verdict = _staged({}, lost={CANDIDATE: Aborted("crash", "SIGSEGV"), "aot_eager": Aborted("crash", "SIGABRT")})
    assert verdict.outcome == "crash"


def test_eager_that_does_not_come_back_is_the_programs_error() -> None:
    verdict = examine(_subject(), resolve("aot_eager"), lambda run: Aborted("crash", "SIGSEGV"))
    assert (verdict.outcome, "eager itself" in verdict.detail) == ("error", True)


@pytest.mark.parametrize(
    ("number", "undone_by", "told"),
    [
        (0, "inductor.shape_padding", "layout: strides differ by padding for a product"),
        (1, "inductor.shape_padding", "reuse: layout on a later call: strides differ by padding for a product"),
        (0, "inductor.emulate_precision_casts", "layout: strides differ"),
    ],
)
def test_what_inductor_chose_is_told_by_the_setting_without_which_it_is_gone(
    number: int, undone_by: str, told: str
) -> None:
    subject = _subject()

    def runner(run: Run) -> Completed:
        observation = _observed(subject, run.only_call)
        if run.layer == CANDIDATE and run.only_call is None and undone_by not in dict(run.settings):
            _output(number, strides=(2,))(observation)
        return Completed(observation, CompileCounter(graphs=1, graphs_by_call=[1, 1]))

    verdict = examine(subject, resolve(CANDIDATE), runner)
    assert [f"{item.facet}: {item.kind}" for item in verdict.divergences] == [told]
    assert verdict.outcome == "fail"


def _raises(observation: Observation) -> None:
    observation.calls[0] = Call(error=ErrorFacts("RuntimeError", "no such kernel"))


@pytest.mark.parametrize(
    ("without", "told"),
    [
        (_value(lambda value: value), "value differs by an elided low-precision round trip"),
        (_value(torch.zeros_like), "value differs"),
        (_raises, "value differs"),
    ],
)
def test_run_without_a_choice_that_raises_decides_nothing(without: Callable[[Observation], object], told: str) -> None:
    subject = _subject()

    def runner(run: Run) -> Completed:
        observation = _observed(subject, run.only_call)
        if run.layer == CANDIDATE and run.only_call is None:
            (without if run.settings else _value(torch.zeros_like))(observation)
        return Completed(observation, CompileCounter(graphs=1, graphs_by_call=[1, 1]))

    assert [item.kind for item in examine(subject, resolve(CANDIDATE), runner).divergences] == [told]


def test_run_is_made_with_its_settings() -> None:
    seen: list[bool] = []

    def as_it_is(program: Callable[..., Any], options: CompileOptions, counter: CompileCounter) -> Callable[..., Any]:
        seen.append(setting("inductor.shape_padding"))
        return program

    for settings in ((), (("inductor.shape_padding", False),)):
        _subject(calls=1).make(Run(Backend("mine", as_it_is), settings=settings))
    assert seen == [True, False]


def _fixed(counter: CompileCounter, error: str = "") -> Runner:
    def runner(run: Run) -> Completed:
        observation = _observed(_subject())
        if error and run.layer is not None:
            observation.calls = [Call(error=ErrorFacts("BackendCompilerFailed", error)) for _ in range(2)]
        return Completed(observation, counter)

    return runner


def test_candidate_that_compiled_nothing_is_vacuous() -> None:
    assert examine(_subject(), resolve(CANDIDATE), _fixed(CompileCounter())).outcome == "vacuous"


@pytest.mark.parametrize(
    "message, told", [("no complex numbers", "no complex numbers"), ("no\nyes", "no"), ("", "not implemented")]
)
def test_candidate_that_says_it_is_not_implemented_is_unsupported(message: str, told: str) -> None:
    error = f"backend='x' raised:\nNotImplementedError: {message}\n\nSet TORCHDYNAMO_VERBOSE=1 for the stack trace\n"
    verdict = examine(_subject(), resolve(CANDIDATE), _fixed(CompileCounter(), error))
    assert (verdict.outcome, verdict.detail) == ("unsupported", f"the backend says: {told}")


_REFUSED = ErrorFacts("BackendCompilerFailed", "backend='x' raised:\nNotImplementedError: no integers")


def _refuses(observation: Observation) -> None:
    observation.calls[-1] = Call(error=_REFUSED)


def _refuses_backward(observation: Observation) -> None:
    last = observation.calls[-1]
    last.backward_ran, last.backward_error, last.gradients = True, _REFUSED, {}


@pytest.mark.parametrize("refuses", [_refuses, _refuses_backward])
@pytest.mark.parametrize(("wrong", "outcome"), [(True, "fail"), (False, "unsupported")])
def test_what_is_wrong_before_a_refusal_counts(
    refuses: Callable[[Observation], None], wrong: bool, outcome: str
) -> None:
    def change(observation: Observation) -> None:
        refuses(observation)
        if wrong:
            _shape(0)(observation)

    verdict = _staged({CANDIDATE: change}, alone={CANDIDATE: change})
    assert verdict.outcome == outcome
    assert [(item.facet, item.where) for item in verdict.divergences] == [("shape", "call 1: out")] * wrong


def test_forward_of_a_call_whose_backward_is_refused_counts() -> None:
    def change(observation: Observation) -> None:
        _refuses_backward(observation)
        _shape(1)(observation)

    assert _staged({CANDIDATE: change}, alone={CANDIDATE: _shape(1)}).outcome == "fail"


def test_what_a_refused_call_left_undone_is_not_wrong_later() -> None:
    def change(observation: Observation) -> None:
        observation.calls[0] = Call(error=_REFUSED)
        _shape(1)(observation)

    assert _staged({CANDIDATE: change}).outcome == "unsupported"


def test_eager_that_raises_as_the_candidate_does_is_not_vacuous() -> None:
    def runner(run: Run) -> Completed:
        return Completed(Observation([Call(error=ErrorFacts("RuntimeError", "no"))] * 2), CompileCounter())

    assert examine(_subject(), resolve(CANDIDATE), runner).outcome == "pass"


@pytest.mark.parametrize("apart", [False, True], ids=["here", "in_forks"])
def test_backend_that_no_name_leads_to_is_examined(apart: bool) -> None:
    half = Backend("mine", lambda program, options, counter: _halved(program, counter))
    subject = _subject()
    verdict = examine(subject, half, forked(subject, 60) if apart else None)
    assert (verdict.outcome, _layers(verdict)) == ("fail", [("value", "mine")])


def _halved(program: Callable[..., Any], counter: CompileCounter) -> Callable[..., Any]:
    counter.graphs += 1
    return lambda *args: program(*args) / 2


def test_runs_in_processes_of_their_own_see_what_runs_in_this_one_do() -> None:
    subject = _subject()
    for make in (subject.make, forked(subject, 60)):
        made: Any = make(Run(resolve("aot_eager")))
        assert made.counter.graphs == 1
        value = made.observation.calls[1].tensors["out"].value
        assert torch.equal(value, subject.make(Run()).observation.calls[1].tensors["out"].value)  # type: ignore[arg-type]


def test_fingerprint_is_layer_facet_and_kind() -> None:
    item = Divergence("value", "value differs", "call 1: out", "1", "2", layer="inductor")
    assert item.fingerprint == "inductor:value:value differs"
    assert dataclasses.replace(item, where="call 2: out[7]", seen="3").fingerprint == item.fingerprint
