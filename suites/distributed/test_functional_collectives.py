"""Functional collectives in a graph: what each rank gets, what gradients come back, and the graph that is handed on."""

import torch
import torch.distributed as dist

from suites.distributed.models import everyone
from suites.harness import Check, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()


@clause("T15.5", "T12", shapes=("static", "dynamic"), ranks=2)
def test_all_gather(check: Check) -> None:
    """Each rank gets the rows of all ranks, in their order, from one collective that the graph waits for."""

    def program(a: torch.Tensor) -> torch.Tensor:
        mine = a * (dist.get_rank() + 1)
        return collectives.all_gather_tensor(mine, 0, everyone()) - a[0]

    result = check(program, tensor(3, 4))
    result.shape("out", 6, 4)
    result.forward.expect("""\
def forward(self, arg0_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 1)
    all_gather_into_tensor = torch.ops._c10d_functional.all_gather_into_tensor.default(mul, 2, '0')
    wait_tensor = torch.ops._c10d_functional.wait_tensor.default(all_gather_into_tensor)
    select = torch.ops.aten.select.int(arg0_1, 0, 0)
    sub = torch.ops.aten.sub.Tensor(wait_tensor, select)
    return (sub,)
""")


@clause("T15.5", ranks=2)
def test_all_gather_of_columns(check: Check) -> None:
    """Gathered along the second dimension, the ranks' columns stand beside each other."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return collectives.all_gather_tensor(a + dist.get_rank(), 1, everyone()).sin()

    check(program, tensor(2, 3)).shape("out", 2, 6)


@clause("T15.5", "T12", ranks=2)
def test_all_reduce_leaves_its_input(check: Check) -> None:
    """A functional all_reduce gives every rank the sum and leaves the rank's own tensor, which is read again, alone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mine = a + dist.get_rank()
        total = collectives.all_reduce(mine, "sum", everyone())
        return total * 2, mine

    result = check(program, tensor(3))
    result.distinct("out[0]", "out[1]").unchanged(0)
    result.forward.expect("""\
def forward(self, arg0_1):
    add = torch.ops.aten.add.Tensor(arg0_1, 0)
    all_reduce = torch.ops._c10d_functional.all_reduce.default(add, 'sum', '0')
    wait_tensor = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
    mul = torch.ops.aten.mul.Tensor(wait_tensor, 2)
    return (mul, add)
""")


@clause("T15.5", ranks=2)
def test_all_reduce_of_an_argument_leaves_the_caller_s_tensor(check: Check) -> None:
    """An argument that is reduced is the caller's: the result is another tensor, and a later read sees the old data."""

    def program(a: torch.Tensor) -> torch.Tensor:
        largest = collectives.all_reduce(a * (1 - 2 * dist.get_rank()), "max", everyone())
        total = collectives.all_reduce(a, "sum", everyone())
        return total + a * largest

    check(program, tensor(4)).unchanged(0).distinct("out", 0)


@clause("T15.5", ranks=2)
def test_reduce_scatter(check: Check) -> None:
    """Each rank gets its own rows of the sum over all ranks."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rows = a * (dist.get_rank() + 2)
        return collectives.reduce_scatter_tensor(rows, "sum", 0, everyone()) + 1

    result = check(program, tensor(4, 3))
    result.shape("out", 2, 3)
    result.forward.expect("""\
def forward(self, arg0_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    reduce_scatter_tensor = torch.ops._c10d_functional.reduce_scatter_tensor.default(mul, 'sum', 2, '0')
    wait_tensor = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor)
    add = torch.ops.aten.add.Tensor(wait_tensor, 1)
    return (add,)
""")


@clause("T15.5", modes="train", ranks=2)
def test_gradient_of_a_gathered_tensor(check: Check) -> None:
    """Backward of an all_gather is a reduce_scatter: a rank's gradient sums up what all ranks made of its rows."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rows = collectives.all_gather_tensor_autograd(a.sin(), 0, everyone())
        return rows * rows.roll(1, 0) * (dist.get_rank() + 1)

    result = check(program, tensor(3))
    result.gradient(0)
    result.backward.expect("""\
def forward(self, primals_1, wait_tensor, roll, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 1)
    mul_1 = torch.ops.aten.mul.Tensor(mul, wait_tensor)
    mul_2 = torch.ops.aten.mul.Tensor(mul, roll)
    roll_1 = torch.ops.aten.roll.default(mul_1, [-1], [0])
    add = torch.ops.aten.add.Tensor(mul_2, roll_1)
    reduce_scatter_tensor = torch.ops._c10d_functional.reduce_scatter_tensor.default(add, 'sum', 2, '0')
    wait_tensor_1 = torch.ops._c10d_functional.wait_tensor.default(reduce_scatter_tensor)
    cos = torch.ops.aten.cos.default(primals_1)
    mul_3 = torch.ops.aten.mul.Tensor(wait_tensor_1, cos)
    return (mul_3,)
""")


@clause("T15.5", "T12", ranks=2)
def test_mutation_of_an_argument_by_a_collective(check: Check) -> None:
    """An in-place all_reduce of an argument reaches the caller's tensor, and what was read before it stays."""

    def program(a: torch.Tensor) -> torch.Tensor:
        before = a * 3
        a.add_(dist.get_rank())
        dist.all_reduce(a)
        return before - a

    check(program, tensor(3)).mutated(0)
