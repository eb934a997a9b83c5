"""``parity fuzz`` and ``parity reduce``, as people type them: wrong options, a short campaign, a program made small."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suites.fuzz.campaigns.campaign import Plan
from suites.fuzz.campaigns.finds import Find
from suites.fuzz.campaigns.log import Log
from suites.selfcheck.fuzz.examples import a_find
from tools import cli

#: Wrong on torch 2.13: see `suites/fuzz/frozen`. Any program that diverges would do.
DIVERGES = """
import torch

unused = 3


def program(a, b):
    c = b * 2
    a.sigmoid_()
    return c


def inputs():
    return torch.tensor(3.0), torch.ones(5)
"""

MUTANT = "suites.selfcheck.mutants.mutation:drops_the_copy_back"


def _parity(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["fuzz", "--backend", "indcutor"], 2, "did you mean 'inductor'?"),
        (["fuzz", "--shard", "3/2"], 2, "'3/2' is no shard: say I/N"),
        (["fuzz", "--shard", "0/2"], 2, "'0/2' is no shard: say I/N with I from 1 to N, as for parity gate"),
        (["fuzz", "--weight", "views"], 2, "'views' is no weight: say FAMILY=N"),
        (["fuzz", "--weight", "views=²"], 2, "'views=²' is no weight: say FAMILY=N"),
        (["fuzz", "--minutes", "nan"], 2, "'nan' is not a number"),
        (["fuzz", "--weight", "veiw=3"], 2, "no family 'veiw'"),
        (["fuzz", "a.jsonl"], 2, "unexpected 'a.jsonl': logs come after --merge"),
        (["fuzz", "--merge", "nowhere.jsonl"], 2, "no log at nowhere.jsonl"),
        (["fuzz", "--of", "triton", "--programs", "1"], 3, "--of triton on cuda needs a CUDA device and Triton"),
        (["fuzz", "--report-known", "no-such"], 2, "no known find 'no-such'"),
        (["fuzz", "--of", "schemes"], 2, "no kind 'schemes'"),
        (["fuzz", "--merge", __file__], 2, "test_fuzz.py: is no log of a campaign"),
        (["reduce", "nowhere.py"], 2, "nowhere.py: no such file"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(arguments) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_what_reduce_could_not_read_or_write_is_told_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "latin.py"
    file.write_bytes(b"# caf\xe9\n")
    assert cli.run(["reduce", str(file)]) == 2
    assert capsys.readouterr().err == f"parity: {file}: not UTF-8 text (byte 5)\n"
    file.write_text("def program(x):\n    return x\n")
    place = tmp_path / "nowhere" / "small"
    assert cli.run(["reduce", str(file), "--out", str(place)]) == 2
    assert capsys.readouterr().err == f"parity: --out {place}: no folder {place.parent}\n"


@pytest.mark.in_turn(0, 3)
def test_short_campaign_says_what_it_ran(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    again = ("fuzz", "--backend", "eager", "--campaign", "short", "--programs", "4", "--out", out, "--json")
    first, second = _parity(*again), _parity(*again)
    assert first.returncode in (0, 1), first.stderr
    assert json.loads(first.stdout)["programs"] == 4
    told = json.loads(second.stdout)
    assert told["programs"] == 8
    assert sum(told["outcomes"].values()) == 8
    assert len(told["new"]) == 0 or second.returncode == 1


@pytest.mark.skipif(sys.platform != "linux", reason="a process that dies with its parent is Linux's own")
def test_nothing_is_left_of_a_campaign_that_is_killed(tmp_path: Path) -> None:
    """What a killed campaign leaves writes no log, so that the same command can go on with it."""
    log = tmp_path / "out" / "killed_eager-0-of-1.jsonl"
    options = ["--backend", "eager", "--campaign", "killed", "--programs", "100000", "--out", str(tmp_path / "out")]
    with subprocess.Popen([sys.executable, "-m", "tools.cli", "fuzz", "--json", *options]) as campaign:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (log.exists() and log.read_text().count("\n") > 1):
            time.sleep(0.1)
        campaign.kill()
    time.sleep(0.5)
    size = log.stat().st_size
    time.sleep(1.5)
    assert log.stat().st_size == size > 0


def test_logs_of_shards_are_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = []
    for shard in range(2):
        log = Log(tmp_path / f"{shard}.jsonl")
        number = next(Plan("m", "eager", shard, 2).numbers())
        record = {"kind": "program", "number": number, "hash": str(number), "backend": "eager", "outcome": "pass"}
        log.write({**record, "families": ["view"], "features": [], "seconds": 0.1})
        logs.append(str(log.path))
    code = cli.run(["fuzz", "--json", "--out", str(tmp_path), "--merge", *logs])
    assert code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["programs"] == 2
    assert "view" not in told["never_drawn"]


def _of(operator: str, number: int = 1, kind: str = "value differs") -> Find:
    values = {"expected": "1.0 at [0]", "seen": "2.0 at [0]"}
    return a_find(number, (operator,), facet="value", kind=kind, where="call 1: out", layer="nowhere", **values)


def test_new_finds_are_told_by_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of each kind is shown as somebody can judge it; of the others there is the script."""
    log = Log(tmp_path / "log.jsonl")
    for find in (_of("sin"), _of("cos", 2), _of("tan", 3, "value lost")):
        log.write(find.to_json())
    assert cli.run(["fuzz", "--out", str(tmp_path), "--merge", str(log.path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "3 new finds, in 2 ways; each script exits with 1 while its bug lives" in lines
    start = next(place for place, line in enumerate(lines) if line.startswith("silent  value: value differs"))
    assert lines[start] == "silent  value: value differs; first at nowhere"
    shown = ["TRAIN = True", "def program(a):", "    return a.sin()", "def inputs():", "    return (torch.ones(3),)"]
    assert lines[start + 1 : start + 6] == [f"  | {line}" for line in shown]
    assert lines[start + 6] == "  call 1: out: expected 1.0 at [0], seen 2.0 at [0]"
    assert lines[start + 7].endswith("nowhere-value-sin-1.py")
    assert lines[start + 8] == "  1 more that differs like this:"
    assert lines[start + 9].endswith("nowhere-value-cos-2.py")
    assert (tmp_path / "finds" / "nowhere-value-tan-3.md").is_file()


def test_known_find_is_reported_on_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = Log(tmp_path / "log.jsonl")
    find = _of("any", kind="dtype differs")
    seen = dataclasses.replace(find.divergence, facet="dtype", layer="inductor")
    log.write(dataclasses.replace(find, divergence=seen).to_json())
    merge = ["fuzz", "--out", str(tmp_path), "--merge", str(log.path)]
    assert cli.run(merge) == 0
    assert "known: 1 times any-of-bytes" in capsys.readouterr().out
    for pattern in ("any-of-bytes", "*"):
        assert cli.run([*merge, "--report-known", pattern]) == 1
        assert "1 new find" in capsys.readouterr().out


@pytest.mark.in_turn(2, 3)
def test_program_is_made_small(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(DIVERGES)
    made = _parity("reduce", str(file), "--backend", MUTANT, "--json")
    assert made.returncode == 1, made.stderr
    told = json.loads(made.stdout)
    assert told["fingerprint"].startswith(f"{MUTANT}:mutation:")
    assert told["statements"] == 1
    assert told["finished"]
    assert told["standing"] == "confirmed", "the script imports the backend from where it lies"
    small = Path(told["files"][1]).read_text()
    assert "unused" not in small
    assert "sigmoid_" in small
    assert (tmp_path / "mine.reduced.md").is_file()


def test_program_that_does_not_diverge_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "fine.py"
    file.write_text(DIVERGES)
    made = _parity("reduce", str(file), "--backend", "aot_eager", "--json")
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["outcome"] == "pass"
    assert list(tmp_path.iterdir()) == [file]
