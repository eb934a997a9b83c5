"""The sizes, strides and dtypes that a program is told of results before they are there."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of

#: Where windows of a fraction begin, in each direction, for each channel of two batches.
SHARES = [[[0.2, 0.7, 0.4], [0.5, 0.1, 0.9], [0.3, 0.6, 0.8]], [[0.9, 0.4, 0.1], [0.2, 0.8, 0.5], [0.7, 0.3, 0.6]]]


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
def test_gammas_that_are_drawn_of_what_is_turned(check: Check) -> None:
    """A program is told truly how lies what is drawn of gamma distributions whose concentrations are turned."""

    def program(a: torch.Tensor) -> tuple[object, object]:
        found = torch.ops.aten._standard_gamma(a.t().exp())
        return found, told_of(found)

    check(program, tensor(2, 3, grad=False)).computed()


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
