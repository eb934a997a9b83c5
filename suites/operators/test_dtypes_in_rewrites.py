"""Programs that a compiler writes anew, in which a dtype decides what they compute: the new one has that dtype."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.promotion", "numbers.near-misses")
def test_constants_without_dimensions(check: Check) -> None:
    """A constant without dimensions widens no constant of its kind that has some: sums wrap around and overflow."""

    def program(whole: torch.Tensor, a: torch.Tensor) -> Any:
        device = a.device
        small = torch.full((3,), 100, dtype=torch.int8, device=device)
        large = torch.full((3,), 16777216.0, device=device)
        return {
            "bytes": (small + torch.full((), 100, device=device)) // 3 + whole,
            "halves": torch.ones(3, dtype=torch.float16, device=device) * torch.full((), 70000.0, device=device) / 2
            + a,
            "floats": large + torch.ones((), dtype=torch.float64, device=device) - 16777216.0 + a,
        }

    check(program, tensor(3, dtype=torch.int64), tensor(3)).values().expect("""\
out['bytes'] = int64[3] [-13, -18, -13]
out['halves'] = float32[3] [inf, inf, inf]
out['floats'] = float32[3] [-1.79, 0.09523, -0.7016]
""")


@clause("numbers.promotion", "numbers.near-misses")
def test_constants_of_several_dtypes(check: Check) -> None:
    """Constants of other kinds or with dimensions widen each other, and numbers of Python widen none of them."""

    def program(whole: torch.Tensor, a: torch.Tensor) -> Any:
        device = a.device
        small = torch.full((3,), 100, dtype=torch.int8, device=device)
        return {
            "of one dimension": (small + torch.full((1,), 100, device=device)) // 3 + whole,
            "number": (small + 100) // 3 + whole,
            "of another kind": small + torch.full((), 0.5, device=device) + whole,
            "truths": small + torch.full((), True, device=device) + whole,
            "both without": torch.full((), 100, dtype=torch.int8, device=device)
            + torch.full((), 100, device=device)
            + whole,
            "computed": (small + (whole.sum() * 0 + 100)) // 3 + whole,
            "wide and narrow": torch.full((3,), 2**24, dtype=torch.int32, device=device) * 2 + whole,
            "wide float": torch.ones(3, dtype=torch.float64, device=device) / 3 + a,
        }

    check(program, tensor(3, dtype=torch.int64), tensor(3)).values().expect("""\
out['of one dimension'] = int64[3] [72, 67, 72]
out['number'] = int64[3] [-13, -18, -13]
out['of another kind'] = float32[3] [106.5, 101.5, 106.5]
out['truths'] = int64[3] [107, 102, 107]
out['both without'] = int64[3] [206, 201, 206]
out['computed'] = int64[3] [-13, -18, -13]
out['wide and narrow'] = int64[3] [33554438, 33554433, 33554438]
out['wide float'] = float64[3] [-1.457, 0.4286, -0.3682]
""")


@clause("numbers.near-misses", "numbers.integers")
def test_scores_that_are_cut_less_their_largest(check: Check) -> None:
    """Scaled scores that are converted to whole numbers, less their largest, are whole numbers."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        def less_largest(scores: torch.Tensor) -> torch.Tensor:
            return scores - scores.amax(-1, keepdim=True)

        return {
            "products": less_largest((a * 2.5).to(torch.int32)),
            "quotients": less_largest((a / 0.3).to(torch.int64)),
        }

    check(program, tensor(2, 4, values=[[0.5, 1.9, -3.7, 2.2], [1.3, -0.7, 2.9, 0.1]])).values().expect("""\
out['products'] = int32[2, 4] [[-4, -1, -14, 0], [-4, -8, 0, -7]]
out['quotients'] = int64[2, 4] [[-6, -1, -19, 0], [-5, -11, 0, -9]]
""")


@clause("numbers.near-misses", "numbers.integers")
def test_scores_that_are_converted_otherwise(check: Check) -> None:
    """Scores that are converted before they are scaled, rounded first, or less their least are as written."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        def less_largest(scores: torch.Tensor) -> torch.Tensor:
            return scores - scores.amax(-1, keepdim=True)

        cut = (a * 4.5).to(torch.int32)
        return {
            "converted before": less_largest(a.to(torch.int32) * 2),
            "not scaled": less_largest(a.to(torch.int64)),
            "cut in place": less_largest((a * 3.5).trunc()),
            "less their least": cut - cut.amin(-1, keepdim=True),
            "rounded": less_largest((a * 5.5).round().to(torch.int32)),
            "wide": less_largest((a * 6.5).double()),
            "narrow": less_largest((a * 7.5).half()),
        }

    check(program, tensor(2, 4, values=[[0.5, 1.9, -3.7, 2.2], [1.3, -0.7, 2.9, 0.1]])).values().expect("""\
out['converted before'] = int32[2, 4] [[-4, -2, -10, 0], [-2, -4, 0, -4]]
out['not scaled'] = int64[2, 4] [[-2, -1, -5, 0], [-1, -2, 0, -2]]
out['cut in place'] = float32[2, 4] [[-6, -1, -19, 0], [-6, -12, 0, -10]]
out['less their least'] = int32[2, 4] [[18, 24, 0, 25], [8, 0, 16, 3]]
out['rounded'] = int32[2, 4] [[-9, -2, -32, 0], [-9, -20, 0, -15]]
out['wide'] = float64[2, 4] [[-11.05, -1.95, -38.35, 0], [-10.4, -23.4, 0, -18.2]]
out['narrow'] = float16[2, 4] [[-12.75, -2.25, -44.25, 0], [-12, -27, 0, -21]]
""")


@clause("numbers.promotion", "numbers.near-misses")
def test_numbers_that_are_spread(check: Check) -> None:
    """A number that is spread over a dimension has one: it widens constants of its kind that are narrower."""

    def program(whole: torch.Tensor, double: torch.Tensor) -> dict[str, torch.Tensor]:
        device = double.device
        large = torch.tensor(70000.0, device=device)
        half = torch.ones(3, dtype=torch.float16, device=device)
        wide = torch.tensor(16777216.0, dtype=torch.float64, device=device)
        return {
            "expanded": half + large.expand(3) + double,
            "of one more dimension": large.unsqueeze(0) * half / 2 + double,
            "bytes": torch.ones(3, dtype=torch.int8, device=device) * torch.tensor(200, device=device).view(1) + whole,
            "double": torch.full((3,), 1.0, device=device) + wide.expand(3) - 16777216.0 + double * 2,
        }

    check(program, tensor(3, dtype=torch.int64), tensor(3, dtype=torch.float64)).values().expect("""\
out['expanded'] = float64[3] [7e+04, 7e+04, 7e+04]
out['of one more dimension'] = float64[3] [3.5e+04, 3.5e+04, 3.5e+04]
out['bytes'] = int64[3] [206, 201, 206]
out['double'] = float64[3] [-2.58, 1.19, -0.4031]
""")


@clause("numbers.promotion", "numbers.near-misses")
def test_numbers_that_are_spread_in_other_ways(check: Check) -> None:
    """A tensor of one element and an argument that is spread widen what is narrower, a number not spread does not."""

    def program(double: torch.Tensor, number: torch.Tensor) -> dict[str, torch.Tensor]:
        half = torch.ones(3, dtype=torch.float16, device=double.device)
        return {
            "one element": half + torch.tensor([70000.0], device=double.device) + double,
            "argument": half + number.expand(3) + double,
            "not spread": half + torch.tensor(3.0, device=double.device) + double,
            "computed": half + (double.sum() * 0 + 70000).expand(3) + double,
        }

    check(program, tensor(3, dtype=torch.float64), tensor(values=[70000.0])).values().expect("""\
out['one element'] = float64[3] [7e+04, 7e+04, 7e+04]
out['argument'] = float64[3] [7e+04, 7e+04, 7e+04]
out['not spread'] = float64[3] [4.686, 1.37, 3.761]
out['computed'] = float64[3] [7e+04, 7e+04, 7e+04]
""")


@clause("numbers.promotion", "numbers.near-misses")
def test_constants_in_another_layout(check: Check) -> None:
    """Arithmetic of constants in channels last or transposed overflows and rounds as their dtype does."""

    def program(image: torch.Tensor, matrix: torch.Tensor) -> list[dict[str, torch.Tensor]]:
        return [
            {
                "overflow": torch.full_like(a, 1e30) * 1e30 * 1e-30 + a,
                "counted": (torch.full_like(a, 16777216.0) + 1).long() + a.long(),
                "divided": (torch.full_like(a, 1.0) / 3).double() + a.double(),
            }
            for a in (image, matrix.t())
        ]

    image = tensor(1, 2, 3, 3, strides=(18, 1, 6, 2), values=[[[[0.5] * 3] * 3] * 2])
    check(program, image, tensor(3, 4, values=[[0.5] * 4] * 3)).values().expect("""\
out[0]['overflow'] = float32[1, 2, 3, 3] [[[[inf, inf, inf], [inf, inf, inf], [inf, inf, inf]], [[inf, inf, inf],
    [inf, inf, inf], [inf, inf, inf]]]]
out[0]['counted'] = int64[1, 2, 3, 3] [[[[16777216, 16777216, 16777216], [16777216, 16777216, 16777216], [16777216,
    16777216, 16777216]], [[16777216, 16777216, 16777216], [16777216, 16777216, 16777216], [16777216, 16777216,
    16777216]]]]
out[0]['divided'] = float64[1, 2, 3, 3] [[[[0.8333, 0.8333, 0.8333], [0.8333, 0.8333, 0.8333], [0.8333, 0.8333,
    0.8333]], [[0.8333, 0.8333, 0.8333], [0.8333, 0.8333, 0.8333], [0.8333, 0.8333, 0.8333]]]]
out[1]['overflow'] = float32[4, 3] [[inf, inf, inf], [inf, inf, inf], [inf, inf, inf], [inf, inf, inf]]
out[1]['counted'] = int64[4, 3] [[16777216, 16777216, 16777216], [16777216, 16777216, 16777216], [16777216,
    16777216, 16777216], [16777216, 16777216, 16777216]]
out[1]['divided'] = float64[4, 3] [[0.8333, 0.8333, 0.8333], [0.8333, 0.8333, 0.8333], [0.8333, 0.8333, 0.8333],
    [0.8333, 0.8333, 0.8333]]
""")


@clause("numbers.promotion", "numbers.near-misses")
def test_largest_of_constants_that_are_no_number(check: Check) -> None:
    """The largest of NaN and one is NaN where both are constants, in whatever layout."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.t()
        return torch.maximum(torch.full_like(b, float("nan")), torch.full_like(b, 1.0)).isnan() + b

    check(program, tensor(3, 4)).values().expect("""\
out = float32[4, 3] [[1.686, 0.5439, -0.132], [-1.63, 2.015, -1.222], [0.761, -0.5866, 1.167], [-0.382, 1.901,
    0.8585]]
""")


@clause("numbers.promotion", "numbers.near-misses")
def test_constants_in_other_layouts_that_hold(check: Check) -> None:
    """Plain constants, whole ones in any layout and those in memory overflow and wrap as their dtype does."""

    def program(image: torch.Tensor, matrix: torch.Tensor, number: torch.Tensor) -> dict[str, torch.Tensor]:
        whole = image.to(torch.int8)
        return {
            "plain": torch.full_like(matrix, 1e30) * 1e30 * 1e-30 + matrix,
            "counted": (torch.full_like(matrix, 16777216.0) + 1).long() + matrix.long(),
            "no number": torch.maximum(torch.full_like(matrix, float("nan")), torch.full_like(matrix, 1.0)) + matrix,
            "whole": (torch.full_like(whole, 100) * 2).float() + image,
            "in memory": (image + number) + 1 - number,
        }

    image = tensor(1, 2, 3, 3, strides=(18, 1, 6, 2), values=[[[[0.5] * 3] * 3] * 2])
    parts = tensor(3, 4, values=[[0.5] * 4] * 3), tensor(values=[33554432.0])
    check(program, image, *parts).values().expect("""\
out['plain'] = float32[3, 4] [[inf, inf, inf, inf], [inf, inf, inf, inf], [inf, inf, inf, inf]]
out['counted'] = int64[3, 4] [[16777216, 16777216, 16777216, 16777216], [16777216, 16777216, 16777216, 16777216],
    [16777216, 16777216, 16777216, 16777216]]
out['no number'] = float32[3, 4] [[nan, nan, nan, nan], [nan, nan, nan, nan], [nan, nan, nan, nan]]
out['whole'] = float32[1, 2, 3, 3] [[[[-55.5, -55.5, -55.5], [-55.5, -55.5, -55.5], [-55.5, -55.5, -55.5]], [[-55.5,
    -55.5, -55.5], [-55.5, -55.5, -55.5], [-55.5, -55.5, -55.5]]]]
out['in memory'] = float32[1, 2, 3, 3] [[[[0, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 0, 0]]]]
""")
