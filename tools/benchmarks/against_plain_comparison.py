"""What a cell costs, against PyTorch's own way for the same program: compile, call, compare outputs and gradients.

    python -m tools.benchmarks.against_plain_comparison --clauses 40 --backend aot_eager --backend inductor

Both ways are measured in one warm process, in turn, the other one first each time, in processor seconds with those of
the compiler:

``cell``
    The cell as a run makes it: pytest's protocol, eager's runs, what was compiled, the comparison of all facets, the
    record. Only what a run shares among cells is missing, such as the pipe to the process that a cell runs in.
``plain``
    Eager, ``torch.compile`` with the same options and settings, as many calls and, in grad mode, backwards as the
    clause makes, and ``torch.testing.assert_close`` of outputs and gradients.

Dynamo has forgotten all before either, and Inductor finds its cache of kernels empty. The sample is drawn among the
clauses by ``--seed``, a cell each; cells that run in processes of their own are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import json
import random
import resource
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parents[2]


def used() -> float:
    """Processor seconds of this process, and of all that it has waited for."""
    counted = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in counted)


def measured(work: Callable[[], object]) -> float:
    """The processor seconds that ``work`` takes where nothing is compiled yet."""
    from suites.harness import torch_internals

    gc.collect()
    torch_internals.reset()
    with torch_internals.fresh_kernel_cache():
        before = used()
        work()
        return used() - before


def plainly(subject: Any, backend: Any) -> None:
    """PyTorch's own way: the program in eager and compiled, and what both return is close.

    What is not close, or raises, is no matter here: the cell says what it means.
    """
    import torch

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        options = subject.options
        return torch.compile(function, backend=backend.name, dynamic=options.dynamic, fullgraph=options.fullgraph)

    with backend.settings(subject.options), contextlib.suppress(Exception):
        eager, seen = list(_results(subject, lambda function: function)), list(_results(subject, compiled))
        torch.testing.assert_close(seen, eager, equal_nan=True, check_stride=False)


def _results(subject: Any, compile_program: Callable[..., Any]) -> Iterator[list[Any]]:
    """Outputs and gradients of each call."""
    import torch

    from suites.harness.observation.observe import build_inputs

    instance = subject.program.instantiate()
    function = compile_program(instance.function)
    for build in instance.calls:
        inputs = build_inputs(build, subject.call_options)
        with contextlib.suppress(Exception):
            with subject.call_options.entered(), inputs.during:
                outputs = list(_tensors(function(*inputs.args, **inputs.kwargs)))
            grown = [each for each in outputs if each.requires_grad]
            if grown and subject.call_options.mode == "train" and subject.call_options.backward:
                torch.autograd.backward(grown, [torch.ones_like(each) for each in grown])
            gradients = [leaf.grad for leaf in inputs.leaves.values() if leaf.grad is not None]
            yield [each.detach() for each in (*outputs, *gradients)]


def _tensors(value: Any) -> Iterator[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _tensors(each)


class Pairs:
    """A plugin that, in place of running the cells, measures some of them both ways."""

    def __init__(self, clauses: int, seed: int) -> None:
        self.clauses, self.seed = clauses, seed
        #: Backend -> of each cell: its id, processor seconds of the cell, and of the plain way.
        self.found: dict[str, list[tuple[str, float, float]]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure; no test is run besides."""
        from suites.harness.backends.registry import resolve

        run: Any = session.config.pluginmanager.getplugin("parity-cells")
        for number, (item, cell) in enumerate(self._sample(session.items)):
            subject = _subject_of(run, item)
            if subject is None or subject.in_parts:
                continue
            backend = resolve(cell.backend)
            ways = (functools.partial(run._run_inside, item, False), functools.partial(plainly, subject, backend))
            if cell.backend not in self.found:
                # The first of a backend meets what is done once a process.
                for way in ways:
                    measured(way)
            order = (0, 1) if number % 2 else (1, 0)
            taken = {way: measured(ways[way]) for way in order}
            self.found.setdefault(cell.backend, []).append((cell.id, taken[0], taken[1]))
            print(f"{cell.id}: {taken[0]:.3f} s, plain {taken[1]:.3f} s", file=sys.stderr, flush=True)
        return True

    def _sample(self, items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, Any]]:
        """Cells of the drawn clauses, one each a backend, those of one clause together."""
        from suites.harness.session import cells

        of_clause: dict[str, dict[str, tuple[pytest.Item, Any]]] = {}
        for item in filter(cells.is_cell, items):
            scope, cell = cells.scope_of(item), cells.describe(item)
            if not scope.isolated and scope.ranks == 1:
                of_clause.setdefault(cell.clause, {}).setdefault(cell.backend, (item, cell))
        names = sorted(of_clause)
        for name in random.Random(self.seed).sample(names, min(self.clauses, len(names))):
            yield from of_clause[name].values()


def _subject_of(run: Any, item: pytest.Item) -> Any:
    """What the cell has its check examine; ``None`` of a clause that compiles by hand. Nothing is compiled."""
    from suites.harness.clauses.check import Check
    from suites.harness.clauses.endings import NotSupported

    kept: list[Any] = []

    def keep(self: Check, subject: Any) -> Any:
        kept.append(subject)
        raise NotSupported("only asked for")

    with mock.patch.object(Check, "_examined", keep), mock.patch.object(Check, "compiled", keep):
        run._run_inside(item, False)
    return kept[0] if kept and hasattr(kept[0], "program") else None


def main() -> int:
    """Measure, and print a line a backend; the exit code is pytest's."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", action="append", help="repeatable (default: aot_eager and inductor)")
    parser.add_argument("--clause", action="append", default=[], metavar="PATTERN", help="draw among these alone")
    parser.add_argument("--clauses", type=int, default=40, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    backends = options.backend or ["aot_eager", "inductor"]
    sys.path.insert(0, str(ROOT))
    from tools import arguments, forking, launch

    forking.settle(backends)
    families = arguments.families((), tuple(options.clause)) or tuple(launch.families())
    pairs = Pairs(options.clauses, options.seed)
    with tempfile.TemporaryDirectory(prefix="parity-benchmark-") as folder:
        words = ["-q", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", launch.PLUGIN, f"--rootdir={ROOT}"]
        words += [f"--config-file={ROOT / 'pyproject.toml'}", "--profile=smoke", f"--ledger={folder}/ledger.jsonl"]
        words += [f"--backend={name}" for name in backends] + [f"--clause={pattern}" for pattern in options.clause]
        with contextlib.redirect_stdout(sys.stderr):
            code = pytest.main([*words, *(str(ROOT / "suites" / name) for name in families)], [pairs])
    lines = {
        backend: {
            "cells": len(found),
            "cell_seconds": sum(cell for _, cell, _ in found),
            "plain_seconds": sum(plain for _, _, plain in found),
            "ratio": sum(cell for _, cell, _ in found) / sum(plain for _, _, plain in found),
            "median_ratio": statistics.median(cell / plain for _, cell, plain in found),
        }
        for backend, found in pairs.found.items()
    }
    if options.json:
        print(json.dumps(lines))
        return int(code)
    for backend, line in lines.items():
        print(
            f"{backend:<28}{line['cells']} cells: {line['cell_seconds']:.2f} processor seconds, the plain way "
            f"{line['plain_seconds']:.2f}: {line['ratio']:.2f} times as much (middle cell {line['median_ratio']:.2f})"
        )
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
