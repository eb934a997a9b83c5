"""Views between operators: which element a kernel reads or writes through each, of what lies in memory or does not."""

import torch

from suites.harness import Check, clause, tensor, view_of


@clause("numbers.options", "T7.10", modes="train")
def test_views_of_what_is_computed(check: Check) -> None:
    """Views of a product that a kernel computes as it goes show the elements that views of it in memory would."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        steps = torch.arange(24, device=a.device).view(2, 3, 4) / 8
        b = a * 2 + steps
        part = b[:, 1:, 1::2]
        return {
            "part of a part": part[1:, :, 1:] + 1,
            "beyond its end": b[:, 2:1] + part[:, :, 5:].sum(),
            "from the end": b[-1:, -2:, -3:-1] * 2,
            "turned on": b.permute(2, 0, 1) * steps.permute(2, 0, 1),
            "turned back": b.permute(1, 2, 0)[1:] + 2,
            "part turned": part.permute(1, 2, 0)[1] * 3,
            "column spread": b[:, :, 1:2].expand(2, 3, 3) + 3,
            "row spread": b[:, 2:].expand(2, 4, 4) - b.amax(),
            "more dimensions": b[1, 1:].expand(3, 2, 4) * 4,
            "selected": b.select(1, -1) - b[:, 0],
            "selected beside a size of one": b[:, 1:2].select(2, 1) * 7,
            "selected of two": b[:1, 1:2][0, :, -1] + b[:, :1, 2],
            "taken apart beside a size of one": torch.cat(b[:1, 1:2].unbind(-1)[1:]) / 3,
            "one left out": b[1:].squeeze(0) + b[:1].squeeze(),
            "one left out beside another": b[1:, :, 1:2].squeeze(0) - 4,
            "not left out": b.squeeze(1) * 6,
            "some left out": b[:1, :, 1:2].squeeze((0, 1, -1)) - 6,
            "one put in": b.unsqueeze(-2)[:, 1:].sum((1, 2)),
            "spread as they are": b[:, 1:2].expand(-1, 2, -1) + b[1:].expand(2, -1, 4)[:, 1:],
            "sizes that follow": b.view(-1, 2, 2).flatten(1, -1).unflatten(0, (-1, 2)).narrow(1, 1, 1) / 3,
            "joined": part.reshape(4, 2) * 5,
            "split": part.transpose(0, 2).reshape(2, 2, 2)[1] - 1,
            "across": b.reshape(4, 6)[1:, ::2] + b.transpose(1, 2).reshape(4, 6)[1:, 1::2],
            "backwards": b.flip(0, 2)[:, 1:] / 2,
            "diagonal": b.diagonal(1, 1, 2) + b.diagonal(-1, 2, 1),
            "windows": b.unfold(2, 2, 1)[:, 1:, 1:].sum(-1) + 4,
            "moved": b.movedim(0, -1).reshape(-1)[3::5],
            "spread and turned": b[:1, :, :1].expand(2, 3, 2).transpose(0, 1).reshape(6, 2) - 2,
            "below": b.tril(1).mT.triu(-1) + 5,
        }

    check(program, tensor(2, 3, 4)).gradient(0).computed()


@clause("numbers.options", "T7.10", modes="train")
def test_views_of_what_is_stored(check: Check) -> None:
    """Views of a product of matrices begin where they begin, for kernels and for products of them, and as results."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        stored = (a @ b).view(3, 1, 2, 4)
        part = stored[1:, :, :, 1:3]
        row = stored[2:, 0]
        return {
            "part": part + 1,
            "squeezed": part.squeeze(1) * 2,
            "row": row.squeeze() - 3,
            "row as it is": row.squeeze(0)[1],
            "put in": part[1, :, 1].unsqueeze(1) * 4,
            "turned": part.permute(3, 1, 2, 0) + 5,
            "spread": row[:, :1].expand(3, 2, 4) * part[0, :, :1, :1],
            "multiplied": part[:, 0].transpose(0, 1) @ row[0, :, 2:],
            "summed": part.squeeze(1).sum(0) + part[:, 0, 1:].sum((0, 1)),
            "bits": (part[1].view(torch.int32) ^ 3).view(torch.float32) * 1,
            "bits of rows": stored[2].view(torch.int32)[0, 1] & 7,
            "halves of bits": stored[1, 0, 1:].view(torch.int16)[..., 1::2] + 1,
            "joined": stored[1:].reshape(4, 4)[1:, ::3] + 6,
            "apart": part.reshape(2, 4)[1] * 7,
            "by strides": stored.as_strided((2, 3), (8, 2), 5) + 8,
            "complex": torch.view_as_complex(stored[1:, 0].view(2, 2, 2, 2)).imag[:, 1] + 9,
            "numbers": torch.view_as_real(torch.complex(part, part * 2))[1, 0, 1:, 1] * 3,
        }

    check(program, tensor(6, 3), tensor(3, 4)).gradient(0, 1).computed()


@clause("numbers.options", "T7.10", modes="train")
def test_strides_of_a_part_of_what_is_stored(check: Check) -> None:
    """as_strided of a part of a product begins where the part does, or where it is told to in the product's memory."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        row = (a @ b)[4:]
        copied = torch.as_strided_copy(row, (2, 2), (2, 1))
        return row.as_strided((2, 2), (4, 3), 9) - row.as_strided((2, 2), (1, 2)) * 2 + copied

    check(program, tensor(6, 3), tensor(3, 4)).gradient(0, 1).computed()


@clause("numbers.options", "T7.10")
def test_strides_of_a_part_of_what_is_computed(check: Check) -> None:
    """as_strided of a part of a sum, which a kernel computes as it goes, begins where it would in the sum's memory."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "told": (a + 2)[1:].as_strided((2, 2), (1, 3), 3) * 2,
            "columns": (a + 3)[:, 1:].as_strided((2, 2), (1, 4)) * 3,
            "copied": torch.as_strided_copy((a + 4)[1:], (2, 2), (1, 3)),
        }

    check(program, tensor(3, 4)).computed()


@clause("numbers.options", "T7.10", devices="cpu")
def test_strides_of_an_argument_that_begins_later(check: Check) -> None:
    """as_strided of an argument begins where the argument does, or where it is told to in the memory of its base."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "told": a.as_strided((2, 2), (4, 3), 1) + 1,
            "not told": a.as_strided((2, 2), (4, 3)) * 2,
            "told of a part": a[2:].as_strided((2, 3), (2, 1), 7) - 3,
            "part": a[2:].as_strided((2, 3), (2, 1)) / 4,
        }

    check(program, view_of(tensor(20, grad=False), lambda base: base[3:15])).computed()


@clause("numbers.options", "T3.5", modes="train")
def test_writes_through_views_of_what_is_computed(check: Check) -> None:
    """A write through a view of a view reaches the elements that it shows, whatever is read of them then."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        first, second, third, fourth = a * 2, a * 3, a * 4, a * 5
        first[1:, :, ::2][:, 1:].add_(b[:1, :1, ::2])
        first.permute(2, 0, 1)[3].mul_(b[1, 0, 0])
        second.view(6, 4)[1::2].copy_(b.reshape(-1, 4)[:3])
        second.diagonal(0, 1, 2).neg_()
        third.transpose(0, 2).select(1, 1).sub_(b[0, :, :2].t()[:, :1].expand(2, 2).repeat(2, 1))
        third.unsqueeze(1)[:, :, 2:, -1:].zero_()
        third.flatten()[5:9] = first.flatten()[1:5]
        fourth[1][1:, ::2].mul_(b[0, :2, ::2])
        fourth[:, 1:][0].select(1, 2).zero_()
        return {
            "first": first + 1,
            "second": second.flip(0),
            "third": third * second,
            "fourth": fourth - 1,
            "view": first[1, 1:],
        }

    check(program, tensor(2, 3, 4), tensor(2, 3, 4)).gradient(0, 1).computed()


@clause("numbers.options", "T3.5", modes="train")
def test_copies_that_are_spread_and_converted(check: Check) -> None:
    """What is copied into a tensor fills all of it, in its dtype: a row, a column, one number, numbers of another."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        columns, turned, whole, half = a * 3, (a * 5).t(), (a * 7).int(), (a * 8).to(torch.bfloat16)
        columns[:, 1:3].copy_(b[:, :1] * 4)
        turned.copy_(b[1:2, :3] - 2)
        whole[:, 1:].copy_(b[2, 1:] * 6.75)
        half[1].copy_(b[:1, 0] + 1 / 3)
        return {
            "row": (a * 2).copy_(b[:1] + 1),
            "row of few dimensions": (a * 2).copy_(b[1]) + 1,
            "column": (a * 2).copy_(b[:, 2:3]).sum(0),
            "column of its own": torch.empty_like(a).copy_(a[:, :1] / 2),
            "one": (a * 2).copy_(b[1:2, 3:]).flip(0),
            "number": (a * 2).copy_(b.amax()),
            "columns": columns,
            "turned": turned,
            "whole": whole + 1,
            "half": half.float() * 2,
            "from whole": (a * 4).copy_((b * 5).to(torch.int8)[:, 1:2]) - 1,
            "truths": (a > 0).copy_(b[:1].trunc()),
        }

    check(program, tensor(3, 4), tensor(3, 4)).gradient(0, 1).computed()


@clause("numbers.options", "T7.9", modes="train")
def test_views_that_are_copied(check: Check) -> None:
    """Each operator that copies a view has the elements of the view, with all of its options, in memory of its own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        computed = b * 2
        return {
            "by strides": torch.as_strided_copy(a, (2, 3), (9, 2), 4),
            "by strides of what is computed": torch.as_strided_copy(computed, (3, 2), (3, 5), 2),
            "diagonal": torch.diagonal_copy(computed, -1, 2, 1),
            "expanded": torch.expand_copy(a[:, :1, :1], (3, 2, 3, 2)),
            "part": torch.narrow_copy(computed, 2, 1, 2),
            "slice": torch.slice_copy(computed, 1, -3, -1, 1) + torch.slice_copy(computed, 2, 1, None, 2)[:, 1:, :1],
            "one": torch.select_copy(computed, -1, -2),
            "turned": torch.permute_copy(a, (2, 0, 1)),
            "transposed": torch.transpose_copy(computed, 0, -1) + torch.t_copy(a[0])[:, :, None],
            "squeezed": torch.squeeze_copy(computed[:1], 0) + torch.squeeze_copy(a[:, :1], (1, 2)).sum(),
            "unsqueezed": torch.unsqueeze_copy(a[0], -2),
            "windows": torch.unfold_copy(computed, 2, 2, 2),
            "split": torch.split_copy(a, 2, -1),  # type: ignore[func-returns-value]
            "split by sizes": torch.split_with_sizes_copy(computed, (1, 2), 1),  # type: ignore[func-returns-value]
            "apart": torch.unbind_copy(a, 1),  # type: ignore[func-returns-value]
            "viewed": torch.view_copy(a, (6, -1)) * 2 - torch.view_copy(computed, (6, 4)),
            "as it is": torch.alias_copy(a),
            "complex": torch.view_as_real_copy(torch.view_as_complex_copy(a.detach().view(2, 3, 2, 2)) * 2j),
        }

    check(program, tensor(2, 3, 4), tensor(2, 3, 4)).gradient(0, 1).computed()


@clause("T7.9", "T7.10", modes="train")
def test_layout_of_views_that_are_copied(check: Check) -> None:
    """A copy of a view of what is turned lies in plain order or in the view's own, by operator, as in eager."""

    def program(a: torch.Tensor) -> dict[str, object]:
        turned = a.permute(2, 0, 1)
        return {
            "windows of rows": torch.unfold_copy(a, 0, 2, 2),
            "windows that overlap": torch.unfold_copy(a * 2, 1, 2, 1),
            "windows of what is turned": torch.unfold_copy(turned, 0, 2, 2),
            "windows, turned, from the end": torch.unfold_copy(turned * 2, -2, 1, 1),
            "slice": torch.slice_copy(turned, 0, 1, None, 2),
            "one": torch.select_copy(turned, 1, 1),
            "diagonal": torch.diagonal_copy(turned, 0, 0, 2),
            "turned": torch.permute_copy(a, (2, 0, 1)),
            "transposed": torch.transpose_copy(a, 0, 2),
            "expanded": torch.expand_copy(turned[:, :1], (4, 2, 3)),
            "squeezed": torch.squeeze_copy(turned[:, :1], 1),
            "unsqueezed": torch.unsqueeze_copy(turned, 1),
            "split": torch.split_copy(turned, 2, 0),  # type: ignore[func-returns-value]
            "apart": torch.unbind_copy(turned, 1),  # type: ignore[func-returns-value]
            "as it is": torch.alias_copy(turned),
        }

    result = check(program, tensor(4, 3, 4)).gradient(0)
    result.strides("out['windows of rows']", 24, 8, 2, 1).strides("out['windows of what is turned']", 24, 6, 2, 1)
    result.strides("out['as it is']", 12, 3, 1).computed()


@clause("numbers.options", "T7.10", modes="train")
def test_squares_and_cubes_seen_from_another_side(check: Check) -> None:
    """What is stored with equal sizes is handed back and read by its strides, not by its sizes alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        square, cube = a[0] @ b[0], torch.bmm(a, b)
        mapped = torch.addmm(a[1], b[0], b[1])
        return {
            "turned": square.t(),
            "turned and used": torch.addmm(b[2], a[2], b[0]).t() * 2,
            "as it is beside": mapped,
            "mirrored": mapped.t().flip(0),
            "multiplied": (a[1] @ b[2]).t() @ b[1],
            "images turned": cube.transpose(1, 2),
            "cube turned": torch.bmm(b, a).permute(1, 2, 0),
        }

    check(program, tensor(4, 4, 4), tensor(4, 4, 4)).gradient(0, 1).strides("out['turned']", 1, 4).computed()


@clause("numbers.options", "T7.10")
def test_spread_results_without_sizes_of_one(check: Check) -> None:
    """What is spread over a dimension keeps it where sizes of one are left out, whether it is stored or computed."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        stored, computed = (a[0] @ b).view(1, 1, 4), (a * 2).view(2, 1, 3, 1)
        return {
            "argument": a[:1, None].expand(3, 1, 3).squeeze() + 1,
            "stored": stored.expand(3, 1, 4).squeeze() * 2,
            "stored, one dimension": stored.expand(3, 1, 4).squeeze(1) - 1,
            "computed": computed.expand(2, 5, 3, 1).squeeze() * 3,
            "of a column": b[:, :1].expand(3, 4)[:, None].squeeze(1) / 2,
        }

    check(program, tensor(2, 3), tensor(3, 4)).shape("out['stored']", 3, 4).computed()


@clause("numbers.options", "T3.5")
def test_pieces_of_every_layout_put_together(check: Check) -> None:
    """Joints of what is computed, stored, turned, spread or channels last, of pieces of pieces, and written to."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        stored = (a[0, 0] @ b[0, 0].t())[None, None].expand(2, 3, 4, 4)
        last = b.to(memory_format=torch.channels_last)
        inner = torch.cat([a[:, 1:], b[:, :1] * 2, a[:, :1]], 1)
        outer = torch.cat([inner[:, 1:] * 2, inner[:, :3, ::2], last], 2)
        written = torch.cat([a, b], 3)
        written[:, 1].add_(1)
        written[..., 3:5].mul_(a[..., :2])
        computed = a * 3
        return {
            "outer": outer,
            "inner": inner + 1,
            "last": torch.cat([last, last * 2], 1),
            "one last": torch.cat([a.contiguous(), last], 0) + 1,
            "computed twice": torch.cat([computed, computed, computed[:, :1]], 1) - 1,
            "stored": torch.cat([stored, stored * 2, a[..., :4]], 2),
            "stored beside": torch.cat([(a[0, 0] @ b[0, 0].t()), a[1, 1, :, :4]], 1).sum(0),
            "turned": torch.cat([a.transpose(0, 1), b.transpose(0, 1)[1:]], 0) * 5,
            "results": torch.cat([a.sum(1), b.amax(1)], 1),
            "written": written,
            "whole": torch.stack([computed, b, last], 2)[:, :, 1:],
            "nothing": torch.cat([a[:0], a[:, :, :, :0].sum(3, keepdim=True).expand(2, 3, 4, 5), b[:0]]),
        }

    check(program, tensor(2, 3, 4, 5), tensor(2, 3, 4, 5)).computed()


@clause("numbers.options", "T7.10")
def test_bits_of_a_part_of_an_argument(check: Check) -> None:
    """The bits of a part of an argument, as numbers of the same width or another, begin where the part begins."""

    def program(a: torch.Tensor, small: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "part": a[2:].view(torch.int32) + 1,
            "column": a.view(4, 2)[:, 1].view(torch.int32) ^ 5,
            "by strides": a.view(torch.int32).as_strided((2, 2), (1, 2)) + 1,
            "by strides from a place": a.view(torch.int32).as_strided((2, 2), (1, 2), 3) + 2,
            "halves of a part": a[3:].view(torch.int16) + 1,
            "there and back": (a[1:].view(torch.int32) & -8).view(torch.float32) * 2,
            "of the other sign": small.view(torch.int8).to(torch.int32) + 1,
            "part of the other sign": small[1:].view(torch.int8).float() / 2,
            "wider": small[4:].view(torch.int32) + 3,
        }

    bytes_ = tensor(8, dtype=torch.uint8, values=[200, 3, 128, 0, 255, 7, 1, 64])
    check(program, tensor(8, grad=False), bytes_).unchanged(0, 1).shape("out['part']", 6).computed()


@clause("numbers.options", "T7.10", modes="train")
def test_parts_of_an_argument_seen_from_another_side(check: Check) -> None:
    """A part of an argument that is squeezed, turned, spread or cut again begins where the part begins."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        part = a[1:]
        return {
            "squeezed": part.squeeze() + 1,
            "a row squeezed": a[2:3].squeeze() * 2,
            "one left out": part.squeeze(1) - 1,
            "some left out": a[3:].squeeze((0, 1)) * 3,
            "put in": part.unsqueeze(0)[0, 1:] / 2,
            "turned": part.permute(2, 0, 1) + 2,
            "spread": part[:, :, 1:2].expand(3, 2, 2) * 4,
            "flat": part.reshape(-1)[2:] + 3,
            "diagonal": part[:, 0].diagonal(1) + 5,
            "windows": part.unfold(2, 2, 1)[1] - 2,
        }

    check(program, tensor(4, 1, 3)).values().expect("""\
out['squeezed'] = float32[3, 3] [[-0.382, 0.5439, 2.015], [-0.5866, 1.901, -0.132], [-1.222, 1.167, 0.8585]]
out['a row squeezed'] = float32[3] [-3.173, 1.802, -2.264]
out['one left out'] = float32[3, 3] [[-2.382, -1.456, 0.01519], [-2.587, -0.09922, -2.132], [-3.222, -0.8331,
    -1.142]]
out['some left out'] = float32[3] [-6.667, 0.5008, -0.4246]
out['put in'] = float32[2, 1, 3] [[[-0.7933, 0.4504, -0.566]], [[-1.111, 0.08346, -0.07077]]]
out['turned'] = float32[3, 3, 1] [[[0.618], [0.4134], [-0.2223]], [[1.544], [2.901], [2.167]], [[3.015], [0.868],
    [1.858]]]
out['spread'] = float32[3, 2, 2] [[[-1.824, -1.824], [-1.824, -1.824]], [[3.603, 3.603], [3.603, 3.603]], [[0.6677,
    0.6677], [0.6677, 0.6677]]]
out['flat'] = float32[7] [4.015, 1.413, 3.901, 1.868, 0.7777, 3.167, 2.858]
out['diagonal'] = float32[2] [4.544, 3.868]
out['windows'] = float32[1, 2, 2] [[[-3.587, -1.099], [-1.099, -3.132]]]
""")


@clause("numbers.options", "T7.10")
def test_bits_seen_through_several_dtypes(check: Check) -> None:
    """Bits that are seen as one dtype and then as others, narrower, wider and the first again, stay where they are."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        words, half = a.view(torch.int32), b.view(torch.int16)
        return {
            "floats of doubles": words.view(torch.float32) + 1,
            "doubles again": words.view(torch.float64) + words.view(a.dtype),
            "through floats": words.view(torch.float32).view(torch.float64) * 2,
            "words twice": a.view(torch.int32) - (words ^ 1),
            "whole": (words.view(torch.int64) & -16).view(torch.float64) - a,
            "another half": half.view(torch.bfloat16) * 2,
            "half again": half.view(torch.float16) + b.view(torch.int16).view(b.dtype),
            "of either half": b.view(torch.bfloat16).view(torch.int16) + half,
            "words of halves": half.view(torch.int32).view(torch.int16) - 1,
            "bytes": b.view(torch.uint8).view(torch.int8).view(torch.int32) ^ 1,
        }

    doubles = tensor(4, dtype=torch.float64, values=[1.0, -2.5, 0.15625, 3.0])
    halves = tensor(4, dtype=torch.float16, values=[1.5, -0.25, 6.0, 0.125])
    check(program, doubles, halves).values().expect("""\
out['floats of doubles'] = float32[8] [1, 2.875, 1, -1.062, 1, 2.531, 1, 3.125]
out['doubles again'] = float64[4] [2, -5, 0.3125, 6]
out['through floats'] = float64[4] [2, -5, 0.3125, 6]
out['words twice'] = int32[8] [-1, -1, -1, -1, -1, -1, -1, -1]
out['whole'] = float64[4] [0, 0, 0, 0]
out['another half'] = bfloat16[4] [0.25, -2.384e-07, 1.638e+04, 9.313e-10]
out['half again'] = float16[4] [3, -0.5, 12, 0.25]
out['of either half'] = int16[4] [31744, 26624, -29696, 24576]
out['words of halves'] = int16[4] [15871, -19457, 17919, 12287]
out['bytes'] = int32[2] [-1275052543, 805324289]
""")


@clause("numbers.options", "T7.10")
def test_bytes_seen_as_truths(check: Check) -> None:
    """Bytes that are nought or one are truths when their bits are seen so, those of an argument and those computed."""

    def program(a: torch.Tensor, given: torch.Tensor, small: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "given": given.view(torch.bool) & (a > 0),
            "computed": small.clamp(max=1).view(torch.bool) & (a > 0),
            "part": given[1:].view(torch.bool).logical_not(),
        }

    given = tensor(4, dtype=torch.uint8, values=[1, 0, 1, 1])
    check(program, tensor(4), given, tensor(4, dtype=torch.uint8, values=[200, 3, 0, 1])).values().expect("""\
out['given'] = bool[4] [True, False, False, False]
out['computed'] = bool[4] [True, False, False, False]
out['part'] = bool[3] [True, False, False]
""")


@clause("T7.10", "A13")
def test_layout_of_what_a_branch_makes(check: Check) -> None:
    """What a branch makes of turned or permuted operands lies in memory as it does without one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        def more(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x.t() + 1, y.permute(2, 0, 1) * 2

        def less(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x.t() * 2, y.permute(2, 0, 1) - 1

        turned, permuted = torch.cond(a.sum() > 0, more, less, (a, b))
        return turned, permuted, turned.sum(0)

    check(program, tensor(2, 3), tensor(2, 3, 4)).strides("out[0]", 1, 3).strides("out[1]", 1, 12, 4).computed()


@clause("A17", "T7.10", modes=("train", "no_grad"), devices="cpu")
def test_one_row_or_column_of_what_lies_turned(check: Check) -> None:
    """One row or column of what is computed of a turned tensor lies in memory as that does."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"column": (a + 1)[:, :1], "second column": (a * 2)[:, 1:2], "row": (a - 1)[:1]}

    result = check(program, tensor(3, 4, strides=(1, 3))).strides("out['column']", 1, 3)
    result.strides("out['second column']", 1, 3).strides("out['row']", 1, 3).computed()
