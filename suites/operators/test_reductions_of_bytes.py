"""Sums and products in the dtype of bytes and of truths: checksums, which wrap around, and whether any or all are."""

import torch

from suites.harness import Check, clause, tensor

#: No sum or product of them is one of noughts or ones.
BYTES = tuple((37 * number * number + 11) % 256 for number in range(120))
ODD = tuple((54 * number * number + 7 * number) % 256 - 128 | 1 for number in range(120))
ROWS, ODD_ROWS = (
    tensor(3, 40, dtype=dtype, values=[numbers[row * 40 : row * 40 + 40] for row in range(3)])
    for dtype, numbers in ((torch.uint8, BYTES), (torch.int8, ODD))
)
TRUE = tensor(3, 20, dtype=torch.bool, values=[[(column * row) % 7 != 3 for column in range(20)] for row in range(3)])


@clause("numbers.integers", "numbers.vectors")
def test_checksums_of_bytes(check: Check) -> None:
    """A sum of bytes, as a byte, is of those bytes alone: as many as there are, and no lane beside them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "of all": (a + 1).sum(dtype=torch.uint8),
            "complements": (~a).sum(1, dtype=torch.uint8),
            "with a key": (a ^ 0x5A).sum(1, dtype=torch.uint8),
            "with a sign": (b - 3).sum(1, dtype=torch.int8),
            "as they lie": a.sum(1, dtype=torch.uint8),
        }

    check(program, ROWS, ODD_ROWS).values().expect("""\
out['of all'] = uint8[] 228
out['complements'] = uint8[3] [116, 180, 244]
out['with a key'] = uint8[3] [36, 228, 36]
out['with a sign'] = int8[3] [-104, -40, 24]
out['as they lie'] = uint8[3] [100, 36, 228]
""")


@clause("numbers.integers", "numbers.vectors")
def test_products_in_the_dtype_of_bytes(check: Check) -> None:
    """A product of odd bytes, as a byte, is odd: no lane that holds no element takes part."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"of rows": b.prod(1, dtype=torch.int8), "of all": (a | 1).prod(dtype=torch.uint8)}

    check(program, ROWS, ODD_ROWS).values().expect("""\
out['of rows'] = int8[3] [49, -79, 49]
out['of all'] = uint8[] 105
""")


@clause("numbers.integers", "numbers.vectors")
def test_sums_and_products_of_bytes_in_other_ways(check: Check) -> None:
    """Sums of columns of bytes and in wider dtypes, and such products, are of the elements alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "columns": (a + 1).sum(0, dtype=torch.uint8),
            "wide": (a + 1).sum(1),
            "less wide": (a + 1).sum(1, dtype=torch.int32),
            "product of columns": b.prod(0, dtype=torch.int8),
            "wide product": b[:, :7].prod(1),
        }

    check(program, ROWS, ODD_ROWS).values().expect("""\
out['columns'] = uint8[40] [100, 131, 128, 91, 20, 171, 32, 115, 164, 179, 160, 107, ..., 20, 107, 160, 179]
out['wide'] = int64[3] [4748, 4428, 4876]
out['less wide'] = int32[3] [4748, 4428, 4876]
out['product of columns'] = int8[40] [-55, 77, 127, -21, -19, 97, 35, 127, 49, 21, 39, -13, ..., -115, -127, -61,
    -97]
out['wide product'] = int64[3] [498361808583, -116564072625, -72255812265]
""")


@clause("numbers.integers")
def test_product_of_truths_is_a_truth(check: Check) -> None:
    """A product in the dtype of truths is whether all are true."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.prod(1, dtype=torch.bool)

    check(program, TRUE).values().expect("""\
out = bool[3] [True, False, False]
""")


@clause("numbers.integers")
def test_sum_of_columns_of_truths_is_a_truth(check: Check) -> None:
    """A sum of columns in the dtype of truths is whether any is true."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (~a).sum(0, dtype=torch.bool)

    check(program, TRUE).values().expect("""\
out = bool[20] [False, False, False, True, False, True, False, False, False, False, True, False, True, False, False,
    False, False, True, False, True]
""")


@clause("numbers.integers")
def test_truth_of_rows_of_truths(check: Check) -> None:
    """Sums of rows of truths in their own dtype, products that count, `all` and `any` are what their words say."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "any by a sum": (~a).sum(1, dtype=torch.bool),
            "product": a.prod(1),
            "all": a.all(1),
            "any": (~a).any(0),
            "count": a.sum(0),
        }

    check(program, TRUE).values().expect("""\
out['any by a sum'] = bool[3] [False, True, True]
out['product'] = int64[3] [1, 0, 0]
out['all'] = bool[3] [True, False, False]
out['any'] = bool[20] [False, False, False, True, False, True, False, False, False, False, True, False, True, False,
    False, False, False, True, False, True]
out['count'] = int64[20] [3, 3, 3, 2, 3, 2, 3, 3, 3, 3, 2, 3, 2, 3, 3, 3, 3, 2, 3, 2]
""")
