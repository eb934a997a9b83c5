"""Low precision: what is rounded explicitly is rounded, and comparisons see the rounded numbers."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.low-precision")
def test_round_trip_through_bfloat16(check: Check) -> None:
    """A float32 that goes to bfloat16 and back has lost its last sixteen bits."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.to(torch.bfloat16).to(torch.float32)

    check(program, tensor(6, values=[1.001, 2.0078, -3.14159, 100.3, 1e-3, 0.3333])).values().expect("""\
out = float32[6] [1, 2, -3.141, 100.5, 0.0009995, 0.334]
""")


@clause("numbers.low-precision")
def test_round_trip_through_half_overflows(check: Check) -> None:
    """A float32 beyond 65504 is infinite after it has been a float16."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.half().float() * 0.5

    check(program, tensor(4, values=[65504.0, 70000.0, -1e6, 1e-8])).values().expect("""\
out = float32[4] [3.275e+04, inf, -inf, 0]
""")


@clause("numbers.low-precision")
def test_round_trip_through_single_precision(check: Check) -> None:
    """A double that goes to single precision and back has lost what does not fit: digits, and what is large."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        back = a.float().double()
        return back * 1.5, (back - a) * 1e9

    check(program, tensor(4, dtype=torch.float64, values=[0.1, 1 / 3, 1e300, -1e-60])).computed()


@clause("numbers.low-precision")
def test_comparison_after_rounding(check: Check) -> None:
    """Two numbers that round to one bfloat16 compare equal after the cast."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.to(torch.bfloat16) == b.to(torch.bfloat16)

    result = check(program, tensor(4, values=[1.0, 2.0, 3.0, 4.0]), tensor(4, values=[1.001, 2.1, 3.002, 4.01]))
    result.values().expect("""\
out = bool[4] [True, False, True, True]
""")


@clause("numbers.low-precision")
def test_comparison_with_a_number_that_is_rounded(check: Check) -> None:
    """A number that a low-precision tensor is compared with is rounded as the tensor is."""

    def program(a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
        return [a == 0.1, a != 0.3, a <= 1.001, a > 1.001, a <= 0.7, b == 0.1, b < 2.0001, b.lt(0.3)]

    a = tensor(5, values=[0.1, 0.3, 1.0, 0.7, 2.0], dtype=torch.bfloat16)
    b = tensor(5, values=[0.1, 0.3, 1.0, 0.7, 2.0], dtype=torch.float16)
    result = check(program, a, b)
    result.happened(result.value("out[0]").tolist() == [True, False, False, False, False], "a number rounded alike")


@clause("numbers.low-precision")
def test_comparison_of_sums_in_half(check: Check) -> None:
    """A sum in float16 is rounded before it is compared."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b == a

    check(
        program,
        tensor(4, dtype=torch.float16, values=[2048.0, 2048.0, 1.0, 1000.0]),
        tensor(4, dtype=torch.float16, values=[1.0, 2.0, 1e-4, 0.1]),
    ).values().expect("""\
out = bool[4] [True, False, True, True]
""")


@clause("numbers.low-precision")
def test_sum_in_half_of_large_numbers(check: Check) -> None:
    """A sum in float16 that passes its largest number in between is infinite."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return ((a * 2) - a).float()

    check(program, tensor(3, dtype=torch.float16, values=[40000.0, -60000.0, 100.0])).values().expect("""\
out = float32[3] [inf, -inf, 100]
""")


@clause("numbers.low-precision", modes="train")
def test_mean_in_half_of_numbers_whose_sum_is_infinite(check: Check) -> None:
    """A mean of float16 is added up in more than that: a sum beyond 65504 on the way to it is not infinite."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        many = a.expand(40, 64)
        return {
            "of all": many.mean(),
            "of columns": (many * 2).mean(0),
            "of rows": (many + 1).mean(-1)[:2],
            "deviation": many.std(),
            "normalised": torch.nn.functional.layer_norm(many[:1], (64,))[:, :2],
        }

    halves = tensor(1, 64, dtype=torch.float16, values=[[8192.0] * 32 + [4096.0] * 32])
    check(program, halves).gradient(0).values().expect("""\
out['of all'] = float16[] 6144
out['of columns'] = float16[64] [1.638e+04, 1.638e+04, 1.638e+04, 1.638e+04, 1.638e+04, 1.638e+04, 1.638e+04,
    1.638e+04, 1.638e+04, 1.638e+04, 1.638e+04, 1.638e+04, ..., 8192, 8192, 8192, 8192]
out['of rows'] = float16[2] [6144, 6144]
out['deviation'] = float16[] 2048
out['normalised'] = float16[1, 2] [[1, 1]]
""")


@clause("numbers.low-precision")
def test_extra_output_changes_no_other(check: Check) -> None:
    """Returning an intermediate in float16 too leaves the other result as it was without."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        product = a * b
        return product, (product + a).float(), product.float().sum()

    check(program, tensor(9, dtype=torch.bfloat16), tensor(9, dtype=torch.bfloat16)).values().expect("""\
out[0] = bfloat16[9] [-1.523, -0.4375, 0.03394, 3.203, 0.2676, -0.4883, 0.6602, -2.016, 0.7344]
out[1] = float32[9] [-0.8359, -3.062, -0.2051, 1.82, -0.1895, 0.5273, -0.9258, -1.109, -0.3984]
out[2] = float32[] 0.4343
""")


@clause("numbers.low-precision")
def test_truncation_after_rounding(check: Check) -> None:
    """A number that rounds up to an integer in float16 is that integer when truncated."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.half().to(torch.int32)

    check(program, tensor(3, values=[0.99999, 2047.9, 3.00001])).values().expect("""\
out = int32[3] [1, 2048, 3]
""")


@clause("numbers.low-precision")
def test_numbers_of_low_precision_made_whole_and_floats_again(check: Check) -> None:
    """What a number of low precision loses as a whole number, a byte or a truth is gone when it is a float again."""

    def program(*numbers: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        return {
            "whole": [(a * 1.75).int().float() + 0.25 for a in numbers],
            "long": [(a - 0.375).long().to(a.dtype) * 3 for a in numbers],
            "wide": [(a * 2.25).to(torch.int32).double() for a in numbers],
            "of few bits": [(a + 0.625).to(torch.int16).float() * 0.5 for a in numbers],
            "bytes": [(a * 1.5).to(torch.int8).to(a.dtype) - 0.5 for a in numbers],
            "bytes without a sign": [(a.abs() * 3.25).to(torch.uint8).float() for a in numbers],
            "truths": [(a * 0.5).bool().float() + a.float() for a in numbers],
            "as they are": [a.int().float() for a in numbers],
        }

    values = [2.40625, -1.703125, 0.0, -0.40625, 30.0]
    inputs = (tensor(5, dtype=dtype, values=values) for dtype in (torch.bfloat16, torch.float16))
    check(program, *inputs).values().expect("""\
out['whole'][0] = float32[5] [4.25, -1.75, 0.25, 0.25, 52.25]
out['whole'][1] = float32[5] [4.25, -1.75, 0.25, 0.25, 52.25]
out['long'][0] = bfloat16[5] [6, -6, 0, 0, 87]
out['long'][1] = float16[5] [6, -6, 0, 0, 87]
out['wide'][0] = float64[5] [5, -3, 0, 0, 67]
out['wide'][1] = float64[5] [5, -3, 0, 0, 67]
out['of few bits'][0] = float32[5] [1.5, -0.5, 0, 0, 15]
out['of few bits'][1] = float32[5] [1.5, -0.5, 0, 0, 15]
out['bytes'][0] = bfloat16[5] [2.5, -2.5, -0.5, -0.5, 44.5]
out['bytes'][1] = float16[5] [2.5, -2.5, -0.5, -0.5, 44.5]
out['bytes without a sign'][0] = float32[5] [7, 5, 0, 1, 97]
out['bytes without a sign'][1] = float32[5] [7, 5, 0, 1, 97]
out['truths'][0] = float32[5] [3.406, -0.7031, 0, 0.5938, 31]
out['truths'][1] = float32[5] [3.406, -0.7031, 0, 0.5938, 31]
out['as they are'][0] = float32[5] [2, -1, 0, 0, 30]
out['as they are'][1] = float32[5] [2, -1, 0, 0, 30]
""")


@clause("numbers.low-precision")
def test_bits_of_what_is_computed_in_low_precision(check: Check) -> None:
    """A number of low precision that is computed has its sixteen bits, which can be seen as a whole number."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "bfloat16": (a * 2).view(torch.int16) + 1,
            "half": (b + 0.5).view(torch.int16) & 1023,
            "of halves": (b - 1).view(torch.uint8) ^ 1,
        }

    inputs = tensor(41, dtype=torch.bfloat16), tensor(41, dtype=torch.float16)
    check(program, *inputs).shape("out['of halves']", 82).computed()


@clause("numbers.low-precision", modes="train")
def test_gradient_in_bfloat16(check: Check) -> None:
    """The gradient of a bfloat16 input is bfloat16, and is summed in more."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b).float().sum(0)

    check(program, tensor(5, 3, dtype=torch.bfloat16), tensor(3, dtype=torch.bfloat16)).gradient(0, 1)


@clause("numbers.low-precision")
def test_interpolation_between_halves_far_apart(check: Check) -> None:
    """Between two halves whose difference is no half lie halves: `lerp` is computed in more than that."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "number": torch.lerp(a, b, 0.25),
            "tensor": torch.lerp(a, b, weight),
            "in place": a.clone().lerp_(b, 0.75),
        }

    ends = (
        tensor(3, dtype=torch.float16, values=[6e4, -6e4, 1.0]),
        tensor(3, dtype=torch.float16, values=[-6e4, 6e4, 2.0]),
    )
    check(program, *ends, tensor(3, dtype=torch.float16, values=[0.25, 0.75, 0.5])).values().expect("""\
out['number'] = float16[3] [3e+04, -3e+04, 1.25]
out['tensor'] = float16[3] [3e+04, 3e+04, 1.5]
out['in place'] = float16[3] [-3e+04, 3e+04, 1.75]
""")


@clause("numbers.low-precision")
def test_interpolation_between_numbers_that_fit(check: Check) -> None:
    """`lerp` of halves whose difference is a half, and of floats that are far apart, is between its ends."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "halves": torch.lerp(a / 4, b / 4, 0.25),
            "by a tensor": torch.lerp(a / 4, b / 4, weight),
            "floats": torch.lerp(a.float(), b.float(), 0.25),
        }

    ends = (
        tensor(3, dtype=torch.float16, values=[6e4, -6e4, 1.0]),
        tensor(3, dtype=torch.float16, values=[-6e4, 6e4, 2.0]),
    )
    check(program, *ends, tensor(3, dtype=torch.float16, values=[0.25, 0.75, 0.5])).values().expect("""\
out['halves'] = float16[3] [7500, -7500, 0.3125]
out['by a tensor'] = float16[3] [7500, 7500, 0.375]
out['floats'] = float32[3] [3e+04, -3e+04, 1.25]
""")


@clause("numbers.low-precision", devices="cpu")
def test_mean_by_index_of_thousands_of_halves(check: Check) -> None:
    """A mean by index divides by how many rows there were, also where a half does not count as far by ones."""

    def program(a: torch.Tensor, index: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return a.index_reduce(0, index, rows, "mean", include_self=False)

    index = tensor(3000, dtype=torch.int64, values=[0] * 3000)
    rows = tensor(3000, 2, dtype=torch.float16, values=[[1.0 - row % 2, row % 4 // 3] for row in range(3000)])
    check(program, tensor(2, 2, dtype=torch.float16), index, rows).computed()


@clause("numbers.low-precision", devices="cpu")
def test_means_by_index_in_other_ways(check: Check) -> None:
    """Means by index of few halves, of thousands of floats and by `scatter_reduce` divide by how many there were."""

    def program(
        a: torch.Tensor, index: torch.Tensor, rows: torch.Tensor, whole: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        places = index[:, None].expand(3000, 2)
        return {
            "few": a.half().index_reduce(0, index[:900], rows[:900], "mean", include_self=False),
            "floats": a.index_reduce(0, index, rows.float(), "mean", include_self=False),
            "scattered": a.scatter_reduce(0, places, whole, "mean", include_self=False),
        }

    index = tensor(3000, dtype=torch.int64, values=[0] * 3000)
    values = [[1.0 - row % 2, row % 4 // 3] for row in range(3000)]
    rows = tensor(3000, 2, dtype=torch.float16, values=values)
    check(program, tensor(2, 2), index, rows, tensor(3000, 2, values=values)).values().expect("""\
out['few'] = float16[2, 2] [[0.5, 0.25], [-0.239, -1.382]]
out['floats'] = float32[2, 2] [[0.5, 0.25], [-0.239, -1.382]]
out['scattered'] = float32[2, 2] [[0.5, 0.25], [-0.239, -1.382]]
""")


@clause("numbers.low-precision", "numbers.vectors")
def test_one_reduction_of_columns_handed_out_twice(check: Check) -> None:
    """The largest of each column of bfloat16 numbers, as one row and as a row that is kept, is what it is alone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.amax(0), a.amax(0, keepdim=True)

    check(program, tensor(20, 35, dtype=torch.bfloat16)).shape("out[1]", 1, 35).computed()


@clause("numbers.low-precision", modes="train")
def test_halves_between_two_that_are_far_apart(check: Check) -> None:
    """What lies between two halves is a half, also where their difference is none."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.lerp(a, -a, 0.25), torch.lerp(a, -a, 0.75), torch.lerp(a, -a, weight)

    a = tensor(4, dtype=torch.float16, values=[60000.0, -48000.0, 1.0, 40000.0])
    weight = tensor(4, dtype=torch.float16, grad=False, values=[0.25, 0.75, 0.5, 0.5])
    check(program, a, weight).values().expect("""\
out[0] = float16[4] [3e+04, -2.4e+04, 0.5, 2e+04]
out[1] = float16[4] [-3e+04, 2.4e+04, -0.5, -2e+04]
out[2] = float16[4] [3e+04, 2.4e+04, 0, 0]
""")
