"""Modules of unusual kinds: complex weights, sparse gradients, buffers that are copied in the graph."""

import torch

from suites.harness import Check, built, clause, tensor


class _ComplexProduct(torch.nn.Module):
    """A complex matrix product, and its squared absolute value."""

    def __init__(self) -> None:
        super().__init__()
        weight = torch.complex(torch.arange(6.0).reshape(2, 3) / 5, torch.arange(6.0).flip(0).reshape(2, 3) / 7)
        self.weight = torch.nn.Parameter(weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        product = x @ self.weight.t()
        return (product * product.conj()).real + product.imag


@clause("T2.6", modes="train")
def test_complex_module(check: Check) -> None:
    """A module with complex weights gives real results and conjugated, complex gradients of weight and input."""
    result = check(built(_ComplexProduct), tensor(4, 3, dtype=torch.complex64))
    result.gradient(0).shape("out", 4, 2)
    result.happened(result.call.gradients.get("module.weight") is not None, "a gradient of the weight")


class _Bags(torch.nn.Module):
    """Sums bags of rows of a table, seen through a view."""

    def __init__(self, sparse: bool) -> None:
        super().__init__()
        self.table = torch.nn.EmbeddingBag(6, 3, mode="sum", sparse=sparse)
        with torch.no_grad():
            self.table.weight.copy_(torch.arange(18.0).reshape(6, 3) / 3)

    def forward(self, index: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return self.table(index, offsets).view(-1) * 2


def _bags_of(*counts: int) -> tuple[object, object]:
    rows = [(7 * place + 2) % 6 for place in range(sum(counts))]
    starts = [sum(counts[:place]) for place in range(len(counts))]
    return (
        tensor(len(rows), dtype=torch.int64, values=rows),
        tensor(len(starts), dtype=torch.int64, values=starts),
    )


@clause("T2.6", "D13", modes="train", shapes=("static", "dynamic"))
def test_sparse_gradient_of_an_embedding_bag(check: Check) -> None:
    """The gradient of an embedding bag's table is sparse where it is asked to be, behind a view of the result."""
    check(built(lambda: _Bags(sparse=True)), calls=[_bags_of(2, 3), _bags_of(4, 1)]).sparse_gradient(0)


class _Remembers(torch.nn.Module):
    """Adds a buffer of one size to an input of another, and moves the buffer in the graph."""

    memory: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([[1.0], [-2.0]]))
        self.register_buffer("memory", torch.tensor([0.5, 1.0, -3.0]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            self.memory.mul_(0.5).add_(x.sum(0))
        return self.weight * x.sum(0) + self.memory * x.shape[0]


@clause("A7", modes=("train", "no_grad"))
def test_buffer_of_another_shape_than_everything_else(check: Check) -> None:
    """A buffer that broadcasts against parameter and input is written to in its own shape, and copied back in it."""
    result = check(built(_Remembers), tensor(4, 3))
    result.mutated("module.memory").shape("out", 2, 3)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    mul = torch.ops.aten.mul.Tensor(primals_1, 0.5)
    sum_1 = torch.ops.aten.sum.dim_IntList(primals_2, [0])
    add = torch.ops.aten.add.Tensor(mul, sum_1)
    mul_1 = torch.ops.aten.mul.Tensor(primals_3, sum_1)
    mul_2 = torch.ops.aten.mul.Tensor(add, 4)
    add_1 = torch.ops.aten.add.Tensor(mul_1, mul_2)
    copy_ = torch.ops.aten.copy_.default(primals_1, add)
    return (add_1, primals_3, sum_1)
""")


@clause("A7", modes="train", shapes="dynamic")
def test_buffer_moves_on_with_inputs_of_other_sizes(check: Check) -> None:
    """A buffer updated from inputs of other sizes goes on from its last value, in a graph for all sizes."""
    result = check(built(_Remembers), calls=[(tensor(4, 3),), (tensor(2, 3),), (tensor(5, 3),)])
    result.mutated("module.memory").recompiled(0)


class _Remembered(torch.nn.Module):
    """Multiplies by a copy of a buffer that it then overwrites."""

    factor: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("factor", torch.tensor([2.0, -1.0, 0.25]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result = x * self.factor.clone()
        self.factor.copy_(x.detach().sum(0))
        return result


@clause("A7", modes="train")
def test_copy_of_a_buffer_that_is_overwritten(check: Check) -> None:
    """Backward multiplies by the copy that was taken before the buffer was overwritten, not by the buffer."""
    result = check(built(_Remembered), tensor(2, 3))
    result.mutated("module.factor").gradient(0)
