"""Sizes and numbers that only the data know."""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor

ON = ("export",)


@clause("A12", on=ON)
def test_number_of_a_tensor_becomes_a_size(check: Check) -> None:
    """A size that a tensor holds is an unbacked symbol of the export, which serves any number that the checks allow."""

    def program(a: torch.Tensor, count: torch.Tensor) -> Any:
        number = count.item()
        torch._check(number >= 0)
        return a.sum() + torch.arange(number, device=a.device), number

    counts = [built(lambda number=number: torch.tensor(number)) for number in (3, 7, 1)]
    result = check(program, calls=[(tensor(2), count) for count in counts]).shape("out[0]", 3).holds("out[1]", 3)
    result.forward.expect("""\
def forward(self, args_0, args_1):
    item = torch.ops.aten.item.default(args_1)
    ge = operator.ge(item, 0)
    _assert_scalar = torch.ops.aten._assert_scalar.default(
        ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge_1'",
    )
    sum_1 = torch.ops.aten.sum.default(args_0)
    arange = torch.ops.aten.arange.default(item)
    add = torch.ops.aten.add.Tensor(sum_1, arange)
    return (add, item)
""")


@clause("A12", on=ON)
def test_result_whose_size_depends_on_the_data(check: Check) -> None:
    """The indices of what is not zero are as many as this call's data say, none included."""

    def program(a: torch.Tensor) -> Any:
        found = a.nonzero()
        return found * 2, found.shape[0] + 1

    data = ((0.0, 1.0, 2.0), (0.0, 0.0, 0.0), (3.0, 1.0, 2.0))
    result = check(program, calls=[(tensor(3, values=values),) for values in data]).shape("out[0]", 2, 1)
    result.holds("out[1]", 3)


@clause("A12", on=ON)
def test_check_on_a_number_holds_in_every_call(check: Check) -> None:
    """A `torch._check` on a number that the data hold passes for one call's data and raises for another's."""

    def program(a: torch.Tensor, count: torch.Tensor) -> Any:
        number = count.item()
        torch._check(number <= 4)
        torch._check(number >= 0)
        return a * 2 + number

    counts = [built(lambda number=number: torch.tensor(number)) for number in (3, 9)]
    result = check(program, calls=[(tensor(2), count) for count in counts])
    result.in_call(1).raised()
