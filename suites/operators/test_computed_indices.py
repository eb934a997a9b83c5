"""Indices that the program computes: what a compiler knows of their bounds decides how they are read and checked."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.indices", "numbers.integers")
def test_rows_chosen_by_arithmetic_on_a_range(check: Check) -> None:
    """Places made of a range by arithmetic, extremes and conversions, which count from the end below nought."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        places = torch.arange(6, device=a.device)
        more = torch.arange(24, device=a.device)
        found = {
            "from the end": -places - 1,
            "around nought": places - 3,
            "quotient of a remainder": more % 10 // 3,
            "quotient of a remainder that divides": more % 12 // 3,
            "remainder of a remainder": more % 9 % 4 + more % 8 % 2,
            "remainder of a quotient": more // 3 % 5,
            "taken apart": more // 5 * 5 + more % 5 - more,
            "put together": (more // 6 * 6 + more % 6) // 6 + more // 12,
            "just below": places - 6,
            "backwards": 5 - places,
            "distance": (places - 3).abs(),
            "squares": places.square() % 6,
            "product": places * 5 % 6,
            "negative remainder": (places - 4) % -3,
            "remainder of a negative": (-places - 1) % 4,
            "quotient": places // 2 - places // 3,
            "quotient below": (places - 5) // 2,
            "at most": places.clamp(max=2) - 2,
            "at least": torch.maximum(places, 5 - places),
            "less": torch.minimum(places - 2, 3 - places),
            "chosen": torch.where(places > 2, places - 3, -places - 1),
            "chosen from the end": torch.where(places > 2, places, places - 3),
            "truth": (places > 3).long() - (places < 2).int(),
            "sign": (places - 3).sign(),
            "bits": (places & 3) - (places | 1) + (places ^ 2),
            "even": ((places - 4) & -2) + 2,
            "with a bit": ((places - 3) | 4) - 1,
            "shifted": (places << 1 >> 2) - 1,
            "rounded": (places * 0.75 - 2).round().long(),
            "cut": (places * 0.75 - 2).long() - (places / 4).floor().int(),
            "chosen, a bit turned": torch.where(places > 2, places - 4, 1) ^ 1,
            "chosen, in parts": torch.where(places > 2, places - 8, 3) // 2,
            "quotient by less than nought": torch.div(places, -3, rounding_mode="floor"),
        }
        return {name: a[chosen] * 2 for name, chosen in found.items()}

    check(program, tensor(6, 2)).computed()


@clause("numbers.indices", "numbers.integers")
def test_rows_chosen_by_a_truncated_quotient_of_a_range(check: Check) -> None:
    """Places that are a range below nought, divided and cut towards it, count from the end."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[torch.div(torch.arange(6, device=a.device) - 5, 2, rounding_mode="trunc")] * 2

    check(program, tensor(6, 2)).values().expect("""\
out = float32[6, 2] [[-2.264, -4.445], [-2.264, -4.445], [0.3338, -0.2831], [0.3338, -0.2831], [1.373, -5.26],
    [1.373, -5.26]]
""")


@clause("numbers.indices", "numbers.integers")
def test_rows_chosen_by_a_truncated_remainder_of_a_choice(check: Check) -> None:
    """A remainder with the sign of the dividend counts from the end, though some of the places are above nought."""

    def program(a: torch.Tensor) -> torch.Tensor:
        places = torch.arange(12, device=a.device)
        return a[torch.fmod(torch.where(places > 5, places - 30, 3), 5)] * 2

    check(program, tensor(6, 2)).values().expect("""\
out = float32[12, 2] [[-3.173, 1.802], [-3.173, 1.802], [-3.173, 1.802], [-3.173, 1.802], [-3.173, 1.802], [-3.173,
    1.802], [-0.9121, 2.03], [-3.173, 1.802], [-2.264, -4.445], [0.3338, -0.2831], [1.373, -5.26], [-0.9121, 2.03]]
""")


@clause("numbers.indices", "numbers.integers", modes="train")
def test_rows_chosen_by_arithmetic_on_given_places(check: Check) -> None:
    """Given places, bounded and moved by arithmetic, are wrapped where they are below nought and nowhere else."""

    def program(a: torch.Tensor, places: torch.Tensor, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        chosen = {
            "bounded": places.clamp(-2, 3),
            "bounded below": places.clamp(min=-4).clamp(max=4) - 1,
            "remainder": places.remainder(6),
            "remainder below": places.remainder(-6),
            "truncated remainder": places.fmod(6),
            "distance": places.abs().clamp(max=5),
            "negative": -places.abs().clamp(min=1, max=6),
            "bits": (places & 7) - 6,
            "low bits": places & 3,
            "kinds": torch.where(places > 0, 2, -3),
            "truth": (places > 1).long() - 1,
            "sign": places.sign(),
            "of weights": (weights * 2).clamp(-3, 3).long(),
            "rounded": weights.round().clamp(-3, 3).int(),
            "floor": weights.floor().clamp(-6, 5).long(),
            "least": torch.minimum(places, torch.full_like(places, 5)).clamp(min=-6),
            "quotient": places.div(3, rounding_mode="floor").clamp(-6, 5),
        }
        found = {name: a[index] * 2 for name, index in chosen.items()}
        found["looked up"] = torch.nn.functional.embedding(places.abs() % 6, a) * 3
        found["gathered"] = a.gather(0, (places % 6)[:, None].expand(5, 2)) * 4
        found["added"] = a.index_add(0, places % 6, a[:5])
        found["filled"] = a.index_fill(0, places.clamp(-3, -1), 1.5)
        found["summed"] = a.index_put((places.fmod(3),), weights[:, None].expand(5, 2), accumulate=True)
        return found

    places = tensor(5, dtype=torch.int64, values=[-7, -1, 0, 4, 9])
    weights = tensor(5, values=[-2.6, -0.5, 0.5, 1.5, 2.4])
    check(program, tensor(6, 2), places, weights).gradient(0).computed()


@clause("numbers.indices", "numbers.integers")
def test_numbers_scaled_in_groups(check: Check) -> None:
    """Each group of nine in a row is scaled by a number of its own, which the quotient of a range finds."""

    def program(a: torch.Tensor, scales: torch.Tensor) -> dict[str, torch.Tensor]:
        columns = torch.arange(a.shape[-1], device=a.device)
        return {
            "in a row": a[0] * scales[columns // 9],
            "in each row": a * scales[columns // 9],
            "across": a.t() * scales[columns // 9, None],
            "whole numbers": columns // 9 - columns // 18,
        }

    check(program, tensor(2, 18), tensor(2)).values().expect("""\
out['in a row'] = float32[18] [0.5813, 1.733, -2.241, 1.225, 0.5788, -1.316, 1.158, -2.933, -0.3455, -0.01764,
    -0.05857, 0.08459, 0.01654, -0.02326, 0.09098, -0.1074, 0.04038, -0.06931]
out['in each row'] = float32[2, 18] [[0.5813, 1.733, -2.241, 1.225, 0.5788, -1.316, 1.158, -2.933, -0.3455,
    -0.01764, -0.05857, 0.08459, 0.01654, -0.02326, 0.09098, -0.1074, 0.04038, -0.06931], [-0.9596, 1.19, -1.306,
    2.213, -1.241, 0.8093, 1.047, 0.1005, -0.2466, -0.07766, -0.03597, -0.05612, 0.004323, 0.111, -0.1213, 0.04494,
    -0.06114, 0.06289]]
out['across'] = float32[18, 2] [[0.5813, -0.9596], [1.733, 1.19], [-2.241, -1.306], [1.225, 2.213], [0.5788,
    -1.241], [-1.316, 0.8093], [1.158, 1.047], [-2.933, 0.1005], [-0.3455, -0.2466], [-0.01764, -0.07766],
    [-0.05857, -0.03597], [0.08459, -0.05612], [0.01654, 0.004323], [-0.02326, 0.111], [0.09098, -0.1213], [-0.1074,
    0.04494], [0.04038, -0.06114], [-0.06931, 0.06289]]
out['whole numbers'] = int64[18] [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
""")


@clause("numbers.indices", "numbers.integers")
def test_numbers_scaled_in_groups_of_which_the_last_is_short(check: Check) -> None:
    """The last group in a row may have fewer than nine numbers, which are scaled as well."""

    def program(a: torch.Tensor, scales: torch.Tensor) -> torch.Tensor:
        largest = a.cumsum(-1).amax()
        columns = torch.arange(a.shape[-1], device=a.device)
        return a * scales[columns // 9] + largest

    check(program, tensor(2, 11), tensor(2)).values().expect("""\
out = float32[2, 11] [[1.918, 2.748, -0.1129, 2.382, 1.916, 0.5526, 1.834, 3.795, 1.21, 0.9427, -0.1281], [-0.1003,
    2.943, 1.611, 1.947, 3.783, 2.135, 2.65, 2.937, 1.706, 2.91, 0.325]]
""")


@clause("numbers.indices")
def test_windows_over_the_ends_of_rows(check: Check) -> None:
    """Windows of rows that were put in one reach into the next row, by one place, by two or by half a row."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        columns = a.shape[1]
        flat = (a * 2).reshape(-1)
        return {
            "by one": flat.unfold(0, columns + 1, columns) + 1,
            "by two": flat.unfold(0, columns + 2, columns)[:, ::2] + 2,
            "by half": flat.unfold(0, columns, columns // 2) + 3,
        }

    check(program, tensor(4, 4)).values().expect("""\
out['by one'] = float32[3, 5] [[0.2157, -1.339, 4.023, -0.6536, 0.2191], [0.2191, 2.776, -0.5625, 4.958, 1.466],
    [1.466, 0.5904, -0.3603, 2.965, 1.384]]
out['by two'] = float32[3, 3] [[1.216, 5.023, 1.219], [1.219, 0.4375, 2.466], [2.466, 0.6397, 2.384]]
out['by half'] = float32[7, 4] [[2.216, 0.661, 6.023, 1.346], [6.023, 1.346, 2.219, 4.776], [2.219, 4.776, 1.437,
    6.958], [1.437, 6.958, 3.466, 2.59], [3.466, 2.59, 1.64, 4.965], [1.64, 4.965, 3.384, 2.46], [3.384, 2.46,
    5.113, 0.5046]]
""")


@clause("numbers.indices", shapes=("static", "dynamic"))
def test_shapes_that_do_not_divide(check: Check) -> None:
    """Elements keep their order through shapes whose sizes divide, share a factor or have none, turned in between."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        turned = (a * 2).t()
        rows, columns = a.shape
        return {
            "halves": turned.reshape(columns // 2, 2, rows) + 1,
            "across": turned.reshape(rows * 2, columns // 2) + 2,
            "flat": turned.reshape(-1)[1:-1] + 3,
            "thirds": turned.reshape(3, -1) + 4,
            "thirds turned": turned.reshape(3, -1).t().reshape(2, -1) + 5,
            "windows": (a * 3).unfold(1, 3, 2).reshape(rows, -1) + 6,
            "windows apart": (a * 3).unfold(1, 2, 3).sum(-1),
            "repeated": a.repeat(2, 3).reshape(-1, columns)[:: columns // 2] + 7,
            "stretched": a.repeat_interleave(2, 1).reshape(2, -1)[:, 1::3] + 8,
            "rolled": a.roll(2, 0).roll(-3, 1).reshape(-1, 4) + 9,
            "interleaved": torch.stack([a, a * 2], -1).flatten(1).reshape(columns, -1) + 10,
            "turned back": a.reshape(3, 2, columns).permute(2, 0, 1).reshape(columns, 6).t().reshape(-1, 4) + 11,
            "tiles": a.reshape(2, 3, 2, columns // 2).transpose(1, 2).reshape(4, -1) + 12,
            "flipped": a.flip(0).reshape(-1).flip(0).reshape(columns, rows) + 13,
            "diagonals": a.reshape(-1)[:: columns + 1] + 14,
            "every second": (a * 4).reshape(4, 3, columns // 2)[:, :, 1::2].reshape(-1, 4) + 15,
            "summed": turned.reshape(columns // 2, -1).sum(0),
            "summed turned": a.reshape(-1, 4).t().reshape(-1, 3).sum(1),
        }

    check(program, tensor(6, 10)).computed()


@clause("numbers.indices")
def test_rows_beside_copies_of_themselves(check: Check) -> None:
    """Rows that are spread over new dimensions and flattened with them begin anew in each copy."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        rows, columns = a.shape
        many = rows * columns
        return {
            "of an argument": a.expand(3, rows, columns).reshape(3 * many) * 2,
            "computed": a.sin().expand(3, rows, columns).reshape(-1) + torch.arange(3 * many, device=a.device),
            "tiled": a.repeat(5, 1).flatten() + 1,
            "groups": a.reshape(2, -1, columns)[:, None].expand(2, 3, -1, columns).reshape(-1) - a[0, 0],
            "of columns": a.t().expand(3, columns, rows).reshape(-1) * 3,
            "columns again": a[:, None].expand(rows, 3, columns).reshape(rows, -1) * 4,
            "each number": a[..., None].expand(rows, columns, 3).reshape(-1) * 5,
            "summed": (a.expand(3, rows, columns).reshape(-1, 4) * torch.arange(4, device=a.device)).sum(1),
            "part": a[1:-1].expand(3, -1, columns).reshape(-1)[columns // 2 :] * 6,
        }

    check(program, tensor(8, 4)).computed()


@clause("numbers.indices", modes="train")
def test_rows_chosen_by_padded_places(check: Check) -> None:
    """Places that count from the end do so where padding, a join or a mask is around them, too."""

    pad = torch.nn.functional.pad

    def program(a: torch.Tensor, places: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "padded": a[pad(places, (2, 1))],
            "padded by the last": a[pad(places, (0, 3), value=-1)],
            "moved": a[pad(places + 1, (1, 0), value=2) - 1],
            "cropped": a[pad(places, (-1, 2), value=3)],
            "joined": a[torch.cat([places, places.flip(0), places.new_full((2,), -5)])],
            "where a mask says": a[torch.where(mask, places, 1)],
            "of a triangle": a[places.expand(6, 6).tril(1)].sum(-1),
            "spread": a[places.new_full((9,), -2).slice_scatter(places, 0, 1, 7)],
        }

    places = tensor(6, dtype=torch.int64, values=[-1, 0, 4, -5, 2, -3])
    mask = tensor(6, dtype=torch.bool, values=[True, False, True, True, False, True])
    check(program, tensor(5, 3), places, mask).gradient(0).computed()


@clause("numbers.indices")
def test_rows_of_a_table_chosen_under_padding(check: Check) -> None:
    """Where padding or a mask hides a chosen row nothing is read, and no place that would be outside raises."""

    def program(table: torch.Tensor, places: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
        functional = torch.nn.functional
        words = functional.embedding(places - 1, table)
        picked = table.gather(0, (places - 1)[:, None].expand(-1, 3))
        return {
            "before": functional.pad(words, (0, 0, 2, 0)) * 2,
            "after": functional.pad(words, (0, 0, 0, 3), value=1.5) * 3,
            "around": functional.pad(words, (1, 2, 1, 1)) * 4,
            "picked": functional.pad(picked, (0, 0, 3, 2)) * 5,
            "indexed": functional.pad(table[places - 1], (2, 0, 1, 9)) * 6,
            "moved on": functional.pad(table[5 - places], (0, 0, 1, 9)) * 7,
            "replaced": words.new_zeros(9, 3).slice_scatter(words, 0, 1, 7) * 8,
            "joined": torch.cat([words * 9, table[:2]]),
            "where a mask says": torch.where(mask[:, None], words, -1.0),
        }

    places = tensor(6, dtype=torch.int64, values=[1, 5, 3, 2, 5, 1])
    mask = tensor(6, dtype=torch.bool, values=[True, False, True, True, False, True])
    check(program, tensor(5, 3), places, mask).gradient(0).computed()


@clause("numbers.indices", "numbers.integers")
def test_rows_chosen_by_bits_of_bounded_places(check: Check) -> None:
    """Bits, remainders and quotients of places that are on one side of nought choose the rows that they come to."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        below, above = places.clamp(max=-1), places.clamp(min=1)
        chosen = {
            "bits below": below & 3,
            "bits above": above & 5,
            "even bits below": below & -2 | -4,
            "bits of both": (below & above) % 6,
            "with a bit": above.clamp(max=1) | 4,
            "with bits below": below | -3,
            "turned": (above & 1) ^ 4,
            "turned below": below.clamp(min=-4) ^ 1,
            "inverted": ~below.clamp(min=-6),
            "inverted above": ~above.clamp(max=5),
            "remainder below": below % 5,
            "remainder by less": above % -5,
            "of two below": below.remainder(-6),
            "truncated": below.fmod(6),
            "quotient below": below.clamp(min=-11) // 2,
            "quotient by less": above // -2,
            "cut": torch.div(below.clamp(min=-11), 2, rounding_mode="trunc"),
            "shifted below": below.clamp(min=-3) << 1,
            "shifted down": below >> 1,
            "product": below.clamp(min=-2) * above.clamp(max=3),
        }
        return {name: a[index] * 2 for name, index in chosen.items()}

    check(program, tensor(6, 2), tensor(7, dtype=torch.int64, values=[-9, -4, -1, 0, 2, 5, 10])).computed()
