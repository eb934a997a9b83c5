"""Reports: self-contained, escaped, with every divergence; JUnit and Markdown from the same ledger."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import gzip
import html
import html.parser
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from suites.fuzz.campaigns import known
from suites.fuzz.findings import findings
from suites.harness.backends.names import REFERENCE_BACKENDS
from suites.harness.results import known_bugs, summary
from suites.harness.results.known_bugs import Bug, Cells, Registry
from suites.harness.results.ledger import Ledger
from suites.harness.results.outcomes import STANDINGS
from suites.harness.results.verdict import Expectations, Reason, Verdict, verdict
from suites.selfcheck.tools.synthetic import cell, divergence, every_outcome, ledger, write
from tools import cli
from tools.views import embedded, junit, pages, pictures, processor

TODAY = datetime.date(2026, 1, 1)
KNOWN = Registry(
    [
        Bug(
            id="known",
            reason="A <known> one.",
            links=("https://example.org/1",),
            seen=("torch",),
            expires=datetime.date(2026, 12, 31),
            cells=(Cells(("aliasing/outputs/known", "aliasing/outputs/inherited"), ("inductor:value:*",)),),
        )
    ]
)


def judge(book: Ledger) -> Verdict:
    return verdict(book, KNOWN, Expectations.of(book), TODAY)


class Parsed(html.parser.HTMLParser):
    """Checks that tags nest, and collects links and sources."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)
        self.outside += [str(value) for name, value in attrs if name == "src" or (name == "href" and tag != "a")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_needs_nothing_else_and_nests() -> None:
    page = pages.html(judge(every_outcome()), KNOWN)
    assert Parsed(page).outside == []
    assert "@import" not in page
    assert "url(" not in page
    assert "prefers-color-scheme: dark" in page


def test_the_page_shows_every_divergence_with_program_sides_and_command() -> None:
    bad = cell("fail", divergences=[divergence(expected="<Tensor & 1>", seen="two\nlines")])
    page = pages.html(judge(ledger(bad)), KNOWN)
    for part in (
        "&lt;Tensor &amp; 1&gt;",
        "two\nlines",
        "return a &lt; 2",
        "again: <code>pytest",
        bad.sentence.split(" ")[0],
    ):
        assert part in page


def test_the_page_shows_where_a_backend_raises_and_what_its_engine_wrote() -> None:
    loud = divergence("error", kind="raised E: no", silent=False, raised_in="engine.py:3 <lower>")
    book = ledger(cell("fail", divergences=[loud], stderr="engine: no kernel for <cummax>"))
    said = pages.html(judge(book), KNOWN)
    assert "raised in <code>engine.py:3 &lt;lower&gt;</code>" in said
    assert '<pre class="detail">engine: no kernel for &lt;cummax&gt;</pre>' in said
    held = embedded.details(book, [], {})
    assert {"engine.py:3 <lower>", "engine: no kernel for <cummax>"} <= set(held["text"])
    assert "raised in engine.py:3" in junit.text(judge(book))


def test_a_known_divergence_shows_its_cause_with_reason_and_link() -> None:
    outcome = judge(ledger(*(cell("fail", f"aliasing/outputs/{name}") for name in ("known", "inherited", "other"))))
    page = pages.html(outcome, KNOWN)
    assert "A &lt;known&gt; one." in page
    assert '<a href="https://example.org/1">' in page
    assert '<a class="of" href="#bug=known">2</a>' in page
    for text in (page, pages.markdown(outcome, KNOWN)):
        assert "1 cause explains 2 known cells" in text


def test_a_cell_that_passes_adds_no_element_and_few_bytes() -> None:
    def page(number: int) -> str:
        cells = [cell(clause=f"mutation/inputs/case_{each}", seconds=each) for each in range(number)]
        return pages.html(judge(ledger(*cells)), KNOWN)

    few, many = page(100), page(4100)
    assert many.count("<") == few.count("<")
    assert len(many) - len(few) < 4000 * 40


def test_every_standing_has_a_mark_and_a_colour_of_the_page() -> None:
    page = pages.html(judge(every_outcome()), KNOWN)
    for standing in STANDINGS:
        assert len(pictures.mark(standing)) == 1
        colour, own = embedded.label_class(standing).split()
        assert f".{colour}:not(.h)" in page or f".{own}:not(.h)" in page or f".tag.{own}" in page, standing
    counted = pictures.heat(every_outcome()).rows[-1].total
    against = [cell for cell in every_outcome().cells.values() if summary.standing(cell).against]
    assert sum(counted.counts[each] for each in counted.against) == len(against)
    for each in counted.against:
        assert f"<b>{pictures.mark(each)}{counted.counts[each]}</b>" in page


def test_what_a_run_left_out_is_told() -> None:
    book = ledger(cell(), configuration={"left_out": ["grad modes: train"]})
    for text in (pages.html(judge(book), KNOWN), pages.markdown(judge(book), KNOWN)):
        assert "left out: grad modes: train" in text


def test_many_reasons_that_are_about_no_cell_stand_folded() -> None:
    """A few hundred of them would push the matrix and the causes out of sight."""
    reasons = tuple(Reason("known bug", f"reason {each} of many") for each in range(300))
    outcome = dataclasses.replace(judge(ledger(cell())), reasons=reasons)
    page = pages.html(outcome, KNOWN)
    Parsed(page)
    shown, folded, rest = page.partition(f"<summary>{300 - pages.REASONS} more</summary>")
    assert folded
    assert (shown.count(" of many<"), rest.count(" of many<")) == (pages.REASONS, 300 - pages.REASONS)
    text = pages.markdown(outcome, KNOWN)
    assert text.count(" of many\n") == pages.REASONS
    assert f"- and {300 - pages.REASONS} more\n" in text


def test_where_the_processor_went_is_a_table_of_a_sampled_run_and_a_command_of_any_other() -> None:
    book = ledger(cell())
    page = pages.html(judge(book), KNOWN)
    assert 'id="processor"' not in page
    assert page.count(processor.COMMAND) == 1
    seen = [["Dynamo", "inductor", 6.0], ["Dynamo", "", 1.0], ["pytest", "", 2.0]]
    book.processor = [{"kind": "processor", "total": 10.0, "seen": seen}]
    page = pages.html(judge(book), KNOWN)
    assert processor.COMMAND not in page
    table = page.partition('<table id="processor">')[2].partition("</table>")[0]
    rows = re.findall(r'<th scope="row">(.*?)</th><td class="n">(.*?)</td><td class="n">(.*?)</td>', table)
    assert rows == [("Dynamo", "7.0", "70.0 %"), ("pytest", "2.0", "20.0 %"), (processor.NOT_SEEN, "1.0", "10.0 %")]


def test_an_empty_ledger_still_has_a_report() -> None:
    outcome = judge(ledger())
    assert "no cell ran" in pages.html(outcome, Registry())
    assert "no cell ran" in pages.markdown(outcome, Registry())


def test_the_bisection_marks_the_first_layer_that_differs() -> None:
    def states(layer: str, backend: str) -> list[tuple[str, str]]:
        return [(step.layer, step.state) for step in pages.bisection(cell(backend=backend), divergence(layer=layer))]

    assert [layer for layer, _ in states("mine:b", "mine:b")] == [*REFERENCE_BACKENDS, "mine:b"]
    assert [layer for layer, _ in states("inductor", "inductor_cached")] == [
        *REFERENCE_BACKENDS,
        "inductor",
        "inductor_cached",
    ]
    assert states("aot_eager", "mine:b") == [
        ("eager", "same"),
        ("aot_eager", "first"),
        ("aot_eager_decomp_partition", "after"),
        ("mine:b", "after"),
    ]
    assert states("aot_eager", "aot_eager") == [("eager", "same"), ("aot_eager", "first")]
    assert states("", "inductor") == []
    assert states("aot_function", "inductor") == [("aot_function", "first")]


def test_findings_are_listed_with_scripts_where_the_run_has_their_programs() -> None:
    entry = known.load()[0]
    layer, facet, kind = entry.fingerprint.split(":", 2)
    frozen = f"fuzz/frozen/program_that_search_found(program={entry.program.removesuffix('.py')})"
    seen = cell("fail", frozen, divergences=[divergence(facet=facet, kind=kind.replace("*", ""), layer=layer)])
    assert not findings(every_outcome())
    (finding,) = findings(ledger(seen))
    assert (finding.title, finding.layer, finding.link) == (entry.title, layer, entry.link)
    assert finding.silent is seen.divergences[0].silent
    assert "import suites" not in finding.script
    assert "sys.exit(1 if different else 0)" in finding.script
    every = known_bugs.load(known_bugs.default_files())
    page = pages.html(judge(ledger(seen)), every)
    assert Parsed(page).outside == []
    assert f'href="#script={entry.id}"' in page
    assert html.escape(every.bugs[entry.id].reason, quote=False).replace("'", "&#39;") in page
    packed = re.search(r'id="details">([^<]+)<', page)
    assert packed is not None
    details = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert [title for title, _ in details["scripts"][entry.id]] == [entry.title]
    assert entry.title.replace("`", "'") in pages.markdown(judge(ledger(seen)), KNOWN)
    gone = findings(ledger(cell("pass", frozen)))[0]
    assert (gone.layer, gone.facet) == (layer, facet)
    assert set(gone.standings.values()) == {"passed"}


def test_the_kill_matrix_is_a_table_and_names_survivors(tmp_path: Path) -> None:
    file = tmp_path / "kill.json"
    rows = {
        "drop": {"about": "drops it", "caught": {"mutation": 2}, "cells": {"mutation": 7}},
        "sleepy": {"caught": {}},
    }
    file.write_text(json.dumps({"families": ["mutation", "aliasing"], "mutants": rows}))
    matrix = pages.load_kill_matrix(file)
    assert matrix is not None
    assert matrix.survivors == ["sleepy"]
    page = pages.html(judge(every_outcome()), KNOWN, matrix)
    assert "Not caught: sleepy." in page
    assert "drops it" in page
    assert '<td class="k2" title="2 of 7">2</td>' in page
    file.write_text("[]")
    with pytest.raises(Exception, match="is not a kill matrix"):
        pages.load_kill_matrix(file)
    with pytest.raises(Exception, match=r"cannot read the kill matrix .*none\.json: No such file or directory"):
        pages.load_kill_matrix(tmp_path / "none.json")


def test_junit_has_a_case_a_cell_and_is_xml_whatever_a_cell_says(tmp_path: Path) -> None:
    book = every_outcome()
    odd = cell("fail", "mutation/inputs/odd", divergences=[divergence(seen="a\x00b\x1b[31m\ud800<")])
    book.cells[odd.id] = odd
    pages.write_all(tmp_path, judge(book), KNOWN)
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    cases = root.findall(".//testcase")
    assert len(cases) == len(book.cells) + 1
    suite = {each.get("name"): each for each in root}["inductor"]
    results = {case.get("name"): case.find("*[@type]") for case in cases}
    types = {"crash": "crash", "timeout": "timeout", "fail": "silent", "loud": "loud", "skip": "skipped"}
    for word, told in types.items():
        name = f"aliasing/outputs/{word}[inductor-train-static-plain]"
        found = results[name]
        assert found is not None
        assert found.get("type") == told
        (case,) = [case for case in cases if case.get("name") == name]
        assert {"name": "parity.standing", "value": told} in [each.attrib for each in case.iter("property")]
    assert int(suite.get("failures", 0)) == 8
    assert int(suite.get("errors", 0)) == 1
    assert (tmp_path / "index.html").stat().st_size > 5000


def test_markdown_cannot_be_broken_by_what_a_cell_says() -> None:
    bad = cell("fail", divergences=[divergence(kind="a | b", expected="`x`\n| y", seen="1")])
    text = pages.markdown(judge(ledger(bad)), KNOWN)
    line = next(line for line in text.splitlines() if "expected" in line)
    assert "a \\| b" in line
    assert "expected `'x'`" in line


def test_report_verb_writes_what_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = write(tmp_path / "ledger.jsonl", every_outcome())
    files = [tmp_path / "out" / name for name in ("r.html", "j.xml", "s.md")]
    options = [f"--{kind}={file}" for kind, file in zip(("html", "junit", "markdown"), files, strict=True)]
    assert cli.run(["report", str(book), *options]) == 0
    assert all(file.stat().st_size for file in files)
    assert cli.run(["report", str(book)]) == 0
    assert "## ❌ NOT CONFORMANT" in capsys.readouterr().out
    assert cli.run(["report", str(tmp_path / "none.jsonl"), "--json"]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"error": f"no ledger at {tmp_path / 'none.jsonl'}", "exit": 2}
    assert captured.err == f"parity: no ledger at {tmp_path / 'none.jsonl'}\n"


def test_heat_map_sums_up_backends_that_only_clauses_name_unless_they_fail() -> None:
    modes = [cell(backend="mode_a"), cell(backend="mode_b"), cell("fail", "aliasing/a/b", backend="mode_c")]
    loud = [divergence("error", silent=False)]
    bad = cell("fail", "aliasing/a/b", divergences=loud)
    heat = pictures.heat(ledger(*modes, cell(), bad, cell(clause="aliasing/a/c")))
    assert [row.name for row in heat.rows] == ["inductor", "mode_c"]
    assert heat.rest is not None
    assert (heat.rest.name, heat.rest.total.cells) == ("2 others, named by clauses", 2)
    aliasing, mutation = heat.rows[0].fields
    assert (aliasing.worst, aliasing.depth, aliasing.told) == ("loud", 3, "1 loud, 1 passed")
    assert (mutation.worst, mutation.against) == ("pass", [])
    assert heat.rows[1].fields[1].cells == 0


def test_first_layers_and_tolerances_are_counted() -> None:
    known = cell("fail", "aliasing/outputs/known", tolerance=0.9)
    cells = [known, cell("fail", divergences=[divergence(layer="aot_eager")]), cell("inherited", "a/b/c")]
    used = [cell(clause=f"a/b/{number}", tolerance=number / 10) for number in range(6)]
    book = judge(ledger(*cells, *used)).ledger
    (bar,) = pictures.first_layers(book)
    assert (bar.facet, bar.layers) == ("value", (("aot_eager", 2), ("inductor", 1)))
    (row,) = pictures.tolerances(book)
    assert (row.cells, row.median, row.most, row.where.clause) == (5, 0.3, 0.5, "a/b/5")
