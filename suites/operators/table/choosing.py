"""Which samples of torch's table run: those that reach what no other sample of the operator does.

A sample is called in eager, forward and backward, with every operator taken apart as on the way to Inductor. What it
reaches are the branches of torch's decompositions that this runs, and the operators that come of it. The number of
dimensions of each argument and every argument that is a flag, a word or None count too: kernels tell by these, which
nothing here looks into. The samples that together reach all, each something of its own, are chosen: the one that adds
most first, up to `MOST`. Of calls that are alike in all but sizes and numbers the first `ALIKE` are measured, and of an
operator no more than `LIMIT` allows. Inductor's lowerings are not measured: what they are handed is. Choose anew::

    python -m suites.operators.table.choosing            # every operator, some minutes; needs the package coverage
    python -m suites.operators.table.choosing softmax    # these alone
    python -m suites.operators.table.choosing --modules  # torch's table of modules, in place of that of operators
    python -m suites.operators.table.choosing --drift    # what this torch has otherwise than the choice
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import functools
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import one_thread
from suites.harness.torch_internals import TorchDispatchMode
from suites.operators.table import choices, modules
from suites.operators.table.choices import LEFT_OUT, Choice, Table
from suites.operators.table.modules import ModuleSample
from suites.operators.table.programs import written_by
from suites.operators.table.samples import Sample, chosen, samples_of

#: How many samples of an operator are chosen at most.
MOST = 5
#: How many calls that are alike in all but sizes and numbers are measured.
ALIKE = 3
#: Seconds of processor time after which no other sample of an operator is measured.
LIMIT = 0.3

#: The dtypes in which an operator is sampled: the first of them that it takes.
DTYPES = ("float32", "int64", "bool", "complex64")
#: The others that the full profile runs, of those that an operator takes.
OTHER_DTYPES = ("float64", "bfloat16", "int64", "bool", "complex64")

#: What is said of a call with a tensor that has no elements. Such calls are measured last.
_NOTHING = "no elements"

#: What a call reaches: a branch as file and two lines, or the name of an operator.
Reached = frozenset[Any]


_decompositions = functools.cache(torch_internals.decompositions)


class TakenApart(TorchDispatchMode):
    """Runs each operator as what it decomposes into, and notes the names of those that do not.

    What decomposes into itself again, as ``clamp`` does by ``clamp_min``, runs as it is then.
    """

    def __init__(self) -> None:
        super().__init__()
        self.table = _decompositions()
        self.names: set[str] = set()
        self._within: list[Any] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in self.table and func not in self._within:
            self._within.append(func)
            try:
                with self:
                    result = self.table[func](*args, **(kwargs or {}))
            finally:
                self._within.pop()
            if result is not NotImplemented:
                return result
        self.names.add(str(func))
        return func(*args, **(kwargs or {}))


class Measuring:
    """What calls reach of these files, or else of those that decompose, while the context lasts.

    Needs the package ``coverage``: else `ImportError`.
    """

    def __init__(self, files: Sequence[str] = ()) -> None:
        import coverage

        files = list(files) or torch_internals.decomposing_files()
        self._coverage = coverage.Coverage(data_file=None, config_file=False, include=files, branch=True)
        self._calls = 0

    def __enter__(self) -> Measuring:
        _decompositions()  # Before the first call's time counts.
        self._coverage.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._coverage.stop()

    def reached(self, call: Callable[[], object]) -> Reached:
        """The branches that a call takes. What it raises is part of what it does."""
        self._calls += 1
        context = f"call {self._calls}"
        self._coverage.switch_context(context)
        with contextlib.suppress(Exception):
            call()
        self._coverage.switch_context("")
        data = self._coverage.get_data()
        data.set_query_context(context)
        files = sorted(data.measured_files())
        return frozenset((file.rpartition("torch/")[2], *arc) for file in files for arc in data.arcs(file) or ())


def called(function: Callable[..., Any], sample: Sample, mode: TorchDispatchMode) -> None:
    """Call an operator and run backward through what it returns, within a mode: `TakenApart`, say."""
    with mode:
        output = function(*sample.args, **sample.kwargs)
        output = sample.process(output) if sample.process else output
    roots = roots_of(output)
    with mode:
        torch.autograd.backward(*roots)


def roots_of(output: object) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """The tensors of an output that backward begins at, and a cotangent of ones for each."""
    tensors = [leaf for leaf in torch_internals.pytree.tree_leaves(output) if isinstance(leaf, torch.Tensor)]
    roots = [tensor for tensor in tensors if tensor.requires_grad]
    return roots, [torch.ones_like(root) for root in roots]


def differing(samples: Iterable[Sample], alike: int = ALIKE) -> Iterator[Sample]:
    """The samples without those that are like ``alike`` others in all but sizes and numbers."""
    taken: Counter[str] = Counter()
    for sample in samples:
        # Of sizes and numbers that they are not zero stays: most are of something, and some of nothing.
        form = re.sub(r"\b[1-9]\d*(\.\d+)?(e[+-]?\d+)?", "1", sample.key.partition(" #")[0])
        taken[form] += 1
        if taken[form] <= alike:
            yield sample


def covering(reached: Mapping[str, Reached], most: int = MOST) -> list[str]:
    """The keys, in their order, of the fewest samples that a greedy choice finds to reach all, ``most`` at most."""
    left = set().union(*reached.values())
    kept: list[str] = []
    while left and len(kept) < most:
        best = max(reached, key=lambda key: len(reached[key] & left))
        kept.append(best)
        left -= reached[best]
    return [key for key in reached if key in kept]


def form(sample: Sample | ModuleSample) -> Reached:
    """What tells calls of an operator apart for a reader: ranks, whether anything is empty, flags and words."""
    named = [*enumerate(sample.args), *sample.kwargs.items()]
    ranks = [
        f"{name}: rank {leaf.dim()}"
        for name, argument in named
        for leaf in torch_internals.pytree.tree_leaves(argument)
        if isinstance(leaf, torch.Tensor)
    ]
    tensors = [leaf for leaf in torch_internals.pytree.tree_leaves(named) if isinstance(leaf, torch.Tensor)]
    words = [f"{name}={value}" for name, value in named if isinstance(value, (bool, str)) or value is None]
    elements = _NOTHING if any(tensor.numel() == 0 for tensor in tensors) else "elements"
    return frozenset([*ranks, *words, *sample.kwargs, elements])


def dtype_of(info: Any) -> str:
    """The dtype in which an operator is sampled; empty if it takes none of `DTYPES`."""
    return next((known for known in DTYPES if getattr(torch, known) in info.dtypes), "")


def choose(
    name: str, own: Table, measuring: Measuring, infos: Mapping[str, Any], limit: float = LIMIT
) -> Choice | None:
    """The choice for one operator; None if it takes none of `DTYPES`, or none of its samples may run.

    After ``limit`` seconds of processor time no other of its samples is measured.
    """
    info = infos[name]
    dtype = dtype_of(info)
    if not dtype:
        return None
    requires_grad = choices.is_differentiable(info, dtype)
    function = torch_internals.without_seeding(info.get_op())
    reached: dict[str, Reached] = {}
    started = time.process_time()
    drawn = samples_of(info, "cpu", getattr(torch, dtype), requires_grad=requires_grad)
    allowed = differing(sample for sample in drawn if not own.leaves_out(name, sample.key))
    for sample in sorted(allowed, key=lambda sample: _NOTHING in form(sample)):
        mode = TakenApart()
        branches = measuring.reached(functools.partial(called, function, sample, mode))
        reached[sample.key] = branches | mode.names | form(sample)
        if time.process_time() - started > limit:
            break
    keys = covering(reached) or list(reached)[:1]
    return choice_of(name, info, dtype, keys) if keys else None


def choice_of(name: str, info: Any, dtype: str, keys: Sequence[str]) -> Choice:
    """These samples of an operator, with what torch's table says of it."""
    others = tuple(each for each in OTHER_DTYPES if each != dtype and getattr(torch, each) in info.dtypes)
    samples, _ = chosen(samples_of(info, "cpu", getattr(torch, dtype), requires_grad=False), keys)
    writes = any(written_by(info, [sample]).args for sample in samples)
    return Choice(name, dtype, tuple(keys), others, writes, info.error_inputs_func is not None)


def choose_module(name: str, info: Any) -> Choice | None:
    """The choice for one module; None if it does not run, or has no samples in float32."""
    if any(fnmatch.fnmatchcase(info.name, pattern) for pattern in modules.LEFT_OUT) or torch.float32 not in info.dtypes:
        return None
    every = modules.samples_of(info, "cpu", torch.float32, training=True)
    drawn = (sample for sample in every if not modules.leaves_out(info, sample.key))
    reached = {
        sample.key: form(sample) | frozenset(re.findall(r"\w+=[^,\d]+|True|False|None", sample.key)) for sample in drawn
    }
    keys = covering(reached, modules.MOST)
    return Choice(name, "float32", tuple(keys)) if keys else None


def drift(known: Iterable[Choice], infos: Mapping[str, Any]) -> Iterator[str]:
    """What this torch's table has otherwise than the choice, a line each."""
    known = list(known)
    for choice in known:
        info = infos.get(choice.name)
        if info is None:
            yield f"{choice.name}: torch {torch.__version__} has no such operator"
            continue
        dtype = getattr(torch, choice.dtype)
        grad = choices.is_differentiable(info, choice.dtype)
        _, missing = chosen(samples_of(info, "cpu", dtype, requires_grad=grad), choice.samples)
        yield from (f"{choice.name}: no sample {key!r}" for key in missing)
    names = {choice.name for choice in known}
    for name, info in sorted(infos.items()):
        if name not in names and not choices.table().reason(name, LEFT_OUT) and dtype_of(info):
            yield f"{name}: torch {torch.__version__} has it, and nothing is chosen of it"


def main(arguments: Sequence[str] | None = None) -> int:
    """Choose and write ``choices.json``. Returns 1 if ``--drift`` finds any, 2 for an operator that is none."""
    parser = argparse.ArgumentParser(prog="python -m suites.operators.table.choosing", description=__doc__)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="choose for these alone")
    parser.add_argument("--drift", action="store_true", help="say what this torch has otherwise; write nothing")
    parser.add_argument("--modules", action="store_true", help="choose of torch's table of modules")
    options = parser.parse_args(arguments)
    one_thread()
    warnings.simplefilter("ignore")
    infos = torch_internals.operator_table()
    unknown = [name for name in options.operators if name not in infos]
    if unknown:
        print(f"no operator {unknown[0]!r} in the table of torch {torch.__version__}", file=sys.stderr)
        return 2
    release = torch.__version__.partition("+")[0]
    known = {choice.name: choice for choice in choices.operators()}
    if options.drift:
        lines = list(drift(known.values(), infos))
        print("\n".join([*lines, f"{len(lines)} differences from the choice"]))
        return int(bool(lines))
    if options.modules:
        found = [choose_module(name, info) for name, info in sorted(torch_internals.module_table().items())]
        chosen_modules = [choice for choice in found if choice is not None]
        choices.write(chosen_modules, release, modules.PLACE)
        print(f"{len(chosen_modules)} modules, {sum(len(choice.samples) for choice in chosen_modules)} samples")
        return 0
    own = choices.table()
    with Measuring() as measuring:
        for name in options.operators or sorted(infos):
            known.pop(name, None)
            choice = None if own.reason(name, LEFT_OUT) else choose(name, own, measuring, infos)
            if choice is not None:
                known[name] = choice
                print(f"{name}: {len(choice.samples)} samples", flush=True)
    choices.write(known.values(), release)
    return 0


if __name__ == "__main__":
    sys.exit(main())
