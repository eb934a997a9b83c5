"""Assertions in the program. PYTEST_DONT_REWRITE: they are to be Python's own, not what pytest makes of a test's."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor


@clause("python.assertions")
def test_failing_assert_raises_with_its_message(check: Check) -> None:
    """An ``assert`` that fails raises an `AssertionError` with the message of the values at hand."""

    def program(a: torch.Tensor, limit: int) -> torch.Tensor:
        b = a * 2
        assert b.dim() > limit, f"{b.dim()} dimensions are no more than {limit}"
        return b

    check(program, tensor(3), 2).raised("1 dimensions are no more than 2")


@clause("python.assertions", fullgraph=False)
def test_assert_is_judged_in_each_call(check: Check) -> None:
    """An ``assert`` that held in the first call still raises in the call in which it does not, and can be caught."""

    def judge(sizes: list[int]) -> str:
        try:
            assert len(sizes) < 3, len(sizes)
        except AssertionError as error:
            return f"failed with {error.args[0]}"
        return "held"

    def program(a: torch.Tensor, sizes: list[int]) -> Any:
        b = a * len(sizes)
        return b, judge(sizes)

    result = check(program, calls=[(tensor(3), [1]), (tensor(3), [1, 2, 3])]).holds("out[1]", "held")
    second = result.in_call(1).call.entries
    result.happened(second["out[1]"].detail == "failed with 3", "an assertion that fails")


@clause("python.assertions", fullgraph=False)
def test_assert_of_a_tensor_raises_for_its_values(check: Check) -> None:
    """An ``assert`` on what a tensor holds passes for one call's data and raises for the next one's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a * 2
        assert b.sum() > 5, "too small"
        return b + 1

    result = check(program, calls=[(tensor(2, values=(2.0, 3.0)),), (tensor(2, values=(1.0, -3.0)),)])
    error = result.in_call(1).call.error
    result.happened(error is not None and "too small" in error.message, "a failed assertion in the second call")
