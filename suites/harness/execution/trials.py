"""Which `accelerations` are on: kernels of Inductor's, by its own command, are built, loaded and run each way."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import torch

from suites.harness import torch_internals
from suites.harness.execution.accelerations import (
    FAILED,
    GOLD,
    GUARDS,
    INSTRUCTIONS,
    ON,
    TOGETHER,
    TRIED,
    WARMED,
    Decision,
)
from suites.harness.execution.children import Child
from suites.harness.execution.isolation import Crashed, Finished, Raised, TimedOut, one_thread, run_forked
from suites.harness.execution.kernels import build_together
from suites.harness.torch_internals import CppBuild

#: The seconds that trials may take: on a machine where nothing is cached they begin with Inductor's precompiled header.
LIMIT = 300.0
#: The file in which a trial leaves what the plain way came to.
_PLAIN = "plain.json"


def after_trials(decision: Decision) -> Decision:
    """The decision after what the trials came to, with the environment that the ways that are on need."""
    wanted = decision.ways[GUARDS] == ON
    linker, why = _gold() if wanted else ("", "")
    came = _tried(linker, wanted)
    ways = dict(decision.ways)
    if wanted:
        ways[GOLD] = f"off: {why}" if why else _said(came, GOLD)
        ways[TOGETHER] = _said(came, TOGETHER)
        ways[INSTRUCTIONS] = _said(came, INSTRUCTIONS)
        # Where torch knows GPUs, autograd has threads for them once anything was differentiated, traces included.
        known = torch.backends.cuda.is_built()
        ways[WARMED] = "off: this torch is built for CUDA" if known else _said(came, WARMED)
    settings = {}
    if ways[GOLD] == ON:
        settings["COMPILER_PATH"] = linker
    if ways[GOLD] == ON or ways[TOGETHER] == ON:
        settings["TORCHINDUCTOR_CACHE_DIR"] = came["cache"]
    return dataclasses.replace(
        decision,
        ways=ways,
        problem=came["plain"],
        settings=settings,
        vector=came.get("vector", ""),
        raising=came.get("raising", ""),
    )


def _said(came: Mapping[str, str], way: str) -> str:
    if came["plain"]:
        return f"off: no kernel builds here, in no way: {came['plain']}"
    return FAILED + came[way] if came[way] else ON


def _tried(linker: str, quick: bool) -> dict[str, str]:
    """What the trials came to: a line for each that fails, and nothing for one that does not."""
    with tempfile.TemporaryDirectory(prefix="parity-trial-") as folder:
        outcome = run_forked(lambda: trials(Path(folder), linker, quick), LIMIT)
        ended = _plain_of(Path(folder))
    if isinstance(outcome, Finished):
        came: dict[str, str] = outcome.value
        return came
    if isinstance(outcome, TimedOut):
        how = f"it did not end within {LIMIT:g} s"
    else:
        how = outcome.message if isinstance(outcome, Raised) else f"its process died: {outcome.how}"
    # It was one of the quick ways, if the plain one has ended before.
    return {**(ended or {"plain": how}), **dict.fromkeys(TRIED, how)}


def _plain_of(folder: Path) -> dict[str, str] | None:
    """What the plain trial in ``folder`` came to, if it has ended."""
    try:
        came: dict[str, str] = json.loads((folder / _PLAIN).read_text(encoding="utf-8"))
    except OSError:
        return None
    return came


def _gold() -> tuple[str, str]:
    """A folder where g++ finds gold as its linker, or why there is none.

    g++ looks for its linker in the folders of ``COMPILER_PATH`` first; whoever has set that has chosen. The folder goes
    when this process ends.
    """
    gold = shutil.which("ld.gold")
    if sys.platform != "linux" or gold is None:
        return "", "there is no ld.gold here"
    if "COMPILER_PATH" in os.environ:
        return "", "COMPILER_PATH is set: the linker was chosen"
    folder = tempfile.mkdtemp(prefix="parity-linker-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.symlink(gold, os.path.join(folder, "ld"))
    return folder, ""


class TrialFailed(Exception):
    """A way to build kernels does not do what it should; the message is a line."""


def trials(folder: Path, linker: str, quick: bool) -> dict[str, str]:
    """Try the plain way and then, if ``quick``, each other one; a line for each that fails, an empty text for the rest.

    Changes this process for good: call it in a fork. ``linker`` is the ``COMPILER_PATH`` that leads to gold, if it is
    to be tried; kernels are built in ``folder``. ``vector``: the instructions that they use. ``raising``: how a process
    ends in which a kernel raises, if that does not come through as an exception. ``cache`` is where the kernels of a
    quick run belong, and holds what Inductor finds out of the vector instructions, by plain builds.
    """
    one_thread()
    base = torch_internals.kernel_cache()
    if quick:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{base}/{_folder(linker)}"
    vector = torch_internals.pick_vector_instructions()
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder)
    # It calls no compiler, and the trial that does waits for one.
    warm = Child(lambda _: _line_of(_in_a_fork)) if quick else None
    if warm is not None:
        warm.send(None)
    came = {"plain": _line_of(lambda: _run(_first, _places())), "vector": vector}
    if not came["plain"]:
        came["raising"] = _how_errors_end()
    # Whatever comes of the other ways, this stands.
    (folder / _PLAIN).write_text(json.dumps(came), encoding="utf-8")
    if came["plain"] or warm is None:
        return came
    came[INSTRUCTIONS] = _line_of(lambda: _same_in_a_fork(vector))
    came[WARMED] = _said_by(warm)
    came |= _built(linker)
    came["cache"] = f"{base}/{_folder(os.environ.get('COMPILER_PATH', ''))}"
    return came


def _built(linker: str) -> dict[str, str]:
    """Try the ways to build at once, which takes one run of the compiler, and each by itself if that fails."""
    if not linker:
        return {TOGETHER: _line_of(lambda: _two_together(1))}
    os.environ["COMPILER_PATH"] = linker
    if not _line_of(lambda: _two_together(1)):
        return {GOLD: "", TOGETHER: ""}
    gold = _line_of(lambda: _run(_second))
    if gold:
        del os.environ["COMPILER_PATH"]
    return {GOLD: gold, TOGETHER: _line_of(lambda: _two_together(2))}


def _folder(linker: str) -> str:
    return "parity-gold" if linker else "parity"


def _line_of(trial: Callable[[], None]) -> str:
    try:
        trial()
    except Exception as error:
        return torch_internals.telling_line(error)
    return ""


def _how_errors_end() -> str:
    """How a fork ends in which the plain kernel raises; empty if that comes through as an exception.

    Where the compiler links a C++ library of its own into each kernel, what a kernel throws is caught by nobody.
    """
    outcome = run_forked(_row_that_is_not_there, LIMIT / 2)
    return outcome.how if isinstance(outcome, Crashed) else ""


def _row_that_is_not_there() -> None:
    with contextlib.suppress(Exception), torch.no_grad():
        torch.compile(_first, backend="inductor")(_rows(), _places() + 1)


def _rows() -> torch.Tensor:
    return torch.linspace(0, 2, 35).view(5, 7)


def _places() -> torch.Tensor:
    return torch.tensor([4, 0, 3, 1, 1])


def _first(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return (x[places].sin() + 1).sum(0)


def _second(x: torch.Tensor) -> torch.Tensor:
    return (x.cos() * 2).amax(1)


def _run(program: Callable[..., torch.Tensor], *more: torch.Tensor) -> None:
    """Compile the program and run it on rows, and on ``more``.

    Raises what building its kernel raises, and `TrialFailed` for a wrong result.
    """
    torch_internals.reset()
    x = _rows()
    # By more threads, kernels are built ahead: what the builder of the first try raised would be told to the second.
    with torch.no_grad(), torch_internals.compiler_settings({"inductor.compile_threads": 1}):
        seen = torch.compile(program, backend="inductor")(x, *more)
    if not torch.allclose(seen, program(x, *more), rtol=1e-4, atol=1e-5):
        raise TrialFailed("the kernel computes something else")


def _same_in_a_fork(vector: str) -> None:
    """Ask a fork of this process, which knows the answer, for the vector instructions. Raises `TrialFailed`."""
    outcome = run_forked(torch_internals.pick_vector_instructions, LIMIT / 2)
    seen = outcome.value if isinstance(outcome, Finished) else "no answer"
    if seen != vector:
        raise TrialFailed(f"a fork finds {seen}, and the process that it is of {vector}")


def _said_by(child: Child) -> str:
    """What the trial in the child came to, as `_line_of` tells it. The child is no more afterwards."""
    outcome = child.answer() if child.connection.poll(LIMIT / 2) else child.timed_out(LIMIT / 2)
    if isinstance(outcome, (Finished, Raised)):
        child.end()
    return str(outcome.value) if isinstance(outcome, Finished) else "a warm process does not end well"


def _in_a_fork() -> None:
    """Compile in a fork of this process, which is warm: Inductor and AOTAutograd, whose traces run autograd.

    Raises `TrialFailed` for what does not come back, or is wrong.
    """
    torch_internals.warm_compiler()
    outcome = run_forked(_compile_both, LIMIT / 2)
    if not isinstance(outcome, Finished):
        raise TrialFailed(
            outcome.message if isinstance(outcome, Raised) else "a fork of a warm process does not end well"
        )


def _compile_both() -> None:
    x = torch.linspace(0, 2, 25).view(5, 5)
    for backend in ("inductor", "aot_eager"):
        torch_internals.reset()
        leaf = x.clone().requires_grad_()
        torch.compile(lambda a: a.mm(a.t()), backend=backend)(leaf).sum().backward()
        if not torch.allclose(leaf.grad, 2 * x.sum(0).expand_as(x), rtol=1e-4):  # type: ignore[arg-type]
            raise TrialFailed(f"{backend} computes something else")


def _two_together(number: int) -> None:
    """Build the kernels of two programs as one unit and run both: Inductor finds them where it would have built them.

    Another ``number`` makes other programs: this process remembers builds that it was refused.

    Raises `TrialFailed`, with the compiler's line, if they cannot be.
    """
    builds: list[CppBuild] = []
    said: list[str] = []

    def take(build: CppBuild) -> None:
        builds.append(build)
        raise TrialFailed("to be built with others")

    def leave(build: CppBuild) -> None:
        said.append(build.target)

    programs = (lambda x: x.exp() / (x + number), lambda x: _second(x) - number)
    hear = take
    torch_internals.announce_cpp_builds(lambda build: hear(build))
    try:
        for program in programs:
            _line_of(lambda program=program: _run(program))  # type: ignore[misc]
    finally:
        # There is no end to announcements, and another trial may follow.
        hear = leave
    if len(builds) != len(programs):
        raise TrialFailed(f"Inductor tells of {len(builds)} kernels and not of {len(programs)}")
    if build_together(builds, said.append) != len(builds):
        raise TrialFailed(said[0] if said else "the kernels cannot be one unit")
    for program in programs:
        _run(program)
    if said:
        raise TrialFailed("Inductor does not take the kernels that were built together")
