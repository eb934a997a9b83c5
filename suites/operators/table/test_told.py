"""What a program is told of the results of torch's own operators before they are there: sizes, strides and dtypes."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from suites.harness import Check, clause, torch_internals
from suites.operators.table import choices
from suites.operators.table.choices import OF_ITS_DATA, TOLD_OTHERWISE
from suites.operators.table.layouts import outputs_of_the_largest_in_other_layouts
from suites.operators.table.programs import Made, OperatorProgram, OperatorsProgram, outputs_of
from suites.operators.table.samples import Sample

#: How many programs operators make. In other layouts and dtypes the programs of `test_together` ask.
PARTS = 16
#: The layer that tells a program of tensors, which no backend has a part in.
LAYER = ("aot_eager",)
#: Operators whose results are told otherwise than they are, each alone.
OTHERWISE = (
    "nn_functional_batch_norm",
    "nn_functional_channel_shuffle",
    "nn_functional_max_unpool2d",
    "nn_functional_nll_loss",
    "nn_functional_pad_reflect",
    "nn_functional_pad_replicate",
    "native_dropout_backward",
)


def told_of_all(info: Any, samples: Sequence[Sample]) -> Made:
    """What a program is told of what an operator returns for three samples, and for the largest in each layout."""
    made = _told(outputs_of(info, samples[:3]), outputs_of_the_largest_in_other_layouts(info, samples))
    return _if_it_draws_nothing(made)


def _if_it_draws_nothing(made: Made) -> Made:
    """Without calls if it does: random numbers that nobody sees are drawn in eager alone."""
    state = torch.get_rng_state()
    made.program(*copy.deepcopy(made.args))
    drew = not torch.equal(torch.get_rng_state(), state)
    torch.set_rng_state(state)
    return Made(made.program, ()) if drew else made


def _told(*every: Made) -> Made:
    numbers = [len(each.args) for each in every]

    def program(*calls: Any) -> dict[str, Any]:
        told, begin = {}, 0
        for each, number in zip(every, numbers, strict=True):
            outputs = each.program(*calls[begin : begin + number])
            told.update({key: _of(output) for key, output in outputs.items()})
            begin += number
        return told

    return Made(program, tuple(args for each in every for args in each.args))


def _of(output: Any) -> list[Any]:
    leaves = torch_internals.pytree.tree_leaves(output)
    return [_of_tensor(leaf) for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided]


def _of_tensor(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Without the strides that step to no other element."""
    shape = tuple(tensor.shape)
    steps = [step for size, step in zip(shape, tensor.stride(), strict=True) if size > 1 and tensor.numel()]
    return shape, steps, tensor.dtype


def told_of_samples(info: Any, samples: Sequence[Sample]) -> Made:
    """What a program is told of what an operator returns for three samples."""
    return _if_it_draws_nothing(_told(outputs_of(info, samples[:3])))


def _part(check: Check, part: int) -> OperatorsProgram:
    """A part of the operators in one program, each of which stays in it when others are added."""
    table = choices.table()
    mine = (each for each in choices.operators() if zlib.crc32(each.name.encode()) % PARTS == part)
    return OperatorsProgram(
        tuple(
            OperatorProgram(each, check.device, check.variant.mode, told_of_samples)
            for each in mine
            if not any(table.reason(each.name, what) for what in (OF_ITS_DATA, TOLD_OTHERWISE))
        )
    )


@clause("T7.10", profile="default", torch=">=2.13", stand_for_all=2, on=LAYER)
@pytest.mark.parametrize("part", range(PARTS))
def test_sizes_strides_and_dtypes(check: Check, part: int) -> None:
    """Sizes, strides and dtypes of operators' results that a program asks for while it is traced are eager's."""
    program = _part(check, part)
    check.program(program).happened(bool(program.names()), "a call of an operator")


@clause("T7.10", profile="default", torch=">=2.13", on=LAYER)
@pytest.mark.parametrize("operator", OTHERWISE)
def test_results_that_are_told_otherwise(check: Check, operator: str) -> None:
    """Each of those whose kernels in eager lay out their results in a way of their own."""
    program = OperatorProgram(choices.named(operator), check.device, check.variant.mode, told_of_all)
    check.program(program).happened(bool(program.made().args), "a call of the operator")
