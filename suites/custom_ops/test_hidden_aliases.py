"""Operators whose schema promises a new tensor and which return their argument: what they return shares its memory."""

import torch

from suites.harness import Check, clause, tensor, torch_internals

from . import operators  # noqa: F401

torch_internals.register_fsdp_operators()


@clause("D5")
def test_hidden_alias_of_an_intermediate(check: Check) -> None:
    """Two reads, of an intermediate and of the operator's result that secretly is it, both see the old value."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = torch.ops.parity.weighted(a)
        again = torch.ops.parity.same_again(inner)
        first = torch.ops.parity.weighted(inner + 1)
        return first, again + first

    check(program, tensor(4, grad=False)).unchanged(0).distinct("out[0]", "out[1]")


@clause("D5")
def test_hidden_alias_of_a_row(check: Check) -> None:
    """A row that an operator hands out under the name of a new tensor is read after its whole: both old values."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = torch.ops.parity.weighted(a)
        row = torch.ops.parity.row_of(inner)
        whole = torch.ops.parity.weighted(inner * 3)
        return whole, row + 1

    check(program, tensor(2, 3, grad=False)).unchanged(0)


@clause("D5", on=("aot_eager", "inductor"))
def test_hidden_alias_is_reported_on_request(check: Check) -> None:
    """With `error_on_custom_op_aliasing`, an operator that returns its argument is an error, not a wrong result."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2

    check(program, tensor(4, grad=False)).unchanged(0)
    check.demand("error", "what a call of the compiled program says", "alias", _said_of_hidden_alias(check))


def _said_of_hidden_alias(check: Check) -> str:
    from suites.harness.backends.backend import CompileCounter, CompileOptions

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.ops.parity.same_again(torch.ops.parity.weighted(a)) + 1

    options = CompileOptions(fullgraph=True, config=(("functorch.error_on_custom_op_aliasing", True),))
    with check.backend.settings(options), torch.no_grad():
        try:
            check.backend.compile(program, options, CompileCounter())(torch.ones(4))
        except RuntimeError as error:
            return "alias" if "alias" in str(error) else str(error)
    return "nothing"


@clause("D6", "T14")
def test_two_results_of_all_gather_copy_in(check: Check) -> None:
    """The results of `all_gather_copy_in`, a part of the buffer and the buffer, are read in turn unharmed."""

    def program(a: torch.Tensor, b: torch.Tensor, buffer: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        gathered = buffer.clone()
        part, whole = torch.ops.fsdp.all_gather_copy_in([a, b], gathered, [2, 2], 4, 1)
        return part + 1, whole + 1

    specs = tensor(2, grad=False), tensor(2, grad=False), tensor(8, grad=False)
    check(program, *specs).unchanged(0, 1, 2).distinct("out[0]", "out[1]")
