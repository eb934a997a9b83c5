"""Records: small ledgers of runs that the repository keeps, and what the known bugs of today say of them."""

from __future__ import annotations

import dataclasses
import datetime
import gzip
import json
import re
from pathlib import Path

import pytest

from suites.harness.results import known_bugs, ledger, records
from suites.harness.results.linting import Facts, lint
from suites.harness.results.outcomes import Outcome
from suites.harness.results.places import Environment
from suites.harness.results.verdict import Expectations
from suites.selfcheck.clauses import every_clause
from suites.selfcheck.tools.synthetic import cell, divergence, write
from suites.selfcheck.tools.synthetic import ledger as book
from tools import cli

#: Of every row of the long tables, and those that stand for such a table alone.
CLAUSES = frozenset(clause.id for clause in every_clause(every_row=True))
STANDING = frozenset(clause.id for clause in every_clause())
KNOWN = known_bugs.load(known_bugs.default_files())


@pytest.mark.parametrize("path", records.paths(), ids=lambda path: path.name)
def test_known_bugs_explain_what_was_seen_wherever_a_record_was_made(path: Path) -> None:
    """What a change to the known bugs forgets about another release or device is told here, without going there."""
    kept = KNOWN.judged(ledger.read([path]))
    assert path.name == records.name_of(kept)
    wrong = {
        name: str(each.outcome)
        for name, each in kept.cells.items()
        if each.clause in CLAUSES and each.outcome.against and each.outcome is not Outcome.ERROR
    }
    assert not wrong


def _place(path: Path) -> str:
    """What records are of, together: a release on a CPU, whatever its kernels are built by, or on one model of GPU."""
    return re.sub(r"-cpu-.*", "-cpu", path.name)


@pytest.mark.parametrize("place", sorted({_place(path) for path in records.paths()}))
def test_records_of_a_place_are_of_most_clauses_of_their_families(place: str) -> None:
    kept = [ledger.read([path]) for path in records.paths() if _place(path) == place]
    cells = [each for book in kept for each in book.cells.values()]
    families = {each.family for each in cells}
    wanted = {clause for clause in STANDING if clause.partition("/")[0] in families}
    there = {each.clause for each in cells} & wanted
    assert len(there) > 0.75 * len(wanted), "make it anew: parity report LEDGER --record golden/records"


@pytest.mark.parametrize("path", records.paths(), ids=lambda path: path.name)
def test_page_says_what_is_in_each_record(path: Path) -> None:
    page = (records.DIRECTORY / "README.md").read_text(encoding="utf-8")
    assert records.row(ledger.read([path])) in page.splitlines()


def test_record_is_read_as_the_ledger_that_it_is_of(tmp_path: Path) -> None:
    failed = cell("fail", divergences=[dataclasses.replace(divergence(), expected="1.0", seen="2.0")])
    failed.program, failed.goldens = "def test(): ...", {"forward": "def forward(self): ..."}
    passed = [cell("pass", f"mutation/inputs/{name}", executed=done) for name, done in (("mul_", False), ("a", True))]
    whole = book(failed, cell("pass", "mutation/inputs/b"), *passed)
    path = tmp_path / records.name_of(whole)
    records.write(whole, path)
    kept = ledger.read([path])
    assert kept.planned == whole.planned
    assert kept.complete == whole.complete
    assert Environment.of(kept.header) == Environment.of(whole.header)
    assert {name: each.outcome for name, each in kept.cells.items()} == {
        name: each.outcome for name, each in whole.cells.items()
    }
    assert [kept.cells[name].executed for name in kept.planned] == [whole.cells[name].executed for name in kept.planned]
    (item,) = kept.cells[failed.id].divergences
    assert item.fingerprint == failed.divergences[0].fingerprint
    assert (item.expected, item.seen, kept.cells[failed.id].program) == ("", "", "")
    before = path.read_bytes()
    records.write(whole, path)
    assert path.read_bytes() == before


def test_record_names_no_folder_of_the_machine(tmp_path: Path) -> None:
    whole = book(cell("pass"), accelerations={"gold linker": "off: /tmp/trial-1/ld: cannot open /opt/lib/a.so: no"})
    records.write(whole, tmp_path / "record.jsonl.gz")
    kept = ledger.read([tmp_path / "record.jsonl.gz"])
    assert kept.header["accelerations"] == {"gold linker": "off: ld: cannot open a.so: no"}


def test_record_keeps_no_clauses_and_known_bugs_are_not_held_against_them() -> None:
    """A record of a whole run is judged as the run was: what its known bugs match is not known from it."""
    kept = ledger.read([records.DIRECTORY / "torch-2.13-cpu-avx512-gcc12.jsonl.gz"])
    assert records.is_whole(kept)
    assert not kept.clauses
    facts = Facts.of(kept, whole=Expectations.of(kept).whole)
    assert [problem for problem in lint(KNOWN, facts, datetime.date(2026, 1, 1)) if problem.kind == "unmatched"] == []


@pytest.mark.parametrize(
    ("compiler", "name"),
    [
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "gcc12"),
        ("g++-real (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0", "gcc13"),
        ("x86_64-conda-linux-gnu-c++ (conda-forge gcc 14.3.0-7) 14.3.0", "gcc14"),
        ("Debian clang version 17.0.6 (++20231208)", "clang17"),
        ("icpx", "icpx"),
    ],
)
def test_record_on_the_cpu_is_named_after_what_its_kernels_are_built_by(compiler: str, name: str) -> None:
    there = book(cell("pass"), torch="2.13.0", device="cpu", vector="AVX2", compiler=compiler)
    assert records.name_of(there) == f"torch-2.13-cpu-avx2-{name}.jsonl.gz"


@pytest.mark.parametrize(
    ("gpu", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "torch-2.13-cuda-h100"),
        ("NVIDIA H200", "torch-2.13-cuda-h200"),
        ("NVIDIA A100-SXM4-40GB", "torch-2.13-cuda-a100"),
        ("AMD Instinct MI300X", "torch-2.13-cuda-mi300x"),
        ("NVIDIA GeForce", "torch-2.13-cuda-nvidia-geforce"),
        ("", "torch-2.13-cuda"),
    ],
)
def test_record_of_a_gpu_is_named_after_its_model(gpu: str, name: str) -> None:
    assert records.name_of(book(cell("pass"), torch="2.13.0", device="cuda", gpu=gpu)) == f"{name}.jsonl.gz"


@pytest.mark.parametrize(("gpus", "name"), [(1, "h100"), (2, "h100-x2")])
def test_record_of_several_gpus_says_how_many(gpus: int, name: str) -> None:
    there = book(cell("pass"), torch="2.13.0", device="cuda", gpu="NVIDIA H100 80GB HBM3", gpus=gpus)
    assert records.name_of(there) == f"torch-2.13-cuda-{name}.jsonl.gz"


def test_report_writes_a_record_named_after_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = book(cell("fail"), cell("pass", "mutation/inputs/mul_"))
    source = tmp_path / "ledger.jsonl.gz"
    records.write(whole, source)
    assert cli.run(["report", str(source), "--record", str(tmp_path / "kept")]) == 0
    (made,) = (tmp_path / "kept").iterdir()
    assert made.name == records.name_of(whole)
    assert str(made) in capsys.readouterr().out


def test_run_of_a_part_adds_to_the_record_of_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ran again is the later run's, what did not stays; and the record of a whole run stays one."""
    early, late = tmp_path / "early.jsonl", tmp_path / "late.jsonl"
    write(early, book(cell("fail"), cell("pass", "mutation/inputs/mul_"), configuration={"whole": True}))
    write(late, book(cell("pass"), cell("pass", "layout/new/one"), configuration={"whole": False}))
    for ledger_file in (early, late):
        assert cli.run(["report", str(ledger_file), "--record", str(tmp_path / "kept")]) == 0
    (path,) = (tmp_path / "kept").iterdir()
    kept = ledger.read([path])
    assert {each.clause: str(each.outcome) for each in kept.cells.values()} == {
        cell("fail").clause: "pass",
        "mutation/inputs/mul_": "pass",
        "layout/new/one": "pass",
    }
    assert records.is_whole(kept)
    assert cli.run(["report", str(early), "--record", str(tmp_path / "kept")]) == 0
    assert set(ledger.read([path]).cells) == {cell("fail").id, cell("pass", "mutation/inputs/mul_").id}
    capsys.readouterr()


def test_whole_run_leaves_in_a_record_what_only_a_later_profile_runs() -> None:
    """Of clauses that there still are: one that is gone goes, and so does what another version of torch did."""
    first = cell("pass", "mutation/inputs/mul_")
    tables = [cell("pass", f"operators/table/{name}(operator=a)") for name in ("other_operator", "renamed")]
    other = dataclasses.replace(first, id=first.id.replace("static", "dynamic"))
    before = book(first, other, *tables, configuration={"whole": True, "profile": "full"})
    asked = {"whole": True, "profile": "default", "of_later_profiles": ["operators/table/other_operator"]}
    now = book(first, configuration=asked)
    kept = records.added(before, now)
    assert set(kept.cells) == set(kept.planned) == {first.id, other.id, tables[0].id}
    assert records.is_whole(kept)
    assert kept.header["configuration"]["profile"] == "default"
    now.headers[0]["torch"] = "2.13.7"
    assert set(records.added(before, now).cells) == {first.id}


def test_run_of_fewer_backends_or_variants_is_one_of_a_part() -> None:
    both = [cell("pass"), cell("pass", backend="aot_eager")]
    before = book(*both, configuration={"whole": True, "profile": "default"})
    for changes in (
        {"backends": {"aot_eager": ""}, "configuration": {"whole": True, "profile": "default"}},
        {"configuration": {"whole": True, "profile": "smoke"}},
    ):
        kept = records.added(before, book(both[1], **changes))
        assert set(kept.cells) == {each.id for each in both}
        assert records.is_whole(kept)
        assert kept.header["configuration"]["profile"] == "default"
        assert set(kept.header["backends"]) == {"aot_eager", "inductor"}


def test_record_holds_what_was_seen_and_no_known_bug(tmp_path: Path) -> None:
    judged = dataclasses.replace(cell("fail"), outcome=Outcome.KNOWN, bugs=["a"])
    records.write(book(judged), tmp_path / "a.jsonl.gz")
    with gzip.open(tmp_path / "a.jsonl.gz", "rt") as lines:
        assert [json.loads(line).get("outcome") for line in lines][2] == "fail"


def test_record_is_complete_once_parts_have_filled_its_plan() -> None:
    first, second = cell("pass"), cell("pass", "mutation/inputs/mul_")
    before = book(first, configuration={"whole": True, "profile": "full"})
    before.planned, before.complete = [first.id, second.id], False
    now = book(second, configuration={"whole": False, "profile": "full"})
    filled = records.added(before, now)
    assert filled.complete
    assert records.is_whole(filled)
    assert not records.is_whole(records.added(before, book(cell("fail"))))
    assert not records.added(before, book(cell("fail"))).complete


@pytest.mark.parametrize("what", ["torch", "compiler"])
def test_run_of_a_part_with_another_compiler_or_patch_release_is_refused(what: str) -> None:
    before, now = book(cell("pass")), book(cell("pass"))
    now.headers[0][what] = "2.13.7" if what == "torch" else "clang 99"
    with pytest.raises(ValueError, match=f"the record is of {what} .*: run all of it"):
        records.added(before, now)


def test_release_newer_than_all_records_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "DIRECTORY", tmp_path)
    assert records.newer_than_all("2.16.0.dev20270101") is None  # Nothing is known of any release.
    for name in ("torch-2.9-cuda", "torch-2.13-cpu-avx2", "torch-2.15-cpu-avx512"):
        (tmp_path / f"{name}.jsonl.gz").touch()
    assert records.releases() == [(2, 9), (2, 13), (2, 15)]
    assert records.releases("cuda") == [(2, 9)]
    assert records.newer_than_all("2.15.3+cu132") is None
    line = records.newer_than_all("2.16.0.dev20270101")
    assert line is not None
    assert line.startswith("torch 2.16.0.dev20270101 is newer than all that Parity has run on (2.15 is the newest)")


def test_record_that_is_spoilt_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, spoilt = tmp_path / "mine.jsonl", tmp_path / "torch-2.12-cpu.jsonl.gz"
    write(mine, book(cell()))
    spoilt.write_text("no gzip")
    monkeypatch.setattr(records, "DIRECTORY", tmp_path)
    assert cli.run(["report", str(mine), "--html", str(tmp_path / "page.html")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"{spoilt}: not a file that gzip has written" in told
