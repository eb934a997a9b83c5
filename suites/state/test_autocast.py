"""Autocast inside a program, around it, and after it."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, clause, tensor


class Gram(torch.autograd.Function):
    """The product of a matrix and its transpose, in what autocast of forward computes in; backward computes alike."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """Save the matrix."""
        ctx.save_for_backward(a)
        return a @ a.t()

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """The gradient, as a product in the same dtype."""
        (a,) = ctx.saved_tensors
        return ((cotangent + cotangent.t()) @ a).float()


class WideGram(torch.autograd.Function):
    """The same, of what is cast to single precision first; autocast is off in it."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx: Any, a: torch.Tensor, factor: float) -> torch.Tensor:
        """Save the matrix in single precision."""
        ctx.save_for_backward(a)
        ctx.factor = factor
        return (a @ a.t()) * factor

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None]:
        """The gradient in single precision."""
        (a,) = ctx.saved_tensors
        return (cotangent + cotangent.t()) @ a * ctx.factor, None


@clause("state.autocast", "autograd.functions", modes="train", devices="cpu")
def test_function_that_computes_under_the_autocast_of_its_call(check: Check) -> None:
    """A Function with custom_fwd and custom_bwd has low precision where it is called under autocast, there alone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            inner = Gram.apply(a)
        return inner, Gram.apply(a * 2)

    result = check(program, tensor(2, 3)).gradient(0)
    kinds = [result.call.tensors[path].dtype for path in ("out[0]", "out[1]")]
    result.happened(kinds == ["bfloat16", "float32"], "a product in bfloat16 and one in float32")


@clause("state.autocast", "autograd.functions", modes="train", devices="cpu")
def test_function_that_casts_its_inputs(check: Check) -> None:
    """A Function whose inputs are cast computes in single precision under autocast, which holds again after it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            wide = WideGram.apply(a.bfloat16(), 2.5)
            return wide, a @ a.t()

    result = check(program, tensor(2, 3)).gradient(0)
    kinds = [result.call.tensors[path].dtype for path in ("out[0]", "out[1]")]
    result.happened(kinds == ["float32", "bfloat16"], "a product in float32 and one in bfloat16")


@clause("state.autocast", "numbers.low-precision", modes="train")
def test_autocast_block_ends_with_the_block(check: Check) -> None:
    """A product inside of an autocast block is bfloat16, one after it float32, and autocast is off after the call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast(a.device.type, dtype=torch.bfloat16):
            inner = a @ b
        return inner, inner.float() @ b

    result = check(program, tensor(3, 3), tensor(3, 3)).gradient(0, 1)
    result.happened(result.call.tensors["out[0]"].dtype == "bfloat16", "a product in bfloat16")


@clause("state.autocast", fullgraph=False)
def test_exception_inside_autocast_restores_it(check: Check) -> None:
    """An exception out of an autocast block leaves autocast off, and its dtype what it was."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        with torch.autocast(a.device.type, dtype=torch.float16):
            if doubled.shape[0] == 3:
                raise ValueError("inside autocast")
        return doubled

    result = check(program, tensor(3, 3)).raised("inside autocast")
    device = torch.device(check.device).type
    result.happened(result.call.global_state[f"autocast {device}"] is False, "autocast being off again")


@clause("state.autocast")
def test_autocast_switched_off_inside_autocast(check: Check) -> None:
    """A block that disables autocast computes in float32 between two products in bfloat16."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        with torch.autocast(a.device.type, dtype=torch.bfloat16):
            before = a @ a
            with torch.autocast(a.device.type, enabled=False):
                exact = a @ a
            return [before, exact, a @ exact]

    result = check(program, tensor(4, 4))
    dtypes = [result.call.tensors[f"out[{index}]"].dtype for index in range(3)]
    result.happened(dtypes == ["bfloat16", "float32", "bfloat16"], f"three dtypes, not {dtypes}")
    result.values().expect("""\
out[0] = bfloat16[4, 4] [[0.8047, -0.6641, -1.578, 0.5234], [0.004883, 0.8711, 1.336, -1.164], [0.01843, -0.582,
    2.016, -2.484], [0.0354, -0.3438, -1.531, 1.906]]
out[1] = float32[4, 4] [[0.804, -0.666, -1.581, 0.5263], [0.004525, 0.8704, 1.338, -1.157], [0.01874, -0.5805,
    2.013, -2.492], [0.03671, -0.3439, -1.535, 1.901]]
out[2] = bfloat16[4, 4] [[-0.3223, -1.352, 3.375, -4.156], [-0.252, 0.8086, -2.812, 4.469], [0.21, -0.2754, -3.516,
    3.906], [0.1279, -0.5469, 3.391, -4.594]]
""")


@clause("state.autocast")
def test_program_reads_autocast(check: Check) -> None:
    """`is_autocast_enabled` and the autocast dtype answer in a program what holds where they are asked."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool, bool, torch.dtype]:
        device = a.device.type
        outside = torch.is_autocast_enabled(device)
        with torch.autocast(device, dtype=torch.float16):
            return a * 2, outside, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)

    check(program, tensor(3)).holds("out[1]", False).holds("out[2]", True).holds("out[3]", torch.float16)


@clause("state.autocast", modes=("no_grad", "train"))
def test_call_under_autocast_of_a_program_that_switches_it_off(check: Check) -> None:
    """Called under autocast, a program computes in bfloat16, and in float32 where it disables autocast; a gradient is
    of the dtype of what it flows through, under autocast or not."""

    def part(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = a @ b
        with torch.autocast(a.device.type, enabled=False):
            exact = a @ b
        return before, exact

    def program(compile_part: Callable[[Any], Any], a: torch.Tensor, b: torch.Tensor) -> Any:
        with torch.autocast(a.device.type, dtype=torch.bfloat16):
            return compile_part(part)(a, b)

    result = check(program, tensor(4, 4), tensor(4, 4), in_parts=True)
    dtypes = [result.call.tensors[f"out[{index}]"].dtype for index in range(2)]
    result.happened(dtypes == ["bfloat16", "float32"], f"two dtypes, not {dtypes}")
    result.computed()


def _narrow(check: Check) -> str:
    """The dtype that autocast computes in, where none is named, on the device of a cell."""
    return str(torch.get_autocast_dtype(torch.device(check.device).type)).removeprefix("torch.")


@clause("state.autocast", fullgraph=False)
def test_autocast_switched_on_by_the_program(check: Check) -> None:
    """`set_autocast_enabled` in a program holds for its next products and after it, in every call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = a @ a
        torch.set_autocast_enabled(a.device.type, True)
        return before, a @ a

    result = check(program, tensor(3, 3))
    dtypes = [result.facts(f"out[{number}]").dtype for number in range(2)]
    result.happened(dtypes == ["float32", _narrow(check)], f"two dtypes, not {dtypes}")
    device = torch.device(check.device).type
    result.happened(result.call.global_state[f"autocast {device}"] is True, "autocast being on")


@clause("state.autocast", fullgraph=False)
def test_autocast_switched_on_and_off_by_the_program(check: Check) -> None:
    """Between `set_autocast_enabled` with True and with False a product is narrow, and one behind them float32."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        torch.set_autocast_enabled(a.device.type, True)
        inner = a @ a
        torch.set_autocast_enabled(a.device.type, False)
        return inner, a @ a

    result = check(program, tensor(3, 3))
    dtypes = [result.facts(f"out[{number}]").dtype for number in range(2)]
    result.happened(dtypes == [_narrow(check), "float32"], f"two dtypes, not {dtypes}").computed()


@clause("state.autocast", fullgraph=False)
def test_autocast_dtype_set_by_the_program(check: Check) -> None:
    """`set_autocast_dtype` in a program is the dtype of its next block that names none, and holds after it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.set_autocast_dtype(a.device.type, torch.float16)
        with torch.autocast(a.device.type):
            return doubled @ a

    result = check(program, tensor(3, 3))
    device = torch.device(check.device).type
    result.happened(result.facts("out").dtype == "float16", "a product in float16")
    result.happened(result.call.global_state[f"autocast {device} dtype"] == torch.float16, "another dtype of autocast")


@clause("state.autocast", fullgraph=False)
def test_cache_of_autocast_switched_off_by_the_program(check: Check) -> None:
    """`set_autocast_cache_enabled` in a program holds after it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.set_autocast_cache_enabled(False)
        return doubled + 1

    result = check(program, tensor(3)).computed()
    result.happened(result.call.global_state["autocast cache"] is False, "a cache that is off")
