"""Reuse of buffers: how many are allocated, which kernels write in place, and that nobody's data is lost by it."""

import torch

from suites.harness import Check, clause, tensor


def chain(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Products with a pointwise kernel after each: every buffer but the last is dead two steps later."""
    first = (a @ b).relu()
    second = (first @ b + 1).relu()
    return (second @ b).sin() @ b


@clause("T16.4", on=("inductor",))
def test_in_place_kernels_and_reuse(check: Check) -> None:
    """By default pointwise kernels write over their dead operand."""
    result = check(chain, tensor(4, 4), tensor(4, 4))
    result.unchanged(0, 1)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    buf0 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    buf1 = buf0
    cpp_fused_relu_0(buf1)
    buf2 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    buf3 = buf2
    cpp_fused_add_relu_1(buf3)
    buf4 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf3, arg1_1, out=buf4)
    buf5 = buf4
    cpp_fused_sin_2(buf5)
    buf6 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf5, arg1_1, out=buf6)
    return (buf6,)
""")


@clause("T16.4", on=("inductor",))
def test_reuse_without_in_place_kernels(check: Check) -> None:
    """With kernels that may not write in place, two buffers take turns."""
    result = check(chain, tensor(4, 4), tensor(4, 4), config={"inductor.inplace_buffers": False})
    result.unchanged(0, 1)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    buf0 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    buf1 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    cpp_fused_relu_0(buf0, buf1)
    buf2 = buf0
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    buf3 = buf1
    cpp_fused_add_relu_1(buf2, buf3)
    buf4 = buf2
    extern_kernels.mm(buf3, arg1_1, out=buf4)
    buf5 = buf3
    cpp_fused_sin_2(buf4, buf5)
    buf6 = buf4
    extern_kernels.mm(buf5, arg1_1, out=buf6)
    return (buf6,)
""")


@clause("T16.4", on=("inductor",))
def test_in_place_kernels_without_reuse(check: Check) -> None:
    """Without reuse in-place kernels are left, and every product has a buffer of its own."""
    result = check(chain, tensor(4, 4), tensor(4, 4), config={"inductor.allow_buffer_reuse": False})
    result.unchanged(0, 1)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    buf0 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    buf1 = buf0
    cpp_fused_relu_0(buf1)
    buf2 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    buf3 = buf2
    cpp_fused_add_relu_1(buf3)
    buf4 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf3, arg1_1, out=buf4)
    buf5 = buf4
    cpp_fused_sin_2(buf5)
    buf6 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf5, arg1_1, out=buf6)
    return (buf6,)
""")


@clause("T16.4", on=("inductor",))
def test_neither_reuse_nor_in_place_kernels(check: Check) -> None:
    """With both off every kernel has a buffer of its own, and no name stands for another's."""
    config = {"inductor.allow_buffer_reuse": False, "inductor.inplace_buffers": False}
    result = check(chain, tensor(4, 4), tensor(4, 4), config=config)
    result.unchanged(0, 1)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    buf0 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    buf1 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    cpp_fused_relu_0(buf0, buf1)
    buf2 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    buf3 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    cpp_fused_add_relu_1(buf2, buf3)
    buf4 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf3, arg1_1, out=buf4)
    buf5 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    cpp_fused_sin_2(buf4, buf5)
    buf6 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf5, arg1_1, out=buf6)
    return (buf6,)
""")


@clause("T16.4", on=("inductor",))
def test_buffer_that_is_read_later_is_not_reused(check: Check) -> None:
    """A buffer whose last reader comes at the end keeps its data through kernels that could have used its memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        kept = a @ b
        other = (b @ kept.relu()).sin()
        return (other @ b).exp() @ kept

    result = check(program, tensor(4, 4), tensor(4, 4))
    result.unchanged(0, 1)
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    buf0 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    buf1 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    cpp_fused_relu_0(buf0, buf1)
    buf2 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(arg1_1, buf1, out=buf2)
    buf3 = buf2
    cpp_fused_sin_1(buf3)
    buf4 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf3, arg1_1, out=buf4)
    buf5 = buf4
    cpp_fused_exp_2(buf5)
    buf6 = empty_strided_cpu((4, 4), (4, 1), torch.float32)
    extern_kernels.mm(buf5, buf0, out=buf6)
    return (buf6,)
""")


@clause("T16.4")
def test_product_that_is_read_in_another_order(check: Check) -> None:
    """What reads a product in another order than it lies in is written beside it, not over what is still to read."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, order: torch.Tensor) -> dict[str, torch.Tensor]:
        twice = a @ a
        return {
            "from the end": (a @ b).flip(0) + c,
            "from the end of each row": (b @ c).flip(1) * a,
            "rolled": torch.roll(a @ c, 1, 0) - b,
            "rolled back": torch.roll(c @ a, (-2, -1), (0, 1)) + b,
            "turned": (b @ a).t() * c,
            "shifted": torch.nn.functional.pad((c @ b)[1:], (0, 0, 0, 1)) + a,
            "both ways": twice + twice.flip(0) * c,
            "by places": (b @ b)[order] + c,
            "gathered": (c @ c).gather(1, order.expand(6, 6)) - a,
        }

    order = tensor(6, dtype=torch.int64, values=[4, 0, 5, 2, 1, 3])
    check(program, *(tensor(6, 6) for _ in range(3)), order).unchanged(0, 1, 2).computed()


@clause("T16.4", on=("inductor",))
def test_buffer_under_a_returned_view_is_not_reused(check: Check) -> None:
    """A buffer that a returned view still shows keeps its data, though nothing reads the buffer itself again."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        shown = a @ b
        other = shown.relu() @ b
        return shown[1:].t(), (other @ b).sin()

    result = check(program, tensor(4, 4), tensor(4, 4)).distinct("out[0]", "out[1]").strides("out[0]", 1, 4)
    result.values().expect("""\
out[0] = float32[4, 3] [[-2.996, -2.06, 2.747], [0.3149, -0.02448, -0.2486], [-0.8064, 0.2857, -0.01734], [-4.469,
    -0.6627, 1.255]]
out[1] = float32[4, 4] [[0.6896, 0.6613, 0.7434, -0.7072], [0.682, -0.1963, 0.4851, 0.9989], [0.4906, -0.3095,
    0.553, 0.9183], [-0.2257, 0.2018, 0.9956, 0.4201]]
""")


@clause("T16.4", on=("inductor",))
def test_argument_is_nobody_s_buffer(check: Check) -> None:
    """An argument that is dead after its first use is the caller's all the same: no kernel writes over it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a.relu() + 1) @ b).sin() * 2

    result = check(program, tensor(4, 4), tensor(4, 4)).unchanged(0, 1).distinct("out", 0)
    result.values().expect("""\
out = float32[4, 4] [[0.2809, -1.754, -1.913, 0.09466], [-1.315, -1.719, -1.891, -0.807], [0.08007, -1.784, -1.74,
    -0.5888], [1.154, -1.866, -1.977, -1.116]]
""")


@clause("T16.4", modes="no_grad")
def test_computed_tensor_that_an_argument_is_given_is_not_written_to(check: Check) -> None:
    """A copy with some elements written is another tensor than its source, which an argument is given afterwards."""

    def program(
        a: torch.Tensor, given: torch.Tensor, rows: torch.Tensor, places: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        computed, sums = a.sin(), a.cumsum(0)
        written = computed.index_put((places,), values)
        added = sums.scatter_add(0, places, values)
        given.copy_(computed)
        rows.copy_(sums)
        return written, added

    arguments = tensor(5), tensor(5), tensor(5), tensor(2, dtype=torch.int64, values=[1, 3])
    check(program, *arguments, tensor(2, values=[50.0, 60.0])).mutated(1, 2)


@clause("T16.4", modes="train", on=("inductor",))
def test_saved_buffer_is_not_reused_before_backward(check: Check) -> None:
    """What forward saves is not written over by later kernels of forward: gradients are those of the saved values."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        first = (a @ b).sigmoid()
        second = (first @ b).tanh()
        return (second @ first).sigmoid() @ b

    check(program, tensor(4, 4), tensor(4, 4)).gradient(0, 1)


#: The tracker is defined for buffers that are neither reused nor written in place.
TRACKED: dict[str, object] = {
    "inductor.test_configs.track_memory_lifecycle": "assert",
    "inductor.allow_buffer_reuse": False,
    "inductor.inplace_buffers": False,
}


@clause("T16.3", on=("inductor",))
def test_lifetimes_are_as_planned(check: Check) -> None:
    """The tracker, which raises where a buffer is born or dies at another step than planned, finds nothing."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = (a @ b).relu()
        return (first @ b).sin() @ first, first[1:]

    result = check(program, tensor(4, 4), tensor(4, 4), config=TRACKED)
    result.distinct("out[0]", "out[1]")
    result.wrapper.expect("""\
def call(self, arg0_1, arg1_1):
    buf0 = tracked_empty_strided((4, 4), (4, 1), dtype=torch.float32, device='cpu', name='buf0')
    extern_kernels.mm(arg0_1, arg1_1, out=buf0)
    check_memory_step(allocated=['buf0'], freed=[])
    buf1 = tracked_empty_strided((4, 4), (4, 1), dtype=torch.float32, device='cpu', name='buf1')
    cpp_fused_relu_0(buf0, buf1)
    check_memory_step(allocated=['buf1'], freed=['buf0'])
    buf2 = tracked_empty_strided((4, 4), (4, 1), dtype=torch.float32, device='cpu', name='buf2')
    extern_kernels.mm(buf1, arg1_1, out=buf2)
    check_memory_step(allocated=['buf2'], freed=[])
    buf3 = tracked_empty_strided((4, 4), (4, 1), dtype=torch.float32, device='cpu', name='buf3')
    cpp_fused_sin_1(buf2, buf3)
    check_memory_step(allocated=['buf3'], freed=['buf2'])
    buf4 = tracked_empty_strided((4, 4), (4, 1), dtype=torch.float32, device='cpu', name='buf4')
    extern_kernels.mm(buf3, buf1, out=buf4)
    check_memory_step(allocated=['buf4'], freed=['buf1', 'buf3', 'buf4'], is_final_step=True)
    return (buf4, reinterpret_tensor(buf1, (3, 4), (4, 1), 4))
""")


@clause("T16.3", on=("inductor",), isolated=True)
def test_lifetimes_beside_a_mutated_argument(check: Check) -> None:
    """The tracker finds nothing either where a result is copied into an argument."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = (a @ b).relu()
        a.add_(first)
        return (first @ b).sin() @ first, first[1:]

    check(program, tensor(4, 4), tensor(4, 4), config=TRACKED).mutated(0)


@clause("T16.3", modes="train", on=("inductor",), isolated=True)
def test_lifetimes_in_backward_are_as_planned(check: Check) -> None:
    """The tracker finds nothing in a training graph either: what is saved outlives forward, and dies in backward."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a @ b).exp() @ b).tanh() @ a

    check(program, tensor(4, 4), tensor(4, 4), config=TRACKED).gradient(0, 1)
