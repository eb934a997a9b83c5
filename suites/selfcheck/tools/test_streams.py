"""What a verb writes to: a reader that leaves, an encoding without our signs, a place that cannot be written."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from suites.harness.results.ledger import Ledger, Writer
from suites.selfcheck.oracle.test_plugin import run_tiny
from suites.selfcheck.tools.synthetic import cell, every_outcome, ledger, write
from tools import cli
from tools.launch import ROOT


def parity(
    *words: str, cwd: Path, stdout: int = subprocess.PIPE, prepare: Callable[[], None] | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tools.cli", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        preexec_fn=prepare,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize(
    ("book", "code"), [(ledger(cell(), backends={"inductor": ""}, configuration={}), 0), (every_outcome(), 1)]
)
def test_reader_that_leaves_changes_no_exit_code(tmp_path: Path, book: Ledger, code: int) -> None:
    write(tmp_path / "ledger.jsonl", book)
    reading, writing = os.pipe()
    os.close(reading)
    for more in ((), ("--json",)):
        done = parity("gate", "--from", "ledger.jsonl", *more, cwd=tmp_path, stdout=writing)
        assert (done.returncode, done.stderr) == (code, "")
    assert parity("report", "ledger.jsonl", cwd=tmp_path, stdout=writing).returncode == 0
    os.close(writing)


@pytest.mark.parametrize("closed", [(1,), (2,), (0, 1, 2)])
def test_streams_that_were_closed_before_change_no_exit_code(tmp_path: Path, closed: tuple[int, ...]) -> None:
    write(tmp_path / "ledger.jsonl", every_outcome())

    def close() -> None:
        for descriptor in closed:
            os.close(descriptor)

    done = parity("gate", "--from", "ledger.jsonl", cwd=tmp_path, prepare=close)
    assert (done.returncode, done.stderr) == (1, "")
    assert ("NOT CONFORMANT: " in done.stdout) is (1 not in closed)


def test_encoding_without_our_signs_hides_no_verdict(tmp_path: Path) -> None:
    write(tmp_path / "ledger.jsonl", every_outcome())
    done = parity("gate", "--from", "ledger.jsonl", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (1, "")
    assert "NOT CONFORMANT: " in done.stdout
    assert done.stdout.isascii()


def test_report_that_cannot_be_written_is_one_line_with_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("ledger.jsonl"), ledger(cell()))
    Path("file").write_text("mine")
    for words in (["--from", "ledger.jsonl"], ["--backend", "aot_eager", "--family", "state"]):
        assert cli.run(["gate", *words, "--report", "file/report"]) == 2
        said = capsys.readouterr()
        assert said.err.startswith("parity: cannot write ")
        assert said.err.endswith("file/report: Not a directory\n")
        assert said.err.count("\n") == 1
        assert said.out == ""
    assert Path("file").read_text() == "mine"


def test_folder_that_may_only_be_read_is_one_line_with_its_path(tmp_path: Path) -> None:
    if os.geteuid() == 0 and not Path("/sys/kernel").is_dir():
        pytest.skip("root may write everywhere here")
    write(tmp_path / "ledger.jsonl", ledger(cell()))
    place = "/sys/kernel/report"
    if os.geteuid():
        (tmp_path / "folder").mkdir(mode=0o555)
        place = str(tmp_path / "folder" / "report")
    done = parity("gate", "--from", "ledger.jsonl", "--report", place, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"parity: cannot write {place}: ")
    assert done.stderr.count("\n") == 1


def _little_space() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def test_full_disk_is_one_line_with_the_file(tmp_path: Path) -> None:
    write(tmp_path / "ledger.jsonl", every_outcome())
    done = parity("gate", "--from", "ledger.jsonl", cwd=tmp_path, prepare=_little_space)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("parity: cannot write parity-report")
    assert done.stderr.endswith(": File too large\n")
    assert done.stderr.count("\n") == 1


def test_file_of_known_bugs_that_cannot_be_written_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    write(tmp_path / "ledger.jsonl", ledger(cell("fail")))
    (tmp_path / "file").write_text("mine")
    words = ("waivers", "update", "ledger.jsonl", "--link", "none known", "--reason", "long " * 1000, "--file")
    for name, said in (
        ("mine.toml", "cannot write mine.toml: File too large"),
        ("file/mine.toml", "cannot write file: "),
    ):
        done = parity(*words, name, cwd=tmp_path, prepare=_little_space)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"parity: {said}")
        assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "ledger.jsonl"]


def test_output_to_a_full_disk_is_one_line(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    write(tmp_path / "ledger.jsonl", ledger(cell()))
    with open("/dev/full", "wb") as full:
        for more in ((), ("--json",)):
            done = parity("gate", "--from", "ledger.jsonl", *more, cwd=tmp_path, stdout=full.fileno())
            assert done.returncode == 2
            assert done.stderr == "parity: cannot write standard output: No space left on device\n"


@pytest.mark.parametrize("words", [("check", "nothing.py"), ("regen", "--from", "edits", "--root", ".")])
def test_every_verb_tells_that_its_output_met_a_full_disk(tmp_path: Path, words: tuple[str, ...]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "nothing.py").write_text("def program(x):\n    return (\n")
    (tmp_path / "edits").mkdir()
    with open("/dev/full", "wb") as full:
        done = parity(*words, cwd=tmp_path, stdout=full.fileno())
    assert (done.returncode, done.stderr) == (2, "parity: cannot write standard output: No space left on device\n")


FULL = """
import errno, os
from suites.harness.results import ledger
write = ledger.Writer.write
def full(self, record):
    if record["kind"] == "cell":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
    write(self, record)
ledger.Writer.write = full
"""

TINY = """
from suites.harness import clause, tensor

@clause("T1.1")
def test_sum(check):
    check(lambda a: a + 1, tensor(3)).unchanged(0)
"""


@pytest.mark.parametrize(
    ("way", "who", "file"), [("-n", "a worker", "ledger.jsonl.gw0"), ("--at-once", "the run", "ledger.jsonl.main")]
)
def test_disk_that_is_full_in_the_middle_of_a_run_ends_it_with_the_file(
    tmp_path: Path, way: str, who: str, file: str
) -> None:
    (tmp_path / "full.py").write_text(FULL)
    ran = run_tiny(tmp_path, TINY, ("eager",), "-p", "full", way, "1")
    assert ran.status == 2, ran.text
    assert f"Exit: {who} failed: OSError: [Errno 28] No space left on device: '" in ran.text
    assert f"{file}'" in ran.text


def test_record_that_cannot_be_written_names_its_file(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "ledger.jsonl")
    writer.close()
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(OSError, match=r"No space left on device: '.*full'"):
        Writer(full).write({"kind": "end"})
