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

    result = check(program, tensor(4, grad=False)).unchanged(0).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4] [7.746, -5.52, 4.044, -0.528]
out[1] = float32[4] [10.12, -9.781, 4.566, -2.292]
""")


@clause("D5")
def test_hidden_alias_of_a_row(check: Check) -> None:
    """A row that an operator hands out under the name of a new tensor is read after its whole: both old values."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inner = torch.ops.parity.weighted(a)
        row = torch.ops.parity.row_of(inner)
        whole = torch.ops.parity.weighted(inner * 3)
        return whole, row + 1

    result = check(program, tensor(2, 3, grad=False)).unchanged(0)
    result.values().expect("""\
out[0] = float32[2, 3] [[15.24, -24.56, 4.132], [-9.584, 1.527, 19.18]]
out[1] = float32[3] [-0.764, 1.088, 4.03]
""")


@clause("D5", on=("aot_eager", "inductor"))
def test_hidden_alias_is_reported_on_request(check: Check) -> None:
    """With `error_on_custom_op_aliasing`, an operator that returns its argument is an error, not a wrong result."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2

    result = check(program, tensor(4, grad=False)).unchanged(0)
    result.values().expect("""\
out = float32[4] [1.373, -5.26, -0.478, -2.764]
""")
    check.demand("error", "what a call of the compiled program says", "alias", _said_of_hidden_alias(check))


def _said_of_hidden_alias(check: Check) -> str:
    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.ops.parity.same_again(torch.ops.parity.weighted(a)) + 1

    config = {"functorch.error_on_custom_op_aliasing": True}
    try:
        with check.compiled(program, config=config) as compiled, torch.no_grad():
            compiled(torch.ones(4))
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
    result = check(program, *specs).unchanged(0, 1, 2).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4] [1.686, -1.63, 0.761, -0.382]
out[1] = float32[8] [0.5439, 2.015, -0.5866, 1.901, 1.686, -1.63, 0.761, -0.382]
""")
