"""What changed between two runs: by cause, the most important first; pages of it, and a report for each new cause."""

from __future__ import annotations

import dataclasses
import gzip
import html.parser
import json
from pathlib import Path

import pytest

from suites.harness.results.ledger import Ledger
from suites.selfcheck.tools.synthetic import cell, divergence, ledger, write
from tools import cli
from tools.comparing import Kind, compare
from tools.views import changes

Capture = pytest.CaptureFixture[str]

LOUD = [divergence("error", kind="raises", silent=False)]
LOST = [divergence("mutation", kind="mutation | lost", expected="`one`\n| two")]


def books() -> tuple[Ledger, Ledger]:
    """Two runs with a change of every kind between them, and what is the same."""
    before = ledger(
        cell(clause="a/a/same"),
        cell(clause="a/a/lost_1"),
        cell(clause="a/a/lost_2"),
        cell(clause="a/b/raises"),
        cell("fail", "a/b/mended"),
        cell("fail", "a/b/otherwise"),
        cell(clause="a/b/vacuous"),
        cell(clause="a/b/gone"),
        cell(clause="a/b/below"),
        cell(clause="a/b/below", backend="aot_eager"),
        torch="2.12.0",
        started="2026-01-01T00:00:00+00:00",
    )
    after = ledger(
        cell(clause="a/a/same"),
        cell("fail", "a/a/lost_1", divergences=LOST, program="x" * 99),
        cell("fail", "a/a/lost_2", divergences=LOST),
        cell("fail", "a/b/raises", divergences=LOUD),
        cell(clause="a/b/mended"),
        cell("fail", "a/b/otherwise", divergences=LOUD),
        cell("vacuous", "a/b/vacuous", detail="nothing was compiled"),
        cell(clause="a/b/new"),
        cell("inherited", "a/b/below"),
        cell(clause="a/b/below", backend="aot_eager"),
        torch="2.13.0",
    )
    return before, after


def test_changes_are_put_together_by_cause_the_most_important_first() -> None:
    found = compare(*books())
    assert [(group.kind.name, group.standings, len(group.changes)) for group in found.groups] == [
        ("DIVERGES", "passed -> silent", 2),
        ("DIVERGES", "passed -> loud", 1),
        ("DIVERGES", "passed -> inherited", 1),
        ("DIFFERENTLY", "silent -> loud", 1),
        ("OTHERWISE", "passed -> vacuous", 1),
        ("AGREES", "silent -> passed", 1),
        ("NEW", "passed", 1),
        ("GONE", "passed", 1),
    ]
    assert found.groups[0].example.key == "a/a/lost_2[inductor-train-static-plain]"
    assert found.of(Kind.DIFFERENTLY)[0].told == (
        "value: values differ; first at inductor -> error: raises; first at inductor"
    )
    assert (found.paired, found.count(Kind.DIVERGES)) == (9, 4)
    assert compare(books()[0], books()[0]).line == "no difference"


def test_what_is_seen_otherwise_is_told_where_it_is_asked_for() -> None:
    same = cell("fail", "a/a/loud", divergences=LOUD, detail="raises: placeholders={a, b}")
    before = ledger(cell(clause="a/a/one"), cell("fail", "a/a/two"), same)
    other = [dataclasses.replace(LOUD[0], seen="placeholders={b, a}")]
    after = ledger(
        cell(clause="a/a/one", recompilations=1, tolerance=0.5),
        cell("fail", "a/a/two", divergences=[divergence(seen="another number")]),
        cell("fail", "a/a/loud", divergences=other, detail="raises: placeholders={b, a}"),
    )
    assert not compare(before, after).any
    found = compare(before, after, exact=True)
    assert {group.told for group in found.groups} == {"recompilations, tolerance", "divergences"}
    assert {group.kind for group in found.groups} == {Kind.SEEN}
    assert found.line == "2 standing alike, seen otherwise"
    assert not list(changes.issues(found, changes.Runs("A", "B"))), "they failed so before"


def test_slower_to_compile_is_told_by_family_and_cell_and_is_no_difference() -> None:
    clauses = [f"a/a/{number}" for number in range(10)] + ["b/b/b"]
    before = ledger(*(cell(clause=clause, compile_seconds=1.0) for clause in clauses))
    after = ledger(*(cell(clause=clause, compile_seconds=3.0 if clause[0] == "a" else 1.0) for clause in clauses))
    found = compare(before, after)
    assert [(each.name, each.cells, each.before, each.after) for each in found.slower] == [
        ("inductor", 11, 11.0, 31.0),
        ("inductor, a", 10, 10.0, 30.0),
    ]
    assert len(found.slower_cells) == 10
    assert not found.any
    assert not compare(after, before).slower


class Nesting(html.parser.HTMLParser):
    """Checks that tags nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_pages_say_what_is_new_and_cannot_be_broken_by_what_a_cell_says() -> None:
    found, runs = compare(*books()), changes.Runs.of(*books())
    assert (runs.before, runs.after) == ("torch 2.12.0, cpu, 2026-01-01", "torch 2.13.0, cpu")
    page = changes.html(found, runs)
    Nesting(page)
    assert "`one`\n| two" in page
    text = changes.markdown(found, runs)
    assert "### Newly diverging: 4 cells, 3 causes" in text
    assert "- **passed -> silent**, 2 cells: mutation: mutation \\| lost; first at inductor (a 2)" in text
    assert "expected `'one'`" in text
    assert "| torch | 2.12.0 | 2.13.0 |" in text


def test_each_cause_that_counts_against_has_a_report_of_its_own(tmp_path: Path, capsys: Capture) -> None:
    before, after = books()
    left, right = tmp_path / "a.jsonl.gz", write(tmp_path / "b.jsonl", after)
    left.write_bytes(gzip.compress(write(tmp_path / "a.jsonl", before).read_bytes()))
    folder = tmp_path / "issues"
    files = [f"--issues={folder}", f"--markdown={tmp_path / 'd.md'}", f"--html={tmp_path / 'd.html'}"]
    assert cli.run(["diff", str(left), str(right), *files]) == 1
    said = capsys.readouterr().out
    assert "newly diverging: 4 cells, 3 causes" in said
    assert f"written: {tmp_path / 'd.html'}" in said
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        "01-silent-mutation-mutation-lost-first-at-inductor.md",
        "02-loud-error-raises-first-at-inductor.md",
        "03-loud-value-values-differ-first-at-inductor-error-raises.md",
        "04-vacuous-nothing-was-compiled.md",
    ]
    text = (folder / names[0]).read_text()
    for part in (
        "2 cells (a 2) are **silent** in torch 2.13.0, cpu, and **passed** in torch 2.12.0, cpu, 2026-01-01.",
        "```python\ndef program(a):",
        "pytest 'suites/a/a/lost_2[inductor]'",
        "- `a/a/lost_1[inductor-train-static-plain]`",
    ):
        assert part in text


def test_two_backends_of_one_ledger_are_compared(tmp_path: Path, capsys: Capture) -> None:
    book = write(tmp_path / "l.jsonl", ledger(cell(backend="aot_eager"), cell("fail"), cell("fail", "a/b/only")))
    pair = ["diff", str(book), str(book), "--backend", "aot_eager", "--backend", "inductor", "--json"]
    assert cli.run(pair) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(each["kind"], each["cells"]) for each in found["groups"]] == [
        ("newly diverging", ["mutation/inputs/add_[train-static-plain]"]),
        ("new cells", ["a/b/only[train-static-plain]"]),
    ]
    assert cli.run([*pair[:3], "--backend", "nobody"]) == 2
    line = "parity: backend 'nobody' has no cell there; those that ran: aot_eager, inductor\n"
    assert capsys.readouterr().err == line
