"""How much of torch's own Python a run reaches: branches of a set of modules, measured in forks and merged.

Programs run in forked processes, so each measures itself and leaves its data in a folder; whoever asks merges them, and
what importing torch reaches, which is over before the first fork. Of the branches that are not taken, those that no
program of custom operators can take are told apart (`ASIDES`), and stay in the count. Needs the package ``coverage``,
which the extra ``dev`` brings.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

#: What a kind of random programs is meant to reach, by the kind's name.
MODULES: Mapping[str, tuple[str, ...]] = {
    "schemas": (
        "torch._higher_order_ops.auto_functionalize",
        "torch._library.autograd",
        "torch._library.custom_ops",
        "torch._library.fake_impl",
        "torch._library.infer_schema",
        "torch._library.utils",
    ),
    "programs": (
        "torch._functorch._aot_autograd.collect_metadata_analysis",
        "torch._functorch._aot_autograd.functional_utils",
        "torch._functorch._aot_autograd.graph_capture",
        "torch._functorch._aot_autograd.graph_capture_wrappers",
        "torch._functorch._aot_autograd.graph_compile",
        "torch._functorch._aot_autograd.input_output_analysis",
        "torch._functorch._aot_autograd.runtime_wrappers",
        "torch._functorch.partitioners",
    ),
}


@dataclasses.dataclass(frozen=True)
class Aside:
    """Branches told apart where they are not taken: those in ``function``, or behind a condition with ``test``.

    Both are names that torch gives; what a later torch does not have is no aside of it.
    """

    why: str
    function: str = ""
    test: str = ""


ASSERTIONS = "torch's own assertions"
UNCALLED = "nothing in torch calls"
HIGHER_ORDER = "of higher-order operators, such as torch.cond"
BUILT_IN = "of aten's operators, and of other nodes"
OPAQUE = "of opaque types"
#: What `MODULES` have besides what programs of custom operators can reach.
ASIDES: Mapping[str, tuple[Aside, ...]] = {
    "torch._higher_order_ops.auto_functionalize": (
        *(Aside(HIGHER_ORDER, test=test) for test in ("HopInstance", "HigherOrderOperator", "subgraph_arg_names")),
        *(Aside(HIGHER_ORDER, test=test) for test in ("_boxed_call", "_has_gen_schema", "GraphModule", "HopSchema")),
        # Tested once more where a tensor that is its base's alias has been dealt with, or where ranks were compared.
        *(Aside(UNCALLED, test=test) for test in ("is_alias(base, tensor)", "sym_eq(len(tensor.size())")),
    ),
    "torch._library.utils": (
        Aside(UNCALLED, "hop_schema_from_fx_node"),
        Aside(UNCALLED, "_collect_example_val"),
        # A schema of torchgen's; torch's callers have one of the dispatcher's.
        Aside(UNCALLED, "is_functional_schema"),
        Aside(UNCALLED, test="torchgen"),
        Aside(BUILT_IN, "mutates_and_returns_first_arg"),
        Aside(BUILT_IN, "is_impure"),
        Aside(BUILT_IN, test="is_builtin"),
    ),
    "torch._library.infer_schema": (Aside(OPAQUE, test="opaque"), Aside(OPAQUE, "_return_type_str")),
}


class NoCoverage(Exception):
    """Coverage cannot be measured here; the message is one line."""


@dataclasses.dataclass(frozen=True)
class Reached:
    """Of one module: how many branches there are, how many were taken, and the lines with one that was not.

    ``asides``: of those not taken, how many are told apart, with the reason.
    """

    module: str
    branches: int
    taken: int
    missed: tuple[int, ...] = ()
    asides: tuple[tuple[str, int], ...] = ()

    @property
    def percent(self) -> float:
        """Branches taken, of a hundred."""
        return 100 * self.taken / self.branches if self.branches else 100.0

    @property
    def percent_of_the_rest(self) -> float:
        """Branches taken, of a hundred that are no asides."""
        rest = self.branches - sum(number for _, number in self.asides)
        return 100 * self.taken / rest if rest else 100.0


def can_measure() -> bool:
    """Whether the package is there."""
    return importlib.util.find_spec("coverage") is not None


@contextlib.contextmanager
def measured(folder: Path, modules: Sequence[str]) -> Iterator[None]:
    """Measure this process while the context lasts, and leave what was reached in ``folder``.

    Raises `NoCoverage` if the package is missing.
    """
    try:
        import coverage
    except ModuleNotFoundError:
        raise NoCoverage("coverage is not installed: pip install coverage") from None
    folder.mkdir(parents=True, exist_ok=True)
    measure = coverage.Coverage(
        data_file=str(folder / "reached"),
        data_suffix=True,
        branch=True,
        include=[str(path) for path in files(modules).values()],
        config_file=False,
        messages=False,
    )
    measure.start()
    try:
        yield
    finally:
        measure.stop()
        measure.save()


_IMPORTS = """\
import importlib, sys
import coverage
data, modules, paths = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
measure = coverage.Coverage(data_file=data, branch=True, include=paths, config_file=False, messages=False)
measure.start()
for module in modules:
    importlib.import_module(module)
measure.stop()
measure.save()
"""


def measure_importing(folder: Path, modules: Sequence[str]) -> None:
    """Leave in ``folder`` what importing the modules reaches, in a process of its own; once."""
    place = folder / "reached.importing"
    if place.is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    paths = files(modules)
    command = [sys.executable, "-c", _IMPORTS, str(place), " ".join(paths), *map(str, paths.values())]
    subprocess.run(command, capture_output=True, check=False, timeout=300)


def merged(folder: Path, modules: Sequence[str]) -> list[Reached]:
    """What all that was measured into ``folder`` has reached, a module a row. Raises `NoCoverage` if nothing was."""
    import coverage

    places = files(modules)
    data = [str(path) for path in sorted(folder.glob("reached*"))]
    if not data:
        raise NoCoverage(f"nothing was measured into {folder}")
    with tempfile.TemporaryDirectory(prefix="parity-coverage-") as scratch:
        measure = coverage.Coverage(str(Path(scratch) / "all"), branch=True, config_file=False, messages=False)
        measure.combine(data, strict=True, keep=True)
        told = Path(scratch) / "report.json"
        measure.json_report(morfs=[str(path) for path in places.values()], outfile=str(told))
        report = json.loads(told.read_text(encoding="utf-8"))["files"]
    by_path = {str(Path(name).resolve()): found for name, found in report.items()}
    return [_reached(module, path, by_path.get(str(path))) for module, path in places.items()]


def _reached(module: str, path: Path, report: Mapping[str, object] | None) -> Reached:
    if report is None:
        return Reached(module, 0, 0)
    summary, missing = report["summary"], report["missing_branches"]
    assert isinstance(summary, dict)
    assert isinstance(missing, list)
    lines = tuple(sorted({int(start) for start, _ in missing}))
    reasons = asides_of(path.read_text(encoding="utf-8"), ASIDES.get(module, ()))
    counted = Counter(reasons(int(start), int(end)) for start, end in missing)
    asides = tuple((why, number) for why, number in sorted(counted.items()) if why)
    return Reached(module, int(summary["num_branches"]), int(summary["covered_branches"]), lines, asides)


def asides_of(source: str, asides: Sequence[Aside]) -> Callable[[int, int], str]:
    """What says why the branch from a line to another is told apart; nothing if it is not.

    An assertion is a branch to a line that raises `AssertionError`, with or without an ``if`` before it.
    """
    assertions: set[int] = set()
    why: dict[int, str] = {}

    def visit(node: ast.AST, function: str, reason: str) -> None:
        if isinstance(node, ast.FunctionDef):
            function = node.name
            reason = next((aside.why for aside in asides if aside.function == function), reason)
        if isinstance(node, ast.Raise) and node.exc is not None and "AssertionError" in ast.unparse(node.exc):
            assertions.add(node.lineno)
        inside = reason
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            inside = next((aside.why for aside in asides if aside.test and aside.test in test), reason)
        if isinstance(node, ast.stmt) and inside:
            why[node.lineno] = inside
        for child in ast.iter_child_nodes(node):
            is_other = isinstance(node, ast.If) and child in node.orelse
            visit(child, function, reason if is_other else inside)

    visit(ast.parse(source), "", "")
    return lambda start, end: ASSERTIONS if end in assertions else why.get(start, "")


def overall(rows: Sequence[Reached]) -> Reached:
    """The rows together, as one row named ``all``."""
    counted: Counter[str] = Counter()
    for row in rows:
        counted.update(dict(row.asides))
    asides = tuple(sorted(counted.items()))
    return Reached("all", sum(row.branches for row in rows), sum(row.taken for row in rows), (), asides)


def files(modules: Sequence[str]) -> dict[str, Path]:
    """The source files of modules, those that this torch has."""
    found = {}
    for module in modules:
        try:
            spec = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            continue
        if spec is not None and spec.origin is not None:
            found[module] = Path(spec.origin).resolve()
    return found
