"""Loops over rows and columns: reductions one after the other, side by side, at the ends of registers, of any size."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


def exponentials(rows: torch.Tensor) -> torch.Tensor:
    """Those of what each number is below the largest of its row."""
    return (rows - rows.amax(-1, keepdim=True)).exp()


@clause("inductor.fusion")
def test_reductions_of_rows_one_after_the_other(check: Check) -> None:
    """Rows that are reduced, computed with and reduced again are each those of the step before."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        first = (a * 2).softmax(-1)
        second = (first + a).softmax(-1)
        third = (second * 3 - first).softmax(-1)
        return {
            "two": ((a * 3).softmax(-1) + a * 4).softmax(-1),
            "three": third + first * second,
            "logarithms": (b * 3).log_softmax(-1).exp() + b,
            "normalised": functional.layer_norm(functional.layer_norm(b * 2, (50,)) + b, (50,)),
            "largest": exponentials(b).sum(-1, keepdim=True) * b,
        }

    check(program, tensor(4, 64), tensor(3, 50)).shape("out['two']", 4, 64).computed()


@clause("inductor.fusion")
def test_two_softmaxes(check: Check) -> None:
    """A softmax of a softmax and what it was of, with nothing else in the program."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return ((a * 2).softmax(-1) + a).softmax(-1)

    check(program, tensor(4, 64)).shape("out", 4, 64).computed()


@clause("inductor.fusion")
def test_three_softmaxes(check: Check) -> None:
    """What three softmaxes, each of the one before, hand on to the last sum is read as each left it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first = (a * 2).softmax(-1)
        second = (first + a).softmax(-1)
        return (second * 3 - first).softmax(-1) + first * second

    check(program, tensor(4, 64)).shape("out", 4, 64).computed()


@clause("inductor.fusion")
def test_two_rows_of_exponentials_at_once(check: Check) -> None:
    """Of two rows of exponentials each is divided by the other's sum: both are there until the last is divided."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        first, second = exponentials(a), exponentials(b)
        return first / second.sum(-1, keepdim=True) + second / first.sum(-1, keepdim=True)

    check(program, tensor(5, 37), tensor(5, 37)).shape("out", 5, 37).computed()


@clause("inductor.fusion")
def test_exponentials_that_are_read_again(check: Check) -> None:
    """Exponentials are a result themselves, beside their share of the sum of their row."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        whole = exponentials(a)
        return whole / whole.sum(-1, keepdim=True), whole

    check(program, tensor(5, 37)).shape("out[0]", 5, 37).computed()


@clause("inductor.fusion")
def test_sums_of_columns_of_choices(check: Check) -> None:
    """Sums of columns that are no multiple of a register, of one choice within another and nothing else."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.where(a > 0, torch.where(a > 1, a, -a), a * 2).sum(0)

    check(program, tensor(20, 19)).shape("out", 19).computed()


@clause("inductor.fusion")
def test_columns_of_what_is_chosen_or_padded(check: Check) -> None:
    """Sums and extremes of columns, more than a register has numbers and no multiple of it, by choices and padding."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "chosen": torch.where(a > 0, torch.where(a > 1, a, -a), a * 2).sum(0),
            "padded": functional.pad(a, (1, 2)).sum(0),
            "least of padded": functional.pad(a * 2, (2, 1, 1, 0), value=5.0).amin(0),
            "largest": (a * 3).amax(0),
            "product": (a * 0.5 + 1).prod(0),
        }

    check(program, tensor(20, 19)).shape("out['padded']", 22).computed()


@clause("inductor.fusion", "numbers.vectors")
def test_extremes_and_products_on_one_side_of_nought(check: Check) -> None:
    """The largest of numbers below nought and the least of those above are among them, whatever a row's length."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        above = a.abs() + 1
        return {
            "largest": (-above).amax(1),
            "least": above.amin(1),
            "largest of all": (-above * 2).max(),
            "least of all": (above * 2).min(),
            "product": (above * 0.75).prod(1),
            "place": (-above * 3).argmax(1) + (above * 3).argmin(1),
        }

    check(program, tensor(6, 41)).shape("out['product']", 6).computed()


@clause("inductor.fusion", "numbers.vectors")
def test_places_in_what_is_read_in_two_orders(check: Check) -> None:
    """Where the extremes of rows and columns lie is told where one operand is read along rows and one along columns."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        largest, least = torch.max(a * 2 + b.t(), 1), torch.min(b * 2 - a.t(), 0, keepdim=True)
        return {
            "largest of rows": (a + b.t()).argmax(1),
            "least of rows": (a - b.t()).argmin(-1),
            "largest of columns": (a.t() * 2 - b).argmax(0),
            "least of columns": (a * b.t()).argmin(0),
            "beside the largest": largest.indices,
            "largest": largest.values.sum(),
            "beside the least": least.indices,
            "least": least.values.sum(),
        }

    check(program, tensor(18, 20), tensor(20, 18)).values().expect("""\
out['largest of rows'] = int64[18] [7, 4, 18, 5, 7, 13, 16, 15, 5, 7, 9, 1, 19, 9, 11, 19, 12, 13]
out['least of rows'] = int64[18] [19, 15, 12, 11, 19, 6, 2, 7, 0, 2, 5, 9, 10, 17, 0, 17, 11, 10]
out['largest of columns'] = int64[18] [2, 0, 2, 7, 8, 10, 10, 2, 5, 0, 2, 5, 3, 3, 9, 11, 16, 13]
out['least of columns'] = int64[20] [9, 5, 7, 12, 17, 17, 5, 7, 1, 11, 17, 16, 2, 15, 3, 1, 4, 15, 11, 2]
out['beside the largest'] = int64[18] [7, 4, 18, 7, 7, 10, 16, 15, 5, 7, 9, 5, 19, 9, 11, 11, 12, 13]
out['largest'] = float32[] 77.65
out['beside the least'] = int64[1, 18] [[2, 0, 2, 0, 16, 14, 10, 2, 11, 4, 14, 18, 3, 6, 19, 13, 7, 13]]
out['least'] = float32[] -72.69
""")


@clause("inductor.fusion", "numbers.vectors", shapes="dynamic")
def test_means_of_each_size(check: Check) -> None:
    """Means and variances are over as many numbers as the call has."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "mean": (a * 2).mean(),
            "variance": (a * 3).var(),
            "deviation": (a * 4).std(correction=0),
            "of rows": torch.stack(torch.var_mean(b * 2, 1)),
            "of columns": torch.stack(torch.var_mean(b * 3, 0, correction=2)),
            "normalised": functional.layer_norm(b * 4, b.shape[1:]),
        }

    check(program, calls=[(tensor(size), tensor(size - 5, size + 9)) for size in (10, 17, 40)]).computed()


#: Two images of bytes, the second of which a program turns; two of whole numbers of 32 bits.
IMAGES, WHOLE_IMAGES = (
    [
        tensor(
            rows,
            columns,
            dtype=dtype,
            values=[[place * (columns * row + column) % 251 for column in range(columns)] for row in range(rows)],
        )
        for rows, columns, place in ((17, 19, 37), (19, 17, 91))
    ]
    for dtype in (torch.uint8, torch.int32)
)


@clause("inductor.fusion", "numbers.vectors", isolated=True)
def test_choices_sums_and_orders_of_bytes_in_two_orders(check: Check) -> None:
    """A choice, a sum and a comparison of two images of bytes, one of them turned, write within each tile's end."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.where(a > 3, b.t(), a), (a * b.t()).float().sum(1), a > b.t()

    check(program, *IMAGES).computed()


@clause("inductor.fusion", "numbers.vectors")
def test_two_results_of_bytes_in_two_orders(check: Check) -> None:
    """A choice and a sum of two images of bytes in two orders are those of their elements."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.where((a & 1) == 1, b.t(), a), (a * b.t()).float().sum(1)

    check(program, *IMAGES).computed()


@clause("inductor.fusion", "numbers.vectors")
def test_three_results_of_whole_numbers_in_two_orders(check: Check) -> None:
    """A choice, a sum and a comparison of two images of 32 bits, one of them turned, are those of their elements."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.where(a > 3, b.t(), a), (a * b.t()).float().sum(1), a > b.t()

    check(program, *WHOLE_IMAGES).computed()


@clause("inductor.fusion")
def test_groups_narrower_and_wider_than_a_register(check: Check) -> None:
    """Beside a long row each of few numbers is there as often as its group is wide, or all of them are in turn."""

    def program(few: torch.Tensor, row: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        size = row.size(0)
        places = torch.arange(size, device=row.device)
        found = {}
        for width in (2, 3, 4, 8, 12, 16, 24, 32, 64):
            found[f"each {width} times"] = few[: size // width, None].expand(-1, width).reshape(size) * row
            found[f"{width} in turn"] = few[:width].repeat(size // width) + row
            found[f"groups of {width} by their places"] = places // width * row - places % width
            found[f"sums of {width}"] = (few[: size // width, None] * row.view(-1, width)).sum(1)
        for width in (4, 16, 24):
            found[f"halves, each {width} times"] = low[: size // width, None].expand(-1, width).reshape(size) * 2
            found[f"halves, {width} in turn"] = low[:width].repeat(size // width) * 2
        return found

    check(program, tensor(96), tensor(192), tensor(48, dtype=torch.bfloat16)).computed()
