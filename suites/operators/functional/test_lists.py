"""Operators of lists: one call for many tensors, of several sizes and dtypes, with one number or one for each."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options")
def test_sums_and_products_of_lists(check: Check) -> None:
    """Each tensor of a list meets its own of the other list, or its own number, with the factor of the call."""

    def program(*given: torch.Tensor) -> dict[str, object]:
        first, second = list(given[:3]), list(given[3:])
        low = [part.bfloat16() for part in first]
        return {
            "sums": torch._foreach_add(first, second, alpha=-0.5),
            "sums with numbers": torch._foreach_add(first, [1.5, -2.0, 3.0]),
            "differences": torch._foreach_sub(first, second, alpha=3),
            "less a number": torch._foreach_sub(first, 0.25),
            "products": torch._foreach_mul(first, second),
            "scaled": torch._foreach_mul(first, [2.0, 0.5, -1.0]),
            "quotients": torch._foreach_div(first, torch._foreach_add(second, 5.0)),
            "halves": torch._foreach_div(low, 2.0),
            "products added": torch._foreach_addcmul(first, second, first, value=-2.0),
            "products added by numbers": torch._foreach_addcmul(first, second, second, [1.0, 0.5, -3.0]),
            "products taken off": torch._foreach_addcmul(first, second, first, value=-1.0),
            "quotients taken off": torch._foreach_addcdiv(first, second, torch._foreach_exp(first), value=-1.0),
            "quotients added": torch._foreach_addcdiv(first, second, torch._foreach_exp(first), value=0.25),
            "quotients by numbers": torch._foreach_addcdiv(first, second, torch._foreach_exp(first), [2.0, -1.0, 0.5]),
            "between": torch._foreach_lerp(first, second, 0.25),
            "between by tensors": torch._foreach_lerp(first, second, first),
        }

    parts = tensor(2, 3), tensor(5), tensor(), tensor(2, 3), tensor(5), tensor()
    check(program, *parts).values().expect("""\
out['sums'][0] = float32[2, 3] [[1.843, -2.337, 0.001691], [-1.174, 0.6648, 1.339]]
out['sums'][1] = float32[5] [-2.062, 0.815, -0.7468, -1.293, 0.3504]
out['sums'][2] = float32[] -0.2189
out['sums with numbers'][0] = float32[2, 3] [[2.186, -1.13, 1.261], [0.118, 1.044, 2.515]]
out['sums with numbers'][1] = float32[5] [-3.587, -1.099, -3.132, -4.222, -1.833]
out['sums with numbers'][2] = float32[] 2.858
out['differences'][0] = float32[2, 3] [[7.626, -0.8711, 1.205], [-0.1361, 6.269, 2.957]]
out['differences'][1] = float32[5] [-4.441, 0.3863, 1.179, 3.353, 1.268]
out['differences'][2] = float32[] -0.6056
out['less a number'][0] = float32[2, 3] [[0.4365, -2.88, -0.489], [-1.632, -0.7061, 0.7652]]
out['less a number'][1] = float32[5] [-1.837, 0.6508, -1.382, -2.472, -0.08308]
out['less a number'][2] = float32[] -0.3915
out['products'][0] = float32[2, 3] [[-1.588, 1.542, 0.115], [0.5739, 1.022, -0.6572]]
out['products'][1] = float32[5] [-1.509, 0.1545, 0.8721, 4.13, -0.06126]
out['products'][2] = float32[] -0.0219
out['scaled'][0] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
out['scaled'][1] = float32[5] [-0.7933, 0.4504, -0.566, -1.111, 0.08346]
out['scaled'][2] = float32[] 0.1415
out['quotients'][0] = float32[2, 3] [[0.2555, -0.5959, -0.05289], [-0.3014, -0.1653, 0.2332]]
out['quotients'][1] = float32[5] [-0.2666, 0.1742, -0.2676, -0.7074, 0.03603]
out['quotients'][2] = float32[] -0.02746
out['halves'][0] = bfloat16[2, 3] [[0.3438, -1.312, -0.1196], [-0.6914, -0.2285, 0.5078]]
out['halves'][1] = bfloat16[5] [-0.793, 0.4512, -0.5664, -1.109, 0.0835]
out['halves'][2] = bfloat16[] -0.0708
out['products added'][0] = float32[2, 3] [[3.862, -5.714, -0.4691], [-2.53, -2.501, 2.329]]
out['products added'][1] = float32[5] [1.432, 0.5918, -2.876, -10.48, 0.2894]
out['products added'][2] = float32[] -0.09775
out['products added by numbers'][0] = float32[2, 3] [[6.038, -2.286, -0.007275], [-1.21, 4.569, 1.434]]
out['products added by numbers'][1] = float32[5] [-1.134, 0.9155, -0.8352, -0.4957, 0.2343]
out['products added by numbers'][2] = float32[] -0.2133
out['products taken off'][0] = float32[2, 3] [[2.274, -4.172, -0.354], [-1.956, -1.478, 1.672]]
out['products taken off'][1] = float32[5] [-0.07709, 0.7463, -2.004, -6.352, 0.2282]
out['products taken off'][2] = float32[] -0.1197
out['quotients taken off'][0] = float32[2, 3] [[1.851, 5.505, 0.3723], [0.2721, 3.081, 1.25]]
out['quotients taken off'][1] = float32[5] [-6.236, 0.8311, 1.258, 14.93, 0.4775]
out['quotients taken off'][2] = float32[] -0.3198
out['quotients added'][0] = float32[2, 3] [[0.3954, -4.664, -0.3918], [-1.796, -1.34, 0.9565]]
out['quotients added'][1] = float32[5] [-0.4242, 0.9182, -1.729, -6.51, 0.08928]
out['quotients added'][2] = float32[] -0.09699
out['quotients by numbers'][0] = float32[2, 3] [[-1.642, -18.9, -1.462], [-4.69, -7.53, 0.5461]]
out['quotients by numbers'][1] = float32[5] [-6.236, 0.8311, 1.258, 14.93, 0.4775]
out['quotients by numbers'][2] = float32[] -0.05244
out['between'][0] = float32[2, 3] [[-0.06348, -2.119, -0.2996], [-1.14, -0.9025, 0.5996]]
out['between'][1] = float32[5] [-0.9521, 0.7185, -1.042, -2.131, 0.03344]
out['between'][2] = float32[] -0.06749
out['between by tensors'][0] = float32[2, 3] [[-1.373, -8.005, -0.1811], [-2.718, 0.3583, -0.6726]]
out['between by tensors'][1] = float32[5] [-5.613, 0.2439, -1.541, -3.031, 0.0778]
out['between by tensors'][2] = float32[] -0.1835
""")


@clause("numbers.options")
def test_functions_of_lists(check: Check) -> None:
    """Bounds, powers and roots of each tensor of a list, of whole numbers too."""

    def program(*given: torch.Tensor) -> dict[str, object]:
        first, second, whole = list(given[:2]), list(given[2:4]), list(given[4:])
        sizes = torch._foreach_abs(first)
        return {
            "larger": torch._foreach_maximum(first, second),
            "at least": torch._foreach_clamp_min(first, [0.25, -0.5]),
            "smaller": torch._foreach_minimum(first, 0.5),
            "at most": torch._foreach_clamp_max(first, second),
            "squares": torch._foreach_pow(first, 2),
            "powers": torch._foreach_pow(sizes, second),
            "powers by numbers": torch._foreach_pow(sizes, [0.5, 3.0]),
            "of a number": torch._foreach_pow(3.0, second),
            "negatives": torch._foreach_neg(whole),
            "roots": torch._foreach_sqrt(sizes),
            "inverse roots": torch._foreach_rsqrt(sizes),
            "inverses": torch._foreach_reciprocal(first),
            "signs": torch._foreach_sign(whole),
            "whole sums": torch._foreach_add(whole, whole, alpha=2),
            "whole with a fraction": torch._foreach_mul(whole, 1.5),
            "norms": torch._foreach_norm(first, 1),
        }

    parts = tensor(2, 3), tensor(5), tensor(2, 3), tensor(5)
    whole = tensor(3, dtype=torch.int64, values=[-2, 0, 3]), tensor(2, dtype=torch.int32, values=[5, -7])
    check(program, *parts, *whole).values().expect("""\
out['larger'][0] = float32[2, 3] [[0.6865, -2.313, -0.239], [-0.4814, -0.4153, 1.015]]
out['larger'][1] = float32[5] [-0.6473, 0.9514, 0.1715, -0.7704, 0.1669]
out['at least'][0] = float32[2, 3] [[0.6865, 0.25, 0.25], [0.25, 0.25, 1.015]]
out['at least'][1] = float32[5] [-0.5, 0.9008, -0.5, -0.5, 0.1669]
out['smaller'][0] = float32[2, 3] [[0.5, -2.63, -0.239], [-1.382, -0.4561, 0.5]]
out['smaller'][1] = float32[5] [-1.587, 0.5, -1.132, -2.222, 0.1669]
out['at most'][0] = float32[2, 3] [[-0.1415, -2.63, -0.5863], [-1.382, -0.4561, -2.242]]
out['at most'][1] = float32[5] [-1.587, 0.9008, -1.132, -2.222, -1.858]
out['squares'][0] = float32[2, 3] [[0.4712, 6.917, 0.05712], [1.91, 0.208, 1.031]]
out['squares'][1] = float32[5] [2.517, 0.8114, 1.281, 4.939, 0.02786]
out['powers'][0] = float32[2, 3] [[1.055, 0.1068, 2.315], [0.8558, 1.386, 0.9668]]
out['powers'][1] = float32[5] [0.7417, 0.9054, 1.021, 0.5405, 27.85]
out['powers by numbers'][0] = float32[2, 3] [[0.8285, 1.622, 0.4889], [1.176, 0.6753, 1.008]]
out['powers by numbers'][1] = float32[5] [3.994, 0.7309, 1.451, 10.98, 0.004651]
out['of a number'][0] = float32[2, 3] [[0.856, 0.07875, 0.5251], [0.5893, 0.6337, 0.08519]]
out['of a number'][1] = float32[5] [0.4911, 2.844, 1.207, 0.4289, 0.1298]
out['negatives'][0] = int64[3] [2, 0, -3]
out['negatives'][1] = int32[2] [-5, 7]
out['roots'][0] = float32[2, 3] [[0.8285, 1.622, 0.4889], [1.176, 0.6753, 1.008]]
out['roots'][1] = float32[5] [1.26, 0.9491, 1.064, 1.491, 0.4086]
out['inverse roots'][0] = float32[2, 3] [[1.207, 0.6166, 2.046], [0.8506, 1.481, 0.9925]]
out['inverse roots'][1] = float32[5] [0.7939, 1.054, 0.9399, 0.6708, 2.448]
out['inverses'][0] = float32[2, 3] [[1.457, -0.3802, -4.184], [-0.7236, -2.193, 0.985]]
out['inverses'][1] = float32[5] [-0.6303, 1.11, -0.8834, -0.45, 5.991]
out['signs'][0] = int64[3] [-1, 0, 1]
out['signs'][1] = int32[2] [1, -1]
out['whole sums'][0] = int64[3] [-6, 0, 9]
out['whole sums'][1] = int32[2] [15, -21]
out['whole with a fraction'][0] = float32[3] [-3, 0, 4.5]
out['whole with a fraction'][1] = float32[2] [7.5, -10.5]
out['norms'][0] = float32[] 6.409
out['norms'][1] = float32[] 6.009
""")


@clause("numbers.options", "numbers.promotion")
def test_norms_of_a_list_of_several_dtypes(check: Check) -> None:
    """The norm of each tensor of a list has that tensor's dtype, or the one that is asked for, as a program is told."""

    def program(*given: torch.Tensor) -> tuple[dict[str, list[torch.Tensor]], dict[str, list[torch.dtype]]]:
        norms = {
            "each its own": list(torch._foreach_norm(given)),
            "sizes": list(torch._foreach_norm(given, 1)),
            "largest": list(torch._foreach_norm(given, float("inf"))),
            "asked for": list(torch._foreach_norm(given, dtype=torch.float64)),
            "from the last": list(torch._foreach_norm(given[::-1])),
        }
        return norms, {name: [each.dtype for each in found] for name, found in norms.items()}

    parts = tensor(2, 3, dtype=torch.float64), tensor(5), tensor(4, dtype=torch.bfloat16)
    check(program, *parts).values().expect("""\
out[0]['each its own'][0] = float64[] 3.255
out[0]['each its own'][1] = float32[] 3.095
out[0]['each its own'][2] = bfloat16[] 2.438
out[0]['sizes'][0] = float64[] 6.409
out[0]['sizes'][1] = float32[] 6.009
out[0]['sizes'][2] = bfloat16[] 3.516
out[0]['largest'][0] = float64[] 2.63
out[0]['largest'][1] = float32[] 2.222
out[0]['largest'][2] = bfloat16[] 2.312
out[0]['asked for'][0] = float64[] 3.255
out[0]['asked for'][1] = float64[] 3.095
out[0]['asked for'][2] = float64[] 2.438
out[0]['from the last'][0] = bfloat16[] 2.438
out[0]['from the last'][1] = float32[] 3.095
out[0]['from the last'][2] = float64[] 3.255
out[1]['each its own'][0] = dtype torch.float64
out[1]['each its own'][1] = dtype torch.float32
out[1]['each its own'][2] = dtype torch.bfloat16
out[1]['sizes'][0] = dtype torch.float64
out[1]['sizes'][1] = dtype torch.float32
out[1]['sizes'][2] = dtype torch.bfloat16
out[1]['largest'][0] = dtype torch.float64
out[1]['largest'][1] = dtype torch.float32
out[1]['largest'][2] = dtype torch.bfloat16
out[1]['asked for'][0] = dtype torch.float64
out[1]['asked for'][1] = dtype torch.float64
out[1]['asked for'][2] = dtype torch.float64
out[1]['from the last'][0] = dtype torch.bfloat16
out[1]['from the last'][1] = dtype torch.float32
out[1]['from the last'][2] = dtype torch.float64
""")


@clause("numbers.options")
def test_norms_of_a_list_of_complex_numbers(check: Check) -> None:
    """The norm of each complex tensor of a list is real, whichever norm, as a program is told; so is that of all."""

    def program(one: torch.Tensor, other: torch.Tensor) -> tuple[dict[str, list[torch.Tensor]], list[torch.dtype]]:
        given = [torch.complex(one, other), torch.complex(other, one)[1:].to(torch.complex128)]
        norms = {
            "each": list(torch._foreach_norm(given)),
            "sizes": list(torch._foreach_norm(given, 1)),
            "largest": list(torch._foreach_norm(given, float("inf"))),
            "all": [torch.nn.utils.get_total_norm(given[:1]), torch.nn.utils.get_total_norm(given[1:], 1.0)],
        }
        return norms, [each.dtype for found in norms.values() for each in found]

    check(program, tensor(3), tensor(3), exact=False).values().expect("""\
out[0]['each'][0] = float32[] 3.255
out[0]['each'][1] = float64[] 2.866
out[0]['sizes'][0] = float32[] 5.255
out[0]['sizes'][1] = float64[] 3.712
out[0]['largest'][0] = float32[] 2.669
out[0]['largest'][1] = float64[] 2.669
out[0]['all'][0] = float32[] 3.255
out[0]['all'][1] = float64[] 3.712
out[1][0] = dtype torch.float32
out[1][1] = dtype torch.float64
out[1][2] = dtype torch.float32
out[1][3] = dtype torch.float64
out[1][4] = dtype torch.float32
out[1][5] = dtype torch.float64
out[1][6] = dtype torch.float32
out[1][7] = dtype torch.float64
""")


@clause("numbers.options")
def test_writes_to_lists(check: Check) -> None:
    """Every tensor of a list is written, in the order of the calls, and what is read in between is of that time."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
        torch._foreach_add_([a, b], [c, d], alpha=2)
        between = a.sum() + b.sum()
        torch._foreach_mul_([a, b], [0.5, -1.0])
        torch._foreach_addcmul_([a, b], [c, d], [a, b], value=3.0)
        torch._foreach_div_([c, d], 4.0)
        torch._foreach_addcdiv_([a, b], [c, d], [d.new_tensor(2.0), c.new_tensor(5.0)], [1.0, -2.0])
        return between

    check(program, tensor(2, 3), tensor(5), tensor(2, 3), tensor(5)).mutated(0, 1, 2, 3).values().expect("""\
out = float32[] -23.54
arg[0] = float32[2, 3] [[0.09835, 21.26, 0.4624], [0.4605, 0.1063, 9.649]]
arg[1] = float32[5] [-2.649, -10.9, 1.178, -4.858, -16.05]
arg[2] = float32[2, 3] [[-0.03539, -0.5783, -0.1466], [-0.1203, -0.1038, -0.5604]]
arg[3] = float32[5] [-0.1618, 0.2379, 0.04288, -0.1926, -0.4646]
""")


@clause("numbers.options")
def test_interpolation_of_lists_to_the_end(check: Check) -> None:
    """By a weight of one members of a list meet their ends exactly, however far from there they start."""

    def program(*given: torch.Tensor) -> dict[str, object]:
        first, second = list(given[:2]), list(given[2:])
        return {
            "end": torch._foreach_lerp(first, second, 1.0),
            "by numbers": torch._foreach_lerp(first, second, [1.0, 0.5]),
        }

    large = tensor(2, values=[1e8, -1e20]), tensor(1, values=[3e7])
    check(program, *large, tensor(2, values=[1.0, -2.0]), tensor(1, values=[5.0])).values().expect("""\
out['end'][0] = float32[2] [1, -2]
out['end'][1] = float32[1] [5]
out['by numbers'][0] = float32[2] [1, -2]
out['by numbers'][1] = float32[1] [1.5e+07]
""")


@clause("numbers.options")
def test_interpolation_of_lists_beyond_their_ends(check: Check) -> None:
    """A weight above one or below nought leads members of a list past their ends and behind their starts."""

    def program(*given: torch.Tensor) -> dict[str, object]:
        first, second = list(given[:2]), list(given[2:])
        return {
            "past": torch._foreach_lerp(first, second, 1.5),
            "behind": torch._foreach_lerp(first, second, -0.25),
            "each its own": torch._foreach_lerp(first, second, [2.0, -1.0]),
        }

    starts = tensor(2, values=[1.0, -8.0]), tensor(1, values=[4.0])
    check(program, *starts, tensor(2, values=[5.0, 8.0]), tensor(1, values=[-4.0])).values().expect("""\
out['past'][0] = float32[2] [7, 16]
out['past'][1] = float32[1] [-8]
out['behind'][0] = float32[2] [0, -12]
out['behind'][1] = float32[1] [6]
out['each its own'][0] = float32[2] [9, 24]
out['each its own'][1] = float32[1] [12]
""")


@clause("numbers.options")
def test_interpolation_of_lists_in_place(check: Check) -> None:
    """Each member of a list is interpolated in place by the weight as it is, not as the first one's dtype has it."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
        torch._foreach_lerp_([a, b], [c, d], 0.999)
        return a * 1

    first = tensor(2, dtype=torch.bfloat16, values=[1000.0, -4096.0]), tensor(2, dtype=torch.float64, values=[1e3, 8.0])
    second = tensor(2, dtype=torch.bfloat16, values=[1.0, 0.0]), tensor(2, dtype=torch.float64, values=[0.0, -8.0])
    check(program, *first, *second).mutated(0, 1).unchanged(2, 3).values().expect("""\
out = bfloat16[2] [2, -4.094]
arg[0] = bfloat16[2] [2, -4.094]
arg[1] = float64[2] [1, -7.984]
""")


@clause("numbers.options")
def test_interpolation_of_lists_in_place_near_the_start(check: Check) -> None:
    """By a weight of less than one half members of a list leave where they are, in place, each in its own dtype."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
        torch._foreach_lerp_([a, b], [c, d], 0.25)
        torch._foreach_lerp_([b], [d], -0.5)
        return a * 1

    first = tensor(2, values=[100.0, -4096.0]), tensor(2, dtype=torch.float64, values=[1000.0, 8.0])
    second = tensor(2, values=[4.0, 0.0]), tensor(2, dtype=torch.float64, values=[0.0, -8.0])
    check(program, *first, *second).mutated(0, 1).unchanged(2, 3).values().expect("""\
out = float32[2] [76, -3072]
arg[0] = float32[2] [76, -3072]
arg[1] = float64[2] [1125, 10]
""")


@clause("numbers.options", devices="cpu")
def test_members_of_a_list_that_share_memory(check: Check) -> None:
    """Members of a list are written one after another: one that is named twice is written twice, and others see it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch._foreach_add_([a, a], 1)
        torch._foreach_add_([b[0], b[1]], [b[1], b[0]])
        return a.sum() + b.sum()

    check(program, tensor(2, values=[0.0, 5.0]), tensor(2, 1, values=[[1.0], [2.0]])).mutated(0, 1).values().expect("""\
out = float32[] 17
arg[0] = float32[2] [2, 7]
arg[1] = float32[2, 1] [[3], [5]]
""")


@clause("numbers.options", fullgraph=False)
def test_factors_of_lists_in_one_tensor(check: Check) -> None:
    """The factors of products and quotients that are added to a list may lie in one tensor, which is read."""

    def program(*given: torch.Tensor) -> dict[str, object]:
        # Eager asks for factors that lie on the CPU.
        first, second, factors = list(given[:2]), list(given[2:4]), given[4].cpu()
        return {
            "products": torch._foreach_addcmul(first, second, second, factors),
            "quotients": torch._foreach_addcdiv(first, first, second, factors),
        }

    parts = tensor(3, values=[1.0, -2.0, 0.5]), tensor(1, values=[3.0]), tensor(3, values=[2.0, 4.0, -1.0])
    check(program, *parts, tensor(1, values=[-2.0]), tensor(2, values=[0.5, -4.0])).values().expect("""\
out['products'][0] = float32[3] [3, 6, 1]
out['products'][1] = float32[1] [-13]
out['quotients'][0] = float32[3] [1.25, -2.25, 0.25]
out['quotients'][1] = float32[1] [9]
""")


@clause("numbers.options", fullgraph=False)
def test_factors_of_lists_in_one_tensor_in_place(check: Check) -> None:
    """A list is written by products and quotients whose factors lie in one tensor."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
        torch._foreach_addcmul_([a, b], [c, b], [c, c[:1]], factors.cpu())
        torch._foreach_addcdiv_([a], [c], [c * 2], factors[:1].cpu())
        return a + 1

    written = tensor(2, values=[1.0, -2.0]), tensor(1, values=[3.0])
    result = check(program, *written, tensor(2, values=[2.0, 4.0]), tensor(2, values=[0.5, -4.0]))
    result.mutated(0, 1).unchanged(2, 3).values().expect("""\
out = float32[2] [4.25, 7.25]
arg[0] = float32[2] [3.25, 6.25]
arg[1] = float32[1] [-21]
""")
