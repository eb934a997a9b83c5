"""Clauses outside of the suites: what they are called, and that they make no run of the suites a part of one."""

from __future__ import annotations

import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from suites.harness.results import known_bugs
from suites.harness.results.known_bugs import Bug, Cells, Registry
from suites.harness.results.linting import Facts, lint
from suites.harness.results.places import Environment
from suites.harness.session import cells, recording

TODAY = datetime.date(2026, 1, 1)


@pytest.mark.parametrize(
    ("file", "named", "clause"),
    [
        (cells.SUITES / "mutation" / "test_x.py", "suites/mutation/test_x.py", "mutation/x/it"),
        (cells.SUITES / "mutation" / "test_x.py", "../site-packages/parity/suites/mutation/test_x.py", "mutation/x/it"),
        (Path("/home/me/tests/test_x.py"), "tests/test_x.py", "tests/x/it"),
        (Path("/home/me/suites/test_x.py"), "suites/test_x.py", "suites/x/it"),
        (Path("/home/suites/me/test_x.py"), "test_x.py", "x/it"),
    ],
)
def test_a_clause_is_named_from_the_suites_or_from_its_own_project(file: Path, named: str, clause: str) -> None:
    assert cells.clause_id(cells.place_of(file, named), "test_it") == clause


def run_of(*arguments: str, **options: Any) -> Any:
    option = {"keyword": "", "markexpr": "", "deselect": None, "shard": None, "profile": "default"} | options
    parameters = SimpleNamespace(dir=cells.SUITES.parent)
    return SimpleNamespace(args=arguments, option=SimpleNamespace(**option), invocation_params=parameters)


def test_clauses_outside_make_no_run_a_part_of_one() -> None:
    every = cells.families()
    assert cells.is_whole(run_of("suites"), every)
    assert cells.is_whole(run_of("suites", "/home/me/tests/test_mine.py::test_it"), {*every, "tests"})
    assert not cells.is_whole(run_of("/home/me/tests"), {"tests"})
    assert not cells.is_whole(run_of("suites", keyword="it"), every)
    for part in ("suites/mutation/test_copy_back.py", "suites/mutation/test_copy_back.py::test_it"):
        assert not cells.is_whole(run_of("suites", part), every)


def linted(clause: str, source: str = "my_bugs.toml") -> list[str]:
    about = Cells((clause,), ("*:value:*",))
    bug = Bug("id", "reason", ("none known",), ("torch",), TODAY, cells=(about,), source=source)
    here = Environment("2.13.0", "cpu")
    facts = Facts(here, frozenset({"mutation/x/it", "aliasing/x/it"}), whole=True)
    return [problem.kind for problem in lint(Registry([bug]), facts, TODAY)]


def test_a_known_bug_of_a_clause_outside_is_no_mistake_in_a_run_of_the_suites() -> None:
    assert linted("tests/mine/sine") == []
    assert linted("mutation/x/that") == ["unmatched"]
    assert linted("mutatoin/x/it") == ["unmatched"]
    assert linted("tests/mine/sine", str(known_bugs.DIRECTORY / "mutation.toml")) == ["unmatched"]


@pytest.mark.parametrize(
    ("root", "nodeid", "here", "name", "words"),
    [
        ("/p", "tests/test_a.py::test_b[c::d]", "/p", "suites", ["tests/test_a.py::test_b[c::d]"]),
        ("/p", "tests/test_a.py::test_b", "/p/tests", "suites", ["test_a.py::test_b"]),
        ("/p", "tests/test_a.py::test_b", "/q", "suites", ["/p/tests/test_a.py::test_b"]),
        ("/s", "suites/f/test_a.py::test_b", "/q", "suites", ["/s/suites/f/test_a.py::test_b"]),
        ("/s", "suites/f/test_a.py::test_b", "/q", "parity.suites", ["--pyargs", "parity.suites.f.test_a::test_b"]),
        (
            "/q",
            "../s/suites/f/test_a.py::test_b",
            "/q",
            "parity.suites",
            ["--pyargs", "parity.suites.f.test_a::test_b"],
        ),
    ],
)
def test_command_that_shows_a_cell_again_names_it_shortly(
    root: str, nodeid: str, here: str, name: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "cwd", lambda: Path(here))
    monkeypatch.setattr(cells, "SUITES", Path("/s/suites"))
    monkeypatch.setattr(recording.suites, "__name__", name)
    assert recording.named(nodeid, Path(root)) == words
