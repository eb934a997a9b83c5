"""pytest as its users run it, on a tiny suite: what each kind of cell comes to, in the ledger and on the terminal."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from suites.harness import plugin
from suites.harness.results.ledger import Cell, Ledger, read, records
from suites.harness.results.locking import locked
from suites.selfcheck.mutants import HONEST, PACKAGE

ROOT = Path(__file__).parents[3]
WRONG = f"{PACKAGE}.values:one_element_off"
IDLE = f"{PACKAGE}.process:supports_nothing"
CRASHES, HANGS = f"{PACKAGE}.process:segfaults", f"{PACKAGE}.process:hangs"

CONFTEST = """
import suites.harness.session.processes
suites.harness.session.processes.GRACE_SECONDS = 4.0
pytest_plugins = ["suites.harness.plugin"]
"""

OUTCOMES = """
import pytest, torch
from suites.harness import clause, tensor

def program(a):
    a.mul_(2)
    return a + 1

once = clause("T1.1")

@once
def test_mutation(check):
    '''An in-place op reaches the caller.'''
    check(program, tensor(3)).mutated(0)

@once
def test_known(check):
    '''The same, and a bug is known.'''
    check(program, tensor(3)).mutated(0)

@once
def test_that_does_not_happen(check):
    '''The argument stays as it was, which it does not.'''
    check(program, tensor(3)).unchanged(0)

@once
def test_without_a_claim(check):
    '''Nothing is claimed.'''
    check(program, tensor(3))

@once
def test_without_a_check(check):
    '''Nothing is run.'''

@once
def test_undefined(check):
    '''A program that eager leaves undefined.'''
    check(lambda a: (a * 1e30).to(torch.int32), tensor(3)).unchanged(0)

@once
def test_with_a_mistake(check):
    '''A clause that is wrong itself.'''
    raise KeyError("mistake")

@clause("T2.1", torch="<2")
def test_for_other_releases(check):
    '''A clause about what another torch has.'''
    check(program, tensor(3)).mutated(0)

@once
def test_skipped(check):
    '''A clause that does not run here.'''
    pytest.skip("no such thing here")

@once
def test_graph(check):
    '''A graph that is not the golden.'''
    result = check(program, tensor(3))
    result.mutated(0)
    result.forward.expect('''def forward(self, arg0_1):
    return (arg0_1,)
''')

@clause(modes=("no_grad", "train"), shapes=("static", "dynamic"))
def test_variants(check):
    '''In every variant.'''
    check(program, tensor(3)).mutated(0)
"""

LOST = """
import pytest, torch
from suites.harness import clause, tensor

def check_it(check):
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause()
def test_here(check):
    '''In the worker.'''
    check_it(check)

@clause(isolated=True)
def test_isolated(check):
    '''In a process of its own.'''
    check_it(check)

@pytest.mark.parametrize("size", [3, 4])
@clause(modes=("no_grad",), shapes=("static",))
def test_each_size(check, size):
    '''In the worker, and pytest's name of the cell ends with another parameter.'''
    check(lambda a: a + 1, tensor(size)).unchanged(0)
"""

KILLED = """
import os, signal, time
import pytest
from suites.harness import clause

@pytest.mark.parametrize("size", [3])
@clause(modes=("no_grad",), shapes=("static",))
def test_first(check, size):
    '''The worker of its process is killed, as by a system that is short of memory.'''
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)

@pytest.mark.parametrize("size", [3])
@clause(modes=("no_grad",), shapes=("static",))
def test_second(check, size):
    '''No worker is left for it.'''
"""

WITHOUT_DEVICE = """
import pathlib
from suites.harness import clause, tensor, torch_internals

@clause(modes=("no_grad",), shapes=("static",))
def test_loses_it(check):
    '''The process cannot reach its GPU any more, the first time.'''
    met = pathlib.Path("met")
    if not met.exists():
        met.touch()
        torch_internals.device_works = lambda: False
        raise RuntimeError("device-side assert triggered")
    check(lambda a: a + 1, tensor(3)).unchanged(0)
"""

DEVICE_THAT_GOES = """
import pathlib
from suites.harness import clause, tensor, torch_internals
from suites.harness.session import processes

gone = pathlib.Path("gone")
processes.PAUSES = (0.0,)
torch_internals.device_is_gone = lambda device: "No CUDA GPUs are available" if gone.exists() else ""

@clause(modes=("no_grad",), shapes=("static",))
def test_before(check):
    '''The device is there.'''
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause(modes=("no_grad",), shapes=("static",))
def test_loses_it(check):
    '''No process gets to it any more.'''
    gone.touch()
    raise RuntimeError("No CUDA GPUs are available")

@clause(modes=("no_grad",), shapes=("static",))
def test_later(check):
    '''There is nothing to run it on.'''
    raise RuntimeError("No CUDA GPUs are available")
"""

KNOWN_BUGS = """
[[bug]]
id = "on-purpose"
reason = "It is wrong on purpose."
link = "none known"
seen = "torch>=2.0"
expires = 2099-01-01

[[bug.cells]]
clause = "*/known"
backend = "{wrong}"
fingerprint = "*:value:value differs"

[[bug]]
id = "stale"
reason = "It was wrong once."
link = "none known"
seen = "torch>=2.0"
expires = 2099-01-01

[[bug.cells]]
clause = "*/known"
backend = "aot_eager"
fingerprint = "aot_eager:value:value differs"

[[bug]]
id = "crashes"
reason = "It crashes on purpose."
link = "none known"
seen = "torch>=2.0"
expires = 2099-01-01

[[bug.cells]]
clause = "*/each_size(size=4)"
backend = "{crashes}"
fingerprint = "{crashes}:crash:SIGSEGV"
"""


KNOWN = ("--waivers", "known.toml")


@dataclasses.dataclass(frozen=True)
class Ran:
    """A finished run of pytest on a tiny suite."""

    status: int
    text: str
    ledger: Ledger | None

    def cells(self, backend: str) -> dict[str, Cell]:
        """Clause's name and variant -> cell, of one backend."""
        assert self.ledger is not None, self.text
        found = [cell for cell in self.ledger.cells.values() if cell.backend == backend]
        return {f"{cell.clause.rpartition('/')[2]}[{cell.variant}]": cell for cell in found}

    def outcomes(self, backend: str) -> dict[str, str]:
        """Clause's name -> outcome in its primary variant."""
        cells = self.cells(backend).items()
        return {name.partition("[")[0]: cell.outcome for name, cell in cells if "[no_grad-static" in name}


def run_tiny(folder: Path, source: str, backends: Sequence[str], *options: str, started_by: Sequence[str] = ()) -> Ran:
    (folder / "tiny").mkdir()
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "tiny" / "test_group.py").write_text(textwrap.dedent(source))
    (folder / "known.toml").write_text(KNOWN_BUGS.format(wrong=WRONG, crashes=CRASHES))
    chosen = [word for backend in backends for word in ("--backend", backend)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--ledger", "ledger.jsonl", *chosen]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "COLUMNS": "120"}
    for name in [name for name in environment if name.startswith("PYTEST_")]:
        del environment[name]
    done = subprocess.run(
        [*started_by, *command, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    path = folder / "ledger.jsonl"
    return Ran(done.returncode, done.stdout + done.stderr, read([path]) if path.exists() else None)


#: Cells in a worker of xdist's, one after another, and several at once in forks of one process.
WAYS = [
    pytest.param(("-n", "1"), id="worker", marks=pytest.mark.in_turn(0, 2)),
    pytest.param(("--at-once", "3"), id="at once", marks=pytest.mark.in_turn(1, 2)),
]


@pytest.fixture(scope="module", params=WAYS)
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    backends = ("aot_eager", WRONG, IDLE)
    folder = tmp_path_factory.mktemp("outcomes")
    return run_tiny(folder, OUTCOMES, backends, "--waivers", "known.toml", "--golden", "strict", *request.param)


VALUES = """
import torch
from suites.harness import clause, tensor

@clause(modes=("no_grad", "train"))
def test_values(check):
    '''Numbers that are not eager's.'''
    check(lambda a: a + 1, tensor(2, values=(1, 2))).values().expect("out = float32[2] [2, 4]")

@clause()
def test_not_written(check):
    '''Numbers that nobody has written down.'''
    check(lambda a: a + 1, tensor(2, values=(1, 2))).values().expect("")
"""


@pytest.fixture(scope="module", params=WAYS)
def lost(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("lost")
    chosen = ("--cell-timeout", "10", "-k", "here or segfaults", *KNOWN, *request.param)
    return run_tiny(folder, LOST, (CRASHES, HANGS, HONEST), *chosen)


@pytest.mark.parametrize(
    ("clause", "outcome"),
    [
        ("mutation", "pass"),
        ("variants", "pass"),
        ("known", "pass"),
        ("that_does_not_happen", "vacuous"),
        ("without_a_claim", "vacuous"),
        ("without_a_check", "vacuous"),
        ("undefined", "error"),
        ("with_a_mistake", "error"),
        ("skipped", "skip"),
        ("for_other_releases", "unsupported"),
        ("graph", "changed"),
    ],
)
def test_each_outcome_on_a_right_backend(outcomes: Ran, clause: str, outcome: str) -> None:
    assert outcomes.outcomes("aot_eager")[clause] == outcome, outcomes.text


def test_the_ledger_holds_what_was_seen_and_the_terminal_what_known_bugs_make_of_it(outcomes: Ran) -> None:
    found = outcomes.outcomes(WRONG)
    assert (found["mutation"], found["known"]) == ("fail", "fail")
    assert outcomes.status == 1
    (letters,) = re.findall(r"^([.a-zA-Z]+) +\[100%\]$", outcomes.text, re.MULTILINE)
    assert {"x", "X", "F", "v", "u"} <= set(letters)
    assert "1 xfailed" in outcomes.text
    assert "UNEXPECTED PASS: stale" in outcomes.text
    assert "DIVERGES: value: value differs" in outcomes.text


def test_backend_that_refuses_is_unsupported(outcomes: Ran) -> None:
    found = outcomes.outcomes(IDLE)
    assert (found["mutation"], found["graph"]) == ("unsupported", "unsupported")


def test_golden_belongs_to_the_reference_cell_alone(outcomes: Ran) -> None:
    assert outcomes.outcomes(WRONG)["graph"] == "fail"
    assert "graph" in outcomes.cells("aot_eager")["graph[no_grad-static-plain]"].detail


def test_eagers_values_are_compared_on_any_backend(tmp_path: Path) -> None:
    ran = run_tiny(tmp_path, VALUES, (HONEST,), "--golden", "strict", "-n", "0")
    assert ran.outcomes(HONEST)["values"] == "changed", ran.text
    # In another variant eager may have other numbers.
    assert ran.cells(HONEST)["values[train-static-plain]"].outcome.value == "pass"
    assert ran.outcomes(HONEST)["not_written"] == "changed"
    assert ran.status == 1


def test_default_profile_moves_one_axis_at_a_time(outcomes: Ran) -> None:
    names = {name for name in outcomes.cells("aot_eager") if name.startswith("variants")}
    assert names == {
        "variants[no_grad-static-plain]",
        "variants[train-static-plain]",
        "variants[no_grad-dynamic-plain]",
    }


def test_failing_cell_says_what_where_and_how_to_see_it_again(outcomes: Ran) -> None:
    cell = outcomes.cells(WRONG)["mutation[no_grad-static-plain]"]
    assert cell.sentence == "An in-place op reaches the caller."
    assert cell.facets["value"] == "differs"
    assert cell.facets["mutation"] == "same"
    assert cell.fingerprint == f"{WRONG}:value:value differs"
    assert "a.mul_(2)" in cell.program or "check(program" in cell.program
    assert cell.reproduce.startswith("pytest ")
    assert WRONG in cell.reproduce
    for part in (cell.id, "expected", "seen", "first at", cell.reproduce):
        assert part in outcomes.text


def test_run_that_is_not_conformant_fails(outcomes: Ran) -> None:
    assert outcomes.status == 1


def test_ledger_is_whole(outcomes: Ran) -> None:
    book = outcomes.ledger
    assert book is not None
    assert book.complete
    assert (book.not_run, book.torn) == ([], 0)
    assert book.clauses["tiny/group/mutation"]["covers"] == ["T1.1"]
    assert set(book.header["backends"]) == {"aot_eager", WRONG, IDLE}
    assert book.header["command"].startswith("pytest ")
    assert book.duration is not None


def test_terminal_shows_the_matrix(outcomes: Ran) -> None:
    assert "passed  known  inherited  silent  loud" in outcomes.text
    assert "silent" in outcomes.text


def test_dead_worker_is_the_outcome_of_its_cell(lost: Ran) -> None:
    sizes = {"each_size(size=3)": "crash", "each_size(size=4)": "crash"}
    assert lost.outcomes(CRASHES) == {"here": "crash", "isolated": "crash", **sizes}, lost.text
    assert " 1 xfailed" in lost.text, "the known bug of the second size is found by its signal"


@pytest.mark.parametrize("clause", ["isolated", "here", "each_size(size=3)", "each_size(size=4)"])
def test_crash_names_its_signal_and_the_innermost_frame(lost: Ran, clause: str) -> None:
    (divergence,) = lost.cells(CRASHES)[f"{clause}[no_grad-static-plain]"].divergences
    assert (divergence.facet, divergence.kind, divergence.layer) == ("crash", "SIGSEGV", CRASHES)
    signal, reason, innermost, *_ = divergence.seen.splitlines()
    assert (signal, reason) == ("SIGSEGV", "Segmentation fault")
    assert "mutants/process.py" in innermost
    assert innermost.endswith(" in wrong")


def test_every_planned_cell_has_a_record_and_no_other(lost: Ran) -> None:
    assert lost.ledger is not None
    assert set(lost.ledger.cells) == set(lost.ledger.planned)


def test_cells_of_a_dead_worker_have_records(tmp_path: Path) -> None:
    ran = run_tiny(tmp_path, KILLED, ("eager",), "-n", "1", "--max-worker-restart", "0")
    cells = ran.cells("eager")
    first, second = (cells[f"{name}(size=3)[no_grad-static-plain]"] for name in ("first", "second"))
    assert (first.outcome, first.divergences[0].kind) == ("crash", "SIGKILL"), ran.text
    assert (second.outcome, second.detail) == ("error", "not run: the run ended before it")
    assert ran.ledger is not None
    assert set(ran.ledger.cells) == set(ran.ledger.planned)
    assert ran.status == 1


def test_what_a_process_without_its_device_says_of_the_cell_is_not_kept(tmp_path: Path) -> None:
    """The run could end before the cell is made again."""
    ran = run_tiny(tmp_path, WITHOUT_DEVICE, ("eager",))
    kept = [record for record in records(tmp_path / "ledger.jsonl") if record and record["kind"] == "cell"]
    assert [record["outcome"] for record in kept] == ["pass", "crash"], ran.text
    assert "lost its device" in kept[-1]["detail"]


@pytest.mark.parametrize("way", WAYS)
def test_run_whose_device_goes_ends_in_a_line_and_blames_no_cell(way: tuple[str, ...], tmp_path: Path) -> None:
    ran = run_tiny(tmp_path, DEVICE_THAT_GOES, ("eager",), *way)
    assert ran.status == 3, ran.text
    assert "the device is gone: No CUDA GPUs are available" in ran.text
    assert "Traceback" not in ran.text
    found = {name: (cell.outcome, cell.detail) for name, cell in ran.cells("eager").items()}
    not_run = ("error", "not run: the run ended before it")
    assert list(found.values()) == [("pass", ""), not_run, not_run]


def test_hanging_cell_times_out(lost: Ran) -> None:
    assert lost.outcomes(HANGS) == {"here": "timeout"}, lost.text


def test_the_rest_goes_on(lost: Ran) -> None:
    assert lost.outcomes(HONEST) == {"here": "pass"}, lost.text
    assert lost.ledger is not None
    assert lost.ledger.not_run == [], lost.text
    assert lost.status == 1


def test_ledger_of_another_run_is_one_line_before_anything_runs(tmp_path: Path) -> None:
    with locked(tmp_path / "ledger.jsonl", "another run"):
        # Not this process's child, which would share its lock.
        ran = run_tiny(tmp_path, LOST, ("eager",), started_by=("sh", "-c", '"$@"; exit $?', "sh"))
    assert ran.status == 4
    assert f"ledger.jsonl is in use by process {os.getpid()} (another run, since " in ran.text
    assert "Traceback" not in ran.text
    assert [path.name for path in tmp_path.glob("*ledger*")] == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nothing_there\n", "collecting tiny/test_group.py failed: ModuleNotFoundError: No module named"),
        (
            "import os\nif 'PYTEST_XDIST_WORKER' in os.environ:\n    os.abort()\n",
            "worker gw0 cannot start: SIGABRT",
        ),
    ],
)
def test_worker_that_cannot_begin_ends_the_run_with_one_line(tmp_path: Path, source: str, said: str) -> None:
    _ends_with_one_line(tmp_path, source, said, "-n", "1")


@pytest.mark.parametrize(
    ("words", "asked", "ways"),
    [
        ("suites/mutation", {}, (0, 1)),
        ("tests", {}, (0, 1)),
        ("suites/selfcheck/oracle", {}, (1, 0)),
        ("suites/mutation", {"numprocesses": 3, "tx": ["3*popen"]}, (3, 0)),
        ("suites/mutation", {"numprocesses": 0}, (0, 0)),
        ("suites/mutation", {"at_once": 4}, (0, 4)),
        ("suites/mutation", {"usepdb": True}, (None, 0)),
        ("suites/mutation", {"collectonly": True}, (None, 0)),
    ],
)
def test_cells_run_in_forks_unless_workers_are_asked_for_and_own_tests_in_a_worker(
    words: str, asked: dict[str, Any], ways: tuple[int | None, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    given = {"numprocesses": None, "tx": None, "at_once": 0, "usepdb": False, "collectonly": False}
    option = SimpleNamespace(maxworkerrestart=None, **{**given, **asked})
    config: Any = SimpleNamespace(option=option, args=[words], invocation_params=SimpleNamespace(dir=ROOT))
    plugin.pytest_cmdline_main(config)
    assert (option.numprocesses, option.at_once) == ways


def test_cells_that_cannot_be_collected_end_the_run_with_one_line(tmp_path: Path) -> None:
    said = "collecting tiny/test_group.py failed: ModuleNotFoundError: No module named"
    _ends_with_one_line(tmp_path, "import nothing_there\n", said, "--at-once", "2")


def _ends_with_one_line(tmp_path: Path, source: str, said: str, *options: str) -> None:
    ran = run_tiny(tmp_path, source, ("eager",), *options)
    assert ran.status == 2
    assert f"Exit: {said}" in ran.text
    assert "INTERNALERROR" not in ran.text


@pytest.mark.parametrize(
    "option", ["--max-examples=-1", "--max-examples=0", "--repeat=-1", "--cell-timeout=0", "--cell-timeout=nan"]
)
def test_number_that_is_none_is_wrong_usage(tmp_path: Path, option: str) -> None:
    ran = run_tiny(tmp_path, OUTCOMES, ("eager",), option)
    name, _, value = option.partition("=")
    assert ran.status == 4, ran.text
    assert f"error: argument {name}: '{value}' is not a number" in ran.text


def test_two_ways_to_run_several_cells_at_once_are_refused_together(tmp_path: Path) -> None:
    ran = run_tiny(tmp_path, LOST, ("eager",), "--at-once", "2", "-n", "2")
    assert ran.status == 4
    assert "--at-once and -n are two ways to do the same" in ran.text
    assert "Traceback" not in ran.text


def test_what_a_cell_prints_is_told_with_that_cell_alone(tmp_path: Path) -> None:
    source = """
    import time, pytest
    from suites.harness import clause, tensor

    @clause("T1.1")
    @pytest.mark.parametrize("number", range(6))
    def test_prints(check, number):
        for _ in range(20):
            print(f"said by {number}")
            time.sleep(0.02)
        raise ValueError(number)
    """
    ran = run_tiny(tmp_path, source, ("eager",), "--profile", "smoke", "--at-once", "3")
    sections = ran.text.split("Captured stdout call")[1:]
    assert len(sections) == 6, ran.text
    for number, section in enumerate(sections):
        assert re.findall(r"said by (\d)", section) == [str(number)] * 20


SURROGATE = """
from suites.harness import clause, tensor

@clause("T1.1")
def test_names_a_file_that_is_no_utf8(check):
    raise OSError("no file caf\\udce9.so")
"""


@pytest.mark.parametrize("way", WAYS)
def test_error_that_is_no_text_of_utf8_is_its_cells_alone(way: tuple[str, ...], tmp_path: Path) -> None:
    ran = run_tiny(tmp_path, SURROGATE, ("eager",), *way, "--repeat=1")
    assert ran.status == 1, ran.text
    assert ran.ledger is not None
    told = {(cell.outcome, cell.detail) for cell in ran.ledger.cells.values()}
    assert told == {("error", "OSError: no file caf\udce9.so")}


def test_unknown_backend_is_one_line_before_anything_runs(tmp_path: Path) -> None:
    ran = run_tiny(tmp_path, LOST, ("inductr",))
    assert ran.status == 4
    assert "no backend 'inductr': did you mean 'inductor'?" in ran.text
    assert "Traceback" not in ran.text


def test_number_of_examples_is_that_of_each_property(tmp_path: Path) -> None:
    source = """
    from hypothesis import given, strategies

    tried = []

    @given(strategies.integers())
    def test_property(number):
        tried.append(number)

    def test_count():
        assert len(tried) == 7
    """
    ran = run_tiny(tmp_path, source, (), "--max-examples", "7")
    assert "2 passed" in ran.text, ran.text


def test_accepting_texts_in_several_workers_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXPECTTEST_ACCEPT", "1")
    ran = run_tiny(tmp_path, "def test_it(): pass", (), "-n", "2")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
    (said,) = [line for line in ran.text.splitlines() if line.strip()]
    assert said == "ERROR: EXPECTTEST_ACCEPT rewrites test files, and 2 workers would at once: give -n 1"


LATER = """
import pytest
from suites.harness import clause

@clause("T1.1", profile="full")
@pytest.mark.parametrize("row", ["one", "two"])
def test_row(check, row):
    '''Each row of a long table.'''

@clause("T1.1")
def test_always(check):
    '''What every profile runs.'''
"""


@pytest.mark.parametrize(("profile", "planned"), [("default", 1), ("full", 3)])
def test_what_only_a_later_profile_runs_is_named_in_the_ledger(tmp_path: Path, profile: str, planned: int) -> None:
    ran = run_tiny(tmp_path, LATER, ("eager",), "-n", "0", "--collect-only", "--profile", profile)
    assert ran.ledger is not None
    assert len(ran.ledger.planned) == planned
    named = ran.ledger.header["configuration"]["of_later_profiles"]
    assert named == ([] if profile == "full" else ["tiny/group/row"])
