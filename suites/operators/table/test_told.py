"""What a program is told of the results of operators before they are there: sizes, strides and dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from suites.harness import Check, clause
from suites.operators.table import choices
from suites.operators.table.layouts import outputs_of_the_largest_in_other_layouts
from suites.operators.table.programs import Made, OperatorProgram, outputs_of
from suites.operators.table.samples import Sample
from suites.operators.table.told import told_of

#: Operators whose results are told otherwise than they are; the programs of many hold all others.
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
    every = outputs_of(info, samples[:3]), outputs_of_the_largest_in_other_layouts(info, samples)
    numbers = [len(each.args) for each in every]

    def program(*calls: Any) -> dict[str, Any]:
        told, begin = {}, 0
        for each, number in zip(every, numbers, strict=True):
            outputs = each.program(*calls[begin : begin + number])
            told.update({key: told_of(output) for key, output in outputs.items()})
            begin += number
        return told

    return Made(program, tuple(args for each in every for args in each.args))


@clause("T7.10", profile="default", torch=">=2.13", on=("aot_eager",))
@pytest.mark.parametrize("operator", OTHERWISE)
def test_results_that_are_told_otherwise(check: Check, operator: str) -> None:
    """Each of those whose kernels in eager lay out their results in a way of their own."""
    program = OperatorProgram(choices.named(operator), check.device, check.variant.mode, told_of_all)
    check.program(program).computed()
