"""The oracle: examine one program on one backend and say what differs from eager, and at which layer first."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Iterator
from typing import Any

from suites.harness.backends.backend import Backend, CompileCounter
from suites.harness.backends.registry import resolve
from suites.harness.execution import accelerations
from suites.harness.observation.global_state import NOT_OF_TORCH, VARIABLE
from suites.harness.observation.observe import Call, ErrorFacts, Observation
from suites.harness.oracle.compare import compare
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.facets.pair import Comparison, Rules
from suites.harness.oracle.messages import headline
from suites.harness.oracle.runs import Aborted, Completed, Retrying, Run, Runner, Subject, in_process
from suites.harness.results.outcomes import Outcome, diverged


@dataclasses.dataclass
class Examination:
    """What an examination found: an outcome that a ledger may hold."""

    outcome: Outcome
    detail: str = ""
    divergences: list[Divergence] = dataclasses.field(default_factory=list)
    facets: dict[str, str] = dataclasses.field(default_factory=dict)
    tolerance: float = 0.0
    counter: CompileCounter = dataclasses.field(default_factory=CompileCounter)
    seconds: float = 0.0
    #: Eager's observation; None if eager itself was lost.
    expected: Observation | None = None
    seen: Observation | None = None
    #: The end of what the candidate's run wrote to the error stream, where it raised and eager did not.
    stderr: str = ""
    #: A kernel was not built in the quick way of the run; what counts is the run that was made the plain way.
    plain_retry: bool = False
    #: Whether the backend executed something of the graphs that it was handed; None where nobody asked, or it cannot
    #: be told. With False a pass is a `FALLBACK`.
    executed: bool | None = None

    @property
    def layer(self) -> str:
        """The first diverging layer of the first divergence."""
        return self.divergences[0].layer if self.divergences else ""

    @property
    def never_ran(self) -> str:
        """The error with which eager ends every call, as one line: then the program is a test of nothing but that."""
        errors = [call.error for call in self.expected.calls] if self.expected is not None else []
        return headline(errors[0]) if errors and errors[0] is not None and None not in errors else ""


def examine(subject: Subject, backend: Backend, runner: Runner | None = None) -> Examination:
    """Run ``subject`` eagerly and on ``backend``, compare, and find the first layer that shows each divergence.

    Raises what building the program's inputs raises; everything else is a verdict.
    """
    started = time.perf_counter()
    retrying = Retrying(runner or in_process(subject))
    verdict = _Examiner(subject, backend, retrying).verdict()
    verdict.plain_retry = retrying.retried
    verdict.seconds = time.perf_counter() - started
    return verdict


def left_undefined(subject: Subject) -> str:
    """Why nothing can be said of what a program means: eager refuses it, forward or backward, or leaves it undefined.

    Empty where it can. Raises what building the program's inputs raises.
    """
    return _Examiner(subject, resolve("eager"), in_process(subject)).left_undefined()


#: What is said of a pass in which torch did the work.
FELL_BACK = "torch's own operators, and not the backend, executed the whole graph"


def fell_back(backend: str) -> Divergence:
    """A pass in which torch did the work, as known bugs can name it: a fallback that is new is told from those."""
    kind = "torch executed the whole graph"
    return Divergence("fallback", kind, "the run", "executed by the backend", "torch's own operators", False, backend)


#: What makes two divergences one: facet, kind and where.
_Key = tuple[str, str, str]

#: The facets that an undefined number shows in.
_NUMBERS = frozenset({"value", "mutation", "autograd", "structure", "reuse"})
#: The facets of a call of which nothing else can be said.
_LOST = frozenset({"error", "crash", "timeout"})


@dataclasses.dataclass(frozen=True)
class _Choice:
    """What Inductor does by design, or because it timed it: kinds of divergence, and the setting that has it not."""

    kinds: tuple[str, ...]
    undone_by: tuple[str, bool]
    #: How the divergence's kind goes on.
    told: str


_CHOICES = (
    _Choice(
        ("value differs", "gradient's value differs"),
        ("inductor.emulate_precision_casts", True),
        "by an elided low-precision round trip",
    ),
    # On a GPU, where the padded product was the faster one (`torch._inductor.fx_passes.pad_mm`).
    _Choice(
        ("strides differ", "gradient's strides differ"),
        ("inductor.shape_padding", False),
        "by padding for a product",
    ),
)


class _Examiner:
    def __init__(self, subject: Subject, backend: Backend, runner: Runner) -> None:
        self.subject, self.backend, self.runner = subject, backend, runner
        self._wide: dict[str, Observation | None] = {}
        #: By the setting that undoes a choice: what diverges without that choice; None where a call did not come back.
        self._without: dict[str, set[Any] | None] = {}
        #: Plain values that differ from one eager run to the next: nothing can be said of them.
        self.noise: set[str] = set()
        #: Operators that picked one of several equal values.
        self.ties: tuple[str, ...] = ()

    def verdict(self) -> Examination:
        reference = self.runner(Run())
        if isinstance(reference, Aborted):
            return Examination(Outcome.ERROR, f"eager itself does not come back: {reference.how}")
        self.expected = reference.observation
        undefined = self._undefined()
        if undefined:
            return Examination(Outcome.SKIP, f"eager leaves this undefined: {undefined}", expected=self.expected)
        self._probe_in_place()
        candidate = self.runner(Run(self.backend, in_place_on=self.in_place_on))
        if isinstance(candidate, Aborted):
            if why := candidate.not_of_the_backend:
                return Examination(Outcome.UNSUPPORTED, why, expected=self.expected)
            lost = candidate.divergence()
            return self._judge(
                [lost], Examination(Outcome.FAIL, expected=self.expected, facets={lost.facet: "differs"})
            )
        refusal = _Refusal.of(candidate.observation)
        expected, seen = (
            refusal.before(observation) if refusal else observation
            for observation in (self.expected, candidate.observation)
        )
        comparison = compare(expected, seen, self._rules(self.backend))
        comparison.divergences = [item for item in comparison.divergences if item.where not in self.noise]
        if refusal and not comparison.divergences:
            return Examination(Outcome.UNSUPPORTED, refusal.line, counter=candidate.counter, expected=self.expected)
        of_a_pick = self._of_a_pick(comparison.divergences)
        comparison.divergences = [item for item in comparison.divergences if item not in of_a_pick]
        if of_a_pick and not comparison.divergences:
            reason = f"{self.ties[0]} picks one of several equal values; which one is undefined"
            return Examination(Outcome.SKIP, f"eager leaves this undefined: {reason}", expected=self.expected)
        differing = {divergence.facet for divergence in comparison.divergences}
        verdict = Examination(
            Outcome.PASS,
            facets={facet: "differs" if facet in differing else "same" for facet in comparison.facets | differing},
            tolerance=comparison.tolerance,
            counter=candidate.counter,
            expected=self.expected,
            seen=candidate.observation,
        )
        if comparison.divergences:
            loud = any(not divergence.silent for divergence in comparison.divergences)
            verdict.stderr = candidate.stderr if loud else ""
            return self._judge(comparison.divergences, verdict)
        if not candidate.counter.graphs and not self._all_calls_raise():
            verdict.outcome, verdict.detail = Outcome.VACUOUS, "the backend compiled nothing: every call ran eagerly"
            return verdict
        verdict.executed = self._executed(candidate)
        return verdict

    def _executed(self, candidate: Completed) -> bool | None:
        """Whether the backend executed something: by its own count, or by a run that is made to see it."""
        if self.backend.runs_torch:
            return None
        if candidate.counter.executions is not None:
            # Where every call raises, as eager's does, there may have been nothing to execute.
            return candidate.counter.executions > 0 or (None if self._all_calls_raise() else False)
        if candidate.plain or candidate.others or not accelerations.on(accelerations.WATCHED):
            return None
        watched = self.runner(Run(self.backend, watched=True))
        if isinstance(watched, Aborted):
            return None
        errors = [[call.error is None for call in made.observation.calls] for made in (candidate, watched)]
        return watched.by_backend if errors[0] == errors[1] and any(errors[0]) else None

    # Definedness

    def left_undefined(self) -> str:
        """Why nothing can be said of eager's own run; empty where it can."""
        reference = self.runner(Run())
        if isinstance(reference, Aborted):
            return f"eager does not come back: {reference.how}"
        self.expected = reference.observation
        errors = (call.error or call.backward_error for call in self.expected.calls)
        raised = next(filter(None, errors), None)
        return f"eager raises {headline(raised)}" if raised is not None else self._undefined()

    def _undefined(self) -> str:
        looked = self.runner(Run(special="hazards"))
        casts = looked.casts if isinstance(looked, Completed) else ()
        if isinstance(looked, Completed):
            for hazard in looked.hazards:
                if hazard not in casts:
                    return hazard
            self.ties = looked.ties
            if self._differs(self.expected, looked):
                return "eager disagrees with itself from run to run"
        poisoned = self.runner(Run(special="poison"))
        if isinstance(poisoned, Completed) and self._differs(self.expected, poisoned):
            # Or a deterministic algorithm has another number (cuDNN's, in TF32), without the poison too.
            clean = self.runner(Run(special="deterministic"))
            if not isinstance(clean, Completed) or self._differs(clean.observation, poisoned):
                return "reads memory that nothing has written"
        return casts[0] if casts and not self._are_left_aside() else ""

    def _are_left_aside(self) -> bool:
        """Whether nothing comes of the numbers that are converted out of range: with any others it is the same."""
        made = self.runner(Run(special="casts"))
        return isinstance(made, Completed) and all(
            divergence.where in self.noise for divergence in self._between(self.expected, made)
        )

    def _of_a_pick(self, divergences: list[Divergence]) -> list[Divergence]:
        """The divergences in numbers that differ in eager, too, once it picks another one of several equal values."""
        numbers = [divergence for divergence in divergences if divergence.facet in _NUMBERS]
        made = self.runner(Run(special="picks")) if self.ties and numbers else None
        if not isinstance(made, Completed):
            return []
        moved = {item.where for item in compare(self.expected, made.observation, Rules(bitwise=True)).divergences}
        return [divergence for divergence in numbers if divergence.where in moved]

    def _differs(self, one: Observation, other: Completed) -> bool:
        """Whether another eager run has other numbers: memory that nobody wrote, say.

        Plain values alone are noise, such as the time of day or an id: of those nothing is said. So is what a module
        does that the program imports, once in a process: it sets a variable of the environment, or draws a number.
        """
        differing = self._between(one, other)
        numbers = [divergence for divergence in differing if divergence.facet in _NUMBERS]
        if not all(map(_is_of_plain_value, numbers)):
            return True
        noise = [*numbers, *filter(_may_be_of_an_import, differing)]
        self.noise |= {divergence.where for divergence in noise}
        return False

    def _between(self, one: Observation, other: Completed) -> list[Divergence]:
        return compare(one, other.observation, Rules(bitwise=False, of_any_program=True)).divergences

    def _all_calls_raise(self) -> bool:
        return all(call.error is not None for call in self.expected.calls)

    # Runs

    def _probe_in_place(self) -> None:
        """Decide which outputs are worth an in-place op of their own: those that share memory with something."""
        self.in_place_on: tuple[str, ...] = ()
        call_options = self.subject.call_options
        call = self.expected.calls[0]
        if not (call_options.probe and call_options.backward and call_options.mode == "train") or call.error:
            return
        groups = list(call.storage.values())
        self.in_place_on = tuple(
            path
            for path, facts in call.tensors.items()
            if path.startswith("out")
            and path not in call.inner
            and (facts.base is not None or groups.count(call.storage.get(path, "")) > 1)
            and facts.dtype.startswith(("float", "bfloat", "complex"))
        )[:4]
        if self.in_place_on:
            # After the script, as the candidate's: state and gradients that the calls leave are the same then.
            probed = self.runner(Run(in_place_on=self.in_place_on))
            if isinstance(probed, Completed):
                self.expected.in_place = probed.observation.in_place

    def _rules(self, backend: Backend) -> Rules:
        exact = self.subject.exact
        return Rules(
            backend.bitwise and exact,
            self.subject.strict_probe,
            not exact,
            lambda: self._wide_observation("upcast"),
            lambda: self._wide_observation("rounded"),
        )

    def _wide_observation(self, special: str) -> Observation | None:
        """Eager's observation in double precision, made once; None if the program cannot run in it."""
        if special not in self._wide:
            try:
                made = self.runner(Run(special=special, in_place_on=self.in_place_on))
                self._wide[special] = made.observation if isinstance(made, Completed) else None
            except Exception:
                self._wide[special] = None
        return self._wide[special]

    # Divergences

    def _judge(self, divergences: list[Divergence], verdict: Examination) -> Examination:
        divergences = list(_once(divergences))
        layers = dict(self._bisect(divergences, verdict.seen))
        located = [
            dataclasses.replace(divergence, layer=layers.get(_key(divergence), self.backend.name))
            for divergence in divergences
        ]
        chosen = list(map(self._chosen, located))
        located = [
            dataclasses.replace(divergence, kind=divergence.kind + told)
            for divergence, told in zip(self._reuse(located), chosen, strict=True)
        ]
        verdict.divergences = located
        inherited = all(divergence.layer != self.backend.name for divergence in located)
        first = located[0]
        verdict.outcome = Outcome.INHERITED if inherited else diverged(item.facet for item in located)
        verdict.detail = f"{first.facet}: {first.kind}, {first.where}: expected {first.expected}, seen " + (
            first.kind if first.facet in ("crash", "timeout") else first.seen
        )
        return verdict

    def _bisect(self, divergences: list[Divergence], seen: Observation | None) -> Iterator[tuple[Any, str]]:
        """The first layer that has each divergence, and has it as the candidate does: both come to the same there."""
        missing = {_key(divergence) for divergence in divergences}
        for reference in map(resolve, self.backend.references):
            if not missing:
                return
            made = self.runner(Run(reference, in_place_on=self.in_place_on))
            if isinstance(made, Aborted):
                found = {(made.facet, made.how, "the run")}
            else:
                found = _keys(compare(self.expected, made.observation, self._rules(reference)))
                if seen is not None and missing & found:
                    own = _keys(compare(made.observation, seen, _by_rounding_alone(self._rules(self.backend))))
                    found -= _without_followers(own, found)
            for key in missing & found:
                yield key, reference.name
            missing -= found

    def _reuse(self, divergences: list[Divergence]) -> list[Divergence]:
        """A divergence of a later call that the same call, made first, does not show is one of reuse."""
        result: list[Divergence] = []
        alone: dict[int, set[Any]] = {}
        for divergence in divergences:
            number = _call_number(divergence)
            if number == 0 or divergence.facet in ("crash", "timeout", "reuse"):
                result.append(divergence)
                continue
            if number not in alone:
                alone[number] = self._made_alone(number)
            where = _without_call(divergence)
            if (divergence.facet, divergence.kind, where) in alone[number]:
                result.append(divergence)
            else:
                kind = f"{divergence.facet} on a later call: {divergence.kind}"
                result.append(dataclasses.replace(divergence, facet="reuse", kind=kind))
        return result

    def _made_alone(self, number: int) -> set[Any]:
        expected = self.runner(Run(only_call=number))
        seen = self.runner(Run(self.backend, only_call=number))
        if isinstance(expected, Aborted) or isinstance(seen, Aborted):
            return set()
        return _keys(compare(expected.observation, seen.observation, _by_rounding_alone(self._rules(self.backend))))

    def _chosen(self, divergence: Divergence) -> str:
        """How to tell what Inductor chose to do from a wrong kernel: without that choice the divergence is gone."""
        choices = [choice for choice in _CHOICES if divergence.layer == "inductor" and divergence.kind in choice.kinds]
        for choice in choices:
            found = self._diverges_without(choice)
            if found is not None and _key(divergence) not in found:
                return f" {choice.told}"
        return ""

    def _diverges_without(self, choice: _Choice) -> set[Any] | None:
        name, _ = choice.undone_by
        if name not in self._without:
            made = self.runner(Run(resolve("inductor"), settings=(choice.undone_by,)))
            self._without[name] = None
            if isinstance(made, Completed):
                comparison = compare(self.expected, made.observation, self._rules(self.backend))
                lost = any(divergence.facet in _LOST for divergence in comparison.divergences)
                self._without[name] = None if lost else _keys(comparison)
        return self._without[name]


def _is_of_plain_value(divergence: Divergence) -> bool:
    """Whether a divergence is between values that are no tensors."""
    return divergence.facet in ("structure", "mutation") and divergence.kind == "value differs"


def _may_be_of_an_import(divergence: Divergence) -> bool:
    return divergence.facet in ("state", "random") and divergence.kind.startswith((VARIABLE, *NOT_OF_TORCH))


def _once(divergences: list[Divergence]) -> Iterator[Divergence]:
    """Drop what a later call repeats of an earlier one."""
    seen: set[Any] = set()
    for divergence in divergences:
        key = (divergence.facet, divergence.kind, _without_call(divergence))
        if key not in seen:
            seen.add(key)
            yield divergence


def _key(divergence: Divergence) -> _Key:
    return divergence.facet, divergence.kind, divergence.where


def _by_rounding_alone(rules: Rules) -> Rules:
    """The rules without double precision: how far one layer is from it says nothing of how far another may be."""
    return dataclasses.replace(rules, reference=lambda: None)


def _keys(comparison: Comparison) -> set[_Key]:
    return set(map(_key, comparison.divergences))


def _without_followers(own: set[_Key], found: set[_Key]) -> set[_Key]:
    """What a candidate has otherwise than a layer below that differs from eager, too, as ``found``.

    Where outputs are other tensors, backward starts from others, and gradients follow from that.
    """
    moved = any(facet in ("alias", "structure") for facet, _, _ in own | found)
    return {key for key in own if not (moved and key[0] == "autograd")}


def _call_number(divergence: Divergence) -> int:
    match = re.match(r"call (\d+): ", divergence.where)
    return int(match[1]) - 1 if match else 0


def _without_call(divergence: Divergence) -> str:
    return re.sub(r"^call \d+: ", "", divergence.where)


@dataclasses.dataclass(frozen=True)
class _Refusal:
    """Where a backend says first that it does not support the program, and the line in which it says so."""

    line: str
    number: int
    in_backward: bool

    @classmethod
    def of(cls, observation: Observation) -> _Refusal | None:
        """The first refusal of a run; None if the backend says nothing of the kind."""
        for number, call in enumerate(observation.calls):
            for error, in_backward in ((call.error, False), (call.backward_error, True)):
                if error is not None and (line := not_implemented(error)):
                    return cls(line, number, in_backward)
        return None

    def before(self, observation: Observation) -> Observation:
        """What either run came to before the refusal: since then the calls are as if nothing had been observed."""
        refused = observation.calls[self.number]
        calls = [*observation.calls[: self.number], refused.without_backward() if self.in_backward else Call()]
        calls += [Call() for _ in observation.calls[len(calls) :]]
        return dataclasses.replace(observation, calls=calls, in_place={})


def not_implemented(error: ErrorFacts) -> str:
    """The line in which the error of a backend says that it does not support the program; empty if it says none."""
    match = re.search(r"raised:\s*NotImplementedError:?[ \t]*([^\n]*)", error.message)
    return f"the backend says: {match[1] or 'not implemented'}" if match else ""
