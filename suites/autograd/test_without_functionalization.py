"""Functionalization switched off: in-place ops stay in the graphs, on the side on which the program made them."""

import torch

from suites.autograd.test_backward_mutation import BothWays, Counted
from suites.harness import Check, clause, tensor

ROUTE = ("without_functionalization",)


@clause("T9.8", "A1", modes="train", on=ROUTE)
def test_mutations_stay_on_their_side_of_the_partition(check: Check) -> None:
    """An in-place op of forward is in the forward graph, and one of backward in the backward graph, as they are."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return BothWays.apply(a, count) + count

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(1).mutated_in_backward(1).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    add_ = torch.ops.aten.add_.Tensor(primals_2, 1)
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    add = torch.ops.aten.add.Tensor(mul, add_)
    return (add, add_)
""")
    result.backward.expect("""\
def forward(self, add_, tangents_1):
    mul_ = torch.ops.aten.mul_.Tensor(add_, 10)
    mul = torch.ops.aten.mul.Tensor(tangents_1, 2)
    return (mul, None)
""")


@clause("T9.8", "A1", modes="train", on=ROUTE)
def test_buffer_mutated_in_backward_alone(check: Check) -> None:
    """A buffer that backward raises and reads is saved as it is, raised there, and read after that."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        return Counted.apply(a.sin(), count)

    result = check(program, tensor(3), tensor(3, grad=False))
    result.unchanged(1).mutated_in_backward(1).gradient(0)


@clause("T9.8", "A1", modes=("train", "no_grad"), on=ROUTE)
def test_intermediate_mutated_through_its_view(check: Check) -> None:
    """In-place ops on an intermediate and on a view of it run in their order, and backward knows of each."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        b.mul_(2)
        b[0].add_(5)
        b[1:].mul_(3)
        return b * b

    result = check(program, tensor(3))
    result.gradient(0).unchanged(0)
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    mul_ = torch.ops.aten.mul_.Tensor(sin, 2)
    select = torch.ops.aten.select.int(mul_, 0, 0)
    add_ = torch.ops.aten.add_.Tensor(select, 5)
    slice_1 = torch.ops.aten.slice.Tensor(mul_, 0, 1, 9223372036854775807)
    mul__1 = torch.ops.aten.mul_.Tensor(slice_1, 3)
    mul = torch.ops.aten.mul.Tensor(mul_, mul_)
    return (mul, primals_1, mul_)
""")


@clause("T9.8", "A1", on=ROUTE)
def test_mutated_inputs_of_an_inference_graph(check: Check) -> None:
    """Without gradients the graph writes to the caller's tensors itself, through a view as well, and copies nothing."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        b[1].add_(a[0])
        return a + b.sum()

    result = check(program, tensor(3), tensor(3))
    result.mutated(0, 1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul_ = torch.ops.aten.mul_.Tensor(arg0_1, 2)
    select = torch.ops.aten.select.int(arg1_1, 0, 1)
    select_1 = torch.ops.aten.select.int(mul_, 0, 0)
    add_ = torch.ops.aten.add_.Tensor(select, select_1)
    sum_1 = torch.ops.aten.sum.default(arg1_1)
    add = torch.ops.aten.add.Tensor(mul_, sum_1)
    return (add,)
""")
