"""One program, eager against compiled: what ``parity check`` does, and `check` for Python and notebooks.

from parity import check

check(function, torch.randn(3, 3), backend="inductor", train=True)
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import math
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import Backend, CompileOptions
from suites.harness.backends.names import is_torchs_own
from suites.harness.backends.registry import resolve
from suites.harness.execution.isolation import NO_RESULT, Finished, Raised, one_line, run_forked
from suites.harness.execution.runners import forked
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle.divergence import Divergence
from suites.harness.oracle.examine import FELL_BACK, Examination, examine
from suites.harness.oracle.runs import Completed, ProgramError, Run, Runner, Subject, in_process, of_file
from suites.harness.programs.errors import awaited
from suites.harness.programs.files import FileProgram, FileSettings, mistake
from suites.harness.programs.targets import LiveProgram
from suites.harness.results.outcomes import Outcome, recorded

#: Seconds that a fork may take to go backward.
_PATIENCE = 60.0
#: How notes begin that tell what was not looked at, and how many there are at most.
_NOT_IN_FULL, _CUT = "not compared in full", 3


@dataclasses.dataclass(frozen=True, repr=False)
class Checked:
    """What a program came to on a backend. It is true where the compiled program means what the eager one means.

    It shows itself: as text, and as HTML in a notebook.
    """

    #: What the program is called.
    program: str
    backend: str
    verdict: Examination
    #: The grad mode of its calls.
    mode: str = "train"
    #: What a reader should know beside the verdict, one line each.
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The outcome; equal to its word in a ledger, ``"pass"``."""
        return self.verdict.outcome

    @property
    def divergences(self) -> list[Divergence]:
        """Every difference, each with its facet, where it is, and the first layer that shows it."""
        return self.verdict.divergences

    @property
    def told(self) -> str:
        """What there is to say of the outcome where no divergence says it."""
        if self.outcome is Outcome.PASS:
            cut = any(note.startswith(_NOT_IN_FULL) for note in self.notes)
            return f"{self.outcome.meaning}{', as far as it was compared' if cut else ''}"
        return "" if self.divergences else self.verdict.detail

    @property
    def conforms(self) -> bool:
        """Whether nothing speaks against the backend. What it does not support, and what is undefined, does not."""
        # Nothing shows that a program which never ran means the same.
        against = (Outcome.VACUOUS, Outcome.FALLBACK, Outcome.ERROR)
        return not self.outcome.diverges and self.outcome not in against

    def __bool__(self) -> bool:
        return self.outcome is Outcome.PASS

    def __repr__(self) -> str:
        from tools.views import checked

        return checked.text(self)

    def _repr_html_(self) -> str:
        from tools.views import checked

        return checked.html(self)

    def to_json(self) -> dict[str, Any]:
        """The object that ``parity check --json`` prints."""
        verdict = self.verdict
        return {
            "program": self.program,
            "backend": self.backend,
            "mode": self.mode,
            "notes": list(self.notes),
            "outcome": verdict.outcome,
            "layer": verdict.layer,
            "divergences": [
                {
                    "facet": item.facet,
                    "kind": item.kind,
                    "where": item.where,
                    "expected": item.expected,
                    "seen": item.seen,
                    "silent": item.silent,
                    "layer": item.layer,
                    "fingerprint": item.fingerprint,
                    **({"raised_in": item.raised_in} if item.raised_in else {}),
                    **({"stack": item.stack} if item.stack else {}),
                }
                for item in verdict.divergences
            ],
            "detail": verdict.detail,
            "graphs": verdict.counter.graphs,
            "seconds": round(verdict.seconds, 3),
            "plain_retry": verdict.plain_retry,
            "executed": verdict.executed,
            **({"stderr": verdict.stderr} if verdict.stderr else {}),
        }


# From the command line ------------------------------------------------------------------------------------------------


def settings_of(program: FileProgram, timeout: float) -> FileSettings | str:
    """What a program asks for, read in a fork; or a line that says why it cannot be examined."""
    # Before anything of it is executed: what comes before the mistake may take long.
    wrong = mistake(program.path, program.told) if program.is_source else ""
    if wrong:
        return wrong
    read = run_forked(program.settings, timeout)
    if isinstance(read, Finished):
        settings: FileSettings = read.value
        return settings
    if isinstance(read, Raised):
        return read.message.removeprefix("BadProgram: ").removeprefix("OtherRelease: ")
    return f"{program.told}: importing the file: {getattr(read, 'how', f'hangs for {timeout:g} s')}"


def failed(program: FileProgram, backend: str, mode: str, why: str) -> Checked:
    """What comes of a program that cannot be examined."""
    return Checked(program.told, backend, Examination(Outcome.ERROR, why), mode)


def check_apart(
    program: FileProgram, settings: FileSettings, name: str, timeout: float, mode: str = "train"
) -> Checked:
    """`check_program`, in a fork of its own for a backend that is not torch's: what it leaves stays there."""

    def there() -> Checked:
        checked = check_program(program, settings, resolve(name), timeout, mode)
        # What was observed is not for sending.
        return dataclasses.replace(checked, verdict=dataclasses.replace(checked.verdict, expected=None, seen=None))

    if is_torchs_own(name):
        return check_program(program, settings, resolve(name), timeout, mode)
    # Its runs have time limits of their own.
    outcome = run_forked(there, math.inf)
    if isinstance(outcome, Finished):
        checked: Checked = outcome.value
        return checked
    why = outcome.message if isinstance(outcome, Raised) else getattr(outcome, "how", NO_RESULT)
    return failed(program, name, mode, f"{name}: {why}")


def check_program(
    program: FileProgram, settings: FileSettings, backend: Backend, timeout: float, mode: str = "train"
) -> Checked:
    """Examine a program on one backend, called in a grad mode, each run in a process of its own."""
    subject = of_file(program, settings, mode)
    try:
        verdict = examine(subject, backend, forked(subject, timeout))
    except ProgramError as error:
        return failed(program, backend.name, mode, str(error))
    except Exception as error:
        # The other programs are still to be examined.
        return failed(program, backend.name, mode, f"a fault of Parity's own, please report it: {one_line(error)}")
    notes = tuple(_notes(verdict, settings.train, mode))
    return Checked(program.told, backend.name, _concluded(verdict), mode, notes)


def _concluded(verdict: Examination) -> Examination:
    """The verdict of one program, by itself, on what an examination found."""
    lost = next((item.facet for item in verdict.divergences if item.facet in ("crash", "timeout")), "")
    if verdict.outcome is Outcome.PASS and verdict.never_ran:
        # A clause may be about an error; a program of a user's that nobody can run has a mistake.
        verdict.outcome, verdict.detail = Outcome.ERROR, f"the program raises in eager: {verdict.never_ran}"
    if verdict.outcome is Outcome.PASS and verdict.executed is False:
        verdict.outcome, verdict.detail = Outcome.FALLBACK, FELL_BACK
    # Whose fault it is shows in the layer; that the program does not come back is what its author asks.
    verdict.outcome = recorded(lost) if lost else verdict.outcome
    return verdict


def _notes(verdict: Examination, train: bool, mode: str = "train") -> Iterator[str]:
    if verdict.plain_retry:
        yield "run again the plain way: a kernel was not built, or not whole, the quick way"
    ran = verdict.expected is not None and any(call.error is None for call in verdict.expected.calls)
    if train and mode != "train":
        yield f"no gradient was compared: called in {mode}, as asked for, or as the backend claims no training"
    elif train and ran and not any(call.gradients for call in verdict.expected.calls):  # type: ignore[union-attr]
        yield "no gradient was compared: neither an argument nor a parameter requires one"
    runs = (run for run in (verdict.expected, verdict.seen) if run is not None)
    cut = list(dict.fromkeys(line for run in runs for call in run.calls for line in call.cut))
    yield from (f"{_NOT_IN_FULL}: {line}" for line in cut[:_CUT])
    if len(cut) > _CUT:
        yield f"{_NOT_IN_FULL}: {len(cut) - _CUT} places more"


# From Python ----------------------------------------------------------------------------------------------------------


def check(
    function: Callable[..., Any],
    *args: Any,
    backend: str | Callable[..., Any] = "inductor",
    train: bool = False,
    dynamic: bool = False,
    inputs: Callable[[], Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    timeout: float = 120.0,
) -> Checked:
    """Compare ``function``, or a module, on these arguments with what ``backend`` compiles of it.

    ``args`` and ``kwargs`` are copied for each of the two calls of a run, with their aliasing and strides; ``inputs``
    makes them instead, and is called afresh. ``train`` compares gradients, of the arguments and parameters that require
    them. ``backend`` is a name, or what torch.compile takes for one: a callable, which the result calls
    ``module:qualname``. torch, Python and numpy are seeded with 0 before each call. A run has ``timeout`` seconds.

    Each run is made in a fork, so that nothing of the caller's changes, and a crash is a result. Where this process can
    see a GPU, or has gone backward with a torch that is built for one, no fork is possible: runs are made here, on
    copies of the function, generators are put back, and what torch.compile has compiled in this process is forgotten.

    Raises `TypeError` for what cannot be called and for a backend of another type, `ValueError` for a backend that is
    not to be had and for arguments that cannot be copied, and `BadProgram` or `ProgramError` where ``inputs`` raises.
    """
    if not callable(function):
        raise TypeError(f"check() compares a function or a module, and {type(function).__name__} cannot be called")
    if reason := awaited(function):
        raise TypeError(f"{getattr(function, '__qualname__', type(function).__qualname__)}: {reason}")
    if inputs is not None and (args or kwargs):
        raise TypeError("check() takes arguments, or `inputs`, which makes them; not both")
    resolved = _backend(backend)
    apart = _can_fork()
    if apart:
        # Once in this process, and not in each of its forks.
        torch_internals.import_compiler(inductor=resolved.needs_compiler)
    handed = dict(kwargs or {})
    try:
        copy.deepcopy((args, handed))
    except Exception as error:
        raise ValueError(
            f"an argument cannot be copied: {one_line(error)}; pass inputs=, a function that makes the arguments"
        ) from None
    program = LiveProgram(function, args, handed, inputs, copied=not apart)
    # Inductor's pool of compilers is the caller's, and no process of a fork.
    config = (("inductor.compile_threads", 1),) if apart else ()
    options = CompileOptions(dynamic=True if dynamic else None, config=config)
    subject = _Alone(program, CallOptions("train", backward=train), options, exact=False)
    runner: Runner = forked(subject, timeout) if apart else in_process(subject)
    with contextlib.nullcontext() if apart else _generators_put_back():
        verdict = examine(subject, resolved, runner)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return Checked(name, resolved.name, _concluded(verdict), notes=tuple(_notes(verdict, train)))


class _Alone(Subject):
    """Runs made with one thread: those of a pool do not come with a fork."""

    def make(self, run: Run) -> Completed:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            return super().make(run)
        finally:
            torch.set_num_threads(threads)


def _can_fork() -> bool:
    """Whether a fork of this process can run programs: none can use a GPU that this one has touched.

    And none can go backward where autograd has threads here, as it has from the first gradient on where torch is built
    for GPUs.
    """
    if torch.cuda.is_available():
        return False
    return not torch.backends.cuda.is_built() or isinstance(run_forked(_go_backward, _PATIENCE), Finished)


def _go_backward() -> None:
    torch.ones((), requires_grad=True).backward()


def _backend(given: str | Callable[..., Any]) -> Backend:
    from suites.harness.backends.adapters import NoSuchBackend, adapted, canonical, name_of

    if not isinstance(given, str) and not callable(given):
        kind = type(given).__name__
        raise TypeError(f"backend= is a name, or a callable as torch.compile takes it, and {kind} is neither")
    try:
        return resolve(canonical(given)) if isinstance(given, str) else adapted(name_of(given), given)
    except NoSuchBackend as error:
        raise ValueError(str(error)) from None


@contextlib.contextmanager
def _generators_put_back() -> Iterator[None]:
    of_python, of_numpy = random.getstate(), np.random.get_state()
    with torch.random.fork_rng():
        try:
            yield
        finally:
            random.setstate(of_python)
            np.random.set_state(of_numpy)
