"""Programs a second on one core: a campaign's worker pool against cold processes, on the same programs in one run.

    python -m tools.benchmarks.fuzz_throughput --backend aot_eager --programs 64 --cold 6
    python -m tools.benchmarks.fuzz_throughput --of schemas --backend inductor --cold 0

Drawing the programs is told apart. Where operators are drawn, one to four of them a program, each with a schema of its
own, their pace is told too. Three ways to judge programs are measured, in processor seconds (of all processes,
so that other work on the machine counts little) and in seconds on the clock:

``pool``
    What ``parity fuzz`` does. Its start (imports, one compilation of each kind) is paid once a campaign and told apart.
``cold, judged``
    A new interpreter a program, which judges it as the pool does.
``cold, twice``
    Two new interpreters a program, one that runs it eagerly and one that compiles and runs it, and nothing else.

The cold ways are measured on the first of the programs, as many as ``--cold`` says, with Inductor's caches and its
precompiled header as earlier processes have left them.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from suites.fuzz.campaigns.campaign import Plan

ROOT = Path(__file__).resolve().parents[2]

_JUDGE = """\
import sys
from suites.harness.execution.isolation import one_thread
one_thread()
from suites.fuzz.judging import judge
print(judge(open(sys.argv[1]).read(), sys.argv[2]).outcome)
"""
_PLAIN = """\
import runpy, sys
import torch
torch.set_num_threads(1)
names = runpy.run_path(sys.argv[1])
program = names["program"]
if sys.argv[2] != "eagerly":
    torch._inductor.config.fx_graph_cache = False
    program = torch.compile(program, backend=sys.argv[2], dynamic=names.get("DYNAMIC"))
with torch.set_grad_enabled(names.get("TRAIN", False)):
    for build in names.get("calls", [names["inputs"]] * 2):
        try:
            print(program(*(build() if callable(build) else build[0]())))
        except Exception as error:
            print(error)
"""


def measured(work: Callable[[], None]) -> tuple[float, float]:
    """Processor seconds, of this process and of its children that have ended, and seconds on the clock."""
    before, started = _processor(), time.monotonic()
    work()
    return _processor() - before, time.monotonic() - started


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _cold(texts: list[str], code: str, modes: list[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="parity-benchmark-") as folder:
        for number, text in enumerate(texts):
            path = Path(folder) / f"program_{number}.py"
            path.write_text(text, encoding="utf-8")
            for mode in modes:
                command = [sys.executable, "-c", code, str(path), mode]
                subprocess.run(command, cwd=ROOT, capture_output=True, timeout=600, check=False)


def _start(backend: str) -> None:
    from tools import forking

    forking.silence()
    forking.prime(forking.backends([backend]))


def _draw(plan: Plan, count: int, texts: list[str]) -> None:
    """Add the texts of the first programs of a campaign that come to something."""
    from suites.fuzz.generators.programs.scope import Rejected

    for number in plan.numbers():
        if len(texts) == count:
            break
        with contextlib.suppress(Rejected):
            texts.append(plan.draw(number).text)


def _schemas(texts: list[str]) -> int:
    """How many operators the programs define."""
    from suites.fuzz.reduction.edits import bound

    return sum(re.fullmatch(r"op\d+", bound(node) or "") is not None for text in texts for node in ast.parse(text).body)


def _pool(texts: list[str], backend: str, width: int | None) -> None:
    from suites.fuzz.campaigns.worker_pool import WorkerPool, width_for
    from suites.fuzz.judging import Judgement, judge

    pool: WorkerPool[str, Judgement] = WorkerPool(lambda text: judge(text, backend), 60.0, width or width_for(backend))
    with pool:
        for _ in pool.run(texts):
            pass


def main() -> None:
    """Measure, and print a line a way and the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--backend", default="aot_eager")
    parser.add_argument("--of", default="programs", help="what is drawn: programs, numbers, operators, schemas")
    parser.add_argument("--programs", type=int, default=64, help="how many the pool judges")
    parser.add_argument("--cold", type=int, default=6, help="how many of them the cold ways judge")
    parser.add_argument("--campaign", default="throughput", help="which programs")
    parser.add_argument("--width", type=int, help="workers of the pool (default: its own)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tools import forking

    forking.settle([options.backend])
    from suites.fuzz.campaigns.campaign import Plan

    start = measured(lambda: _start(options.backend))
    plan, texts = Plan(options.campaign, options.backend, of=options.of), list[str]()
    drawing = measured(lambda: _draw(plan, options.programs, texts))
    few = texts[: options.cold]
    ways = {
        "pool": (measured(lambda: _pool(texts, options.backend, options.width)), len(texts)),
        "cold, judged": (measured(lambda: _cold(few, _JUDGE, [options.backend])), len(few)),
        "cold, twice": (measured(lambda: _cold(few, _PLAIN, ["eagerly", options.backend])), len(few)),
    }
    each = {name: (used[0] / count, used[1] / count) for name, (used, count) in ways.items() if count}
    ratios = {name: each[name][0] / each["pool"][0] for name in each if name != "pool"}
    drawn = (drawing[0] / len(texts), drawing[1] / len(texts))
    pace = 1 / (drawn[0] + each["pool"][0])
    schemas = _schemas(texts) / len(texts)
    if options.json:
        print(
            json.dumps(
                {
                    "backend": options.backend,
                    "start": start,
                    "drawing": drawn,
                    "schemas_a_program": schemas,
                    "seconds_a_program": each,
                    "ratios": ratios,
                }
            )
        )
        return
    print(
        f"{options.backend}: {len(texts)} {options.of} of campaign {options.campaign!r}; start {start[0]:.1f} s once; "
        f"drawn and judged, {pace:.1f} a processor second"
    )
    if schemas:
        print(f"{schemas:.2f} schemas a program: {schemas * pace:.1f} schemas a processor second")
    print(f"{'drawing':<14}{drawn[0]:8.3f} processor seconds a program, {drawn[1]:8.3f} on the clock")
    for name, (processor, clock) in each.items():
        ratio = f"  {ratios[name]:5.1f} times the pool's" if name in ratios else ""
        print(f"{name:<14}{processor:8.3f} processor seconds a program, {clock:8.3f} on the clock{ratio}")


if __name__ == "__main__":
    main()
