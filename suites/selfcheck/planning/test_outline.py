"""What is known of clauses before any file of theirs is imported: a misspelt pattern is told at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suites.harness.planning import outline
from suites.harness.results.places import matches
from tools import cli

Capture = pytest.CaptureFixture[str]
CLAUSE = "mutation/copy_back/without_grad_copy_is_the_last_op_of_the_graph"


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("a/b/c", False),
        ("a/b/c(x=1)", True),
        ("a/b/c*", True),
        ("a/b/?(", True),
        ("a/b/?", False),
        ("*/c(x*", True),
        ("*", True),
        ("", False),
        ("a/*/d", True),
        ("b*", False),
    ],
)
def test_pattern_fits_a_text_that_begins_so(pattern: str, fits: bool) -> None:
    assert outline.begins(pattern, "a/b/c(") is fits


@given(pattern=st.text("ab*?", max_size=6), start=st.text("ab", max_size=4), rest=st.text("ab", max_size=4))
def test_no_text_that_a_pattern_fits_is_said_not_to_begin_so(pattern: str, start: str, rest: str) -> None:
    if matches(pattern, start + rest):
        assert outline.begins(pattern, start)
    # What a pattern asks for beyond a start, each of its letters gives, and a star needs nothing.
    fitted = any(matches(pattern, start + pattern[place:].replace("*", "").replace("?", "a")) for place in range(7))
    assert outline.begins(pattern, start) is fitted


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((f"--clause={CLAUSE[:-2]}",), f"--clause {CLAUSE[:-2]!r}: no clause has such an id; did you mean {CLAUSE!r}?"),
        (
            ("--clause=python/tabel/*",),
            "--clause 'python/tabel/*': no clause has such an id; did you mean 'python/table/*'?",
        ),
        (("--clause=mutatoin/*/x",), "--clause 'mutatoin/*/x': no clause has such an id"),
        (
            ("--clause=mutation/*", "--clause=layuot/*"),
            "--clause 'layuot/*': no clause has such an id; did you mean 'layout/*'?",
        ),
        (("--family=layout", "--clause=mutation/*"), "--clause 'mutation/*': no clause has such an id"),
    ],
)
def test_gate_tells_a_misspelt_clause_before_anything_is_collected(
    words: tuple[str, ...], line: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["gate", *words]) == 2
    assert capsys.readouterr().err == f"parity: {line}\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("pattern", [CLAUSE, "*lists*", "operators/?*/elementwise/*", "python/table/*(*sheet=lists*"])
def test_pattern_that_may_name_a_clause_is_not_refused(pattern: str) -> None:
    assert outline.of_no_clause([pattern]) == ""
