"""Clients: what is kept of their runs explains itself, and the matrix is drawn from it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

from suites.harness.backends import adapters
from suites.harness.programs.specs import MODES
from suites.harness.results import known_bugs, ledger, summary
from suites.harness.results.outcomes import Outcome
from suites.selfcheck.tools.synthetic import cell, header
from suites.selfcheck.tools.synthetic import ledger as book
from tools import clients
from tools.clients import Client
from tools.clients.__main__ import PICTURE
from tools.views.client_matrix import svg

CLIENTS = clients.clients()
RAN = [client for client in CLIENTS if not client.not_run]
ANEW = "type: python -m tools.clients"
SVG = "{http://www.w3.org/2000/svg}"


def test_clients_are_named_as_a_ledger_names_backends() -> None:
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)
    assert [adapters.canonical(client.backend) for client in CLIENTS] == [client.backend for client in CLIENTS]
    kept = {file.name for folder in (clients.RECORDS, clients.KNOWN_BUGS) for file in folder.iterdir()}
    assert kept <= {file.name for client in RAN for file in (client.record, client.known_bugs)}


@pytest.mark.parametrize("client", RAN, ids=lambda client: client.name)
def test_known_bugs_of_a_client_explain_its_record(client: Client) -> None:
    files = [*known_bugs.default_files(), *([client.known_bugs] if client.known_bugs.is_file() else [])]
    kept = known_bugs.load(files).judged(ledger.read([client.record]))
    assert summary.asked(kept) == [client.backend]
    assert kept.complete
    assert kept.header["configuration"]["profile"] == clients.PROFILE
    modes = {cell.variant.partition("-")[0] for cell in kept.cells.values() if cell.backend == client.backend}
    assert modes == set(client.modes.split(",") if client.modes else MODES)
    wrong = {name: str(each.outcome) for name, each in kept.cells.items() if each.outcome.against}
    assert {outcome for outcome in wrong.values() if outcome != Outcome.ERROR} == set(), wrong


def test_picture_is_what_the_records_come_to() -> None:
    assert PICTURE.read_text(encoding="utf-8") == svg(clients.matrix(CLIENTS)), ANEW


def test_row_keeps_what_the_client_did_from_what_torch_did() -> None:
    outcomes = ("pass", "pass", "changed", "fallback", "fail", "crash", "timeout", "inherited", "vacuous")
    own = [cell(each, f"mutation/a/{number}", backend="mine") for number, each in enumerate(outcomes)]
    for each, executed in zip(own, (True, True, None, False), strict=False):
        each.executed = executed
    kept = book(*own, cell("fail"))
    kept.headers = [header(backends={"mine": "1.2"})]
    row = clients.row(Client("mine", "mine"), kept)
    assert (
        row.version,
        row.cells,
        row.passed,
        row.fallback,
        row.silent,
        row.loud,
        row.crash,
        row.torchs,
        row.rest,
    ) == (*("1.2", 9, 3, 1, 1, 0, 2, 1, 1),)
    assert row.executed == (2, 3)
    assert row.share == 3 / 7
    assert clients.row(Client("other", "other"), kept).share is None


def test_picture_says_why_a_client_did_not_run_and_fills_its_bars() -> None:
    silent = [cell("fail", f"mutation/a/{number}", backend="a<b") for number in range(3)]
    drawn = svg(
        [
            clients.row(Client("a<b", "a<b"), book(*silent, cell(backend="a<b"))),
            clients.row(Client("gone", "gone", not_run="does not import"), None),
        ]
    )
    root = ElementTree.fromstring(drawn)
    texts = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert {"a<b", "25 %", "not run: does not import"} <= set(texts)
    bars = {
        each.get("class"): float(each.get("width", 0)) for each in root.iter(f"{SVG}rect") if each.get("height") == "16"
    }
    assert set(bars) == {"passed", "silent"}
    assert bars["silent"] == 3 * bars["passed"]
    assert not re.search(r"(href|url)\b", drawn)
