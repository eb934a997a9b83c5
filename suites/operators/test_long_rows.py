"""Rows longer than a vector register, and what is left over: the same numbers in every lane and in the tail."""

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import TensorSpec

INF, NAN = float("inf"), float("nan")

#: More than two registers of any width and some left over. What is special stands in the first lanes and in the tail.
SPECIAL = (-0.0, NAN, INF, -INF, 0.5, -1.5, 2.5)
ROW = (*SPECIAL, *(0.375 * number - 4.25 for number in range(23)), *SPECIAL)
OTHER = tuple(2.75 - 0.3125 * number for number in range(37))
WHOLE = tuple(number * number * (-1) ** number % 251 - 125 for number in range(37))


@clause("numbers.vectors")
def test_functions_of_long_rows(check: Check) -> None:
    """A function is the same function of each element, special numbers in every place too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "roundings": torch.stack([a.floor(), a.ceil(), a.round(), a.trunc(), a.frac()]),
            "signs": torch.stack([a.sign(), a.abs(), -a, torch.copysign(b, a), a.relu(), torch.sgn(a)]),
            "remainders": torch.stack([torch.remainder(a, b), torch.fmod(a, b), a % -1.5]),
            "extremes": torch.stack([torch.maximum(a, b), torch.minimum(b, a), torch.fmax(a, b), torch.fmin(b, a)]),
            "bounded": torch.stack([a.clamp(-1, 1), a.clamp(max=0.5), torch.where(a > b, a, b), functional.relu6(a)]),
            "curves": torch.stack([a.sigmoid(), a.tanh(), a.erf(), a.atan(), functional.silu(b), functional.gelu(b)]),
            "powers": torch.stack([a.exp(), a.expm1(), b**2, b**3, b.abs() ** 0.5, torch.atan2(b, a), a.exp2()]),
            "logarithms": torch.stack([b.abs().log(), a.abs().log1p(), b.abs().log2(), b.abs().rsqrt(), a.cos()]),
        }

    check(program, tensor(37, values=ROW), tensor(37, values=OTHER)).computed()


@clause("numbers.vectors")
def test_comparisons_of_long_rows(check: Check) -> None:
    """Comparisons, truths and bits are those of each element, in each width."""

    def program(a: torch.Tensor, b: torch.Tensor, *whole: torch.Tensor) -> dict[str, object]:
        return {
            "orders": torch.stack([a < b, a <= b, a > a.flip(0), a >= a, a == a.flip(0), a != a]),
            "kinds": torch.stack([a.isnan(), a.isinf(), torch.signbit(a), a.logical_not(), a.isfinite()]),
            "truths": torch.stack([(a > b) & (b > 0), (a > b) | (b > 0), (a > b) ^ (b > 0), ~(a > b)]),
            "bits": [(x & 12) + (x | 3) - (x ^ 5) + ~x for x in whole],
            "shifts": [(x << 2) + (x >> 1) for x in whole],
            "quotients": [x // 7 + x % -5 for x in whole],
            "extremes": [torch.maximum(x, x.flip(0)) - torch.minimum(x, -x) for x in whole],
            "orders of whole": [torch.where(x > 3, x, x.abs() + 1) for x in whole],
        }

    widths = (torch.int8, torch.int16, torch.int32, torch.int64)
    parts = [tensor(37, dtype=width, values=WHOLE) for width in widths]
    check(program, tensor(37, values=ROW), tensor(37, values=OTHER), *parts).computed()


@clause("numbers.vectors")
def test_truths_of_long_rows(check: Check) -> None:
    """Truths are chosen, padded, joined and read by index as numbers are: in every place of a register and after it."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "chosen": torch.where(a, b, rows[0]),
            "chosen from rows": torch.where(rows, ~b, a),
            "chosen by places": torch.where(places > 18, a, rows[1]),
            "chosen or false": torch.where(rows, b, False) ^ a,
            "orders": torch.stack([a == b, a != b, a < b, a <= b, a > b, a >= b]),
            "extremes": torch.stack([torch.maximum(a, b), torch.minimum(a, b)]),
            "words": torch.stack([a.logical_and(b), a.logical_or(b), a.logical_xor(b), a.logical_not()]),
            "filled": rows.masked_fill(a, False) | rows.masked_fill(~b, True),
            "padded": functional.pad(rows & a, (3, 2), value=True),
            "padded by false": functional.pad(~rows, (2, 6)),
            "joined": ~torch.cat([a & b, b, rows[0]]),
            "by index": (a ^ b)[places],
            "rows by index": ~rows[:, places],
            "beside": rows[:, 1:] & ~rows[:, :-1],
            "moved along": rows.roll(3, 1) | b,
            "backwards": rows.flip(1) ^ a,
            "turned": rows.t() & a[:, None],
            "steps": rows[:, 1::3] | rows[:, ::3][:, :12],
            "as numbers": a * 2.5 + b,
            "counted": rows.sum(0) + rows.all(0),
        }

    truths = [number % 3 == 0 for number in range(37)], [number % 5 > 1 for number in range(37)]
    places = tensor(37, dtype=torch.int64, values=[number * 7 % 37 for number in range(37)])
    given = (tensor(37, dtype=torch.bool, values=values) for values in truths)
    check(program, *given, tensor(5, 37, dtype=torch.bool), places).computed()


@clause("numbers.vectors")
def test_conversions_of_long_rows(check: Check) -> None:
    """Each element is converted as eager converts it, between every two dtypes."""
    dtypes = (torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.bfloat16, torch.float16)
    every = (*dtypes, torch.float32, torch.float64)

    def program(*given: torch.Tensor) -> list[torch.Tensor]:
        return [(a + a).to(dtype) for a in given for dtype in every if dtype != a.dtype]

    values = [number % 50 for number in WHOLE]
    check(program, *(tensor(37, dtype=dtype, values=values) for dtype in every)).computed()


@clause("numbers.vectors")
def test_fractions_that_conversions_cut_off(check: Check) -> None:
    """Converted to whole numbers of each width, a number loses its fraction, towards nought, in registers and after."""
    widths = (torch.int8, torch.int16, torch.int32, torch.int64)

    def program(a: torch.Tensor, double: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {str(dtype): a.to(dtype) for dtype in widths} | {"bytes": a.abs().to(torch.uint8)}
        found |= {"double to int8": double.to(torch.int8), "double to bytes": double.abs().to(torch.uint8)}
        found |= {"low to int8": low.to(torch.int8), "low to bytes": low.abs().to(torch.uint8)}
        found |= {"and back": a.to(torch.int8).to(torch.float32) - a, "truths": (a * 0.01).to(torch.bool)}
        return found

    values = [(-1) ** number * number * 6.625 for number in range(19)]
    dtypes = (torch.float32, torch.float64, torch.bfloat16)
    check(program, *(tensor(19, dtype=dtype, values=values) for dtype in dtypes)).values().expect("""\
out['torch.int8'] = int8[19] [0, -6, 13, -19, 26, -33, 39, -46, 53, -59, 66, -72, 79, -86, 92, -99, 106, -112, 119]
out['torch.int16'] = int16[19] [0, -6, 13, -19, 26, -33, 39, -46, 53, -59, 66, -72, 79, -86, 92, -99, 106, -112,
    119]
out['torch.int32'] = int32[19] [0, -6, 13, -19, 26, -33, 39, -46, 53, -59, 66, -72, 79, -86, 92, -99, 106, -112,
    119]
out['torch.int64'] = int64[19] [0, -6, 13, -19, 26, -33, 39, -46, 53, -59, 66, -72, 79, -86, 92, -99, 106, -112,
    119]
out['bytes'] = uint8[19] [0, 6, 13, 19, 26, 33, 39, 46, 53, 59, 66, 72, 79, 86, 92, 99, 106, 112, 119]
out['double to int8'] = int8[19] [0, -6, 13, -19, 26, -33, 39, -46, 53, -59, 66, -72, 79, -86, 92, -99, 106, -112,
    119]
out['double to bytes'] = uint8[19] [0, 6, 13, 19, 26, 33, 39, 46, 53, 59, 66, 72, 79, 86, 92, 99, 106, 112, 119]
out['low to int8'] = int8[19] [0, -6, 13, -19, 26, -33, 39, -46, 53, -59, 66, -73, 79, -86, 93, -99, 106, -112, 119]
out['low to bytes'] = uint8[19] [0, 6, 13, 19, 26, 33, 39, 46, 53, 59, 66, 73, 79, 86, 93, 99, 106, 112, 119]
out['and back'] = float32[19] [0, 0.625, -0.25, 0.875, -0.5, 0.125, -0.75, 0.375, 0, 0.625, -0.25, 0.875, -0.5,
    0.125, -0.75, 0.375, 0, 0.625, -0.25]
out['truths'] = bool[19] [False, True, True, True, True, True, True, True, True, True, True, True, True, True, True,
    True, True, True, True]
""")


@clause("numbers.vectors")
def test_reductions_of_long_rows(check: Check) -> None:
    """Every element counts, each once, along rows, along columns and in all, and places are where they are."""

    def program(a: torch.Tensor, whole: torch.Tensor, low: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for dim in (0, 1):
            found[f"numbers {dim}"] = [a.sum(dim), a.mean(dim), (a / 4 + 1).prod(dim), a.var(dim), a.logsumexp(dim)]
            found[f"extremes {dim}"] = [a.amax(dim), a.amin(dim), a.argmax(dim), a.argmin(dim)]
            found[f"truths {dim}"] = [(a > -2).all(dim), (a > 2.5).any(dim), (a > 0).sum(dim)]
            found[f"whole {dim}"] = [whole.sum(dim), whole.amax(dim), whole.argmin(dim), whole.to(torch.int8).amin(dim)]
            found[f"low {dim}"] = [low.sum(dim), low.amax(dim), low.mean(dim)]
        found["all"] = [a.sum(), a.amax(), a.argmin(), a.var(), whole.amin(), low.sum(), (a > 3).any()]
        return found

    parts = tensor(21, 37), tensor(21, 37, dtype=torch.int64), tensor(21, 37, dtype=torch.bfloat16)
    check(program, *parts).computed()


@clause("numbers.vectors")
def test_transposed_long_rows(check: Check) -> None:
    """Rows and columns meet in tiles that do not divide them, in each width, and are summed there."""

    def program(a: torch.Tensor, b: torch.Tensor, low: torch.Tensor, *whole: torch.Tensor) -> dict[str, object]:
        return {
            "sum": a.t() + b,
            "copy": a.t().contiguous() * 2,
            "low": low.t() * b,
            "whole": [x.t() + y for x, y in zip(whole, (b > 0, b > 1, b), strict=True)],
            "tiles": (a.view(3, 7, 37).permute(2, 0, 1) + b.view(37, 3, 7)).contiguous(),
            "summed": (a.t() * b).sum(0),
            "largest": (a.t() + b).amax(1),
            "softmax": (a.t() * b).softmax(0),
        }

    widths = (torch.int8, torch.int64, torch.bool)
    parts = tensor(21, 37), tensor(37, 21), tensor(21, 37, dtype=torch.bfloat16)
    check(program, *parts, *(tensor(21, 37, dtype=width) for width in widths)).computed()


@clause("numbers.vectors", modes="train")
def test_parts_of_long_rows(check: Check) -> None:
    """Padding, joints, steps and indices fall in the middle of a register, and nothing beyond them is read."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "joined": torch.cat([a, b[:, :5], a[:, 3:]], 1) * 2,
            "padded": functional.pad(a, (3, 6), value=-1.5) + 1,
            "reflected": functional.pad(a, (4, 2), mode="reflect") * 3,
            "shifted": a[:, 1:] * b[:, :-1],
            "steps": a[:, 1::3] + b[:, 2::3],
            "flipped": a.flip(1) * b,
            "rolled": a.roll(5, 1) - b,
            "chosen": a[:, rows] * b[:, :19],
            "gathered": a.gather(1, rows.expand(3, 19)) + 1,
            "scattered": a.scatter_add(1, rows.expand(3, 19), b[:, :19]),
            "triangle": (a.t() @ b).tril(2),
            "normalised": functional.layer_norm(a, (37,)) + a.softmax(1) + functional.normalize(b, dim=1),
        }

    rows = tensor(19, dtype=torch.int64, values=[number * 7 % 37 for number in range(19)])
    check(program, tensor(3, 37), tensor(3, 37), rows).gradient(0, 1).computed()


@clause("numbers.vectors", modes="train", profile="full")
def test_images_of_many_channels(check: Check) -> None:
    """In channels-last memory neighbours are channels: pooling, padding, resampling and norms keep them apart."""

    def program(a: torch.Tensor) -> dict[str, object]:
        image = a.to(memory_format=torch.channels_last) * 2
        return {
            "largest": functional.max_pool2d(image, 2, return_indices=True),
            "mean": functional.avg_pool2d(image, 3, 2, 1, count_include_pad=False),
            "padded": functional.pad(image, (1, 2, 0, 1), value=0.5),
            "nearest": functional.interpolate(image, size=(6, 3), mode="nearest"),
            "adaptive": functional.adaptive_avg_pool2d(image, (3, 2)),
            "normalised": functional.batch_norm(image, None, None, training=True),
            "groups": functional.group_norm(image, 3),
        }

    check(program, tensor(1, 21, 5, 4)).gradient(0).computed()


@clause("numbers.vectors")
def test_sums_of_rows_of_thousands(check: Check) -> None:
    """A sum that is taken in blocks counts the last ones too, where a row ends within a block or a register."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "sums": a.sum(1),
            "sum": a.sum(),
            "means": (a * 2).mean(-1, keepdim=True),
            "squares": a.square().sum(1),
            "lengths": torch.linalg.vector_norm(a, dim=1),
            "deviations": a.std(1),
            "in double": b.sum(1),
            "of ones": torch.ones_like(a).sum(1),
            "columns": a.view(4999, 2).sum(0),
            "truths": (a > 0).sum(1),
        }

    # Small whole numbers: their sums are exact in any order.
    whole = [float(number * 37 % 101 - 30) for number in range(4999)]
    check(program, tensor(2, 4999, values=[whole, whole[::-1]]), tensor(1, 4999, dtype=torch.float64)).computed()


@clause("numbers.vectors", "numbers.integers")
def test_ranges_along_long_rows(check: Check) -> None:
    """Numbers beside a range that falls, or grows by more than one, meet the number of their own place."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "falling": a * torch.arange(37, 0, -1, device=at),
            "falling by two": a + torch.arange(73, 0, -2, device=at),
            "by three": whole - torch.arange(5, 116, 3, device=at),
            "negated": whole * -torch.arange(37, device=at),
            "falling fractions": a - torch.arange(18.5, 0, -0.5, device=at),
            "mirrored": (torch.arange(37, device=at) * a).flip(0) + torch.arange(36, -1, -1, device=at),
            "of few bits": whole.to(torch.int16) + torch.arange(37, 0, -1, dtype=torch.int16, device=at),
        }

    check(program, tensor(37), tensor(37, dtype=torch.int64, values=WHOLE)).computed()


@clause("numbers.vectors")
def test_functions_in_loops_of_their_own(check: Check) -> None:
    """A function that shares its loop with no other is the same function of each element, in registers and after."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> list[torch.Tensor]:
        signs = [a.sign(), a.double().sign(), a.bfloat16().sign(), whole.sign(), whole.to(torch.int8).sign()]
        inverses = [(a / 8).atanh(), (a.double() / 8).atanh(), (a / 8).half().atanh(), a.asinh(), (a.abs() + 1).acosh()]
        others = [a.sinh(), a.cosh(), (a / 8).asin(), (a / 8).acos(), a.log1p(), a.expm1(), a.rsqrt(), a.sgn()]
        # Each of a length of its own: what is as long shares a loop, and a register if the other has one.
        return [row[: 37 + number] for number, row in enumerate([*signs, *inverses, *others])]

    numbers = [0.0, 1.0, -2.0, 0.0, -0.5, 3.5, 0.0, -4.0] * 8
    check(program, tensor(64, values=numbers), tensor(64, dtype=torch.int64, values=[3, 0, -7, 0] * 16)).computed()


@clause("numbers.vectors", "numbers.nan-order")
def test_extremes_with_nan_in_each_place(check: Check) -> None:
    """The largest and the least of rows and columns are NaN wherever one is: first, last, in a register and after."""

    def program(a: torch.Tensor) -> list[tuple[torch.Tensor, ...]]:
        found: list[tuple[torch.Tensor, ...]] = []
        for size in (3, 67):
            # One NaN in each row but the last, each time in another column.
            for rows in (a[: size + 1, :size], a[: size + 1, :size].double(), a[: size + 1, :size].bfloat16()):
                found.append(
                    (rows.amax(1), rows.amin(1), rows.amax(0), (rows * 2).t().amin(1), rows.amax(), rows.min())
                )
                found.append((rows.amin(0), rows.argmax(1), rows.argmin(1)))
        return found

    rows = [[NAN if place == row else float((place * 7 + row) % 67 - 33) for place in range(67)] for row in range(68)]
    result = check(program, tensor(68, 67, values=rows)).computed()
    nan = [result.value(f"out[{place}][0]").isnan() for place in (0, 6)]
    result.happened(all(rows[:-1].all() and not rows[-1] for rows in nan), "NaN in every row but the last")


def _places(rows: torch.Tensor) -> list[torch.Tensor]:
    return [rows.argmin(1), rows.argmax(1), rows.min(1).indices, (rows + 1).argmin()]


def _each_once() -> TensorSpec:
    """Rows that have each number once, none of them nought; the least lies in another place each time."""
    rows = [[(place * 29 + row * 17) % 67 + 1 + row for place in range(67)] for row in range(4)]
    return tensor(4, 67, dtype=torch.int64, values=rows)


@clause("numbers.vectors", "numbers.indices", "numbers.integers")
def test_places_of_whole_numbers_in_long_rows(check: Check) -> None:
    """The place of the largest and of the least of whole numbers, in registers and after, and of few."""

    def program(wide: torch.Tensor) -> list[torch.Tensor]:
        found = []
        for number, dtype in enumerate((torch.int64, torch.int32, torch.int16)):
            # Of a length for each width: what has no register, as int16, takes it from all that share its loop.
            for size in (5, 67 - number):
                found += _places(wide[:, :size].to(dtype))
        return found

    result = check(program, _each_once()).computed()
    result.happened(result.value("out[4]").unique().numel() == 4, "the least in another place of each row")


@clause("numbers.vectors", "numbers.indices", "numbers.integers")
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_places_of_bytes_in_long_rows(check: Check, dtype: torch.dtype) -> None:
    """So it is of bytes, of which a register holds most."""

    def program(wide: torch.Tensor) -> list[torch.Tensor]:
        return [place for size in (5, 64, 67) for place in _places(wide[:, :size].to(dtype))]

    result = check(program, _each_once()).computed()
    result.happened(result.value("out[8]").unique().numel() == 4, "the least in another place of each row")


@clause("numbers.vectors")
def test_padding_of_what_is_turned(check: Check) -> None:
    """Around a transposed or permuted operand, read across its memory, is what it is padded with, on every side."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> list[torch.Tensor]:
        found = []
        for size in (5, 37):
            for square in (a[:size, :40], a[:40, :size].double(), whole[:size, :40]):
                turned = square.t()
                found += [functional.pad(turned, (2, 3)).abs() + 1, functional.pad(turned, (1, 0, 3, 2), value=-3) * 2]
                found += [functional.pad(square, (3, 1)).t() - 1, functional.pad(turned, (-1, 2, 0, 1), value=7).abs()]
        cube = a[:36, :40].view(6, 6, 40)
        found += [
            functional.pad(cube.permute(2, 0, 1), (1, 2), value=0.5) + 1,
            functional.pad(cube.permute(0, 2, 1), (3, 3)),
        ]
        return found

    check(program, tensor(40, 40), tensor(40, 40, dtype=torch.int64)).computed()


@clause("numbers.vectors")
def test_variances_of_rows_of_many_thousands(check: Check) -> None:
    """Each row and column has its own variance and mean, however many thousands it has, and in the next call again."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        scaled, columns = a * torch.tensor([[1.0], [10.0]], device=a.device), b * torch.arange(1, 21, device=a.device)
        return {
            "rows": scaled.var(1),
            "rows and means": torch.var_mean(scaled + 3, 1, correction=0),
            "deviations": scaled.std(1, keepdim=True),
            "columns": columns.var(0),
            "in double precision": (scaled[:, :6000].double() - 2).var(1),
            "normalised": functional.layer_norm(scaled, scaled.shape[1:])[:, ::9999],
            "all": scaled.var(),
        }

    check(program, calls=[(tensor(2, 80_000), tensor(6000, 20))] * 2).computed()
