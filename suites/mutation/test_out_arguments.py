"""`out=` arguments: a mutation that is a result as well."""

from collections.abc import Callable

import pytest
import torch

from suites.harness import ANY, Check, clause, tensor, view_of


@clause("T3.3", "T11", modes=("no_grad", "inference"), shapes=("static", "dynamic"), entry=ANY)
def test_out_argument_is_written_and_returned(check: Check) -> None:
    """`out=` an input writes the result there and returns that very object."""

    def program(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return torch.add(a, b, out=out)

    result = check(program, tensor(3), tensor(3), tensor(3))
    result.mutated(2).unchanged(0, 1).same_object("out", "arg[2]")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    add = torch.ops.aten.add.Tensor(arg0_1, arg1_1)
    copy_ = torch.ops.aten.copy_.default(arg2_1, add)
    return (copy_,)
""")


@clause("T3.3", "T11", entry=ANY)
def test_out_argument_that_is_also_an_operand(check: Check) -> None:
    """`out=` one of the operands has the meaning of an in-place op."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.mul(a, b, out=a)
        return a + b

    check(program, tensor(3), tensor(3)).mutated(0).unchanged(1)


@clause("T3.3", "T11", entry=ANY)
def test_several_out_arguments(check: Check) -> None:
    """An op with two results writes each into its own `out`, of another dtype each."""

    def program(a: torch.Tensor, values: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        torch.topk(a, 2, out=(values, places))
        return values * places

    result = check(program, tensor(5), tensor(2), tensor(2, dtype=torch.int64, values=[9, 9]))
    result.mutated(1, 2).unchanged(0)


@clause("T3.3", "T11", entry=ANY)
def test_out_argument_that_is_a_row_of_an_input(check: Check) -> None:
    """`out=` a row writes that row of the input and no other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.add(b, 1, out=a[1])
        return a * 2

    check(program, tensor(3, 3), tensor(3)).mutated(0).unchanged(1)


@clause("T3.3", "T11", entry=ANY)
def test_out_argument_of_another_dtype(check: Check) -> None:
    """A result written to an `out` of a wider or narrower dtype is converted to it."""

    def program(a: torch.Tensor, wide: torch.Tensor, narrow: torch.Tensor) -> torch.Tensor:
        torch.add(a, 1, out=wide)
        torch.mul(a, 2, out=narrow)
        return wide + narrow

    check(program, tensor(3), tensor(3, dtype=torch.float64), tensor(3, dtype=torch.float16)).mutated(1, 2)


@clause("T3.3", "T11", "D13", shapes=("static", "dynamic"), entry=ANY)
def test_out_argument_with_strides_of_its_own(check: Check) -> None:
    """`out=` a tensor that is not contiguous writes into its elements and leaves its strides."""

    def program(a: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        torch.add(a, 1, out=out)
        return out * 2

    check(program, tensor(3, 4), tensor(3, 4, strides=(1, 3))).mutated(1).strides(1, 1, 3)


@clause("T3.3", "T11", "D13", fullgraph=False)
def test_out_argument_that_is_resized(check: Check) -> None:
    """`out=` an empty tensor gives it the result's shape, by a graph break if need be."""

    def program(a: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.add(a, 1, out=out)
        return doubled + out

    check(program, tensor(3), tensor(0)).shape(1, 3)


@clause("T3.4", "T11", entry=ANY)
def test_out_argument_that_is_a_view_shows_in_its_base(check: Check) -> None:
    """`out=` an input that is a slice of a larger tensor changes the slice's elements of that tensor."""

    def program(a: torch.Tensor, out: torch.Tensor) -> None:
        torch.sub(a, 1, out=out)

    base = tensor(6)
    check(program, tensor(2), view_of(base, lambda t: t[2:4])).mutated(1, "arg[1]._base")


#: Numbers that are made without operands, written into ``out``.
MADE: dict[str, Callable[[torch.Tensor], object]] = {
    "normal": lambda out: torch.randn(3, out=out),
    "uniform": lambda out: torch.rand(3, out=out),
    "range": lambda out: torch.arange(3.0, out=out),
    "ones": lambda out: torch.ones(3, out=out),
}


@clause("T3.4", "T11", modes=("train", "no_grad"))
@pytest.mark.parametrize("made", MADE)
def test_numbers_made_into_a_row_of_the_callers(check: Check, made: str) -> None:
    """`out=` a row, of what is made without operands, writes that row, which stays where it is: with grad on, too."""

    def program(out: torch.Tensor) -> None:
        MADE[made](out)

    check(program, view_of(tensor(3, 3, grad=False), lambda t: t[1]), backward=False).mutated(0, "arg[0]._base")


@clause("T11", "D12", modes="train")
def test_out_argument_with_grad_is_refused(check: Check) -> None:
    """`out=` does not differentiate: with an operand that requires grad it raises, compiled as well."""

    def program(a: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return torch.add(a, 1, out=out)

    check(program, tensor(3), tensor(3)).raised("out=")


#: Operators of two results, each of which is written to an ``out`` of its own.
TWO_RESULTS: dict[str, Callable[[torch.Tensor, tuple[torch.Tensor, torch.Tensor]], object]] = {
    "counts_and_edges": lambda a, out: torch.histogram(a, 3, out=out),
    "reflectors": lambda a, out: torch.geqrf(a, out=out),
    "factors": lambda a, out: torch.linalg.qr(a, out=out),
    "ends": lambda a, out: torch.aminmax(a, dim=1, out=out),
    "sign_and_logarithm": lambda a, out: torch.linalg.slogdet(a, out=out),
    "values_and_vectors": lambda a, out: torch.linalg.eigh(a + a.mT, out=out),
}


@clause("T3.3", "T11", "D13", fullgraph=False, devices="cpu")
@pytest.mark.parametrize("of", TWO_RESULTS)
def test_two_out_arguments_that_are_resized(check: Check, of: str) -> None:
    """`out=` two empty tensors gives each the shape of its own result, whatever the operator."""

    def program(a: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        TWO_RESULTS[of](a, (first, second))
        return first.sum() + second.sum()

    check(program, tensor(3, 3), tensor(0), tensor(0), exact=False).computed()
