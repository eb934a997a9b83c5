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


@clause("numbers.promotion")
def test_two_scalar_tensors_do_widen(check: Check) -> None:
    """Two 0-d tensors of one category promote as vectors do."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b

    result = check(program, tensor(values=[0.1]), tensor(values=[0.1], dtype=torch.float64))
    result.happened(result.call.tensors["out"].dtype == "float64", "a double")


@clause("numbers.promotion")
def test_python_number_beside_integers(check: Check) -> None:
    """A Python float makes floats of integers, a Python integer leaves them, and true division makes floats."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a * 2.5, a + 2, a / 2, a // 2, a**2, a > 1.5

    result = check(program, tensor(4, dtype=torch.int32))
    result.happened(result.call.tensors["out[0]"].dtype == "float32", "floats")


@clause("numbers.promotion")
def test_python_number_beyond_the_dtype(check: Check) -> None:
    """A Python number beside a narrow integer is converted to it, or compared as it is."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a < 1000, a == 300, a + 100

    check(program, tensor(4, dtype=torch.int8, values=[1, 44, 100, -3])).shape("out[0]", 4)


@clause("numbers.promotion")
def test_integers_floats_and_complex_numbers(check: Check) -> None:
    """Integers beside floats make floats, and both beside complex numbers complex ones."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + b, b * c, a - c, torch.where(a > 2, b, a), torch.cat([a, b])

    result = check(program, tensor(4, dtype=torch.int64), tensor(4), tensor(4, dtype=torch.complex64))
    result.happened(result.call.tensors["out[2]"].dtype == "complex64", "a complex result")


@clause("numbers.promotion")
def test_half_beside_bfloat16(check: Check) -> None:
    """float16 and bfloat16 meet in float32."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a + b, torch.maximum(a, b), a * 2

    result = check(program, tensor(4, dtype=torch.float16), tensor(4, dtype=torch.bfloat16))
    result.happened(result.call.tensors["out[0]"].dtype == "float32", "a float32")


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
