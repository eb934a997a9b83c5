"""Graph partition: a graph that may be cut into parts means what the whole means."""

import pytest
import torch

from suites.harness import Check, clause, tensor
from suites.lowering.operators import accumulate, swirl

#: Cut before and after every product, and before and after the custom operators.
CUT: dict[str, object] = {
    "inductor.graph_partition": True,
    "inductor.custom_should_partition_ops": [
        "aten::mm",
        "parity_lowering::swirl",
        "parity_lowering::accumulate",
    ],
}


@clause("T16.1", modes="train", shapes=("static", "dynamic"), on=("inductor",))
def test_symbolic_sizes_and_backward(check: Check) -> None:
    """Results that use sizes as numbers, and gradients through each part, are eager's for other sizes too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (((a @ b) * a.shape[0]).sin() @ b) + b.shape[1]

    calls = [(tensor(3, 4), tensor(4, 4)), (tensor(5, 4), tensor(4, 4))]
    check(program, calls=calls, config=CUT).gradient(0, 1)


@clause("T16.1", on=("inductor",))
def test_mutation_in_one_part_is_read_in_the_next(check: Check) -> None:
    """An argument that a custom operator writes to in one part has its new data in the parts after it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        before = a.sin()
        accumulate(a, b)
        return swirl(a * 2, before) @ b

    check(program, tensor(3, 3), tensor(3, 3), config=CUT).mutated(0).unchanged(1)


@clause("T16.1", on=("inductor",))
def test_arguments_that_a_part_does_not_need(check: Check) -> None:
    """Arguments that are dead, used in the last part alone, or returned as they are stay what they were."""

    def program(
        a: torch.Tensor, unused: torch.Tensor, late: torch.Tensor, b: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        first = swirl(a, b).relu()
        return (first @ b) + late, late

    result = check(program, *(tensor(3, 3) for _ in range(4)), config=CUT)
    result.unchanged(0, 1, 2, 3).same_object("out[1]", "arg[2]")


@pytest.mark.parametrize("partition", [True, False])
@clause("T16.1", on=("inductor_cpp_wrapper",))
def test_with_the_cpp_wrapper(check: Check, partition: bool) -> None:
    """Asked for or not, partition changes nothing of what the C++ wrapper returns and mutates."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a.add_(b)
        return (a @ b).relu(), a[1:]

    config = {"inductor.graph_partition": partition}
    check(program, tensor(3, 3), tensor(3, 3), config=config).mutated(0).aliases("out[1]", 0)
