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


@clause("T15.5", modes="train", ranks=2)
def test_all_to_all_with_uneven_splits(check: Check) -> None:
    """Each rank sends each rank another number of rows, forward and, of gradients, backward: by the wrong sizes, or to
    the wrong rank, rows are somebody else's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rank, ranks = dist.get_rank(), dist.get_world_size()
        # Rank r is sent r + 1 rows by each.
        sent = [number + 1 for number in range(ranks)]
        rows = torch.cat([(a + 10 * number).expand(number + 1, -1) for number in range(ranks)]) * (rank + 1)
        return collectives.all_to_all_single_autograd(rows, [rank + 1] * ranks, sent, everyone()).sin()

    result = check(program, tensor(1, 3))
    result.gradient(0).shape("out", 2, 3)
    result.values().expect("""\
out = float32[2, 3] [[0.6338, -0.4895, -0.2367], [0.9805, 0.8537, -0.46]]
""")


@clause("T15.5", ranks=2)
def test_all_to_all_of_even_parts(check: Check) -> None:
    """Without sizes, every rank gets an equal part of each rank's rows, in the order of the ranks."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return collectives.all_to_all_single(a + 10 * dist.get_rank(), None, None, everyone()) * 2

    check(program, tensor(4, 2)).values().expect("""\
out = float32[4, 2] [[1.373, -5.26], [-0.478, -2.764], [21.37, 14.74], [19.52, 17.24]]
""")


@clause("T15.5", ranks=2)
def test_coalesced_sums(check: Check) -> None:
    """Tensors that are reduced as one list come back one by one, each with its own sum, and leave arguments as sent."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mine = [a, b + dist.get_rank()]
        first, second = collectives.all_reduce_coalesced(mine, "sum", everyone())
        return (first - mine[0]) * 2, second * mine[1]

    check(program, tensor(3), tensor(2, 2)).unchanged(0, 1).values().expect("""\
out[0] = float32[3] [1.373, -5.26, -0.478]
out[1] = float32[2, 2] [[2.438, -0.04008], [3.076, 3.448]]
""")


@clause("T15.5", ranks=2)
def test_coalesced_gathers_and_scatters(check: Check) -> None:
    """Lists that are gathered as one and scattered as one: each tensor keeps its place, and its rows their rank."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        mine = [a * (dist.get_rank() + 1), b + dist.get_rank()]
        rows = [part * 2 for part in collectives.all_gather_into_tensor_coalesced(mine, everyone())]
        parts = collectives.reduce_scatter_tensor_coalesced(list(rows), "sum", [0, 0], everyone())
        return (*rows, *(part - 1 for part in parts))

    check(program, tensor(2), tensor(1, 2)).values().expect("""\
out[0] = float32[4] [1.373, -5.26, 2.746, -10.52]
out[1] = float32[2, 2] [[-0.478, -2.764], [1.522, -0.764]]
out[2] = float32[2] [1.746, -11.52]
out[3] = float32[1, 2] [[-1.956, -6.528]]
""")


@clause("T15.5", ranks=2)
def test_broadcast(check: Check) -> None:
    """Every rank gets the last rank's tensor; its own stays what it was."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mine = a * (dist.get_rank() + 2)
        return collectives.broadcast(mine, dist.get_world_size() - 1, everyone()) + 1, mine

    check(program, tensor(3)).distinct("out[0]", "out[1]").values().expect("""\
out[0] = float32[3] [3.059, -6.89, 0.283]
out[1] = float32[3] [1.373, -5.26, -0.478]
""")


@clause("T15.5", "T12", ranks=2)
def test_collectives_into_tensors_that_are_there(check: Check) -> None:
    """A gather and a scatter into given tensors write those, after what was read of them and before what is."""

    def program(a: torch.Tensor, into: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = a.new_zeros(dist.get_world_size() * len(a), *a.shape[1:])
        before = into * 2
        dist.all_gather_into_tensor(rows, a + dist.get_rank())
        dist.reduce_scatter_tensor(into, rows * 3)
        return before - into, rows

    result = check(program, tensor(2, 2), tensor(2, 2))
    result.unchanged(0).mutated(1)
    result.values().expect("""\
out[0] = float32[2, 2] [[-5.031, 17.81], [-1.739, 10.09]]
out[1] = float32[4, 2] [[0.6865, -2.63], [-0.239, -1.382], [1.686, -1.63], [0.761, -0.382]]
arg[1] = float32[2, 2] [[4.119, -15.78], [-1.434, -8.292]]
""")


@clause("T15.5", ranks=2)
def test_views_of_what_was_gathered(check: Check) -> None:
    """Views of gathered rows share their memory, as eager's do, and hold what every rank has sent."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        rows = collectives.wait_tensor(collectives.all_gather_tensor(a * (dist.get_rank() + 1), 0, everyone()))
        return rows[1:], rows.view(-1), rows.t()

    result = check(program, tensor(2, 2))
    result.aliases("out[0]", "out[1]").aliases("out[0]", "out[2]")
    result.values().expect("""\
out[0] = float32[3, 2] [[-0.239, -1.382], [1.373, -5.26], [-0.478, -2.764]]
out[1] = float32[8] [0.6865, -2.63, -0.239, -1.382, 1.373, -5.26, -0.478, -2.764]
out[2] = float32[2, 4] [[0.6865, -0.239, 1.373, -0.478], [-2.63, -1.382, -5.26, -2.764]]
""")


@clause("T15.6", "T15.5", "T12", ranks=2)
def test_copies_into_and_out_of_what_is_gathered(check: Check) -> None:
    """Tensors are copied into this rank's piece of a buffer, the buffer is gathered into from that piece, and each is
    copied out of it whole: what was copied in after the gather, or out before it, would be the rank's own alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        ranks, rank = dist.get_world_size(), dist.get_rank()
        sizes = [a.numel(), b.numel()]
        gathered = a.new_zeros(ranks, sum(sizes))
        torch._foreach_copy_(list(gathered[rank].split(sizes)), [(a + rank).flatten(), (b * 2 - rank).flatten()])
        dist.all_gather_into_tensor(gathered.flatten(), gathered[rank])
        outs = [gathered.new_zeros(ranks, size) for size in sizes]
        torch.split_with_sizes_copy(gathered, sizes, 1, out=outs)
        gathered.zero_()
        return outs[0].view(ranks * len(a), -1) + 1, outs[1].view(ranks * len(b), -1) * 3

    result = check(program, tensor(2, 3), tensor(1, 2))
    result.unchanged(0, 1).shape("out[0]", 4, 3).shape("out[1]", 2, 2)
    result.values().expect("""\
out[0] = float32[4, 3] [[1.686, -1.63, 0.761], [-0.382, 0.5439, 2.015], [2.686, -0.6301, 1.761], [0.618, 1.544,
    3.015]]
out[1] = float32[2, 2] [[-9.519, 5.405], [-12.52, 2.405]]
""")
