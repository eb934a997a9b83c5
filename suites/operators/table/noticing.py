"""Samples that notice a fault which nothing else of an operator does: they run by default beside the chosen ones.

`choosing` keeps samples by the branches that they reach; a branch can be reached and what it says go unseen. So faults
were planted, one at a time, in what takes operators apart and tells of their results, and each was asked of the
programs that the default profile has, then of all samples of the operators that run it: in each dtype, in other
layouts, and of special numbers. Of those that notice what no program did, few stay: ``noticing.json`` is written by
`suites.selfcheck.noticing`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from suites.operators.table import choices
from suites.operators.table.choices import Choice
from suites.operators.table.layouts import LAYOUTS, laid_out
from suites.operators.table.programs import Kind, Made, OperatorProgram, outputs_of
from suites.operators.table.samples import Sample
from suites.operators.table.special_numbers import NUMBERS, of_special_numbers

PLACE = Path(__file__).with_name("noticing.json")
#: For each dtype of an operator the samples that notice something, by their keys, changed or not (`how_of`).
Noticing = Mapping[str, Mapping[str, Sequence[str]]]


@functools.cache
def noticing(path: Path = PLACE) -> Noticing:
    """By the names of operators."""
    found: Noticing = json.loads(path.read_text(encoding="utf-8"))["operators"]
    return found


def write(found: Noticing, release: str, path: Path = PLACE) -> None:
    """Write ``noticing.json``, a line an operator."""
    choices.write_rows({"operators": {name: dict(sorted(each.items())) for name, each in found.items()}}, release, path)


def how_of(key: str) -> tuple[str, str]:
    """How a sample is changed, and its key as it is drawn; the first is empty for one that is as it is."""
    how, colon, drawn = key.partition(": ")
    return (how, drawn) if colon and how in (*LAYOUTS, *NUMBERS) else ("", key)


def changed(sample: Sample, how: str) -> Sample | None:
    """The sample laid out otherwise or of special numbers, as the word says; None if it cannot be laid out so."""
    if how in LAYOUTS:
        return laid_out(sample, how)
    return of_special_numbers(sample, how) if how else sample


def programs(choice: Choice, device: str, mode: str) -> Iterator[OperatorProgram]:
    """For each dtype the program of an operator on those of its samples that notice something."""
    for dtype, keys in noticing().get(choice.name, {}).items():
        drawn = tuple(dict.fromkeys(how_of(key)[1] for key in keys))
        yield OperatorProgram(dataclasses.replace(choice, samples=drawn), device, mode, _those(tuple(keys)), dtype)


@functools.cache
def _those(keys: tuple[str, ...]) -> Kind:
    def outputs(info: Any, samples: Sequence[Sample]) -> Made:
        by_key = {sample.key: sample for sample in samples}
        made = [changed(by_key[drawn], how) for how, drawn in map(how_of, keys) if drawn in by_key]
        return outputs_of(info, [sample for sample in made if sample is not None])

    return outputs


def operators() -> list[Choice]:
    """The operators that have such samples."""
    return [choices.named(name) for name in noticing()]
