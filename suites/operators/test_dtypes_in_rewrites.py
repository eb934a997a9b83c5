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
