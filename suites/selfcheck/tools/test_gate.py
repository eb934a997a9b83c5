"""The gate: checks before it runs, watches, survives being stopped, and leaves with the right exit code."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suites.harness.execution import accelerations, environment
from suites.harness.results import locking
from suites.harness.results import records as recording
from suites.harness.results.known_bugs import Registry
from suites.harness.results.ledger import Cell, read
from suites.selfcheck.leftovers import gone
from suites.selfcheck.tools.synthetic import cell, every_outcome, header, ledger, write
from tools import cli, launch
from tools.views import progress
from tools.views.progress import State, Tail

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def in_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


_START = """\
import json, os, subprocess, sys, time
book = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--ledger="))
def put(record):
    with open(book + ".gw0", "a") as file:
        file.write(json.dumps(record) + chr(10))
"""


def stand_in(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Let the gate run a small script in pytest's place."""
    monkeypatch.setattr(
        launch, "pytest_command", lambda names, options: [sys.executable, "-c", _START + body, *options]
    )


def records(*cells: Cell, planned: tuple[str, ...] = (), end: bool = True) -> str:
    """Script lines that write a ledger of those cells, with ``planned`` ones that never run."""
    written = [header(), {"kind": "plan", "cells": [each.id for each in cells] + list(planned)}]
    written += [each.to_json() for each in cells] + ([{"kind": "end"}] if end else [])
    # As pytest does: no cell runs before it is decided how, and what an earlier run left is set aside.
    decided = f"open(int(os.environ[{accelerations._COMING!r}])).read()\n"
    return f"{decided}for record in json.loads({json.dumps(written)!r}): put(record)\n"


def test_a_conformant_run_writes_everything_and_leaves_with_0(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    stand_in(monkeypatch, records(cell()))
    assert cli.run(["gate", "--backend", "inductor"]) == 0
    said = capsys.readouterr().out
    assert "CONFORMANT: 1 cell on inductor" in said
    assert "report: parity-report/index.html" in said
    names = {path.name for path in (tmp_path / "parity-report").iterdir()}
    assert names == {"index.html", "junit.xml", "summary.md", "ledger.jsonl", "pytest.log"}


@pytest.mark.parametrize("name", ["--timeout", "--cell-timeout"])
def test_time_limit_of_a_cell_has_the_name_that_parity_check_has_for_it_too(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, records(cell()) + "print(sys.argv)\n")
    assert cli.run(["gate", "--backend", "inductor", name, "5"]) == 0
    assert "--cell-timeout=5" in (tmp_path / "parity-report" / "pytest.log").read_text()


def test_a_divergence_is_shown_and_leaves_with_1(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stand_in(monkeypatch, records(cell("fail")) + "sys.exit(1)")
    assert cli.run(["gate", "--backend", "inductor", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["conformant"] is False
    assert result["matrix"]["inductor"]["mutation"] == {"silent": 1}
    assert result["against"][0]["divergences"][0]["facet"] == "value"


def test_a_failure_that_no_cell_explains_is_never_green(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stand_in(monkeypatch, records(cell()) + "sys.exit(1)")
    assert cli.run(["gate", "--backend", "inductor"]) == 1
    assert "pytest has failures that the ledger does not speak of" in capsys.readouterr().out


def test_a_backend_or_a_family_without_cells_is_never_green(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stand_in(monkeypatch, records(cell(backend="aot_eager")))
    assert cli.run(["gate", "--backend", "aot_eager", "--backend", "inductor"]) == 1
    assert "backend inductor ran no cell" in capsys.readouterr().out


def test_family_that_has_dropped_out_of_a_default_run_is_never_green(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    stand_in(monkeypatch, records(*(cell(backend=name) for name in ("aot_eager", "inductor"))))
    for profile in ("quick", "default"):
        assert cli.run(["gate", "--profile", profile]) == 1
        said = " ".join(capsys.readouterr().out.split())
        assert "family aliasing has no cell" in said
        assert "family gpu has no cell" not in said


def test_cells_that_an_earlier_run_had_and_this_one_has_not_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    write(tmp_path / "earlier.jsonl", ledger(cell(), cell(clause="state/modes/gone")))
    stand_in(monkeypatch, records(cell()))
    assert cli.run(["gate", "--backend", "inductor", "--against", "earlier.jsonl"]) == 1
    said = capsys.readouterr().out
    assert "fell: family state has 1 cell less of 1, state/modes/gone[inductor-train-static-plain] first" in said
    words = ["gate", "--backend", "inductor", "--family", "mutation", "--against", "earlier.jsonl"]
    assert cli.run(words) == 0
    assert cli.run(["gate", "--backend", "inductor", "--against", "none.jsonl"]) == 2
    assert capsys.readouterr().err == "parity: no ledger at none.jsonl\n"


def test_a_fault_of_pytest_leaves_with_2_and_its_last_words(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stand_in(monkeypatch, "print('INTERNALERROR> it broke'); sys.exit(3)")
    assert cli.run(["gate", "--backend", "inductor"]) == 2
    captured = capsys.readouterr()
    assert "INTERNALERROR> it broke" in captured.out
    line = "parity: pytest itself failed (exit code 3); its whole output is in parity-report/pytest.log\n"
    assert captured.err == line


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("!!! _pytest.outcomes.Exit: worker gw0 cannot start: SIGSEGV !!!", "worker gw0 cannot start: SIGSEGV"),
        ("Exit: the run failed: OSError: full", "the run failed: OSError: full"),
        ("ERROR: --clause 'x': no clause has such an id", "--clause 'x': no clause has such an id"),
    ],
)
def test_a_run_that_could_not_begin_leaves_with_2_and_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, said: str, reason: str
) -> None:
    stand_in(monkeypatch, f"print({said!r}); sys.exit(2)")
    assert cli.run(["gate", "--backend", "inductor"]) == 2
    line = f"{reason}; the whole output of pytest is in parity-report/pytest.log"
    assert capsys.readouterr().err == f"parity: {line}\n"


def test_a_run_without_a_cell_says_why(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stand_in(monkeypatch, "print('1774 deselected'); sys.exit(5)")
    assert cli.run(["gate", "--backend", "inductor"]) == 2
    where = "on inductor, cpu in the default profile"
    line = f"parity: nothing to run: no clause that is asked for has a cell {where}\n"
    assert capsys.readouterr().err == line


def test_wrong_usage_is_one_line_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def must_not_run(names: object, options: object) -> list[str]:
        raise AssertionError("pytest was started")

    monkeypatch.setattr(launch, "pytest_command", must_not_run)
    typo = tmp_path / "typo.toml"
    typo.write_text('[[bug]]\nid = "x"\nreson = "y"\n')
    old = tmp_path / "old.toml"
    old.write_text('[[waiver]]\nid = "x"\nclause = "y"\n')
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    monkeypatch.setattr(
        environment, "why_not", lambda name, device="cpu": "no C++ compiler; type: x" if name == "inductor" else None
    )
    for arguments, code, said in (
        (["--backend", "aot_eagre"], 2, "no backend 'aot_eagre': did you mean 'aot_eager'?"),
        (["--backend", "nowhere:backend"], 3, "backend 'nowhere:backend': no module 'nowhere'"),
        ([], 3, "no C++ compiler; type: x (or run without it: --backend aot_eager"),
        (["--waivers", str(typo)], 2, f"{typo}:1: bug 'x': unknown key 'reson'; did you mean 'reason'?; keys "),
        (["--waivers", str(old)], 2, f"{old}: [[waiver]] is the old form; type: parity waivers convert {old} > NEW"),
        (["--family", "mutatoin"], 2, "no family 'mutatoin'; did you mean 'mutation'?"),
        (["--backend", "aot_eager", "--ledger", str(notes)], 2, "exists and is not a ledger"),
        (["--from", "none.jsonl"], 2, "no ledger at none.jsonl"),
        (
            ["--backend", "aot_eager", "--ledger", "run.jsonl.gz"],
            2,
            "run.jsonl.gz: a run writes its ledger as it goes, uncompressed",
        ),
        (["--shard", "1/2", "--against", "none.jsonl"], 2, "--against is for all shards together"),
        (["--from", str(notes)], 2, "is not a ledger: no record in it"),
        (["--profil", "smoke"], 2, "No such option '--profil'"),
    ):
        assert cli.run(["gate", *arguments]) == code, arguments
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
        assert error.startswith("parity: ")
    assert notes.read_text() == "mine"


def test_from_judges_without_running(tmp_path: Path, capsys: Capture) -> None:
    book = write(tmp_path / "old.jsonl", every_outcome())
    assert cli.run(["gate", "--from", str(book)]) == 1
    said = capsys.readouterr().out
    assert "silent 1 cell: value: values differ; first at inductor" in said
    assert "again: pytest" in said
    assert (tmp_path / "parity-report" / "ledger.jsonl").read_text() == book.read_text()
    write(book, ledger(cell(), cell(backend="aot_eager")))
    assert cli.run(["gate", "--from", str(book)]) == 0


def test_known_bugs_of_another_backend_alone_are_told(tmp_path: Path, capsys: Capture) -> None:
    name = "mine:compile_graph"
    asked = {"backends": [name]}
    book = write(tmp_path / "old.jsonl", ledger(cell("fail", backend=name), backends=asked, configuration=asked))
    mine = tmp_path / "mine.toml"
    assert cli.run(["waivers", "update", str(book), "--file", str(mine), "--link", "none known"]) == 0
    assert cli.run(["gate", "--from", str(book), "--waivers", str(mine)]) == 0
    assert "says nothing of" not in capsys.readouterr().out
    mine.write_text(mine.read_text().replace('"mine:compile_graph', '"mine:compile_grph'))
    assert cli.run(["gate", "--from", str(book), "--waivers", str(mine)]) == 1
    assert f"{mine} says nothing of {name}: it is of mine:compile_grph\n" in capsys.readouterr().out


@pytest.mark.parametrize("verb", [["gate", "--from"], ["report"]], ids=lambda verb: verb[0])
def test_torn_line_is_named_and_amid_records_it_is_no_clean_verdict(
    verb: list[str], tmp_path: Path, capsys: Capture
) -> None:
    book = write(tmp_path / "cut.jsonl", ledger(cell(), cell(backend="aot_eager")))
    whole = book.read_text()
    first, _, rest = whole.partition("\n")
    for text, line, how, conformant in (
        (f"{whole}{{", 7, "it is the last line, cut short", True),
        (f"{first}\ngarbage\n{rest}garbage\n", 2, "records follow: it was damaged", False),
    ):
        book.write_text(text)
        code = cli.run([*verb, str(book)])
        out, error = capsys.readouterr()
        assert (code == 0) == (conformant or verb == ["report"])
        more = "" if conformant else ", and 1 more like it"
        told = f"{book}:{line}: not a whole record{more}: left out; {how}"
        assert told in (error if verb == ["report"] else out)
        assert ("NOT CONFORMANT" not in out) == conformant


def test_record_is_judged_and_its_copy_can_be_judged_again(tmp_path: Path, capsys: Capture) -> None:
    kept = tmp_path / "record.jsonl.gz"
    recording.write(ledger(cell(), cell(backend="aot_eager")), kept)
    for source in (kept, tmp_path / "rep" / "ledger.jsonl", kept):
        assert cli.run(["gate", "--from", str(source), "--report", str(tmp_path / "rep")]) == 0
        assert "CONFORMANT: 2 cells" in capsys.readouterr().out


def test_the_last_ledger_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, records(cell()))
    for _ in range(2):
        assert cli.run(["gate", "--backend", "inductor"]) == 0
    assert (tmp_path / "parity-report" / "ledger.previous.jsonl").exists()


def test_ctrl_c_keeps_the_ledger_and_leaves_no_process(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    waiting = "import time; time.sleep(60)"
    script = (
        _START
        + records(cell(), planned=("mutation/inputs/later[inductor-train]",), end=False)
        + f"child = subprocess.Popen([sys.executable, '-c', {waiting!r}])\n"
        + "open('child', 'w').write(str(child.pid))\n"
        + waiting
    )
    driver.write_text(
        f"import sys\nsys.path.insert(0, {str(launch.ROOT)!r})\n"
        "from tools import cli, launch\n"
        "from tools.verbs import gate\n"
        f"launch.pytest_command = lambda names, options: [sys.executable, '-c', {script!r}, *options]\n"
        "gate.check_environment = lambda request, console: None\n"
        "sys.exit(cli.run(['gate', '--backend', 'inductor']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(driver)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    child = tmp_path / "child"
    deadline = time.monotonic() + 90  # Its first kernels are built meanwhile, beside other tests.
    while not (child.exists() and child.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 2
    kept = "parity-report/ledger.jsonl"
    assert error == f"parity: interrupted: 1 of 2 cells are in {kept}; `parity gate --from {kept}` judges them\n"
    assert len(read([tmp_path / "parity-report" / "ledger.jsonl"]).cells) == 1
    assert gone(int(child.read_text()))


HANGING = """
import os, time
from pathlib import Path
from suites.harness import clause

@clause(modes=("no_grad",), shapes=("static",))
def test_hangs(check):
    '''A cell that is still running when its run is killed.'''
    Path(__file__).with_name("worker").write_text(f"{os.getpid()} {os.getppid()}")
    time.sleep(600)
"""


def test_a_gate_is_alone_in_its_folder_and_takes_its_processes_with_it(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "test_group.py").write_text(HANGING)
    (tmp_path / "driver.py").write_text(
        f"import sys\nsys.path.insert(0, {str(launch.ROOT)!r})\n"
        "from tools import cli, launch\n"
        "command = launch.pytest_command\n"
        "launch.pytest_command = lambda names, options: [*command((), options), '--rootdir=.', 'test_group.py']\n"
        "sys.exit(cli.run(['gate', '--backend', 'eager', '-n', '1']))\n"
    )
    gate = subprocess.Popen([sys.executable, "driver.py"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    worker, ledger = tmp_path / "worker", tmp_path / "parity-report" / "ledger.jsonl"
    deadline = time.monotonic() + 120
    while not (worker.exists() and worker.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    pids = [int(word) for word in worker.read_text().split()]
    before = sorted(path.name for path in ledger.parent.iterdir())
    assert cli.run(["gate", "--backend", "eager"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"parity: {ledger} is in use by process {gate.pid} (parity gate, since ")
    assert said.count("\n") == 1
    assert sorted(path.name for path in ledger.parent.iterdir()) == before
    gate.kill()
    gate.wait()
    assert all(map(gone, pids))
    with locking.locked(ledger, "pytest") as held:
        assert held is not None
    assert not ledger.with_name(".ledger.jsonl.lock").exists()


def test_a_torn_line_waits_for_its_end(tmp_path: Path) -> None:
    part = tmp_path / "ledger.jsonl.gw0"
    tail = Tail(tmp_path / "ledger.jsonl")
    assert tail.new_records() == []
    line = json.dumps(cell("fail").to_json()).encode()
    part.write_bytes(json.dumps({"kind": "plan", "cells": ["a", "b"]}).encode() + b"\nnot json\n" + line[:20])
    assert [record["kind"] for record in tail.new_records()] == ["plan"]
    part.open("ab").write(line[20:] + b"\n")
    state = State(Registry())
    state.take(tail.new_records())
    assert state.line().startswith("1/? cells, 1 silent, 0 loud")
    assert tail.new_records() == []


def test_without_a_terminal_progress_is_a_plain_line(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    monkeypatch.setattr(progress, "PLAIN_EVERY", 0.0)
    with progress.Shown(State(Registry()), Console(), live=False) as shown:
        shown.update()
        shown.state.take([{"kind": "plan", "cells": ["a", "b"]}])
        shown.update()
    first, second = capsys.readouterr().out.splitlines()
    assert first == "collecting clauses, 0 s"
    assert second == "0/2 cells, starting processes, 0 s"


def test_what_comes_before_the_first_cell_is_told_as_it_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    stand_in(monkeypatch, records(cell()))
    assert cli.run(["gate", "--backend", "inductor"]) == 0
    opening, trying, *_ = capsys.readouterr().out.splitlines()
    assert opening.startswith("torch "), "every torch has this backend: none is imported to look for it"
    assert trying == "trying what this machine can do for speed; clauses are collected meanwhile ..."
    cli.run(["gate", "--backend", "inductor", "--backend", "inductor_fx_wrapper"])
    assert capsys.readouterr().out.splitlines()[0] == "looking for inductor_fx_wrapper ..."


def test_a_folder_of_the_users_cannot_hide_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tools", "suites", "golden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the wrong one')")
    (tmp_path / "my_backend.py").write_text("def backend(module, inputs):\n    return module\n")
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(launch.ROOT)])
    launch.put_current_directory_on_path()
    assert sys.path[-1] == str(tmp_path)
    start = launch.pytest_command([], [])[:3]
    program = "import suites, golden, tools, my_backend; print(suites.__file__)"
    start[2] = start[2].replace("pytest.main()", f"0; {program}")
    said = subprocess.run(start, capture_output=True, text=True, check=True).stdout
    assert Path(said.strip()).parent == launch.ROOT / "suites"
