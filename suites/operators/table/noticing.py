"""Samples that notice a fault which nothing else of an operator does: they run by default beside the chosen ones.

`choosing` keeps samples by the branches that they reach; a branch can be reached and what it says go unseen. So faults
were planted, one at a time, in what takes operators apart and tells of their results, and each was asked of the
programs that the default profile has, then of all samples of the operators that run it: in each dtype, in other
layouts, and of special numbers; then of calls with arguments turned, which torch's table does not draw (`turning`). Of
those that notice what no program did, few stay: ``noticing.json`` is written by `suites.selfcheck.noticing`.
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
from suites.operators.table.special_numbers import of_special_numbers
from suites.operators.table.turning import Turn, turned

PLACE = Path(__file__).with_name("noticing.json")


@dataclasses.dataclass(frozen=True)
class Asked:
    """A sample of an operator by its key, turned, then laid out otherwise or of special numbers, as a word says."""

    key: str
    how: str = ""
    turns: tuple[Turn, ...] = ()

    def of(self, drawn: Sample) -> Sample | None:
        """What becomes of the sample as it is drawn; None where it cannot be turned, or laid out so."""
        sample = turned(drawn, self.turns) if self.turns else drawn
        if sample is None or not self.how:
            return sample
        return laid_out(sample, self.how) if self.how in LAYOUTS else of_special_numbers(sample, self.how)

    def written(self) -> list[Any]:
        """What stands for it in JSON: its key, and what is done with it, if anything."""
        turns = [[turn.place, turn.value] for turn in self.turns]
        return [self.key, *([self.how, turns] if turns else [self.how] if self.how else [])]

    @classmethod
    def read(cls, key: str, how: str = "", turns: Sequence[tuple[str, Any]] = ()) -> Asked:
        """What `written` wrote."""
        return cls(key, how, tuple(Turn(place, _hashable(value)) for place, value in turns))


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


#: For each dtype of an operator the samples that notice something.
Noticing = Mapping[str, Mapping[str, Sequence[Asked]]]


@functools.cache
def noticing(path: Path = PLACE) -> Noticing:
    """By the names of operators."""
    found = json.loads(path.read_text(encoding="utf-8"))["operators"]
    return {
        name: {dtype: tuple(Asked.read(*row) for row in rows) for dtype, rows in each.items()}
        for name, each in found.items()
    }


@functools.cache
def laid_out_noticing(path: Path = PLACE) -> Mapping[str, int]:
    """How many faults the other operators notice in one other layout that none does as it is, by their names."""
    found: Mapping[str, int] = json.loads(path.read_text(encoding="utf-8"))["laid out"]
    return found


def write(found: Noticing, in_layout: Mapping[str, int], release: str, path: Path = PLACE) -> None:
    """Write ``noticing.json``, a line an operator."""
    rows = {
        name: {dtype: [asked.written() for asked in each[dtype]] for dtype in sorted(each)}
        for name, each in found.items()
    }
    choices.write_rows({"operators": rows, "laid out": in_layout}, release, path)


def programs(choice: Choice, device: str, mode: str) -> Iterator[OperatorProgram]:
    """For each dtype the program of an operator on those of its samples that notice something."""
    for dtype, every in noticing().get(choice.name, {}).items():
        drawn = tuple(dict.fromkeys(asked.key for asked in every))
        yield OperatorProgram(dataclasses.replace(choice, samples=drawn), device, mode, _those(tuple(every)), dtype)


@functools.cache
def _those(every: tuple[Asked, ...]) -> Kind:
    def outputs(info: Any, samples: Sequence[Sample]) -> Made:
        by_key = {sample.key: sample for sample in samples}
        made = [asked.of(by_key[asked.key]) for asked in every if asked.key in by_key]
        return outputs_of(info, [sample for sample in made if sample is not None])

    return outputs


def operators() -> list[Choice]:
    """The operators that have such samples."""
    return [choices.named(name) for name in noticing()]
