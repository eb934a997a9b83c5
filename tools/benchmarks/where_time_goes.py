"""Where the processor time of a gate goes: collection, imports, Dynamo, AOTAutograd, Inductor, the C++ compiler, eager.

    python -m tools.benchmarks.where_time_goes --profile quick
    python -m tools.benchmarks.where_time_goes --family mutation --backend inductor --report FOLDER

All options are those of ``parity gate``, which runs as ever, but that each of its processes looks at its own stack
every few milliseconds of its processor time (`sampling`) and puts what it has used to one phase (`phases`). The table
stands against what the system counts for all of these processes together. It is printed, and stands in the ledger and
in the report. Not seen is what a process uses after its last look: most of that is Python's own end. The table is of
the run: what judging it and writing the report have taken is told below it.
"""

from __future__ import annotations

import os
import resource
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.benchmarks import sampling


def used() -> float:
    """Processor seconds of this process, and of all that it and its children have waited for."""
    counted = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in counted)


def main(arguments: Sequence[str]) -> int:
    """Run the gate with these options, sampled, and print the table; the exit code is the gate's."""
    with tempfile.TemporaryDirectory(prefix="parity-samples-") as folder:
        # pytest takes it in the controller and in each worker, before the plugin that imports torch.
        os.environ["PYTEST_ADDOPTS"] = f"-p {sampling.__name__} {os.environ.get('PYTEST_ADDOPTS', '')}".strip()
        sampling.begin(Path(folder))
        from suites.harness.results import ledger
        from tools import cli, launch
        from tools.views import processor
        from tools.views.terminal import terminal

        os.environ[ledger.TYPED] = shlex.join([*processor.COMMAND.split(), *arguments])
        kept = ledger.Ledger()

        def keep(path: Path) -> None:
            seen = [[phase, backend, round(seconds, 3)] for phase, backend, seconds in sampling.read(Path(folder))]
            record = {"kind": "processor", "every": sampling.EVERY, "total": round(used(), 3), "seen": sorted(seen)}
            writer = ledger.Writer(path)
            writer.write(record)
            writer.close()
            kept.processor.append(record)

        launch.put_current_directory_on_path()
        code = cli.run(["gate", *arguments], watcher=keep)
        sampling.end()
    found = processor.spent(kept)
    if found is not None:
        console = terminal(stderr="--json" in arguments)
        console.print(processor.table(found))
        console.print(f"judging and writing the report: {used() - found.total:.1f} s more", highlight=False)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
