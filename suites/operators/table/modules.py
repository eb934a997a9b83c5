"""Modules of torch's own table (``module_db``): what is chosen of it, and what a clause about one runs.

A sample is a module that is built and called: its key is how it is built, and then how it is called,
``10, 8, bias=False -> [4, 10]``. Nothing is measured of modules, since what they call is in the table of operators: of
samples that differ in a flag, a word or a number of dimensions each is chosen, the one that adds most first, up to
`MOST`. ``modules.json`` is written by `suites.operators.table.choosing --modules`.
"""

from __future__ import annotations

import copy
import dataclasses
import fnmatch
import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.observation.global_state import seed_everything
from suites.harness.observation.observe import Inputs, Instance
from suites.harness.programs.errors import OtherRelease
from suites.harness.programs.upcasting import Upcaster
from suites.operators.table.choices import Choice
from suites.operators.table.samples import key_of, of_leaves, part_of

PLACE = Path(__file__).with_name("modules.json")
#: How many samples of a module are chosen at most.
MOST = 3
#: Modules that do not run, each with the reason.
LEFT_OUT: Mapping[str, str] = {
    "nn.Lazy*": "their first call makes their parameters, after which they are of another class, which is there too",
    "nn.RNN": "Dynamo refuses recurrent modules",
    "nn.GRU": "Dynamo refuses recurrent modules",
    "nn.LSTM": "Dynamo refuses recurrent modules",
}
#: Samples of modules, by patterns of both, that do not run, each with the reason.
SAMPLES_LEFT_OUT: Mapping[tuple[str, str], str] = {
    ("nn.BatchNorm?d", "*, None ->*"): "without a momentum it divides by a number of its state, which breaks graphs",
}
#: Modules of which no other samples than the chosen run, each with the reason.
CHOSEN_ALONE: Mapping[str, str] = {
    "nn_LinearCrossEntropyLoss": "what it is built with is what its operator is called with, whose samples all run",
}


@dataclasses.dataclass(frozen=True)
class ModuleSample:
    """A module as it is built, in the mode of training that was asked for, and the arguments of a call of it."""

    key: str
    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


def samples_of(info: Any, device: str, dtype: torch.dtype, *, training: bool) -> Iterator[ModuleSample]:
    """The samples of a module of torch's table, in its order, drawn anew from generators that it seeds."""
    seed_everything()
    taken: Counter[str] = Counter()
    drawn = info.module_inputs_func(info, device=device, dtype=dtype, requires_grad=True, training=training)
    for sample in drawn:
        built, call = sample.constructor_input, sample.forward_input
        if call is None:
            continue
        key = f"{key_of(built.args, built.kwargs, dtype)} -> {key_of(call.args, call.kwargs, dtype)}"
        taken[key] += 1
        key = key if taken[key] == 1 else f"{key} #{taken[key]}"
        module = info.module_cls(*built.args, **built.kwargs).to(device, dtype)
        yield ModuleSample(key, module.train(training), tuple(call.args), dict(call.kwargs))


class Several(torch.nn.Module):
    """Modules that are called each on its own arguments; returns what they return, in a list."""

    def __init__(self, modules: list[torch.nn.Module]) -> None:
        super().__init__()
        self.each = torch.nn.ModuleList(modules)

    def forward(self, *calls: tuple[tuple[Any, ...], dict[str, Any]]) -> list[Any]:
        """What each module returns for its call. There are as many calls as modules."""
        return [module(*args, **kwargs) for module, (args, kwargs) in zip(self.each, calls, strict=True)]


@dataclasses.dataclass(frozen=True)
class ModuleProgram:
    """Samples of one module as one module, called twice: in training mode where gradients are compared.

    They are the chosen ones, or those of ``part`` of so many: in float32 of those that were not chosen, in another
    ``dtype`` of all.
    """

    choice: Choice
    device: str
    mode: str
    dtype: str = "float32"
    part: tuple[int, int] | None = None

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """The modules, with builders of fresh copies of their arguments.

        Raises `OtherRelease` where this torch's table has not the module, or none of its chosen samples.
        """
        several = Several([copy.deepcopy(sample.module) for sample in self._samples()])
        program = several.double() if upcast else several
        calls = [functools.partial(self._inputs, upcast)] * 2
        return Instance(program, calls, lambda: {"module": program})

    def _samples(self) -> tuple[ModuleSample, ...]:
        samples = _drawn(self.choice, self.device, self.dtype, self.mode == "train", self.part)
        if not samples:
            which = "the chosen samples" if self.part is None else f"the samples in part {self.part[0]}"
            raise OtherRelease(f"torch {torch.__version__} has none of {which} of {self.choice.name}")
        return samples

    def _inputs(self, upcast: bool) -> Inputs:
        args = copy.deepcopy(tuple(of_leaves((sample.args, dict(sample.kwargs))) for sample in self._samples()))
        return Inputs(Upcaster()(args) if upcast else args)


@functools.lru_cache(maxsize=4)
def _drawn(
    choice: Choice, device: str, dtype: str, training: bool, part: tuple[int, int] | None
) -> tuple[ModuleSample, ...]:
    """The samples of a program as they are built, without those that torch's table lacks. Nothing is run on them."""
    info = torch_internals.module_table().get(choice.name)
    if info is None or getattr(torch, dtype) not in info.dtypes:
        return ()
    drawn = samples_of(info, device, getattr(torch, dtype), training=training)
    if part is None:
        found = {sample.key: sample for sample in drawn if sample.key in choice.samples}
        samples = tuple(found[key] for key in choice.samples if key in found)
    else:
        samples = tuple(sample for sample in drawn if _is_in(part, choice, dtype, sample))
    # Built in one run of many, which finds its generators as every other does.
    seed_everything()
    return samples


def _is_in(part: tuple[int, int], choice: Choice, dtype: str, sample: ModuleSample) -> bool:
    which, of = part
    return part_of(sample.key, of) == which and remains(choice, dtype, sample.key)


def remains(choice: Choice, dtype: str, key: str) -> bool:
    """Whether a sample of a module is one of those that are in parts, in a dtype."""
    if choice.name in CHOSEN_ALONE or (dtype == choice.dtype and key in choice.samples):
        return False
    return not leaves_out(torch_internals.module_table()[choice.name], key)


def leaves_out(info: Any, key: str) -> bool:
    """Whether a sample of a module does not run."""
    return any(
        fnmatch.fnmatchcase(info.name, name) and fnmatch.fnmatchcase(key, pattern) for name, pattern in SAMPLES_LEFT_OUT
    )
