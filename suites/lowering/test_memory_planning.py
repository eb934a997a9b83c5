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

    check(program, tensor(3, 7), tensor(7, 3), config=planned("intermediates")).values().expect("""\
out = float64[3] [16.6, 16.79, 15.94]
""")


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

    result = check(program, tensor(4, 6), tensor(6, 4), config=planned(pool)).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4, 4] [[-0.7164, 1.51, 0.8194, 4.224], [1.924, 2.273, 1.451, 1.617], [0.09651, -0.2072, 0.6092,
    2.814], [1.033, 1.03, -0.9859, 5.824]]
out[1] = float32[6, 6] [[1.32, 0.849, -2.322, 1.426, -0.9693, -0.01741], [-0.7222, 0.03641, 1.484, -0.9651, -1.09,
    1.589], [-3.39, 1.592, 2.73, -2.626, 0.9301, -0.2751], [3.123, -0.3881, -1.957, 2.336, -1.891, 1.95], [1.389,
    -0.9323, 0.8252, 0.7701, 0.5831, 1.076], [0.2529, 0.2347, -0.1658, 0.09726, -1.147, 0.9838]]
""")


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
    result = check(program, calls=calls, config={**planned(pool), "dynamo.capture_scalar_outputs": True})
    result.values().expect("""\
out = float32[3, 6] [[1.832, 1.83, 1.909, 0.4637, 1.411, 0.1391], [1.936, 1.936, 0.8371, 0.7166, 1.853, 1.98],
    [1.643, 0.5856, 1.983, 1.931, 1.411, 1.98]]
""")
    result.in_call(1).values().expect("""\
out = float32[5, 6] [[0.9867, 1.367, 1.514, 0.8659, 1.135, 0.03028], [1.676, 1.99, 1.805, 0.5083, 1.97, 0.6725],
    [1.368, 0.5225, 1.89, 1.568, 0.9893, 0.8735], [1.391, 0.7171, 0.1457, 0.2717, 1.136, 1.764], [0.6839, 1.874,
    1.826, 0.4163, 0.5431, 1.55]]
""")


@clause("T16.2", on=("inductor_cpp_wrapper",))
def test_pools_in_the_cpp_wrapper(check: Check) -> None:
    """Pools of the C++ wrapper hold the same: a mutated argument and two results are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = (a @ b).relu()
        second = first @ b + 1
        a.add_(second)
        return second @ first, first.sum(0)

    check(program, tensor(4, 4), tensor(4, 4), config=planned("intermediates")).mutated(0).unchanged(1)
