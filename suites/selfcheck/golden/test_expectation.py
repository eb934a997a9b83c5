"""What a comparison with a golden does in each mode."""

from __future__ import annotations

import textwrap

import pytest

from golden.expectation import GoldenResult, GraphChanged, NoGraph, Session, current_session, expect_text, use_session

TEXT = """\
def forward(self, primals_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    return (mul,)
"""
OTHER = TEXT.replace(", 2)", ", 3)")
RENAMED = TEXT.replace("mul,", "m,").replace("mul =", "m =")


def expect(mode: str, literal: str, **more: object) -> tuple[GoldenResult, Session]:
    session = Session(mode, "clause[cell]", **more)  # type: ignore[arg-type]
    with use_session(session):
        return expect_text("forward", TEXT, literal), session


@pytest.mark.parametrize(
    "literal", [TEXT, "\n" + textwrap.indent(TEXT, "        "), TEXT.rstrip("\n"), "\n" + TEXT + "\n\n"]
)
def test_indentation_and_blank_edges_play_no_part(literal: str) -> None:
    assert expect("strict", literal)[0].verdict == "same"


def test_strict_raises_on_a_change_and_says_what_to_type() -> None:
    with pytest.raises(GraphChanged, match=r"argument 2 of aten\.mul is 2, it was 3") as caught:
        expect("strict", OTHER)
    assert caught.value.verdict.golden == "clause#forward"
    assert "+    mul = torch.ops.aten.mul.Tensor(primals_1, 2)" in caught.value.diff
    assert "parity regen --review" in str(caught.value)


def test_an_empty_golden_fails_in_strict_mode() -> None:
    with pytest.raises(GraphChanged, match="the golden is empty"):
        expect("strict", "")


@pytest.mark.parametrize("mode", ["strict", "drift"])
def test_cosmetic_never_fails(mode: str) -> None:
    verdict, _ = expect(mode, RENAMED)
    assert verdict.verdict == "cosmetic"
    assert verdict.ok


def test_drift_notes_and_goes_on() -> None:
    verdict, session = expect("drift", OTHER)
    assert session.verdicts == [verdict]
    assert verdict.to_json()["verdict"] == "changed"


def test_off_compares_nothing() -> None:
    verdict, _ = expect("off", "anything")
    assert verdict.verdict == "off"
    assert verdict.ok


def test_record_needs_a_sink() -> None:
    with pytest.raises(ValueError, match="EditSink"):
        expect("record", TEXT)


def test_goldens_of_one_stage_are_numbered() -> None:
    with use_session(Session("off", "clause[cell]", clause="family/clause")) as session:
        for stage in ("forward", "backward", "forward"):
            expect_text(stage, TEXT, "")
    ids = [verdict.golden for verdict in session.verdicts]
    assert ids == ["family/clause#forward", "family/clause#backward", "family/clause#forward.2"]


def test_another_cells_golden_is_only_noted() -> None:
    with use_session(Session("strict", "clause[inductor]")) as session:
        verdict = NoGraph("forward", home="clause[aot_eager]").expect("wrong")
    assert verdict.verdict == "elsewhere"
    assert verdict.ok
    assert session.verdicts == [verdict]


def test_sessions_do_not_leak() -> None:
    with use_session(Session("off", "inner")):
        assert current_session().cell == "inner"
    assert current_session().mode == "strict"


class Bands:
    def text_for(self, golden_id: str, torch_version: str) -> str | None:
        return TEXT if (golden_id, torch_version) == ("clause#forward", "2.15.0") else None


def test_off_the_baseline_a_band_comes_first() -> None:
    assert expect("strict", OTHER, bands=Bands(), torch="2.15.0", baseline=False)[0].verdict == "same"
    assert expect("drift", OTHER, bands=Bands(), torch="2.16.0", baseline=False)[0].verdict == "changed"
    assert expect("drift", OTHER, bands=Bands(), torch="2.15.0", baseline=True)[0].verdict == "changed"
