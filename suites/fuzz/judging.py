"""The oracle on the text of a program: what it came to on a backend, small enough to be sent and kept."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from suites.harness.backends.registry import resolve
from suites.harness.execution.isolation import NO_RESULT, Crashed, Finished, Raised, TimedOut, run_forked
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import examine
from suites.harness.oracle.runs import of_file
from suites.harness.programs.errors import BadProgram
from suites.harness.programs.files import FileProgram
from suites.harness.results.outcomes import DIVERGING


@dataclasses.dataclass(frozen=True)
class Judgement:
    """``outcome`` is one of the ledger's; ``divergences`` are sorted as the oracle found them."""

    outcome: str
    detail: str = ""
    divergences: tuple[Divergence, ...] = ()
    graphs: int = 0
    seconds: float = 0.0
    plain_retry: bool = False

    @property
    def diverges(self) -> bool:
        """Whether the compiled program does not mean what the eager one means."""
        return self.outcome in DIVERGING

    @property
    def fingerprint(self) -> str:
        """That of `first`; empty if there is none."""
        return self.first.fingerprint if self.first is not None else ""

    @property
    def first(self) -> Divergence | None:
        """The first silent divergence of the first call that differs, or its first one.

        What differs in later calls may follow from that: the state that a call which raised did not change.
        """
        earliest = min(map(_call, self.divergences), default=0)
        there = [item for item in self.divergences if _call(item) == earliest]
        return next((item for item in there if item.silent), next(iter(there), None))


def _call(divergence: Divergence) -> int:
    """The number of the call that differs; 1 where there is only one."""
    said = re.match(r"call (\d+):", divergence.where)
    return int(said[1]) if said else 1


def judge(text: str, backend: str) -> Judgement:
    """Examine a program in this process. A crash is this process's own: see `judge_apart`."""
    with tempfile.TemporaryDirectory(prefix="parity-fuzz-") as folder:
        path = Path(folder) / "program.py"
        path.write_text(text, encoding="utf-8")
        program = FileProgram(path)
        try:
            verdict = examine(of_file(program, program.settings()), resolve(backend))
        except BadProgram as error:
            return _not_examined(text, str(error).replace(str(path), "program.py"))
    return Judgement(
        verdict.outcome,
        verdict.detail,
        tuple(verdict.divergences),
        verdict.counter.graphs,
        verdict.seconds,
        verdict.plain_retry,
    )


def _not_examined(text: str, message: str) -> Judgement:
    """What a file comes to that could not be run: an error, or what torch wrongly says of a definition in it."""
    said = re.search(r"\bNotRuled: (?P<rule>[^:]+): (?P<seen>.*)", message)
    if said is None or not all(f"def {name}(" in text for name in ("program", "inputs")):
        return Judgement("error", message)
    kind = f"usage rule that does not hold: {said['rule']}"
    divergence = Divergence("error", kind, "a definition", said["rule"], said["seen"], "raised" not in message, "eager")
    return Judgement("fail", message, (divergence,))


def judge_apart(texts: Sequence[str], backend: str, seconds: float) -> list[Judgement]:
    """Examine programs in one forked process with a time limit; one by one where that does not come back."""
    outcome = run_forked(lambda: [judge(text, backend) for text in texts], seconds * max(len(texts), 1))
    if isinstance(outcome, Finished):
        judgements: list[Judgement] = outcome.value
        return judgements
    if len(texts) > 1:
        return [judgement for text in texts for judgement in judge_apart([text], backend, seconds)]
    if isinstance(outcome, Raised):
        return [fault(outcome.message)]
    if isinstance(outcome, TimedOut):
        return [_without_result("timeout", NO_RESULT, backend)]
    assert isinstance(outcome, Crashed)
    return [_without_result("crash", outcome.how, backend)]


@dataclasses.dataclass(frozen=True)
class Alike:
    """Whether a program diverges with that fingerprint on the layer where it was seen; a run takes so many seconds."""

    divergence: Divergence
    seconds: float

    def __call__(self, text: str) -> bool:
        """Judge the program in a fork of its own."""
        return self._shows(judge_apart([text], self.divergence.layer, self.seconds)[0])

    def here(self, text: str) -> bool:
        """Judge the program in this process."""
        return self._shows(judge(text, self.divergence.layer))

    def _shows(self, judgement: Judgement) -> bool:
        return judgement.diverges and judgement.fingerprint == self.divergence.fingerprint


def fault(message: str) -> Judgement:
    """What a program comes to that the oracle itself fails on."""
    return Judgement("error", f"a fault of Parity's own: {message}")


def _without_result(facet: str, how: str, backend: str) -> Judgement:
    divergence = Divergence(facet, how, "the run", "a result", how, False, backend)
    return Judgement(facet, how, (divergence,))
