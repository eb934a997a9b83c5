"""Random programs: the same from one seed, valid by construction, and made of every family and feature."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import hypothesis
import pytest
import torch
from hypothesis import strategies as st

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.programs.drawing import FAMILIES, SHOWN, VARIED, Drawn, draw_program, is_sound, lottery_of
from suites.fuzz.generators.programs.inputs import VALUES, Argument, values_in_a_row
from suites.fuzz.generators.programs.scope import Rejected, Scope
from suites.fuzz.generators.programs.text import file_text
from suites.fuzz.judging import judge
from suites.harness.programs.files import FileProgram
from suites.selfcheck.fuzz.generators.hypothesis_choices import FromHypothesis

MANY = 300
#: Of so many programs, each family and each feature is in at least so many.
FLOOR = 2


@pytest.fixture(scope="module")
def many() -> list[Drawn | None]:
    """What came of so many seeds; None where nothing did."""
    drawn: list[Drawn | None] = []
    for number in range(MANY):
        try:
            drawn.append(draw_program(Seeded(f"tests/{number}")))
        except Rejected:
            drawn.append(None)
    return drawn


@pytest.fixture(scope="module")
def programs(many: list[Drawn | None]) -> list[Drawn]:
    return [program for program in many if program is not None]


def test_one_seed_is_one_program() -> None:
    assert draw_program(Seeded("again/7")) == draw_program(Seeded("again/7"))
    assert draw_program(Seeded("again/7")) != draw_program(Seeded("again/8"))


def test_programs_are_short_plain_python(programs: list[Drawn]) -> None:
    assert len({program.text for program in programs}) > 0.9 * MANY
    for program in programs:
        assert ast.parse(program.text)
        assert max(map(len, program.text.splitlines())) < 160
        assert len(program.text.splitlines()) < 150


def test_every_family_is_drawn(programs: list[Drawn]) -> None:
    drawn = Counter(family for program in programs for family in set(program.families))
    assert [name for name in FAMILIES if drawn[name] < FLOOR] == []


def test_every_feature_is_drawn(programs: list[Drawn]) -> None:
    drawn = Counter(feature for program in programs for feature in program.features)
    assert [name for name in (*SHOWN, *VARIED) if drawn[name] < FLOOR] == []


def test_fewer_than_one_in_twenty_is_rejected(many: list[Drawn | None]) -> None:
    """Neither by drawing, which may find nothing that fits, nor by the oracle, which leaves out what is undefined."""
    first = many[:60]
    outcomes = Counter("rejected" if program is None else judge(program.text, "eager").outcome for program in first)
    assert outcomes["rejected"] + outcomes["skip"] + outcomes["error"] < 3, outcomes


def test_order_of_the_lottery_stays() -> None:
    """Or program I of a campaign becomes another one."""
    weights = {"view": 1, "sizes": 1, "chain": 2, "truths": 1}
    plain = ["view", "sizes", "chain", "chain", "truths"]
    assert lottery_of(weights, [torch.ones(3)], dynamic=False) == plain
    booleans = lottery_of(weights, [torch.ones(3, dtype=torch.bool)], dynamic=True)
    assert booleans == [*plain, *["truths"] * 4, *["sizes", "chain", "chain"] * 4]


def test_weights_choose_families() -> None:
    only = dict.fromkeys(FAMILIES, 0) | {"pointwise": 1}
    for number in range(20):
        try:
            assert set(draw_program(Seeded(f"only/{number}"), only).families) == {"pointwise"}
        except Rejected:
            continue  # Integers alone: there is nothing to compute with.


@hypothesis.settings(max_examples=15, deadline=None, derandomize=True, database=None)
@hypothesis.given(st.data())
def test_hypothesis_draws_them_too(data: st.DataObject) -> None:
    try:
        drawn = draw_program(FromHypothesis(data.draw))
    except Rejected:
        hypothesis.reject()
    assert "def program" in drawn.text


def test_functions_and_classes_of_a_program_see_what_it_made() -> None:
    scope = Scope(Seeded("closures"), train=False)
    scope.add("closure", "kept = []", "def keep(x):", "    kept.append(x)", "keep(2)")
    scope.add("closure", "keep(3)", "class Within:", "    def __call__(self):", "        return kept[-1]")
    scope.add("closure", "t0 = Within()()")
    assert (scope.names["kept"], scope.names["t0"]) == ([2, 3], 3)
    with pytest.raises(Rejected):
        scope.add("closure", "t1 = missing")
    assert set(scope.names) == {"kept", "keep", "Within", "t0"}


def test_calls_with_the_values_of_a_number_in_a_row() -> None:
    tensor, number = Argument("a"), Argument("n", value=VALUES[1][0])
    calls = [arguments[1].value for arguments in values_in_a_row([tensor, number])]
    assert calls == [*VALUES[1][1:]]
    assert len(calls) > 2
    assert values_in_a_row([tensor, Argument("n", value="True")]) == []


def test_what_a_builder_leans_on_is_in_the_file() -> None:
    builders = [["n = holder", "return (n,)"], ["n = holding(2)", "return (n,)"]]
    text = file_text(["n"], ["return n.factor"], builders, ["", ""], {}, train=False, dynamic=False)
    assert text.index("import types") < text.index("def holding") < text.index("holder = ") < text.index("def program")
    assert judge(text, "eager").outcome in ("pass", "vacuous")


SOUND = """
import torch

TRAIN = True


def program(a, b):
    {}


def inputs():
    return torch.randn(3, requires_grad=True), torch.tensor([2.0, 1.0, 2.0])
"""


@pytest.mark.parametrize(
    ("body", "sound"),
    [
        ("return a * b", True),
        ("return a * 1e9", False),  # Too large: rounding would decide.
        ("return a / (b - 2)", False),  # Infinite.
        ("return (b - 2).sqrt() * a", False),  # Not a number.
        ("return a[0, 0]", False),  # Eager refuses it.
        ("return a * b.argmax()", False),  # Either of two is the largest.
        ("b.expand(2, 3).add_(b)", False),  # Two values for one place.
        ("c = a * 1\n    d = c.exp()\n    d.mul_(2)\n    return d", False),  # Backward would need what was overwritten.
    ],
)
def test_what_eager_leaves_undefined_is_not_sound(body: str, sound: bool) -> None:
    text = SOUND.format(body)
    assert (is_sound(text) and is_sound(text, looked=False)) is sound


CALLS = """
import contextlib
import torch

entered = []


@contextlib.contextmanager
def noted():
    entered.append(torch.is_grad_enabled())
    yield


def program(a):
    return a * 2 if torch.is_grad_enabled() else a * 3


def inputs():
    return (torch.ones(2),)


calls = [inputs, (inputs, torch.no_grad, noted)]
"""


def test_call_may_be_made_within_contexts(tmp_path: Path) -> None:
    path = tmp_path / "calls.py"
    path.write_text(CALLS)
    instance = FileProgram(path).instantiate()
    plain, within = (build() for build in instance.calls)
    with plain.during:
        assert instance.function(*plain.args).tolist() == [2, 2]
    with within.during:
        assert instance.function(*within.args).tolist() == [3, 3]
    assert instance.state()["global entered"] == [False]
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("calls", ["[]", "[inputs, (inputs, 3)]", "[()]", "3"])
def test_calls_that_cannot_be_made_are_one_line(calls: str) -> None:
    wrong = judge(CALLS[: CALLS.index("calls =")] + f"calls = {calls}\n", "eager")
    assert wrong.outcome == "error"
    assert "`calls` must be a list of functions that return a tuple of inputs" in wrong.detail


def test_program_is_a_file_for_parity_check(programs: list[Drawn]) -> None:
    judgements = [judge(program.text, "eager") for program in programs[60:70]]
    assert all(judgement.outcome in ("pass", "inherited", "fail", "vacuous", "skip") for judgement in judgements)
