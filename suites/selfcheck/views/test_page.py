"""The report in a browser: what one sees, finds and links to, and what is left without JavaScript."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from suites.harness.results.known_bugs import Bug, Cells, Registry
from suites.harness.results.ledger import Ledger
from suites.harness.results.verdict import Expectations, verdict
from suites.selfcheck.tools.synthetic import cell, divergence, ledger
from suites.selfcheck.views import browser
from tools.views import pages

pytestmark = pytest.mark.skipif(not browser.chromium(), reason="no Chromium is installed to show the page")

LONG = "my_company.compilers.accelerator:compile_graph_with_everything"
BAD = "mutation/inputs/bad"
KNOWN = Registry(
    [
        Bug(
            id="a-known-one",
            reason="The known reason.",
            links=("https://example.org/1",),
            seen=("torch",),
            expires=datetime.date(2099, 1, 1),
            cells=(Cells(("aliasing/outputs/known",), ("inductor:value:*",)),),
        )
    ]
)


def books() -> tuple[Ledger, Ledger]:
    """A run with two causes, a known bug and many cells that pass, and the run of a release before it."""
    silent = [divergence("mutation", kind="mutation lost", layer=LONG, expected="<one & two>")]
    loud = [divergence("error", kind="raises", layer=LONG, silent=False)]
    families = [f"family_{number}" for number in range(21)]
    passing = [cell(clause=f"{family}/group/case_{each}") for family in families for each in range(30)]
    failing = [cell("fail", f"{BAD}_{number}", LONG, divergences=silent) for number in range(3)]
    failing += [cell("fail", "errors/a/loud", LONG, divergences=loud)]
    golden = {"one#forward": "def forward(self):\n    return 2"}
    changed = cell(clause="layout/a/graph", goldens=golden)
    known = cell("fail", "aliasing/outputs/known")
    other = dataclasses.replace(changed, goldens={"one#forward": "def forward(self):\n    return 1"})
    fixed = [dataclasses.replace(each, outcome=cell().outcome, divergences=[]) for each in failing]
    return (
        ledger(*passing, *failing, changed, known, started="2026-01-02T03:04:05+00:00", command="parity gate"),
        ledger(*fixed, other, torch="2.12.0"),
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the report of `books` is."""
    book, other = books()
    judged = verdict(book, KNOWN, Expectations.of(book), datetime.date(2026, 1, 3))
    file: Path = tmp_path_factory.mktemp("report") / "index.html"
    file.write_text(pages.html(judged, KNOWN, None, [KNOWN.judged(other)]))
    return file.as_uri()


@pytest.fixture(scope="module")
def shown() -> Iterator[browser.Page]:
    """A page of a browser."""
    with browser.page() as page:
        page.size(1400, 1000)
        yield page


@pytest.fixture
def page(shown: browser.Page, address: str) -> Iterator[browser.Page]:
    """The report, opened."""
    show(shown, address)
    yield shown
    assert shown.failures == []


def show(page: browser.Page, address: str) -> None:
    """Open an address of the report, and wait until its script has done its part."""
    page.open(address)
    page.wait("document.documentElement.dataset.ready !== undefined")


def text(page: browser.Page, selector: str) -> str:
    """What a person reads there."""
    return " ".join(str(page.value(f"document.querySelector({selector!r}).innerText")).split())


def test_head_says_verdict_time_command_and_configuration(page: browser.Page) -> None:
    head = text(page, "header")
    for part in ("Not conformant", "3 silent; 1 loud", "2026-01-02 03:04:05 UTC", "torch 2.13.0", "parity gate"):
        assert part in head


@pytest.mark.parametrize("width", [420, 1400])
def test_nothing_runs_over_the_edge_and_the_matrix_shows_numbers(page: browser.Page, width: int) -> None:
    page.size(width, 900)
    try:
        assert page.value("document.documentElement.scrollWidth") <= width
        field = "document.querySelector('#matrix td a').getBoundingClientRect()"
        assert page.value(f"{field}.right") < width
        assert page.value(f"{field}.width") > 20
    finally:
        page.size(1400, 1000)


def test_search_narrows_cells_causes_and_headings_and_stands_in_the_address(page: browser.Page) -> None:
    everything = len(books()[0].cells)
    assert text(page, "#cells h2") == f"Cells {everything}"
    page.value(
        "const q = document.querySelector('[name=q]'); q.value = 'mutation lost'; "
        "q.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    page.wait("location.hash === '#q=mutation%20lost'")
    assert text(page, "#cells h2") == f"Cells 3 of {everything}"
    assert page.value("document.querySelectorAll('#table tbody tr').length") == 3
    assert page.value("document.querySelectorAll('.cause:not(.gone)').length") == 1
    assert "1 of 2 causes" in text(page, "#causes h2")
    page.value("document.querySelector('#filter').reset()")
    page.wait("document.querySelectorAll('.cause:not(.gone)').length === 2")
    assert text(page, "#cells h2") == f"Cells {everything}"


def test_table_grows_when_it_is_asked_to(page: browser.Page) -> None:
    rows = "document.querySelectorAll('#table tbody tr').length"
    first = page.value(rows)
    assert 0 < first < len(books()[0].cells)
    page.value("document.querySelector('#rest button').click()")
    assert page.value(rows) == 2 * first
    page.value("document.querySelector('[data-sort=clause]').click()")
    assert text(page, "#table tbody a").startswith("aliasing/outputs/known")
    assert page.value("location.hash") == "#sort=clause"


def test_address_with_filters_is_followed(page: browser.Page, address: str) -> None:
    show(page, f"{address}#backend={quote(LONG)}&standing=loud")
    assert page.value("[...document.querySelectorAll('#table tbody a')].map(a => a.textContent)") == ["errors/a/loud"]
    assert page.value("document.querySelector('[name=standing]').value") == "loud"


def test_field_of_the_matrix_leads_to_its_cells(page: browser.Page) -> None:
    page.value("[...document.querySelectorAll('#matrix td a')].find(a => a.hash.includes('family=errors')).click()")
    page.wait("document.querySelectorAll('#table tbody tr').length === 1")
    assert "loud" in text(page, "#table tbody tr")


def test_bar_is_above_the_content_and_stays(page: browser.Page) -> None:
    bar = "document.querySelector('#filter')"
    assert page.value(f"{bar}.compareDocumentPosition(document.querySelector('#matrix')) & 4") == 4
    page.value("scrollTo(0, 1500)")
    page.wait(f"{bar}.getBoundingClientRect().top === 0")


def test_link_of_a_cell_shows_all_of_it_and_where_its_clause_holds(page: browser.Page, address: str) -> None:
    name = f"{BAD}_1[{LONG}-train-static-plain]"
    show(page, f"{address}#cell={quote(name)}")
    page.wait("document.querySelector('dialog').open")
    card = text(page, "dialog")
    for part in (name, "mutation lost", "<one & two>", "a.add_(1)", "again: pytest", "first that differs"):
        assert part in card
    assert card.endswith("this run torch 2.12.0, cpu " + f"{LONG} train-static-plain ● silent . passed")
    page.value("document.querySelector('dialog').close()")
    page.wait("location.hash === ''")


def test_card_shows_the_difference_of_graphs_between_runs(page: browser.Page, address: str) -> None:
    show(page, f"{address}#cell={quote('layout/a/graph[inductor-train-static-plain]')}")
    page.wait("document.querySelector('dialog').open")
    assert "- return 1 + return 2" in text(page, "dialog .drift")


def test_known_bug_is_one_row_and_its_cells_are_linked(page: browser.Page) -> None:
    assert page.value("document.querySelectorAll('[data-bug]').length") == 1
    page.value("document.querySelector('[data-bug] .of').click()")
    page.wait("document.querySelectorAll('#table tbody tr').length === 1")
    page.value("document.querySelector('#table tbody tr').click()")
    page.wait("document.querySelector('dialog').open")
    assert "The known reason." in text(page, "dialog .bug")


def test_without_scripts_verdict_matrix_causes_and_failing_cells_are_there(address: str) -> None:
    with browser.page() as page:
        page.size(1400, 1000)
        page.scripts(on=False)
        page.open(address)
        assert page.value("getComputedStyle(document.querySelector('#filter')).display") == "none"
        for part in ("Not conformant", "3 silent"):
            assert part in text(page, "header")
        assert "●3" in text(page, "#matrix")
        body = text(page, "body")
        for number in range(3):
            assert f"{BAD}_{number}[{LONG}-train-static-plain]" in body
        assert "mutation: mutation lost" in text(page, "#causes")
