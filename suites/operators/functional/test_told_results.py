"""The sizes, strides and dtypes that a program is told of results before they are there."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of

#: Where windows of a fraction begin, in each direction, for each channel of two batches.
SHARES = [[[0.2, 0.7, 0.4], [0.5, 0.1, 0.9], [0.3, 0.6, 0.8]], [[0.9, 0.4, 0.1], [0.2, 0.8, 0.5], [0.7, 0.3, 0.6]]]


def _slope(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """The gradient of the sum of a function, for a program that takes it itself."""
    return torch.func.grad(lambda a: function(a).sum())


@clause("T7.10", "numbers.options")
def test_orders_of_what_is_turned(check: Check) -> None:
    """A program is told truly how what is sorted, ranked or counted among bounds lies, where dimensions are turned."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        turned, images = a[0].t(), a.permute(1, 2, 0)
        found = {
            "sorted": torch.sort(turned, 0),
            "sorted, middle": torch.sort(images, 1, descending=True),
            "places": torch.argsort(images, 0),
            "few": torch.topk(images, 2, 1),
            "rank": torch.kthvalue(a, 2, 1, keepdim=True),
            "rank, left out": torch.kthvalue(images, 1, 1),
            "bounds": torch.bucketize(turned, a[0, 0].sort().values),
            "bounds of rows": torch.searchsorted(a.sort(-1).values, images.permute(2, 0, 1), out_int32=True),
            "median": torch.median(images, 1, keepdim=True),
            "mode": torch.mode(images, 0),
            "running": torch.cummax(images, 1),
            "extremes": torch.aminmax(images, dim=1, keepdim=True),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4)).computed()


@clause("T7.10", "numbers.options")
def test_factors_of_matrices(check: Check) -> None:
    """A program is told truly what factors and functions of matrices are: of wide, tall, turned and complex ones."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        square = a @ a.mT + 3 * torch.eye(3, device=a.device)
        complex_ = torch.complex(square, square.mT * 0.5)
        found = {
            "singular numbers": torch.linalg.svdvals(complex_),
            "singular numbers of wide": torch.linalg.svdvals(a),
            "tall": torch.linalg.qr(a.mT)[1].abs(),
            "only the second": torch.linalg.qr(a, mode="r")[1].abs(),
            "lower": torch.linalg.cholesky(square),
            "upper": torch.linalg.cholesky(square, upper=True),
            "proper numbers": torch.linalg.eigvalsh(complex_ + complex_.mH),
            "three": torch.linalg.lu(square.mT),
            "packed": torch.linalg.lu_factor(a),
            "exponential": torch.matrix_exp(square.mT * 0.1),
            "power": torch.linalg.matrix_power(square.mT, 3),
            "inverse": torch.linalg.inv(square.mT),
            "solved": torch.linalg.solve(square, a),
            "solved from the left": torch.linalg.solve(square, square.mT, left=False),
            "determinant": torch.linalg.slogdet(complex_),
            "triangle solved": torch.linalg.solve_triangular(square.triu(), a, upper=True),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_windows_of_unlike_sides(check: Check) -> None:
    """A program is told truly what becomes of images whose windows have sides, gaps and steps that are all unlike."""

    def program(
        a: torch.Tensor, weight: torch.Tensor, volume: torch.Tensor, deep: torch.Tensor
    ) -> tuple[object, object]:
        back = weight.transpose(0, 1)
        found = {
            "convolved": functional.conv2d(a, weight, stride=(2, 1), padding=(0, 2), dilation=(1, 2)),
            "turned back": functional.conv_transpose2d(
                a, back, stride=(3, 1), padding=(1, 0), output_padding=(2, 0), dilation=(1, 2)
            ),
            "turned back, wider gaps above": functional.conv_transpose2d(a, back, padding=(0, 1), dilation=(3, 1)),
            "volume": functional.conv3d(volume, deep, stride=(1, 2, 1), padding=(1, 0, 2), dilation=(2, 1, 1)),
            "volume turned back": functional.conv_transpose3d(
                volume, deep, stride=(1, 3, 2), output_padding=(0, 1, 1), dilation=(2, 1, 3)
            ),
            "largest": functional.max_pool2d(a, (2, 3), (2, 1), (1, 0), (1, 2), ceil_mode=True, return_indices=True),
            "means": functional.avg_pool2d(a, (3, 2), (1, 2), (1, 0), ceil_mode=True),
            "means of volumes": functional.avg_pool3d(volume, (1, 2, 3), (1, 1, 2), (0, 1, 1)),
            "unfolded": functional.unfold(a, (2, 3), dilation=(2, 1), padding=(0, 1), stride=(1, 2)),
            "resampled": functional.interpolate(a, scale_factor=(1.5, 0.7), mode="bilinear"),
            "nearest": functional.interpolate(a, scale_factor=(0.4, 2.6)),
            "padded": functional.pad(a, (1, -2, 0, 3), mode="constant", value=0.5),
        }
        return found, told_of(found)

    inputs = tensor(1, 2, 6, 7), tensor(3, 2, 2, 3), tensor(1, 2, 4, 5, 6), tensor(2, 2, 2, 1, 2)
    check(program, *inputs, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_results_of_all_dimensions_and_of_none(check: Check) -> None:
    """A program is told truly what is found over no dimension it names, over all that are kept, and of a number."""

    def program(a: torch.Tensor, truth: torch.Tensor, number: torch.Tensor) -> tuple[object, object]:
        found = {
            "mean": torch.mean(a, dim=[]),
            "spread": torch.var(a, dim=[]),
            "deviation": torch.std(a, dim=(), correction=0),
            "sum": torch.sum(a, dim=()),
            "least": torch.amin(a, ()),
            "place": torch.argmax(a, keepdim=True),
            "place of the least": torch.argmin(a, keepdim=True),
            "truths": torch.sum(truth),
            "truths in rows": torch.cumsum(truth, 1),
            "product of truths": torch.prod(truth),
            "largest few": torch.topk(number, 1),
            "rank": torch.kthvalue(number, 1),
            "rank in a row": torch.kthvalue(a[0], 2, keepdim=True),
            "median of a row": torch.median(a[0], 0, keepdim=True),
            "most of a row": torch.mode(truth.long()[0], 0, keepdim=True),
            "sorted": torch.sort(number),
            "place among bounds": torch.bucketize(0.5, a[0].sort().values, out_int32=True),
            "one place more": torch.searchsorted(a[0].sort().values, number, out_int32=True),
            "same for all": torch.broadcast_tensors(a[0], number),
        }
        return found, told_of(found)

    truth = tensor(2, 3, dtype=torch.bool, values=[[True, True, False], [True, False, True]])
    check(program, tensor(2, 3), truth, tensor(values=[0.25])).computed()


@clause("T7.10", "numbers.options")
def test_results_of_operands_that_are_spread(check: Check) -> None:
    """A program is told truly what becomes of a row and a column of whole numbers, of truths, and of unlike dtypes."""

    def program(row: torch.Tensor, column: torch.Tensor, truth: torch.Tensor) -> tuple[object, object]:
        added = row.clone()
        added.add_(truth)
        found = {
            "shifted": row << column,
            "shifted back": row >> column,
            "shifted by a number": row << 2,
            "both": torch.bitwise_and(row, column),
            "common": torch.gcd(row, column),
            "multiple": torch.lcm(row, column),
            "multiple of nought": torch.lcm(row - row, column),
            "quotient": torch.floor_divide(row, column),
            "power of two": torch.ldexp(row, -column),
            "larger": torch.maximum(row, column.to(torch.int16)),
            "added": added,
            "added truths": torch.add(row, truth, alpha=3),
            "with a factor": torch.addcmul(row, column, truth.to(torch.int32), value=2),
            "times each": torch.repeat_interleave(row, row, output_size=6),
            "so many times": torch.repeat_interleave(row, output_size=6),
            "so many times, of long ones": torch.repeat_interleave(row.long(), output_size=6),
            "choice": torch.where(truth, row, column),
        }
        return found, told_of(found)

    row = tensor(3, dtype=torch.int32, values=[1, 2, 3])
    column = tensor(2, 1, dtype=torch.int32, values=[[1], [2]])
    truth = tensor(3, dtype=torch.bool, values=[True, False, True])
    check(program, row, column, truth).computed()


@clause("T7.10", "numbers.options")
def test_results_in_an_order_of_their_own(check: Check) -> None:
    """A program is told truly how results lie that follow what they are made of, and those that never do."""

    def program(
        a: torch.Tensor, image: torch.Tensor, places: torch.Tensor, mask: torch.Tensor
    ) -> tuple[object, object]:
        turned = a.t()
        found = {
            "like it, in rows": torch.zeros_like(turned, memory_format=torch.contiguous_format),
            "like it": torch.ones_like(turned),
            "like the image": torch.full_like(a, 0.5),
            "shares": torch.softmax(turned, 0),
            "logarithms of shares": torch.log_softmax(turned, 1),
            "written": torch.scatter(turned, 0, places, 2.0),
            "added": torch.scatter_add(turned, 1, places, a.exp()),
            "copied": torch.index_copy(turned, 0, places[0, :2], turned[2:] * 2),
            "where told": torch.masked_scatter(turned, mask, a.exp()),
            "filled": torch.masked_fill(turned, mask, 0.5),
            "one dimension more": (a * 2).unsqueeze_(1),
            "among bounds": torch.bucketize(turned, a[0].sort().values),
            "padded": functional.pad(image, (1, 2)),
            "padded with none": functional.pad(image, (0, 0, 1, -1), value=0.5),
            "repeated at its sides": functional.pad(image, (1, 1, 0, 0), mode="circular"),
            "turned round": torch.rot90(image, 1, (2, 3)),
            "upper": torch.triu(turned, 1),
        }
        return found, told_of(found)

    places = tensor(1, 3, dtype=torch.int64, values=[[0, 1, 1]])
    mask = tensor(4, 3, dtype=torch.bool)
    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3))
    check(program, tensor(3, 4), image, places, mask).computed()


@clause("T7.10", "numbers.options")
def test_slopes_of_images_in_channels_last(check: Check) -> None:
    """A program is told truly how the slopes lie that it takes itself of images and volumes in channels last."""

    def program(image: torch.Tensor, volume: torch.Tensor) -> tuple[object, object]:
        # Of numbers that are no constants, so that slopes are computed and not spread.
        found = {
            "largest in volumes": _slope(lambda a: functional.max_pool3d(a, 2).square())(volume),
            "means of volumes": _slope(lambda a: functional.avg_pool3d(a, 2).square())(volume),
            "largest": _slope(lambda a: functional.max_pool2d(a, 2, 1).square())(image),
            "largest of parts": _slope(lambda a: functional.adaptive_max_pool2d(a, 3).square())(image),
            "means": _slope(lambda a: functional.avg_pool2d(a, 2, 1).square())(image),
            "padded": _slope(lambda a: functional.pad(a, (1, 2)).square())(image),
            "by groups": _slope(lambda a: functional.group_norm(a, 2).exp())(image),
            "unit": _slope(lambda a: functional.hardswish(a).square())(image),
        }
        return found, told_of(found)

    image = tensor(2, 4, 5, 4, strides=(80, 1, 16, 4))
    volume = tensor(2, 3, 4, 4, 4, strides=(192, 1, 48, 12, 3))
    check(program, image, volume).computed()


@clause("numbers.options")
def test_slopes_of_resampled_images_in_channels_last(check: Check) -> None:
    """The slopes that a program takes itself of an image in channels last that is resampled lie as the image does."""

    def program(image: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "nearest": _slope(lambda a: functional.interpolate(a, scale_factor=2).square())(image),
            "between": _slope(lambda a: functional.interpolate(a, scale_factor=2, mode="bilinear").square())(image),
        }

    check(program, tensor(2, 4, 5, 4, strides=(80, 1, 16, 4)), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_factors_of_tall_and_of_empty_matrices(check: Check) -> None:
    """A program is told truly what factors of tall matrices are, what these do to others, and those of nothing."""

    def program(a: torch.Tensor, b: torch.Tensor, none: torch.Tensor) -> tuple[object, object]:
        reflectors, factors = torch.geqrf(a)
        packed, pivots = torch.linalg.lu_factor(a)
        symmetric = a.mT @ a + torch.eye(3, device=a.device)
        halved, places = torch.linalg.ldl_factor(symmetric)
        found = {
            "reflected": torch.ormqr(reflectors, factors, b),
            "reflected from the right": torch.ormqr(reflectors, factors, b.mT, left=False, transpose=True),
            "three": torch.lu_unpack(packed, pivots),
            "three of it": torch.linalg.lu(a),
            "triangle solved": torch.triangular_solve(b[:3], symmetric)[0],
            "solved by halves": torch.linalg.ldl_solve(halved, places, b[:3]),
            "solved by a square root": torch.cholesky_solve(b[:3], torch.linalg.cholesky(symmetric)),
            "solved by factors": torch.linalg.lu_solve(*torch.linalg.lu_factor(symmetric), b[:3]),
            "inverse of none": torch.linalg.inv(none),
            "proper numbers of none": torch.linalg.eigvalsh(none),
            "determinant of none": torch.linalg.det(none),
            "at right angles": torch.linalg.cross(symmetric, b[:3, :1].mT[:, :1].expand(1, 3)),
        }
        return found, told_of(found)

    check(
        program, tensor(5, 3, grad=False), tensor(5, 2, grad=False), tensor(2, 0, 0, grad=False), exact=False
    ).computed()


@clause("T7.10", "numbers.options")
def test_dtypes_of_complex_and_of_narrow_results(check: Check) -> None:
    """A program is told truly the dtypes of what complex numbers come to, and those that it asks for."""

    def program(a: torch.Tensor, double: torch.Tensor, whole: torch.Tensor) -> tuple[object, object]:
        complex_ = torch.complex(double, double - 1)
        found = {
            "angle": torch.angle(complex_),
            "angle of one": torch.angle(double),
            "angle of whole numbers": torch.angle(whole),
            "size": complex_.abs(),
            "spread": torch.var(complex_, 1),
            "deviation": torch.std(complex_.to(torch.complex64), correction=0),
            "turned": double * 1j,
            "whole times a complex number": whole * 1j,
            "least norm": torch.linalg.vector_norm(a, float("-inf"), dtype=torch.float64),
            "greatest norm": torch.linalg.vector_norm(a, float("inf"), dim=1, dtype=torch.float64),
            "least norm of complex numbers": torch.linalg.vector_norm(complex_, float("-inf"), dim=0),
            "count of others": torch.linalg.vector_norm(complex_, 0, dim=0),
            "bytes": torch.arange(3, dtype=torch.uint8, device=a.device),
            "narrow": torch.arange(5, 0, -2, dtype=torch.int16, device=a.device),
            "sign": torch.sgn(complex_),
        }
        return found, told_of(found)

    whole = tensor(3, dtype=torch.int64, values=[2, 0, -3])
    check(program, tensor(2, 3), tensor(2, 3, dtype=torch.float64), whole).computed()


@clause("T7.10", "numbers.options")
def test_sizes_of_bags_and_segments(check: Check) -> None:
    """A program is told truly the sizes of what belongs to bags of embeddings, and of segments of rows."""

    def program(
        weight: torch.Tensor, places: torch.Tensor, starts: torch.Tensor, lengths: torch.Tensor
    ) -> list[tuple[int, ...]]:
        found: list[torch.Tensor] = []
        for mode in (0, 1, 2):
            for table in (weight, weight.detach()):
                found += torch.embedding_bag(table, places, starts, mode=mode)
                found += torch.embedding_bag(table, places, starts, False, mode, False, None, False, 0)
            found += torch.embedding_bag(weight, places, starts, mode=mode, include_last_offset=True)
        found.append(torch.embedding_bag(weight.detach(), places, starts, include_last_offset=True)[2])
        rows = weight[:2]
        found += [torch.segment_reduce(rows, name, lengths=lengths, axis=1) for name in ("sum", "max", "mean")]
        found.append(torch.segment_reduce(weight[:, 0], "min", lengths=starts + 1, unsafe=True))
        return [tuple(part.shape) for part in found]

    places = tensor(4, dtype=torch.int64, values=[0, 1, 2, 1])
    starts = tensor(3, dtype=torch.int64, values=[0, 2, 3])
    lengths = tensor(2, 3, dtype=torch.int64, values=[[1, 1, 2], [2, 1, 1]])
    check(program, tensor(8, 4), places, starts, lengths).computed()


@clause("T7.10", "numbers.options")
def test_sizes_beside_bags_of_frozen_embeddings(check: Check) -> None:
    """A program is told truly the sizes beside bags of embeddings without slopes, where the last offset is an end."""

    def program(weight: torch.Tensor, places: torch.Tensor, starts: torch.Tensor) -> list[tuple[int, ...]]:
        found: list[torch.Tensor] = []
        for mode in (0, 1, 2):
            found += torch.embedding_bag(weight, places, starts, mode=mode, include_last_offset=True)[1:]
        return [tuple(part.shape) for part in found]

    places = tensor(4, dtype=torch.int64, values=[0, 1, 2, 1])
    starts = tensor(3, dtype=torch.int64, values=[0, 2, 4])
    check(program, tensor(8, 4, grad=False), places, starts).computed()


@clause("T7.10", "numbers.options")
def test_results_without_a_batch_and_of_nothing(check: Check) -> None:
    """A program is told truly what becomes of images without a batch or with two, of what is turned and of nothing."""

    def program(image: torch.Tensor, turned: torch.Tensor, none: torch.Tensor) -> tuple[object, object]:
        found = {
            "shuffled": functional.pixel_shuffle(image, 2),
            "shuffled, two batches": functional.pixel_shuffle(torch.stack([image, image])[None], 2),
            "unshuffled": functional.pixel_unshuffle(image[..., :2], 2),
            "in channels": functional.channel_shuffle(image[None], 2),
            "among bounds": torch.searchsorted(turned[0].sort().values, turned.t()),
            "in bins": torch.bucketize(turned.t(), turned[0].sort().values, right=True),
            "rolled": none.roll(1, 1),
            "rolled rows": none.roll(1, 0),
            "spread": none.mT[:, :1].expand(0, 5) + 1,
            "spread before": none.unsqueeze(0).expand(2, 3, 0) * 2,
            "repeated": none.repeat(2, 3),
            "turned round": torch.rot90(none),
            "sorted": torch.sort(none, 1),
            "running": torch.cummax(none, 0),
        }
        return found, told_of(found)

    check(program, tensor(4, 2, 3), tensor(2, 3), tensor(3, 0)).computed()


@clause("T7.10", "numbers.fourier")
def test_transforms_of_what_is_turned(check: Check) -> None:
    """A program is told truly how transforms lie, to and fro, of several dimensions that are turned in memory."""

    def program(a: torch.Tensor, both: torch.Tensor) -> tuple[object, object]:
        found = {}
        for way in ((0, 2, 1), (2, 1, 0), (1, 2, 0)):
            real, complex_ = a.permute(way), both.permute(way)
            found[way] = {
                "two": torch.fft.fft2(complex_),
                "all": torch.fft.fftn(complex_),
                "two that are apart": torch.fft.ifft2(complex_, dim=(0, 2)),
                "first": torch.fft.fft(complex_, dim=0),
                "half": torch.fft.rfft2(real),
                "half of all": torch.fft.rfftn(real),
                "half of one": torch.fft.rfft(real, dim=1),
                "back from a half": torch.fft.irfft2(complex_),
                "back from a half of all": torch.fft.irfftn(complex_),
                "real": torch.fft.hfft2(complex_),
                "half, back": torch.fft.ihfft2(real),
                "filled": torch.fft.ifft(complex_, n=7, dim=1),
            }
        return found, told_of(found)

    inputs = tensor(2, 3, 4, grad=False), tensor(2, 3, 4, dtype=torch.complex64, grad=False)
    check(program, *inputs, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_running_totals_and_rows_of_what_is_turned(check: Check) -> None:
    """A program is told truly how running totals lie, and what is changed in some rows, of what is turned."""

    def program(a: torch.Tensor, deep: torch.Tensor, places: torch.Tensor) -> tuple[object, object]:
        turned, round_ = a.t(), deep.permute(1, 3, 0, 2)
        rows, planes = turned[1:3].exp(), round_[:, :2].exp()
        found = {
            "sum": torch.cumsum(turned, 0),
            "product": torch.cumprod(turned, 1),
            "least": torch.cummin(turned, 0),
            "sum of planes": torch.cumsum(round_, 1),
            "differences": torch.diff(turned),
            "added": torch.index_add(turned, 0, places, rows, alpha=2),
            "chosen": torch.index_select(turned, 0, places),
            "greatest": torch.index_reduce(turned, 0, places, rows, "amax"),
            "means": torch.index_reduce(turned, 0, places, rows, "mean", include_self=False),
            "planes added": torch.index_add(round_, 1, places, planes),
            "planes copied": torch.index_copy(round_, 1, places, planes),
            "greatest planes": torch.index_reduce(round_, 1, places, planes, "amin"),
            "planes chosen": torch.index_select(round_, 1, places),
            "one row": torch.select_scatter(turned, a[:, 0], 0, -1),
            "every other row": torch.slice_scatter(turned, rows, 0, step=2),
        }
        return found, told_of(found)

    places = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(3, 4, grad=False), tensor(2, 3, 4, 3, grad=False), places).computed()


@clause("T7.10", "numbers.options")
def test_rows_that_are_filled_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is turned and has some rows or planes filled."""

    def program(a: torch.Tensor, deep: torch.Tensor, places: torch.Tensor) -> tuple[object, object]:
        round_ = deep.permute(1, 3, 0, 2)
        found = torch.index_fill(a.t(), 0, places, 0.5), torch.index_fill(round_, 1, places, 0.5)
        return found, told_of(found)

    places = tensor(2, dtype=torch.int64, values=[2, 0])
    check(program, tensor(3, 4, grad=False), tensor(2, 3, 4, 3, grad=False), places).computed()


@clause("T7.10", "numbers.options")
def test_running_logarithms_of_sums_of_what_is_turned(check: Check) -> None:
    """A program is told truly how running logarithms of sums lie, of rows, of planes and of nothing."""

    def program(a: torch.Tensor, deep: torch.Tensor) -> tuple[object, object]:
        found = [
            torch.logcumsumexp(a.t(), 0),
            torch.logcumsumexp(deep.permute(1, 2, 0), -1),
            torch.logcumsumexp(a.t()[:0], 1),
        ]
        return found, told_of(found)

    check(program, tensor(3, 4, grad=False), tensor(2, 3, 4, grad=False), exact=False).computed()


@clause("T7.10", "numbers.linear-algebra")
def test_factors_that_lie_by_columns(check: Check) -> None:
    """A program is told truly how vectors lie that belong to matrices, and solutions of what is turned."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[object, ...]:
        lower = a.tril() + 3 * torch.eye(3, device=a.device)
        packed, pivots = torch.linalg.lu_factor(lower)
        found = {
            "mirrors": torch.linalg.householder_product(*torch.geqrf(b)),
            "turned triangle": torch.linalg.solve_triangular(lower.mT, b, upper=True),
            "turned triangle, from the right": torch.linalg.solve_triangular(lower.mT, a, upper=True, left=False),
            "factors alone": torch.lu_unpack(packed, pivots, unpack_pivots=False),
            "order alone": torch.lu_unpack(packed, pivots, unpack_data=False),
            "inverse of less": torch.linalg.pinv(b),
            "at right angles": torch.linalg.cross(a.mT, a),
        }
        # Of either sign.
        vectors = {
            "of each": torch.linalg.eig(lower),
            "of symmetric ones": torch.linalg.eigh(a + a.mT),
            "of tall ones": torch.linalg.svd(b, full_matrices=False),
            "of wide ones": torch.linalg.svd(b.mT, full_matrices=True),
            "of all of it": torch.linalg.qr(b, mode="complete"),
            "by halves": torch.linalg.ldl_factor(a + a.mT),
        }
        return found, told_of(found), told_of(vectors)

    check(program, tensor(2, 3, 3, grad=False), tensor(2, 3, 2, grad=False), exact=False).computed()


@clause("T7.10", "numbers.linear-algebra")
def test_solutions_of_conjugate_triangles(check: Check) -> None:
    """A program is told truly how solutions lie of a triangle that is turned and conjugated."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        lower = a.tril() + 3 * torch.eye(3, device=a.device)
        found = torch.linalg.solve_triangular(lower.mH, a[..., :2], upper=True)
        return found, told_of(found)

    check(program, tensor(2, 3, 3, dtype=torch.complex64, grad=False), exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_places_in_dimensions_that_go_round(check: Check) -> None:
    """A program is told truly how lies what is read by places, of one dimension and of two, in any order in memory."""

    def program(a: torch.Tensor, i: torch.Tensor, j: torch.Tensor) -> tuple[object, object]:
        found = {}
        for way in ((1, 3, 0, 2), (2, 0, 3, 1), (3, 0, 1, 2)):
            b = a.permute(way)
            found[way] = {
                "first": b[i],
                "second": b[:, i],
                "third": b[:, :, i],
                "last": b[..., i],
                "both": b[i, j],
                "both in the middle": b[:, i, j],
                "apart": b[i, :, j],
                "apart, later": b[:, i, :, j],
                "a table": b[i[:, None], j],
                "beside a number": b[i, 1],
                "before a number": b[:, i, ..., 0],
            }
        return found, told_of(found)

    places = [tensor(2, dtype=torch.int64, values=values) for values in ([0, 1], [1, 0])]
    check(program, tensor(2, 3, 4, 5, grad=False), *places).computed()


@clause("T7.10", "layout.memory-formats")
def test_places_behind_a_dimension_that_is_added(check: Check) -> None:
    """A program is told truly how lies what is read by places behind a new dimension of one, turned in memory."""

    def program(a: torch.Tensor, matrix: torch.Tensor, i: torch.Tensor) -> tuple[object, object]:
        found = a.permute(3, 0, 1, 2)[None, :, i], matrix.t()[None, i]
        return found, told_of(found)

    places = tensor(2, dtype=torch.int64, values=[0, 1])
    check(program, tensor(2, 3, 4, 5, grad=False), tensor(2, 3, grad=False), places).computed()


@clause("T7.10", "layout.memory-formats")
def test_copies_of_what_has_gaps(check: Check) -> None:
    """A program is told truly how copies lie of what has gaps in memory, in each dtype and of each operation."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = {}
        for way in ((0, 1, 2), (1, 2, 0)):
            b = a[:, ::2, ::3].permute(way)
            found[way] = {
                "same": b.clone(),
                "in rows": b.clone(memory_format=torch.contiguous_format),
                "wide": b.double(),
                "narrow": b.bfloat16(),
                "whole": b.to(torch.int64),
                "one more": b + 1,
                "with itself": b + b.contiguous(),
                "whether": b > 0,
                "noughts": torch.zeros_like(b),
                "where": torch.where(b > 0, b, 0),
                "no less": torch.clamp(b, 0),
                "between": torch.lerp(b, b + 1, 0.5),
                "flipped": b.flip(0),
                "rolled": torch.roll(b, 1, 0),
                "one of them": torch.select_scatter(b, b[0], 0, 1),
                "some of them": torch.slice_scatter(b, b[:1], 0, 1, 2),
                "its middle": torch.diagonal_scatter(b, torch.zeros_like(b.diagonal())),
            }
        return found, told_of(found)

    check(program, tensor(2, 4, 6, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_of_unlike_orders_that_are_joined(check: Check) -> None:
    """A program is told truly how images lie that are joined, of which some are in channels last, or all."""

    def program(image: torch.Tensor, other: torch.Tensor) -> tuple[object, object]:
        found = {
            "last and first": torch.cat([image, other], 1),
            "first and last": torch.cat([other, image], 1),
            "both last": torch.cat([image, image.exp()]),
            "one that is last of three": torch.cat([other, other.exp(), image], 1),
            "sideways": torch.hstack([image, other]),
        }
        return found, told_of(found)

    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)
    check(program, image, tensor(2, 3, 4, 5, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_in_channels_last_that_are_pooled(check: Check) -> None:
    """A program is told truly how pooled images and volumes in channels last lie, and where what they keep was."""

    def program(image: torch.Tensor, volume: torch.Tensor) -> tuple[object, object]:
        found = {
            "means": functional.avg_pool2d(image, 2),
            "means, from the padding on": functional.avg_pool2d(image, 2, 2, 1, ceil_mode=True),
            "largest": functional.max_pool2d(image, 2, 2, 1, ceil_mode=True, return_indices=True),
            "means of parts": functional.adaptive_avg_pool2d(image, 3),
            "largest of parts": functional.adaptive_max_pool2d(image, 3, return_indices=True),
            "means of volumes": functional.avg_pool3d(volume, 2),
            "largest of volumes": functional.max_pool3d(volume, 2, return_indices=True),
            "means of parts of volumes": functional.adaptive_avg_pool3d(volume.double(), 2),
        }
        return found, told_of(found)

    image = tensor(2, 3, 5, 7, strides=(105, 1, 21, 3), grad=False)
    volume = tensor(2, 3, 4, 4, 4, strides=(192, 1, 48, 12, 3), grad=False)
    check(program, image, volume, exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_in_channels_last_that_are_reflected(check: Check) -> None:
    """A program is told truly how images in channels last lie that are repeated or reflected at their sides."""

    def program(image: torch.Tensor) -> tuple[object, object]:
        found = [functional.pad(image, (1, 1, 2, 0), mode=mode) for mode in ("reflect", "replicate", "circular")]
        return found, told_of(found)

    check(program, tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)).computed()


@clause("T7.10", "numbers.options")
def test_dtypes_of_quotients_and_of_functions_of_whole_numbers(check: Check) -> None:
    """A program is told truly the dtypes of quotients in each way of rounding, and of functions of whole numbers."""

    def program(whole: torch.Tensor, narrow: torch.Tensor, byte: torch.Tensor) -> tuple[object, object]:
        found = {
            "rest": torch.remainder(narrow, whole),
            "rest of bytes": torch.fmod(byte, byte),
            "rest by half": whole % 2.5,
            "floors by half": whole // 2.5,
            "slope of slopes": torch.polygamma(1, whole),
            "many": torch.mvlgamma(whole + 3, 2),
            "bell": torch.special.erfcx(narrow),
            "share": torch.special.expit(byte),
            "odds": torch.special.logit(whole, 0.25),
            "power": torch.float_power(whole, 2),
            "sine": torch.sinc(narrow),
            "degrees": torch.rad2deg(whole),
            "infinite": torch.isposinf(whole),
            "finite": torch.isfinite(byte),
            "all": torch.all(byte),
            "square": torch.square(narrow),
            "sum": torch.sum(narrow, 0),
            "product": torch.prod(byte, 0),
        }
        for name in ("trunc", "floor", None):
            found[f"quotient, {name}"] = torch.div(whole, narrow, rounding_mode=name)
            found[f"quotient of bytes, {name}"] = torch.div(byte, 2, rounding_mode=name)
            found[f"quotient by half, {name}"] = torch.div(whole, 2.5, rounding_mode=name)
        return found, told_of(found)

    numbers = (torch.int64, [7, 4, 9]), (torch.int8, [2, -3, 5]), (torch.uint8, [200, 3, 8])
    inputs = [tensor(3, dtype=dtype, values=values) for dtype, values in numbers]
    check(program, *inputs, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_counts_certain_draws_and_parts_of_numbers(check: Check) -> None:
    """A program is told truly what histograms, draws that are certain and parts of numbers are, and how they lie."""

    def program(double: torch.Tensor, sure: torch.Tensor, whole: torch.Tensor) -> tuple[object, object]:
        turned = double.t()
        found = {
            "histogram": torch.histc(double, 4),
            "histogram of narrow numbers": torch.histc(double.float(), 3, -1, 1),
            "drawn by a number": torch.bernoulli(turned, 1.0),
            "drawn by each": torch.bernoulli(sure.t()),
            "drawn out of each row": torch.multinomial(sure, 4, replacement=True),
            "drawn out of one row": torch.multinomial(sure[1], 1),
            "parts": torch.frexp(turned),
            "parts of narrow numbers": torch.frexp(turned.half()),
            "places": torch.nonzero_static(sure.t(), size=4),
            "airy": torch.special.airy_ai(whole),
            "bessel": torch.special.bessel_y1(whole),
            "kept": torch.special.modified_bessel_k0(whole.to(torch.int16)),
            "in single": torch.special.spherical_bessel_j0(double.float()),
        }
        return found, told_of(found)

    double = tensor(2, 3, dtype=torch.float64, grad=False)
    sure = tensor(2, 3, values=[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], grad=False)
    whole = tensor(3, dtype=torch.int64, values=[1, 2, 5])
    check(program, double, sure, whole, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_operands_of_two_dtypes_or_sizes(check: Check) -> None:
    """A program is told truly what two operands come to of which neither dtype holds the other, or neither size."""

    def program(
        a: torch.Tensor, double: torch.Tensor, both: torch.Tensor, byte: torch.Tensor, batch: torch.Tensor
    ) -> tuple[object, object]:
        signed = byte.to(torch.int8)
        found = {
            "halves of two kinds": a.half() * a.bfloat16(),
            "halves of two kinds, joined": torch.cat([a.half(), a.bfloat16()]),
            "bytes with and without a sign": byte + signed,
            "the larger byte": torch.maximum(byte, signed),
            "doubles and narrow complex numbers": double * both,
            "doubles and one narrow complex number": double + both[0],
            "doubles under complex numbers": torch.where(double > 0, double, both),
            "a row and a column between": torch.lerp(a[:1], a[:1] + 1, a[:, None]),
            "sum of a row and a product": torch.addcmul(a[:, None], a, a[:1], value=0.5),
            "sum of a row and a quotient": torch.addcdiv(a[:, None], a, a[:1] * 2),
            "product of each, and a row": torch.baddbmm(batch[0, 0], batch, batch.mT[..., :3], beta=0.5),
            "distances": torch.cdist(batch, batch[:1, :2], p=1.0),
            "distances of one": torch.cdist(batch[:1], batch),
            "at right angles": torch.linalg.cross(batch[:1, :1], batch),
        }
        return found, told_of(found)

    inputs = (
        tensor(4, grad=False),
        tensor(4, dtype=torch.float64, grad=False),
        tensor(4, dtype=torch.complex64, grad=False),
    )
    byte = tensor(4, dtype=torch.uint8, values=[200, 3, 0, 127])
    check(program, *inputs, byte, tensor(2, 3, 3, grad=False), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_membership_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what says whether each is among others, few or many, of what is turned."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        many = torch.cat([a.flatten(), a.flatten() + 1] * 4)
        found = torch.isin(a.t(), a[0]), torch.isin(a.t(), many, invert=True)
        return found, told_of(found)

    check(program, tensor(2, 3, grad=False)).computed()


@clause("T7.10", "numbers.options")
def test_counts_that_are_drawn_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is drawn as counts whose rates are turned, and made of rates of nought."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = torch.poisson(a.t() * 0)
        return found, told_of(found)

    check(program, tensor(2, 3, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_in_channels_last_that_are_shuffled_or_summed(check: Check) -> None:
    """A program is told truly how images in channels last lie that are shuffled, cut into columns or summed."""

    def program(image: torch.Tensor) -> tuple[object, object]:
        found = {
            "shuffled": functional.pixel_shuffle(image, 2),
            "unshuffled": functional.pixel_unshuffle(image, 2),
            "shuffled without a batch": functional.pixel_shuffle(image[0], 2),
            "as columns": functional.unfold(image, 2),
            "and back": functional.fold(functional.unfold(image, 2), (4, 6), 2),
            "half of channels": functional.glu(image, 1),
            "sum": torch.cumsum(image, 1),
            "product": torch.cumprod(image, 2),
            "largest": torch.cummax(image, 1),
            "by neighbours": functional.local_response_norm(image, 2),
            "by groups": functional.group_norm(image, 2),
            "by rows": functional.layer_norm(image, (6,)),
        }
        return found, told_of(found)

    check(program, tensor(2, 8, 4, 6, strides=(192, 1, 48, 8), grad=False), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_orders_of_one_row(check: Check) -> None:
    """A program is told truly what is sorted, ranked, chosen or found in one row alone, kept as a row or not."""

    def program(row: torch.Tensor, places: torch.Tensor) -> tuple[object, object]:
        found = {
            "few": torch.topk(row, 2),
            "least few": torch.topk(row, 3, largest=False),
            "none": torch.topk(row, 0),
            "sorted": torch.sort(row, descending=True),
            "rank": torch.kthvalue(row, 2),
            "rank, kept": torch.kthvalue(row, 1, keepdim=True),
            "median": torch.median(row, 0),
            "most": torch.mode(row, 0, keepdim=True),
            "extremes": torch.aminmax(row, dim=0),
            "largest": torch.max(row, 0, keepdim=True),
            "place": torch.argmin(row, 0),
            "running": torch.cummin(row, 0),
            "chosen": torch.index_select(row, 0, places),
            "taken": torch.take(row, places[:, None]),
            "gathered": torch.gather(row, 0, places),
            "repeated": row.repeat(2, 3),
            "each repeated": torch.repeat_interleave(row, 2),
            "among bounds": torch.searchsorted(row.sort().values, row[:2], out_int32=True),
            "windows": row.unfold(0, 2, 2),
            "padded": functional.pad(row[None], (1, 2), mode="reflect"),
        }
        return found, told_of(found)

    check(program, tensor(5), tensor(2, dtype=torch.int64, values=[3, 0])).computed()


@clause("T7.10", "layout.memory-formats")
def test_images_that_are_convolved_or_made_in_channels_last(check: Check) -> None:
    """A program is told truly how lies what is convolved or made in channels last, and what points and places are."""

    def program(
        image: torch.Tensor, weight: torch.Tensor, plain: torch.Tensor, volume: torch.Tensor
    ) -> tuple[object, object]:
        found = {
            "convolved": functional.conv2d(image, weight, stride=(1, 2)),
            "by weights in channels last": functional.conv2d(
                plain, weight.contiguous(memory_format=torch.channels_last)
            ),
            "turned back": functional.conv_transpose2d(image, weight.transpose(0, 1)),
            "ones": torch.ones_like(plain, memory_format=torch.channels_last),
            "noughts": torch.zeros_like(plain, memory_format=torch.channels_last),
            "halves": torch.full_like(plain, 0.5, memory_format=torch.channels_last),
            "ones, turned": torch.ones_like(plain[0].permute(2, 0, 1), memory_format=torch.contiguous_format),
            "copy": plain.clone(memory_format=torch.channels_last),
            "of a volume": torch.ones_like(volume, memory_format=torch.channels_last_3d),
            "parts of a volume": functional.adaptive_max_pool3d(volume, (2, 3, 2), return_indices=True),
            "parts of an image": functional.adaptive_max_pool2d(plain, (3, 2), return_indices=True),
            "parts of a row": functional.adaptive_max_pool1d(plain[0, 0], 2, return_indices=True),
            "points": torch.linspace(0, 1, 4, dtype=torch.float64, device=plain.device),
            "points of powers": torch.logspace(0, 1, 4, dtype=torch.float64, device=plain.device),
            "narrow points": torch.linspace(0, 3, 4, dtype=torch.int16, device=plain.device),
            "complex points": torch.linspace(0, 1j, 3, device=plain.device),
        }
        return found, told_of(found)

    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)
    inputs = tensor(4, 3, 2, 2, grad=False), tensor(2, 3, 4, 5, grad=False), tensor(1, 2, 3, 5, 3, grad=False)
    check(program, image, *inputs, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_places_and_products_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is read or written by places that are turned, and sums with products."""

    def program(a: torch.Tensor, batch: torch.Tensor, places: torch.Tensor) -> tuple[object, object]:
        turned, planes = a.t(), batch.permute(2, 0, 1)
        found = {
            "put": torch.index_put(turned, (places[0, :2],), turned[2:] * 2),
            "put and added": torch.index_put(turned, (places[0],), a[:, 0], accumulate=True),
            "read by turned places": torch.gather(a, 0, places.t()),
            "read of what is turned": torch.gather(turned, 0, places),
            "written by turned places": torch.scatter(a, 1, places.t(), a.exp()),
            "greatest": torch.scatter_reduce(turned, 0, places, turned.exp(), "amax"),
            "means": torch.scatter_reduce(turned, 0, places, turned.exp(), "mean", include_self=False),
            "added": torch.scatter_add(turned, 0, places, turned.exp()),
            "sum of products": torch.addbmm(turned, batch, batch.mT[..., :3]),
            "products": torch.baddbmm(batch.mT, batch, batch),
            "product": torch.addmm(turned, batch[0], turned),
            "product of two rows": torch.addr(turned, a[0], a[:, 0]),
            "upper": torch.triu(planes),
            "lower": torch.tril(planes, -1),
            "upper truths": torch.triu(planes > 0, 1),
        }
        return found, told_of(found)

    places = tensor(2, 3, dtype=torch.int64, values=[[0, 1, 1], [1, 0, 2]])
    check(program, tensor(3, 4, grad=False), tensor(2, 4, 4, grad=False), places, exact=False).computed()


@clause("T7.10", "numbers.linear-algebra")
def test_inverses_and_solutions_that_lie_by_columns(check: Check) -> None:
    """A program is told truly how lie inverses, factors beside their states, and solutions of rows and of triangles."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[object, object]:
        square = a @ a.mT + 3 * torch.eye(3, device=a.device)
        factor = torch.linalg.cholesky(square)
        six = 2 * torch.eye(6, device=a.device)
        found = {
            "inverse by a square root": torch.cholesky_inverse(factor),
            "inverse by an upper one": torch.cholesky_inverse(factor.mT, upper=True),
            "square root and state": torch.linalg.cholesky_ex(square.mT, upper=True),
            "inverse and state": torch.linalg.inv_ex(square.mT),
            "halves and state": torch.linalg.ldl_factor_ex(square),
            "factors and state": torch.linalg.lu_factor_ex(square.mT),
            "triangle and its copy": torch.triangular_solve(b, square),
            "one triangle for each": torch.triangular_solve(b, square[0], transpose=True),
            "a row for each": torch.linalg.solve(square, b[..., 0]),
            "one row": torch.linalg.solve(square, b[0, :, 0]),
            "solution and state": torch.linalg.solve_ex(square, b),
            "solution of tensors": torch.linalg.tensorsolve(six.view(2, 3, 6), b[:, :, 0]),
            "inverse of tensors": torch.linalg.tensorinv(six.view(6, 2, 3), 1),
            "determinants": torch.det(square.mT),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 3, grad=False), tensor(2, 3, 2, grad=False), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_sizes_of_segments_and_samples(check: Check) -> None:
    """A program is told truly the sizes of segments by their bounds, of pooled fractions and of sampled volumes."""

    def program(rows: torch.Tensor, bounds: torch.Tensor, volume: torch.Tensor, share: torch.Tensor) -> object:
        image = volume[:, :, 0]
        points = torch.stack([volume[:, :2, :3, :, 0]] * 3, -1)
        flat, deep = functional.fractional_max_pool2d_with_indices, functional.fractional_max_pool3d_with_indices
        alike = share[..., :1].expand(2, 3, 3).clone()
        found = {
            "rows": torch.segment_reduce(rows, "sum", offsets=bounds[0]),
            "in rows": torch.segment_reduce(rows, "max", offsets=bounds, axis=1),
            "turned": torch.segment_reduce(rows.t(), "mean", lengths=bounds[2, 1:]),
            "fractions": flat(image, (2, 2), (2, 3), _random_samples=share[..., :2]),
            "fractions of one": flat(image[0], (2, 2), (2, 3), _random_samples=share[:1, :, :2]),
            "deep fractions": deep(volume, (1, 2, 2), (3, 2, 1), _random_samples=alike),
            "deep fractions of one": deep(volume[0], (1, 2, 2), (3, 2, 1), _random_samples=alike[:1]),
            "sampled": functional.grid_sample(volume, points, align_corners=False),
            "nearest": functional.grid_sample(volume, points, mode="nearest", align_corners=True),
            "image": functional.grid_sample(image, points[:, 0, ..., :2], align_corners=False),
        }
        return found, told_of(found)

    bounds = tensor(4, 3, dtype=torch.int64, values=[[0, 1, 3], [0, 2, 3], [0, 0, 3], [0, 3, 3]])
    volume = tensor(2, 3, 4, 5, 4, strides=(240, 1, 60, 12, 3), grad=False)
    check(program, tensor(4, 3, grad=False), bounds, volume, tensor(2, 3, 3, grad=False, values=SHARES)).computed()


@clause("T7.10", "numbers.options")
def test_slopes_of_samples_and_of_attention(check: Check) -> None:
    """A program is told truly how the slopes lie of sampled images and points, of pooled parts and of attention."""

    def program(
        image: torch.Tensor, volume: torch.Tensor, points: torch.Tensor, query: torch.Tensor, key: torch.Tensor
    ) -> tuple[object, object]:
        def sampled(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return functional.grid_sample(a, b, align_corners=False).square()

        def attended(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
            return functional.scaled_dot_product_attention(a, b, c).square().sum()

        deep, flat = torch.stack([points] * 2, 1), points[..., :2].clone()
        found = {
            "points": _slope(lambda b: sampled(image, b.transpose(1, 2)))(flat),
            "sampled": _slope(lambda a: sampled(a, flat))(image),
            "points in a volume": _slope(lambda b: sampled(volume, b.transpose(1, 2)))(deep),
            "sampled volume": _slope(lambda a: sampled(a, deep))(volume),
            "means of parts": _slope(lambda a: functional.adaptive_avg_pool2d(a, 3).square())(image),
            "mean": _slope(lambda a: functional.adaptive_avg_pool2d(a, 1).square())(image),
            "means of parts of volumes": _slope(lambda a: functional.adaptive_avg_pool3d(a, 3).square())(volume),
            "largest of parts of volumes": _slope(lambda a: functional.adaptive_max_pool3d(a, 3).square())(volume),
            "attention": torch.func.grad(attended, argnums=(0, 1, 2))(query, key, key.exp()),
        }
        return found, told_of(found)

    image = tensor(2, 3, 4, 5, strides=(60, 1, 15, 3), grad=False)
    volume = tensor(2, 3, 4, 4, 4, strides=(192, 1, 48, 12, 3), grad=False)
    parts = tensor(2, 3, 5, 3, grad=False), tensor(2, 2, 3, 8, grad=False), tensor(2, 2, 4, 8, grad=False)
    check(program, image, volume, *parts, exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_operands_that_are_spread_beside_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is made of a row or column that is spread, and of what is turned."""
    functions = (
        torch.atan2,
        torch.hypot,
        torch.fmod,
        torch.remainder,
        torch.nextafter,
        torch.maximum,
        torch.eq,
        torch.add,
        torch.mul,
        torch.div,
    )

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[object, object]:
        column, row, turned = a[:, :1].expand(3, 4), a[:1].expand(3, 4), b.t()
        found = {
            "column first": [function(column, turned) for function in functions],
            "row first": [function(row, turned) for function in functions],
            "column second": [function(turned, column) for function in functions],
            "chosen": torch.where(column > 0, a, turned),
            "between": torch.lerp(column, turned, 0.5),
            "with a factor": torch.addcmul(row, turned, turned),
            "no less": torch.clamp(column, turned),
            "filled": torch.masked_fill(column, turned > 0, 1.0),
        }
        return found, told_of(found)

    check(program, tensor(3, 4, grad=False), tensor(4, 3, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_views_of_what_has_a_dimension_of_one(check: Check) -> None:
    """A program is told truly how views lie that join a dimension of one, whose step is any, with one that has gaps."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        b = a + 1
        found = {
            "first": b.as_strided((1, 3, 2), (1, 4, 2)).view(3, 2),
            "middle": b.as_strided((3, 1, 2), (4, 1, 2)).view(3, 2),
            "joined with the last": b.as_strided((2, 1, 3), (6, 1, 2)).flatten(1),
            "last": b.as_strided((2, 3, 1), (6, 2, 7)).flatten(1),
            "of two": b.as_strided((1, 1, 4), (1, 5, 3)).reshape(4),
        }
        return found, told_of(found)

    check(program, tensor(12, grad=False)).computed()


@clause("T7.10", "numbers.options")
def test_roundings_and_places_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is rounded or made finite, of whole numbers too, and the places of one."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> tuple[object, object]:
        turned, images, bytes_ = a[0].t(), a.permute(1, 2, 0), whole.to(torch.uint8)
        found = {
            "finite": torch.nan_to_num(turned),
            "finite, by numbers": torch.nan_to_num(images, 1.0, 2.0, -2.0),
            "finite already": torch.nan_to_num(whole.t()),
            "rounded": torch.round(turned),
            "to a place": torch.round(images, decimals=1),
            "of whole numbers": [
                torch.round(whole),
                torch.floor(whole.t()),
                torch.ceil(whole + 1),
                torch.trunc(whole - 1),
            ],
            "of bytes": [torch.round(bytes_.t()), torch.floor(bytes_ + 1)],
            "signs": [torch.sign(whole.t()), torch.sgn(turned), torch.signbit(images), torch.sign(bytes_)],
            "from a number": [5 - turned, 5 / whole.t(), torch.remainder(7, images), torch.bitwise_and(3, whole.t())],
            "places of a number": torch.nonzero_static(a.sum(), size=2),
            "no place of a number": torch.nonzero_static(whole.sum() * 0, size=3),
            "places of all": torch.nonzero_static(whole.t(), size=2, fill_value=7),
            "places as they come": torch.nonzero_static(images, size=0),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4), tensor(2, 3, dtype=torch.int64)).computed()


@clause("T7.10", "numbers.options")
def test_powers_of_a_number_told_of_what_is_turned(check: Check) -> None:
    """A program is told truly how powers of a number lie whose exponents are turned in memory: in plain order."""

    def program(a: torch.Tensor, whole: torch.Tensor, images: torch.Tensor) -> object:
        found = {
            "of two": [torch.pow(2, whole.t()), torch.pow(2.0, a.t()), torch.pow(2, images)],
            "of one": [1 ** whole.t(), 1 ** a.t()],
            "of three": [3 ** whole.t(), 3 ** a.t(), 3.5**images, 3.5 ** whole.t()],
            "of an imaginary one": [torch.pow(1j, a.t()), torch.pow(1j, whole.t())],
            "in double": [torch.float_power(2, a.t()), torch.float_power(3, whole.t())],
        }
        return a * 2, told_of(found)

    channels_last = tensor(1, 2, 3, 4, strides=(24, 1, 8, 2), grad=False)
    check(
        program, tensor(2, 3, grad=False), tensor(2, 3, dtype=torch.int64, values=[1, 2, 3, 4, 5, 6]), channels_last
    ).computed()


@clause("T7.10", "numbers.options")
def test_dtypes_of_products_and_polynomials_of_whole_numbers(check: Check) -> None:
    """A program is told truly the dtypes of products of bytes, of polynomials of whole numbers, and of places."""

    def program(byte: torch.Tensor, whole: torch.Tensor, a: torch.Tensor) -> tuple[object, object]:
        found = {
            "product of bytes": torch.ops.aten._int_mm(byte, byte.mT),
            "first kind": torch.special.chebyshev_polynomial_t(whole, whole),
            "second kind": torch.special.chebyshev_polynomial_u(whole, 2),
            "physicists'": torch.special.hermite_polynomial_h(whole, whole),
            "probabilists'": torch.special.hermite_polynomial_he(3, whole),
            "laguerre": torch.special.laguerre_polynomial_l(whole, whole),
            "legendre": torch.special.legendre_polynomial_p(whole, whole),
            "zeta": torch.special.zeta(whole + 1, whole),
            "place of the largest": torch.max(a, 1).indices.to(torch.int32),
            "place of the least": torch.min(a, 1, keepdim=True).indices.to(torch.int32),
            "sum": torch.sum(byte, 0).to(torch.int8),
            "running": torch.cumsum(whole.to(torch.int32), 0).to(torch.int32),
            "truths": torch.sum(a > 0).to(torch.bool),
        }
        return found, told_of(found)

    byte = tensor(32, 32, dtype=torch.int8)
    check(program, byte, tensor(3, dtype=torch.int64, values=[1, 2, 3]), tensor(3, 4, grad=False)).computed()


#: Operators that a formula of others stands for where a program is told of their results, or in a graph.
FORMULAS = {
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "heaviside": torch.heaviside,
    "fmin": torch.fmin,
    "fmax": torch.fmax,
    "copysign": torch.copysign,
    "ldexp": torch.ldexp,
    "floor_divide": torch.floor_divide,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
}


@clause("T7.10", "layout.memory-formats")
def test_formulas_told_of_what_is_spread_and_turned(check: Check) -> None:
    """A program is told truly how lies what a formula of several steps stands for, of a spread and a turned operand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> object:
        spread, turned = a.expand(3, 4), b.t()
        both = (spread, turned), (turned, spread)
        return b * 2, {name: told_of([function(*each) for each in both]) for name, function in FORMULAS.items()}

    check(program, tensor(3, 1, grad=False), tensor(4, 3, grad=False)).computed()


@clause("layout.memory-formats")
def test_formulas_of_what_is_spread_and_turned(check: Check) -> None:
    """What a formula of several steps stands for lies as eager's does, of a spread and a turned operand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
        spread, turned = a.expand(3, 4), b.t()
        return {name: (function(spread, turned), function(turned, spread)) for name, function in FORMULAS.items()}

    check(program, tensor(3, 1, grad=False), tensor(4, 3, grad=False), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_dtypes_of_draws_of_wide_and_of_narrow_numbers(check: Check) -> None:
    """A program is told truly the dtypes and sizes of what is drawn of parameters in double and in single precision."""

    def program(a: torch.Tensor, double: torch.Tensor) -> tuple[object, object]:
        operators = torch.ops.aten
        drawn = {
            "gamma": [operators._standard_gamma(each) for each in (a, double)],
            "slope of gamma": [operators._standard_gamma_grad(each, each) for each in (a, double)],
            "shares": [operators._sample_dirichlet(each) for each in (a, double)],
            "trials": [torch.binomial(each, each * 0 + 0.5) for each in (a.floor() + 2, double.floor() + 2)],
            "counts": [torch.poisson(each) for each in (a, double)],
            "places": [torch.multinomial(each, 2) for each in (a, double)],
            "places of a row": torch.multinomial(double[0], 5, replacement=True),
        }
        return drawn, told_of(drawn)

    ones = [[1.0, 2.0, 1.5], [0.5, 1.0, 2.0]]
    double = tensor(2, 3, dtype=torch.float64, grad=False, values=ones)
    check(program, tensor(2, 3, grad=False, values=ones), double).computed()


@clause("T7.10", "numbers.options")
def test_gammas_that_are_drawn_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is drawn of gamma distributions whose concentrations are turned."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = torch.ops.aten._standard_gamma(a.t().exp())
        return found, told_of(found)

    check(program, tensor(2, 3, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_signals_that_are_turned_and_resampled_to_the_nearest(check: Check) -> None:
    """A program is told truly how signals lie whose dimensions are turned and that are resampled to the nearest."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = {
            (way, mode, size): functional.interpolate(a.permute(way), size, mode=mode)
            for way in ((0, 2, 1), (2, 1, 0), (1, 0, 2))
            for mode in ("nearest", "nearest-exact")
            for size in (3, 8)
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_signals_that_are_turned_and_resampled_in_between(check: Check) -> None:
    """A program is told truly how signals lie that are turned and resampled linearly or by areas."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = [
            found
            for turned in (a.permute(0, 2, 1), a.permute(2, 1, 0), a.permute(1, 0, 2))
            for found in (
                functional.interpolate(turned, 8, mode="linear"),
                functional.interpolate(turned, 3, mode="linear", align_corners=True),
                functional.interpolate(turned, 2, mode="area"),
            )
        ]
        return found, told_of(found)

    check(program, tensor(2, 3, 4, grad=False), exact=False).computed()


@clause("T7.10", "layout.memory-formats")
def test_copies_of_views_of_what_is_turned(check: Check) -> None:
    """What is copied out of a view of something turned lies as eager's copy does, as the program is told."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        operators = torch.ops.aten
        turned, round_ = a.transpose(0, 2), a.permute(2, 0, 1)
        found = {
            "spread": operators.expand_copy(turned[:, :1], (4, 5, 2)),
            "one dimension more": operators.unsqueeze_copy(round_, 1),
            "those of one left out": operators.squeeze_copy(round_[:, :1]),
            "turned back": operators.t_copy(turned[0]),
            "exchanged": operators.transpose_copy(round_, 0, 2),
            "permuted": operators.permute_copy(turned, (1, 2, 0)),
            "every other": operators.slice_copy(turned, 0, 0, 4, 2),
            "one of them": operators.select_copy(turned, 1, 0),
            "diagonal": operators.diagonal_copy(turned, 0, 0, 2),
            "windows": operators.unfold_copy(turned, 0, 2, 1),
            "alone": operators.detach_copy(turned),
            "another name": operators.alias_copy(round_),
            "pieces": operators.split_copy(turned, 2, 0),
            "unbound": operators.unbind_copy(turned, 2),
            "a part": operators.narrow_copy(turned, 0, 1, 2),
            "all": operators.narrow_copy(turned, 0, 0, 4),
            "of sizes": operators.split_with_sizes_copy(round_, [1, 3], 0),
            "of strides": operators.as_strided_copy(a, (2, 2), (1, 2), 1),
            "as parts of complex numbers": operators.view_as_real_copy(torch.complex(a, a).transpose(0, 2)),
            "as complex numbers": operators.view_as_complex_copy(a.view(3, 4, 2).transpose(0, 1)),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_copies_of_other_sizes_and_dtypes_of_what_is_turned(check: Check) -> None:
    """What is turned and copied by other sizes, or bit by bit as another dtype, lies in plain order, as is told."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        operators = torch.ops.aten
        found = {
            "split": operators.view_copy(a.permute(2, 0, 1), (4, 2, 3, 1)),
            "halves": operators.view_copy(a.transpose(0, 2), (2, 2, 3, 2)),
            "as whole numbers": operators.view_copy(a.transpose(0, 1), dtype=torch.int32),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4, grad=False)).computed()
