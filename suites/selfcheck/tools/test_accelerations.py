"""What a run does for speed is tried on the machine first, and never decides a verdict: toolchains that break it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from suites.harness.backends.registry import resolve
from suites.harness.execution import accelerations, environment
from suites.harness.execution.accelerations import BUILDING, COLLECTOR, FAILED, GOLD, ON, TOGETHER, WAYS
from suites.harness.observation.observe import Call, ErrorFacts, Observation
from suites.harness.oracle.runs import Aborted, CompileCounter, Completed, Retrying, Run
from suites.harness.results.ledger import Ledger, read
from suites.selfcheck.tools.test_environment import executable
from tools import launch
from tools.verbs.diff import compare

needs_a_compiler = pytest.mark.skipif(not environment.compiler().found, reason="no C++ compiler here")

#: A g++ in a prefix of its own: with gold before its linker it finds no library of its own.
PREFIX = """
if [ -n "$COMPILER_PATH" ]; then
    case " $* " in *" -shared "*) echo "ld.gold: error: cannot open /opt/gcc/lib/libstdc++.so" >&2; exit 1 ;; esac
fi
"""
#: One that takes no unit of several kernels.
ONE_KERNEL = """
for word in "$@"; do
    case "$word" in *.cpp)
        grep -q "namespace parity_1" "$word" && { echo "kernels.cpp:9: error: twice" >&2; exit 1; } ;;
    esac
done
"""
#: One whose gold works for the trials' one link and no longer.
FOR_A_WHILE = """
if [ -n "$COMPILER_PATH" ]; then
    case " $* " in *" -shared "*)
        echo link >> {folder}/links
        [ $(wc -l < {folder}/links) -gt 1 ] && { echo "ld.gold: error: out of luck" >&2; exit 1; } ;;
    esac
fi
"""
#: One that links nothing at all.
BROKEN = 'case " $* " in *" -shared "*) echo "ld: error: cannot find -lgomp" >&2; exit 1 ;; esac\n'

CLAUSES = """
from suites.harness import clause, tensor

@clause(modes=("no_grad",), shapes=("static",))
def test_written(check):
    '''An in-place op reaches the caller.'''
    def program(a):
        a.mul_(2)
        return a + 1
    check(program, tensor(3)).mutated(0)

@clause(modes=("no_grad",), shapes=("static",), isolated=True)
def test_read(check):
    '''A reduction leaves its input alone.'''
    check(lambda a: a.sin().sum(0), tensor(3, 4)).unchanged(0)
"""

PROGRAM = """
import torch

def program(a):
    return (a.cos() * 3).sum(0)

def inputs():
    return (torch.randn(5, 7),)
"""

#: Cells whose kernels, ranks, draws and state in their process a quick way could change.
SAMPLE = (
    "autograd/test_backward_mutation.py::test_module_counts_its_backwards_in_a_buffer",
    "distributed/test_functional_collectives.py::test_gradient_of_a_gathered_tensor",
    "dynamic_shapes/test_size_arithmetic.py::test_floor_division_in_a_kernel_rounds_down",
    "errors/test_dtypes.py::test_mean_of_integers",
    "fuzz/test_frozen.py",
    "lowering/test_buffer_reuse.py::test_in_place_kernels_and_reuse",
    "operators/test_division.py::test_remainder_takes_the_sign_of_the_divisor",
    "randomness/test_draws.py::test_dead_dropout_before_a_draw",
    "state/test_autocast.py::test_autocast_block_ends_with_the_block",
)


def _environment(**changed: str) -> dict[str, str]:
    """That of a run that nobody has decided anything for."""
    with accelerations.plain():
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PARITY_"))}
    return {**inherited, "PYTHONPATH": str(launch.ROOT), "OMP_NUM_THREADS": "1", "COLUMNS": "200", **changed}


def _toolchain(folder: Path, script: str) -> dict[str, str]:
    """An environment whose g++ runs ``script`` first, whose gold is there, and whose kernels are its own."""
    bin_ = folder / "bin"
    bin_.mkdir()
    executable(bin_ / "ld.gold", f'#!/bin/sh\nexec {shutil.which("ld")} "$@"\n')
    compiler = environment.compiler().path
    executable(bin_ / "g++", f'#!/bin/sh\n{script.replace("{folder}", str(folder))}\nexec {compiler} "$@"\n')
    return _environment(
        PATH=f"{bin_}{os.pathsep}{os.environ['PATH']}",
        CXX="g++",
        TORCHINDUCTOR_CACHE_DIR=str(folder / "cache"),
        # Finding out what instructions there are takes longer than the rest.
        TORCHINDUCTOR_VEC_ISA_OK="1",
    )


@dataclasses.dataclass(frozen=True)
class Ran:
    """A run of the command line."""

    status: int
    out: str
    text: str
    ledger: Ledger

    @property
    def ways(self) -> dict[str, str]:
        ways: dict[str, str] = self.ledger.header["accelerations"]
        return ways


def _pytest(folder: Path, environ: dict[str, str], *options: str) -> Ran:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--ledger", str(folder / "ledger.jsonl")]
    return _run([*command, *options], folder, environ)


def _parity(folder: Path, environ: dict[str, str], *arguments: str) -> Ran:
    return _run([sys.executable, "-m", "tools.cli", *arguments], folder, environ)


def _run(command: list[str], folder: Path, environ: dict[str, str]) -> Ran:
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=600, check=False)
    path = folder / "ledger.jsonl"
    return Ran(done.returncode, done.stdout, done.stdout + done.stderr, read([path]) if path.exists() else Ledger())


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A folder with a suite of two clauses, and a program."""
    (tmp_path / "tiny").mkdir()
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["suites.harness.plugin"]\n')
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "tiny" / "test_group.py").write_text(CLAUSES)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


@needs_a_compiler
@pytest.mark.in_turn(2, 3)
def test_ways_that_break_on_this_machine_are_off(tiny: Path) -> None:
    lines = {GOLD: "ld.gold: error: cannot open /opt/gcc/lib/libstdc++.so", TOGETHER: "error: twice"}
    ran = _pytest(tiny, _toolchain(tiny, PREFIX + ONE_KERNEL), "--backend", "inductor", "-n", "1")
    assert [cell.outcome for cell in ran.ledger.cells.values()] == ["pass", "pass"], ran.text
    assert {way for way, said in ran.ways.items() if said != ON} == lines.keys()
    assert not any(cell.plain_retry for cell in ran.ledger.cells.values())
    (said,) = (text for text in ran.text.splitlines() if "the trial failed here" in text)
    for way, line in lines.items():
        assert ran.ways[way].startswith(FAILED)
        assert line in ran.ways[way]
        assert way in said
        assert line in said


@needs_a_compiler
@pytest.mark.in_turn(1, 3)
def test_cell_whose_kernel_is_not_built_quickly_is_run_again_the_plain_way(tiny: Path) -> None:
    environ = _toolchain(tiny, FOR_A_WHILE)
    ran = _pytest(tiny, environ, "--backend", "inductor", "-n", "0")
    assert [(cell.outcome, cell.plain_retry) for cell in ran.ledger.cells.values()] == [("pass", True)] * 2, ran.text
    assert ran.ways[GOLD] == ON
    assert "2 cells were run again the plain way" in ran.text
    built = [
        path for path in (tiny / "cache").rglob("*.so") if "_chk_kernel" not in path.with_suffix(".cpp").read_text()
    ]
    assert not built, "what was built the plain way is thrown away, but for torch's questions about vector instructions"
    (tiny / "links").unlink()
    checked = _parity(tiny, environ, "check", "program.py", "--backend", "inductor", "--json")
    told = json.loads(checked.out)
    assert (checked.status, told["outcome"], told["plain_retry"]) == (0, "pass", True)


@needs_a_compiler
@pytest.mark.parametrize(
    ("options", "state", "off", "why"),
    [
        pytest.param(
            (), "note", [GOLD], "cannot open /opt/gcc/lib/libstdc++.so", id="quick", marks=pytest.mark.in_turn(0, 3)
        ),
        pytest.param(("--plain",), "ok", WAYS, "--plain", id="plain", marks=pytest.mark.in_turn(2, 3)),
    ],
)
def test_doctor_builds_as_a_run_does(
    tmp_path: Path, options: tuple[str, ...], state: str, off: Sequence[str], why: str
) -> None:
    ran = _parity(tmp_path, _toolchain(tmp_path, PREFIX), "doctor", "--json", *options)
    findings = {each["name"]: each for each in json.loads(ran.out)["findings"]}
    assert findings["C++ compiler"]["state"] == "ok", ran.text
    assert findings["accelerations"]["state"] == state
    text = findings["accelerations"]["text"]
    assert all(way in text for way in WAYS)
    assert f"off: {', '.join(off)} (" in text
    assert why in text


@needs_a_compiler
@pytest.mark.in_turn(0, 3)
def test_compiler_that_builds_no_kernel_is_found_before_anything_runs(tiny: Path) -> None:
    environ = _toolchain(tiny, BROKEN)
    doctor = _parity(tiny, environ, "doctor", "--json")
    (found,) = (each for each in json.loads(doctor.out)["findings"] if each["name"] == "C++ compiler")
    assert (doctor.status, found["state"]) == (3, "missing")
    assert "cannot find -lgomp" in found["text"]
    assert found["type"]
    ran = _parity(tiny, environ, "check", "program.py", "--backend", "inductor")
    assert ran.status == 3, ran.text
    assert "cannot find -lgomp" in ran.text


def test_nothing_is_tried_where_no_backend_builds_kernels(tiny: Path) -> None:
    environ = _toolchain(tiny, f"echo ran >> {tiny}/compiled\n")
    ran = _pytest(tiny, environ, "--backend", "aot_eager", "-n", "0")
    assert {ran.ways[way] for way in BUILDING} == {"off: no backend of the run builds kernels"}, ran.text
    assert ran.ways[COLLECTOR] == ON
    assert not (tiny / "cache").exists() or not list((tiny / "cache").rglob("*.so"))


@needs_a_compiler
@pytest.mark.in_turn(1, 3)
def test_families_agree_cell_by_cell_both_ways(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Cells of some families by default; all of them with ``--profile full``."""
    whole = request.config.getoption("profile") == "full"
    named = launch.families() if whole else SAMPLE
    options = ["--backend", "inductor", "--golden", "off"]
    narrowed = ["-n", "0", "--profile", "smoke", "-k", "not frozen or dead_draw"]
    options += ["-n", "2", "--profile", "default"] if whole else narrowed
    books = []
    for way in ((), ("--plain",)):
        folder = tmp_path / "".join(way or ("quick",))
        folder.mkdir()
        places = [str(launch.ROOT / "suites" / name) for name in named]
        ran = _pytest(folder, _environment(), f"--rootdir={launch.ROOT}", *options, *way, *places)
        books.append(ran.ledger)
        assert set(ran.ways.values()) == {"off: --plain"} if way else ran.ways[TOGETHER] == ON, ran.text
    quick, slow = books
    assert {cell.family for cell in quick.cells.values()} >= {name.partition("/")[0] for name in SAMPLE}
    assert quick.cells.keys() == slow.cells.keys()
    assert not compare(quick, slow).any, compare(quick, slow)


def _made(message: str, *, plain: bool = False) -> Completed:
    error = ErrorFacts("BackendCompilerFailed", message) if message else None
    return Completed(Observation([Call(error=error)]), CompileCounter(), plain=plain)


@pytest.mark.parametrize(
    ("message", "again"),
    [
        ("backend='inductor' raised:\nCppCompileError: C++ compile error", True),
        ("backend='inductor' raised:\nImportError: {cache}/ab/kernel.so: undefined symbol: f", True),
        ("backend='inductor' raised:\nRuntimeError: no such kernel", False),
        ("", False),
    ],
)
def test_only_what_was_not_built_is_run_again(
    message: str, again: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    library = tmp_path / "ab" / "kernel.so"
    library.parent.mkdir()
    library.touch()
    monkeypatch.setattr(accelerations, "building", lambda: True)
    runs: list[Run] = []

    def runner(run: Run) -> Completed | Aborted:
        runs.append(run)
        return _made("" if run.plain else message.format(cache=tmp_path), plain=run.plain)

    retrying = Retrying(runner)
    made = retrying(Run(resolve("inductor")))
    assert isinstance(made, Completed)
    assert retrying.retried == made.plain == again
    assert [run.plain for run in runs] == [False] + [True] * again
    assert library.exists() == ("kernel.so" not in message), "nobody else loads what does not load"
    monkeypatch.setattr(accelerations, "building", lambda: False)
    assert not Retrying(runner)(Run(resolve("inductor"))).plain  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("backend", "facet", "plainly", "runs", "retried"),
    [
        ("inductor", "crash", "passes", [False, True], True),
        ("inductor", "crash", "dies", [False, True], False),
        ("inductor", "timeout", "passes", [False], False),
        ("aot_eager", "crash", "passes", [False], False),
        (None, "crash", "passes", [False], False),
    ],
)
def test_process_that_dies_with_kernels_is_run_again_the_plain_way(
    backend: str | None, facet: str, plainly: str, runs: list[bool], retried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torn library that a killed process has left in the cache is none of Inductor's; a crash without it is."""
    monkeypatch.setattr(accelerations, "building", lambda: True)
    seen: list[bool] = []

    def runner(run: Run) -> Completed | Aborted:
        seen.append(run.plain)
        return _made("", plain=True) if run.plain and plainly == "passes" else Aborted(facet, "SIGSEGV")

    retrying = Retrying(runner)
    made = retrying(Run(resolve(backend) if backend else None))
    assert seen == runs
    assert retrying.retried is retried
    assert isinstance(made, Completed) is retried


def test_process_is_plain_for_as_long_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPILER_PATH", "/theirs")
    monkeypatch.setenv("PARITY_ACCELERATIONS", "")
    accelerations.settle(accelerations.Decision(dict.fromkeys(WAYS, ON), settings={"COMPILER_PATH": "/gold"}))
    assert os.environ["COMPILER_PATH"] == "/gold"
    with accelerations.plain():
        assert not any(map(accelerations.on, WAYS))
        assert os.environ["COMPILER_PATH"] == "/theirs"
    assert all(map(accelerations.on, WAYS))
    assert os.environ["COMPILER_PATH"] == "/gold"


#: Says that it is there before it asks what was decided.
WAITS = """
import os
from suites.harness.execution import accelerations
assert accelerations.expect()
print("there", flush=True)
print(accelerations.current().ways[accelerations.GOLD], accelerations.current().vector, os.environ["COMPILER_PATH"])
"""


@pytest.mark.parametrize("given", [True, False], ids=["given", "not given"])
def test_decision_reaches_a_process_that_was_started_before_it(given: bool) -> None:
    """And takes back what another decision, which that process was started under, has set."""
    earlier = dataclasses.replace(accelerations.all_off("once"), settings={"COMPILER_PATH": "/gold"})
    earlier = dataclasses.replace(earlier, before={"COMPILER_PATH": "/own"})
    inherited = {"COMPILER_PATH": "/gold", "PARITY_ACCELERATIONS": json.dumps(dataclasses.asdict(earlier))}
    with contextlib.closing(accelerations.Handover()) as handover:
        process = subprocess.Popen(
            [sys.executable, "-c", WAITS],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment(**inherited, **handover.environment),
            pass_fds=[handover.reader],
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        assert process.poll() is None
        if given:
            handover.give(dataclasses.replace(accelerations.all_off("a test"), vector="AVX2"))
    out, error = process.communicate(timeout=60)
    assert out == ("off: a test AVX2 /own\n" if given else "")
    assert process.returncode == (0 if given else 1)
    assert error == ("" if given else "nothing was decided: the process that was to do it has ended\n")
