"""Strides and offsets of outputs: what eager's outputs have, whatever layout the compiler prefers inside."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T7.10", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_expanded_output(check: Check) -> None:
    """An expanded intermediate, returned, keeps stride 0 and its small memory: it is not materialised."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin().expand(3, 4)

    result = check(program, tensor(4))
    result.strides("out", 0, 1).storage_bytes("out", 16)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_permuted_output(check: Check) -> None:
    """A permuted intermediate, returned, keeps its permuted strides."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin().permute(2, 0, 1)

    check(program, tensor(2, 3, 4)).strides("out", 1, 12, 4)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_channels_last_output(check: Check) -> None:
    """A pointwise op on a channels_last input returns channels_last strides."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.relu() + 1

    strides = (60, 1, 15, 3)
    check(program, tensor(2, 3, 4, 5, strides=strides)).strides("out", *strides)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_output_made_channels_last(check: Check) -> None:
    """An output that the program itself converts to channels_last has these strides, and is no alias of its input."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).contiguous(memory_format=torch.channels_last)

    check(program, tensor(2, 3, 4, 5)).strides("out", 60, 1, 15, 3).distinct("out", 0)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_output_of_a_transposed_operand(check: Check) -> None:
    """A pointwise op on a transposed input returns transposed strides; made contiguous, it returns contiguous ones."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.t().sin()
        return b, b.contiguous()

    check(program, tensor(3, 4)).strides("out[0]", 1, 4).strides("out[1]", 3, 1)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_reshape_that_must_copy(check: Check) -> None:
    """reshape of a transposed input copies, reshape of a plain one is a view: memory is shared where eager's is."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.t().reshape(-1), a.reshape(-1)

    check(program, tensor(2, 3)).distinct("out[0]", 0).aliases("out[1]", 0)


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_strides_kept_by_clone(check: Check) -> None:
    """clone of a dense permuted tensor keeps its strides, clone of an expanded one is contiguous."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.t().clone(), a[0].expand(2, 4).clone()

    check(program, tensor(3, 4)).strides("out[0]", 1, 4).strides("out[1]", 4, 1)


@clause("T7.10", "T3.4", modes=("train", "no_grad"), entry=ANY)
def test_strides_kept_by_an_in_place_op(check: Check) -> None:
    """An in-place op on a permuted intermediate leaves its strides, whatever layout its other operand has."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a.sin().t()
        c.add_(b)
        return c

    check(program, tensor(3, 4), tensor(4, 3)).strides("out", 1, 4)
