"""Version counters: how autograd, and whoever else holds a tensor, learns that it was mutated.

A count is read where no compiler is: in a function that Dynamo leaves to Python. Whether an older use of the tensor
notices is read from its backward, which refuses when a tensor that it saved has moved on.
"""

import torch

from suites.harness import ANY, Check, built, clause, tensor, torch_internals, view_of


@torch.compiler.disable
def version(tensor: torch.Tensor) -> int:
    """The version counter as the caller of a compiled program would read it."""
    return torch_internals.version(tensor)


@clause("T4.7", "D10", modes=("train", "no_grad"), fullgraph=False)
def test_one_in_place_op_counts_once(check: Check) -> None:
    """The version of an input rises by one for one in-place op."""

    def program(a: torch.Tensor) -> int:
        before = version(a)
        a.mul_(2)
        return version(a) - before

    result = check(program, tensor(3))
    result.mutated(0).happened(result.call.entries["out"].detail == 1, "a version one higher")


@clause("T4.7", "D10", modes=("train", "no_grad"), fullgraph=False)
def test_every_in_place_op_counts(check: Check) -> None:
    """The version of an input rises by three for three in-place ops, however they are fused."""

    def program(a: torch.Tensor) -> int:
        before = version(a)
        a.mul_(2)
        a.add_(1)
        a.neg_()
        return version(a) - before

    result = check(program, tensor(3))
    result.mutated(0).happened(result.call.entries["out"].detail == 3, "a version three higher")


@clause("T4.7", modes=("train", "no_grad"), fullgraph=False)
def test_versions_of_untouched_inputs_stay(check: Check) -> None:
    """Of two inputs only the mutated one has another version after the call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[bool, bool]:
        before = version(a), version(b)
        a.add_(b)
        return version(a) > before[0], version(b) > before[1]

    result = check(program, tensor(3), tensor(3))
    result.mutated(0).happened(result.call.entries["out[0]"].detail is True, "a higher version of the first")


@clause("T3.7", "T4.7", modes=("train", "no_grad"), fullgraph=False)
def test_view_and_base_share_their_version(check: Check) -> None:
    """Mutating a view raises its base's version along with its own."""

    def program(view: torch.Tensor, base: torch.Tensor) -> tuple[bool, bool]:
        before = version(base)
        view.mul_(2)
        return version(base) > before, version(base) == version(view)

    base = tensor(4)
    result = check(program, view_of(base, lambda t: t[1:]), base)
    result.mutated(0, 1).happened(result.call.entries["out[1]"].detail is True, "one version for both")


@clause("T4.7", "D10", modes=("train", "no_grad"), fullgraph=False)
def test_mutation_through_data_is_not_counted(check: Check) -> None:
    """`.data` hides a mutation from autograd: the version stays."""

    def program(a: torch.Tensor) -> int:
        before = version(a)
        a.data.mul_(2)
        return version(a) - before

    result = check(program, tensor(3))
    result.mutated(0).happened(result.call.entries["out"].detail == 0, "the same version")


@clause("T4.7", "D10", modes=("train", "no_grad"), fullgraph=False)
def test_assigning_data_is_not_counted(check: Check) -> None:
    """Giving `.data` another tensor leaves the version as it was."""

    def program(a: torch.Tensor, b: torch.Tensor) -> int:
        before = version(a)
        a.data = b * 2
        return version(a) - before

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(0).happened(result.call.entries["out"].detail == 0, "the same version")


@clause("T3.7", modes="train", entry=ANY)
def test_older_use_of_a_mutated_input_refuses_backward(check: Check) -> None:
    """A result that saved the input before the call cannot be differentiated after the call has mutated it."""

    def program(a: torch.Tensor, older: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a + 1

    a = tensor(3)
    result = check(program, a, built(lambda t: t.sin(), a))
    error = result.call.backward_error
    result.mutated(0).happened(error is not None and "modified by an inplace" in error.message, "a refused backward")


@clause("T3.7", "T4.2", modes="train", entry=ANY)
def test_older_use_refuses_backward_after_a_no_grad_mutation_too(check: Check) -> None:
    """Mutating under no_grad does not hide it: a result that saved the input before refuses backward."""

    def program(a: torch.Tensor, older: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            a.mul_(2)
        return a + 1

    a = tensor(3)
    result = check(program, a, built(lambda t: t.sin(), a))
    error = result.call.backward_error
    result.mutated(0).happened(error is not None and "modified by an inplace" in error.message, "a refused backward")


@clause("T4.1", "D10", modes="train", entry=ANY)
def test_older_use_does_not_notice_a_mutation_through_data(check: Check) -> None:
    """After a mutation through `.data` backward of an older use goes on, with the data as it is now."""

    def program(a: torch.Tensor, older: torch.Tensor) -> torch.Tensor:
        a.data.mul_(2)
        return a + 1

    a = tensor(3)
    check(program, a, built(lambda t: t.sin(), a)).mutated(0).gradient(0)


@torch.compiler.disable
def _scaled_behind_the_graph(a: torch.Tensor) -> None:
    with torch.no_grad():
        a.mul_(5)


@clause("T4.7", modes="train", fullgraph=False)
def test_backward_of_a_product_refuses_a_factor_written_since(check: Check) -> None:
    """A factor that is written after its product was computed is not what backward needs: backward raises."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        product = a @ weight
        _scaled_behind_the_graph(a)
        return product

    result = check(program, tensor(2, 3, grad=False), tensor(3, 3))
    error = result.call.backward_error
    result.mutated(0).happened(error is not None and "modified by an inplace" in error.message, "a refused backward")


@clause("T4.7", modes="train", fullgraph=False)
def test_backward_of_an_elementwise_product_refuses_a_factor_written_since(check: Check) -> None:
    """A factor of an elementwise product that is written after it was computed makes backward raise, too."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        product = a * weight
        _scaled_behind_the_graph(a)
        return product

    result = check(program, tensor(2, 3, grad=False), tensor(2, 3))
    error = result.call.backward_error
    result.mutated(0).happened(error is not None and "modified by an inplace" in error.message, "a refused backward")
