"""Programs about operators: each call of the table is drawn and run, and what eager leaves open is not drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.operators import templates
from suites.fuzz.generators.operators.chains import Chain, Root
from suites.fuzz.generators.operators.drawing import FAMILIES, FEATURES, draw_program
from suites.fuzz.generators.operators.templates import Needed
from suites.fuzz.generators.programs.drawing import Drawn
from suites.fuzz.generators.programs.scope import Rejected

SHAPES = ((5, 4), (2, 4, 6), (2, 4, 5, 6), (1, 4, 3, 4, 5))


def _drawn(count: int) -> Iterator[Drawn]:
    for number in range(count):
        try:
            yield draw_program(Seeded(f"operators/{number}"))
        except Rejected:
            continue


def test_nearly_all_can_be_drawn_and_are_the_same_again() -> None:
    programs = list(_drawn(60))
    assert len(programs) >= 57
    assert [drawn.text for drawn in _drawn(60)] == [drawn.text for drawn in programs]


def test_every_family_and_feature_is_drawn() -> None:
    programs = list(_drawn(150))
    assert {name for drawn in programs for name in drawn.families} == set(FAMILIES) == set(templates.calls())
    assert {name for drawn in programs for name in drawn.features} == set(FEATURES)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_call_of_the_table_can_be_run(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that no operand fits would be drawn and rejected for ever, and hold nothing."""
    never = []
    for dimensions, calls in templates.calls()[family].items():
        shapes = [shape for shape in SHAPES if dimensions in (str(len(shape)), "any")]
        for call in calls:
            monkeypatch.setattr(templates, "of_dimensions", lambda family, dimensions, call=call: (call,))
            if not any(_runs(family, shapes[number % len(shapes)], f"{call}/{number}") for number in range(40)):
                never.append(call)
    assert never == []


def _runs(family: str, shape: tuple[int, ...], seed: str) -> bool:
    torch.default_generator.manual_seed(0)
    try:
        Chain(Seeded(seed), Root(shape, "float32", ""), train=True).draw({family: 1})
    except Rejected:
        return False
    return True


@pytest.mark.parametrize(
    ("template", "texts"),
    [
        ("f(x, <1|2>)", {"f(x, 1)", "f(x, 2)"}),
        ("f(x, <k:=1|2>, $k)", {"f(x, 1, 1)", "f(x, 2, 2)"}),
        ("f('<i->i|ij->>', x)", {"f('i->i', x)", "f('ij->', x)"}),
        ("f(x, <size=3|None>)", {"f(x, size=3)", "f(x, None)"}),
        ("f(x, <None|{new: 3}>)", {"f(x, None)", "f(x, {0})"}),
    ],
)
def test_options_are_one_text_each(template: str, texts: set[str]) -> None:
    assert {templates.drawn(template, Seeded(str(number))).text for number in range(30)} == texts


@pytest.mark.parametrize(
    ("needed", "made"),
    [
        (Needed("new", "2 * C, E"), "torch.randn((8, 6))"),
        (Needed("whole", "C, N, L"), "torch.randint(4, (2, 6))"),
        (Needed("place", "1, S"), "torch.rand((2, 4, 6)).argsort(1)"),
        (Needed("above", "*S[:-1], 1"), "torch.rand((2, 4, 1)) + 0.25"),
    ],
)
def test_input_is_of_the_sizes_of_the_operand(needed: Needed, made: str) -> None:
    assert needed.made((2, 4, 6), "float32") == made


@pytest.mark.parametrize("needed", [Needed("new", "H"), Needed("whole", "C - 4, 2"), Needed("new", "C - 5")])
def test_input_of_no_such_size_is_told(needed: Needed) -> None:
    with pytest.raises(ValueError, match=r"no input of sizes|name 'H' is not defined"):
        needed.made((2, 4, 6), "float32")


def _chain_of(call: str, monkeypatch: pytest.MonkeyPatch) -> Chain:
    monkeypatch.setattr(templates, "of_dimensions", lambda family, dimensions: (call,))
    chain = Chain(Seeded("one"), Root((3, 4), "float32", ""), train=False)
    chain.draw({"pieces": 1})
    return chain


@pytest.mark.parametrize(
    "call",
    [
        "torch.floor(x * 1e5)",
        "x.scatter(0, {whole: 1, S}, y)",
        "(x * 0).sort()",
        "x * 1e9",
        "x.shape",
        "x.nothing()",
        "x / 0",
    ],
)
def test_jumps_ties_and_what_is_undefined_are_not_taken(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Rejected):
        _chain_of(call, monkeypatch)


@pytest.mark.parametrize(
    ("call", "cancels"),
    [("F.layer_norm(x, x.shape[-1:])", True), ("x.softmax(-1)", True), ("x * 2", False), ("x.exp().sum(0)", False)],
)
def test_gradients_of_rounding_alone_are_told(call: str, cancels: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What always sums to the same has a gradient of nought, of which rounding leaves another number each way."""
    monkeypatch.setattr(templates, "of_dimensions", lambda family, dimensions: (call,))
    torch.default_generator.manual_seed(0)
    chain = Chain(Seeded("one"), Root((3, 9), "float32", ""), train=True)
    chain.draw({"normalisations": 1})
    assert chain.gradients_cancel() is cancels


def test_results_of_a_tuple_have_names_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = _chain_of("x.sort(-1)", monkeypatch)
    assert chain.body() == ["t0, t1 = a.sort(-1)", "return t0, t1"]


def test_another_size_has_inputs_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = _chain_of("F.cross_entropy(x, {whole: C, N}, {fixed: C})", monkeypatch)
    made: dict[str, Any] = chain.of_another_size((5, 4)).made
    assert made == {
        "a": "torch.randn((5, 4))",
        "b": "torch.randint(4, (5,))",
        "c": "torch.rand((4,)) * 0.8 + 0.1",
    }
