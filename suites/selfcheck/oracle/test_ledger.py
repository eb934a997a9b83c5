"""A ledger survives what runs do to it: torn lines, merged workers, interrupted runs, newer versions."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suites.harness.oracle.divergence import Divergence
from suites.harness.results.ledger import SCHEMA_VERSION, Cell, Writer, line_of, merge, read, records, worker_files
from suites.harness.results.outcomes import Outcome


def _cell(name: str, outcome: str = "pass") -> Cell:
    return Cell(f"family/group/{name}[b-v]", f"family/group/{name}", "family", "It holds.", "b", "v", Outcome(outcome))


def _write(path: Path, *cells: Cell, torn: bytes = b"") -> None:
    writer = Writer(path)
    for cell in cells:
        writer.write(cell.to_json())
    writer.close()
    if torn:
        with path.open("ab") as file:
            file.write(torn)


#: With lone surrogates: a file's name may be no UTF-8, and an error may tell of it.
TEXT = st.text(st.characters(), max_size=20)


@settings(deadline=None)
@given(TEXT, TEXT, st.sampled_from(["pass", "fail"]), st.booleans())
def test_cell_comes_back_as_it_was(sentence: str, detail: str, outcome: str, silent: bool) -> None:
    cell = _cell("one", outcome)
    cell.sentence, cell.detail = sentence, detail
    cell.divergences = [Divergence("value", detail, "out", sentence, "\n\u2028", silent, "eager")]
    line = line_of(cell.to_json())
    assert (line.count(b"\n"), line.decode()[-1]) == (1, "\n")
    assert Cell.from_json(json.loads(line)) == cell


def test_what_is_no_text_of_utf8_is_recorded_and_merged(tmp_path: Path) -> None:
    cell = dataclasses.replace(_cell("one", "error"), detail="OSError: no file caf\udce9.so")
    path = tmp_path / "ledger.jsonl"
    _write(tmp_path / "ledger.jsonl.main", cell)
    merge(path)
    assert path.read_text(encoding="utf-8")
    assert read([path]).cells[cell.id] == cell


def test_record_of_a_later_version_is_read_for_what_is_known() -> None:
    data = {**_cell("one").to_json(), "mood": "good"}
    assert Cell.from_json(data) == _cell("one")


@pytest.mark.parametrize(
    "torn", [b'{"kind": "cell", "id": "x', b"\x00\xff garbage\n", b"[1, 2]\n", b'{"no": "kind"}\n']
)
def test_torn_lines_are_counted_and_skipped(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, _cell("one"), torn=torn)
    found = read([path])
    assert (len(found.cells), found.torn) == (1, 1)


def test_first_torn_line_is_named_and_one_amid_records_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, _cell("one"), torn=b'{"kind": "ce')
    found = read([path])
    assert (found.torn, found.torn_at, found.damaged) == (1, f"{path}:2", False)
    _write(path, torn=b"\n\n7\n")
    _write(path, _cell("two"))
    found = read([path])
    assert (found.torn, found.torn_at, found.damaged) == (2, f"{path}:2", True)


def test_record_after_a_torn_line_is_lost_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, _cell("one"), torn=b'{"kind": "ce')
    _write(path, _cell("two"), _cell("three"))
    assert set(read([path]).cells) >= {_cell("one").id, _cell("three").id}


def test_blank_lines_are_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, _cell("one"), torn=b"\n  \n")
    assert (len(read([path]).cells), read([path]).torn) == (1, 0)


def test_merge_keeps_every_workers_records(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(tmp_path / "ledger.jsonl.gw0", _cell("one"), torn=b'{"kind"')
    _write(tmp_path / "ledger.jsonl.gw1", _cell("two"), _cell("three", "fail"))
    merge(path)
    found = read([path])
    assert (len(found.cells), found.torn) == (3, 0)
    assert worker_files(path) == []
    assert sorted(os.listdir(tmp_path)) == ["ledger.jsonl"]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=4))
def test_merging_loses_and_invents_no_cell(tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]]) -> None:
    path = tmp_path_factory.mktemp("merge") / "ledger.jsonl"
    for number, names in enumerate(parts):
        _write(path.with_name(f"{path.name}.gw{number}"), *(_cell(str(name)) for name in names))
    merge(path)
    wanted = {_cell(str(name)).id for names in parts for name in names}
    assert set(read([path]).cells if path.exists() else ()) == wanted


def test_name_of_a_ledger_is_no_pattern(tmp_path: Path) -> None:
    path = tmp_path / "torch[2].jsonl"
    _write(tmp_path / "torch[2].jsonl.gw0", _cell("one"))
    _write(tmp_path / "torch2.jsonl.gw0", _cell("of_another_run"))
    merge(path)
    assert [*read([path]).cells] == ["family/group/one[b-v]"]
    assert [file.name for file in tmp_path.glob("*.gw0")] == ["torch2.jsonl.gw0"]


def test_merge_adds_to_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, _cell("one"))
    _write(tmp_path / "ledger.jsonl.gw0", _cell("two"))
    merge(path)
    assert len(read([path]).cells) == 2


def test_merge_of_nothing_is_nothing(tmp_path: Path) -> None:
    merge(tmp_path / "ledger.jsonl")
    assert os.listdir(tmp_path) == []


def test_later_record_of_a_cell_replaces_an_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, _cell("one"), _cell("one", "fail"))
    assert [cell.outcome for cell in read([path]).cells.values()] == ["fail"]


def test_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(json.dumps({"kind": "header", "schema": SCHEMA_VERSION + 1}) + "\n")
    with pytest.raises(ValueError, match="newer than this Parity's"):
        read([path])


def test_schema_that_is_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(json.dumps({"kind": "header", "schema": "2"}) + "\n")
    with pytest.raises(ValueError, match=r"ledger.jsonl:1: not a ledger record: its schema is '2', and no number"):
        read([path])


def test_outcome_that_there_is_not_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    for word in ("passs", "silent"):
        path.write_text(json.dumps({**_cell("one").to_json(), "outcome": word}) + "\n")
        with pytest.raises(ValueError, match=rf"ledger\.jsonl:1: not a ledger record: '{word}' is no outcome: pass, "):
            read([path])


def test_known_bugs_that_an_old_ledger_had_applied_are_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    lines = [{"kind": "header", "schema": 1}]
    for number, (outcome, facet, layer) in enumerate(
        [("xfail", "value", "mine"), ("xfail", "crash", "mine"), ("xfail", "value", "aot_eager"), ("xpass", "", "")]
    ):
        cell = dataclasses.replace(_cell(str(number)), backend="mine")
        if facet:
            cell.divergences = [Divergence(facet, "k", "w", "e", "s", layer=layer)]
        lines.append({**cell.to_json(), "outcome": outcome, "waivers": ["a"]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    cells = read([path]).cells.values()
    assert [cell.outcome.value for cell in cells] == ["fail", "crash", "inherited", "pass"]
    assert not any(cell.bugs for cell in cells)
    assert "bugs" not in _cell("one").to_json()


def test_record_without_its_fields_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text('{"kind": "end"}\n{"kind": "clause"}\n')
    with pytest.raises(ValueError, match=r"ledger\.jsonl:2: not a ledger record"):
        read([path])


def test_planned_cell_without_a_record_is_dark(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, _cell("one"))
    Writer(path).write({"kind": "plan", "cells": [_cell("one").id, _cell("two").id]})
    found = read([path])
    assert (found.not_run, found.complete) == ([_cell("two").id], False)


def test_run_that_ended_says_so(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    Writer(path).write({"kind": "end"})
    assert read([path]).complete


def test_run_says_how_long_it_took(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    Writer(path).write({"kind": "header", "started": "2026-01-01T10:00:00+00:00", "command": "parity gate"})
    Writer(path).write({"kind": "end", "ended": "2026-01-01T10:01:30+00:00"})
    Writer(path).write({"kind": "end", "ended": "2026-01-01T10:01:10+00:00"})
    assert (read([path]).started, read([path]).duration) == ("2026-01-01T10:00:00+00:00", 90.0)
    path.write_text('{"kind": "header"}\n{"kind": "end"}\n')
    assert (read([path]).started, read([path]).duration) == ("", None)


def test_compressed_ledger_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    _write(path, *(_cell(str(number)) for number in range(200)))
    packed = path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read([packed]) == read([path])
    packed.write_bytes(packed.read_bytes()[:-300])
    short = read([packed])
    assert short.torn == 1
    assert 0 < len(short.cells) < 200
    packed.write_bytes(b"not packed")
    with pytest.raises(ValueError, match="not a file that gzip has written"):
        read([packed])


def test_two_writers_of_one_file_do_not_tear_lines(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    writers = [Writer(path), Writer(path)]
    for number in range(20):
        writers[number % 2].write(_cell(str(number)).to_json())
    assert all(record is not None for record in records(path))
    assert len(read([path]).cells) == 20


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read([tmp_path / "none.jsonl"])


def test_of_a_ledger_only_some_cells_are_read_and_all_else_that_is_in_it(tmp_path: Path) -> None:
    odd = _cell('named(text="id": "family/group/one[b-v]")')
    cells = [*map(_cell, ("one", "two", "three")), odd]
    for path in (tmp_path / "ledger.jsonl", tmp_path / "ledger.jsonl.gz"):
        lines = [{"kind": "header", "schema": 1}, {"kind": "plan", "cells": [each.id for each in cells] + ["never"]}]
        lines += [*(each.to_json() for each in cells), {"kind": "end"}]
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        path.write_bytes(text if path.suffix != ".gz" else gzip.compress(text))
        whole = read([path])
        assert len(whole.cells) == 4
        for wanted in ([], [cells[1].id], [cells[0].id, odd.id], ["none"]):
            part = read([path], only=wanted)
            assert part.cells == {name: whole.cells[name] for name in whole.cells if name in wanted}
            rest = ("headers", "clauses", "planned", "complete", "torn")
            assert [getattr(part, name) for name in rest] == [getattr(whole, name) for name in rest]
    torn = tmp_path / "torn"
    torn.write_bytes(text[: -len('{"kind": "end"}\n') - 5])
    assert read([torn], only=[cells[0].id]).torn == 1
