"""What a run does differently from a user, to be quick or to see more: each way by its name, off by ``--plain``.

The first process of a run decides (`trials`): it has the compiler build kernels each way, in the environment of the
run, and a way that fails is off. The decision stands in the environment, so workers, forks and ranks inherit it.
Kernels that were built a quick way lie in a folder of their own in Inductor's cache: a plain run never loads them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping

from suites.harness.backends.names import WITHOUT_KERNELS, is_torchs_own
from suites.harness.execution import deaths

GOLD, TOGETHER = "gold linker", "kernels together"
GUARDS, LOG, COLLECTOR = "guards not timed", "no structured log", "collector settings"
WATCHED = "executions watched"
RANKS = "eager's runs on ranks together"
INSTRUCTIONS = "instructions found once"
WARMED = "compiler warmed"

#: Every way, and what it is.
WAYS: Mapping[str, str] = {
    GOLD: "kernels are linked by gold, which takes half of the time of the compiler's own linker",
    TOGETHER: "kernels that several workers wait for are built as one translation unit",
    GUARDS: "Dynamo does not measure, for a log, how long its guards take",
    LOG: "torch does not write its trace for handlers that nobody asked for",
    COLLECTOR: "Python's garbage collector runs less often, and not over what was imported",
    WATCHED: "after a pass, a run that nothing is compared of shows whether the backend executed its graphs",
    INSTRUCTIONS: "which vector instructions kernels may use is found out once, and the processes of cells know it",
    WARMED: "what torch sets up when it first compiles is set up once, and the processes that cells run in have it",
    RANKS: "eager's run on several ranks and the one that looks for undefined memory are made by the same processes",
}
#: The ways that have a part in building kernels.
BUILDING = (GOLD, TOGETHER)
#: The ways that are tried before they are on.
TRIED = (*BUILDING, INSTRUCTIONS, WARMED)
ON, FAILED = "on", "off: its trial failed: "
_VARIABLE = "PARITY_ACCELERATIONS"
#: The descriptor of a pipe that the decision will come by, where the process that decides has started this one before.
_COMING = "PARITY_ACCELERATIONS_FROM"
#: What decides which compiler and linker run.
_TOOLCHAIN = ("PATH", "CXX", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH", "LD_LIBRARY_PATH", "CPATH")
#: And for which vector instructions kernels are built.
VECTOR = ("ATEN_CPU_CAPABILITY", "TORCHINDUCTOR_VEC_ISA_OK")


@dataclasses.dataclass(frozen=True)
class Decision:
    """Which ways are on: ``ways`` says ``on`` or ``off: why`` of each.

    ``problem``: why not even the plain way builds a kernel, a line; empty if it does, or was not asked. ``settings``:
    the variables of the environment that were set for it, ``before``: what they were. ``toolchain``: what it was made
    for.
    """

    ways: dict[str, str]
    tried: bool = False
    problem: str = ""
    settings: dict[str, str] = dataclasses.field(default_factory=dict)
    before: dict[str, str | None] = dataclasses.field(default_factory=dict)
    toolchain: dict[str, str | None] = dataclasses.field(default_factory=dict)
    #: The vector instructions of the kernels that Inductor builds; empty where none was tried.
    vector: str = ""
    #: How a process ends in which a kernel raises; empty where that is an exception, or none was tried.
    raising: str = ""

    def undone(self) -> dict[str, str | None]:
        """What the environment is to be without its settings, but for those that somebody has changed since."""
        return {name: self.before[name] for name, value in self.settings.items() if os.environ.get(name) == value}

    @property
    def fits(self) -> bool:
        """Whether this process is where it was made for: a kernel that another compiler did not build says nothing."""
        return self.toolchain == toolchain_here()

    @property
    def line(self) -> str:
        """What the terminal says of ways whose trial failed; empty if none did."""
        failed = [f"{way} ({said.removeprefix(FAILED)})" for way, said in self.ways.items() if said.startswith(FAILED)]
        return f"done without, since the trial failed here: {', '.join(failed)}" if failed else ""

    @property
    def errors_of_kernels(self) -> str:
        """What is said of errors of kernels where they end the process; empty where they come through."""
        ends = f"a kernel that raises ends its process ({self.raising}): what this C++ compiler links in keeps"
        return f"{ends} exceptions in" if self.raising else ""

    def says_of(self, how: str, words: str) -> str:
        """Why a process that died in that way, with those last words, says nothing of the backend: a kernel raised.

        Empty where it does.
        """
        return self.errors_of_kernels if how == self.raising and deaths.in_a_kernel(words) else ""

    @property
    def lines(self) -> list[str]:
        """What the terminal says before a run."""
        said = self.errors_of_kernels
        told = f"{said}; cells that end so are unsupported, and parity doctor says what to type" if said else ""
        return list(filter(None, (self.line, told)))


def on(way: str) -> bool:
    """Whether this process does it that way. Nothing is done that no run has decided on."""
    return current().ways[way] == ON


def inherited() -> Decision | None:
    """The decision that this process was started under, or has made. Waits for one that is on its way."""
    _arrive()
    return _read(os.environ.get(_VARIABLE, ""))


class Handover:
    """A decision on its way to a process that is started before it is made: to import what it needs meanwhile."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        self._open = [self.reader, self._writer]

    @property
    def environment(self) -> dict[str, str]:
        """What that process, which has to inherit ``reader``, finds the decision by."""
        return {_COMING: str(self.reader)}

    def give(self, decision: Decision) -> None:
        """Hand over the decision that this process has settled on."""
        with open(self._writer, "w", encoding="utf-8", closefd=False) as pipe:
            json.dump(dataclasses.asdict(decision), pipe)
        self.close()

    def close(self) -> None:
        """Close the pipe: whoever waits for a decision that was not given ends."""
        while self._open:
            os.close(self._open.pop())


#: The pipe that this process's decision comes by, until it is here.
_coming: list[int] = []


def expect() -> bool:
    """Whether the decision of this process is on its way. Call it before anything else is started."""
    if descriptor := os.environ.pop(_COMING, ""):
        _coming.append(int(descriptor))
    return bool(_coming)


def _arrive() -> None:
    while _coming:
        with open(_coming.pop(), encoding="utf-8") as pipe:
            text = pipe.read()
        if not text:
            raise SystemExit("nothing was decided: the process that was to do it has ended")
        started_under = _read(os.environ.get(_VARIABLE, ""))
        if started_under is not None:
            restore(started_under.undone())
        decision = Decision(**json.loads(text))
        os.environ.update(decision.settings)
        os.environ[_VARIABLE] = text


def current() -> Decision:
    """The decision that holds here; all is off where there is none."""
    return inherited() or all_off("nothing was decided")


@contextlib.contextmanager
def plain() -> Iterator[None]:
    """All is off in this process, for as long as the context lasts."""
    undone = current().undone()
    changed = {name: os.environ.get(name) for name in (_VARIABLE, *undone)}
    restore(undone)
    os.environ[_VARIABLE] = json.dumps(dataclasses.asdict(all_off("tried again the plain way")))
    try:
        yield
    finally:
        restore(changed)


def settle(decision: Decision) -> Decision:
    """Have this process, and those that it starts, do what was decided; the decision with what that changed."""
    before = {name: os.environ.get(name) for name in decision.settings}
    os.environ.update(decision.settings)
    decision = dataclasses.replace(decision, before=before, toolchain=toolchain_here())
    os.environ[_VARIABLE] = json.dumps(dataclasses.asdict(decision))
    return decision


def decide(backends: Iterable[str], *, plain: bool = False) -> Decision:
    """Decide for this process and those that it starts. Call it before anything is compiled, in one thread.

    A decision that is inherited is kept if it was made for the same compilers; nothing is tried where no backend builds
    kernels. ``plain``: all is off, and only the plain kernel is tried.
    """
    compiles = any(map(builds_kernels, backends))
    there = inherited()
    if there is not None:
        enough = there.fits and there.tried >= compiles
        if enough and (ON not in there.ways.values() or not plain):
            return there
        restore(there.undone())
    decision = all_off("--plain") if plain else _quick()
    if compiles:
        from suites.harness.execution import trials  # It imports torch.

        decision = trials.after_trials(decision)
    return settle(dataclasses.replace(decision, tried=compiles))


def builds_kernels(backend: str) -> bool:
    """Whether a backend is known to build kernels of Inductor's.

    One that is not torch's own builds its own if any, which no trial would say anything of, nor make quicker: if it
    lowers to Inductor after all, its kernels are built in the plain way.
    """
    return is_torchs_own(backend) and backend not in WITHOUT_KERNELS


def _quick() -> Decision:
    """What is on before anything was tried."""
    return Decision({way: "off: no backend of the run builds kernels" if way in TRIED else ON for way in WAYS})


def building() -> bool:
    """Whether this process builds kernels in another way than a user."""
    return any(map(on, BUILDING))


@functools.lru_cache(maxsize=4)
def _read(text: str) -> Decision | None:
    return Decision(**json.loads(text)) if text else None


def all_off(why: str) -> Decision:
    """The decision that nothing is done for speed."""
    return Decision(dict.fromkeys(WAYS, f"off: {why}"))


def toolchain_here() -> dict[str, str | None]:
    """What a decision of this process is made for."""
    return {name: os.environ.get(name) for name in (*_TOOLCHAIN, *VECTOR)}


def restore(variables: Mapping[str, str | None]) -> None:
    """Set variables of the environment; None takes one away."""
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
