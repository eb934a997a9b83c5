"""Benchmarks: which phase a stack belongs to, what a sampled run tells, a cell's cost against the plain way."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from suites.harness.results import ledger as ledgers
from tools.benchmarks import phases, sampling
from tools.benchmarks.phases import phase_of
from tools.views import processor

ROOT = Path(__file__).parents[3]
TORCH = "/venv/lib/python3.11/site-packages/torch"
SUITES = "/checkout/suites"

#: What stands below every cell: the parent's stack, from the fork on, and what serves in the fork.
IN_A_WORKER = [
    (f"{SUITES}/harness/execution/children.py", "_serve"),
    (f"{SUITES}/harness/execution/children.py", "__init__"),
    (f"{SUITES}/harness/session/cell_run.py", "_reports"),
    ("/venv/_pytest/main.py", "_main"),
]
IN_A_CELL = [
    (f"{SUITES}/harness/oracle/examine.py", "verdict"),
    (f"{SUITES}/harness/clauses/check.py", "__call__"),
    (f"{SUITES}/mutation/test_views.py", "test_a_view_is_written_to"),
    ("/venv/_pytest/python.py", "pytest_pyfunc_call"),
    *IN_A_WORKER,
]
OBSERVED = [
    (f"{SUITES}/harness/observation/observe.py", "_observe_call"),
    (f"{SUITES}/harness/observation/observe.py", "observe"),
    (f"{SUITES}/harness/oracle/runs.py", "_observe"),
]
PROGRAM = [(f"{SUITES}/mutation/test_views.py", "program"), *OBSERVED]
COMPILED = [
    (f"{TORCH}/_dynamo/eval_frame.py", "compile_wrapper"),
    *OBSERVED,
    (f"{SUITES}/harness/oracle/runs.py", "_compiled"),
]
FAKE = [(f"{TORCH}/utils/_pytree.py", "tree_map"), (f"{TORCH}/_subclasses/fake_tensor.py", "dispatch")]


def made(by: str) -> list[tuple[str, str]]:
    return [(f"{SUITES}/harness/oracle/runs.py", by)]


@pytest.mark.parametrize(
    "stack, phase",
    [
        ([*PROGRAM, *made("_eagerly"), *IN_A_CELL], phases.EAGER),
        ([*PROGRAM, *made("_searched"), *IN_A_CELL], phases.DEFINEDNESS),
        ([*PROGRAM, *made("_in_double"), *made("make"), *IN_A_CELL], phases.DOUBLE),
        # Dynamo's own wrapper of what it is to leave alone is called in eager's run, too.
        ([(f"{TORCH}/_dynamo/eval_frame.py", "_fn"), *PROGRAM, *made("_eagerly"), *IN_A_CELL], phases.EAGER),
        ([("<eval_with_key>.7", "forward"), *COMPILED, *IN_A_CELL], phases.COMPILED),
        ([("/tmp/torchinductor_me/xy/cxyz.py", "call"), *COMPILED, *IN_A_CELL], phases.COMPILED),
        ([(f"{TORCH}/_functorch/_aot_autograd/runtime_wrappers.py", "backward"), *COMPILED], phases.COMPILED),
        ([*FAKE, (f"{TORCH}/_dynamo/variables/builder.py", "wrap"), *COMPILED, *IN_A_CELL], phases.DYNAMO),
        # A graph that is traced is no graph that runs.
        (
            [*FAKE, ("<eval_with_key>.7", "forward"), (f"{TORCH}/_functorch/aot_autograd.py", "trace"), *COMPILED],
            phases.AOT,
        ),
        ([("/venv/sympy/add.py", "__add__"), (f"{TORCH}/_inductor/scheduler.py", "fuse"), *COMPILED], phases.INDUCTOR),
        ([(f"{SUITES}/harness/observation/facts.py", "snapshot"), *OBSERVED, *made("_eagerly")], phases.COMPARISON),
        ([(f"{SUITES}/harness/oracle/facets/tensors.py", "compare_values"), *IN_A_CELL], phases.COMPARISON),
        ([("/venv/_pytest/runner.py", "runtestprotocol"), *IN_A_WORKER], phases.PYTEST),
        ([(f"{SUITES}/mutation/test_views.py", "helper"), ("/venv/pluggy/x.py", "call"), *IN_A_WORKER], phases.CLAUSES),
        ([(f"{SUITES}/harness/execution/children.py", "ask"), *IN_A_WORKER[2:]], phases.PROCESSES),
        ([("/usr/lib/python3.11/pickle.py", "dumps"), *IN_A_WORKER[:1], *PROGRAM], phases.PROCESSES),
        ([("/venv/_pytest/python.py", "collect"), ("/venv/_pytest/main.py", "perform_collect")], phases.COLLECTION),
        # An import is one, wherever it happens.
        (
            [(f"{TORCH}/_inductor/ir.py", "<module>"), ("<frozen importlib._bootstrap>", "_find_and_load"), *COMPILED],
            phases.IMPORTS,
        ),
        ([("/checkout/tools/views/progress.py", "take"), ("/checkout/tools/verbs/gate.py", "gate")], phases.GATE),
        ([("/somewhere/else.py", "main")], phases.OTHER),
        ([], phases.OTHER),
    ],
)  # fmt: skip
def test_a_stack_belongs_to_its_innermost_phase(stack: list[tuple[str, str]], phase: str) -> None:
    assert phase_of(stack) == phase


def test_every_place_names_a_phase_that_there_is_and_a_file_of_ours_that_is_here() -> None:
    for place in phases.PLACES:
        assert place.phase in phases.PHASES or place.counts in (phases.PASSES, phases.TRACED)
        if place.part.startswith(("suites/", "tools/", "golden/")):
            here = ROOT / place.part
            assert here.exists(), place
            text = here.read_text(encoding="utf-8") if here.is_file() else ""
            assert all(f"def {name}(" in text for name in place.names), place


def test_header_reads_the_variable_that_the_sampler_sets() -> None:
    assert sampling.TOLD[0] == ledgers.SAMPLED


@pytest.mark.parametrize("backend", ["aot_eager"])
@pytest.mark.in_turn(1, 3)
def test_a_sampled_gate_tells_where_its_time_went(tmp_path: Path, backend: str) -> None:
    # Enough cells that no phase falls between two looks.
    wanted = ["--backend", backend, "--clause", "mutation/input_data/*", "-n", "1"]
    words = ["--profile", "smoke", "--report", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS", ledgers.SAMPLED, ledgers.TYPED, sampling.FOLDER):
        environment.pop(name, None)
    ended = subprocess.run(
        [sys.executable, *processor.COMMAND.split()[1:], *wanted, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    book = ledgers.read([tmp_path / "ledger.jsonl"])
    assert book.header["sampled"] == sampling.TOLD[1]
    assert book.header["command"] == shlex.join([*processor.COMMAND.split(), *wanted, *words])
    found = processor.spent(book)
    assert found is not None
    rows = {row.phase: row for row in found.rows}
    assert set(rows) <= {*phases.PHASES, processor.NOT_SEEN}
    # What is added up is what the system counts, but for the ends of processes.
    assert 0.5 < found.seen / found.total < 1.02
    assert rows[phases.OTHER].share < 0.1 if phases.OTHER in rows else True
    assert found.backends == (backend,)
    for phase in (phases.DYNAMO, phases.AOT, phases.COMPARISON):
        assert rows[phase].of_backends[0] > 0, phase
    eager = [rows[phase] for phase in (phases.EAGER, phases.DEFINEDNESS, phases.COMPILED) if phase in rows]
    assert sum(row.of_backends[0] for row in eager) > 0
    assert rows[phases.IMPORTS].seconds > rows[phases.IMPORTS].of_backends[0]
    assert 'id="processor"' in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert phases.DYNAMO in ended.stdout


def test_a_run_that_nobody_samples_has_no_table() -> None:
    assert processor.spent(ledgers.Ledger()) is None


@pytest.mark.in_turn(2, 3)
def test_the_cost_of_a_cell_is_told_beside_that_of_the_plain_way() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tools.benchmarks.against_plain_comparison", "--json", "--clauses", "1"]
        + ["--backend", "aot_eager", "--clause", "mutation/input_data/in_place_op_reaches_the_caller"],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = json.loads(ended.stdout)["aot_eager"]
    assert told["cells"] == 1
    assert told["cell_seconds"] > 0
    assert told["plain_seconds"] > 0
    assert told["ratio"] == pytest.approx(told["cell_seconds"] / told["plain_seconds"])
