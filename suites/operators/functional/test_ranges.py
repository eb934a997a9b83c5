"""Tensors made of numbers: ranges, points between bounds, what they are filled with, and grids of places."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.options")
def test_ranges(check: Check) -> None:
    """A range ends before its end, forwards and backwards, by whole steps and by fractions, and may be empty."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "fractions": torch.arange(0.5, 2.6, 0.25, device=at),
            "just short of the end": torch.arange(0, 1, 0.3, device=at),
            "backwards": torch.arange(7, -4, -3, device=at),
            "up to the end": torch.arange(-4, 8, 3, device=at),
            "empty": torch.arange(3, 3, device=at),
            "low": torch.arange(1, 6, 2, dtype=torch.bfloat16, device=at),
            "whole": torch.arange(0.0, 5.0, 2.0, dtype=torch.int64, device=at),
            "added": torch.arange(4.0, device=at) + a,
            "to a fraction": torch.arange(2.5, device=at),
            "from a whole number to a fraction": torch.arange(1, 3.5, device=at),
            "from a fraction to a whole number": torch.arange(0.5, 3, device=at),
            "wide between fractions": torch.arange(0.5, 5.25, dtype=torch.int64, device=at),
            "whole between fractions": torch.arange(0.5, 5.6, dtype=torch.int32, device=at),
            "short by fractions": torch.arange(0, 6, 1.5, dtype=torch.int16, device=at),
            "byte to a fraction": torch.arange(2.5, dtype=torch.uint8, device=at),
        }

    check(program, tensor(4)).values().expect("""\
out['fractions'] = float32[9] [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5]
out['just short of the end'] = float32[4] [0, 0.3, 0.6, 0.9]
out['backwards'] = int64[4] [7, 4, 1, -2]
out['up to the end'] = int64[4] [-4, -1, 2, 5]
out['empty'] = int64[0] []
out['low'] = bfloat16[3] [1, 3, 5]
out['whole'] = int64[3] [0, 2, 4]
out['added'] = float32[4] [0.6865, -1.63, 1.761, 1.618]
out['to a fraction'] = float32[3] [0, 1, 2]
out['from a whole number to a fraction'] = float32[3] [1, 2, 3]
out['from a fraction to a whole number'] = float32[3] [0.5, 1.5, 2.5]
out['wide between fractions'] = int64[5] [0, 1, 2, 3, 4]
out['whole between fractions'] = int32[6] [0, 1, 2, 3, 4, 5]
out['short by fractions'] = int16[4] [0, 1, 2, 3]
out['byte to a fraction'] = uint8[3] [0, 1, 2]
""")


@clause("numbers.options", devices="cpu")
def test_whole_ranges_by_less_than_one(check: Check) -> None:
    """A range of whole numbers by less than one is its first number, as often as there are fractions in it."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "whole": torch.arange(0.0, 1.5, 0.5, dtype=torch.int32, device=at) + a,
            "short": torch.arange(3.5, 5, 0.25, dtype=torch.int16, device=at),
            "byte backwards": torch.arange(2, 1, -0.75, dtype=torch.uint8, device=at),
        }

    check(program, tensor(3, dtype=torch.int32, values=[10, 20, 30])).values().expect("""\
out['whole'] = int32[3] [10, 20, 30]
out['short'] = int16[6] [3, 3, 3, 3, 3, 3]
out['byte backwards'] = uint8[2] [2, 2]
""")


@clause("numbers.options")
def test_points_between_bounds(check: Check) -> None:
    """Points include both bounds, one point is the first bound, and bounds may be tensors."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "five": torch.linspace(-1, 2, 5, device=at),
            "backwards": torch.linspace(2.0, -2.0, 4, dtype=torch.float64, device=at),
            "one": torch.linspace(3, 7, 1, device=at),
            "none": torch.linspace(3, 7, 0, device=at),
            "whole": torch.linspace(-4, 8, 6, dtype=torch.int64, device=at),
            "powers": torch.logspace(-1, 2, 4, base=2.0, device=at),
            "powers of ten": torch.logspace(0, 3, 4, device=at),
            "one power": torch.logspace(3, 5, 1, base=2, device=at),
            "whole powers": torch.logspace(0, 2, 6, dtype=torch.int64, device=at),
            "large powers": torch.logspace(0, 12, 13, dtype=torch.int64, device=at),
            "of tensors": torch.linspace(a[0], a[1], 4),
            "to a number": torch.linspace(a[0], 3, 3),
        }

    check(program, tensor(2, values=[0.25, -1.5])).values().expect("""\
out['five'] = float32[5] [-1, -0.25, 0.5, 1.25, 2]
out['backwards'] = float64[4] [2, 0.6667, -0.6667, -2]
out['one'] = float32[1] [3]
out['none'] = float32[0] []
out['whole'] = int64[6] [-4, -1, 0, 3, 5, 8]
out['powers'] = float32[4] [0.5, 1, 2, 4]
out['powers of ten'] = float32[4] [1, 10, 100, 1000]
out['one power'] = float32[1] [8]
out['whole powers'] = int64[6] [1, 2, 6, 15, 39, 100]
out['large powers'] = int64[13] [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
    10000000000, 100000000000, 1000000000000]
out['of tensors'] = float32[4] [0.25, -0.3333, -0.9167, -1.5]
out['to a number'] = float32[3] [0.25, 1.625, 3]
""")


@clause("numbers.options")
def test_tensors_that_are_filled(check: Check) -> None:
    """What a tensor is filled with decides its dtype unless one is told, and is converted if one is."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "whole": torch.full((2,), 3, device=at),
            "fraction": torch.full((2, 1), 1.5, device=at),
            "true": torch.full((2,), True, device=at),
            "converted": torch.full((2,), 2.75, dtype=torch.int32, device=at),
            "imaginary": torch.full((2,), 1.5j, device=at),
            "like whole": torch.full_like(whole, 2.75),
            "like another": torch.full_like(a, 2, dtype=torch.int16),
            "new": whole.new_full((2,), 7),
            "ones": torch.ones_like(whole, dtype=torch.float64),
            "noughts": a.new_zeros(2, dtype=torch.bool),
            "new ones": a.new_ones(2, dtype=torch.int64),
            "new ones of whole numbers": whole.new_ones(2),
            "new of another": whole.new_full((2,), 2.5, dtype=torch.float16),
            "new and empty": whole.new_empty(2, dtype=torch.float64).fill_(0.5),
            "scalar": torch.scalar_tensor(2.5, dtype=torch.float64, device=at),
            "wide eye": torch.eye(2, 3, device=at),
            "tall eye": torch.eye(3, 2, dtype=torch.bool, device=at),
        }

    check(program, tensor(3), tensor(2, dtype=torch.int32)).values().expect("""\
out['whole'] = int64[2] [3, 3]
out['fraction'] = float32[2, 1] [[1.5], [1.5]]
out['true'] = bool[2] [True, True]
out['converted'] = int32[2] [2, 2]
out['imaginary'] = complex64[2] [0+1.5j, 0+1.5j]
out['like whole'] = int32[2] [2, 2]
out['like another'] = int16[3] [2, 2, 2]
out['new'] = int32[2] [7, 7]
out['ones'] = float64[2] [1, 1]
out['noughts'] = bool[2] [False, False]
out['new ones'] = int64[2] [1, 1]
out['new ones of whole numbers'] = int32[2] [1, 1]
out['new of another'] = float16[2] [2.5, 2.5]
out['new and empty'] = float64[2] [0.5, 0.5]
out['scalar'] = float64[] 2.5
out['wide eye'] = float32[2, 3] [[1, 0, 0], [0, 1, 0]]
out['tall eye'] = bool[3, 2] [[True, False], [False, True], [False, False]]
""")


@clause("numbers.options")
def test_tensors_made_like_others_of_another_dtype(check: Check) -> None:
    """What is made like whole numbers, truths or fractions has the dtype that is asked for, of either kind."""

    def program(*given: torch.Tensor) -> list[dict[str, torch.Tensor]]:
        asked = (torch.float32, torch.complex64, torch.int16, torch.bool)
        return [
            {
                f"{name} as {dtype}": made
                for dtype in asked
                for name, made in (
                    ("noughts", a.new_zeros(2, dtype=dtype)),
                    ("ones", a.new_ones((1, 2), dtype=dtype)),
                    ("full", a.new_full((2,), 1, dtype=dtype)),
                    ("empty", a.new_empty(0, dtype=dtype)),
                    ("spread", a.new_empty_strided((0, 2), (2, 1), dtype=dtype)),
                    ("noughts like it", torch.zeros_like(a, dtype=dtype)),
                    ("ones like it", torch.ones_like(a, dtype=dtype)),
                    ("full like it", torch.full_like(a, 1, dtype=dtype)),
                )
            }
            for a in given
        ]

    check(program, tensor(2), tensor(2, dtype=torch.int32), tensor(2, dtype=torch.bool)).computed()


@clause("numbers.options")
def test_identities_of_many_rows(check: Check) -> None:
    """Ones stand in the diagonal alone, of as many rows as one byte counts, and of more."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        identities = {
            "byte": torch.eye(256, dtype=a.dtype, device=a.device),
            "more": torch.eye(257, 258, device=a.device),
            "tall": torch.eye(300, 3, dtype=torch.int16, device=a.device),
            "wide": torch.eye(2, 70000, device=a.device)[:, 1::65536],
        }
        return {name: identity.nonzero().sum(0) + a.sum().long() for name, identity in identities.items()}

    check(program, tensor(2, values=[1.0, 2.0])).values().expect("""\
out['byte'] = int64[2] [32643, 32643]
out['more'] = int64[2] [32899, 32899]
out['tall'] = int64[2] [6, 6]
out['wide'] = int64[2] [4, 3]
""")


@clause("numbers.options")
def test_identities_of_few_rows_or_columns(check: Check) -> None:
    """Ones stand in the diagonal alone where a byte counts the rows, and not the columns, or the columns alone."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        identities = {
            "wide": torch.eye(2, 70000, device=a.device),
            "tall": torch.eye(70000, 3, dtype=a.dtype, device=a.device),
        }
        return {name: identity.nonzero().sum(0) + a.sum().long() for name, identity in identities.items()}

    check(program, tensor(2, values=[1.0, 2.0])).values().expect("""\
out['wide'] = int64[2] [4, 4]
out['tall'] = int64[2] [6, 6]
""")


@clause("numbers.options")
def test_grids_of_places(check: Check) -> None:
    """Places of triangles, of wide and tall matrices and beside the diagonal, and every pair of two lists."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        at = a.device
        return {
            "lower": torch.tril_indices(3, 4, offset=-1, device=at),
            "lower from above": torch.tril_indices(2, 4, offset=2, device=at),
            "upper": torch.triu_indices(4, 3, offset=1, device=at),
            "upper from below": torch.triu_indices(4, 2, offset=-2, dtype=torch.int32, device=at),
            "grid": torch.meshgrid(a, b * 2, indexing="ij")[1] * 1,
            "image": torch.meshgrid(a, b * 2, indexing="xy")[0] * 1,
            "pairs": torch.cartesian_prod(a, b),
            "blocks": torch.block_diag(a, b[:, None]),
            "block of a number": torch.block_diag(b[0] * 2, a, b[1]),
        }

    check(program, tensor(2), tensor(3)).values().expect("""\
out['lower'] = int64[2, 3] [[1, 2, 2], [0, 0, 1]]
out['lower from above'] = int64[2, 7] [[0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 0, 1, 2, 3]]
out['upper'] = int64[2, 3] [[0, 0, 1], [1, 2, 2]]
out['upper from below'] = int32[2, 7] [[0, 0, 1, 1, 2, 2, 3], [0, 1, 0, 1, 0, 1, 1]]
out['grid'] = float32[2, 3] [[-0.478, -2.764, -0.9121], [-0.478, -2.764, -0.9121]]
out['image'] = float32[3, 2] [[0.6865, -2.63], [0.6865, -2.63], [0.6865, -2.63]]
out['pairs'] = float32[6, 2] [[0.6865, -0.239], [0.6865, -1.382], [0.6865, -0.4561], [-2.63, -0.239], [-2.63,
    -1.382], [-2.63, -0.4561]]
out['blocks'] = float32[4, 3] [[0.6865, -2.63, 0], [0, 0, -0.239], [0, 0, -1.382], [0, 0, -0.4561]]
out['block of a number'] = float32[3, 4] [[-0.478, 0, 0, 0], [0, 0.6865, -2.63, 0], [0, 0, 0, -1.382]]
""")


@clause("numbers.options")
def test_triangles_of_places_that_overhang(check: Check) -> None:
    """Where a triangle is cut off by the matrix, or holds all or nothing of it, its places are those within it."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "lower, tall": torch.tril_indices(5, 2, offset=-1, device=at),
            "lower, all": torch.tril_indices(2, 3, offset=4, device=at),
            "lower, none": torch.tril_indices(2, 3, offset=-2, device=at),
            "lower, the last": torch.tril_indices(2, 3, offset=-1, device=at),
            "upper, tall": torch.triu_indices(5, 2, offset=-2, device=at),
            "upper, all": torch.triu_indices(2, 3, offset=-4, device=at),
            "upper, none": torch.triu_indices(2, 3, offset=3, device=at),
            "upper, the last": torch.triu_indices(2, 3, offset=2, device=at),
            "no rows": torch.tril_indices(0, 3, device=at),
        }

    check(program, tensor(1)).values().expect("""\
out['lower, tall'] = int64[2, 7] [[1, 2, 2, 3, 3, 4, 4], [0, 0, 1, 0, 1, 0, 1]]
out['lower, all'] = int64[2, 6] [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]]
out['lower, none'] = int64[2, 0] [[], []]
out['lower, the last'] = int64[2, 1] [[1], [0]]
out['upper, tall'] = int64[2, 7] [[0, 0, 1, 1, 2, 2, 3], [0, 1, 0, 1, 0, 1, 1]]
out['upper, all'] = int64[2, 6] [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]]
out['upper, none'] = int64[2, 0] [[], []]
out['upper, the last'] = int64[2, 1] [[0], [2]]
out['no rows'] = int64[2, 0] [[], []]
""")


@clause("numbers.options")
def test_marks_of_more_classes_than_a_byte_has(check: Check) -> None:
    """Of three hundred classes each is marked at its own place, and 256 places further there is no other mark."""

    def program(places: torch.Tensor) -> dict[str, torch.Tensor]:
        marks = functional.one_hot(places, 300)
        return {
            "places": marks.argmax(-1),
            "each": marks.sum(-1),
            "first and last": torch.stack([marks[:, 0], marks[:, 1], marks[:, 257], marks[:, 299]]),
            "places of rows": functional.one_hot(places.view(2, 3), 300).flip(-1).argmax(-1),
        }

    check(program, tensor(6, dtype=torch.int64, values=[1, 257, 299, 0, 256, 43])).values().expect("""\
out['places'] = int64[6] [1, 257, 299, 0, 256, 43]
out['each'] = int64[6] [1, 1, 1, 1, 1, 1]
out['first and last'] = int64[4, 6] [[0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]
out['places of rows'] = int64[2, 3] [[298, 42, 0], [299, 43, 256]]
""")


@clause("numbers.options")
def test_windows_and_marks(check: Check) -> None:
    """A window is periodic unless told, and of one point one; a class is marked among as many as are told."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "periodic": torch.hann_window(6, device=at) * a,
            "symmetric": torch.hann_window(6, periodic=False, device=at) * a,
            "one": torch.hann_window(1, device=at),
            "hamming": torch.hamming_window(6, True, 0.5, 0.25, device=at) * a,
            "bartlett": torch.bartlett_window(6, periodic=False, device=at) * a,
            "marks": functional.one_hot(places, 5),
            "marks of rows": functional.one_hot(places.view(2, 2), 4),
        }

    check(program, tensor(6), tensor(4, dtype=torch.int64, values=[2, 0, 3, 2])).values().expect("""\
out['periodic'] = float32[6] [0, -0.6575, -0.1792, -1.382, -0.342, 0.2538]
out['symmetric'] = float32[6] [0, -0.9087, -0.2162, -1.25, -0.1576, 0]
out['one'] = float32[1] [1]
out['hamming'] = float32[6] [0.1716, -0.9863, -0.1494, -1.036, -0.285, 0.3807]
out['bartlett'] = float32[6] [0, -1.052, -0.1912, -1.106, -0.1824, 0]
out['marks'] = int64[4, 5] [[0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]
out['marks of rows'] = int64[2, 2, 4] [[[0, 0, 1, 0], [1, 0, 0, 0]], [[0, 0, 0, 1], [0, 0, 1, 0]]]
""")


@clause("numbers.options")
def test_windows_in_another_dtype(check: Check) -> None:
    """A window has the dtype that it is asked for, in low and in double precision, of one point and of none too."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        makers = {
            "hann": torch.hann_window,
            "hamming": torch.hamming_window,
            "bartlett": torch.bartlett_window,
            "blackman": torch.blackman_window,
        }
        dtypes = {"low": torch.bfloat16, "double": torch.float64}
        return {
            f"{name} {kind} {length}": make(length, dtype=dtype, device=a.device) * a.to(dtype)
            for name, make in makers.items()
            for kind, dtype in dtypes.items()
            for length in (0, 1, 4)
        }

    check(program, tensor(1, values=[2.0]), exact=False).values().expect("""\
out['hann low 0'] = bfloat16[0] []
out['hann low 1'] = bfloat16[1] [2]
out['hann low 4'] = bfloat16[4] [0, 1, 2, 0.9922]
out['hann double 0'] = float64[0] []
out['hann double 1'] = float64[1] [2]
out['hann double 4'] = float64[4] [0, 1, 2, 1]
out['hamming low 0'] = bfloat16[0] []
out['hamming low 1'] = bfloat16[1] [2]
out['hamming low 4'] = bfloat16[4] [0.1562, 1.078, 2, 1.07]
out['hamming double 0'] = float64[0] []
out['hamming double 1'] = float64[1] [2]
out['hamming double 4'] = float64[4] [0.16, 1.08, 2, 1.08]
out['bartlett low 0'] = bfloat16[0] []
out['bartlett low 1'] = bfloat16[1] [2]
out['bartlett low 4'] = bfloat16[4] [0, 1, 2, 1]
out['bartlett double 0'] = float64[0] []
out['bartlett double 1'] = float64[1] [2]
out['bartlett double 4'] = float64[4] [0, 1, 2, 1]
out['blackman low 0'] = bfloat16[0] []
out['blackman low 1'] = bfloat16[1] [2]
out['blackman low 4'] = bfloat16[4] [0, 0.6797, 2, 0.6719]
out['blackman double 0'] = float64[0] []
out['blackman double 1'] = float64[1] [2]
out['blackman double 4'] = float64[4] [0, 0.68, 2, 0.68]
""")


@clause("numbers.options")
def test_lists_of_numbers(check: Check) -> None:
    """Numbers that stand in a program are those numbers, however many they are, in each dtype."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        return {
            "one": torch.tensor([2.5], device=at) * a,
            "two": torch.tensor([-1.0, 3.0], device=at)[:, None] * a,
            "three": torch.tensor([4, 5, 6], device=at)[:, None] + a,
            "five": torch.tensor([1.5, 2.5, 3.5, -4.5, 5.5], device=at) * a[0],
            "eight": torch.tensor([8, 7, 6, 5, 4, 3, 2, 1], device=at).float() - a[0, 1],
            "nine": torch.tensor([1, 2, 4, 8, 16, 32, 64, 128, 256], device=at) * 2,
            "wide": torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64, device=at) + 1,
            "true": torch.tensor([True, False, True], device=at) & (a[0, :3] > 0),
            "low": torch.tensor([1.001, -3.14], dtype=torch.bfloat16, device=at) * 2,
            "table": torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int32, device=at) * 3,
            "none": torch.tensor([], device=at).sum() + a[0],
            "no list": torch.tensor(7, device=at) * a,
            "chosen": torch.tensor([3, 0, 2, 1, 4], device=at)[a[0].argsort()],
        }

    check(program, tensor(1, 5)).values().expect("""\
out['one'] = float32[1, 5] [[1.716, -6.575, -0.5975, -3.455, -1.14]]
out['two'] = float32[2, 5] [[-0.6865, 2.63, 0.239, 1.382, 0.4561], [2.059, -7.89, -0.717, -4.146, -1.368]]
out['three'] = float32[3, 5] [[4.686, 1.37, 3.761, 2.618, 3.544], [5.686, 2.37, 4.761, 3.618, 4.544], [6.686, 3.37,
    5.761, 4.618, 5.544]]
out['five'] = float32[5] [1.03, -6.575, -0.8365, 6.219, -2.508]
out['eight'] = float32[8] [10.63, 9.63, 8.63, 7.63, 6.63, 5.63, 4.63, 3.63]
out['nine'] = int64[9] [2, 4, 8, 16, 32, 64, 128, 256, 512]
out['wide'] = float64[3] [1.1, 1.2, 1.3]
out['true'] = bool[3] [True, False, False]
out['low'] = bfloat16[2] [2, -6.281]
out['table'] = int32[2, 3] [[3, 6, 9], [12, 15, 18]]
out['none'] = float32[5] [0.6865, -2.63, -0.239, -1.382, -0.4561]
out['no list'] = float32[1, 5] [[4.805, -18.41, -1.673, -9.674, -3.192]]
out['chosen'] = int64[5] [0, 1, 4, 2, 3]
""")


@clause("numbers.options")
def test_powers_of_a_range_of_floats(check: Check) -> None:
    """The power of a range of floats is a float, beyond what 64 bits hold of whole numbers."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        wide = torch.arange(60_000, dtype=torch.float64, device=a.device)
        row = torch.arange(70_000, dtype=torch.float32, device=a.device)
        return {
            "power": (wide**4).amax() + a,
            "product": (wide * wide * wide * wide).sum(),
            "single": (row**4).amax(),
            "bounded": torch.maximum(wide**4, wide).amax(),
        }

    check(program, tensor(3)).values().expect("""\
out['power'] = float32[3] [1.296e+19, 1.296e+19, 1.296e+19]
out['product'] = float64[] 1.555e+23
out['single'] = float32[] 2.401e+19
out['bounded'] = float64[] 1.296e+19
""")


@clause("numbers.options", "numbers.integers")
def test_numbers_made_of_ranges(check: Check) -> None:
    """Remainders and quotients of a range and of a grid, as numbers: at the divisor, just beyond and below nought."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        at = a.device
        below, few = torch.arange(-5, 5, device=at), torch.arange(5, device=at)
        grid = torch.arange(3, device=at)[:, None] * 4 + few
        numbers = {
            "by steps": torch.arange(2, 12, 3, device=at),
            "backwards": torch.arange(9, -3, -4, device=at) % 5,
            "remainder below nought": below % 3,
            "of a negative": below % -3,
            "truncated remainder": below.fmod(3),
            "quotient below nought": below // 3,
            "truncated quotient": torch.div(below, 3, rounding_mode="trunc"),
            "just beyond the divisor": few % 4,
            "at the divisor": few % 5,
            "quotient just beyond": few // 4,
            "quotient of a grid": grid // 4,
            "remainder of a grid": grid % 4,
            "remainder of a grid by its columns": grid % 5,
            "taken apart": grid // 4 % 3 - grid % 12 // 5,
            "of halves": (few * 0.5).long() % 2,
            "bits": (below & 3) ^ (below >> 1),
            "bounded": below.clamp(-2, 3) % 4,
            "chosen": torch.where(below < 0, below, few.repeat(2)) % 4,
        }
        return {name: a + each for name, each in numbers.items()}

    check(program, tensor(1, dtype=torch.int64, values=[10])).values().expect("""\
out['by steps'] = int64[4] [12, 15, 18, 21]
out['backwards'] = int64[3] [14, 10, 11]
out['remainder below nought'] = int64[10] [11, 12, 10, 11, 12, 10, 11, 12, 10, 11]
out['of a negative'] = int64[10] [8, 9, 10, 8, 9, 10, 8, 9, 10, 8]
out['truncated remainder'] = int64[10] [8, 9, 10, 8, 9, 10, 11, 12, 10, 11]
out['quotient below nought'] = int64[10] [8, 8, 9, 9, 9, 10, 10, 10, 11, 11]
out['truncated quotient'] = int64[10] [9, 9, 9, 10, 10, 10, 10, 10, 11, 11]
out['just beyond the divisor'] = int64[5] [10, 11, 12, 13, 10]
out['at the divisor'] = int64[5] [10, 11, 12, 13, 14]
out['quotient just beyond'] = int64[5] [10, 10, 10, 10, 11]
out['quotient of a grid'] = int64[3, 5] [[10, 10, 10, 10, 11], [11, 11, 11, 11, 12], [12, 12, 12, 12, 13]]
out['remainder of a grid'] = int64[3, 5] [[10, 11, 12, 13, 10], [10, 11, 12, 13, 10], [10, 11, 12, 13, 10]]
out['remainder of a grid by its columns'] = int64[3, 5] [[10, 11, 12, 13, 14], [14, 10, 11, 12, 13], [13, 14, 10,
    11, 12]]
out['taken apart'] = int64[3, 5] [[10, 10, 10, 10, 11], [11, 10, 10, 10, 11], [11, 11, 10, 10, 10]]
out['of halves'] = int64[5] [10, 10, 11, 11, 10]
out['bits'] = int64[10] [8, 8, 9, 7, 6, 10, 11, 13, 12, 12]
out['bounded'] = int64[10] [12, 12, 12, 12, 13, 10, 11, 12, 13, 13]
out['chosen'] = int64[10] [13, 10, 11, 12, 13, 10, 11, 12, 13, 10]
""")


@clause("numbers.options")
def test_truths_of_ranges(check: Check) -> None:
    """All and any of a range of whole numbers tell whether its numbers are true, however wide they are."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        ranges = [
            torch.arange(start, 3, dtype=dtype, device=a.device)
            for start in (0, 1)
            for dtype in (torch.int64, torch.int32, torch.int8)
        ]
        return [part.any() for part in ranges] + [part.all() for part in ranges] + [a + ranges[0]]

    check(program, tensor(1, dtype=torch.int64, values=[2])).computed()
