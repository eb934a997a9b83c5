"""The table of operators as data: what is chosen of torch's own, when it runs, and what does not, with the reason.

``choices.json`` is written by `suites.operators.table.choosing`: of each operator the dtype and the samples, by their
keys, and what the table says of it. ``table.toml`` is written by hand: the operators of the default profile, and the
exceptions.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch

from golden.toml import tomllib

#: The layer on which operators are taken apart, and on which a program of many is quick to compile.
LAYER = ("aot_eager_decomp_partition",)

CHOICES = Path(__file__).with_name("choices.json")
TABLE = Path(__file__).with_name("table.toml")

#: What an exception says of an operator, or of the samples or dtypes of it that are named: it does not run; its data
#: decide a size, which Dynamo holds in a graph where a setting says so; what it computes is zeros, which no
#: claim tells from nothing; AOTAutograd traces a formula of its own in place of the operator's kernel, so that values
#: agree to rounding and not to the last bit; what it writes, if anything, is not compared; or agrees to rounding; of
#: NaN, or at the bounds of formulas, eager leaves undefined what it means, or raises; it takes its tensors as they lie;
#: its tensors are neither enlarged nor expanded.
LEFT_OUT, OF_ITS_DATA, OF_ZEROS, FORMULA = "left out", "of its data", "of zeros", "formula"
NO_WRITE, OUT_BY_ANOTHER, NO_SPECIAL = "no write", "out by another kernel", "no special numbers"
NO_LAYOUT, NO_SIZES = "no other layout", "no other sizes"
#: And on a GPU: in the dtypes that are named eager has other values of it in every run, or none; eager computes it by
#: cuDNN, which no graph calls.
NOT_ON_GPU, BY_CUDNN = "not on a GPU", "by cuDNN on a GPU"
#: And of one that no program of many may hold, in any dtype or in those that are named; or laid out otherwise; or of
#: whose result a program is told other strides than it has.
APART, APART_LAID_OUT, TOLD_OTHERWISE = "apart", "apart where laid out otherwise", "told otherwise"
#: And of one that none may hold with its tensors changed; or that by default none does where its sizes are symbols; or
#: of which none holds a sample for what it notices, in the dtypes that are named, or those samples; or none at special
#: numbers.
APART_CHANGED, DEAR = "apart where changed", "dear where sizes are symbols"
APART_NOTICING, APART_SPECIAL = "apart where it notices", "apart at special numbers"
KINDS = (
    LEFT_OUT,
    OF_ITS_DATA,
    OF_ZEROS,
    FORMULA,
    NO_WRITE,
    OUT_BY_ANOTHER,
    NO_SPECIAL,
    NO_LAYOUT,
    NO_SIZES,
    NOT_ON_GPU,
    BY_CUDNN,
    APART,
    APART_LAID_OUT,
    APART_CHANGED,
    APART_NOTICING,
    APART_SPECIAL,
    DEAR,
    TOLD_OTHERWISE,
)


@dataclasses.dataclass(frozen=True)
class Choice:
    """An operator of torch's table, by its formatted name, with the keys of the samples that run, in ``dtype``.

    ``other_dtypes``: those that the full profile adds. ``writes``: it can write its result into memory that is there.
    ``refuses``: the table has inputs that it raises on.
    """

    name: str
    dtype: str
    samples: tuple[str, ...]
    other_dtypes: tuple[str, ...] = ()
    writes: bool = False
    refuses: bool = False


@dataclasses.dataclass(frozen=True)
class Exempt:
    """What does not hold of some operators (patterns of names): as a whole, or of some samples (patterns of keys)
    or dtypes of theirs.
    """

    what: str
    operators: tuple[str, ...]
    reason: str
    samples: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()

    def speaks_of(self, name: str) -> bool:
        """Whether an operator is among them."""
        return any(map(functools.partial(fnmatch.fnmatchcase, name), self.operators))

    def speaks_of_sample(self, key: str) -> bool:
        """Whether a sample is among those that are named, or none is."""
        return any(_matches(key, pattern) for pattern in self.samples or ("*",))


@dataclasses.dataclass(frozen=True)
class Table:
    """What is written by hand: which operators the default profile runs, and which are exempt from what.

    ``special``: those that it runs on special numbers alone.
    """

    default: frozenset[str]
    exempt: tuple[Exempt, ...]
    special: frozenset[str] = frozenset()

    def reason(self, name: str, what: str) -> str:
        """Why an operator is exempt as a whole; empty if it is not."""
        mine = (each for each in self.exempt if each.what == what and each.speaks_of(name))
        return next((each.reason for each in mine if not each.samples and not each.dtypes), "")

    def is_exact(self, name: str, device: str) -> bool:
        """Whether a graph calls the kernel that eager calls for an operator, where it is not taken apart."""
        return not self.reason(name, FORMULA) and (device == "cpu" or not self.reason(name, BY_CUDNN))

    def leaves_out(self, name: str, key: str) -> bool:
        """Whether a sample of an operator does not run, in any dtype."""
        mine = (each for each in self.exempt if each.what == LEFT_OUT and each.speaks_of(name) and not each.dtypes)
        return any(each.speaks_of_sample(key) for each in mine)

    def _samples(self, name: str, what: str) -> tuple[str, ...]:
        mine = (each.samples for each in self.exempt if each.what == what and each.speaks_of(name))
        return tuple(itertools.chain.from_iterable(mine))

    def samples_apart(self, name: str) -> tuple[str, ...]:
        """Patterns of the samples of an operator that are in no program with others of it."""
        return self._samples(name, APART)

    def is_sample_apart(self, name: str, key: str) -> bool:
        """Whether a sample of an operator is one of those."""
        return any(_matches(key, pattern) for pattern in self.samples_apart(name))

    def is_sample_of_zeros(self, name: str, key: str) -> bool:
        """Whether of a sample of an operator nothing but noughts is computed."""
        return bool(self.reason(name, OF_ZEROS)) or any(_matches(key, each) for each in self._samples(name, OF_ZEROS))

    def is_apart(self, name: str, dtype: str = "") -> bool:
        """Whether no program of many operators holds one: in a dtype, or where none is given laid out otherwise."""
        if any(self.reason(name, what) for what in (APART, FORMULA, OF_ITS_DATA)):
            return True
        if not dtype:
            return bool(self.reason(name, APART_LAID_OUT))
        return bool(self._reason_in_dtype(name, APART, dtype)) or self.leaves_out_dtype(name, dtype)

    def leaves_out_dtype(self, name: str, dtype: str) -> bool:
        """Whether an operator does not run in a dtype."""
        return bool(self._reason_in_dtype(name, LEFT_OUT, dtype))

    def may_notice(self, name: str, key: str, dtype: str) -> bool:
        """Whether a sample of an operator, in a dtype, may run for what it notices, in a program of many."""
        if self.is_apart(name, dtype) or self.leaves_out(name, key) or self.is_sample_apart(name, key):
            return False
        mine = (each for each in self.exempt if each.what == APART_NOTICING and each.speaks_of(name))
        return not any(each.speaks_of_sample(key) for each in mine if not each.dtypes or dtype in each.dtypes)

    def not_on_gpu(self, name: str, dtype: str) -> str:
        """Why an operator does not run on a GPU in a dtype; empty if it does."""
        return self._reason_in_dtype(name, NOT_ON_GPU, dtype)

    def _reason_in_dtype(self, name: str, what: str, dtype: str) -> str:
        mine = (each for each in self.exempt if each.what == what and each.speaks_of(name))
        return next((each.reason for each in mine if dtype in each.dtypes), "")


def _matches(key: str, pattern: str) -> bool:
    # Keys are full of square brackets, which fnmatch gives a meaning to.
    return fnmatch.fnmatchcase(key, pattern.replace("[", "[[]"))


@functools.cache
def table(path: Path = TABLE) -> Table:
    """``table.toml``. Raises `ValueError` for an exception that is none of `KINDS` or gives no reason."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    exempt = []
    for entry in data["exempt"]:
        names = tuple(entry["operators"])
        if entry["what"] not in KINDS:
            raise ValueError(f"{path.name}: {entry['what']!r} of {', '.join(names)} is none of {', '.join(KINDS)}")
        if not entry.get("reason"):
            raise ValueError(f"{path.name}: no reason why {', '.join(names)}: {entry['what']}")
        parts = (tuple(entry.get(key, ())) for key in ("samples", "dtypes"))
        exempt.append(Exempt(entry["what"], names, entry["reason"], *parts))
    return Table(_names(data["default"]), tuple(exempt), _names(data.get("special_numbers", {})))


def _names(kinds: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The operators of a group, which lists them by kind."""
    return frozenset(itertools.chain.from_iterable(kinds.values()))


@functools.cache
def operators(path: Path = CHOICES) -> tuple[Choice, ...]:
    """Every operator that is chosen from, by name."""
    if not path.exists():
        return ()
    data = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Choice(name, row["dtype"], tuple(row["samples"]), tuple(row["others"]), row["writes"], row["refuses"])
        for name, row in data["operators"].items()
    )


def written_for(path: Path = CHOICES) -> str:
    """The release of torch whose table the choice was made from."""
    return str(json.loads(path.read_text(encoding="utf-8"))["torch"])


def write(choices: Iterable[Choice], torch_version: str, path: Path = CHOICES) -> None:
    """Write ``choices.json``, a line an operator."""
    rows = {
        choice.name: {
            "dtype": choice.dtype,
            "others": list(choice.other_dtypes),
            "writes": choice.writes,
            "refuses": choice.refuses,
            "samples": list(choice.samples),
        }
        for choice in choices
    }
    write_rows({"operators": rows}, torch_version, path)


def write_rows(kinds: Mapping[str, Mapping[str, object]], torch_version: str, path: Path) -> None:
    """Write rows of each kind by their names, a line each, with the release of torch that they are of."""
    parts = [f'"torch": {json.dumps(torch_version)}']
    for kind, rows in kinds.items():
        lines = (f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
        parts.append(f"{json.dumps(kind)}: {{\n" + ",\n".join(lines) + "\n}")
    path.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def write_names(kinds: Mapping[str, Iterable[str]], torch_version: str, path: Path) -> None:
    """Write names by kind, a line each, with the release of torch that they are of."""
    parts = [f'"torch": {json.dumps(torch_version)}']
    parts += [f"{json.dumps(kind)}: [\n" + ",\n".join(map(json.dumps, names)) + "\n]" for kind, names in kinds.items()]
    path.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def read_names(kinds: Iterable[str], path: Path) -> Mapping[str, frozenset[str]]:
    """What `write_names` wrote, of each kind."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return {kind: frozenset(data[kind]) for kind in kinds}


def of_profile(profile: str) -> tuple[Choice, ...]:
    """The operators that run first in a profile: ``default``, or ``full`` for those that it adds."""
    default = table().default
    return tuple(choice for choice in operators() if (choice.name in default) == (profile == "default"))


def named(name: str) -> Choice:
    """The choice of that name. Raises `KeyError` for one that is not there."""
    return _by_name()[name]


@functools.cache
def _by_name() -> dict[str, Choice]:
    return {choice.name: choice for choice in operators()}


def is_differentiable(info: Any, dtype: str) -> bool:
    """Whether torch's table says that an operator has gradients in a dtype."""
    kind = getattr(torch, dtype)
    return bool(info.supports_autograd and (kind.is_floating_point or kind.is_complex))
