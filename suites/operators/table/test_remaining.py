"""All samples of torch's tables that are not among the chosen, of one operator or module many in a program."""

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from suites.harness import Check, clause
from suites.harness.backends.backend import CompileOptions
from suites.harness.clauses.endings import Diverged
from suites.harness.observation.observe import Call, CallOptions
from suites.harness.oracle.runs import Completed, Run, Subject
from suites.operators.table import choices, modules
from suites.operators.table.choices import LAYER, OF_ITS_DATA
from suites.operators.table.remaining import APART, RemainingProgram, of_modules, remaining

MODULES = {choice.name: choice for choice in choices.operators(modules.PLACE)}
OF_MODULES = [(*key, part) for key, rest in of_modules().items() for part in range(rest.parts)]
PARTS = [
    (name, part)
    for name, rest in remaining().items()
    for part in (*range(rest.parts), *([APART] if choices.table().samples_apart(name) else []))
]


@clause("A19", "sweeps.samples", modes="train", profile="full", stand_for_all=2, on=LAYER, devices="cpu")
@pytest.mark.parametrize(("operator", "part"), PARTS)
def test_samples_that_remain(check: Check, operator: str, part: int | str) -> None:
    """Of every sample that torch draws an operator and its gradients are what eager's are, however many there are."""
    table = choices.table()
    program = RemainingProgram(choices.named(operator), check.device, part)
    exact = table.is_exact(operator, check.device)
    config = {"dynamo.capture_dynamic_output_shape_ops": True} if table.reason(operator, OF_ITS_DATA) else None
    try:
        result = check.program(program, exact=exact, config=config)
    except Diverged:
        verdict = check.cell.verdict
        if verdict is not None and any(item.facet == "error" for item in verdict.divergences):
            raises = functools.partial(_raises, check, config or {})
            verdict.detail += f"; by itself: {program.one_that_raises(raises) or 'no sample'}"
        raise
    outputs = [path for path in result.call.entries if path.startswith("out")]
    keys = program.keys()
    of_zeros = all(table.is_sample_of_zeros(operator, key) for key in keys)
    if of_zeros or not _has_numbers(result.call, outputs):
        result.happened(bool(outputs), "an output")  # Of noughts, and of nothing, no claim would say anything.
    else:
        result.computed_or_raised()


def _has_numbers(call: Call, outputs: Iterable[str]) -> bool:
    """Whether an output has an element, or one of floats where there are any: beside these stand codes of success."""
    tensors = [call.tensors[path] for path in outputs if path in call.tensors]
    floats = [each for each in tensors if "float" in each.dtype or "complex" in each.dtype]
    return any(0 not in each.shape for each in floats or tensors)


def _raises(check: Check, config: Mapping[str, Any], program: RemainingProgram) -> bool:
    subject = Subject(
        program, CallOptions("train"), CompileOptions(None, check.scope.fullgraph, config=tuple(config.items()))
    )
    made = check.runner(subject)(Run(check.backend))
    calls = made.observation.calls if isinstance(made, Completed) else ()
    return any(call.error or call.backward_error for call in calls)


@clause("A20", "sweeps.samples", modes=("train", "no_grad"), profile="full", stand_for_all=2, on=LAYER, devices="cpu")
@pytest.mark.parametrize(("module", "dtype", "part"), OF_MODULES)
def test_modules_that_remain(check: Check, module: str, dtype: str, part: int) -> None:
    """So is a module, in training and out of it, in each dtype of floats, in every way that it is built and called."""
    parts = of_modules()[module, dtype].parts
    program = modules.ModuleProgram(MODULES[module], check.device, check.variant.mode, dtype, (part, parts))
    check.program(program, exact=choices.table().is_exact(module, check.device)).computed_or_raised()
