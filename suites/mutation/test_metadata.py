"""Metadata mutation of inputs: in-place ops that change sizes, strides or offset and not the data.

Dynamo takes no in-place metadata op on an input into a graph, so what AOTAutograd promises about them is checked
without Dynamo, and what `torch.compile` promises is checked with graph breaks allowed.
"""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, clause, tensor, view_of


@clause("T5.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_transposing_an_input_happens_outside_of_the_graph(check: Check) -> None:
    """`t_` of an input leaves the caller's tensor transposed, over the same memory, and no `copy_` is needed for it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.t_()
        return a * 2

    result = check(program, tensor(3, 4))
    result.shape(0, 4, 3).strides(0, 1, 4).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    view = torch.ops.aten.view.default(primals_1, [3, 4])
    t = torch.ops.aten.t.default(view)
    mul = torch.ops.aten.mul.Tensor(t, 2)
    return (t, mul)
""")


@clause("T5.1", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_unsqueezing_an_input(check: Check) -> None:
    """`unsqueeze_` of an input leaves the caller's tensor with one more dimension."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.unsqueeze_(0)
        return a + 1

    result = check(program, tensor(3, 4))
    result.shape(0, 1, 3, 4).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    view = torch.ops.aten.view.default(primals_1, [3, 4])
    unsqueeze = torch.ops.aten.unsqueeze.default(view, 0)
    add = torch.ops.aten.add.Tensor(unsqueeze, 1)
    return (unsqueeze, add)
""")


@clause("T5.1", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_squeezing_an_input(check: Check) -> None:
    """`squeeze_` of an input drops the caller's dimension of size one, and nothing else."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.squeeze_(1)
        return a + 1

    check(program, tensor(3, 1, 4)).shape(0, 3, 4).gradient(0)


@clause("T5.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_metadata_ops_in_a_row(check: Check) -> None:
    """`transpose_`, `unsqueeze_`, `swapaxes_` and `as_strided_` in a row leave the last one's sizes and strides."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.transpose_(0, 1)
        a.unsqueeze_(1)
        a.swapaxes_(0, 2)
        a.as_strided_((2, 2), (1, 4), 1)
        return a * 2

    check(program, tensor(3, 4)).shape(0, 2, 2).strides(0, 1, 4)


@clause("T5.1", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_input_that_keeps_its_sizes_and_strides(check: Check) -> None:
    """A square input that is transposed has other strides alone, one that is moved within its memory another offset
    alone: each is what the caller's tensor has, too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.t_()
        b.as_strided_((2,), (1,), 0)
        return a * 2 + b.sum()

    result = check(program, tensor(3, 3, values=list(range(9))), view_of(tensor(6), lambda t: t[1:3]))
    result.strides(0, 1, 3).happened(result.call.tensors["arg[1]"].offset == 0, "an offset of none")


@clause("T5.1", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_metadata_ops_that_cancel_out_leave_the_input_alone(check: Check) -> None:
    """An input transposed twice is as it was, and the graph returns nothing for it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.t_()
        doubled = a * 2
        a.t_()
        return doubled

    check(program, tensor(3, 4)).unchanged(0).shape(0, 3, 4).shape("out", 4, 3).requires_grad("out")


@clause("T5.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_metadata_and_data_mutation_of_one_input(check: Check) -> None:
    """An input transposed and then multiplied has both when the call returns: data goes back in the new shape."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.t_()
        a.add_(b)
        return a + 1

    result = check(program, tensor(3, 4), tensor(4, 1))
    result.mutated(0).shape(0, 4, 3).gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    t = torch.ops.aten.t.default(clone)
    add = torch.ops.aten.add.Tensor(t, primals_2)
    t_1 = torch.ops.aten.t.default(add)
    t_2 = torch.ops.aten.t.default(t_1)
    add_1 = torch.ops.aten.add.Tensor(t_2, 1)
    return (t_2, add_1)
""")


@clause("T5.1", "T3.7", shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_data_mutation_of_an_input_moved_within_its_memory(check: Check) -> None:
    """An input that is moved to another place of its memory and multiplied there is there when the call returns: an
    alias that the program does not know of has what was written there, and nowhere else."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.as_strided_((2, 2), (1, 4), 5)
        a.mul_(b)
        return a + 1

    def program(
        compile_part: Callable[[Any], Any], a: torch.Tensor, b: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        whole = a.detach()
        out = compile_part(part)(a, b)
        return out, whole * 2

    result = check(program, tensor(3, 4), tensor(2, 1), in_parts=True)
    result.mutated(0).shape(0, 2, 2).strides(0, 1, 4).computed()


@clause("T5.1", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_output_view_of_a_transposed_input(check: Check) -> None:
    """A view taken after the input was transposed is returned as a view of the caller's transposed tensor."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.t_()
        return a[1:]

    result = check(program, tensor(3, 4))
    result.shape(0, 4, 3).aliases("out", "arg[0]").shape("out", 3, 3)
    result.forward.expect("""\
def forward(self, arg0_1):
    t = torch.ops.aten.t.default(arg0_1)
    slice_1 = torch.ops.aten.slice.Tensor(t, 0, 1, 9223372036854775807)
    return (t, slice_1)
""")


@clause("T5.1", modes=("train", "no_grad"), entry=AOT_FUNCTION)
def test_transposed_input_returned_itself(check: Check) -> None:
    """An input that is transposed and returned comes back as the caller's own, transposed, tensor."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.transpose_(1, 0)
        return a

    check(program, tensor(3, 4)).shape(0, 4, 3).same_object("out", "arg[0]")


@clause("T5.1", shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_view_input_is_transposed_and_its_base_is_not(check: Check) -> None:
    """`t_` of a view changes that tensor object alone: its base keeps its shape, and its memory is still shared."""

    def program(view: torch.Tensor, base: torch.Tensor) -> torch.Tensor:
        view.t_()
        view.mul_(2)
        return base + 1

    base = tensor(3, 4)
    result = check(program, view_of(base, lambda t: t[1:]), base)
    result.mutated(1).shape(0, 4, 2).shape(1, 3, 4).aliases(0, 1)


@clause("T5.1", entry=AOT_FUNCTION)
def test_resizing_an_input(check: Check) -> None:
    """`resize_` to fewer elements leaves the caller's tensor with the new sizes over the same data."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.resize_(2, 2)
        return a * 2

    check(program, tensor(3, 4, grad=False)).shape(0, 2, 2).strides(0, 2, 1)


@clause("T5.2", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_three_kinds_of_alias_at_once(check: Check) -> None:
    """A transposed input, a view of an intermediate and a view of an input are each rebuilt as the alias they are."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        a.t_()
        fresh = a * 2
        return fresh[0], b[1:], fresh

    result = check(program, tensor(3, 4), tensor(3))
    result.shape(0, 4, 3).aliases("out[0]", "out[2]").aliases("out[1]", "arg[1]").gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    view = torch.ops.aten.view.default(primals_1, [3, 4])
    t = torch.ops.aten.t.default(view)
    mul = torch.ops.aten.mul.Tensor(t, 2)
    select = torch.ops.aten.select.int(mul, 0, 0)
    slice_1 = torch.ops.aten.slice.Tensor(primals_2, 0, 1, 9223372036854775807)
    return (t, select, slice_1, mul)
""")


@clause("T5.3", modes=("no_grad", "train"), inputs="subclass", entry=AOT_FUNCTION)
def test_transposing_a_subclass_input(check: Check) -> None:
    """`t_` of a wrapper-subclass input transposes the caller's tensor."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.t_()
        return a * 2

    check(program, tensor(3, 4)).shape(0, 4, 3)


@clause("T5.3", modes=("train", "no_grad"), shapes=("static", "dynamic"), inputs=("plain", "subclass"), fullgraph=False)
def test_transposing_an_input_of_a_compiled_program(check: Check) -> None:
    """Through torch.compile, by a graph break, `t_` leaves the caller's tensor transposed and the rest is compiled."""

    def program(a: torch.Tensor) -> torch.Tensor:
        before = a + 1
        a.t_()
        return before.t() * a

    check(program, tensor(3, 4)).shape(0, 4, 3).shape("out", 4, 3)


@clause("T5.1", fullgraph=False)
def test_resizing_an_input_of_a_compiled_program(check: Check) -> None:
    """Through torch.compile, by a graph break, `resize_` changes the caller's sizes between two compiled parts."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        a.resize_(2, 2)
        return a + 1

    check(program, tensor(3, 4, grad=False)).shape(0, 2, 2).shape("out", 2, 2)


@clause("T5.1", modes=("train", "no_grad"), entry=ANY)
def test_metadata_mutation_of_an_intermediate(check: Check) -> None:
    """A fresh tensor transposed in place and written to afterwards comes out with the strides that it has in eager."""

    def program(a: torch.Tensor) -> torch.Tensor:
        fresh = a * 2
        fresh.t_()
        fresh[0].add_(1)
        fresh.unsqueeze_(0)
        return fresh

    result = check(program, tensor(3, 4)).unchanged(0).strides("out", 4, 1, 4)
    result.values().expect("""\
out = float32[1, 4, 3] [[[2.373, 0.08787, -1.264], [-5.26, 2.03, -4.445], [-0.478, -3.173, 0.3338], [-2.764, 1.802,
    -0.2831]]]
""")
