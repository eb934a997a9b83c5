"""Outputs that are views of inputs: made again outside of the graph, so that they are views of the caller's tensors."""

import torch

from suites.harness import ANY, Check, clause, leaf, tensor, view_of


@clause("T7.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), inputs=("plain", "strided"), entry=ANY)
def test_view_of_an_input_is_a_view_of_the_caller_s_tensor(check: Check) -> None:
    """A returned view of an input has that input as its base; a copy, or a view of a copy, is wrong."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.view_as(a)[1:]

    result = check(program, tensor(4))
    result.aliases("out", 0).happened(result.facts("out").base is not None, "a view")
    result.forward.expect("""\
def forward(self, arg0_1):
    view = torch.ops.aten.view.default(arg0_1, [4])
    slice_1 = torch.ops.aten.slice.Tensor(view, 0, 1, 9223372036854775807)
    return (slice_1,)
""")


@clause("T7.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_chain_of_views_of_an_input(check: Check) -> None:
    """Transpose, slice, unsqueeze and expand of an input end at eager's strides and offset in the caller's memory."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.t()[1:, ::2].unsqueeze(1).expand(-1, 3, -1)

    result = check(program, tensor(4, 3))
    result.aliases("out", 0).shape("out", 2, 3, 2).strides("out", 1, 0, 6)


@clause("T7.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_as_strided_view_of_an_input(check: Check) -> None:
    """An as_strided view of an input, returned, has the size, strides and offset that were asked for."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.as_strided((2, 2), (3, 2), 1)

    result = check(program, tensor(8))
    result.aliases("out", 0).strides("out", 3, 2)
    result.happened(result.facts("out").offset == 1, "an offset of one element")


@clause("T7.1", modes=("train", "no_grad"), entry=ANY)
def test_view_of_a_mutated_input(check: Check) -> None:
    """A view of an input that the program mutates shows the new data and lies in the caller's memory."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a[1:]

    result = check(program, tensor(4))
    result.mutated(0).aliases("out", 0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    slice_1 = torch.ops.aten.slice.Tensor(mul, 0, 1, 9223372036854775807)
    return (mul, slice_1)
""")


@clause("T7.1", modes=("train", "no_grad"), entry=ANY)
def test_views_of_two_inputs(check: Check) -> None:
    """Views of two inputs, returned in the other order, each lie in their own input's memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return b.view(-1), a + 1, a.t()

    result = check(program, tensor(2, 3), tensor(2, 3))
    result.aliases("out[0]", 1).aliases("out[2]", 0).distinct("out[1]", 0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    view = torch.ops.aten.view.default(primals_1, [-1])
    add = torch.ops.aten.add.Tensor(primals_2, 1)
    t = torch.ops.aten.t.default(primals_2)
    return (view, add, t)
""")


@clause("T7.1", "T4.8", modes="train", entry=ANY)
def test_view_of_a_leaf_refuses_in_place_ops(check: Check) -> None:
    """An in-place op on a returned view of a leaf that requires grad raises, as it does in eager."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.view(-1)

    result = check(program, leaf(2, 2), strict_probe=True)
    result.aliases("out", 0).raised_in_place("out", "leaf")


@clause("T7.1", modes=("train", "no_grad"), entry=ANY)
def test_view_of_an_input_made_under_no_grad(check: Check) -> None:
    """A view of an input that was taken under no_grad shares its memory and hands no gradient on."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            view = a[1:]
        return view, a * 2

    check(program, tensor(4)).aliases("out[0]", 0).distinct("out[1]", 0)


@clause("T7.1", modes=("train", "no_grad"), shapes=("static", "dynamic"))
def test_view_of_an_input_for_other_offsets(check: Check) -> None:
    """A view of an input is made from the storage offset of each call's input, not from the first call's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[1:]

    first, second = tensor(8), tensor(8)
    result = check(program, calls=[(view_of(first, lambda t: t[:4]),), (view_of(second, lambda t: t[3:7]),)])
    result.aliases("out", 0)
    result.happened(result.in_call(1).facts("out").offset == 4, "another offset in the second call")


@clause("T7.1", "T7.9", modes=("no_grad", "inference"), entry=ANY)
def test_view_of_another_dtype(check: Check) -> None:
    """A returned view of an input's memory as integers is that memory, not a copy of its bits."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.view(torch.int32)

    result = check(program, tensor(4, grad=False))
    result.aliases("out", 0).happened(result.facts("out").dtype == "int32", "an integer view")


@clause("T7.1", modes=("train", "no_grad"), entry=ANY)
def test_real_view_of_a_complex_input(check: Check) -> None:
    """view_as_real of a complex input, returned, is the caller's memory: real and imaginary parts side by side."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.view_as_real(a)

    result = check(program, tensor(3, dtype=torch.complex64))
    result.aliases("out", 0).shape("out", 3, 2)


@clause("T7.1", modes=("train", "no_grad"), entry=ANY)
def test_lazy_conjugate_of_an_input(check: Check) -> None:
    """conj() of an input, returned, is a view of it: values conjugated, memory the caller's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.conj()

    check(program, tensor(3, dtype=torch.complex64)).aliases("out", 0)


@clause("T7.1", modes=("no_grad", "train"), shapes="dynamic", entry=ANY)
def test_rows_of_an_input_as_another_dtype(check: Check) -> None:
    """Rows from a place that the sizes decide, as real numbers, as complex ones, as bits, are the caller's memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        half = a.shape[0] // 2
        return torch.view_as_real(a[half:]), torch.view_as_complex(b[half:]), b.detach()[half:].view(torch.int32)

    calls = [(tensor(rows, 2, dtype=torch.complex64), tensor(rows, 2)) for rows in (4, 7)]
    result = check(program, calls=calls)
    result.aliases("out[0]", 0).aliases("out[1]", 1).aliases("out[2]", 1).in_call(1).shape("out[0]", 4, 2, 2)


@clause("T7.1", "T7.4", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_split_of_an_input(check: Check) -> None:
    """The pieces of a split input, returned, lie one after another in the caller's memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.split(2)

    result = check(program, tensor(6))
    result.aliases("out[0]", 0).aliases("out[2]", 0)
    result.happened(result.facts("out[2]").offset == 4, "the last piece at offset 4")


@clause("D11", "T7.1", modes="train")
def test_output_of_an_inference_mode_region(check: Check) -> None:
    """A tensor computed under inference_mode inside the program is an inference tensor when it comes out."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.inference_mode():
            return a + 1

    result = check(program, tensor(4, grad=False))
    result.happened(result.facts("out").inference, "an inference tensor")
