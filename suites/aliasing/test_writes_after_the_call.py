"""Writes after the call: who sees it when the caller writes to an output, or to an input that an output views."""

import torch

from suites.harness import ANY, Check, clause, tensor, torch_internals, view_of


@clause("T7.9", modes=("train", "no_grad"), entry=ANY)
def test_write_to_a_view_of_an_input_reaches_the_input(check: Check) -> None:
    """A later write to a returned view of an input changes the caller's input, and the other way round."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a[1:], a.t()

    result = check(program, tensor(3, 3))
    result.happened("arg[0]" in result.call.writes["out[0]"], "the write reaching the input")


@clause("T7.9", modes=("train", "no_grad"), entry=ANY)
def test_write_to_one_view_of_an_intermediate_reaches_the_others(check: Check) -> None:
    """A later write to one of three aliases of an intermediate changes the other two in their overlap."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b[:3], b[2:], b

    result = check(program, tensor(4))
    result.happened({"out[1]", "out[2]"} <= set(result.call.writes["out[0]"]), "the write reaching both others")


@clause("T7.9", modes=("train", "no_grad"), entry=ANY)
def test_write_to_a_fresh_output_reaches_nobody(check: Check) -> None:
    """A later write to a new tensor changes no input and no other output: buffers are not shared behind the caller."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        c = a + b
        return c, c * 2, c.clone()

    result = check(program, tensor(4), tensor(4))
    result.happened(result.call.writes["out[0]"] == frozenset({"out[0]"}), "a write that stays where it is")
    result.values().expect("""\
out[0] = float32[4] [0.2304, -1.615, -1.826, -0.4812]
out[1] = float32[4] [0.4608, -3.23, -3.651, -0.9624]
out[2] = float32[4] [0.2304, -1.615, -1.826, -0.4812]
""")


@clause("T7.9", "T7.5", modes=("train", "no_grad"), entry=ANY)
def test_write_to_a_detached_alias_after_the_call(check: Check) -> None:
    """A later write to a detached output changes the differentiable output that it is an alias of."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b, b.detach()

    result = check(program, tensor(4))
    result.aliases("out[0]", "out[1]").no_grad("out[1]")
    result.happened("out[0]" in result.call.writes["out[1]"], "the write reaching the differentiable output")


@clause("T7.9", modes="train", entry=ANY)
def test_in_place_op_on_a_view_of_an_intermediate(check: Check) -> None:
    """A recorded in-place op on one alias of an intermediate changes the gradient through the other, as in eager."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b, b.view(-1)

    result = check(program, tensor(2, 2))
    result.happened("out[1]" in result.expected.in_place, "an in-place op on the view").aliases("out[0]", "out[1]")


@clause("T7.9", modes="train", entry=ANY)
def test_in_place_op_on_a_lone_view_of_an_intermediate(check: Check) -> None:
    """A recorded in-place op on the only view of an intermediate goes through and differentiates as in eager."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin().view(-1)

    result = check(program, tensor(2, 2))
    result.happened("out" in result.expected.in_place and result.expected.in_place["out"].error is None, "such an op")


@clause("T7.9", "T6.1", modes=("train", "no_grad"), entry=ANY)
def test_write_after_a_call_with_a_synthetic_base(check: Check) -> None:
    """After a call with aliased, mutated inputs, a new output is apart from them: a later write does not reach it."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        view.mul_(2)
        return base * 1

    base = tensor(4)
    result = check(program, base, view_of(base, lambda t: t[1:]))
    result.mutated(0, 1).happened("out" not in result.call.writes["arg[0]"], "an output that stays")


def _versions_after_a_write(written: torch.Tensor, *others: torch.Tensor) -> list[int]:
    """How far the version counters of ``others`` move when ``written`` is written to under no_grad."""
    before = [torch_internals.version(other) for other in others]
    with torch.no_grad():
        written.mul_(2)
    return [torch_internals.version(other) - version for other, version in zip(others, before, strict=True)]


@clause("T7.9", "D10", modes="train", fullgraph=False)
def test_version_counters_of_sibling_views(check: Check) -> None:
    """A write to one alias of an intermediate moves the version counter of its sibling by one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        b = a.sin()
        left, whole = b[:2], b.view(-1)
        torch._dynamo.graph_break()
        return whole, torch.compiler.disable(_versions_after_a_write)(left, whole)

    result = check(program, tensor(4), probe=False)
    result.happened(result.call.entries["out[1][0]"].detail == 1, "a version counter moving by one")


@clause("T7.9", "D10", modes="train", fullgraph=False)
def test_version_counter_of_a_detached_sibling(check: Check) -> None:
    """A write to one alias of an intermediate moves the version counter of a detached sibling by one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        b = a.sin()
        left, detached = b[:2], b.detach()
        torch._dynamo.graph_break()
        return left, torch.compiler.disable(_versions_after_a_write)(left, detached)

    result = check(program, tensor(4), probe=False)
    result.happened(result.call.entries["out[1][0]"].detail == 1, "a version counter moving by one")
