"""The command line: fast help, one line for each failure, and a verb for each module."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from suites.harness.execution import accelerations, environment, kept_kernels
from suites.harness.results import known_bugs
from suites.harness.results.ledger import TYPED
from suites.harness.results.outcomes import Outcome
from suites.selfcheck.tools.synthetic import cell, divergence, every_outcome, ledger, write
from suites.selfcheck.tools.test_known_bugs import OLD
from tools import cli, exits, launch
from tools.verbs import diff, doctor, gate
from tools.verbs import list as clauses

Capture = pytest.CaptureFixture[str]


def test_help_imports_neither_torch_nor_a_verb() -> None:
    program = (
        "import sys; from tools import cli; code = cli.run(['--help']); "
        "loaded = [name for name in ('torch', 'tools.verbs.gate', 'pytest', 'rich') if name in sys.modules]; "
        "print(loaded, code); "
        f"import importlib; [importlib.import_module('tools.verbs.' + verb) for verb in {list(cli.VERBS)!r}]; "
        "print('torch' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=launch.ROOT, check=True
    )
    assert result.stdout.splitlines()[-2:] == ["[] 0", "False"], "nor does any verb before it runs something"
    assert all(verb in result.stdout for verb in cli.VERBS)


def test_what_is_made_of_ledgers_needs_no_torch(tmp_path: Path) -> None:
    write(tmp_path / "a", every_outcome())
    write(tmp_path / "b", ledger(cell()))
    commands = (
        *(
            "report a",
            "report a b --html x.html --junit y.xml --markdown z.md --sarif s --json",
            "report a --annotations",
        ),
        *(
            "diff a b --html d.html",
            "gate --from a --report judged",
            "gate --shard 2/1",
            "gate --family mutatoin",
            "gate --clause x",
        ),
    )
    program = (
        f"import sys; from tools import cli; codes = [cli.run(line.split()) for line in {commands!r}]; "
        "print(); print(codes, 'torch' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(launch.ROOT)},
        check=True,
    )
    assert ran.stdout.splitlines()[-1] == "[0, 0, 0, 1, 1, 2, 2, 2] False", ran.stderr


def test_every_verb_has_a_command_and_json() -> None:
    for verb in cli.VERBS:
        command = cli.parity.get_command(None, verb)  # type: ignore[arg-type]
        assert command is not None, verb
        commands = getattr(command, "commands", {"": command}).values()
        assert all(any("--json" in option.opts for option in each.params) for each in commands), verb


def test_without_a_verb_there_is_help(capsys: Capture) -> None:
    assert cli.run([]) == 2
    assert capsys.readouterr().err.startswith("Usage: parity [OPTIONS]")


def test_an_unknown_verb_is_one_line(capsys: Capture) -> None:
    assert cli.run(["gaet"]) == 2
    assert capsys.readouterr().err == "parity: no verb 'gaet'; did you mean 'gate'?\n"


def test_an_unexpected_failure_is_one_line_with_the_way_to_the_stack(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def broken(**_: bool) -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr(doctor, "examine", broken)
    assert cli.run(["doctor"]) == 2
    expected = "parity: ValueError: two lines (a fault of Parity's own; PARITY_TRACEBACK=1 shows the stack)\n"
    assert capsys.readouterr().err == expected
    monkeypatch.setenv("PARITY_TRACEBACK", "1")
    assert cli.run(["doctor"]) == 2
    assert "Traceback" in capsys.readouterr().err


def _collected(name: str, devices: list[str], torch: str = "", needs: str = "") -> dict[str, object]:
    return {"id": name, "family": name.partition("/")[0], "devices": devices, "torch": torch, "needs": needs}


@pytest.fixture
def no_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doctor is told of four clauses, and collects none."""
    devices = {"mutation/a/one": [], "gpu/a/one": ["cuda"], "gpu/a/two": ["cuda"], "errors/a/one": ["cpu"]}
    monkeypatch.setattr(clauses, "collect", lambda: [_collected(name, each) for name, each in devices.items()])


@pytest.mark.usefixtures("no_collection")
def test_doctor_names_what_is_missing_and_what_to_type(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(
        environment, "prove_compiler", lambda **_: "no C++ compiler: 'g++' is not on PATH; type: install it"
    )
    monkeypatch.setattr(environment, "compiler", lambda: environment.Compiler("g++", problem="'g++' is not on PATH"))
    assert cli.run(["doctor", "--json"]) == 3
    findings = {each["name"]: each for each in json.loads(capsys.readouterr().out)["findings"]}
    assert findings["C++ compiler"]["state"] == "missing"
    assert findings["C++ compiler"]["type"] == "install it"
    assert findings["backend inductor"]["state"] == "missing"
    assert findings["backend aot_eager"]["state"] == "ok"
    assert cli.run(["doctor"]) == 3
    said = capsys.readouterr().out
    assert "parity gate cannot run in full: C++ compiler, backend inductor" in said
    assert "what can run: parity gate --backend aot_eager --backend aot_eager_decomp_partition\n" in said


def _doctor(capsys: Capture, status: int = 0) -> dict[str, dict[str, str]]:
    assert cli.run(["doctor", "--json"]) == status
    return {each["name"]: each for each in json.loads(capsys.readouterr().out)["findings"]}


@pytest.mark.usefixtures("no_collection")
def test_doctor_says_what_is_not_run_here(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(environment, "prove_compiler", lambda **_: None)
    monkeypatch.setattr(environment, "cuda", lambda: "")
    monkeypatch.setattr("torch.distributed.is_gloo_available", lambda: False)
    monkeypatch.setattr(environment, "vector_instructions", lambda: "AVX512")
    monkeypatch.setattr(
        accelerations, "current", lambda: dataclasses.replace(accelerations.all_off("x"), vector="AVX2")
    )
    for name in accelerations.VECTOR:
        monkeypatch.delenv(name, raising=False)
    found = _doctor(capsys)
    assert found["clauses"]["text"] == "2 in 3 families; 2 more are about cuda alone: 2 of gpu"
    assert (found["ranks"]["state"], found["ranks"]["text"]) == (
        "note",
        "this torch has no Gloo to join the ranks with",
    )
    assert found["vector instructions"]["text"] == (
        "AVX512 in torch's kernels, AVX2 in those that the C++ compiler builds"
    )
    assert found["vector instructions"]["loses"] == "Inductor's kernels for AVX512"
    monkeypatch.setenv("TORCHINDUCTOR_VEC_ISA_OK", "0")
    asked = _doctor(capsys)["vector instructions"]
    assert asked["text"].endswith(" (TORCHINDUCTOR_VEC_ISA_OK=0)")
    assert not asked["type"], "it was asked for"
    monkeypatch.setattr(environment, "cuda", lambda: "NVIDIA H200")
    assert _doctor(capsys)["clauses"]["text"] == "4 in 3 families"


def test_doctor_names_clauses_that_cannot_be_collected(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def fails() -> None:
        raise exits.Fault("collecting the clauses failed (pytest exit code 2): ERROR suites/x.py")

    monkeypatch.setattr(clauses, "collect", fails)
    monkeypatch.setattr(environment, "prove_compiler", lambda **_: None)
    found = _doctor(capsys, status=3)
    assert (found["clauses"]["state"], found["clauses"]["loses"]) == ("missing", "everything")
    assert "ERROR suites/x.py" in found["clauses"]["text"]


@pytest.mark.usefixtures("no_collection")
def test_doctor_names_the_next_command(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(environment, "prove_compiler", lambda **_: None)
    monkeypatch.setattr(environment, "why_not", lambda *_: None)
    assert cli.run(["doctor"]) == 0
    assert "all that parity gate needs is here; type: parity gate --profile quick" in capsys.readouterr().out


@pytest.mark.usefixtures("no_collection")
def test_doctor_says_that_errors_of_kernels_end_processes(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(environment, "prove_compiler", lambda **_: None)
    decision = dataclasses.replace(accelerations.all_off("x"), raising="SIGSEGV")
    monkeypatch.setattr(accelerations, "current", lambda: decision)
    found = _doctor(capsys)["errors of kernels"]
    assert found["text"].startswith("a kernel that raises ends its process (SIGSEGV)")
    assert found["loses"] == "cells on inductor in which a kernel raises: unsupported"


@pytest.mark.parametrize(
    "version, goldens, seen, before",
    [
        ("2.13.0", "strict: they are the graphs of torch 2.13", "seen on torch 2.13 on cpu", "torch 2.13 ran before"),
        ("2.14.1", "drift: they are the graphs of torch 2.13", "seen on torch 2.14 on cpu", "torch 2.14 ran before"),
        (
            "2.15.1",
            "strict: they are the graphs of torch 2.13, but",
            "seen on torch 2.15 on cpu",
            "torch 2.15 ran before",
        ),
        ("2.99.0.dev1", "drift", "0 of ", "torch 2.99.0.dev1 is newer than all that Parity has run on"),
    ],
)
def test_doctor_says_what_holds_on_this_release(
    version: str, goldens: str, seen: str, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "torch_version", lambda: version)
    found = {each.name: each for each in doctor.release()}
    assert found["goldens"].text.startswith(goldens)
    assert seen in found["known bugs"].text
    assert found["records"].text.startswith(before)
    assert (found["records"].state == "ok") == (version != "2.99.0.dev1")


def test_doctor_tells_how_many_cells_at_once_the_gate_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "memory_gib", lambda: (64.0, 60.0))
    monkeypatch.setattr(environment, "cores", lambda: 2)
    assert doctor.machine().text == "2 cores, 60.0 of 64.0 GiB free, for -n 2"


def test_doctor_counts_the_clauses_about_other_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    collected = [_collected("mutation/a/one", [], each) for each in ("", ">=2.13", ">=2.13", ">=2.12", "<2.14")]
    monkeypatch.setattr(clauses, "collect", lambda: collected)
    monkeypatch.setattr(environment, "torch_version", lambda: "2.12.1")
    told = "clauses that do not run on torch 2.12.1: 2 about torch >=2.13"
    assert doctor.what_runs()[1] == doctor.Finding("releases", "note", told)
    monkeypatch.setattr(environment, "torch_version", lambda: "2.14.0.dev7")
    assert doctor.what_runs()[1].text.endswith(": 1 about torch <2.14")
    collected[:] = [_collected("mutation/a/one", [], ">=2.13")]
    assert [each.name for each in doctor.what_runs()] == ["clauses"]


def test_doctor_names_the_package_that_clauses_need(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = ("", "pytest", "pytest<2", "no-such-package>=5", "no-such-package>=5")
    monkeypatch.setattr(clauses, "collect", lambda: [_collected("models/a/one", [], needs=each) for each in needed])
    lacking = {each.type: each.text for each in doctor.what_runs()[1:]}
    assert list(lacking) == ["pip install 'no-such-package>=5'", "pip install 'pytest<2'"]
    assert [text.split()[0] for text in lacking.values()] == ["2", "1"]


def test_doctor_says_where_kernels_are_kept_and_what_they_are_for(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    def told() -> dict[str, str]:
        assert cli.run(["doctor", "--kernels"]) == 0
        return dict(line.split("=", 1) for line in capsys.readouterr().out.splitlines())

    first = told()
    assert first == told()
    assert list(first) == ["path", "key"]
    assert Path(first["path"]).name == "parity*"
    assert re.fullmatch("[0-9a-f]{16}", first["key"])
    monkeypatch.setattr(environment, "compiler", lambda: environment.Compiler("g++", "/usr/bin/g++", "another g++"))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    other = told()
    assert other["path"] == f"{tmp_path}/parity*"
    assert other["key"] != first["key"]
    monkeypatch.setattr(kept_kernels, "processor", lambda: "flags\t: another")
    assert told()["key"] != other["key"]
    assert cli.run(["doctor", "--kernels", "--json"]) == 0
    as_json = json.loads(capsys.readouterr().out)
    assert as_json == told()


def test_list_knows_every_family_and_runs_nothing(capsys: Capture) -> None:
    assert cli.run(["list", "--json", "--family", "mutation"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed
    assert all(each["family"] == "mutation" and each["id"].startswith("mutation/") for each in listed)
    assert all(each["sentence"] for each in listed)


def test_list_that_is_no_terminals_has_a_line_a_clause(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    long = f"mutation/inputs/{'of_any_length_' * 20}(size=4)"
    rows = [
        {"id": long, "family": "mutation", "covers": ["T3.1", "T4"], "sentence": f"It holds.\n    {'So. ' * 40}"},
        {"id": "mutation/inputs/b", "family": "mutation", "covers": None, "sentence": None},
    ]
    monkeypatch.setattr(clauses, "collect", lambda families: rows)
    assert cli.run(["list"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{long}\tT3.1 T4\tIt holds. {' '.join(['So.'] * 40)}"
    assert second == "mutation/inputs/b\t\t"


def test_list_knows_clauses_without_a_cell_on_the_cpu(capsys: Capture) -> None:
    assert cli.run(["list", "--json", "--family", "errors"]) == 0
    devices = {each["id"]: each["devices"] for each in json.loads(capsys.readouterr().out)}
    assert devices["errors/devices/vector_on_the_cpu_beside_one_on_the_gpu"] == ["cuda"]
    assert devices["errors/values/integers_divided_by_zero"] == ["cpu"]
    assert devices["errors/values/negative_deviation_of_a_normal_draw"] == []


def test_a_collection_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    failing = [sys.executable, "-c", "print('ERROR suites/x.py - SyntaxError'); raise SystemExit(2)"]
    monkeypatch.setattr(launch, "pytest_command", lambda names, options: failing)
    assert cli.run(["list"]) == 2
    assert "collecting the clauses failed (pytest exit code 2): ERROR suites/x.py" in capsys.readouterr().err
    assert clauses.collect.__doc__


@pytest.mark.parametrize("verb", [["list"], ["waivers", "lint"]])
def test_a_collection_that_does_not_end_is_one_line(
    verb: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(launch, "pytest_command", lambda *_: [sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(clauses, "_LIMIT", 0.5)
    assert cli.run(verb) == 2
    assert capsys.readouterr().err == "parity: collecting the clauses did not end within 0.5 s\n"


def test_very_long_command_is_told_by_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several thousand clauses, say: what Linux hands no process, none could be started with."""
    monkeypatch.setattr(sys, "argv", ["parity", "gate", *(f"--clause=of_{number}" for number in range(20_000))])
    environment = {**os.environ, **launch.pytest_environment()}
    words = [sys.executable, "-c", f"import os; print(os.environ[{TYPED!r}])"]
    told = subprocess.run(words, capture_output=True, text=True, env=environment, check=True).stdout
    assert told.startswith("parity gate --clause=of_0 ")
    assert told.endswith(" characters more)\n")


def test_diff_of_equal_ledgers_is_nothing(tmp_path: Path, capsys: Capture) -> None:
    left, right = write(tmp_path / "a", every_outcome()), write(tmp_path / "b", every_outcome())
    assert cli.run(["diff", str(left), str(right)]) == 0
    assert capsys.readouterr().out == "no difference\n"


@pytest.mark.parametrize(
    "command",
    [
        ["diff", "CUT", "WHOLE"],
        ["report", "WHOLE", "CUT"],
        ["waivers", "update", "CUT", "--file", "BUGS", "--link", "none known", "--dry-run"],
    ],
    ids=lambda command: command[0],
)
def test_torn_ledger_is_named_by_whatever_reads_it(command: list[str], tmp_path: Path, capsys: Capture) -> None:
    cut, whole = (write(tmp_path / name, ledger(cell())) for name in ("cut.jsonl", "whole.jsonl"))
    cut.write_text(cut.read_text() + "{")
    places = {"CUT": str(cut), "WHOLE": str(whole), "BUGS": str(tmp_path / "bugs.toml")}
    assert cli.run([places.get(word, word) for word in command]) == 0
    said = capsys.readouterr().err
    lines = cut.read_text().count("\n") + 1
    assert f"parity: {cut}:{lines}: not a whole record: left out; it is the last line, cut short" in said


def test_diff_names_what_changed_appeared_and_went(tmp_path: Path, capsys: Capture) -> None:
    same, gone, new = cell(), cell(clause="mutation/inputs/gone"), cell(clause="mutation/inputs/new")
    before = cell("fail", "mutation/inputs/other", goldens={"other#forward": "a\nb"})
    after = cell(
        "fail", "mutation/inputs/other", goldens={"other#forward": "a\nc"}, divergences=[divergence(kind="NaN")]
    )
    left = write(tmp_path / "a", ledger(same, gone, before))
    right = write(tmp_path / "b", ledger(same, new, after, torch="2.15.0"))
    assert cli.run(["diff", str(left), str(right), "--graphs"]) == 1
    said = capsys.readouterr().out
    told = "silent, 1 cell: value: values differ; first at inductor -> value: NaN; first at inductor"
    for part in ("torch: 2.13.0+cpu -> 2.15.0", told, "-b", "+c"):
        assert part in said
    assert cli.run(["diff", str(left), str(right), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [each["cell"] for each in found["new"]] == [new.id]
    assert [each["cell"] for each in found["gone"]] == [gone.id]


def test_diff_pairs_cells_of_two_backends_by_clause() -> None:
    found = diff.compare(
        ledger(cell("fail", backend="aot_eager"), backends={"aot_eager": ""}),
        ledger(cell(), backends={"inductor": ""}),
    )
    assert [(each.before, each.after) for each in found.changed] == [(Outcome.SILENT, Outcome.PASS)]
    assert not found.new
    layers = [divergence(layer=name) for name in ("a", "b")]
    left, right = (ledger(cell("fail", backend=item.layer, divergences=[item])) for item in layers)
    assert not diff.compare(left, right).any
    both = ledger(*left.cells.values(), *right.cells.values())
    assert not diff.compare(both, both, ("a", "b")).any


BUG = """\
[[bug]]
id = "a"
reason = "r"
link = "https://example.org"
seen = "torch"
expires = 2099-01-01

[[bug.cells]]
clause = "mutation/inputs/add_"
backend = "inductor"
fingerprint = "*:value:*"
"""


def test_waivers_lint_leaves_with_1_for_a_faulty_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(clauses, "collect", lambda: [{"id": "mutation/inputs/add_"}])
    monkeypatch.setattr(known_bugs, "default_files", list)
    file = tmp_path / "mine.toml"
    file.write_text(BUG)
    assert cli.run(["waivers", "lint", str(file)]) == 0
    file.write_text(BUG.replace("add_", "ad"))
    assert cli.run(["waivers", "lint", str(file)]) == 1
    assert "matches no clause; did you mean 'mutation/inputs/add_'?" in capsys.readouterr().out
    file.write_text(BUG.replace('"inductor"', '"inductr"'))
    assert cli.run(["waivers", "lint", str(file)]) == 1
    assert "bug 'a': no backend 'inductr': did you mean 'inductor'?" in capsys.readouterr().out
    # A backend whose package is not here may be elsewhere.
    file.write_text(BUG.replace('"inductor"', '"no_such_package:backend"'))
    assert cli.run(["waivers", "lint", str(file)]) == 0


def test_waivers_lint_counts_what_nobody_has_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(clauses, "collect", lambda: [{"id": "mutation/inputs/add_"}])
    monkeypatch.setattr(known_bugs, "default_files", list)
    file = tmp_path / "mine.toml"
    second = BUG.replace('"a"', '"b"').replace('"r"', f'"{known_bugs.UNEXPLAINED}"')
    file.write_text(BUG + second)
    assert cli.run(["waivers", "lint", str(file)]) == 0
    told = f"1 entry is not explained yet; first {file}:12\n2 known bugs, 0 problems\n"
    assert capsys.readouterr().out == told
    assert cli.run(["waivers", "lint", "--json", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["unexplained"] == 1


def test_waivers_update_adds_causes_drops_what_is_gone_and_keeps_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(known_bugs, "default_files", list)
    file, book = tmp_path / "mine.toml", tmp_path / "ledger.jsonl"
    failing = [cell("fail", f"mutation/inputs/{name}") for name in ("add_", "mul_")]
    crash = cell("crash", "mutation/inputs/crash")
    write(book, ledger(*failing, crash))
    update = ["waivers", "update", str(book), "--file", str(file), "--link", "none known"]
    assert cli.run(update) == 0
    assert "2 added, 0 changed, 0 cells dropped" in capsys.readouterr().out
    known = known_bugs.load([file])
    assert {bug.id: len(list(bug.expectations())) for bug in known.bugs.values()} == {
        "inductor-value-values-differ": 2,
        "inductor-crash-signal-11": 1,
    }
    assert cli.run(["gate", "--from", str(book), "--waivers", str(file), "--report", str(tmp_path / "r")]) == 1
    assert "backend aot_eager ran no cell" in capsys.readouterr().out
    assert cli.run(update) == 0
    assert "0 added, 0 changed, 0 cells dropped" in capsys.readouterr().out
    file.write_text("# a comment that stays\n" + file.read_text())
    write(book, ledger(failing[0], cell(clause="mutation/inputs/mul_"), crash))
    assert cli.run(update) == 0
    assert "drop inductor-value-values-differ: inductor:value:values differ is gone from mutation/inputs/mul_" in (
        capsys.readouterr().out
    )
    text = file.read_text()
    assert text.startswith("# a comment that stays\n")
    assert text.count("[[bug]]") == text.count("[[bug.cells]]") == 2
    assert "mul_" not in text
    write(book, ledger(cell(), crash))
    assert cli.run(update) == 0
    assert file.read_text().count("[[bug]]") == 1
    assert cli.run(["waivers", "update", str(book), "--file", str(file)]) == 2
    assert "--link" in capsys.readouterr().err


def test_waivers_update_of_a_folder_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(known_bugs, "default_files", list)
    folder = tmp_path / "bugs"
    folder.mkdir()
    book = write(tmp_path / "ledger.jsonl", ledger(cell("fail"), cell("fail", "aliasing/outputs/one")))
    update = ["waivers", "update", str(book), "--file", str(folder), "--link", "none known"]
    assert cli.run(update) == 0
    assert "1 added" in capsys.readouterr().out
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert cli.run(update) == 0
    assert "0 added, 0 changed" in capsys.readouterr().out
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize(
    "words", [["--backend", "inductor"], ["--device", "cuda"], ["--shard", "1/2"], ["-n", "2"]], ids=" ".join
)
def test_what_says_what_to_run_is_refused_where_nothing_runs(words: list[str], tmp_path: Path, capsys: Capture) -> None:
    book = write(tmp_path / "ledger.jsonl", ledger(cell()))
    assert cli.run(["gate", "--from", str(book), *words, "--report", str(tmp_path / "report")]) == 2
    assert f"{words[0]} says what to run, and --from runs nothing" in capsys.readouterr().err


def test_golden_says_what_a_changed_graph_means_in_a_ledger(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"configuration": {"golden": "strict"}, "backends": {"inductor": ""}}
    book = write(tmp_path / "ledger.jsonl", ledger(cell(), cell("changed", "mutation/inputs/other"), **asked))
    words = ["gate", "--from", str(book), "--report", str(tmp_path / "report")]
    assert cli.run(words) == 1
    assert cli.run([*words, "--golden", "drift"]) == 0
    assert cli.run([*words, "--golden", "strict"]) == 1


def test_waivers_convert_prints_what_can_be_loaded(tmp_path: Path, capsys: Capture) -> None:
    old, new = tmp_path / "old.toml", tmp_path / "new.toml"
    old.write_text(OLD)
    assert cli.run(["waivers", "convert", str(old)]) == 0
    new.write_text(capsys.readouterr().out)
    assert list(known_bugs.load([new]).bugs) == ["lost"]
    assert cli.run(["waivers", "convert", str(new)]) == 2
    assert capsys.readouterr().err == f"parity: {new}: no [[waiver]] in it: not a file of the old form\n"


def test_gate_options_reach_pytest(tmp_path: Path) -> None:
    request = gate.Request(
        ("inductor",), "cpu", "full", (tmp_path / "w.toml",), tmp_path / "l", "drift", 7, (), 2, tmp_path, False
    )
    options = request.pytest_options()
    for option in ("--backend=inductor", "--profile=full", "--golden=drift", "--max-examples=7", "--device=cpu"):
        assert option in options
    assert f"--waivers={tmp_path / 'w.toml'}" in options
