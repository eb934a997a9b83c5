"""Each facet: one difference made by hand gives exactly the divergence that names it, and equality gives none."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from suites.harness import built, leaf, tensor, view_of
from suites.harness.observation.observe import (
    Call,
    CallOptions,
    ErrorFacts,
    InPlaceProbe,
    Observation,
    Spill,
    TensorFacts,
    observe,
)
from suites.harness.observation.walk import Entry
from suites.harness.oracle.compare import compare
from suites.harness.oracle.facets.pair import Rules, told
from suites.harness.oracle.facets.tensors import same_strides
from suites.harness.oracle.messages import headline, message_class, normalised
from suites.harness.programs.clause_programs import ClauseProgram

EXACT, LOOSE = Rules(bitwise=True), Rules(bitwise=False)


def _program(a: torch.Tensor, b: torch.Tensor, kept: list[int], w: torch.Tensor) -> dict[str, Any]:
    a.mul_(2)
    kept.append(1)
    return {"fresh": torch.mm(a, w.t()), "view": b[1:], "number": 2.5, "turned": (a * 3 + w).t()}


def _observed() -> Observation:
    base = tensor(2, 3)
    specs = (tensor(3, 3), view_of(base, lambda t: t[:, 1:]), built(list), leaf(3, 3))
    return observe(ClauseProgram(_program, (specs,)), lambda run: run, CallOptions())


_BASE = _observed()


@pytest.fixture
def seen() -> Observation:
    return copy.deepcopy(_BASE)


def _found(seen: Observation, rules: Rules = EXACT, expected: Observation = _BASE) -> list[tuple[str, str]]:
    return [(item.facet, item.kind) for item in compare(expected, seen, rules).divergences]


def _change(call: Call, path: str, **facts: Any) -> None:
    call.tensors[path] = dataclasses.replace(call.tensors[path], **facts)


def _facts(call: Call, path: str) -> TensorFacts:
    return call.tensors[path]


FRESH, VIEW, TURNED = "out['fresh']", "out['view']", "out['turned']"


@pytest.mark.parametrize("rules", [EXACT, LOOSE])
def test_equal_runs_do_not_differ(seen: Observation, rules: Rules) -> None:
    assert _found(seen, rules) == []


def test_two_runs_of_eager_do_not_differ() -> None:
    assert _found(_observed()) == []


def test_every_facet_was_there_to_compare(seen: Observation) -> None:
    facets = compare(_BASE, seen, EXACT).facets
    assert facets >= {"value", "dtype", "shape", "device", "layout", "structure", "alias", "mutation", "autograd"}
    assert facets >= {"probe", "random", "error", "state"}


def _plus(value: torch.Tensor | None, amount: float) -> torch.Tensor:
    assert value is not None
    return value + amount


def _spill(elements: dict[int, float], dtype: torch.dtype = torch.float32) -> Spill:
    return Spill(torch.tensor(list(elements)), torch.tensor(list(elements.values()), dtype=dtype))


@pytest.mark.parametrize(
    ("change", "facet", "kind"),
    [
        (lambda c: _change(c, FRESH, value=_plus(_facts(c, FRESH).value, 1.0)), "value", "value differs"),
        (lambda c: _change(c, FRESH, value=None), "value", "unreadable"),
        (lambda c: _change(c, FRESH, dtype="float64"), "dtype", "dtype differs"),
        (lambda c: _change(c, FRESH, shape=(9,)), "shape", "shape differs"),
        (lambda c: _change(c, FRESH, device="meta"), "device", "device differs"),
        (lambda c: _change(c, FRESH, strides=(1, 3)), "layout", "strides differ"),
        (lambda c: _change(c, FRESH, layout="sparse_coo"), "layout", "layout differs"),
        (lambda c: _change(c, FRESH, requires_grad=False), "autograd", "requires_grad differs"),
        (lambda c: _change(c, FRESH, is_leaf=True), "autograd", "is_leaf differs"),
        (lambda c: _change(c, FRESH, inference=True), "autograd", "is_inference differs"),
        (lambda c: _change(c, FRESH, base="arg[0]"), "alias", "base differs"),
        (lambda c: _change(c, FRESH, offset=4, storage_bytes=64), "alias", "storage offset differs"),
        (lambda c: _change(c, VIEW, base=None), "alias", "base differs"),
        (lambda c: _change(c, VIEW, offset=0), "alias", "storage offset differs"),
        (lambda c: c.storage.update({VIEW: VIEW}), "alias", "aliasing lost"),
        (lambda c: c.storage.update({FRESH: "arg[0]"}), "alias", "aliased by mistake"),
        (lambda c: _change(c, "arg[0]", value=_plus(_facts(c, "arg[0]").value, 1)), "mutation", "mutated to another"),
        (lambda c: _change(c, "arg[0]", strides=(1, 3)), "mutation", "strides differ"),
        (lambda c: _change(c, "arg[0]", shape=(9,)), "mutation", "shape differs"),
        (lambda c: _change(c, "arg[0]", storage_bytes=0), "mutation", "storage size differs"),
        (lambda c: c.spilled.update({"arg[1]": _spill({0: 1.0})}), "mutation", "storage outside of the view"),
        (lambda c: c.entries.update({"arg[2]": Entry("container", "list", "0 elements")}), "mutation", "contents"),
        (lambda c: c.entries.update({"out": Entry("container", "list", "3 elements")}), "structure", "type differs"),
        (lambda c: c.entries.pop("out['number']"), "structure", "missing"),
        (lambda c: c.entries.update({"out.extra": Entry("value", "int", 1)}), "structure", "extra"),
        (
            lambda c: c.entries.update({"out['number']": Entry("value", "float", 2.0)}),
            "structure",
            "value differs",
        ),
        (lambda c: c.global_state.update({"grad mode": "?"}), "state", "grad mode left changed"),
        (lambda c: c.random.update({"torch cpu generator": "?"}), "random", "torch cpu generator generator advanced"),
        (lambda c: c.gradients.update({"leaf[0]": None}), "autograd", "gradient lost"),
        (lambda c: setattr(c, "backward_error", ErrorFacts("RuntimeError", "no")), "error", "raised RuntimeError: no"),
        (lambda c: c.writes.update({FRESH: frozenset({FRESH, "arg[0]"})}), "probe", "write seen by others"),
        (lambda c: c.writes.update({VIEW: frozenset({VIEW})}), "probe", "write not seen"),
        (lambda c: c.writes.update({FRESH: "RuntimeError"}), "probe", "write refused"),
        (lambda c: setattr(c, "overwritten", frozenset({"out"})), "reuse", "an earlier call's output overwritten"),
        (lambda c: setattr(c, "error", ErrorFacts("ValueError", "no")), "error", "raised ValueError: no"),
    ],
)
def test_one_difference_is_one_divergence(
    seen: Observation, change: Callable[[Call], object], facet: str, kind: str
) -> None:
    change(seen.calls[0])
    found = _found(seen)
    assert len(found) == 1, found
    assert found[0][0] == facet
    assert kind in found[0][1]


@pytest.mark.parametrize(
    ("elements", "exact", "loose"),
    [
        ({1: 2.0, 3: 4.0}, True, True),
        ({1: 2.0, 3: 4.000001}, False, True),
        ({1: 2.0, 3: 5.0}, False, False),
        ({1: 2.0, 2: 4.0}, False, False),
        ({1: 2.0}, False, False),
    ],
)
def test_what_is_written_outside_of_the_view_is_compared_by_place_and_value(
    seen: Observation, elements: dict[int, float], exact: bool, loose: bool
) -> None:
    expected = copy.deepcopy(seen)
    expected.calls[0].spilled["arg[1]"] = _spill({1: 2.0, 3: 4.0})
    seen.calls[0].spilled["arg[1]"] = _spill(elements)
    for rules, equal in ((EXACT, exact), (LOOSE, loose)):
        assert (_found(seen, rules, expected) == []) == equal


def test_what_is_written_outside_of_the_view_may_be_as_far_from_double_precision_as_eagers(seen: Observation) -> None:
    expected, exact = copy.deepcopy(seen), copy.deepcopy(seen)
    for made, number, dtype in ((expected, 1.001, torch.float32), (exact, 1.0, torch.float64)):
        made.calls[0].spilled["arg[1]"] = _spill({1: number}, dtype)
    rules = Rules(False, reference=lambda: exact)
    for number, kinds in ((0.999, []), (0.9, ["storage outside of the view changed differently"])):
        seen.calls[0].spilled["arg[1]"] = _spill({1: number})
        assert [kind for _, kind in _found(seen, rules, expected)] == kinds


def test_garbage_in_the_gaps_of_a_strided_argument_is_seen() -> None:
    """However many there are: where they lie alone tells nothing."""

    def program(a: torch.Tensor, b: torch.Tensor) -> None:
        a.as_strided((600,), (1,), 0).copy_(b)

    def wrong(a: torch.Tensor, b: torch.Tensor) -> None:
        program(a, torch.cat([b[:500], b[500:] * 3]))
        a.copy_(b.as_strided(a.shape, a.stride()))

    specs = (built(lambda: torch.zeros(600)[::2]), tensor(600, grad=False))
    expected, same, seen = (
        observe(ClauseProgram(function, (specs,)), lambda run: run, CallOptions("inference"))
        for function in (program, program, wrong)
    )
    assert _found(same, LOOSE, expected) == []
    assert _found(seen, LOOSE, expected) == [("mutation", "storage outside of the view changed differently")]


def test_lost_mutation_is_told_from_another_value(seen: Observation) -> None:
    call = seen.calls[0]
    call.changed -= {"arg[0]"}
    _change(call, "arg[0]", value=_plus(_facts(call, "arg[0]").value, 1))
    assert _found(seen) == [("mutation", "mutation lost")]


def test_mutation_that_eager_does_not_make(seen: Observation) -> None:
    call = seen.calls[0]
    call.changed |= {"arg[3]"}
    _change(call, "arg[3]", value=_plus(_facts(call, "arg[3]").value, 1))
    assert _found(seen) == [("mutation", "mutated by mistake")]


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"strides": (1, 3)}, "gradient's strides differ"),
        ({"layout": "sparse_coo", "strides": None}, "gradient's layout differs"),
        ({"type": "TwoTensor"}, "gradient's type differs"),
        ({"dtype": "float16"}, "gradient's dtype differs"),
        ({"value": torch.full((3, 3), 9.0)}, "gradient's value differs"),
    ],
)
def test_gradients_are_compared_in_everything(seen: Observation, facts: dict[str, Any], kind: str) -> None:
    gradient = seen.calls[0].gradients["leaf[0]"]
    assert gradient is not None
    seen.calls[0].gradients["leaf[0]"] = dataclasses.replace(gradient, **facts)
    assert _found(seen) == [("autograd", kind)]


def test_gradients_may_differ_by_rounding_even_from_eagers_own_kernels(seen: Observation) -> None:
    gradient = seen.calls[0].gradients["leaf[0]"]
    assert gradient is not None
    assert gradient.value is not None
    nudged = dataclasses.replace(gradient, value=gradient.value * (1 + 1e-7))
    seen.calls[0].gradients["leaf[0]"] = nudged
    assert _found(seen) == []


def test_rounding_is_seen_only_where_bits_are_promised(seen: Observation) -> None:
    value = _facts(seen.calls[0], FRESH).value
    assert value is not None
    _change(seen.calls[0], FRESH, value=torch.nextafter(value, value + 1))
    assert _found(seen, EXACT) == [("value", "value differs")]
    assert _found(seen, LOOSE) == []


def test_python_numbers_may_be_off_by_rounding_where_values_may(seen: Observation) -> None:
    seen.calls[0].entries["out['number']"] = Entry("value", "float", 2.5 * (1 + 1e-7))
    assert _found(seen, LOOSE) == []
    assert _found(seen, EXACT) == [("structure", "value differs")]


@pytest.mark.parametrize(
    ("eager", "seen", "exact", "rounded", "differs"),
    [
        # What Python has computed: a rate that is lost, or lowered twice.
        (1e-6, 1e-5, 1e-6, 1e-6, True),
        (1e-6, 1e-7, 1e-6, 1e-6, True),
        (0.0, -0.0, 0.0, 0.0, True),
        (1 + 0j, 1 + 1e-6j, 1 + 0j, 1 + 0j, True),
        # What a kernel has.
        (3e-8, -2e-8, 1e-9, 4e-9, False),
        (0.0, 2e-8, 0.0, 1e-9, False),
        (0.0, -0.0, 1e-17, 1e-16, False),
        (1e-8j, 2e-8j, 1.5e-8j, 1.5e-8j, False),
        (1e-8, 1e-3, 0.0, 1e-9, True),
        (math.inf, 1.0, 1e300, 1e300, True),
        # Of a program that does not run in double precision.
        (1e-6, 1e-7, None, None, True),
    ],
)
def test_python_numbers_near_zero_are_off_by_rounding_where_rounding_moves_them(
    eager: complex, seen: complex, exact: complex | None, rounded: complex | None, differs: bool
) -> None:
    def run(number: complex | None) -> Observation:
        made = copy.deepcopy(_BASE)
        if number is not None:
            made.calls[0].entries["out['number']"] = Entry("value", type(number).__name__, number)
        return made

    rules = Rules(False, reference=lambda: run(exact) if exact is not None else None, rounded=lambda: run(rounded))
    assert _found(run(seen), rules, run(eager)) == [("structure", "value differs")] * differs


def test_numbers_of_an_array_may_be_off_by_rounding(seen: Observation) -> None:
    expected = copy.deepcopy(seen)
    for made, number in ((expected, 1e-8), (seen, 2e-8)):
        made.calls[0].entries["out['number']"] = Entry("value", "float32", np.float32(number))
    assert _found(seen, LOOSE, expected) == []
    assert _found(seen, EXACT, expected) == [("structure", "value differs")]


def test_identity_lost_and_invented(seen: Observation) -> None:
    same = Entry("same", "Tensor", "arg[0]")
    expected = copy.deepcopy(seen)
    expected.calls[0].entries[FRESH] = same
    del expected.calls[0].tensors[FRESH], expected.calls[0].storage[FRESH]
    assert ("alias", "identity lost") in _found(seen, EXACT, expected)
    assert ("alias", "identity invented") in _found(expected, EXACT, seen)


def test_hidden_base_of_an_intermediate_is_not_in_sight(seen: Observation) -> None:
    expected = copy.deepcopy(seen)
    assert _facts(_BASE.calls[0], TURNED).base == "<another>"
    _change(expected.calls[0], TURNED, base=None)
    assert _found(seen, EXACT, expected) == []


def _raising(message: str) -> Observation:
    return Observation([Call(error=ErrorFacts("RuntimeError", message))])


def test_missing_error_is_silent() -> None:
    found = compare(_raising("no"), Observation([Call()]), EXACT).divergences
    assert [(item.facet, item.kind, item.silent) for item in found] == [("error", "missing error", True)]


def test_error_that_takes_the_device_with_it_differs_from_one_that_does_not() -> None:
    """Whoever catches it can go on in eager; compiled, every later call of the process fails."""
    calls = [Call(error=ErrorFacts("RuntimeError", "too small"))]
    expected, seen = Observation(calls=calls), Observation(calls=copy.deepcopy(calls), lost_its_device=True)
    assert _found(seen, expected=expected) == [("crash", "lost its device")]
    assert _found(seen, expected=dataclasses.replace(expected, lost_its_device=True)) == []
    ((facet, _),) = _found(seen, expected=Observation([Call()]))
    assert facet == "error"


def test_errors_of_one_class_are_equal_whatever_their_type() -> None:
    seen = Observation([Call(error=ErrorFacts("TorchRuntimeError", "a view of a leaf Variable that requires grad"))])
    expected = _raising("a leaf Variable that requires grad is being used in an in-place operation.")
    assert _found(seen, EXACT, expected) == []


def test_error_of_another_class_differs() -> None:
    expected, seen = _raising("inference tensor"), _raising("Trying to backward through the graph a second time")
    assert _found(seen, EXACT, expected) == [("error", "another error")]


def test_where_a_kernel_was_compiled_is_no_part_of_its_message() -> None:
    alone = "kernel, /tmp/torchinductor_me/ab/cab12.main.cpp:17, index out of bounds: tmp1 < 15L"
    together = "kernel_8, /tmp/parity-kernels-x_1/kernels.cpp:1557, index out of bounds: tmp1 < 33L"
    assert normalised(alone) == normalised(together) == "kernel, file.cpp:N, index out of bounds: tmpN < NL"
    graph = "AssertionError: n=copy_, n.args[0]=permute, placeholders={%s}, graph=graph():"
    assert normalised(graph % "primals_1, tangents_2") == normalised(graph % "tangents_2, primals_1")
    assert normalised("an input/output of 3/4") == "an input/output of N/N"
    deep = "RecursionError: maximum recursion depth exceeded"
    assert normalised(f"{deep} while calling a Python object") == normalised(deep) == deep


def test_reason_on_the_line_after_an_errors_name_is_part_of_its_fingerprint() -> None:
    method = "backend='ts' raised:\nRuntimeError: \nmethod cannot be used as a value:\n  File \"lazy.py\", line 120"
    other = method.replace("method cannot", "module cannot")
    assert normalised(method) == "RuntimeError: method cannot be used as a value:"
    assert normalised(other) != normalised(method)
    assert headline(ErrorFacts("Failed", method)) == "Failed: RuntimeError: method cannot be used as a value:"


def test_error_of_a_compiler_is_told_with_what_the_compiler_says() -> None:
    message = (
        "CppCompileError: C++ compile error\n\nCommand:\ng++ /tmp/a/b.cpp -O3\n\nOutput:\n/tmp/a/b.cpp: In function:\n"
    )
    message += (
        "/tmp/a/b.cpp:164:66: error: cannot convert 'double' to 'int'\n  164 |  auto x\n/tmp/a/b.cpp:9:1: error: more\n"
    )
    assert headline(ErrorFacts("InductorError", message)) == (
        "InductorError: CppCompileError: C++ compile error: cannot convert 'double' to 'int'"
    )
    assert normalised(message) == "CppCompileError: C++ compile error"


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("backend='x' raised:\nRuntimeError: no such thing\nmore of it", "RuntimeError: no such thing"),
        ("AssertionError: \n\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace", "AssertionError:"),
        ("two of a kind:\nand their names", "two of a kind:"),
        ("CompilationError: at 25:4:\n  x\n  ^\nValueError(3)\n\nSet TORCH", "CompilationError: at N:N: ValueError(N)"),
        ("CompilationError: at 25:4:\n  x = y\n  ^\n\nSet TORCHDYNAMO_VERBOSE=1", "CompilationError: at N:N:"),
    ],
)
def test_line_that_says_something_is_all_there_is_of_a_fingerprint(message: str, line: str) -> None:
    assert normalised(message) == line


def test_long_value_is_told_by_its_beginning() -> None:
    assert told("short") == "short"
    assert told("a" * 9000).startswith("aaa")
    assert told("a" * 9000).endswith("(9000 characters)")
    assert len(told("a" * 9000)) < 400


def test_message_without_a_class_matches_any() -> None:
    assert message_class(ErrorFacts("RuntimeError", "shapes cannot be multiplied")) is None
    assert _found(_raising("inference tensor"), EXACT, _raising("shapes cannot be multiplied")) == []


@pytest.mark.parametrize(
    ("left", "right", "strict", "kinds"),
    [
        (InPlaceProbe(), InPlaceProbe(), True, []),
        (InPlaceProbe(), InPlaceProbe(ErrorFacts("E", "no")), False, ["in-place op on an output raises"]),
        (InPlaceProbe(ErrorFacts("E", "no")), InPlaceProbe(), True, ["in-place op on an output does not raise"]),
        (InPlaceProbe(ErrorFacts("E", "no")), InPlaceProbe(), False, []),
        (
            InPlaceProbe(requires_grad={"arg[0]": True}),
            InPlaceProbe(requires_grad={"arg[0]": False}),
            False,
            ["requires_grad differs after an in-place op"],
        ),
        (
            InPlaceProbe(),
            InPlaceProbe(backward_error=ErrorFacts("E", "no")),
            False,
            ["backward after an in-place op raises"],
        ),
        (InPlaceProbe(backward_error=ErrorFacts("E", "no")), InPlaceProbe(), True, []),
    ],
)
def test_in_place_probes(left: InPlaceProbe, right: InPlaceProbe, strict: bool, kinds: list[str]) -> None:
    expected, seen = Observation(in_place={"out": left}), Observation(in_place={"out": right})
    assert [item.kind for item in compare(expected, seen, Rules(True, strict)).divergences] == kinds


@pytest.mark.parametrize(("exact", "kinds"), [(0.9, []), (0.95, ["gradient's value differs after an in-place op"])])
def test_gradient_after_an_in_place_op_may_be_as_far_from_double_precision_as_eagers(
    exact: float, kinds: list[str]
) -> None:
    def probed(number: float, dtype: torch.dtype) -> Observation:
        value = torch.tensor([number], dtype=dtype)
        facts = dataclasses.replace(_facts(_BASE.calls[0], FRESH), value=value, shape=(1,), dtype=str(dtype))
        return Observation(in_place={"out": InPlaceProbe(gradients={"arg[0]": facts})})

    eager, seen = probed(0.9492, torch.bfloat16), probed(0.8789, torch.bfloat16)
    rules = Rules(False, reference=lambda: probed(exact, torch.float64))
    assert [item.kind for item in compare(eager, seen, rules).divergences] == kinds


def test_strides_of_short_and_empty_dimensions_do_not_count() -> None:
    facts = _facts(_BASE.calls[0], FRESH)
    one, other = (dataclasses.replace(facts, shape=(3, 1), strides=strides) for strides in ((1, 1), (1, 9)))
    assert same_strides(one, other)
    one, other = (dataclasses.replace(facts, shape=(0, 3), strides=strides) for strides in ((3, 1), (1, 9)))
    assert same_strides(one, other)
    one, other = (dataclasses.replace(facts, shape=(3, 2), strides=strides) for strides in ((2, 1), (1, 3)))
    assert not same_strides(one, other)


def test_divergence_of_a_later_call_says_which() -> None:
    expected = Observation([Call(), Call(error=ErrorFacts("E", "no"))])
    found = compare(expected, Observation([Call(), Call()]), EXACT).divergences
    assert [item.where for item in found] == ["call 2: the call"]


def test_gradients_after_a_refused_backward_follow_from_it() -> None:
    held = Entry("tensor", "Tensor", "")
    expected, seen = Observation([Call(), Call()]), Observation([Call(), Call()])
    expected.calls[1].entries["arg[0].grad"] = held
    lost = compare(expected, seen, EXACT).divergences
    assert [(item.facet, item.kind, item.where) for item in lost] == [("autograd", "missing", "call 2: arg[0].grad")]
    seen.calls[0].backward_error = ErrorFacts("RuntimeError", "no")
    expected.calls[0].backward_ran = seen.calls[0].backward_ran = True
    refused = compare(expected, seen, EXACT).divergences
    assert [(item.facet, item.where) for item in refused] == [("error", "call 1: backward")]
