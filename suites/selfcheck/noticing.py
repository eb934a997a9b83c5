"""Which samples of torch's table notice planted faults that no program of the default profile notices.

Faults are drawn by rules (`suites.selfcheck.faults`) in all that takes operators apart and tells sizes, strides and
dtypes. They are planted in memory, one at a time, and asked of what an operator's programs of the default profile come
to (`by_default`); those that change none of that, of the other operators in another layout (`laid_out_by_turns`), then
of every sample of the operators that run them, in each dtype, laid out otherwise and of special numbers (`beside`), at
last of calls that torch's table does not draw (`turned_otherwise`). Nothing is compiled: a call runs with each operator
taken apart, as on the way to Inductor, and on fake tensors, which takes a hundredth of the time. A sample whose values,
gradients, sizes or strides are not eager's to begin with is none to go by. ``suites/operators/table/noticing.json`` is
written by ::

    python -m suites.selfcheck.noticing -j 16            # a quarter of an hour with as many processors
    python -m suites.selfcheck.noticing addr softmax     # what these operators notice; writes nothing
    python -m suites.selfcheck.noticing --written FILE   # the faults of a file alone; writes nothing

Faults that nothing notices are told by function: they may be harmless, or of what torch's table does not draw. What is
asked of an operator is bounded by time: another machine may find a few samples more, or fewer.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import dataclasses
import functools
import gc
import glob
import importlib
import itertools
import json
import logging
import mmap
import random
import signal
import struct
import sys
import time
import types
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import Finished, one_thread, run_forked
from suites.harness.observation.global_state import seed_everything
from suites.harness.programs.errors import NotHere
from suites.harness.torch_internals import FakeTensorMode
from suites.operators.table import choices, noticing
from suites.operators.table.choices import Choice
from suites.operators.table.choosing import TakenApart, differing, roots_of
from suites.operators.table.dtypes import DTYPES, outputs_in, reaches
from suites.operators.table.layouts import (
    LAYOUTS,
    outputs_of_the_largest_by_turns,
    outputs_of_the_largest_in_other_layouts,
)
from suites.operators.table.noticing import Asked
from suites.operators.table.programs import Kind, OperatorProgram, outputs_of, outputs_of_two, without_history
from suites.operators.table.reaching import CHANGED, adds, takes
from suites.operators.table.samples import Sample, is_float, is_strided, samples_of
from suites.operators.table.special_numbers import NUMBERS, outputs_of_special_numbers, runs_on_special_numbers
from suites.operators.table.told import told_of
from suites.operators.table.turning import turns_of
from suites.selfcheck.faults import REACHED, Fault, faults, noted, planted, written
from suites.selfcheck.forks import in_forks
from suites.selfcheck.planting import Living

#: Dtypes that samples are asked in beside those of the default profile.
RARER = ("float16", "float64", "uint8", "int32")
#: Samples of an operator that are asked in its own dtype, in one of the default profile's, and in a rarer.
SAMPLES, IN_ANOTHER, IN_A_RARER = 60, 25, 8
#: Samples of an operator that are turned, and so many times.
TURNED, TURNS = 24, 640
#: Seconds of processor time after which no other sample of an operator is drawn; of a clock, for its faults and a call.
DRAWING, ASKING, CALLING = 12.0, 40.0, 6.0
#: Of so many operators a fault is asked that none of them noticed.
OPERATORS = 3
#: So many samples are asked of one fault, and so many each time that it is planted.
ASKED, AT_ONCE = 90, 30
#: And so many are put into an order, those first that differ most.
ORDERED = 300
#: How far apart values may be that are the same but for rounding, relative to them.
ROUNDING = {torch.float32: 1e-4, torch.float64: 1e-8}
_LOW = 0.02

#: What stands for a sample where an operator's own choice runs in one other layout.
LAID_OUT = "laid out by turns"
#: A dtype, and a sample; for a program of the default profile nothing, and what kind it is of.
Key = tuple[str, Asked]


# What calls come to ---------------------------------------------------------------------------------------------------


class _Late(BaseException):
    """A call took longer than `CALLING`."""


@dataclasses.dataclass(frozen=True)
class Call:
    """A program of one operator with its arguments, and what says which: a dtype and a sample's key, or a kind."""

    key: Key
    program: Callable[..., Any]
    args: tuple[Any, ...]

    def changes(self) -> int:
        """In how many ways it is of a sample otherwise than it is drawn."""
        asked = self.key[1]
        return len(asked.turns) + bool(asked.how)

    def features(self) -> frozenset[Any]:
        """What its arguments are like, each by itself."""
        leaves = torch_internals.pytree.tree_leaves(self.args)
        return frozenset(each for number, leaf in enumerate(leaves) for each in _features(number, leaf))

    def outcome(self) -> Any:
        """What it comes to where operators are taken apart, and what is told of it before it runs."""
        signal.signal(signal.SIGALRM, _late)
        signal.setitimer(signal.ITIMER_REAL, CALLING)
        try:
            return self.computed(torch_internals.python_dispatcher(), TakenApart()), self.told()
        except _Late:
            return "late"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def computed(self, *modes: contextlib.AbstractContextManager[Any]) -> Any:
        """Results, gradients and arguments after it, within these modes; of an error its class."""
        seed_everything()
        args = copy.deepcopy(self.args)
        try:
            with contextlib.ExitStack() as stack:
                for mode in modes:
                    stack.enter_context(mode)
                output = self.program(*args)
                seen = _seen(output)
                torch.autograd.backward(*roots_of(output))
        except Exception as error:
            return type(error).__name__
        given = [leaf for leaf in torch_internals.pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor)]
        return seen, _seen(args), _seen([leaf.grad for leaf in given if leaf.requires_grad])

    def told(self) -> Any:
        """What a program is told of its results, and the numbers among them; of an error its class."""
        seed_everything()
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        try:
            fakes = torch_internals.pytree.tree_map_only(torch.Tensor, mode.from_tensor, copy.deepcopy(self.args))
            with torch_internals.python_dispatcher(), mode:
                output = self.program(*fakes)
                return told_of(output), _numbers(output)
        except Exception as error:
            return type(error).__name__

    def is_eagers(self, outcome: Any) -> bool:
        """Whether an outcome is what eager comes to, and tells."""
        computed, told = outcome
        eager = self.computed()
        if isinstance(eager, str) or not same(computed, eager):
            return False
        output = self.program(*copy.deepcopy(self.args))
        return same(told, (told_of(output), _numbers(output)))


def _features(number: int, leaf: Any) -> Iterator[Any]:
    if isinstance(leaf, torch.Tensor) and leaf.layout == torch.strided:
        yield number, leaf.dtype
        yield number, "dimensions", leaf.dim(), leaf.numel() == 0, 1 in leaf.shape
        yield number, "memory", leaf.is_contiguous(), 0 in leaf.stride(), leaf.requires_grad
    else:
        yield number, repr(leaf)[:40]


def differing_most(calls: Mapping[int, Call]) -> list[int]:
    """The places of calls, in an order in which each has most that those before it have least of."""
    features = {place: call.features() for place, call in calls.items()}
    weights = dict.fromkeys((each for mine in features.values() for each in mine), 1.0)
    order: list[int] = []
    while features and len(order) < ORDERED:
        best = max(features, key=lambda place: sum(weights[each] for each in features[place]) - calls[place].changes())
        for each in features.pop(best):
            weights[each] /= 2
        order.append(best)
    return [*order, *features]


def _late(*_: object) -> None:
    raise _Late


def _numbers(output: Any) -> list[Any]:
    return [leaf for leaf in torch_internals.pytree.tree_leaves(output) if isinstance(leaf, (int, float, bool))]


def _seen(value: Any) -> list[Any]:
    leaves = torch_internals.pytree.tree_leaves(value)
    return [_copied(leaf) if isinstance(leaf, torch.Tensor) else repr(leaf) for leaf in leaves]


def _copied(tensor: torch.Tensor) -> Any:
    if tensor.layout != torch.strided:
        return str(tensor.layout)
    plain = tensor.detach().resolve_conj().resolve_neg()
    numbers = torch.view_as_real(plain) if plain.dtype.is_complex else plain
    return told_of(tensor), numbers.clone()


def same(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same but for rounding. Noughts have their signs."""
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype == other.dtype and one.shape == other.shape and _same_numbers(one, other)
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other or (one != one and other != other))


def _same_numbers(one: torch.Tensor, other: torch.Tensor) -> bool:
    if not one.dtype.is_floating_point:
        return torch.equal(one, other)
    within = ROUNDING.get(one.dtype, _LOW)
    numbers = one.double(), other.double()
    if not torch.allclose(*numbers, rtol=within, atol=within / 100, equal_nan=True):
        return False
    noughts = (one == 0) & (other == 0)
    return torch.equal(one.signbit()[noughts], other.signbit()[noughts])


# What is asked --------------------------------------------------------------------------------------------------------


def by_default(choice: Choice) -> Iterator[Call]:
    """The programs of an operator in the default profile."""
    table = choices.table()
    kinds: list[tuple[str, Kind, str]] = []
    others = [each for each in DTYPES if each in choice.other_dtypes and not table.is_apart(choice.name, each)]
    if choice.name in table.default:
        kinds += [("drawn", outputs_of, "")]
        kinds += [] if table.is_apart(choice.name) else [("laid out", outputs_of_the_largest_in_other_layouts, "")]
        kinds += [(each, outputs_of_two, each) for each in others]
        kinds += [(kind, CHANGED[kind], "") for kind in CHANGED if takes(choice, kind) and adds(choice, kind)]
    else:
        kinds += [(each, outputs_in(each), each) for each in others if reaches(choice, each)]
    if choice.name in table.default | table.special and runs_on_special_numbers(choice.name, choice.dtype):
        kinds += [("special", outputs_of_special_numbers, "")]
    for name, kind, dtype in kinds:
        yield from _whole(choice, name, kind, dtype)


def laid_out_by_turns(choice: Choice) -> Iterator[Call]:
    """The program of an operator that models do not use, in one other layout."""
    table = choices.table()
    if choice.name not in table.default and not table.is_apart(choice.name):
        yield from _whole(choice, LAID_OUT, outputs_of_the_largest_by_turns, "")


def _whole(choice: Choice, name: str, kind: Kind, dtype: str) -> Iterator[Call]:
    with contextlib.suppress(NotHere):
        made = OperatorProgram(choice, "cpu", "train", kind, dtype).made()
        if made.args:
            yield Call(("", Asked(name)), made.program, made.args)


def beside(choice: Choice) -> Iterator[Call]:
    """The samples of an operator that programs of many may hold, as they are drawn and changed, one by one."""
    table, info = choices.table(), torch_internals.operator_table()[choice.name]
    rarer = [each for each in RARER if each != choice.dtype and getattr(torch, each) in info.dtypes]
    numbers = {
        choice.dtype: SAMPLES,
        **dict.fromkeys(choice.other_dtypes, IN_ANOTHER),
        **dict.fromkeys(rarer, IN_A_RARER),
    }
    for dtype, number in numbers.items():
        alike = 1 if dtype in rarer else 2
        for sample in itertools.islice(differing(_allowed(info, dtype), alike), number):
            hows = [""]
            if dtype == choice.dtype and not table.is_apart(choice.name) and any(map(is_strided, sample.leaves())):
                hows += LAYOUTS
            if runs_on_special_numbers(choice.name, dtype) and any(map(is_float, sample.leaves())):
                hows += NUMBERS
            for how in hows:
                yield from _asking(info, dtype, sample, Asked(sample.key, how))


def turned_otherwise(choice: Choice) -> Iterator[Call]:
    """Calls that torch's table does not draw: of samples of an operator, with arguments turned."""
    info, dtype = torch_internals.operator_table()[choice.name], choice.dtype
    samples = list(itertools.islice(differing(_allowed(info, dtype), 1), TURNED))
    for sample, turns in itertools.islice(turns_of(info, samples), TURNS):
        yield from _asking(info, dtype, sample, Asked(sample.key, "", turns))


def _allowed(info: Any, dtype: str) -> Iterator[Sample]:
    """The samples of an operator, as they are drawn in a dtype, that may run for what they notice."""
    grad = choices.is_differentiable(info, dtype)
    for sample in samples_of(info, "cpu", getattr(torch, dtype), requires_grad=grad):
        if choices.table().may_notice(info.formatted_name, sample.key, dtype):
            yield sample


def _asking(info: Any, dtype: str, drawn: Sample, asked: Asked) -> Iterator[Call]:
    try:
        sample = asked.of(without_history(drawn))
    except Exception:
        return
    if sample is not None and choices.table().may_notice(info.formatted_name, sample.key, dtype):
        made = outputs_of(info, [sample])
        yield Call((dtype, asked), made.program, made.args)


# Planting -------------------------------------------------------------------------------------------------------------


class Grounds:
    """The modules that faults are planted in, their living functions, and all faults of theirs, by number."""

    def __init__(self, paths: Iterable[str], place: Path | None = None) -> None:
        by_path = {getattr(module, "__file__", None): name for name, module in list(sys.modules.items())}
        self.modules = [importlib.import_module(by_path[path]) for path in paths if path in by_path]
        self.trees = {
            str(each.__file__): ast.parse(Path(str(each.__file__)).read_text("utf-8")) for each in self.modules
        }
        self.faults: list[tuple[types.ModuleType, Fault]] = [
            (each, fault) for each in self.modules for fault in self._of(each, place)
        ]
        chosen = defaultdict[str, list[Fault]](list)
        for module, fault in self.faults:
            chosen[str(module.__file__)].append(fault)
        self._noting = {path: noted(tree, chosen[path]) for path, tree in self.trees.items()}
        self._living = Living(self.trees)

    def _of(self, module: types.ModuleType, place: Path | None) -> Iterable[Fault]:
        path = str(module.__file__)
        if place is None:
            return faults(self.trees[path], formulas=True)
        return written(place, module.__name__, Path(path).read_text("utf-8"))

    @contextlib.contextmanager
    def watched(self) -> Iterator[Callable[[Call], tuple[Any, frozenset[int]]]]:
        """What calls come to while it lasts, with the numbers of the faults that each of them runs."""
        numbers = defaultdict[tuple[str, int], list[int]](list)
        for number, (module, fault) in enumerate(self.faults):
            numbers[module.__name__, fault.node].append(number)
        reached: dict[str, set[int]] = {module.__name__: set() for module in self.modules}

        def run(call: Call) -> tuple[Any, frozenset[int]]:
            for nodes in reached.values():
                nodes.clear()
            outcome = call.outcome()
            found = ((name, node) for name, nodes in reached.items() for node in nodes)
            return outcome, frozenset(number for place in found for number in numbers[place])

        for module in self.modules:
            setattr(module, REACHED, reached[module.__name__])
        with contextlib.ExitStack() as stack:
            for path, tree in self._noting.items():
                stack.enter_context(self._written(path, tree))
            yield run

    @contextlib.contextmanager
    def fault(self, number: int) -> Iterator[None]:
        """A fault, for as long as the context lasts. Raises `ValueError` if no living function has it."""
        module, fault = self.faults[number]
        path = str(module.__file__)
        setattr(module, REACHED, set())
        with self._written(path, planted(self.trees[path], fault)) as changed:
            if not changed:
                raise ValueError(f"no function of {module.__name__} that has {fault} is alive")
            yield

    @contextlib.contextmanager
    def _written(self, path: str, tree: ast.Module) -> Iterator[int]:
        before = self._living.give(path, tree)
        try:
            yield len(before)
        finally:
            for function, code in before:
                function.__code__ = code
            self._living.forget(path)


# Asking ---------------------------------------------------------------------------------------------------------------

#: What is known of a fault: how many operators were asked, and whether one of them noticed.
_Known = struct.Struct("BB")
#: What stands for the place of a call: of a fault that was not asked, that no call noticed, that a process died of.
_UNASKED, _NOBODY, _DIED = -3, -2, -1


@dataclasses.dataclass(frozen=True)
class Noticed:
    """What became of faults, by their numbers, where an operator's calls were asked: the call that noticed, or None."""

    operator: str
    by: dict[int, Key | None]


class Inquiry:
    """Faults asked of operators by several processes, which share what is known of each."""

    def __init__(self, grounds: Grounds, calls: Callable[[Choice], Iterator[Call]], left: Iterable[int]) -> None:
        self.grounds, self.calls = grounds, calls
        self.known = mmap.mmap(-1, _Known.size * len(grounds.faults))
        for number in set(range(len(grounds.faults))) - set(left):
            self._note(number, OPERATORS, noticed=True)

    def _note(self, number: int, asked: int, *, noticed: bool) -> None:
        _Known.pack_into(self.known, number * _Known.size, asked, noticed)

    def remember(self, noticed: Noticed) -> None:
        """Count what an operator was asked before."""
        for number, key in noticed.by.items():
            asked, _ = _Known.unpack_from(self.known, number * _Known.size)
            self._note(number, min(asked + 1, OPERATORS), noticed=key is not None)

    def _is_open(self, number: int) -> bool:
        asked, noticed = _Known.unpack_from(self.known, number * _Known.size)
        return not noticed and asked < OPERATORS

    def of(self, choice: Choice) -> Noticed:
        """What an operator's calls notice of the faults that are open and that they run."""
        settings = {"dynamo.fake_tensor_cache_enabled": False}
        with torch_internals.configured(settings):
            told = run_forked(lambda: self._drawn(choice), 60 + DRAWING)
            found = Noticed(choice.name, self._asked(choice, told.value) if isinstance(told, Finished) else {})
            self.remember(found)
            return found

    def _drawn(self, choice: Choice) -> list[tuple[int, frozenset[int]]]:
        """The places of the calls that can be gone by, and the open faults that each runs."""
        started = time.process_time()
        found = []
        with self.grounds.watched() as run:
            for place, call in enumerate(self.calls(choice)):
                outcome, reached = run(call)
                mine = frozenset(filter(self._is_open, reached))
                if mine and outcome != "late" and not isinstance(outcome[0], str):
                    found.append((place, mine))
                if time.process_time() - started > DRAWING:
                    break
        return found

    def _asked(self, choice: Choice, drawn: Sequence[tuple[int, frozenset[int]]]) -> dict[int, Key | None]:
        running = defaultdict[int, list[int]](list)
        for place, numbers in drawn:
            for number in numbers:
                running[number].append(place)
        todo = [number for number in running if self._is_open(number)]
        random.Random(choice.name).shuffle(todo)
        places = mmap.mmap(-1, max(4 * len(todo), 1))
        for turn in range(len(todo)):
            struct.pack_into("i", places, 4 * turn, _UNASKED)
        keys: dict[int, Key] = {}
        begin, until = 0, time.monotonic() + ASKING
        while begin < len(todo) and time.monotonic() < until:
            trial = functools.partial(self._trial, choice, running, todo, places, begin, until)
            outcome = run_forked(trial, ASKING + 60)
            if isinstance(outcome, Finished):
                keys.update(outcome.value)
                break
            begin = 1 + max((turn for turn in range(len(todo)) if _at(places, turn) != _UNASKED), default=begin)
        found: dict[int, Key | None] = {}
        for turn, number in enumerate(todo):
            place = _at(places, turn)
            if place != _UNASKED:
                found[number] = None if place == _NOBODY else keys.get(place, ("", Asked("the process died")))
        return found

    def _trial(
        self, choice: Choice, running: Any, todo: Sequence[int], places: mmap.mmap, begin: int, until: float
    ) -> dict[int, Key]:
        """Plant each fault in turn, and write the place of the call that notices it. Returns the calls' keys."""
        wanted = {place for each in running.values() for place in each}
        drawn = itertools.islice(self.calls(choice), max(wanted) + 1)
        calls = {place: call for place, call in enumerate(drawn) if place in wanted}
        order = {place: number for number, place in enumerate(differing_most(calls))}

        @functools.cache
        def honest(place: int) -> Any:
            """What a call comes to; None if it is none to go by."""
            call = calls[place]
            outcome = call.outcome()
            is_steady = same(outcome, call.outcome()) and (not call.key[0] or call.is_eagers(outcome))
            return outcome if is_steady else None

        useful = Counter(_at(places, turn) for turn in range(begin))
        for turn in range(begin, len(todo)):
            if time.monotonic() > until:
                break
            if not self._is_open(todo[turn]):
                continue
            # Few samples for many faults.
            mine = sorted(running[todo[turn]], key=lambda place: (-useful[place], order[place]))
            place = _NOBODY
            for first in range(0, min(len(mine), ASKED), AT_ONCE):
                struct.pack_into("i", places, 4 * turn, _NOBODY)
                steady = [place for place in mine[first : first + AT_ONCE] if honest(place) is not None]
                # The fault that a process dies of is noticed.
                struct.pack_into("i", places, 4 * turn, _DIED)
                with contextlib.suppress(SyntaxError, ValueError), self.grounds.fault(todo[turn]):
                    by = (each for each in steady if not same(honest(each), calls[each].outcome()))
                    place = next(by, _NOBODY)
                if place != _NOBODY:
                    break
            useful[place] += 1
            struct.pack_into("i", places, 4 * turn, place)
        return {place: call.key for place, call in calls.items()}

    def every(self, operators: Sequence[Choice], jobs: int) -> Iterator[Noticed]:
        """What each operator notices, by so many processes at once."""
        gc.freeze()
        yield from (noticed for _, noticed in in_forks(self.of, operators, jobs))


def _at(places: mmap.mmap, turn: int) -> int:
    place: int = struct.unpack_from("i", places, 4 * turn)[0]
    return place


#: What faults are asked of, in this order; what notices none by default is chosen from.
PROGRAMS: Mapping[str, Callable[[Choice], Iterator[Call]]] = {
    "by default": by_default,
    "laid out": laid_out_by_turns,
    "by other samples": beside,
    "by turned ones": turned_otherwise,
}


class Found:
    """What became of the faults of some grounds: of those that are run, which sample of which operator noticed."""

    def __init__(self, grounds: Grounds) -> None:
        self.grounds = grounds
        self.by: dict[int, tuple[str, Key] | None] = {}

    def add(self, noticed: Noticed) -> None:
        """Take what an operator noticed."""
        for number, key in noticed.by.items():
            if self.by.get(number) is None:
                self.by[number] = None if key is None else (noticed.operator, key)

    def left(self) -> list[int]:
        """The faults that nothing noticed yet."""
        return [number for number in range(len(self.grounds.faults)) if self.by.get(number) is None]

    def laid_out(self) -> Counter[str]:
        """How many faults the program of an operator in one other layout noticed, of those that run by turns."""
        key = "", Asked(LAID_OUT)
        return Counter(found[0] for found in self.by.values() if found is not None and found[1] == key)

    def samples(self) -> dict[str, dict[str, list[Asked]]]:
        """The samples that noticed one, for each dtype of each operator."""
        names = defaultdict[str, dict[str, set[Asked]]](lambda: defaultdict(set))
        for found in self.by.values():
            if found is not None and found[1][0]:
                operator, (dtype, asked) = found
                names[operator][dtype].add(asked)
        return {name: {dtype: sorted(every, key=repr) for dtype, every in each.items()} for name, each in names.items()}

    def said(self, name: str) -> str:
        """A line about what has been asked so far."""
        noticed = sum(by is not None for by in self.by.values())
        samples = self.samples()
        count = sum(len(every) for each in samples.values() for every in each.values())
        run = f"{len(self.by)} of {len(self.grounds.faults)} faults are run"
        return f"{name}: {run}, {noticed} noticed, with {count} samples of {len(samples)} operators"

    def functions(self) -> Counter[str]:
        """How many faults of each function are run and not noticed."""
        left = (self.grounds.faults[number] for number, by in self.by.items() if by is None)
        return Counter(f"{module.__name__}.{fault.function}" for module, fault in left)

    def every(self) -> Iterator[str]:
        """A line for each fault that is run: what noticed it."""
        for number, by in sorted(self.by.items()):
            module, fault = self.grounds.faults[number]
            told = "nothing" if by is None else f"{by[0]} {by[1][0]} {by[1][1].written()}"
            yield f"{module.__name__}: {fault}: {told}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and write ``noticing.json`` where no operators are named. Returns 2 for an operator that is none."""
    parser = argparse.ArgumentParser(prog="python -m suites.selfcheck.noticing", description=__doc__)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="ask these alone; write nothing")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="how many processes share the work")
    parser.add_argument("--written", type=Path, metavar="FILE", help="ask these faults alone; write nothing")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="go on from what is kept there, and keep the rest")
    options = parser.parse_args(arguments)
    one_thread()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)  # Broken torch has much to say.
    infos = torch_internals.operator_table()
    operators = [each for each in choices.operators() if each.name in infos]
    unknown = set(options.operators) - {each.name for each in operators}
    if unknown:
        print(f"nothing is chosen of an operator {sorted(unknown)[0]!r}", file=sys.stderr)
        return 2
    operators = [each for each in operators if not options.operators or each.name in options.operators]
    operators.sort(key=lambda each: each.name not in choices.table().default)
    torch_internals.decompositions()
    patterns = [*torch_internals.decomposing_files(), *torch_internals.telling_files()]
    try:
        grounds = Grounds((path for pattern in patterns for path in sorted(glob.glob(pattern))), options.written)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    found = Found(grounds)
    kept = _kept(options.kept)
    for name, calls in PROGRAMS.items():
        inquiry = Inquiry(grounds, calls, found.left())
        before = kept[name]
        for noticed in before:
            inquiry.remember(noticed)
            found.add(noticed)
        asked = {noticed.operator for noticed in before}
        for noticed in _progress(inquiry, [each for each in operators if each.name not in asked], options.jobs):
            found.add(noticed)
            _keep(options.kept, name, noticed)
        print(found.said(name), flush=True)
    print("\n".join(f"{count:4} {name}" for name, count in found.functions().most_common()))
    if options.operators or options.written:
        print("\n".join(found.every()))
    else:
        noticing.write(found.samples(), found.laid_out(), torch.__version__.partition("+")[0])
    return 0


def _keep(place: Path | None, programs: str, noticed: Noticed) -> None:
    """Write what an operator noticed at the end of a file, for a run that goes on from it."""
    if place is not None:
        by = {number: key and [key[0], key[1].written()] for number, key in noticed.by.items()}
        with place.open("a", encoding="utf-8") as file:
            print(json.dumps([programs, noticed.operator, by]), file=file)


def _kept(place: Path | None) -> Mapping[str, Sequence[Noticed]]:
    """What operators noticed by each of the programs, as it was written before."""
    kept = defaultdict[str, list[Noticed]](list)
    lines = place.read_text("utf-8").splitlines() if place is not None and place.exists() else []
    for programs, operator, by in map(json.loads, lines):
        keys = {int(number): key and (key[0], Asked.read(*key[1])) for number, key in by.items()}
        kept[programs].append(Noticed(operator, keys))
    return kept


def _progress(inquiry: Inquiry, operators: Sequence[Choice], jobs: int) -> Iterator[Noticed]:
    for number, found in enumerate(inquiry.every(operators, jobs), 1):
        count = Counter(by is not None for by in found.by.values())
        print(f"{number} of {len(operators)}: {found.operator}: {count[True]} of {count.total()}", flush=True)
        yield found


if __name__ == "__main__":
    sys.exit(main())
