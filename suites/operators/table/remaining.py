"""What is chosen of no operator: all other samples that torch's table draws, many of them in one program.

They are known by their keys, as every sample is, and fall into parts by them, so that a sample stays in its part when
another release draws more. How many parts there are, and which samples do not run, is data: ``remaining.json``, written
by `suites.operators.table.counting`. A sample of more than `LARGEST` elements stays out.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.observation.observe import Instance
from suites.harness.programs.errors import OtherRelease
from suites.operators.table.choices import Choice, is_differentiable, table, write_rows
from suites.operators.table.programs import Call, Made, OperatorProgram
from suites.operators.table.samples import Sample, is_strided, part_of, samples_of

PLACE = Path(__file__).with_name("remaining.json")
#: How many samples a program holds, about.
HELD = 24
#: The part of those that are known to be refused, which would hide the others, or to differ.
APART = "apart"
#: How many elements a tensor of a sample has at most.
LARGEST = 200_000


@dataclasses.dataclass(frozen=True)
class Remaining:
    """How many samples of an operator run beside those that are chosen, and which do not, by keys, with the reason."""

    count: int
    left_out: Mapping[str, str]

    @property
    def parts(self) -> int:
        """How many programs hold them."""
        return -(-self.count // HELD)


@functools.cache
def _read(path: Path) -> Mapping[str, Mapping[str, Any]]:
    rows: Mapping[str, Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


@functools.cache
def remaining(path: Path = PLACE) -> Mapping[str, Remaining]:
    """What remains of each operator of which anything does, by name."""
    return {name: Remaining(row["samples"], row["left out"]) for name, row in _read(path)["operators"].items()}


@functools.cache
def of_modules(path: Path = PLACE) -> Mapping[tuple[str, str], Remaining]:
    """What remains of each module in each dtype, by both: in float32 beside the chosen samples."""
    rows = _read(path)["modules"].items()
    return {(name, dtype): Remaining(count, {}) for name, row in rows for dtype, count in row.items()}


def write(
    operators: Mapping[str, Remaining], modules: Mapping[tuple[str, str], Remaining], release: str, path: Path = PLACE
) -> None:
    """Write ``remaining.json``, a line an operator and a module."""
    by_module: dict[str, dict[str, int]] = {}
    for (name, dtype), each in modules.items():
        by_module.setdefault(name, {})[dtype] = each.count
    rows = {name: {"samples": each.count, "left out": dict(each.left_out)} for name, each in operators.items()}
    write_rows({"operators": rows, "modules": by_module}, release, path)


@dataclasses.dataclass(frozen=True)
class RemainingProgram:
    """One function that calls an operator once for each sample of a part of those that remain, itself called twice."""

    choice: Choice
    device: str
    part: int | str
    #: Of the part these samples alone; none: all.
    only: tuple[str, ...] = ()

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """The function, with builders of fresh copies of its samples. Raises what `OperatorProgram` does."""
        choice = dataclasses.replace(self.choice, samples=self.only or self.keys())
        return OperatorProgram(choice, self.device, "train", outputs_by_key).instantiate(upcast=upcast)

    def keys(self) -> tuple[str, ...]:
        """The keys of the part's samples. Raises `OtherRelease` where this torch draws none of them."""
        rest = remaining()[self.choice.name]
        every = (key for key in keys_of(self.choice, self.device) if key not in rest.left_out)
        mine = tuple(key for key in every if self._holds(key, rest.parts))
        if not mine:
            what = f"part {self.part} of what remains of {self.choice.name}"
            raise OtherRelease(f"torch {torch.__version__} has nothing of {what}")
        return mine

    def _holds(self, key: str, parts: int) -> bool:
        apart = table().is_sample_apart(self.choice.name, key)
        return apart if self.part == APART else not apart and part_of(key, parts) == self.part

    def one_that_raises(self, raises: Callable[[RemainingProgram], bool]) -> str:
        """Of a part that raises, the key of a sample that does so by itself; empty where none does."""
        left = self.only or self.keys()
        while len(left) > 1:
            half = left[: len(left) // 2]
            left = half if raises(dataclasses.replace(self, only=half)) else left[len(half) :]
        return left[0] if raises(dataclasses.replace(self, only=left)) else ""


@functools.lru_cache(maxsize=4)
def keys_of(choice: Choice, device: str) -> tuple[str, ...]:
    """The keys of `samples_that_remain`."""
    return tuple(sample.key for sample in samples_that_remain(choice, device))


def samples_that_remain(choice: Choice, device: str) -> Iterator[Sample]:
    """What this torch draws of an operator, but for the chosen, the exempt and the largest.

    Raises `OtherRelease` where its table has not the operator, or not in that dtype.
    """
    info = torch_internals.operator_table().get(choice.name)
    dtype = getattr(torch, choice.dtype)
    if info is None or dtype not in info.supported_dtypes(device):
        raise OtherRelease(f"torch {torch.__version__} has no operator {choice.name} of {choice.dtype} in its table")
    for sample in samples_of(info, device, dtype, requires_grad=is_differentiable(info, choice.dtype)):
        most = max((leaf.numel() for leaf in sample.leaves() if is_strided(leaf)), default=0)
        if most <= LARGEST and sample.key not in choice.samples and not table().leaves_out(choice.name, sample.key):
            yield sample


def outputs_by_key(info: Any, samples: Sequence[Sample]) -> Made:
    """What an operator returns for each sample: arguments and gradients are told by its key, too."""
    operator = torch_internals.without_seeding(info.get_op())
    asked = {sample.key: sample.process for sample in samples}

    def program(calls: dict[str, Call]) -> dict[str, Any]:
        outputs = {}
        for key, process in asked.items():
            args, kwargs = calls[key]
            output = operator(*args, **kwargs)
            outputs[key] = output if process is None else process(output)
        return outputs

    return Made(program, ({sample.key: (sample.args, dict(sample.kwargs)) for sample in samples},))
