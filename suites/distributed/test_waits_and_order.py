"""Collectives under way: each is waited for before anybody reads what it gives, and starts in its turn on every rank.

Where a wait is what matters, all ranks but the first have work to do before they send: whoever does not wait for them
reads memory into which nothing has come yet.
"""

import torch
import torch.distributed as dist

from suites.distributed.models import everyone
from suites.harness import Check, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()

#: What the ranks that come late work on.
WORK = tensor(192, 192, grad=False)


def busy(work: torch.Tensor, times: int = 8) -> torch.Tensor:
    """Some milliseconds of work on a square matrix; a matrix of the same size."""
    scaled = work / work.shape[0]
    for _ in range(times):
        work = work @ scaled
    return work


def late(a: torch.Tensor, work: torch.Tensor) -> torch.Tensor:
    """``a`` as each rank has it to send: times its number, counted from 1. All ranks but the first send late."""
    if dist.get_rank():
        a = a + busy(work).mean() * 0
    return a * (dist.get_rank() + 1)


@clause("T15.7", ranks=2)
def test_result_that_is_read_at_once(check: Check) -> None:
    """A sum that is read as soon as it was asked for has the late rank's part; without its wait, only what was sent."""

    def program(a: torch.Tensor, work: torch.Tensor) -> torch.Tensor:
        return collectives.all_reduce(late(a, work), "sum", everyone()) + 1

    check(program, tensor(3), WORK).values().expect("""\
out = float32[3] [3.059, -6.89, 0.283]
""")


@clause("T15.7", ranks=2)
def test_result_that_is_read_after_much_work(check: Check) -> None:
    """Rows that are gathered while a rank computes, and read at the end: all have arrived, and none was computed over.

    What was sent has no reader on this rank: memory that is used again before the wait would be sent in its place.
    """

    def program(a: torch.Tensor, work: torch.Tensor) -> torch.Tensor:
        rows = collectives.all_gather_tensor(late(a, work), 0, everyone())
        for _ in range(4):
            a = (a * 2).sin() + a.mean()
        return rows + a.sum() + busy(work)[0, 0] * 0

    result = check(program, tensor(3, 4), WORK)
    result.shape("out", 6, 4)
    result.values().expect("""\
out = float32[6, 4] [[-12.65, -15.97, -13.58, -14.72], [-13.8, -12.32, -14.93, -12.44], [-14.47, -15.56, -13.17,
    -13.48], [-11.97, -18.6, -13.82, -16.1], [-14.25, -11.31, -16.51, -11.54], [-15.6, -17.78, -13.01, -13.62]]
""")


@clause("T15.7", ranks=2)
def test_three_collectives_under_way_at_once(check: Check) -> None:
    """Three sums that are asked for together and read last first: each is its own; exchanged, one is another's."""

    def program(a: torch.Tensor, work: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mine = late(a, work)
        first = collectives.all_reduce(mine, "sum", everyone())
        second = collectives.all_reduce(mine + 10, "sum", everyone())
        third = collectives.all_reduce(mine + 100, "sum", everyone())
        return third / 2, second / 2, first / 2

    check(program, tensor(3), WORK).values().expect("""\
out[0] = float32[3] [101, 96.05, 99.64]
out[1] = float32[3] [11.03, 6.055, 9.642]
out[2] = float32[3] [1.03, -3.945, -0.3585]
""")


@clause("T15.7", "T15.5", ranks=2)
def test_sums_and_maxima_of_one_size(check: Check) -> None:
    """Two collectives of one size start in the program's order on every rank: else a rank adds up maxima."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mine = a * (dist.get_rank() + 1)
        total = collectives.all_reduce(mine, "sum", everyone())
        largest = collectives.all_reduce(mine.abs() + 5, "max", everyone())
        return total * 3, largest * 3

    result = check(program, tensor(4))
    result.values().expect("""\
out[0] = float32[4] [6.178, -23.67, -2.151, -12.44]
out[1] = float32[4] [19.12, 30.78, 16.43, 23.29]
""")
    result.forward.expect("""\
def forward(self, arg0_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 1)
    all_reduce = torch.ops._c10d_functional.all_reduce.default(mul, 'sum', '0')
    wait_tensor = torch.ops._c10d_functional.wait_tensor.default(all_reduce)
    abs_1 = torch.ops.aten.abs.default(mul)
    add = torch.ops.aten.add.Tensor(abs_1, 5)
    all_reduce_1 = torch.ops._c10d_functional.all_reduce.default(add, 'max', '0')
    wait_tensor_1 = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1)
    mul_1 = torch.ops.aten.mul.Tensor(wait_tensor, 3)
    mul_2 = torch.ops.aten.mul.Tensor(wait_tensor_1, 3)
    return (mul_1, mul_2)
""")


@clause("T15.7", "T12", ranks=2)
def test_tensor_that_is_written_after_it_was_sent(check: Check) -> None:
    """A write to an argument after it was sent is not part of the sum; moved before it, it makes that a hundredfold."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.add_(dist.get_rank())
        total = collectives.all_reduce(a, "sum", everyone())
        a.mul_(100)
        return total + 1

    result = check(program, tensor(3))
    result.mutated(0)
    result.values().expect("""\
out = float32[3] [3.373, -3.26, 1.522]
arg[0] = float32[3] [68.65, -263, -23.9]
""")


@clause("T15.7", "T12", ranks=2)
def test_gathered_rows_that_are_written(check: Check) -> None:
    """A write to what was gathered comes after the wait: rows that arrived after it would undo it."""

    def program(a: torch.Tensor, work: torch.Tensor) -> torch.Tensor:
        rows = collectives.all_gather_tensor(late(a, work), 0, everyone())
        rows[1:].mul_(-1)
        rows.add_(a.sum())
        return rows * 2

    check(program, tensor(2, 2), WORK).values().expect("""\
out = float32[4, 2] [[-5.756, -12.39], [-6.651, -4.365], [-9.875, 3.391], [-6.173, -1.601]]
""")


@clause("T15.7", "T12", ranks=2)
def test_sum_of_maxima(check: Check) -> None:
    """In-place collectives on one argument run one after the other: a sum of maxima, and not the greatest of sums."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.add_(dist.get_rank())
        dist.all_reduce(a, op=dist.ReduceOp.MAX)
        between = a * (dist.get_rank() + 1)
        a.mul_(dist.get_rank() + 1)
        dist.all_reduce(a)
        return between - a

    result = check(program, tensor(3))
    result.mutated(0)
    result.values().expect("""\
out = float32[3] [-3.373, 3.26, -1.522]
arg[0] = float32[3] [5.059, -4.89, 2.283]
""")


@clause("T15.7", "T12", ranks=2)
def test_collective_that_only_another_rank_reads(check: Check) -> None:
    """A rank takes part in a sum that it does not read: left out as dead code there, the other would wait for ever."""

    def program(a: torch.Tensor) -> torch.Tensor:
        total = collectives.wait_tensor(collectives.all_reduce(a + dist.get_rank(), "sum", everyone()))
        return a * 2 if dist.get_rank() else total * 2

    check(program, tensor(3)).values().expect("""\
out = float32[3] [4.746, -8.52, 1.044]
""")


@clause("T15.7", modes="train", ranks=2)
def test_gradients_of_two_gathered_tensors(check: Check) -> None:
    """The two scatters of backward meet their twins of the other rank: else each argument has the other's gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        left = collectives.all_gather_tensor_autograd(a * 2, 0, everyone())
        right = collectives.all_gather_tensor_autograd(b.sin(), 0, everyone())
        return left * right.exp() * (dist.get_rank() + 1)

    result = check(program, tensor(3), tensor(3))
    result.gradient(0, 1)
    result.values().expect("""\
out = float32[6] [0.5141, -3.386, -1.118, 0.5141, -3.386, -1.118]
""")
