"""One compiled program, many sizes: zero, one, equal, unequal, and every remainder of a vector's width."""

import torch

from suites.harness import ANY, Check, clause, leaf, tensor


@clause("dynamic-shapes.sizes", "T6.7", modes="train", shapes=("dynamic", "static"))
def test_sizes_across_vector_widths(check: Check) -> None:
    """Every size from 1 to 17, so below, at and above a vector's width, gives that size's own values and gradients."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * b + b, (a.sin() * b).sum()

    sizes = (3, 1, 2, 4, 5, 7, 8, 9, 15, 16, 17)
    result = check(program, calls=[(tensor(size), tensor(size)) for size in sizes], probe=False)
    lengths = [call.tensors["out[0]"].shape for call in result.expected.calls]
    result.gradient(0, 1).happened(lengths == [(size,) for size in sizes], "every size")


@clause("dynamic-shapes.sizes", shapes="dynamic")
def test_inner_sizes_across_vector_widths(check: Check) -> None:
    """A row's reduction is over that row alone, whatever remainder the row's size leaves of a vector."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.amax(1), a.cumsum(1)

    sizes = (6, 2, 7, 8, 9, 15, 17, 33)
    result = check(program, calls=[(tensor(3, size),) for size in sizes], probe=False)
    result.recompiled(0).shape("out[1]", 3, 6)
    result.values().expect("""\
out[0] = float32[3] [0.6474, 0.2713, 0.08515]
out[1] = float32[3, 6] [[-0.3922, -1.562, -0.9142, -1.717, -1.08, -1.311], [-0.3132, -2.465, -2.193, -2.705, -3.414,
    -5.157], [-1.218, -1.133, -1.552, -3.692, -4.286, -5.365]]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [-0.2729, 0.9096, -0.4786]
out[1] = float32[3, 2] [[-0.5028, -0.7757], [-0.06803, 0.8416], [-0.4786, -1.002]]
""")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic", entry=ANY)
def test_equal_sizes_then_unequal_ones(check: Check) -> None:
    """Two sizes that happened to be equal in the first call may differ in the next."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a * b.size(0), b + a.size(0)])

    result = check(program, calls=[(tensor(4), tensor(4)), (tensor(3), tensor(7)), (tensor(6), tensor(2))])
    result.gradient(0, 1).shape("out", 8)


@clause("dynamic-shapes.sizes", shapes="dynamic")
def test_unequal_sizes_are_not_mistaken_for_equal_ones(check: Check) -> None:
    """A program whose branch asks whether two sizes are equal answers for the call at hand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        if a.size(0) == b.size(0):
            return a + b
        return a.sum() - b.sum()

    result = check(program, calls=[(tensor(4), tensor(5)), (tensor(4), tensor(4)), (tensor(6), tensor(3))])
    shapes = [call.tensors["out"].shape for call in result.expected.calls]
    result.happened(shapes == [(), (4,), ()], "both branches")
    result.values().expect("""\
out = float32[] -2.306
""")
    result.in_call(1).values().expect("""\
out = float32[4] [-0.9814, -0.7961, 2.02, 1.136]
""")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_size_one_broadcasts(check: Check) -> None:
    """A size that was no 1 at first broadcasts once it is, and gives its gradient the size 1."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b

    calls = [(tensor(3, 4), tensor(3, 4)), (tensor(3, 4), tensor(1, 4)), (tensor(1, 4), tensor(5, 1))]
    result = check(program, calls=calls)
    last = result.in_call(2).facts("out").shape
    result.gradient(0, 1).shape("out", 3, 4).happened(last == (5, 4), "broadcasting of both")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_size_one_first_then_larger(check: Check) -> None:
    """A program first called with a dimension of size 1 does not take every later one for a broadcast."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b).squeeze(0)

    calls = [(tensor(1, 3), tensor(2, 3)), (tensor(2, 3), tensor(2, 3)), (tensor(1, 5), tensor(1, 5))]
    result = check(program, calls=calls)
    last = result.in_call(2).facts("out").shape
    result.gradient(0, 1).shape("out", 2, 3).happened(last == (5,), "a squeezed dimension")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_size_zero_after_others(check: Check) -> None:
    """A call without elements gives the reduction's neutral value, empty outputs and empty gradients."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return a.sum(0) + 3, a.prod(0), a * 2

    result = check(program, calls=[(tensor(4, 2),), (tensor(0, 2),), (tensor(3, 2),)])
    empty = result.in_call(1).call.tensors
    result.gradient(0).happened(empty["out[2]"].shape == (0, 2), "a call without elements")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_size_zero_first(check: Check) -> None:
    """What was compiled for a call without elements is right for one that has some."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.mm(a, b) + 1

    result = check(program, calls=[(tensor(2, 0), tensor(0, 3)), (tensor(2, 4), tensor(4, 3))])
    result.shape("out", 2, 3).happened(len(result.expected.calls) == 2, "a second call")
    result.values().expect("""\
out = float32[2, 3] [[1, 1, 1], [1, 1, 1]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 3] [[1.556, 2.304, 1.654], [0.7388, -1.564, 0.8509]]
""")


@clause("dynamic-shapes.sizes", modes="train", shapes=("dynamic", "static"))
def test_cat_of_pieces_of_which_one_is_empty(check: Check) -> None:
    """`cat` of pieces whose sizes change, one of them zero, puts each where its predecessors end."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, b * 2, c * 3])

    sizes = [(2, 3, 4), (0, 3, 1), (5, 0, 2), (2, 1, 0)]
    result = check(program, calls=[tuple(tensor(size, 2) for size in each) for each in sizes], probe=False)
    result.gradient(0, 1, 2).shape("out", 9, 2)


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_gradient_of_an_expanded_input(check: Check) -> None:
    """The gradient of an input that is expanded to a symbolic size is summed over that size."""

    def program(a: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        return a.expand(like.size(0), -1) * like

    calls = [(leaf(1, 3), tensor(4, 3)), (leaf(1, 3), tensor(7, 3)), (leaf(1, 5), tensor(2, 5))]
    result = check(program, calls=calls)
    result.gradient(0, 1).recompiled(0)
    result.backward.expect("""\
def forward(self, primals_3, primals_1, primals_2, primals_4, tangents_1):
    expand = torch.ops.aten.expand.default(primals_2, [primals_3, -1])
    mul = torch.ops.aten.mul.Tensor(tangents_1, expand)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, primals_4)
    sum_1 = torch.ops.aten.sum.dim_IntList(mul_1, [0], True)
    return (None, sum_1, None, mul)
""")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_gradient_of_a_mean_divides_by_the_size_of_the_call(check: Check) -> None:
    """What backward divides by is the size of the call at hand, also where that size is all that it needs."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.mean() * 4 + a.mean(0).sum()

    result = check(program, calls=[(tensor(4, 3),), (tensor(7, 2),), (tensor(2, 9),)], probe=False)
    result.gradient(0).recompiled(0)
    result.backward.expect("""\
def forward(self, primals_1, primals_2, tangents_1):
    expand = torch.ops.aten.expand.default(tangents_1, [primals_2])
    unsqueeze = torch.ops.aten.unsqueeze.default(expand, 0)
    expand_1 = torch.ops.aten.expand.default(unsqueeze, [primals_1, primals_2])
    div = torch.ops.aten.div.Scalar(expand_1, primals_1)
    mul = torch.ops.aten.mul.Tensor(tangents_1, 4)
    expand_2 = torch.ops.aten.expand.default(mul, [primals_1, primals_2])
    mul_1 = operator.mul(primals_1, primals_2)
    div_1 = torch.ops.aten.div.Scalar(expand_2, mul_1)
    add = torch.ops.aten.add.Tensor(div, div_1)
    return (None, None, add)
""")


@clause("dynamic-shapes.sizes", "T3.6", shapes="dynamic")
def test_in_place_write_through_a_view_of_symbolic_size(check: Check) -> None:
    """A write through a slice whose ends are halves of the size lands on those elements in every call."""

    def program(a: torch.Tensor) -> torch.Tensor:
        half = a.size(0) // 2
        a[half:].mul_(3)
        a[:half].add_(a.size(0))
        return a[half - 1 : half + 1] * 2

    result = check(program, calls=[(tensor(6),), (tensor(9),), (tensor(4),)])
    result.mutated(0).recompiled(0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    floordiv = operator.floordiv(arg0_1, 2)
    slice_1 = torch.ops.aten.slice.Tensor(arg1_1, 0, floordiv, 9223372036854775807)
    mul = torch.ops.aten.mul.Tensor(slice_1, 3)
    slice_scatter = torch.ops.aten.slice_scatter.default(arg1_1, mul, 0, floordiv, 9223372036854775807)
    slice_2 = torch.ops.aten.slice.Tensor(slice_scatter, 0, 0, floordiv)
    add = torch.ops.aten.add.Tensor(slice_2, arg0_1)
    slice_scatter_1 = torch.ops.aten.slice_scatter.default(slice_scatter, add, 0, 0, floordiv)
    sub = operator.sub(floordiv, 1)
    add_1 = operator.add(floordiv, 1)
    slice_3 = torch.ops.aten.slice.Tensor(slice_scatter_1, 0, sub, add_1)
    mul_1 = torch.ops.aten.mul.Tensor(slice_3, 2)
    copy_ = torch.ops.aten.copy_.default(arg1_1, slice_scatter_1)
    return (mul_1,)
""")


@clause("dynamic-shapes.sizes", "T7.9", shapes="dynamic")
def test_clone_of_a_slice_of_symbolic_size_is_memory_of_its_own(check: Check) -> None:
    """A clone of a part of what was written is no larger than that part, and begins where its memory begins."""

    def program(a: torch.Tensor) -> torch.Tensor:
        half = a.size(0) // 2
        a[half:].mul_(3)
        a[:half].add_(a.size(0))
        return a[half - 1 : half + 1].clone()

    result = check(program, calls=[(tensor(6),), (tensor(9),), (tensor(4),)])
    result.mutated(0).distinct("out", 0).storage_bytes("out", 8)


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_views_of_symbolic_size_alias_their_input(check: Check) -> None:
    """Views whose sizes, strides and offset follow the call's own sizes share the input's memory in every call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return a.t(), a[1:, :-1], a.unfold(0, 2, 1)

    result = check(program, calls=[(tensor(4, 3),), (tensor(6, 5),), (tensor(3, 8),)])
    offsets = [call.tensors["out[1]"].offset for call in result.expected.calls]
    result.aliases("out[0]", 0).aliases("out[1]", 0).aliases("out[2]", 0)
    result.recompiled(0).happened(offsets == [3, 5, 8], "offsets that follow the sizes")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_reshape_with_an_inferred_size(check: Check) -> None:
    """`reshape(-1, k)` infers its size from the call's own, or raises where the elements do not divide."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.reshape(-1, 4) * 2, a.flatten(0, 1) + 1

    result = check(program, calls=[(tensor(2, 6),), (tensor(4, 5),), (tensor(3, 3),), (tensor(8, 1),)])
    error = result.in_call(2).call.error
    result.gradient(0).shape("out[0]", 3, 4).happened(error is not None, "a refused third call")


@clause("dynamic-shapes.sizes", shapes="dynamic")
def test_sizes_that_do_not_match_raise(check: Check) -> None:
    """Sizes that matched in the first call and do not in the second are refused as eager refuses them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a @ b + 1

    result = check(program, calls=[(tensor(2, 3), tensor(3, 4)), (tensor(2, 3), tensor(5, 4))])
    error = result.in_call(1).call.error
    result.shape("out", 2, 4).happened(error is not None and "shape" in error.message, "a refused second call")


@clause("dynamic-shapes.sizes", shapes="dynamic")
def test_split_into_a_number_of_pieces_that_changes(check: Check) -> None:
    """The number of pieces and the size of the last follow the call's own size."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        return [piece * (number + 1) for number, piece in enumerate(a.split(3))]

    result = check(program, calls=[(tensor(6),), (tensor(8),), (tensor(2),), (tensor(9),)], probe=False)
    counts = [sum(path.startswith("out") for path in call.tensors) for call in result.expected.calls]
    result.happened(counts == [2, 3, 1, 3], "other numbers of pieces")
    result.values().expect("""\
out[0] = float32[3] [0.6865, -2.63, -0.239]
out[1] = float32[3] [-2.764, -0.9121, 2.03]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [-0.5028, -0.2729, -0.06803]
out[1] = float32[3] [1.819, -0.9572, -1.046]
out[2] = float32[2] [6.264, 0.6801]
""")


@clause("dynamic-shapes.sizes", modes="train", shapes="dynamic")
def test_factories_take_symbolic_sizes(check: Check) -> None:
    """`arange`, `zeros`, `full` and `eye` of an input's sizes have those of the call at hand."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows, columns = a.shape
        at = a.device
        grid = torch.arange(rows, device=at)[:, None] * columns + torch.arange(columns, device=at)
        row = torch.full((columns,), rows, device=at) + torch.zeros(columns, device=at)
        return a * grid, torch.eye(rows, columns, device=at) + row

    result = check(program, calls=[(tensor(3, 4),), (tensor(5, 2),), (tensor(2, 7),)])
    result.gradient(0).shape("out[1]", 3, 4).recompiled(0)


@clause("dynamic-shapes.sizes", shapes="dynamic")
def test_slices_of_symbolic_size_with_any_bounds(check: Check) -> None:
    """A bound counts from the end where it is negative, and one beyond an end is that end, in every call."""
    bounds = [(start, stop) for start in (None, -9, -3, 0, 2, 8) for stop in (None, -8, -2, 0, 3, 9)]
    parts = [*(slice(*each) for each in bounds), *(slice(*each, 2) for each in bounds[::5]), slice(-9, 9, 3)]

    def program(a: torch.Tensor) -> list[object]:
        return [(a[part].sum(0), a[part].shape[0], a[:, part].stride(0)) for part in parts]

    calls = [(tensor(rows, 5),) for rows in (6, 7, 5)]
    result = check(program, calls=calls)
    result.happened(result.value("out[9][0]").isfinite().all().item() is True, "a slice of what is there")
