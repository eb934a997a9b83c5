"""What a mutable operator is called with: duplicates, views of one base, nothing, defaults, symbolic sizes."""

import pytest
import torch

from suites.harness import Check, clause, tensor, view_of

from . import operators  # noqa: F401
from .graphs import count

#: Auto-functionalization wraps the bases of what is mutated (the new form) or each mutated argument (the old one).
FORMS = pytest.mark.parametrize("form", ["new", "old"])


def in_form(form: str) -> dict[str, object]:
    """The setting that chooses a form."""
    return {"inductor.enable_auto_functionalized_v2": form == "new"}


@clause("T10.2")
@FORMS
def test_graph_of_each_form(check: Check, form: str) -> None:
    """One mutation of an input is one wrapped call, whose last result is copied back."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a, b)
        return a * 3

    result = check(program, tensor(4), tensor(4), config=in_form(form))
    result.mutated(0).unchanged(1)
    text = "torch.ops.higher_order.auto_functionalized" + ("_v2" if form == "new" else "")
    result.demand("structure", "calls of the operator that wraps", 1, count(result.forward, text, otherwise=1))


@clause("T10.2")
@FORMS
def test_two_inputs_that_are_mutated(check: Check, form: str) -> None:
    """An operator that mutates two inputs, the second by the first, writes each new value to its own input."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.mix(b, a)
        return a - b

    check(program, tensor(4), tensor(4), config=in_form(form)).mutated(0, 1)


@clause("T10.2")
@FORMS
def test_one_tensor_for_two_mutable_arguments(check: Check, form: str) -> None:
    """The same tensor handed in twice is one memory: the second write is made to what the first one left."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.mix(a, a)
        return a * 3

    check(program, tensor(4), config=in_form(form)).mutated(0)


@clause("T10.2")
@FORMS
def test_two_parts_of_one_input(check: Check, form: str) -> None:
    """Two disjoint slices of an input, mutated by one call, both arrive in it, in their places."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.mix(a[:3], a[3:])
        return a * 3

    check(program, tensor(6), config=in_form(form)).mutated(0)


@clause("T10.2")
@FORMS
def test_two_parts_that_overlap(check: Check, form: str) -> None:
    """Two slices of an input that overlap are one memory where they do: the second write sees the first."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.mix(a[:4], a[2:])
        return a * 3

    check(program, tensor(6), config=in_form(form)).mutated(0)


@clause("T10.2")
def test_read_argument_that_overlaps_the_mutated_one(check: Check) -> None:
    """An operator that writes into a tensor between two reads of another view of it reads old and new values."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        total = torch.ops.parity.clear_and_sum(a[1:], a[:-1])
        return total, a * 3

    check(program, tensor(5)).mutated(0)


@clause("T10.2")
def test_inputs_that_are_views_of_one_tensor(check: Check) -> None:
    """An operator that mutates two inputs which overlap writes through both into the caller's one memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.mix(a, b)
        return a - b

    base = tensor(6)
    check(program, view_of(base, lambda t: t[:4]), view_of(base, lambda t: t[2:])).mutated(0, 1).aliases(0, 1)


@clause("T10.2")
@FORMS
def test_optional_that_is_none(check: Check, form: str) -> None:
    """None for an optional mutable argument is passed on as None, and the other arguments are mutated all the same."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.maybe(None, a, b)
        torch.ops.parity.maybe(a, None, b)
        torch.ops.parity.maybe(None, None, b)
        return a * 3

    check(program, tensor(4), tensor(4), config=in_form(form)).mutated(0).unchanged(1)


@clause("T10.2")
@FORMS
def test_defaults_and_keyword_only_arguments(check: Check, form: str) -> None:
    """Defaults that the call leaves out, and keyword-only arguments that it gives, reach the operator as they are."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.with_defaults(a)
        torch.ops.parity.with_defaults(a, 0.5, extra=b)
        torch.ops.parity.with_defaults(b, times=1)
        return a - b

    check(program, tensor(4), tensor(4), config=in_form(form)).mutated(0, 1)


@clause("T10.2")
def test_intermediate_that_is_mutated(check: Check) -> None:
    """An operator that mutates an intermediate changes no input, and later reads of the intermediate see the change."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = a + 1
        part = inner[1:]
        torch.ops.parity.accumulate(inner, b)
        return inner * 3, part * 5

    result = check(program, tensor(4), tensor(4)).unchanged(0, 1).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4] [8.751, -6.735, -0.1937, 0.4104]
out[1] = float32[3] [-11.22, -0.3229, 0.6839]
""")


@clause("T10.2", modes="inference")
@FORMS
def test_views_in_inference_mode(check: Check, form: str) -> None:
    """Inside inference mode, where views have no base that autograd knows of, a write to a view reaches the input."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a[1], b)
        torch.ops.parity.mix(a[0], a[1])
        return a * 3

    check(program, tensor(2, 3), tensor(3), config=in_form(form)).mutated(0).unchanged(1)


@clause("T10.2", shapes="dynamic")
def test_mutation_with_symbolic_sizes(check: Check) -> None:
    """With symbolic sizes a slice that depends on them is mutated at each call's place, by one compilation."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        half = a.shape[0] // 2
        torch.ops.parity.accumulate(a[half:], b)
        return a * 3

    calls = [(tensor(6), tensor(3)), (tensor(10), tensor(5)), (tensor(8), tensor(4))]
    check(program, calls=calls).mutated(0).unchanged(1).recompiled(0)


@clause("T10.2")
def test_recompilation_for_another_size(check: Check) -> None:
    """With sizes taken as they come, a second size recompiles once, and each size mutates what it should."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(a[:-1], b[1:])
        return a * 3

    calls = [(tensor(4), tensor(4)), (tensor(7), tensor(7)), (tensor(9), tensor(9))]
    check(program, calls=calls).mutated(0).unchanged(1).recompiled(1)


@clause("T10.2")
@FORMS
def test_tensor_of_unbacked_size(check: Check, form: str) -> None:
    """A tensor whose size is read from data is mutated whole, and in a part."""

    def program(size: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        count = int(size.item())
        torch._check(count >= 2)
        inner = torch.ones(count, 3, device=b.device)
        torch.ops.parity.accumulate(inner, b)
        torch.ops.parity.accumulate(inner[1], b * 2)
        return inner

    sizes = (tensor(values=(4,), dtype=torch.int64), tensor(values=(5,), dtype=torch.int64))
    config = {**in_form(form), "dynamo.capture_scalar_outputs": True}
    result = check(program, calls=[(size, tensor(3)) for size in sizes], config=config)
    result.values().expect("""\
out = float32[4, 3] [[2.686, -0.6301, 1.761], [6.746, -6.52, 3.044], [2.686, -0.6301, 1.761], [2.686, -0.6301,
    1.761]]
""")
    result.in_call(1).values().expect("""\
out = float32[5, 3] [[1.497, 1.727, 1.932], [1.989, 2.908, 3.728], [1.497, 1.727, 1.932], [1.497, 1.727, 1.932],
    [1.497, 1.727, 1.932]]
""")
