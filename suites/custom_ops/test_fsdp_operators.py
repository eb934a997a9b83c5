"""The operators that fully sharded training traces, in one process: copies in and out of communication buffers."""

import torch

from suites.harness import Check, clause, tensor, torch_internals

torch_internals.register_fsdp_operators()


@clause("T14")
def test_pieces_copied_out_of_a_gathered_buffer(check: Check) -> None:
    """`fsdp.split_with_sizes_copy` writes the columns of a gathered buffer into parameters, each into its own."""

    def program(gathered: torch.Tensor, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        outs = [first.view(2, 2), second.view(2, 3)]
        torch.ops.fsdp.split_with_sizes_copy(gathered.view(2, 5), [2, 3], 1, out=outs)
        return first.sum() * second

    result = check(program, tensor(10), tensor(4), tensor(6))
    result.mutated(1, 2).unchanged(0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    view = torch.ops.aten.view.default(arg2_1, [2, 5])
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.fsdp.split_with_sizes_copy.default, _all_bases=[arg0_1, arg1_1], _out_0_base_index=0,
        _out_0_size=(2, 2), _out_0_storage_offset=0, _out_0_stride=(2, 1), _out_1_base_index=1, _out_1_size=(2, 3),
        _out_1_storage_offset=0, _out_1_stride=(3, 1), _out_length=2, all_gather_input_split_sizes=[2, 3],
        all_gather_output=view, dim=1,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    getitem_1 = operator.getitem(auto_functionalized_v2, 2)
    sum_1 = torch.ops.aten.sum.default(getitem)
    mul = torch.ops.aten.mul.Tensor(sum_1, getitem_1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem)
    copy__1 = torch.ops.aten.copy_.default(arg1_1, getitem_1)
    return (mul,)
""")


@clause("T14")
def test_chunks_of_gradients_in_a_reduction_buffer(check: Check) -> None:
    """`fsdp.chunk_cat` interleaves the chunks of several gradients in a buffer, which a view of it shows."""

    def program(a: torch.Tensor, b: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        torch.ops.fsdp.chunk_cat([a, b], 0, 2, out=buffer.view(2, 7))
        return buffer * 2

    result = check(program, tensor(3, 2), tensor(2, 3), tensor(14))
    result.mutated(2).unchanged(0, 1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.fsdp.chunk_cat.default, _all_bases=[arg0_1], _out_base_index=0, _out_size=(2, 7),
        _out_storage_offset=0, _out_stride=(7, 1), dim=0, num_chunks=2, tensors=[arg1_1, arg2_1],
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    mul = torch.ops.aten.mul.Tensor(getitem, 2)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem)
    return (mul,)
""")


@clause("T14")
def test_copy_into_a_parameter_stays_an_operator_of_its_own(check: Check) -> None:
    """`fsdp.copy_` into a parameter is not functionalized: it stays in the graph where it is, before what reads it."""

    def program(parameter: torch.Tensor, gathered: torch.Tensor) -> torch.Tensor:
        torch.ops.fsdp.copy_(parameter, gathered * 2)
        return parameter * 3

    result = check(program, tensor(4, grad=False), tensor(4, grad=False))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    copy_ = torch.ops.fsdp.copy_.default(arg1_1, mul)
    mul_1 = torch.ops.aten.mul.Tensor(arg1_1, 3)
    return (mul_1,)
""")


@clause("T14")
def test_copy_into_a_parameter_beside_a_functionalized_write(check: Check) -> None:
    """`fsdp.copy_` and an in-place op on one parameter are made in the order of the program."""

    def program(parameter: torch.Tensor, gathered: torch.Tensor) -> torch.Tensor:
        early = parameter * 5
        torch.ops.fsdp.copy_(parameter, gathered)
        return early + parameter

    check(program, tensor(4, grad=False), tensor(4, grad=False)).mutated(0).unchanged(1)


@clause("T14")
def test_gathered_range_of_all_gather_copy_in(check: Check) -> None:
    """`all_gather_copy_in` fills the range of its rank in the buffer with the inputs, one after the other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        buffer = torch.zeros(10)
        _, whole = torch.ops.fsdp.all_gather_copy_in([a, b], buffer, [2, 3], 5, 1)
        return whole * 2

    result = check(program, tensor(2, grad=False), tensor(3, grad=False)).unchanged(0, 1)
    result.values().expect("""\
out = float32[10] [0, 0, 0, 0, 0, 1.373, -5.26, -0.478, -2.764, -0.9121]
""")


@clause("T14", modes="train", golden="aot_eager_decomp_partition")
def test_parameter_is_saved_and_not_its_view(check: Check) -> None:
    """With `recompute_views` backward is handed the parameter that `fsdp.copy_` filled, not a view of its memory."""

    def program(x: torch.Tensor, parameter: torch.Tensor, gathered: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            torch.ops.fsdp.copy_(parameter, gathered)
        return x @ parameter.view(2, 3).t()

    specs = tensor(4, 3), tensor(6, grad=False), tensor(6, grad=False)
    result = check(program, *specs, config={"functorch.recompute_views": True})
    result.mutated(1).unchanged(0, 2).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    copy_ = torch.ops.fsdp.copy_.default(primals_1, primals_2)
    view = torch.ops.aten.view.default(primals_1, [2, 3])
    permute = torch.ops.aten.permute.default(view, [1, 0])
    mm = torch.ops.aten.mm.default(primals_3, permute)
    return (mm, primals_1)
""")
