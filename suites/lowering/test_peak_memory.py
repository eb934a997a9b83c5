"""Orders that save memory: kernels in another order compute the same, and writes stay where they were."""

import pytest
import torch

from suites.harness import Check, clause, tensor, torch_internals

ORDERS = ("lpmf", "bfs", "dfs")

OFF: dict[str, object] = {"inductor.reorder_for_peak_memory": False}


@pytest.mark.parametrize("order", ORDERS)
@clause("inductor.memory-order", "T16.4", on=("inductor",))
def test_large_intermediates_one_after_the_other(check: Check, order: str) -> None:
    """Large products that are summed up at once may be made one by one; each sum is still of its own product."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        products = [torch.mm(a * (number + 1), b) for number in range(3)]
        return tuple(torch.mm(product, a)[:, 0] - number for number, product in enumerate(products))

    with torch_internals.memory_order(order):
        result = check(program, tensor(16, 2), tensor(2, 16))
    result.values().expect("""\
out[0] = float32[16] [-2.683, 6.516, -1.2, -2.255, 0.9493, -2.494, 0.7098, 4.074, 1.628, 2.469, 2.828, -3.015,
    5.795, -4.585, -5.666, -3.505]
out[1] = float32[16] [-6.365, 12.03, -3.4, -5.511, 0.8987, -5.989, 0.4196, 7.149, 2.256, 3.939, 4.657, -7.03, 10.59,
    -10.17, -12.33, -8.01]
out[2] = float32[16] [-10.05, 17.55, -5.599, -8.766, 0.848, -9.483, 0.1295, 10.22, 2.884, 5.408, 6.485, -11.05,
    15.38, -15.76, -19, -12.52]
""")


@pytest.mark.parametrize("order", ORDERS)
@clause("inductor.memory-order", on=("inductor",))
def test_reads_stay_on_their_side_of_a_write(check: Check, order: str) -> None:
    """However it is ordered, what was read before a write has the old data, and what was read after it the new."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = a @ b
        a.copy_(before.t())
        after = a @ b
        a.add_(after)
        return (before @ after).relu(), a @ before

    with torch_internals.memory_order(order):
        check(program, tensor(4, 4), tensor(4, 4)).mutated(0).unchanged(1)


@pytest.mark.parametrize("order", ORDERS)
@clause("inductor.memory-order", modes="train", on=("inductor",))
def test_backward_of_a_stack_of_layers(check: Check, order: str) -> None:
    """Gradients of a stack of layers with a residual are eager's in any order of the backward's kernels."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        first = (a @ b).tanh() + a
        return ((first @ c).tanh() + first) @ b

    with torch_internals.memory_order(order):
        check(program, tensor(3, 4), tensor(4, 4), tensor(4, 4)).gradient(0, 1, 2)


@clause("inductor.memory-order", on=("inductor",))
def test_order_that_saves_memory(check: Check) -> None:
    """Products are made where they are used up, one at a time: two buffers serve for all of them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        products = [torch.mm(a + number, b) for number in range(3)]
        return tuple(torch.mm(product, a) for product in products)

    result = check(program, tensor(16, 2), tensor(2, 16))
    result.distinct("out[0]", "out[1]")
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    buf0 = empty_strided_cpu((16, 2), (2, 1), torch.float32)
    buf3 = empty_strided_cpu((16, 2), (2, 1), torch.float32)
    buf6 = empty_strided_cpu((16, 2), (2, 1), torch.float32)
    cpp_fused_add_0(arg0_1, buf0, buf3, buf6)
    buf1 = empty_strided_cpu((16, 16), (16, 1), torch.float32)
    extern_kernels.mm(buf0, arg1_1, out=buf1)
    buf2 = buf0
    extern_kernels.mm(buf1, arg0_1, out=buf2)
    buf4 = buf1
    extern_kernels.mm(buf3, arg1_1, out=buf4)
    buf5 = buf3
    extern_kernels.mm(buf4, arg0_1, out=buf5)
    buf7 = buf4
    extern_kernels.mm(buf6, arg1_1, out=buf7)
    buf8 = buf6
    extern_kernels.mm(buf7, arg0_1, out=buf8)
    return (buf2, buf5, buf8)
""")


@clause("inductor.memory-order", on=("inductor",))
def test_order_of_the_program(check: Check) -> None:
    """With reordering off the kernels come in the order of the program, and mean the same."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        products = [torch.mm(a - number, b) for number in range(2)]
        return tuple(torch.mm(product, a) for product in products)

    result = check(program, tensor(8, 2), tensor(2, 8), config=OFF).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[8, 2] [[3.071, 2.182], [-3.293, 4.253], [-0.2297, -2.699], [-0.7839, -5.882], [-0.3839, 0.8394],
    [0.5038, -3.363], [-0.154, 0.9324], [-1.228, 4.563]]
out[1] = float32[8, 2] [[7.727, 3.04], [1.363, 5.112], [4.426, -1.841], [3.872, -5.023], [4.272, 1.698], [5.16,
    -2.504], [4.502, 1.791], [3.428, 5.421]]
""")
