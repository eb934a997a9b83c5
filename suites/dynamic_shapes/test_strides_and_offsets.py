"""Strides, offsets and aliases that follow the sizes, and inputs whose sizes are expressions of each other."""

import torch

from suites.harness import Check, clause, tensor, view_of


@clause("T16.11", shapes="dynamic", fullgraph=False)
def test_graph_break_between_expressions_of_several_symbols(check: Check) -> None:
    """What one graph leaves the next, of a size that is a sum of products of symbols, has the call's own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        joined = torch.cat([a.reshape(-1), b.repeat(2)])
        torch._dynamo.graph_break()
        return joined * joined.size(0), joined[a.numel() :] + b.size(0)

    calls = [(tensor(3, 4), tensor(5)), (tensor(2, 5), tensor(3)), (tensor(4, 4), tensor(7))]
    result = check(program, calls=calls)
    result.values().expect("""\
out[0] = float32[22] [15.1, -57.86, -5.258, -30.4, -10.03, 22.33, -34.9, 19.82, -24.9, -48.89, 3.672, -3.114,
    -50.89, -12.9, -10.59, -9.137, -49.32, -50.89, -12.9, -10.59, -9.137, -49.32]
out[1] = float32[10] [2.687, 4.414, 4.519, 4.585, 2.758, 2.687, 4.414, 4.519, 4.585, 2.758]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[16] [-8.044, -4.366, -1.089, 14.55, -7.658, -8.372, 33.41, 3.627, -0.5725, 6.984, 12.41, 16.26,
    -5.107, 12.41, 16.26, -5.107]
out[1] = float32[6] [3.776, 4.016, 2.681, 3.776, 4.016, 2.681]
""")


@clause("T16.11", "T6.7", shapes="dynamic")
def test_inputs_whose_sizes_are_sums_of_others(check: Check) -> None:
    """Inputs whose sizes are related in one call, and not in the next, are no instances of that relation."""

    def program(a: torch.Tensor, b: torch.Tensor, both: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, b]).sum() * both if both.size(0) == a.size(0) + b.size(0) else both[: a.size(0)] - a

    calls = [(tensor(3), tensor(4), tensor(7)), (tensor(2), tensor(6), tensor(8)), (tensor(3), tensor(4), tensor(9))]
    result = check(program, calls=calls)
    result.shape("out", 7)
    result.in_call(2).shape("out", 3)
    result.values().expect("""\
out = float32[7] [-4.136, 5.198, 10.21, -0.7665, 0.65, 10.62, 2.692]
""")
    result.in_call(1).values().expect("""\
out = float32[8] [-0.04933, 0.6018, 1.069, 1.401, -0.4401, -2.289, 0.03284, -1.886]
""")


@clause("dynamic-shapes.strides", shapes=("dynamic", "static"), on=("aot_eager_decomp_partition",))
def test_strides_told_of_views_and_copies(check: Check) -> None:
    """Of views of an input and of what is computed, and of copies of them, the program is told the strides."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[tuple[tuple[int, ...], bool]]]:
        found: list[torch.Tensor] = []
        for b in (a, a * 2, a.transpose(0, 2).cos()):
            found += [
                b.select(0, 1),
                b.select(1, -1),
                b.select(-1, 0),
                b[:, 1],
                b[..., -1],
                b[1, :, 0],
                b[None, 1:, ::2],
            ]
            found += [b.transpose(0, 1), b.permute(2, 0, 1), b.movedim(-1, 0), b.mT, b.narrow(2, 1, 1), b[1:, :, 1:]]
            found += [b.unfold(1, 2, 1), b.diagonal(0, 0, 2), b.unsqueeze(1), b[:1].squeeze(0), b[:1].expand(4, -1, -1)]
            found += [*b.split(1, 1), *b.unbind(2)[:2], b.chunk(2, 0)[-1], b.view_as(b), b.unflatten(1, (1, -1))]
            turned = b.permute(1, 2, 0)
            found += [
                turned.clone(),
                turned.contiguous(),
                turned.double(),
                turned + 1,
                turned.flip(0),
                turned.roll(1, 0),
            ]
            found += [turned.masked_fill(turned > 0, 1.0), torch.where(turned > 0, turned, 0.0), turned.clamp(min=0)]
            found += [torch.zeros_like(turned), turned.new_zeros(turned.shape), turned.softmax(0), turned.cumsum(1)]
            found += [turned.sum(0), turned.amax(1, keepdim=True), turned.sort(0)[0], torch.cat([turned, turned], 1)]
            found += [turned.reshape(-1, turned.size(1)), turned.flatten(1), turned.tril(), turned.repeat(2, 1, 1)]
            found += [turned.index_select(0, torch.tensor([0, 1], device=a.device)), turned[turned.size(0) - 2 :]]
            found += [turned @ turned.mT, torch.stack([turned, turned]), turned.gather(0, turned.argsort(0))]
        told = [(tuple(each.stride()), each.is_contiguous()) for each in found]
        return torch.stack([each.sum() for each in found]), told

    check(program, calls=[(tensor(3, 4, 5),), (tensor(5, 3, 4),)]).computed()


@clause("dynamic-shapes.strides", modes="train", shapes=("dynamic", "static"))
def test_padded_rows_of_other_strides(check: Check) -> None:
    """A row stride larger than the row is the call's own, in values and in the strides of a view returned."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * 2 + a.stride(0), a[:, 1:]

    layouts = [((3, 4), (4, 1)), ((3, 4), (6, 1)), ((2, 5), (9, 1)), ((3, 4), (1, 3))]
    result = check(program, calls=[(tensor(*shape, strides=strides),) for shape, strides in layouts], probe=False)
    last = result.in_call(3).facts("out[1]").strides
    result.strides("out[1]", 4, 1).happened(last == (1, 3), "columns that lie together")
    result.values().expect("""\
out[0] = float32[3, 4] [[5.373, -1.26, 3.522, 1.236], [3.088, 6.03, 0.8268, 5.802], [1.736, -0.4446, 4.334, 3.717]]
out[1] = float32[3, 3] [[-2.63, -0.239, -1.382], [1.015, -1.587, 0.9008], [-2.222, 0.1669, -0.1415]]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3, 4] [[4.994, 5.454, 5.864, 7.819], [5.043, 4.954, 10.18, 6.453], [5.928, 6.873, 7.551, 8.033]]
out[1] = float32[3, 3] [[-0.2729, -0.06803, 0.9096], [-0.5232, 2.088, 0.2267], [0.4365, 0.7756, 1.016]]
""")


@clause("dynamic-shapes.strides", "T6.7", shapes=("dynamic", "static"))
def test_offsets_of_inputs_that_are_views(check: Check) -> None:
    """An input's storage offset is the call's own: what is written and what is returned as a view begin there."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a[1:3]

    result = check(program, calls=[(tensor(4, offset=offset),) for offset in (0, 3, 1, 7)])
    offsets = [call.tensors["out"].offset for call in result.expected.calls]
    result.mutated(0).aliases("out", 0).happened(offsets == [1, 4, 2, 8], "other offsets")


@clause("dynamic-shapes.strides", shapes=("dynamic", "static"))
def test_strided_view_at_an_offset_into_the_storage(check: Check) -> None:
    """`as_strided` counts its offset from the beginning of the storage, not from where the input begins."""

    def program(a: torch.Tensor, offset: int) -> tuple[torch.Tensor, torch.Tensor]:
        window = a.as_strided((2,), (1,), offset)
        return window, window * 2 + a.sum()

    result = check(program, calls=[(tensor(4, offset=offset), offset + 1) for offset in (0, 3, 2, 5)])
    result.aliases("out[0]", 0)


@clause("dynamic-shapes.strides", "T3.4")
def test_strided_view_at_an_offset_into_the_storage_of_a_mutated_input(check: Check) -> None:
    """`as_strided` counts its offset from the beginning of the storage also where the input was written to before."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a.as_strided((2,), (1,), 4) + 1

    check(program, calls=[(tensor(4, offset=3),), (tensor(6, offset=3),)]).mutated(0)


@clause("dynamic-shapes.strides", modes="train", shapes="dynamic")
def test_output_strides_follow_the_sizes(check: Check) -> None:
    """Outputs that eager gives transposed or channels-last strides have them for the sizes of every call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.transpose(0, 2) * 2, a[None].contiguous(memory_format=torch.channels_last).sin()

    result = check(program, calls=[(tensor(2, 3, 4),), (tensor(5, 2, 3),), (tensor(3, 4, 2),)], probe=False)
    result.gradient(0).strides("out[0]", 1, 4, 12).recompiled(0)


@clause("dynamic-shapes.strides", shapes="dynamic")
def test_strided_view_of_computed_strides(check: Check) -> None:
    """`as_strided` by strides and an offset computed of sizes reads the diagonal of the call's own matrix."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows, columns = a.shape
        diagonal = a.as_strided((min(rows, columns) - 1,), (columns + 1,), 1)
        return diagonal, a.sum() - diagonal.sum()

    result = check(program, calls=[(tensor(4, 5),), (tensor(3, 7),), (tensor(6, 3),)])
    result.aliases("out[0]", 0).strides("out[0]", 6).recompiled(0)


@clause("T6.7", "T6.1", modes="train", shapes="dynamic")
def test_overlapping_inputs_of_equal_integer_arguments(check: Check) -> None:
    """Overlapping inputs beside integers that equal their sizes stay apart from them once they differ."""

    def program(base: torch.Tensor, view: torch.Tensor, n: int, m: int) -> tuple[torch.Tensor, int]:
        view.mul_(n)
        return base[:m] + view.size(0), n - m

    first, second = tensor(6), tensor(8)
    calls = [
        (first, view_of(first, lambda t: t[2:]), 4, 4),
        (second, view_of(second, lambda t: t[3:]), 7, 2),
    ]
    result = check(program, calls=calls)
    result.mutated(0, 1)
    result.in_call(1).holds("out[1]", 5)


@clause("T6.7", shapes="dynamic")
def test_overlap_that_depends_on_the_sizes(check: Check) -> None:
    """Two windows of one buffer that overlap in one call by their sizes, and not in another, see each their writes."""

    def program(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        left.add_(left.size(0))
        right.mul_(2)
        return left.sum(), right.cumsum(0)

    bases = [tensor(9) for _ in range(3)]
    calls = [
        (view_of(bases[0], lambda t: t[:5]), view_of(bases[0], lambda t: t[3:])),
        (view_of(bases[1], lambda t: t[:3]), view_of(bases[1], lambda t: t[3:])),
        (view_of(bases[2], lambda t: t[:7]), view_of(bases[2], lambda t: t[4:])),
    ]
    check(program, calls=calls).mutated(0, 1)


@clause("numbers.low-precision", shapes=("dynamic", "static"))
def test_repeated_elements_of_a_transposed_tensor_backwards(check: Check) -> None:
    """A transposed tensor flattened, repeated element by element and flipped has its last elements first."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a.t() * 1).flatten().repeat_interleave(2).flip(0)

    result = check(program, calls=[(tensor(2, 3),), (tensor(4, 3),)])
    result.values().expect("""\
out = float32[12] [1.015, 1.015, -0.239, -0.239, -0.4561, -0.4561, -2.63, -2.63, -1.382, -1.382, 0.6865, 0.6865]
""")
    result.in_call(1).values().expect("""\
out = float32[24] [1.016, 1.016, -0.03578, -0.03578, -0.5232, -0.5232, -0.06803, -0.06803, 0.7756, 0.7756, 0.2267,
    0.2267, -0.4786, -0.4786, -0.2729, -0.2729, 0.4365, 0.4365, 2.088, 2.088, 0.9096, 0.9096, -0.5028, -0.5028]
""")


@clause("dynamic-shapes.strides", "T16.11", shapes="dynamic")
def test_stride_that_is_a_product_of_three_sizes(check: Check) -> None:
    """A write to a view of four dimensions, beside another view of its memory, goes to elements as far apart as it has.

    The farthest stride is a product of three symbols.
    """

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        return b * 2

    first, second = tensor(120), tensor(72)
    calls = [
        (view_of(first, lambda t: t.view(2, 3, 5, 4)), view_of(first, lambda t: t.view(2, 3, 5, 4).mT)),
        (view_of(second, lambda t: t.view(3, 4, 3, 2)), view_of(second, lambda t: t.view(3, 4, 3, 2).mT)),
    ]
    check(program, calls=calls).mutated(0).shape("out", 2, 3, 4, 5)


@clause("dynamic-shapes.strides", modes="train", shapes=("dynamic", "static"))
def test_view_of_four_dimensions_that_is_kept_beside_a_convolution(check: Check) -> None:
    """Heads of a sequence of any length, kept for the backward pass of a program that ends in a convolution."""

    def program(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        heads = rows.cumsum(-1).view(2, rows.shape[1], 2, 2)
        ordered = heads.sort(-1).values * heads
        return torch.nn.functional.conv1d(ordered.flatten(2).transpose(1, 2), weight, padding=1)

    weight = tensor(4, 4, 3)
    result = check(program, calls=[(tensor(2, length, 4), weight) for length in (3, 5, 6)])
    result.gradient(0, 1).in_call(1).shape("out", 2, 4, 5)


@clause("dynamic-shapes.strides", "T7.10", shapes=("dynamic", "static"))
def test_sizes_told_of_parts_beyond_the_ends(check: Check) -> None:
    """A part that begins or ends beyond the ends of what it is of is as long as the program is told, in each call."""

    def program(a: torch.Tensor, image: torch.Tensor) -> dict[str, object]:
        parts = {
            "from before the beginning": a[-10:3],
            "up to before it": a[:-10],
            "to beyond the end": a[2:100],
            "from beyond it": a[100:],
            "all of it": a[-100:100],
            "backwards": a[-2:-4],
            "every other": a[-100:-1:2],
        }
        total = image + image.exp()
        told = {name: (part * (part.shape[0] + 2), part.shape[0]) for name, part in parts.items()}
        return {**told, "images": (total, total.stride(), (total * 2.5).stride(), (image > total).stride())}

    def images(height: int) -> object:
        return tensor(2, 3, height, 5, strides=(15 * height, 1, 15, 3), grad=False)

    calls = [(tensor(5, grad=False), images(4)), (tensor(7, grad=False), images(6))]
    check(program, calls=calls, exact=False).values().expect("""\
out['from before the beginning'][0] = float32[3] [3.432, -13.15, -1.195]
out['from before the beginning'][1] = int 3
out['up to before it'][0] = float32[0] []
out['up to before it'][1] = int 0
out['to beyond the end'][0] = float32[3] [-1.195, -6.91, -2.28]
out['to beyond the end'][1] = int 3
out['from beyond it'][0] = float32[0] []
out['from beyond it'][1] = int 0
out['all of it'][0] = float32[5] [4.805, -18.41, -1.673, -9.674, -3.192]
out['all of it'][1] = int 5
out['backwards'][0] = float32[0] []
out['backwards'][1] = int 0
out['every other'][0] = float32[2] [2.746, -0.956]
out['every other'][1] = int 2
out['images'][0] = float32[2, 3, 4, 5] [-0.3639, 13.78, 2.553, 11.15, 2.067, -0.3577, 2.558, -0.3545, -0.1705,
    2.045, 2.624, 0.7328, ..., 0.8898, 0.08855, 10.97, -0.4659]
out['images'][1][0] = int 60
out['images'][1][1] = int 1
out['images'][1][2] = int 15
out['images'][1][3] = int 3
out['images'][2][0] = int 60
out['images'][2][1] = int 1
out['images'][2][2] = int 15
out['images'][2][3] = int 3
out['images'][3][0] = int 60
out['images'][3][1] = int 1
out['images'][3][2] = int 15
out['images'][3][3] = int 3
""")
