"""Every clause's claims notice a program that computes nothing; and what a clause can claim.

Tried are clauses that are new or have changed since the kill matrix was written, and of the others one in `TRIED`; with
``--profile full``, or by ``python -m suites.selfcheck.claims``, all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from golden.expectation import GraphChanged, NoGraph, Session, use_session
from suites.harness import Check, Result, clause, tensor, torch_internals
from suites.harness.backends.registry import resolve
from suites.harness.clauses.endings import NotHappened, Rejected
from suites.harness.clauses.scope import Scope
from suites.harness.programs.specs import Variant
from suites.selfcheck import claims, kill_matrix
from suites.selfcheck.claims import NO_PROGRAM, NOT_HERE, NOTICED, UNNOTICED, ZEROS_ARE_RIGHT, Trial, nothing_like
from suites.selfcheck.clauses import Clause, every_clause
from suites.selfcheck.sampling import one_in

KNOWN = kill_matrix.read()
FAMILIES = sorted({clause.family for clause in every_clause()})

#: One in so many clauses that are as the kill matrix remembers them is tried again.
TRIED = 8


def _is_tried(clause: Clause, profile: str) -> bool:
    is_as_it_was = kill_matrix.current(clause, KNOWN) is not None and clause.id not in ZEROS_ARE_RIGHT
    return not is_as_it_was or profile == "full" or one_in(TRIED, clause.id, 1)


@pytest.mark.parametrize("family", FAMILIES)
def test_claims_notice_a_program_that_returns_zeros(family: str, pytestconfig: pytest.Config) -> None:
    mine = [each for each in every_clause() if each.family == family and not each.lacks()]
    trials = {each.id: claims.tried(each) for each in mine if _is_tried(each, pytestconfig.option.profile)}
    unnoticed = {name for name, trial in trials.items() if trial.outcome == UNNOTICED}
    expected = {name for name in ZEROS_ARE_RIGHT if name.startswith(f"{family}/")}
    assert unnoticed <= expected, "no claim of these is about what their program computes: result.values().expect(...)"
    assert expected <= unnoticed, "the claims of these notice now: take them out of ZEROS_ARE_RIGHT"
    lost = {name: trial.why for name, trial in trials.items() if trial.outcome == NOT_HERE}
    assert not {name for name, why in lost.items() if not why.endswith(("several processes", "no cell on the CPU"))}, (
        lost
    )


# What notices zeros ---------------------------------------------------------------------------------------------------


def tried(claim: Callable[[Result], object], program: Callable[..., Any], mode: str = "no_grad") -> Trial:
    """What comes of a clause with that program and that claim."""

    @clause(modes=(mode,), shapes=("static",))
    def test(check: Check) -> None:
        claim(check(program, tensor(3, values=[1.0, -2.0, 3.0])))

    scope = test.pytestmark[0].args[0]  # type: ignore[attr-defined]
    return claims.tried(Clause("family/group/test", test, scope, {}, "", True))


def double(a: torch.Tensor) -> torch.Tensor:
    return a * 2


def write(a: torch.Tensor) -> torch.Tensor:
    return a.mul_(2)


def refuse(a: torch.Tensor) -> torch.Tensor:
    raise ValueError(f"{tuple(a.shape)} are no good")


@pytest.mark.parametrize(
    ("claim", "program", "outcome"),
    [
        (lambda result: result.shape("out", 3), double, UNNOTICED),
        (lambda result: result.strides("out", 1).unchanged(0).distinct("out", 0), double, UNNOTICED),
        (lambda result: result.shape("out", 3).recompiled(0), double, UNNOTICED),
        (lambda result: result.values().expect("out = float32[3] [2, -4, 6]"), double, NOTICED),
        (lambda result: result.values().expect("out = float32[3] [2, -4, 7]"), double, NOT_HERE),
        (lambda result: result.computed(), double, NOTICED),
        (lambda result: result.computed(), refuse, NOT_HERE),
        (lambda result: result.computed_or_raised(), double, NOTICED),
        (lambda result: result.computed_or_raised(), refuse, NOTICED),
        (lambda result: result.mutated(0), write, NOTICED),
        (lambda result: result.same_object("out", 0), write, NOTICED),
        (lambda result: result.raised("no good"), refuse, NOTICED),
        (lambda result: result.in_call(1).raised(), refuse, NOTICED),
        (lambda result: result.forward.expect("def forward(): ..."), double, NOTICED),
    ],
)
def test_claims_that_notice_and_that_do_not(
    claim: Callable[[Result], object], program: Callable[..., Any], outcome: str
) -> None:
    assert tried(claim, program).outcome == outcome


def test_gradient_of_an_argument_alone_is_no_gradient_of_the_program() -> None:
    assert tried(lambda result: result.gradient(0), double, "train").outcome == NOTICED
    assert tried(lambda result: result.gradient(0), lambda a: a.detach() * 2, "train").outcome == NOT_HERE


class _Irreversible(torch.autograd.Function):
    """Negates; its backward raises."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        return -a

    @staticmethod
    def backward(ctx: Any, slope: torch.Tensor) -> torch.Tensor:
        raise ValueError("no way back")


def test_what_raises_in_backward_alone_has_computed_nothing_to_rely_on() -> None:
    told = tried(lambda result: result.computed(), _Irreversible.apply, "train")
    assert (told.outcome, "no way back" in told.why) == (NOT_HERE, True)
    assert tried(lambda result: result.computed(), _Irreversible.apply).outcome == NOTICED


def test_clause_without_a_program_is_told_apart() -> None:
    def test(check: Check) -> None:
        check.demand("structure", "one and one", 2, 1 + 1)

    assert claims.tried(Clause("family/group/test", test, Scope(), {}, "", True)) == Trial(NO_PROGRAM)


def test_zeros_have_the_structure_strides_and_dtypes_of_what_they_stand_for() -> None:
    shared = torch.ones(2, 3, dtype=torch.int8).t()
    found = nothing_like(({"a": shared, "b": [shared, shared[0]]}, 7, True, None, "text", torch.ones(2).expand(3, 2)))
    tensors = [found[0]["a"], *found[0]["b"], found[-1]]
    assert [tuple(each.stride()) for each in tensors] == [(1, 3), (1, 3), (3,), (0, 1)]
    assert [each.dtype for each in tensors] == [torch.int8] * 3 + [torch.float32]
    assert not any(bool(each.any()) for each in tensors)
    assert found[0]["a"] is found[0]["b"][0]
    assert found[0]["a"].untyped_storage().data_ptr() != found[0]["b"][1].untyped_storage().data_ptr()
    assert found[1:5] == (0, False, None, "")
    assert type(found[2]) is bool


# What a clause can claim ----------------------------------------------------------------------------------------------


def checked(backend: str = "aot_eager") -> Check:
    variant = Variant("no_grad", "static", "plain")
    return Check(resolve(backend), variant, Scope(modes=("no_grad",), shapes=("static",)))


def accumulate(a: torch.Tensor, by: int) -> tuple[torch.Tensor, int]:
    if by > 1:
        a.add_(by)
    return a * by, by


CALLS = [(tensor(2, values=[1.0, 2.0]), 1), (tensor(2, values=[1.0, 2.0]), 3)]


def test_claims_about_a_later_call() -> None:
    result = checked()(accumulate, calls=CALLS)
    result.unchanged(0).holds("out[1]", 1)
    later = result.in_call(1).mutated(0).holds("out[1]", 3).shape("out[0]", 2)
    assert later.value("arg[0]").tolist() == [4.0, 5.0]
    assert result.value("arg[0]").tolist() == [1.0, 2.0], "the result that it came from is still about the first call"
    assert result.in_call(-1).call is later.call
    with pytest.raises(NotHappened):
        result.in_call(1).unchanged(0)
    with pytest.raises(Rejected, match="no call 2: there are 2"):
        result.in_call(2)


def test_error_of_one_call() -> None:
    def program(a: torch.Tensor, good: bool) -> torch.Tensor:
        return a @ a if good else a @ a[:1]

    result = checked()(program, calls=[(tensor(2, 2), True), (tensor(2, 2), False)])
    result.in_call(1).raised("cannot be multiplied").in_call(1).raised()
    with pytest.raises(NotHappened):
        result.in_call(0).raised()
    with pytest.raises(NotHappened):
        result.raised()
    for claim in (Result.values, Result.value, lambda result, path: result.aliases(path, 0)):
        with pytest.raises(Rejected, match=r"^eager raised RuntimeError: .*multiplied.*; no (tensor|value) out"):
            claim(result.in_call(1), "out")


def test_values_are_of_outputs_and_of_what_the_call_changed() -> None:
    result = checked()(accumulate, calls=CALLS)
    with use_session(Session("strict", "clause[cell]")) as session:
        result.values().expect("out[0] = float32[2] [1, 2]\nout[1] = int 1")
        result.in_call(1).values().expect("""
            out[0] = float32[2] [12, 15]
            out[1] = int 3
            arg[0] = float32[2] [4, 5]
        """)
        result.in_call(1).values(0).expect("arg[0] = float32[2] [4.0001, 5]")
        with pytest.raises(GraphChanged, match=r"eager's values are changed: arg\[0\] has 5 where it had 6"):
            result.in_call(1).values("arg[0]").expect("arg[0] = float32[2] [4, 6]")
    assert [verdict.golden for verdict in session.verdicts][:2] == ["clause#values", "clause#values.2"]
    with pytest.raises(Rejected, match=r"no value out\[7\] in the observation; there are arg\[0\], arg\[1\], out"):
        result.values("out[7]")


def test_values_are_compared_on_every_backend_in_the_variant_of_goldens() -> None:
    values = checked("eager")(double, tensor(2)).values()
    with pytest.raises(GraphChanged, match="eager's values are changed"):
        values.expect("out = float32[2] [7, 7]")
    scope = Scope(modes=("no_grad", "train"), shapes=("static",))
    elsewhere = Check(resolve("eager"), Variant("train", "static", "plain"), scope)(double, tensor(2)).values()
    assert isinstance(elsewhere, NoGraph)
    assert elsewhere.expect("out = float32[2] [7, 7]").verdict == "elsewhere"


def test_values_are_written_down_in_the_home_of_goldens_alone() -> None:
    with use_session(Session("record", "cell")):
        assert isinstance(checked("eager")(double, tensor(2)).values(), NoGraph)


def test_call_that_leaves_no_value_has_none_to_expect() -> None:
    result = checked()(lambda a: [torch.zeros_like(a)][:0], tensor(2))
    with pytest.raises(Rejected, match="nothing to expect"):
        result.values()


def test_what_a_hook_returns_is_entered_or_ignored() -> None:
    def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b

    hooks = [lambda program: program.__name__, lambda program: torch.autocast("cpu", torch.bfloat16)]
    result = checked()(product, calls=[(tensor(2, 2), tensor(2, 2))] * 2, before=hooks)
    assert [call.tensors["out"].dtype for call in result.expected.calls] == ["float32", "bfloat16"]


def test_what_is_compiled_by_hand_is_counted() -> None:
    check = checked()
    with check.compiled(double, dynamic=False) as compiled:
        assert compiled(torch.ones(2)).tolist() == [2.0, 2.0]
        assert compiled(torch.ones(3)).tolist() == [2.0, 2.0, 2.0]
    check.demand("reuse", "graphs", 2, compiled.graphs)
    assert check.cell.verdict is not None
    assert check.cell.verdict.counter.graphs == 2
    assert check.cell.verdict.counter.compile_seconds > 0


def test_settings_hold_while_what_was_compiled_by_hand_runs() -> None:
    check, name = checked(), "functorch.functionalize_rng_ops"
    with check.compiled(double, config={name: True}):
        assert torch_internals.setting(name)
    assert not torch_internals.setting(name)


def test_graphs_compiled_by_hand_are_added_to_those_of_the_cell() -> None:
    check = checked()
    result = check(double, tensor(2))
    before = result.verdict.counter.graphs
    with check.compiled(double) as compiled:
        compiled(torch.ones(2))
    assert result.verdict.counter.graphs == before + 1


def test_beginning_that_no_clause_has_is_refused_and_help_tries_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        claims.main(["mutatoin/"])
    assert refused.value.code == 2
    assert "no clause's id begins with 'mutatoin/'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as helped:
        claims.main(["--help"])
    assert helped.value.code == 0
    assert "usage: python -m suites.selfcheck.claims" in capsys.readouterr().out
