"""How much of torch's own Python a run reaches: branches of a set of modules, measured in forks and merged.

Programs run in forked processes, so each measures itself and leaves its data in a folder; whoever asks merges them, and
what importing torch reaches, which is over before the first fork. Needs the package ``coverage``, which the extra
``dev`` brings.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

#: What random programs are meant to reach; see `modules_of`.
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


def modules_of(kind: str) -> Sequence[str]:
    """What programs of a kind are measured on: of custom operators, or of others."""
    return MODULES["schemas" if kind in ("schemas", "triton") else "programs"]


class NoCoverage(Exception):
    """Coverage cannot be measured here; the message is one line."""


@dataclasses.dataclass(frozen=True)
class Reached:
    """Of one module: how many branches there are, how many were taken, and the lines with one that was not."""

    module: str
    branches: int
    taken: int
    missed: tuple[int, ...] = ()

    @property
    def percent(self) -> float:
        """Branches taken, of a hundred."""
        return 100 * self.taken / self.branches if self.branches else 100.0


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
    """Leave in ``folder`` what importing the modules reaches, in a process of its own, unless it is there.

    Raises `NoCoverage` if that fails.
    """
    place = folder / "reached.importing"
    if place.is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    paths = files(modules)
    command = [sys.executable, "-c", _IMPORTS, str(place), " ".join(paths), *map(str, paths.values())]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if ran.returncode:
        *_, last = ran.stderr.strip().splitlines() or [""]
        raise NoCoverage(f"importing torch cannot be measured: {last}")


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
    return [_reached(module, by_path.get(str(path))) for module, path in places.items()]


def _reached(module: str, report: Mapping[str, object] | None) -> Reached:
    if report is None:
        return Reached(module, 0, 0)
    summary, missing = report["summary"], report["missing_branches"]
    assert isinstance(summary, dict)
    assert isinstance(missing, list)
    lines = tuple(sorted({int(start) for start, _ in missing}))
    return Reached(module, int(summary["num_branches"]), int(summary["covered_branches"]), lines)


def overall(rows: Sequence[Reached]) -> Reached:
    """The rows together, as one row named ``all``."""
    return Reached("all", sum(row.branches for row in rows), sum(row.taken for row in rows))


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
