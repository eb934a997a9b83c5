"""Shards: they share a run's clauses out, and put together they are the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from suites.harness.planning.durations import Durations
from suites.harness.planning.shards import Shard, clauses_of, digest
from suites.harness.results.known_bugs import where_cells_ran
from suites.harness.results.ledger import Cell, Ledger, read
from suites.selfcheck.oracle.test_plugin import run_tiny
from suites.selfcheck.tools.synthetic import cell, ledger, write
from tools import cli

Capture = pytest.CaptureFixture[str]

TINY = """
import pytest, torch
from suites.harness import clause, tensor

@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@clause("T1.1", modes=("no_grad", "train"))
def test_sum(check, size):
    '''A sum is a sum.'''
    check(lambda a: a + 1, tensor(size)).unchanged(0)

@clause("T1.1")
def test_that_is_wrong(check):
    '''The argument stays as it was, which it does not.'''
    check(lambda a: a.mul_(2), tensor(3)).unchanged(0)

def test_that_is_no_clause():
    pass
"""


def test_shards_share_everything_out_and_take_about_as_long() -> None:
    cells = [
        (f"family/group/clause_{number}", backend) for number in range(40) for backend in ("aot_eager", "inductor")
    ]
    costs = Durations.of(
        {name: {"aot_eager": 0.1, "inductor": 1.0 + index % 7} for index, (name, _) in enumerate(cells)}
    )
    parts = [clauses_of(Shard(number, 4), cells, costs) for number in range(1, 5)]
    assert frozenset().union(*parts) == {clause for clause, _ in cells}
    assert sum(map(len, parts)) == 40
    loads = [sum(costs.seconds(clause, backend) for clause, backend in cells if clause in part) for part in parts]
    assert max(loads) - min(loads) <= 8.0


def test_clause_without_a_record_costs_what_its_family_does() -> None:
    costs = Durations.of({"a/g/one": {"inductor": 2.0}, "a/g/two": {"inductor": 4.0}, "b/g/one": {"aot_eager": 1.0}})
    assert costs.seconds("a/g/one", "inductor") == 2.0
    assert costs.seconds("a/g/new", "inductor") == 3.0
    assert costs.seconds("a/g/new", "mine:backend") == 3.0
    assert costs.seconds("b/g/one", "aot_eager") == 1.0
    assert costs.seconds("c/g/new", "inductor") == 3.0
    assert Durations().seconds("c/g/new", "inductor") > 0


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "-1/2"])
def test_shard_that_is_none_is_one_line(text: str, capsys: Capture, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not I/N with I from 1 to N, like 2/8"):
        Shard.parse(text)
    assert cli.run(["gate", f"--shard={text}", "--report", str(tmp_path / "report")]) == 2
    assert capsys.readouterr().err == f"parity: shard {text!r} is not I/N with I from 1 to N, like 2/8\n"


@pytest.mark.in_turn(0, 3)
def test_pytest_runs_shards_that_are_the_run_when_put_together(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {}
    for name in ("whole", "1/2", "2/2"):
        folder = tmp_path / name.replace("/", "-")
        folder.mkdir()
        options = () if name == "whole" else ("--shard", name)
        parts[name] = run_tiny(folder, TINY, ("aot_eager",), *options, "-n", "0")
    whole, one, two = (parts[name].ledger for name in ("whole", "1/2", "2/2"))
    assert whole is not None
    assert one is not None
    assert two is not None, parts["2/2"].text
    assert set(one.cells) | set(two.cells) == set(whole.cells)
    assert not set(one.cells) & set(two.cells)
    assert min(len(one.cells), len(two.cells)) >= 4
    assert not {each.clause for each in one.cells.values()} & {each.clause for each in two.cells.values()}
    assert one.header["configuration"]["shard"]["digest"] == digest(whole.planned)

    monkeypatch.chdir(tmp_path)
    told = {}
    for name, sources in (("whole", ["whole"]), ("both", ["1-2", "2-2"]), ("one", ["1-2"])):
        words = [word for source in sources for word in ("--from", f"{source}/ledger.jsonl")]
        code = cli.run(["gate", *words, "--report", f"report-{name}", "--json"])
        told[name] = (code, json.loads(capsys.readouterr().out))
    assert told["both"][0] == told["whole"][0] == 1
    for key in ("conformant", "line", "reasons", "matrix", "against"):
        assert told["both"][1][key] == told["whole"][1][key], key
    assert told["one"][0] == 1
    line = f"shard 2/2 is missing: {len(one.cells)} of the run's {len(whole.cells)} cells are in those that are here"
    assert line in told["one"][1]["line"]
    # What was put together is a ledger like any other.
    assert cli.run(["gate", "--from", "report-both/ledger.jsonl", "--report", "again", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["line"] == told["whole"][1]["line"]
    # Another run's ledger stays where it is.
    before = Path("again/ledger.jsonl").read_bytes()
    assert cli.run(["gate", "--from", "1-2/ledger.jsonl", "--report", "again"]) == 1
    assert Path("again/ledger.jsonl").read_bytes() == before
    assert Path("again/judged.jsonl").read_bytes() == Path("1-2/ledger.jsonl").read_bytes()
    assert "again/ledger.jsonl is another run's, and stays; what was judged is in again/judged.jsonl" in " ".join(
        capsys.readouterr().out.split()
    )
    assert cli.run(["report", "1-2/ledger.jsonl", "2-2/ledger.jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["line"] == told["whole"][1]["line"]


def shard(number: int, *cells: Cell, of: int = 2, total: tuple[str, ...] = (), **changes: str) -> Ledger:
    """The ledger of one shard."""
    part = {"number": number, "of": of, "cells": len(total), "digest": digest(total), "whole": False}
    configuration = {"device": "cpu", "profile": "default", "families": ["mutation"], "shard": part, **changes}
    return ledger(*cells, configuration=configuration, backends={"inductor": ""})


def test_shards_that_were_cut_short_are_copied_as_they_were_read(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = (cell(clause=f"mutation/inputs/case_{number}") for number in range(2))
    total = (first.id, second.id)
    one = write(Path("one"), shard(1, first, total=total))
    write(Path("two"), shard(2, second, total=total))
    lines = one.read_bytes().splitlines(keepends=True)
    # A worker of the first was ended while it wrote, before anything was merged.
    Path("one.main").write_bytes(b"".join(lines[:-1]) + b'{"kind": "cell", "id": "mut')
    one.unlink()
    words = ["--report", "report", "--json"]
    code = cli.run(["gate", "--from", "one", "--from", "two", *words])
    judged = json.loads(capsys.readouterr().out)
    assert read([Path("report/ledger.jsonl")]).ran_under == {first.id: 0, second.id: 1}
    assert cli.run(["gate", "--from", "report/ledger.jsonl", *words]) == code == 1
    again = json.loads(capsys.readouterr().out)
    assert [again[key] for key in ("line", "reasons", "matrix")] == [
        judged[key] for key in ("line", "reasons", "matrix")
    ]


def test_what_an_unfinished_run_wrote_stays_where_another_ledger_is_judged(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("other.jsonl"), ledger(cell()))
    Path("report").mkdir()
    left = write(Path("report/ledger.jsonl.gw0"), ledger(cell("fail"), complete=False))
    cli.run(["gate", "--from", "other.jsonl", "--report", "report"])
    capsys.readouterr()
    assert left.is_file()
    assert Path("report/judged.jsonl").read_bytes() == Path("other.jsonl").read_bytes()


def test_strangers_and_gaps_are_named(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second, third = (cell(clause=f"mutation/inputs/case_{number}") for number in range(3))
    total = (first.id, second.id)
    write(Path("one"), shard(1, first, total=total))
    write(Path("two"), shard(2, second, total=total))
    write(Path("smoke"), shard(2, second, total=total, profile="smoke"))
    write(Path("other"), shard(2, second, total=(second.id,)))
    write(Path("same"), shard(2, first, total=total))
    write(Path("more"), shard(2, second, third, total=total))
    write(Path("whole"), ledger(first, second))

    def gate(*names: str) -> tuple[int, str]:
        code = cli.run(["gate", *(word for name in names for word in ("--from", name)), "--report", "report"])
        said = capsys.readouterr()
        return code, said.err or " ".join(said.out.split())

    code, said = gate("one", "two")
    assert (code, "CONFORMANT: 2 cells on inductor" in said) == (0, True), said
    for names, expected in (
        (("one", "smoke"), "parity: smoke is no shard of the run of one: profile is 'smoke', there 'default'\n"),
        (("one", "other"), "parity: other is no shard of the run of one: plan is "),
        (("one", "one"), "parity: one is shard 1/2, and so is one\n"),
        (("whole", "one"), "parity: whole is the ledger of a whole run, not of a shard"),
    ):
        code, said = gate(*names)
        assert code == 2, names
        assert said.startswith(expected)
        assert said.count("\n") == 1
    for names in (("one", "same"), ("one", "more")):
        code, said = gate(*names)
        assert code == 1, names
        assert "the shards do not make up the run: they planned" in said


def test_shards_of_unlike_machines_are_each_judged_as_they_ran(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the same files of known bugs lie in another folder; and they make no record of one place."""
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("", encoding="utf-8")
    first, second = (cell(clause=f"mutation/inputs/case_{number}") for number in range(2))
    for number, (each, vector) in enumerate([(first, "AVX512"), (second, "AVX2")], 1):
        book = shard(number, each, total=(first.id, second.id))
        book.header["configuration"]["waivers"] = [str(Path("/", f"home-{number}", "mine.toml"))]
        write(Path(str(number)), ledger(each, **{**book.header, "vector": vector}))
    words = ["--from", "1", "--from", "2", "--waivers", "mine.toml"]
    assert cli.run(["gate", *words, "--report", "both"]) == 0
    capsys.readouterr()
    # What was put together keeps where each ran, and another run is beside it.
    book = read([Path("both", "ledger.jsonl")])
    where = where_cells_ran(book)
    assert [where[each.id].vector for each in (first, second)] == ["AVX512", "AVX2"]
    write(Path("other"), ledger(cell()))
    words = ["report", "both/ledger.jsonl", "other", "--waivers", "mine.toml"]
    assert cli.run([*words, "--html", "page.html"]) == 0
    assert cli.run([*words[:2], *words[3:], "--record", "kept"]) == 2
    assert "ran on 2 unlike machines" in capsys.readouterr().err


def test_shard_is_left_without_a_clause_where_there_are_fewer_than_shards(tmp_path: Path) -> None:
    options = ("--shard", "9/9", "-n", "0")
    ran = run_tiny(tmp_path, TINY, ("aot_eager",), *options)
    assert ran.ledger is not None
    assert (ran.ledger.planned, ran.ledger.complete) == ([], True)
