"""Waivers: read with clear errors, matched on cell, facet, fingerprint and torch, and linted."""

from __future__ import annotations

import dataclasses
import datetime
import re
from pathlib import Path

import pytest
from expecttest import assert_expected_inline

from golden import waivers
from golden.waivers import Facts, Waiver, WaiverError
from suites.harness.oracle.divergence import FACETS, Divergence
from suites.harness.results.ledger import Cell

TORCH = "2.13.0+cpu"
TODAY = datetime.date(2026, 1, 1)
GOOD = """\
backend = "inductor"

[[waiver]]
id = "detached-alias"
clause = "aliasing/outputs/*"
facet = "autograd"
fingerprint = "inductor:autograd:gradient missing"
torch = ">=2.13,<2.14"
reason = "gradient lost"
link = "https://github.com/pytorch/pytorch/pull/195357"
expires = 2026-12-31
"""
MISSING = Divergence("autograd", "gradient missing", "call 0: grad[0]", "tensor", "None", layer="inductor")
WRONG = Divergence("value", "values differ", "call 0: out[0]", "1", "2", layer="inductor")
CRASH = Divergence("crash", "signal 11", "call 0", "a result", "SIGSEGV", silent=False, layer="inductor")


def write(tmp_path: Path, text: str, name: str = "mine.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def waiver(**changes: object) -> Waiver:
    base = Waiver(
        id="detached-alias",
        clause="aliasing/outputs/*",
        facet="autograd",
        fingerprint="inductor:autograd:gradient missing",
        torch=">=2.13,<2.14",
        reason="gradient lost",
        expires=datetime.date(2026, 12, 31),
        link="https://example.org/1",
        backend="inductor",
        source="mine.toml:3",
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]


def cell(outcome: str, *divergences: Divergence, clause: str = "aliasing/outputs/detached") -> Cell:
    return Cell(
        id=f"{clause}[inductor-train]",
        clause=clause,
        family="aliasing",
        sentence="",
        backend="inductor",
        variant="train",
        outcome=outcome,
        divergences=list(divergences),
    )


def judge(outcome: str, *divergences: Divergence, by: list[Waiver] | None = None) -> tuple[str, list[str]]:
    chosen = [waiver()] if by is None else by
    return waivers.judge(outcome, chosen, "aliasing/outputs/detached", "inductor", "train", divergences, TORCH)


def test_a_file_gives_its_backend_to_every_entry(tmp_path: Path) -> None:
    (loaded,) = waivers.load([write(tmp_path, GOOD)], facets=FACETS)
    assert loaded.backend == "inductor"
    assert loaded.variant == "*"
    assert loaded.source == f"{tmp_path / 'mine.toml'}:3"
    assert loaded.expires == datetime.date(2026, 12, 31)


def test_the_files_that_come_with_parity_can_be_read() -> None:
    assert all(entry.link for entry in waivers.load(waivers.default_files(), facets=FACETS))


#: Mistakes: what of the good file is replaced, and by what.
MISTAKES = [
    ("facet =", "facett ="),
    ('"autograd"', '"autogrd"'),
    ("2026-12-31", '"soon"'),
    ('">=2.13,<2.14"', '"2.13-ish"'),
    ('reason = "gradient lost"\n', ""),
    ('"gradient lost"', '" "'),
    ('"gradient lost"', "7"),
    ('backend = "inductor"', 'backends = "inductor"'),
    ("[[waiver]]", "[[waivers]]"),
    ("[[waiver]]", "[waiver]"),
    ('facet = "autograd"', 'facet "autograd"'),
    ('"https:', '"""https:'),
]


def refused(*files: Path) -> str:
    """The message of a mistake, with the names of files alone; what TOML's reader says and what was read are cut."""
    with pytest.raises(WaiverError) as caught:
        waivers.load(files, facets=FACETS)
    message = str(caught.value).replace(f"{files[0].parent}/", "")
    return re.sub(r"(not TOML: |not as \{).*", r"\1...", message)


def test_bad_input_is_one_line_that_says_where(tmp_path: Path) -> None:
    messages = [refused(write(tmp_path, GOOD.replace(old, new))) for old, new in MISTAKES]
    assert_expected_inline(
        "".join(f"{message}\n" for message in messages),
        """\
mine.toml:3: waiver 'detached-alias': unknown key 'facett'; did you mean 'facet'?
mine.toml:3: waiver 'detached-alias': unknown facet 'autogrd'; did you mean 'autograd'?
mine.toml:3: waiver 'detached-alias': key 'expires' must be a date like 2027-06-30, not 'soon'
mine.toml:3: waiver 'detached-alias': key 'torch' must be a version range like '>=2.13,<2.15', not '2.13-ish'
mine.toml:3: waiver 'detached-alias': key 'reason' is missing
mine.toml:3: waiver 'detached-alias': key 'reason' must be text that is not empty, not ' '
mine.toml:3: waiver 'detached-alias': key 'reason' must be text that is not empty, not 7
mine.toml: unknown key 'backends' at the top; did you mean 'backend'?
mine.toml: unknown key 'waivers' at the top; did you mean 'waiver'?
mine.toml: write each waiver as a table [[waiver]] of its own, not as {...
mine.toml:6:7: not TOML: ...
mine.toml:12:1: not TOML: ...
""",
    )


def test_a_missing_file_and_an_id_used_twice_are_errors(tmp_path: Path) -> None:
    messages = [refused(tmp_path / "none.toml"), refused(write(tmp_path, GOOD), write(tmp_path, GOOD, "other.toml"))]
    assert_expected_inline(
        "".join(f"{message}\n" for message in messages),
        """\
none.toml: cannot read this waiver file: No such file or directory
other.toml:3: waiver 'detached-alias': id already used at mine.toml:3
""",
    )


@pytest.mark.parametrize(
    "torch, applies",
    [
        ("2.13.0+cpu", True),
        ("2.13.1", True),
        ("2.14.0a0+git1234", False),
        ("2.12.0", False),
        ("2.13.0.dev20260101", True),
    ],
)
def test_the_torch_range_is_held_against_the_base_version(torch: str, applies: bool) -> None:
    assert waiver().applies("aliasing/outputs/x", "inductor", "train", torch) is applies


def test_brackets_in_patterns_stand_for_themselves() -> None:
    named = waiver(fingerprint="inductor:autograd:gradient of [0] *")
    assert named.covers(dataclasses.replace(MISSING, kind="gradient of [0] missing"))
    assert not named.covers(dataclasses.replace(MISSING, kind="gradient of 0 missing"))


def test_only_a_cell_whose_every_divergence_is_waived_is_an_expected_failure() -> None:
    assert judge("fail", MISSING) == ("xfail", ["detached-alias"])
    assert judge("fail", MISSING, WRONG) == ("fail", ["detached-alias"])
    assert judge("fail", WRONG) == ("fail", [])
    assert judge("fail") == ("fail", [])
    assert judge("error", MISSING) == ("error", [])


def test_a_known_failure_that_fails_differently_is_new() -> None:
    assert judge("fail", dataclasses.replace(MISSING, layer="aot_eager"))[0] == "fail"
    assert judge("fail", dataclasses.replace(MISSING, kind="gradient doubled"))[0] == "fail"


def test_a_pass_where_a_waiver_applies_is_counted() -> None:
    assert judge("pass") == ("xpass", ["detached-alias"])
    assert judge("pass", by=[waiver(variant="no_grad*")]) == ("pass", [])


def test_a_crash_can_be_waived() -> None:
    known = waiver(facet="crash", fingerprint="inductor:crash:signal 11")
    assert judge("crash", CRASH, by=[known]) == ("xfail", ["detached-alias"])
    assert judge("crash", CRASH) == ("crash", [])


def test_judging_again_with_other_waivers_starts_from_what_was_seen() -> None:
    assert judge("xfail", MISSING, by=[]) == ("fail", [])
    assert judge("xfail", CRASH, by=[]) == ("crash", [])
    assert judge("xpass", by=[]) == ("pass", [])
    assert judge("xfail", MISSING) == ("xfail", ["detached-alias"])


def kinds(entries: list[Waiver], facts: Facts, today: datetime.date = TODAY) -> list[str]:
    return [problem.kind for problem in waivers.lint(entries, facts, today)]


def test_lint_names_a_waiver_that_matches_no_clause_only_when_all_are_known() -> None:
    known = frozenset({"aliasing/output/detached"})
    facts = Facts(TORCH, known, whole=True)
    (problem,) = waivers.lint([waiver(clause="aliasing/outputs/detached")], facts, TODAY)
    assert problem.kind == "unmatched"
    assert "did you mean 'aliasing/output/detached'?" in problem.message
    assert str(problem).startswith("mine.toml:3: waiver 'detached-alias': ")
    assert kinds([waiver()], dataclasses.replace(facts, whole=False)) == []
    assert kinds([waiver(torch=">=3")], facts) == []


def test_lint_asks_for_a_link_or_a_named_finding() -> None:
    facts = Facts(TORCH)
    assert kinds([waiver(link="")], facts) == ["link"]
    assert kinds([waiver(link="see Slack")], facts) == ["link"]
    assert kinds([waiver(link="none known")], facts) == ["link"]
    assert kinds([waiver(link="none known", finding="D2")], facts) == []


def test_lint_names_an_expired_waiver() -> None:
    assert kinds([waiver(expires=TODAY)], Facts(TORCH)) == []
    assert kinds([waiver(expires=TODAY - datetime.timedelta(days=1))], Facts(TORCH)) == ["expired"]


def test_lint_names_a_waiver_whose_facet_passes_now() -> None:
    def facts(*cells: Cell) -> Facts:
        return Facts(TORCH, cells=cells)

    assert kinds([waiver()], facts(cell("pass"), cell("fail", WRONG))) == ["passes"]
    assert kinds([waiver()], facts(cell("pass"), cell("xfail", MISSING))) == []
    assert kinds([waiver()], facts(cell("skip"), cell("error"))) == []
    assert kinds([waiver()], facts(cell("pass", clause="mutation/inputs/add_"))) == []
