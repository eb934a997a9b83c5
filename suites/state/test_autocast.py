"""Autocast inside a program, around it, and after it."""

import torch

from suites.harness import Check, clause, tensor


@clause("state.autocast", "numbers.low-precision", modes="train")
def test_autocast_block_ends_with_the_block(check: Check) -> None:
    """A product inside of an autocast block is bfloat16, one after it float32, and autocast is off after the call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            inner = a @ b
        return inner, inner.float() @ b

    result = check(program, tensor(3, 3), tensor(3, 3)).gradient(0, 1)
    result.happened(result.call.tensors["out[0]"].dtype == "bfloat16", "a product in bfloat16")


@clause("state.autocast", fullgraph=False)
def test_exception_inside_autocast_restores_it(check: Check) -> None:
    """An exception out of an autocast block leaves autocast off, and its dtype what it was."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        with torch.autocast("cpu", dtype=torch.float16):
            if doubled.shape[0] == 3:
                raise ValueError("inside autocast")
        return doubled

    result = check(program, tensor(3, 3)).raised("inside autocast")
    result.happened(result.call.global_state["autocast cpu"] is False, "autocast being off again")


@clause("state.autocast")
def test_autocast_switched_off_inside_autocast(check: Check) -> None:
    """A block that disables autocast computes in float32 between two products in bfloat16."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            before = a @ a
            with torch.autocast("cpu", enabled=False):
                exact = a @ a
            return [before, exact, a @ exact]

    result = check(program, tensor(4, 4))
    dtypes = [result.call.tensors[f"out[{index}]"].dtype for index in range(3)]
    result.happened(dtypes == ["bfloat16", "float32", "bfloat16"], f"three dtypes, not {dtypes}")


@clause("state.autocast")
def test_program_reads_autocast(check: Check) -> None:
    """`is_autocast_enabled` and the autocast dtype answer in a program what holds where they are asked."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool, bool, torch.dtype]:
        outside = torch.is_autocast_enabled("cpu")
        with torch.autocast("cpu", dtype=torch.float16):
            return a * 2, outside, torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")

    check(program, tensor(3)).holds("out[1]", False).holds("out[2]", True).holds("out[3]", torch.float16)
