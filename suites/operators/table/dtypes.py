"""In which other dtypes an operator reaches what it does not reach otherwise: those that the default profile runs.

What a call reaches is told as in `choosing`, but in each dtype of the one sample that is called there by default, and
on fake tensors, too: the branches of torch's decompositions and of what tells sizes and dtypes, and the operators that
come of it. Of the dtypes the fewest that together reach all stay, beside the operator's own, in which it is called in
another layout. The full profile runs every other. ``dtypes.json`` is written by ::

    python -m suites.operators.table.dtypes    # some minutes; needs the package coverage
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import one_thread
from suites.harness.torch_internals import FakeTensorMode
from suites.operators.table import choices
from suites.operators.table.choices import Choice, is_differentiable
from suites.operators.table.programs import Kind, Made, outputs_of, sampled
from suites.operators.table.samples import Sample

PLACE = Path(__file__).with_name("dtypes.json")
#: The dtypes of programs of many operators: in each of them another of an operator's samples is called.
DTYPES = ("bfloat16", "complex64", "int64", "bool")


@functools.cache
def reaching(path: Path = PLACE) -> Mapping[str, tuple[str, ...]]:
    """The dtypes in which each operator reaches something, by name."""
    return {name: tuple(found) for name, found in json.loads(path.read_text(encoding="utf-8"))["operators"].items()}


def reaches(choice: Choice, dtype: str) -> bool:
    """Whether an operator reaches something in a dtype; so does one of which nothing was measured."""
    return dtype in reaching().get(choice.name, DTYPES)


def sample_in(samples: Sequence[Sample], dtype: str) -> Sample:
    """The sample that is called in a dtype: together they take the ways that an operator has."""
    return samples[DTYPES.index(dtype) % len(samples)]


@functools.cache
def outputs_in(dtype: str) -> Kind:
    """What an operator returns for the sample that is called in a dtype."""

    def outputs(info: Any, samples: Sequence[Sample]) -> Made:
        return outputs_of(info, [sample_in(samples, dtype)])

    return outputs


def write(found: Mapping[str, Sequence[str]], release: str, path: Path = PLACE) -> None:
    """Write ``dtypes.json``, a line an operator."""
    choices.write_rows({"operators": found}, release, path)


def adding(own: frozenset[Any], reached: Mapping[str, frozenset[Any]]) -> list[str]:
    """The dtypes, in their order, of the fewest that a greedy choice finds to reach all that ``own`` does not."""
    from suites.operators.table.choosing import covering

    return covering({dtype: found - own for dtype, found in reached.items()}, len(reached)) if reached else []


def _measured(choice: Choice, measuring: Any) -> list[str]:
    from suites.operators.table.choosing import TakenApart, called

    def reached(dtype: str) -> frozenset[Any]:
        info, samples = sampled(choice, "cpu", dtype, train=is_differentiable(_info(choice), dtype))
        in_order = sorted(samples, key=Sample.dimensions, reverse=True)
        sample = copy.deepcopy(in_order[0] if dtype == choice.dtype else sample_in(samples, dtype))
        operator, mode = torch_internals.without_seeding(info.get_op()), TakenApart()
        branches = measuring.reached(functools.partial(called, operator, sample, mode))
        told = measuring.reached(functools.partial(_on_fakes, operator, sample))
        return frozenset(branches | told | mode.names)

    table = choices.table()
    others = [each for each in DTYPES if each in choice.other_dtypes and not table.is_apart(choice.name, each)]
    others = [each for each in others if sampled(choice, "cpu", each, train=False)[1]]
    own = frozenset() if table.is_apart(choice.name) else reached(choice.dtype)
    return adding(own, {dtype: reached(dtype) for dtype in others})


def _info(choice: Choice) -> Any:
    return torch_internals.operator_table()[choice.name]


def _on_fakes(operator: Any, sample: Sample) -> None:
    from suites.operators.table.choosing import called

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    given = (sample.args, dict(sample.kwargs))
    args, kwargs = torch_internals.pytree.tree_map_only(torch.Tensor, mode.from_tensor, given)
    called(operator, dataclasses.replace(sample, args=args, kwargs=kwargs), mode)


def main() -> int:
    """Measure every operator that the default profile does not run by itself, and write ``dtypes.json``."""
    from suites.operators.table.choosing import Measuring

    one_thread()
    warnings.simplefilter("ignore")
    with Measuring() as measuring:
        found = {choice.name: _measured(choice, measuring) for choice in choices.of_profile("full")}
    write(found, torch.__version__.partition("+")[0])
    print(f"{sum(map(len, found.values()))} dtypes of {len(found)} operators")
    return 0


if __name__ == "__main__":
    sys.exit(main())
