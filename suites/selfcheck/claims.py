"""Which clauses notice that their program computes nothing: the proof that their claims are about what they are about.

A clause's program is replaced by one that returns zeros: of the same structure, shapes, strides and dtypes, without
touching its arguments, without autograd, drawing nothing, raising nothing. The candidate agrees with it, so nothing but
a claim about eager can tell. What the clause demands of the candidate (how often it compiles, what it refuses) holds
here by definition, and graphs of zeros are other graphs::

    python -m suites.selfcheck.claims               # the clauses whose claims do not notice
    python -m suites.selfcheck.claims operators/    # those whose ids begin so
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from golden.expectation import VALUES, Session, use_session
from suites.harness import torch_internals
from suites.harness.backends.backend import Backend
from suites.harness.backends.registry import resolve
from suites.harness.clauses.cell import CellInProgress
from suites.harness.clauses.check import Check
from suites.harness.clauses.result import Result
from suites.harness.clauses.scope import Scope
from suites.harness.execution.isolation import one_thread
from suites.harness.observation.global_state import GlobalState
from suites.harness.observation.observe import Observation, observe
from suites.harness.oracle.examine import Examination
from suites.harness.oracle.runs import Run, Subject
from suites.harness.programs.specs import Variant
from suites.harness.results.outcomes import Outcome
from suites.selfcheck.clauses import Clause, every_clause

#: What a clause comes to: its claims notice the zeros or do not; it runs no program through `Check`, or not here.
NOTICED, UNNOTICED, NO_PROGRAM, NOT_HERE = "noticed", "unnoticed", "no program", "not here"

#: Clauses whose program returns zeros, or nothing, in eager too, with the reason.
ZEROS_ARE_RIGHT: dict[str, str] = {
    "autograd/custom_functions/function_in_forward_mode": "a `jvp` of its own that says zero is what the clause tells",
    "fuzz/frozen/program_that_search_found(program=difference_of_nothing)": "its tensors have no elements",
    "fuzz/frozen/program_that_search_found(program=dropout_of_everything)": "dropout of everything leaves zeros",
}


@dataclasses.dataclass(frozen=True)
class Trial:
    """What came of a clause: one of the words above, and why."""

    outcome: str
    why: str = ""


def tried(clause: Clause) -> Trial:
    """Run a clause in its primary variant, on eager itself and then on zeros."""
    if clause.scope.ranks > 1:
        return Trial(NOT_HERE, "its program runs on several processes")
    if not clause.scope.is_on("cpu"):
        return Trial(NOT_HERE, "it has no cell on the CPU")
    if lacking := clause.lacks():
        return Trial(NOT_HERE, lacking)
    try:
        honest = _outcome(clause, zeros=False)
    except _NoProgram:
        return Trial(NO_PROGRAM)
    if honest:
        return Trial(NOT_HERE, honest)
    noticed = _outcome(clause, zeros=True)
    return Trial(NOTICED, noticed) if noticed else Trial(UNNOTICED)


class _NoProgram(Exception):
    """The clause compiles by hand or asks about a table: there is no program to replace."""


def _outcome(clause: Clause, *, zeros: bool) -> str:
    """Why a clause does not pass; empty if it does."""
    name, variant = clause.scope.golden_home
    check = _Claims(resolve(name), variant, clause.scope, zeros=zeros)
    session = Session("strict", clause.id)
    state = GlobalState.read()
    try:
        with use_session(session):
            clause.function(check=check, **clause.parameters)
    except _NoProgram:
        pass  # What was claimed before it compiled by hand has been looked at.
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    finally:
        state.restore()
    if check.cell.verdict is None or check.cell.verdict.expected is None:
        raise _NoProgram
    graphs = [verdict.golden for verdict in session.verdicts if verdict.stage != VALUES]
    return f"{graphs[0]} is the graph of another program" if zeros and graphs else ""


class _WithoutDemands(CellInProgress):
    """A cell of which only claims about eager are looked at."""

    def demand(self, facet: str, where: str, expected: object, seen: object) -> None:
        """Holds: it is about the candidate."""


class _Claims(Check):
    """A cell whose candidate sees what eager sees: only claims about eager can fail it."""

    def __init__(self, backend: Backend, variant: Variant, scope: Scope, *, zeros: bool) -> None:
        super().__init__(backend, variant, scope)
        self.cell = _WithoutDemands(backend, variant, scope)
        self._zeros = zeros

    def compiled(self, *_: Any, **__: Any) -> Any:
        """What a clause compiles by hand it makes demands of, which hold here: nothing is compiled."""
        raise _NoProgram

    def _result(self, subject: Subject) -> Result:
        return super()._result(dataclasses.replace(subject, recorder=None))

    def _examined(self, subject: Subject) -> Examination:
        observation = _of_zeros(subject) if self._zeros else _of_eager(subject)
        return Examination(Outcome.PASS, expected=observation, seen=observation)


def _of_eager(subject: Subject) -> Observation:
    """What a caller sees of the program itself, in-place ops on outputs that are views included."""
    observation = subject.make(Run()).observation
    call = observation.calls[0]
    views = tuple(
        path
        for path, facts in call.tensors.items()
        if path.startswith("out") and path not in call.inner and facts.base is not None
    )
    if views and subject.call_options.mode == "train" and subject.call_options.backward and not call.error:
        observation.in_place = subject.make(Run(in_place_on=views)).observation.in_place
    return observation


def _of_zeros(subject: Subject) -> Observation:
    """What a caller sees of the program that returns zeros, whatever it is called with."""
    returned: list[Any] = []

    def noting(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            returned.append(None)
            output = function(*args, **kwargs)
            with torch_internals.without_torch_function(), torch.no_grad():
                returned[-1] = nothing_like(output)
            return output

        return run

    def replaced(_: Callable[..., Any]) -> Callable[..., Any]:
        turns = iter(returned)
        return lambda *args, **kwargs: next(turns)

    call_options = dataclasses.replace(subject.call_options, probe=False)
    observe(subject.program, lambda run: noting(_with_parts(run) if subject.in_parts else run), call_options)
    return observe(subject.program, replaced, subject.call_options)


def _with_parts(function: Callable[..., Any]) -> Callable[..., Any]:
    return functools.partial(function, lambda part: part)


def nothing_like(value: Any, done: dict[int, Any] | None = None) -> Any:
    """A value of the same structure in which every tensor is zeros with a memory of its own, and every number zero.

    Of texts the empty one; of what has no such value (functions, iterators, operators) None.
    """
    done = {} if done is None else done
    if id(value) in done:
        return done[id(value)]
    result = done[id(value)] = _nothing_like(value, done)
    return result


def _nothing_like(value: Any, done: dict[int, Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return _zeros_like(value, done)
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return type(value)() if type(value) in (bool, int, float, complex, str, bytes) else None
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(nothing_like(item, done) for item in value))
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(nothing_like(item, done) for item in value)
    if isinstance(value, Mapping) and type(value).__module__ in ("builtins", "collections"):
        empty = copy.copy(value)
        for key in value:
            empty[key] = nothing_like(value[key], done)  # type: ignore[index]
        return empty
    return None


def _zeros_like(tensor: torch.Tensor, done: dict[int, Any]) -> torch.Tensor:
    if torch_internals.is_traceable_wrapper_subclass(tensor):
        names, context = tensor.__tensor_flatten__()
        inner = {name: nothing_like(getattr(tensor, name), done) for name in names}
        return type(tensor).__tensor_unflatten__(inner, context, tensor.size(), tensor.stride())
    if tensor.layout != torch.strided or tensor.is_quantized:
        return torch.zeros_like(tensor)
    size = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size)
    flat = torch.zeros(max(size, 0), dtype=tensor.dtype, device=tensor.device)
    zeros = flat.as_strided(tensor.shape, tensor.stride()).detach()
    return zeros if type(tensor) is torch.Tensor else zeros.as_subclass(type(tensor))


def main(arguments: Sequence[str]) -> int:
    """Print the clauses whose claims do not notice. Returns 1 if there is one.

    Raises `SystemExit` with 2 for the beginning of an id that no clause has.
    """
    parser = argparse.ArgumentParser(
        prog="python -m suites.selfcheck.claims",
        description="The clauses whose claims do not notice a program that computes nothing.",
    )
    parser.add_argument("prefixes", nargs="*", metavar="PREFIX", help="only clauses whose ids begin so: mutation/")
    prefixes: list[str] = parser.parse_args(arguments).prefixes
    there = every_clause()
    for prefix in prefixes:
        if not any(clause.id.startswith(prefix) for clause in there):
            parser.error(f"no clause's id begins with {prefix!r}")
    one_thread()
    counts: dict[str, int] = {}
    for clause in there:
        if not prefixes or clause.id.startswith(tuple(prefixes)):
            trial = tried(clause)
            counts[trial.outcome] = counts.get(trial.outcome, 0) + 1
            if trial.outcome in (UNNOTICED, NOT_HERE):
                print(f"{trial.outcome}  {clause.id}  {trial.why}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return int(counts.get(UNNOTICED, 0) > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
