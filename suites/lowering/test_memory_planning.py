"""Memory planning: buffers that are parts of pools hold what buffers of their own would hold."""

import pytest
import torch

from suites.harness import Check, clause, tensor

POOLS = ("none", "intermediates", "outputs", "combined")


def planned(pool: str) -> dict[str, object]:
    """Inductor's memory planning with this kind of pools."""
    return {"inductor.memory_planning": True, "inductor.memory_pool": pool}


@pytest.mark.parametrize("pool", POOLS)
@clause("T16.2", modes="train", on=("inductor",))
def test_chain_of_products(check: Check, pool: str) -> None:
    """Intermediates of a chain that live at different times may share a pool; results and gradients are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = (a @ b).relu()
        second = first @ b + 1
        return (second @ b).sin() @ b, first.sum(0)

    check(program, tensor(4, 4), tensor(4, 4), config=planned(pool)).gradient(0, 1).distinct("out[0]", "out[1]")


@clause("T16.2", on=("inductor",))
def test_buffers_of_different_sizes_and_dtypes(check: Check) -> None:
    """Buffers of other sizes and dtypes in one pool do not overlap: each keeps its data until its last use."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        narrow = (a @ b).to(torch.float64)
        wide = torch.mm(b, a)
        both = narrow @ narrow.t()
        return both.sum() + (wide @ wide).cumsum(0).to(torch.float64).mean() - narrow[0]

    check(program, tensor(3, 7), tensor(7, 3), config=planned("intermediates")).shape("out", 3)


@clause("T16.2", on=("inductor",))
def test_one_pool_for_two_intermediates(check: Check) -> None:
    """Combined planning allocates one pool, and the buffers that live at once stand side by side in it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        first = a @ b
        second = first @ b
        return (second @ first) @ b

    result = check(program, tensor(4, 4), tensor(4, 4), config=planned("combined"))
    result.shape("out", 4, 4)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    pool0 = empty_strided_cpu((192,), (1,), torch.uint8)
    buf0 = alloc_from_pool(pool0, 0, torch.float32, (4, 4), (4, 1))
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    buf1 = alloc_from_pool(pool0, 128, torch.float32, (4, 4), (4, 1))
    extern_kernels.mm(buf0, arg1_1, out=buf1)
    buf2 = alloc_from_pool(pool0, 64, torch.float32, (4, 4), (4, 1))
    extern_kernels.mm(buf1, buf0, out=buf2)
    buf3 = buf0
    extern_kernels.mm(buf2, arg1_1, out=buf3)
    return (buf3,)
""")


@pytest.mark.parametrize("pool", ["outputs", "combined"])
@clause("T16.2", shapes=("static", "dynamic"), on=("inductor",))
def test_outputs_from_a_pool(check: Check, pool: str) -> None:
    """Outputs that planning puts into pools are tensors of their own to the caller, who may keep one of them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a @ b, b @ a

    check(program, tensor(4, 6), tensor(6, 4), config=planned(pool)).distinct("out[0]", "out[1]")


@pytest.mark.parametrize("pool", ["intermediates", "outputs", "combined"])
@clause("T16.2", on=("inductor",))
def test_unbacked_sizes(check: Check, pool: str) -> None:
    """A buffer whose size is read from a tensor gets its pool after that size is known, and room for it."""

    def program(a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        rows = int(count.item())
        torch._check(rows >= 0)
        torch._check(rows <= a.shape[0])
        taken = a.narrow(0, 0, rows) @ a.t()
        return (taken.sin() @ a).cos() + 1

    calls = [(tensor(6, 6), torch.tensor(3)), (tensor(6, 6), torch.tensor(5))]
    check(program, calls=calls, config={**planned(pool), "dynamo.capture_scalar_outputs": True}).shape("out", 3, 6)


@clause("T16.2", on=("inductor_cpp_wrapper",))
def test_pools_in_the_cpp_wrapper(check: Check) -> None:
    """Pools of the C++ wrapper hold the same: a mutated argument and two results are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = (a @ b).relu()
        second = first @ b + 1
        a.add_(second)
        return second @ first, first.sum(0)

    check(program, tensor(4, 4), tensor(4, 4), config=planned("intermediates")).mutated(0).unchanged(1)
