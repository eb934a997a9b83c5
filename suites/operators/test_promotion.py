"""Which dtype a result has: dimensions, Python numbers and categories decide."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.promotion")
def test_scalar_tensor_does_not_widen(check: Check) -> None:
    """A 0-d double beside a float32 vector, and a 0-d int64 beside int8, leave the vector's dtype."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a * b, torch.arange(3, dtype=torch.int8) + torch.tensor(100)

    result = check(program, tensor(3), tensor(values=[0.1], dtype=torch.float64))
    result.happened(
        [result.call.tensors[path].dtype for path in ("out[0]", "out[1]")] == ["float32", "int8"], "no widening"
    )
    result.values().expect("""\
out[0] = float32[3] [0.06865, -0.263, -0.0239]
out[1] = int8[3] [100, 101, 102]
""")


@clause("numbers.promotion")
def test_scalar_tensor_beside_functions_of_two(check: Check) -> None:
    """A tensor of no dimension and of a wider dtype widens no function of two numbers, one of whole numbers neither."""

    def program(a: torch.Tensor, wide: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        functions = {
            "logarithm": torch.xlogy,
            "logarithm of more": torch.special.xlog1py,
            "sign": torch.copysign,
            "hypotenuse": torch.hypot,
            "angle": torch.atan2,
            "sum of exponents": torch.logaddexp,
            "largest": torch.maximum,
            "least number": torch.fmin,
            "remainder": torch.remainder,
            "cut remainder": torch.fmod,
            "rounded quotient": torch.floor_divide,
            "power": torch.pow,
            "zeta": torch.special.zeta,
        }
        wide, whole = wide.abs() + 1.25, whole.abs() + 2
        found = {name: function(a.abs() + 2, wide) for name, function in functions.items()}
        return {
            **found,
            "the other way": torch.xlogy(wide, a.abs() + 1),
            "whole": torch.xlogy(a.abs() + 1, whole),
            "choice": torch.where(a > 0, a, wide),
            "between": torch.lerp(a, a + 1, wide.float()),
            "truths and floats": torch.maximum(a > 0, whole > 0) * wide,
        }

    result = check(program, tensor(4), tensor(dtype=torch.float64), tensor(dtype=torch.int64))
    result.happened(result.call.tensors["out['logarithm']"].dtype == "float32", "no wider").computed()


@clause("numbers.promotion")
def test_two_scalar_tensors_do_widen(check: Check) -> None:
    """Two 0-d tensors of one category promote as vectors do."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b

    result = check(program, tensor(values=[0.1]), tensor(values=[0.1], dtype=torch.float64))
    result.happened(result.call.tensors["out"].dtype == "float64", "a double")
    result.values().expect("""\
out = float64[] 0.01
""")


@clause("numbers.promotion")
def test_python_number_beside_integers(check: Check) -> None:
    """A Python float makes floats of integers, a Python integer leaves them, and true division makes floats."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a * 2.5, a + 2, a / 2, a // 2, a**2, a > 1.5

    result = check(program, tensor(4, dtype=torch.int32))
    result.happened(result.call.tensors["out[0]"].dtype == "float32", "floats")
    result.values().expect("""\
out[0] = float32[4] [15, 2.5, 15, 12.5]
out[1] = int32[4] [8, 3, 8, 7]
out[2] = float32[4] [3, 0.5, 3, 2.5]
out[3] = int32[4] [3, 0, 3, 2]
out[4] = int32[4] [36, 1, 36, 25]
out[5] = bool[4] [True, False, True, True]
""")


@clause("numbers.promotion", "numbers.near-misses")
def test_neutral_number_of_another_kind(check: Check) -> None:
    """A number that changes no value converts all the same: floats come of whole numbers, whole numbers of truths."""

    def program(whole: torch.Tensor, truth: torch.Tensor, half: torch.Tensor) -> dict[str, torch.Tensor]:
        one = torch.ones((), dtype=torch.float64, device=whole.device)
        return {
            "product": whole * 1.0,
            "sum": whole + 0.0,
            "difference": whole - 0.0,
            "quotient": whole / 1,
            "power": whole**1.0,
            "the other way": 1.0 * whole,
            "complex": half * (1 + 0j),
            "truths": truth * 1,
            "truths and nought": truth + 0,
            "truths and one": truth * 1.0,
            "no wider": half * one * 3,
            "wider": whole * one,
            "a row of ones": half * torch.ones(2, dtype=torch.float32, device=half.device),
            "a row of noughts": whole + torch.zeros(2, dtype=torch.int64, device=half.device),
            "whole": torch.stack([whole * 1, whole * True, whole + 0]),
        }

    inputs = tensor(2, dtype=torch.int32, values=[3, -4]), tensor(2, dtype=torch.bool, values=[True, False])
    check(program, *inputs, tensor(2, dtype=torch.float16, values=[0.5, -2.0])).values().expect("""\
out['product'] = float32[2] [3, -4]
out['sum'] = float32[2] [3, -4]
out['difference'] = float32[2] [3, -4]
out['quotient'] = float32[2] [3, -4]
out['power'] = float32[2] [3, -4]
out['the other way'] = float32[2] [3, -4]
out['complex'] = complex32[2] [0.5+0j, -2+0j]
out['truths'] = int64[2] [1, 0]
out['truths and nought'] = int64[2] [1, 0]
out['truths and one'] = float32[2] [1, 0]
out['no wider'] = float16[2] [1.5, -6]
out['wider'] = float64[2] [3, -4]
out['a row of ones'] = float32[2] [0.5, -2]
out['a row of noughts'] = int64[2] [3, -4]
out['whole'] = int32[3, 2] [[3, -4], [3, -4], [3, -4]]
""")


@clause("numbers.promotion")
def test_python_number_beyond_the_dtype(check: Check) -> None:
    """A Python number beside a narrow integer is converted to it, or compared as it is."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a < 1000, a == 300, a + 100

    check(program, tensor(4, dtype=torch.int8, values=[1, 44, 100, -3])).values().expect("""\
out[0] = bool[4] [False, False, False, False]
out[1] = bool[4] [False, True, False, False]
out[2] = int8[4] [101, -112, -56, 97]
""")


@clause("numbers.promotion")
def test_integers_floats_and_complex_numbers(check: Check) -> None:
    """Integers beside floats make floats, and both beside complex numbers complex ones."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + b, b * c, a - c, torch.where(a > 2, b, a), torch.cat([a, b])

    result = check(program, tensor(4, dtype=torch.int64), tensor(4), tensor(4, dtype=torch.complex64))
    result.happened(result.call.tensors["out[2]"].dtype == "complex64", "a complex result")
    result.values().expect("""\
out[0] = float32[4] [5.761, -0.382, 5.544, 6.015]
out[1] = complex64[4] [0.2681-0.1522j, 1.106+2.172j, -0.05383+0.04565j, -1.661-0.4209j]
out[2] = complex64[4] [7.122-0.6369j, 1.8+1.571j, 5.882+0.1001j, 6.636+0.4146j]
out[3] = float32[4] [-0.239, 1, -0.4561, 1.015]
out[4] = float32[8] [6, 1, 6, 5, -0.239, -1.382, -0.4561, 1.015]
""")


@clause("numbers.promotion")
def test_half_beside_bfloat16(check: Check) -> None:
    """float16 and bfloat16 meet in float32."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + b, torch.maximum(a, b), a * 2

    result = check(program, tensor(4, dtype=torch.float16), tensor(4, dtype=torch.bfloat16))
    result.happened(result.call.tensors["out[0]"].dtype == "float32", "a float32")
    result.values().expect("""\
out[0] = float32[4] [0.2295, -1.615, -1.825, -0.4795]
out[1] = float32[4] [0.6865, 1.016, -0.239, 0.9023]
out[2] = float16[4] [1.373, -5.262, -0.478, -2.764]
""")


@clause("numbers.promotion")
def test_chain_of_promotions(check: Check) -> None:
    """A chain of bytes, booleans, integers and a Python float promotes step by step."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (a + b) * c + 0.5, (b + b).sum() + a, a + b

    result = check(
        program,
        tensor(4, dtype=torch.uint8, values=[255, 1, 2, 200]),
        tensor(4, dtype=torch.bool, values=[True, True, False, True]),
        tensor(4, dtype=torch.int16),
    )
    result.happened(result.call.tensors["out[2]"].dtype == "uint8", "a byte")
    result.values().expect("""\
out[0] = float32[4] [0.5, 2.5, 12.5, 1006]
out[1] = uint8[4] [2, 4, 5, 203]
out[2] = uint8[4] [0, 2, 2, 201]
""")


@clause("numbers.promotion")
def test_choices_and_joints_of_two_dtypes(check: Check) -> None:
    """A choice between tensors of two dtypes, and a joint of them, have the wider dtype, whichever comes first."""
    dtypes = (torch.bool, torch.uint8, torch.int16, torch.int64, torch.bfloat16, torch.float32, torch.float64)

    def program(mask: torch.Tensor, *parts: torch.Tensor) -> dict[str, list[torch.Tensor]]:
        pairs = [(a, b) for i, a in enumerate(parts) for j, b in enumerate(parts) if i != j]
        return {
            "chosen": [torch.where(mask, a, b) for a, b in pairs],
            "joined": [torch.cat([a, b]) for a, b in pairs[::2]],
        }

    parts = (tensor(3, dtype=dtype, values=[1, 0, 1] if dtype == torch.bool else [2, 1, 3]) for dtype in dtypes)
    result = check(program, tensor(3, dtype=torch.bool, values=[True, False, False]), *parts)
    result.happened(result.call.tensors["out['chosen'][0]"].dtype == "uint8", "bytes of truths and bytes").computed()


@clause("numbers.promotion", on=("aot_eager_decomp_partition",))
def test_dtypes_told_of_any_two(check: Check) -> None:
    """Of a sum, a quotient and a choice of tensors of any two dtypes a program is told the dtype."""
    whole = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
    dtypes = (*whole, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64)

    def program(mask: torch.Tensor, *parts: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.dtype]]:
        pairs = [(a, b) for i, a in enumerate(parts) for j, b in enumerate(parts) if i != j]
        found = [a + b for a, b in pairs]
        found += [a / b for a, b in pairs[::2]] + [torch.where(mask, a, b) for a, b in pairs[1::2]]
        found += [each + number for each in parts for number in (True, 1, 0.5)]
        return found, [each.dtype for each in found]

    parts = (tensor(2, dtype=dtype, values=[1, 0] if dtype == torch.bool else [2, 1]) for dtype in dtypes)
    result = check(program, tensor(2, dtype=torch.bool, values=[True, False]), *parts).computed()
    result.holds("out[1][0]", torch.uint8)


@clause("numbers.promotion")
def test_functions_of_truths_and_beside_a_double(check: Check) -> None:
    """Functions of truths are of the default dtype, a double without a dimension widens none, complex ones halve."""

    def program(
        a: torch.Tensor, truth: torch.Tensor, double: torch.Tensor, wide: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "logit": torch.logit(truth, 0.25),
            "entropy": torch.special.entr(truth),
            "normal": torch.special.log_ndtr(truth),
            "sine": torch.sinc(truth) + 1,
            "truth and double": torch.special.xlog1py(truth, double),
            "single and double": torch.special.xlog1py(a, double),
            "product": torch.xlogy(a, double),
            "filled": a.masked_fill(truth, double),
            "length": wide.abs().to(torch.float32),
            "turn": wide.angle().to(torch.float32),
        }

    truth = tensor(2, dtype=torch.bool, values=[True, False])
    number = tensor(dtype=torch.float64, values=[0.5])
    wide = tensor(2, dtype=torch.complex128, values=[3 + 4j, -1j])
    check(program, tensor(2, values=[0.5, 2.0]), truth, number, wide).values().expect("""\
out['logit'] = float32[2] [1.099, -1.099]
out['entropy'] = float32[2] [-0, 0]
out['normal'] = float32[2] [-0.1728, -0.6931]
out['sine'] = float32[2] [1, 2]
out['truth and double'] = float64[2] [0.4055, 0]
out['single and double'] = float32[2] [0.2027, 0.8109]
out['product'] = float32[2] [-0.3466, -1.386]
out['filled'] = float32[2] [0.5, 2]
out['length'] = float32[2] [5, 1]
out['turn'] = float32[2] [0.9273, -1.571]
""")
