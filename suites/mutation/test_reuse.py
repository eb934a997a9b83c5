"""One compiled program called again: mutation is right for the call at hand, not for the one that was traced."""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, clause, leaf, tensor


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_second_call_has_other_sizes(check: Check) -> None:
    """A mutation traced at one size reaches an input of another size, and the first one again."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a[1:].add_(b.sum())
        return a * 2

    small, large = (tensor(4), tensor(2)), (tensor(9), tensor(5))
    check(program, calls=[small, large, small]).mutated(0)


@clause("T3.4", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_second_call_has_other_strides(check: Check) -> None:
    """A mutation traced on a contiguous input lands on the elements of a transposed one, and of a padded one."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a[0].mul_(2)
        return a + 1

    calls = [(tensor(3, 4),), (tensor(3, 4, strides=(1, 3)),), (tensor(3, 4, strides=(8, 2), offset=1),)]
    check(program, calls=calls).mutated(0)


@clause("T3.1", modes="train", entry=ANY)
def test_second_call_requires_grad_where_the_first_did_not(check: Check) -> None:
    """The mutation is recorded by autograd in the call in which an operand requires grad, and only there."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(b)
        return a * 2

    plain, differentiable = tensor(3, grad=False), tensor(3)
    result = check(program, calls=[(plain, plain), (tensor(3, grad=False), differentiable), (tensor(3), plain)])
    second = result.in_call(1).call.tensors
    result.mutated(0).no_grad(0).happened(second["arg[0]"].requires_grad, "a differentiable second call")


@clause("T3.1", "T4.3", modes="train")
def test_second_call_mutates_a_leaf_and_is_refused(check: Check) -> None:
    """A program compiled for an input with a history still raises when it is handed a leaf."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a + 1

    result = check(program, calls=[(tensor(3),), (leaf(3),)])
    error = result.in_call(1).call.error
    result.mutated(0).happened(error is not None and "leaf" in error.message, "a refused leaf")


@clause("T3.3", entry=ANY)
def test_second_call_passes_one_tensor_twice(check: Check) -> None:
    """Compiled for two tensors, called with one tensor in both places: what the first write did shows in the second."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        b.add_(1)
        return a + b

    twice = tensor(3)
    result = check(program, calls=[(tensor(3), tensor(3)), (twice, twice), (tensor(3), tensor(3))])
    result.mutated(0, 1)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_second_call_has_another_dtype(check: Check) -> None:
    """The in-place result is rounded into the dtype of the call's own input."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(b)
        return a * 2

    calls = [
        (tensor(3), tensor(3)),
        (tensor(3, dtype=torch.float64), tensor(3)),
        (tensor(3, dtype=torch.half), tensor(3)),
    ]
    check(program, calls=calls).mutated(0).unchanged(1)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_second_call_mutates_by_another_python_number(check: Check) -> None:
    """A Python number that scales the mutation is the call's own, integer, float or negative."""

    def program(a: torch.Tensor, factor: float) -> torch.Tensor:
        a.mul_(factor)
        return a + factor

    check(program, calls=[(tensor(3), 2.0), (tensor(3), 3.5), (tensor(3), -1), (tensor(3), 2.0)]).mutated(0)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_second_call_mutates_another_argument(check: Check) -> None:
    """Which input is written to is decided by the call's own flag."""

    def program(a: torch.Tensor, b: torch.Tensor, first: bool) -> torch.Tensor:
        (a if first else b).mul_(2)
        return a + b

    pair = tensor(3), tensor(3)
    result = check(program, calls=[(*pair, True), (*pair, False), (*pair, True)])
    second = result.in_call(1).call.changed
    result.mutated(0).unchanged(1).happened("arg[1]" in second, "a change of the other one")


@clause("T3.1", modes=("train", "no_grad"), shapes="dynamic")
def test_mutation_is_compiled_once_for_all_sizes(check: Check) -> None:
    """With dynamic shapes, one compilation mutates inputs of every size."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(a.size(0))
        return a + 1

    check(program, calls=[(tensor(4, 3),), (tensor(7, 5),), (tensor(2, 9),)]).mutated(0).recompiled(0)


@clause("T5.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_second_call_transposes_an_input_of_another_shape(check: Check) -> None:
    """Metadata mutation is replayed with the sizes of the call, not with those that were traced."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.t_()
        return a * 2

    result = check(program, calls=[(tensor(3, 4),), (tensor(5, 2),)])
    second = result.in_call(1).facts("arg[0]")
    result.shape(0, 4, 3).happened(second.shape == (2, 5), "another transposed shape")
