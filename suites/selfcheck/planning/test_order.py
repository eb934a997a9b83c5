"""No cell's verdict depends on which cell ran before it: the same cells in other orders are the same run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from suites.harness.planning.order import Order
from suites.harness.results.ledger import Ledger, read
from suites.selfcheck.oracle.test_plugin import run_tiny
from tools import cli, launch
from tools.comparing import Kind, compare
from tools.pytest_run import pytest_environment

Capture = pytest.CaptureFixture[str]

#: The second clause is another one once the first has run, as no clause may be.
TINY = """
import pytest, torch
from suites.harness import clause, tensor

RAN = []

@clause("T1.1")
def test_one(check):
    '''A sum is a sum.'''
    RAN.append(1)
    check(lambda a: a + 1, tensor(3)).unchanged(0)

@clause("T1.1")
def test_other(check):
    '''A product is a product.'''
    program = (lambda a: a * 2 + 1) if RAN and DEPENDENT else (lambda a: a * 2)
    check(program, tensor(3)).unchanged(0)

@pytest.mark.parametrize("size", [1, 2, 3, 4])
@clause("T1.1")
def test_sizes(check, size):
    '''A sum is a sum.'''
    check(lambda a: a + size, tensor(size)).unchanged(0)
"""

#: Clauses of what outlives a program in its process: buffers, generators, modes.
SAMPLE = ("mutation/test_buffers.py", "randomness/test_draws.py", "state/test_autocast.py")


def test_orders() -> None:
    items = [f"cell {number}" for number in range(20)]
    assert Order.parse("reversed").arranged(items, str) == items[::-1]
    drawn, another = (Order.parse(f"random:{seed}").arranged(items, str) for seed in (1, 2))
    assert sorted(drawn) == sorted(another) == sorted(items)
    assert drawn != another
    assert drawn not in (items, items[::-1])
    # A part of a run keeps the order of the whole, and so do cells that were collected otherwise.
    assert Order.parse("random:1").arranged(items[::-2], str) == [item for item in drawn if item in items[::-2]]


@pytest.mark.parametrize("text", ["random", "random:", "random:a", "backwards", "random:-1", "reversed:1"])
def test_order_that_is_none_is_one_line(text: str, capsys: Capture, tmp_path: Path) -> None:
    assert cli.run(["gate", f"--order={text}", "--report", str(tmp_path / "report")]) == 2
    line = f"order {text!r} is neither reversed nor random:SEED with a whole number, like random:1"
    assert capsys.readouterr().err == f"parity: {line}\n"


def _tiny(folder: Path, *order: str, dependent: bool = False) -> tuple[Path, Ledger]:
    folder.mkdir()
    ran = run_tiny(folder, f"DEPENDENT = {dependent}\n{TINY}", ("aot_eager",), "-n", "0", *order)
    assert ran.ledger is not None, ran.text
    return folder / "ledger.jsonl", ran.ledger


@pytest.mark.in_turn(1, 3)
def test_cells_run_in_the_order_that_is_asked_for_and_come_to_the_same(tmp_path: Path, capsys: Capture) -> None:
    usual, before = _tiny(tmp_path / "usual")
    for order in ("reversed", "random:3"):
        other, after = _tiny(tmp_path / order.replace(":", ""), "--order", order)
        # Records are written as cells end, and one process ends them in their order.
        assert list(after.cells) == after.planned == Order.parse(order).arranged(before.planned, _nodeids(before))
        assert after.header["configuration"]["order"] == order
        assert cli.run(["diff", str(usual), str(other), "--exact"]) == 0, capsys.readouterr().out
    assert "order" not in before.header["configuration"]


def _nodeids(book: Ledger) -> Callable[[str], str]:
    return {name: cell.nodeid for name, cell in book.cells.items()}.__getitem__


@pytest.mark.in_turn(0, 3)
def test_what_depends_on_the_order_is_told(tmp_path: Path, capsys: Capture) -> None:
    usual, before = _tiny(tmp_path / "usual", dependent=True)
    other, after = _tiny(tmp_path / "reversed", "--order", "reversed", dependent=True)
    (group,) = compare(before, after, exact=True).groups
    assert (group.kind, group.told) == (Kind.SEEN, "nodes")
    assert [change.key.partition("[")[0] for change in group.changes] == ["tiny/group/other"]
    assert cli.run(["diff", str(usual), str(other)]) == 0, "all cells pass in both"
    assert cli.run(["diff", str(usual), str(other), "--exact"]) == 1
    assert "standing alike, seen otherwise: 1 cell, 1 cause" in capsys.readouterr().out


@pytest.mark.in_turn(2, 3)
def test_clauses_come_to_the_same_in_every_order(tmp_path: Path) -> None:
    """A sample of the clauses; `parity gate --order` and `parity diff --exact` show it of all."""
    books = []
    for order in ("usual", "reversed"):
        path = tmp_path / f"{order}.jsonl"
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", f"--rootdir={launch.ROOT}", f"--ledger={path}"]
        options += ["--backend", "aot_eager", "--profile", "smoke", "--golden", "off"]
        options += [] if order == "usual" else ["--order", order]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *(str(launch.ROOT / "suites" / name) for name in SAMPLE)],
            cwd=tmp_path,
            env=pytest_environment(),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert path.exists(), done.stdout + done.stderr
        books.append(read([path]))
    assert len(books[0].cells) > 30
    assert books[0].planned == books[1].planned[::-1]
    found = compare(books[0], books[1], exact=True)
    assert not found.any, [(group.told, [change.key for change in group.changes]) for group in found.groups]
