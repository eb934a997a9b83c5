"""Which phase of a run a Python stack belongs to: a table of places, and the one rule by which it is read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

IMPORTS, COLLECTION = "starting and imports", "collection"
DYNAMO, AOT, INDUCTOR, COMPILER = "Dynamo", "AOTAutograd", "Inductor's Python", "C++ compiler"
EAGER, DEFINEDNESS, DOUBLE = "eager's run", "eager, looking for the undefined", "fp64 reference"
COMPILED, COMPARISON = "running what was compiled", "observation and comparison"
CLAUSES, PROCESSES, PYTEST = "clauses' own code", "forks, pipes, waiting", "pytest, plan and ledger"
GATE, PROGRAMS, OTHER = "the gate, which watches", "other programs", "other"

#: Every phase, in the order in which a run comes to them.
PHASES = (
    *(IMPORTS, COLLECTION, DYNAMO, AOT, INDUCTOR, COMPILER, EAGER, DEFINEDNESS, DOUBLE, COMPILED, COMPARISON),
    *(CLAUSES, PROCESSES, PYTEST, GATE, PROGRAMS, OTHER),
)

#: How a place counts. The innermost place that `DECIDES` gives the phase; without one the innermost that `MAY` give it.
#: What is below `BOTTOM` is the stack of the process that forked this one. A place of `PASSES` is a part of what called
#: it. Being imported decides before all else. What runs around `TRACED` is traced, and not yet `COMPILED`.
DECIDES, MAY, BOTTOM, PASSES, IMPORTED, TRACED = range(6)


@dataclasses.dataclass(frozen=True)
class Place:
    """Functions of the files whose path has ``part`` in it: those of ``names``, or all where it is empty."""

    part: str
    phase: str
    counts: int = DECIDES
    names: frozenset[str] = frozenset()


def _of(part: str, phase: str, names: str, counts: int = DECIDES) -> Place:
    return Place(part, phase, counts, frozenset(names.split()))


#: The first that holds is that of a frame.
PLACES = (
    _of("<frozen importlib", IMPORTS, "_find_and_load", IMPORTED),
    Place("torch/_subclasses/", "", TRACED),
    Place("torch/fx/experimental/proxy_tensor.py", "", TRACED),
    # What was compiled: graphs that torch.fx has written as Python, Inductor's code, and what calls them.
    Place("<eval_with_key>", COMPILED),
    _of("/torchinductor", INDUCTOR, "<module>"),
    Place("/torchinductor", COMPILED),
    _of("torch/_dynamo/eval_frame.py", COMPILED, "compile_wrapper"),
    # What Dynamo is told to leave alone is called through it, in eager's run too.
    Place("torch/_dynamo/eval_frame.py", "", PASSES),
    Place("torch/_dynamo/", DYNAMO),
    _of(
        "torch/_functorch/_aot_autograd/runtime_wrappers.py",
        AOT,
        "pre_compile post_compile wrapped_flat_fn merge_view_inputs build get_or_compile make_output_handler",
    ),
    Place("torch/_functorch/_aot_autograd/runtime_wrappers.py", COMPILED),
    _of("torch/_functorch/", COMPILED, "forward boxed_forward returned_function call_func_at_runtime_with_args"),
    Place("torch/_functorch/", AOT),
    _of("torch/_inductor/output_code.py", COMPILED, "__call__"),
    Place("torch/_inductor/", INDUCTOR),
    # The harness: what makes a run, and what looks at it.
    _of("suites/harness/oracle/runs.py", EAGER, "_eagerly"),
    _of("suites/harness/oracle/runs.py", DEFINEDNESS, "_searched"),
    _of("suites/harness/oracle/runs.py", DOUBLE, "_in_double"),
    _of("suites/harness/oracle/runs.py", COMPILED, "_compiled"),
    _of(
        "suites/harness/observation/observe.py",
        "",
        "observe build_inputs _compiled _observe_call _backward _probe_in_place",
        PASSES,
    ),
    _of("suites/harness/observation/gradients.py", "", "run_backward", PASSES),
    Place("suites/harness/oracle/definedness.py", "", PASSES),
    Place("suites/harness/oracle/provenance.py", "", PASSES),
    Place("suites/harness/oracle/runs.py", "", PASSES),
    Place("suites/harness/observation/", COMPARISON),
    Place("suites/harness/oracle/", COMPARISON),
    Place("suites/harness/clauses/", COMPARISON),
    Place("golden/", COMPARISON),
    _of("suites/harness/execution/isolation.py", PROCESSES, "_child", BOTTOM),
    _of("suites/harness/execution/children.py", PROCESSES, "_serve", BOTTOM),
    _of("suites/harness/execution/ranks.py", "", "_prime _on_this_rank", PASSES),
    *(
        Place(f"suites/harness/execution/{name}.py", PROCESSES)
        for name in ("isolation", "children", "ranks", "kernel_queue", "kernels")
    ),
    *(Place(f"suites/harness/{name}/", PYTEST, MAY) for name in ("session", "planning", "results", "execution")),
    Place("suites/harness/", "", PASSES),
    Place("suites/", CLAUSES, MAY),
    Place("tools/", GATE, MAY),
    # pytest itself: whatever is of it alone.
    _of("_pytest/", COLLECTION, "perform_collect"),
    *(Place(f"/{name}/", PYTEST, MAY) for name in ("_pytest", "pluggy", "xdist", "execnet")),
)


class Found:
    """What is known of a stack whose places have been told one after another, the innermost first."""

    def __init__(self) -> None:
        self.decided = self.possible = ""
        self.traced = False

    def goes_on(self, place: Place | None) -> bool:
        """Take the next place; whether those outside of it matter."""
        if place is None:
            return True
        if place.counts == IMPORTED:
            self.decided = place.phase
        elif place.counts == TRACED:
            self.traced = True
        elif place.counts == DECIDES:
            if not (self.traced and place.phase == COMPILED):
                self.decided = self.decided or place.phase
        elif place.counts in (MAY, BOTTOM):
            self.possible = self.possible or place.phase
        return place.counts not in (IMPORTED, BOTTOM)

    def phase(self) -> str:
        """The phase of the stack."""
        return self.decided or self.possible or OTHER


def place_of(file: str, name: str) -> Place | None:
    """The place of a function of that name, in that file; ``None`` where the table has none."""
    for place in PLACES:
        if place.part in file and (not place.names or name in place.names):
            return place
    return None


def phase_of(stack: Iterable[tuple[str, str]]) -> str:
    """The phase of a stack of files and names of functions, the innermost first."""
    found = Found()
    for file, name in stack:
        if not found.goes_on(place_of(file, name)):
            break
    return found.phase()
