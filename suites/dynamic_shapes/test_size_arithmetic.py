"""Arithmetic of sizes: what Python says of two integers holds of two symbolic sizes, also where one is negative."""

import math

import torch

from suites.harness import Check, clause, tensor


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_floor_division_rounds_down(check: Check) -> None:
    """`//` of a size and a negative number, and of a negated size, rounds down and not towards zero."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        quotients = [n // -2, -n // 2, (3 - n) // 4, (n - 9) // 5]
        return a.sum() * 0 + torch.tensor(quotients, device=a.device)

    result = check(program, calls=[(tensor(5),), (tensor(7),), (tensor(11),)]).recompiled(0)
    result.values().expect("""\
out = float32[4] [-3, -3, -1, -1]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [-4, -4, -1, -1]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic", profile="default")
def test_quotients_by_one_and_by_the_size_itself(check: Check) -> None:
    """A size divided by one, by minus one or by itself keeps or turns its sign, with nothing left over."""

    def program(a: torch.Tensor) -> dict[str, object]:
        n = a.size(0)
        return {
            "by minus one": [n // -1, -n // -1, (n - 7) // -1, (2 * n) // -2],
            "by one": [n // 1, (3 - n) // 1],
            "by itself": [n // n, -n // n, n // -n, (n * 3) // n],
            "left over": [n % -1, n % 1, n % n, (n + 1) % -n, -n % n],
            "factors": a * (n // -1) + (7 - n) // -1,
        }

    result = check(program, calls=[(tensor(5),), (tensor(7),), (tensor(11),)], probe=False)
    result.holds("out['by minus one']", [-5, 5, 2, -5]).holds("out['left over']", [0, 0, 0, -4, 0])
    result.in_call(2).holds("out['by minus one']", [-11, 11, -4, -11]).holds("out['by itself']", [1, -1, -1, 3])


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_floor_division_in_a_kernel_rounds_down(check: Check) -> None:
    """Sizes divided inside of tensor arithmetic round down, as the same division outside does."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows, columns = a.shape
        return a + (rows - columns) // 3, a * ((columns - rows) % 4) + (-rows) // columns

    calls = [(tensor(2, 7),), (tensor(7, 2),), (tensor(3, 4),), (tensor(4, 12),)]
    result = check(program, calls=calls).recompiled(0)
    result.values().expect("""\
out[0] = float32[2, 7] [[-1.314, -4.63, -2.239, -3.382, -2.456, -0.9848, -3.587], [-1.099, -3.132, -4.222, -1.833,
    -2.142, -4.313, -2.586]]
out[1] = float32[2, 7] [[-0.3135, -3.63, -1.239, -2.382, -1.456, 0.01519, -2.587], [-0.09922, -2.132, -3.222,
    -0.8331, -1.142, -3.313, -1.586]]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[7, 2] [[0.4972, 0.7271], [0.932, 1.91], [0.5214, 0.4768], [3.088, 1.227], [0.9642, 1.436], [1.776,
    2.016], [0.6808, -0.6603]]
out[1] = float32[7, 2] [[-5.508, -4.819], [-4.204, -1.271], [-5.436, -5.57], [2.264, -3.32], [-4.107, -2.691],
    [-1.673, -0.9508], [-4.958, -8.981]]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_remainder_has_the_sign_of_the_divisor(check: Check) -> None:
    """`%` of sizes and negative numbers has the divisor's sign."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        n = a.size(0)
        return a[: n % 3] * 2, [n % -3, -n % 3, (2 - n) % 5]

    result = check(program, calls=[(tensor(5),), (tensor(7),), (tensor(9),)])
    result.happened(result.call.entries["out[1][0]"].detail == -1, "a negative remainder")


@clause("dynamic-shapes.arithmetic", modes="train", shapes="dynamic")
def test_padding_to_a_multiple(check: Check) -> None:
    """Padding by `-n % k` makes every size a multiple of `k`, by nothing where it is one already."""

    def program(a: torch.Tensor) -> torch.Tensor:
        padded = torch.nn.functional.pad(a, (0, -a.size(0) % 4), value=2.0)
        return padded.view(-1, 4).sum(1) * a.size(0)

    result = check(program, calls=[(tensor(6),), (tensor(8),), (tensor(5),), (tensor(3),)], probe=False)
    shapes = [call.tensors["out"].shape for call in result.expected.calls]
    result.gradient(0).happened(shapes == [(2,), (2,), (2,), (1,)], "padding to the next multiple")
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    neg = operator.neg(primals_1)
    mod = operator.mod(neg, 4)
    constant_pad_nd = torch.ops.aten.constant_pad_nd.default(primals_2, [0, mod], 2.0)
    sym_size = torch.ops.aten.sym_size.int(constant_pad_nd, 0)
    view = torch.ops.aten.view.default(constant_pad_nd, [-1, 4])
    sym_size_1 = torch.ops.aten.sym_size.int(view, 0)
    sum_1 = torch.ops.aten.sum.dim_IntList(view, [1])
    mul = torch.ops.aten.mul.Tensor(sum_1, primals_1)
    return (mul, primals_1, sym_size, sym_size_1)
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_padding_by_negative_amounts(check: Check) -> None:
    """Padding by amounts that sizes make negative crops."""

    def program(a: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        short = like.size(0) - a.size(0)
        return torch.nn.functional.pad(a, (1, short), value=-1.0) + 1

    result = check(program, calls=[(tensor(4), tensor(7)), (tensor(6), tensor(3)), (tensor(5), tensor(5))])
    shapes = [call.tensors["out"].shape for call in result.expected.calls]
    result.happened(shapes == [(8,), (4,), (6,)], "padding and cropping")
    result.values().expect("""\
out = float32[8] [0, 1.686, -1.63, 0.761, -0.382, 0, 0, 0]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [0, 0.4972, 0.7271, 0.932]
""")


@clause("dynamic-shapes.arithmetic", modes="train", shapes="dynamic")
def test_scale_factors_of_sizes(check: Check) -> None:
    """A float made of sizes, an odd fraction or a root, scales with the precision of a Python float."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        return a * (n / 300) + a.sin() * n**-0.5 + a.cos() / math.sqrt(n)

    result = check(program, calls=[(tensor(5, dtype=torch.float64),), (tensor(7, dtype=torch.float64),)])
    result.gradient(0).shape("out", 5)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_interpolation_by_an_odd_scale_factor(check: Check) -> None:
    """The output's size is the floor of size times factor, where the product is no exact number either."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.interpolate(a, scale_factor=1 / 3)

    calls = [(tensor(1, 1, 9),), (tensor(1, 1, 10),), (tensor(1, 1, 8),), (tensor(1, 1, 12),)]
    result = check(program, calls=calls, probe=False)
    shapes = [call.tensors["out"].shape[-1] for call in result.expected.calls]
    result.happened(shapes == [3, 3, 2, 4], "sizes rounded down")
    result.values().expect("""\
out = float32[1, 1, 3] [[[0.6865, -1.382, -1.587]]]
""")
    result.in_call(1).values().expect("""\
out = float32[1, 1, 3] [[[-0.5028, 0.9096, 2.088]]]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_pooling_to_half_of_the_size(check: Check) -> None:
    """Images of any size are averaged to half as many rows and columns, in windows that are uneven where it is odd."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.adaptive_avg_pool2d(a, (a.shape[-2] // 2, a.shape[-1] // 2))

    result = check(program, calls=[(tensor(1, 1, 4, 6),), (tensor(1, 1, 5, 7),)])
    result.values().expect("""\
out = float32[1, 1, 2, 3] [[[[-0.09098, 0.1112, 0.1259], [-0.7493, -0.2984, -0.3194]]]]
""")
    result.in_call(1).values().expect("""\
out = float32[1, 1, 2, 3] [[[[-0.799, -0.2006, -0.6419], [-0.199, -0.01443, 0.2921]]]]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_sizes_rounded_from_floats(check: Check) -> None:
    """`int`, `round`, `math.ceil`, `math.floor` and `math.trunc` of a size's fraction are Python's own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        n = a.size(0)
        half = n / 2
        sizes = [int(half - n), round(half), math.ceil(n / 3), math.floor(-n / 3), math.trunc(-half)]
        return a.new_ones(math.ceil(n * 0.3)) * int(n * 0.7), sizes

    calls = [(tensor(5),), (tensor(7),), (tensor(10),), (tensor(6),)]
    result = check(program, calls=calls, probe=False)
    result.values().expect("""\
out[0] = float32[2] [3, 3]
out[1][0] = int -2
out[1][1] = int 2
out[1][2] = int 2
out[1][3] = int -2
out[1][4] = int -2
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [4, 4, 4]
out[1][0] = int -3
out[1][1] = int 4
out[1][2] = int 3
out[1][3] = int -3
out[1][4] = int -3
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic", devices="cpu")
def test_functions_of_a_size_and_a_number(check: Check) -> None:
    """What Python computes of a size and a number of either sign is the call's own, in a kernel and returned."""

    def program(a: torch.Tensor, number: int) -> dict[str, object]:
        n = a.size(0)
        whole = {
            "quotients": number // n * 100 + n // number,
            "remainders": number % n * 100 + n % number,
            "remainders by four": number % 4 * 10 + number % -4,
            "up": math.ceil(number / 4),
            "down": math.floor(number / 4),
            "of tenths": math.ceil(number * 0.3) * 100 + math.floor(number * 0.3),
            "cut": math.trunc(number * 0.3) * 100 + int(number * 0.7),
            "to the even one": round(number / 2),
            "distances": abs(number) * 100 + abs(5 - n),
            "of many": min(number, 3 - n, n - 8, 2) * 100 + max(1, 6 - n, number),
            "of two": min(number, 3 - n) * 100 + max(6 - n, number),
            "bits": (number & 5) * 10000 + (number | 8) * 100 + (number ^ 3),
            "cube": number**3,
            "shifted": (3 - n >> 1) * 100 + (number << 2),
            "chosen": torch.sym_ite(n > 5, n * 2, number - 3),
        }
        fractions = {
            "ratios": 3 / (number / n) + number / n * 2 - 1 / (n + number * 0.5 + 0.25),
            "tenths": float(number * 33_554_431) * 0.1 - number * 3_355_443,
            "powers": (n + 0.5) ** 1.5 + n**-2,
            "roots": math.sqrt(n) + n**0.5 * 8,
            "distance": abs(number / 2),
            "cosine": math.cos(n / 8),
            "tangent": math.tan(n / 8),
            "angles": math.atan(n / 8) + math.asin(1 / n) * 8 + math.acos(1 / n) * 64,
            "hyperbolic": math.sinh(n / 8) + math.cosh(n / 8) * 8 + math.tanh(n / 8) * 64,
            "logarithm": math.log2(n / 8),
        }
        return {
            "whole": whole,
            "fractions": fractions,
            "of whole": [a.new_full((2,), each, dtype=torch.int64) for each in whole.values()],
            "of fractions": [a.new_full((2,), each, dtype=torch.float64) for each in fractions.values()],
        }

    calls = [(tensor(size), number) for size, number in ((5, -3), (7, 4), (10, -7), (6, 9), (4, -11))]
    check(program, calls=calls, probe=False).holds("out['whole']['quotients']", -102).recompiled(0)


@clause("dynamic-shapes.arithmetic", shapes="dynamic", devices="cpu")
def test_extremes_of_fractions(check: Check) -> None:
    """`min` and `max` of fractions of sizes are fractions, in a kernel and returned."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[float]]:
        n = a.size(0)
        extremes = [min(3 - n / 2, n - 8.5), max(4.5 - n, 1 / n), max(n / 4, 1.25, 6.75 - n), min(n / 8, 0.75, n - 3.5)]
        return torch.stack([a.new_full((), each) for each in extremes]), extremes

    result = check(program, calls=[(tensor(size, dtype=torch.float64),) for size in (5, 4, 10)])
    result.holds("out[1]", [-3.5, 0.2, 1.75, 0.625])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", devices="cpu")
def test_shifts_by_a_size(check: Check) -> None:
    """Numbers of either sign are shifted by the size of the call, in a kernel and returned."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        n = a.size(0)
        shifted = [3 << n, -5 << n, 1000 >> n, -1000 >> n]
        return a + sum(shifted), shifted

    result = check(program, calls=[(tensor(size, dtype=torch.int64),) for size in (4, 5, 7)])
    result.holds("out[1]", [48, -80, 62, -63])


@clause("dynamic-shapes.arithmetic", shapes="dynamic", devices="cpu")
def test_powers_of_two_beyond_thirty_two_bits(check: Check) -> None:
    """Two to the power of a size is not cut off at 32 bits, in a kernel or returned."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        return a + 2 ** a.size(0), 2 ** a.size(0)

    result = check(program, calls=[(tensor(size, dtype=torch.int64),) for size in (33, 40, 31)])
    result.holds("out[1]", 2**33)


@clause("dynamic-shapes.arithmetic", shapes="dynamic", devices="cpu")
def test_powers_of_three(check: Check) -> None:
    """Three to the power of a size is that of the call's size, in a kernel and returned."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        return a + 3 ** a.size(0), 3 ** a.size(0)

    result = check(program, calls=[(tensor(size, dtype=torch.int64),) for size in (4, 5, 7)])
    result.holds("out[1]", 81)


@clause("dynamic-shapes.arithmetic", shapes="dynamic", devices="cpu")
def test_sine_of_a_size(check: Check) -> None:
    """The sine of a size is that of the call's size, in a kernel and returned."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, float]:
        number = math.sin(a.size(0) - 2)
        return torch.full_like(a, number), number

    result = check(program, calls=[(tensor(size),) for size in (2, 5, 7)], probe=False)
    result.holds("out[1]", 0.0).in_call(2).holds("out[1]", math.sin(5))


@clause("dynamic-shapes.arithmetic", shapes="dynamic", devices="cpu")
def test_sizes_rounded_to_decimals(check: Check) -> None:
    """`round` of a size's fraction to decimals is the nearest such number to it, as Python finds it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, float, float]:
        n = a.size(0)
        return a * 2, round((4 - n) * 0.35, 1), round(n / 8, 2)

    result = check(program, calls=[(tensor(size),) for size in (5, 6, 7)])
    result.holds("out[1]", -0.3).holds("out[2]", 0.62)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_kernels_with_sizes_rounded_to_decimals(check: Check) -> None:
    """In a kernel, too, a fraction of a size is rounded to as many decimals as are asked for, away from halves."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        n = a.size(0)
        return {
            "none": a + round(n / 7, 0),
            "one": a + round(n / 7, 1),
            "two, below nought": a * round((2 - n) / 7, 2),
            "four": a - round(100 / n, 4),
        }

    result = check(program, calls=[(tensor(size, values=range(size)),) for size in (5, 9, 11)]).recompiled(0)
    result.values().expect("""\
out['none'] = float32[5] [1, 2, 3, 4, 5]
out['one'] = float32[5] [0.7, 1.7, 2.7, 3.7, 4.7]
out['two, below nought'] = float32[5] [-0, -0.43, -0.86, -1.29, -1.72]
out['four'] = float32[5] [-20, -19, -18, -17, -16]
""")
    result.in_call(2).values().expect("""\
out['none'] = float32[11] [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
out['one'] = float32[11] [1.6, 2.6, 3.6, 4.6, 5.6, 6.6, 7.6, 8.6, 9.6, 10.6, 11.6]
out['two, below nought'] = float32[11] [-0, -1.29, -2.58, -3.87, -5.16, -6.45, -7.74, -9.03, -10.32, -11.61, -12.9]
out['four'] = float32[11] [-9.091, -8.091, -7.091, -6.091, -5.091, -4.091, -3.091, -2.091, -1.091, -0.0909, 0.9091]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_sizes_rounded_to_tens(check: Check) -> None:
    """`round` of a multiple of a size to tens is a multiple of ten."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        tens = round(a.size(0) * 7, -1)
        return a * tens, tens

    result = check(program, calls=[(tensor(size),) for size in (5, 6, 7)])
    result.holds("out[1]", 40)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_true_division_of_sizes_is_a_float(check: Check) -> None:
    """`/` of sizes that divide evenly is a float, and promotes an integer tensor to one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        n = a.size(0)
        return a * (n / 2), a * (n // 2)

    counts = tensor(4, dtype=torch.int64), tensor(7, dtype=torch.int64)
    result = check(program, calls=[(each,) for each in counts])
    result.happened(result.facts("out[0]").dtype != result.facts("out[1]").dtype, "a promotion")
    result.values().expect("""\
out[0] = float32[4] [12, 2, 12, 10]
out[1] = int64[4] [12, 2, 12, 10]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[7] [24.5, 24.5, 7, 3.5, 17.5, 17.5, 24.5]
out[1] = int64[7] [21, 21, 6, 3, 15, 15, 21]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_minimum_and_maximum_of_sizes(check: Check) -> None:
    """`min` and `max` of sizes and constants choose for the call at hand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        shorter = min(a.size(0), b.size(0))
        least = min(a.size(0) + 3, b.size(0) * 2, 6)
        return a[:shorter] - b[:shorter], a.sum() * max(a.size(0) - 4, b.size(0) - 6, 0), b * least

    calls = [(tensor(5), tensor(8)), (tensor(9), tensor(3)), (tensor(2), tensor(4))]
    result = check(program, calls=calls)
    result.values().expect("""\
out[0] = float32[5] [-0.3287, -1.044, -1.14, -0.25, 1.766]
out[1] = float32[] -8.041
out[2] = float32[8] [6.091, -9.519, 5.405, -6.792, -13.33, 1.002, -0.8493, -13.88]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [-0.9393, -1.048, -1.084]
out[1] = float32[] 6.715
out[2] = float32[3] [2.619, 4.653, 6.098]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_on_sizes_are_guarded(check: Check) -> None:
    """A branch that depends on a size's range or remainder is taken anew for a size on the other side."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        if n > 6:
            return a[:6] + 1
        if n % 2 == 0:
            return a * 2
        return -a if n != 5 else a.flip(0)

    result = check(program, calls=[(tensor(4),), (tensor(8),), (tensor(3),), (tensor(5),), (tensor(2),)], probe=False)
    shapes = [call.tensors["out"].shape for call in result.expected.calls]
    result.happened(shapes == [(4,), (6,), (3,), (5,), (2,)], "every branch")
    result.values().expect("""\
out = float32[4] [1.373, -5.26, -0.478, -2.764]
""")
    result.in_call(1).values().expect("""\
out = float32[6] [0.4972, 0.7271, 0.932, 1.91, 0.5214, 0.4768]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branch_decided_by_a_range_is_compiled_once(check: Check) -> None:
    """A size that a branch has bounded is not asked again: sizes within the bounds share one compilation."""

    def program(a: torch.Tensor) -> torch.Tensor:
        if a.size(0) > 10:
            return a * 2
        if a.size(0) < 20:
            return a[: a.size(0) - 1] + a[1:]
        return a

    result = check(program, calls=[(tensor(5),), (tensor(9),), (tensor(3),), (tensor(10),)])
    result.shape("out", 4).recompiled(0)
    result.values().expect("""\
out = float32[4] [-1.944, -2.869, -1.621, -1.838]
""")
    result.in_call(1).values().expect("""\
out = float32[8] [-0.7757, -0.3409, 0.8416, 0.431, -1.002, 1.565, 2.315, 0.1909]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_a_bound_at_its_edge(check: Check) -> None:
    """The sizes just below, at and just above a branch's bound each take their own side."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2 if 2 * a.size(0) + 1 >= 9 else a - 2

    calls = [(tensor(6),), (tensor(4),), (tensor(3),), (tensor(5),), (tensor(2),)]
    result = check(program, calls=calls, probe=False).recompiled(1)
    result.values().expect("""\
out = float32[6] [1.373, -5.26, -0.478, -2.764, -0.9121, 2.03]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [-1.006, -0.5458, -0.1361, 1.819]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_check_of_a_size_holds_in_every_call(check: Check) -> None:
    """A size that fails `torch._check` raises, in the call in which it fails and in no other."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch._check(a.size(0) % 2 == 0, lambda: "an even size is wanted")
        return a.view(2, -1).sum(0)

    result = check(program, calls=[(tensor(4),), (tensor(5),), (tensor(6),)])
    errors = [call.error is not None for call in result.expected.calls]
    result.happened(errors == [False, True, False], "a failed check")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_assertion_about_sizes_holds_in_every_call(check: Check) -> None:
    """An `assert` that two sizes add up raises in the call in which they do not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        assert a.size(0) + b.size(0) == 8, "eight rows in all"
        return torch.cat([a, b]).cumsum(0)

    result = check(program, calls=[(tensor(3), tensor(5)), (tensor(6), tensor(2)), (tensor(4), tensor(5))])
    result.shape("out", 8)
    result.in_call(2).raised()


@clause("dynamic-shapes.arithmetic", "T16.11", shapes="dynamic")
def test_sizes_made_of_several_symbols(check: Check) -> None:
    """A size that is a product, a sum and a quotient of other sizes is that of the call at hand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        rows, columns, extra = *a.shape, b.size(0)
        flat = torch.cat([a.reshape(-1), b])
        return flat[: (rows * columns + extra) // 2 * 2].view(-1, 2) + rows * extra

    calls = [(tensor(3, 4), tensor(5)), (tensor(5, 2), tensor(4)), (tensor(2, 6), tensor(7))]
    result = check(program, calls=calls).recompiled(0)
    result.values().expect("""\
out = float32[8, 2] [[15.69, 12.37], [14.76, 13.62], [14.54, 16.02], [13.41, 15.9], [13.87, 12.78], [15.17, 14.86],
    [12.69, 14.41], [14.52, 14.58]]
""")
    result.in_call(1).values().expect("""\
out = float32[7, 2] [[19.5, 19.73], [19.93, 20.91], [19.52, 19.48], [22.09, 20.23], [19.96, 20.44], [20.78, 21.02],
    [19.68, 18.34]]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_sizes_that_are_bounded_shifted_and_divided(check: Check) -> None:
    """The lesser of a size and a number, the larger, a shift by bits and a quotient that leaves a rest are whole."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        rows, columns = a.shape
        pinned = (3 - rows) // 4 if rows == 6 else 5
        return {
            "at most": a[: min(rows, 5)] * 2,
            "at least": a.new_ones(max(rows, 4)) * 3,
            "half": a[: rows >> 1] + 1,
            "twice": a.new_ones(rows << 1) * 4,
            "with a rest": torch.arange((rows * columns + 3) // rows, device=a.device),
            "in a number": a[0, :1] * 0 + ((columns << 3) - (rows >> 2) + (columns * rows - 1) // columns + pinned),
        }

    result = check(program, calls=[(tensor(6, 4),), (tensor(3, 5),), (tensor(7, 2),)])
    result.values().expect("""\
out['at most'] = float32[5, 4] [[-0.7843, -2.339, 3.023, -1.654], [-0.7809, 1.776, -1.563, 3.958], [0.5425, -1.023,
    -2.988, 3], [-2.706, -0.2077, -0.8351, -1.984], [-1.19, -2.157, -2.694, -0.387]]
out['at least'] = float32[6] [3, 3, 3, 3, 3, 3]
out['half'] = float32[3, 4] [[0.6078, -0.1695, 2.512, 0.1732], [0.6095, 1.888, 0.2187, 2.979], [1.271, 0.4887,
    -0.4938, 2.5]]
out['twice'] = float32[12] [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
out['with a rest'] = int64[4] [0, 1, 2, 3]
out['in a number'] = float32[1] [35]
""")
    result.in_call(1).values().expect("""\
out['at most'] = float32[3, 5] [[-1.006, -0.5458, -0.1361, 1.819, -0.9572], [-1.046, 4.176, 0.4534, -0.07156,
    0.873], [1.551, 2.033, -0.6384, -3.321, 0.04763]]
out['at least'] = float32[4] [3, 3, 3, 3]
out['half'] = float32[1, 5] [[0.4972, 0.7271, 0.932, 1.91, 0.5214]]
out['twice'] = float32[6] [4, 4, 4, 4, 4, 4]
out['with a rest'] = int64[6] [0, 1, 2, 3, 4, 5]
out['in a number'] = float32[1] [47]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_products_beyond_thirty_two_bits(check: Check) -> None:
    """A product of sizes and constants beyond 32 bits is not cut off."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        n = a.size(0)
        return a + n * n * 1_000_003 * 4099, n * 3_000_000_019

    counts = [(tensor(size, dtype=torch.int64),) for size in (5, 9)]
    result = check(program, calls=counts)
    result.happened(result.call.entries["out[1]"].detail == 15_000_000_095, "a number beyond 32 bits")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_size_as_the_number_of_a_dtype(check: Check) -> None:
    """A tensor filled with a size, boolean or of bytes, holds what the size is in that dtype."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        true = torch.full((3,), a.shape[0], dtype=torch.bool)
        small = torch.full((2,), a.shape[0] + 254, dtype=torch.int64).byte()
        return true.sum(), small.int()

    result = check(program, calls=[(tensor(3),), (tensor(5),)])
    result.values().expect("""\
out[0] = int64[] 3
out[1] = int32[2] [1, 1]
""")
    result.in_call(1).values().expect("""\
out[0] = int64[] 3
out[1] = int32[2] [3, 3]
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_size_as_a_float(check: Check) -> None:
    """Where a tensor of floats is filled with a size it holds a float, whose bits, roots and bounds are a float's."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        n = a.shape[0]
        row = torch.full((40,), n, dtype=torch.float32, device=a.device)
        one = torch.scalar_tensor(n, dtype=torch.float32, device=a.device)
        return {
            "bits": row.view(torch.int32)[:2] - 1,
            "bits of one": one.view(torch.int32) + 1,
            "greatest": torch.maximum(row[:2], a[:1]),
            "greatest of one": torch.maximum(one, a[:2]),
            "with a sign": torch.copysign(one, a[:2]) + torch.copysign(row[:2], a[:1]),
            "quotients": one.reciprocal() / 3 + row[:2].sqrt() / one,
            "chosen": torch.where(a[:2] > 0, one, 0.5) + torch.where(row[:2] > 3, row[:2], 0.25),
            "filled": (a[:2] * 2).fill_(n).view(torch.int32) + 1,
            "like another": torch.full_like(a[:2], n).reciprocal() - a.new_full((2,), n + 1).rsqrt(),
            "converted": torch.tensor(n, device=a.device).double().exp2() / 3,
        }

    result = check(program, calls=[(tensor(3),), (tensor(5),)])
    result.values().expect("""\
out['bits'] = int32[2] [1077936127, 1077936127]
out['bits of one'] = int32[] 1077936129
out['greatest'] = float32[2] [3, 3]
out['greatest of one'] = float32[2] [3, 3]
out['with a sign'] = float32[2] [6, 0]
out['quotients'] = float32[2] [0.6885, 0.6885]
out['chosen'] = float32[2] [3.25, 0.75]
out['filled'] = int32[2] [1077936129, 1077936129]
out['like another'] = float32[2] [-0.1667, -0.1667]
out['converted'] = float64[] 2.667
""")
    result.in_call(1).values().expect("""\
out['bits'] = int32[2] [1084227583, 1084227583]
out['bits of one'] = int32[] 1084227585
out['greatest'] = float32[2] [5, 5]
out['greatest of one'] = float32[2] [5, 5]
out['with a sign'] = float32[2] [-10, -10]
out['quotients'] = float32[2] [0.5139, 0.5139]
out['chosen'] = float32[2] [5.5, 5.5]
out['filled'] = int32[2] [1084227585, 1084227585]
out['like another'] = float32[2] [-0.2082, -0.2082]
out['converted'] = float64[] 10.67
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_power_of_a_size_as_a_float(check: Check) -> None:
    """The power of a size that is a float is a float, beyond what 64 bits hold of whole numbers."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        row = torch.full((2,), a.shape[0], dtype=torch.float32, device=a.device)
        wide = torch.scalar_tensor(a.shape[0], dtype=torch.float64, device=a.device)
        return row**4, wide * wide * wide * wide + a[0]

    check(program, tensor(2**16)).values().expect("""\
out[0] = float32[2] [1.845e+19, 1.845e+19]
out[1] = float64[] 1.845e+19
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_on_sums_and_products_of_sizes(check: Check) -> None:
    """A size that a sum has twice counts twice, every factor of a product counts, a shift divides by a power."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
        rows, columns, depth = a.shape
        sides = {
            "twice": rows + columns + rows == 12,
            "thrice": columns + rows + columns + depth + columns == 23,
            "product": rows * columns * (depth - 1) > 80,
            "shifted": columns * depth >> 3 == 3,
            "greatest": max(rows, columns, depth) == 6,
        }
        return a * 2, [name for name, side in sides.items() if side]

    shapes = [(3, 6, 5), (5, 3, 6), (4, 4, 7), (2, 5, 6), (6, 5, 4)]
    result = check(program, calls=[(tensor(*shape),) for shape in shapes], probe=False)
    expected = [
        ["twice", "shifted", "greatest"],
        ["greatest"],
        ["twice", "thrice", "product", "shifted"],
        ["thrice", "shifted", "greatest"],
        ["product", "greatest"],
    ]
    for number, each in enumerate(expected):
        result.in_call(number).holds("out[1]", each)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_extremes_of_multiples_of_a_size(check: Check) -> None:
    """Of a size and its multiples, of either sign, the lesser and the greater are Python's, in slices too."""

    def program(a: torch.Tensor) -> tuple[object, ...]:
        rows = a.shape[0]
        numbers = [min(rows, 2 * rows), max(rows, 3 * rows), min(-rows, -2 * rows), max(-rows, -3 * rows)]
        numbers += [min(2 * rows, 3 * rows), max(-2 * rows, rows), torch.sym_max(4 * rows, 2 * rows)]
        parts = (a * 2)[: 2 * rows].sum(0), a[-3 * rows :] + 1, a.new_full((max(rows, 2 * rows),), 3.0)
        return (*numbers, *parts, a * min(5 * rows, 2 * rows))

    check(program, calls=[(tensor(size, 3),) for size in (5, 7, 4)], probe=False).computed()
