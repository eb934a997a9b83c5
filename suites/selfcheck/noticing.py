"""Which samples of torch's table notice planted faults that no program of the default profile notices.

Faults are drawn by rules (`suites.selfcheck.faults`) in all that takes operators apart and tells sizes, strides and
dtypes. They are planted in memory, one at a time, and asked twice: of what an operator's programs of the default
profile come to (`by_default`), and, those that change none of that, of every sample of the operators that run them, in
each dtype, laid out otherwise and of special numbers (`beside`). Nothing is compiled: a call runs with each operator
taken apart, as on the way to Inductor, and on fake tensors, which takes a hundredth of the time. A sample whose values,
gradients, sizes or strides are not eager's to begin with is none to go by. ``suites/operators/table/noticing.json`` is
written by ::

    python -m suites.selfcheck.noticing -j 16            # some minutes with as many processors
    python -m suites.selfcheck.noticing addr softmax     # what these operators notice; writes nothing

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.execution.isolation import Finished, one_thread, run_forked
from suites.harness.observation.global_state import seed_everything
from suites.harness.programs.errors import NotHere
from suites.harness.torch_internals import FakeTensorMode
from suites.operators.table import choices, noticing
from suites.operators.table.choices import NO_SPECIAL, Choice
from suites.operators.table.choosing import TakenApart, differing, roots_of
from suites.operators.table.dtypes import DTYPES, outputs_in, reaches
from suites.operators.table.layouts import (
    LAYOUTS,
    outputs_of_the_largest_by_turns,
    outputs_of_the_largest_in_other_layouts,
)
from suites.operators.table.programs import Kind, OperatorProgram, outputs_of, outputs_of_two, without_history
from suites.operators.table.reaching import CHANGED, adds, takes
from suites.operators.table.samples import is_float, is_strided, samples_of
from suites.operators.table.special_numbers import NUMBERS, has_special_numbers, outputs_of_special_numbers
from suites.operators.table.told import told_of
from suites.selfcheck.faults import REACHED, Fault, faults, noted, planted
from suites.selfcheck.forks import in_forks
from suites.selfcheck.planting import Living

#: Dtypes that samples are asked in beside those of the default profile.
RARER = ("float16", "float64", "uint8", "int32")
#: Samples of an operator that are asked in its own dtype, in one of the default profile's, and in a rarer.
SAMPLES, IN_ANOTHER, IN_A_RARER = 60, 25, 8
#: Seconds of processor time after which no other sample of an operator is drawn; of a clock, for its faults and a call.
DRAWING, ASKING, CALLING = 12.0, 40.0, 6.0
#: Of so many operators a fault is asked that none of them noticed.
OPERATORS = 3
#: So many samples are asked of one fault.
ASKED = 90
#: How far apart values may be that are the same but for rounding, relative to them.
ROUNDING = {torch.float32: 1e-4, torch.float64: 1e-8}
_LOW = 0.02


# What calls come to ---------------------------------------------------------------------------------------------------


class _Late(BaseException):
    """A call took longer than `CALLING`."""


@dataclasses.dataclass(frozen=True)
class Call:
    """A program of one operator with its arguments, and what says which: a dtype and a sample's key, or a kind."""

    key: tuple[str, str]
    program: Callable[..., Any]
    args: tuple[Any, ...]

    def is_changed(self) -> bool:
        """Whether it is of a sample otherwise than it is drawn."""
        return bool(noticing.how_of(self.key[1])[0])

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
        kinds += [] if table.is_apart(choice.name) else [("laid out", outputs_of_the_largest_by_turns, "")]
        kinds += [(each, outputs_in(each), each) for each in others if reaches(choice, each)]
    if _is_special(choice.name, choice.dtype) and choice.name in table.default | table.special:
        kinds += [("special", outputs_of_special_numbers, "")]
    for name, kind, dtype in kinds:
        with contextlib.suppress(NotHere):
            made = OperatorProgram(choice, "cpu", "train", kind, dtype).made()
            if made.args:
                yield Call(("", name), made.program, made.args)


def _is_special(name: str, dtype: str) -> bool:
    return has_special_numbers(dtype) and not choices.table().reason(name, NO_SPECIAL)


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
        grad = choices.is_differentiable(info, dtype)
        drawn = samples_of(info, "cpu", getattr(torch, dtype), requires_grad=grad)
        allowed = (sample for sample in drawn if table.may_notice(choice.name, sample.key, dtype))
        for sample in itertools.islice(differing(allowed, 1 if dtype in rarer else 2), number):
            hows = [""]
            if dtype == choice.dtype and not table.is_apart(choice.name) and any(map(is_strided, sample.leaves())):
                hows += LAYOUTS
            if _is_special(choice.name, dtype) and any(map(is_float, sample.leaves())):
                hows += NUMBERS
            for how in hows:
                changed = noticing.changed(without_history(sample), how)
                if changed is not None:
                    made = outputs_of(info, [changed])
                    yield Call((dtype, changed.key), made.program, made.args)


# Planting -------------------------------------------------------------------------------------------------------------


class Grounds:
    """The modules that faults are planted in, their living functions, and all faults of theirs, by number."""

    def __init__(self, paths: Iterable[str]) -> None:
        by_path = {getattr(module, "__file__", None): name for name, module in list(sys.modules.items())}
        self.modules = [importlib.import_module(by_path[path]) for path in paths if path in by_path]
        self.trees = {
            str(each.__file__): ast.parse(Path(str(each.__file__)).read_text("utf-8")) for each in self.modules
        }
        self.faults: list[tuple[types.ModuleType, Fault]] = [
            (each, fault) for each in self.modules for fault in faults(self.trees[str(each.__file__)], formulas=True)
        ]
        chosen = defaultdict[str, list[Fault]](list)
        for module, fault in self.faults:
            chosen[str(module.__file__)].append(fault)
        self._noting = {path: noted(tree, chosen[path]) for path, tree in self.trees.items()}
        self._living = Living(self.trees)

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
    by: dict[int, tuple[str, str] | None]


class Inquiry:
    """Faults asked of operators by several processes, which share what is known of each."""

    def __init__(self, grounds: Grounds, calls: Callable[[Choice], Iterator[Call]], left: Iterable[int]) -> None:
        self.grounds, self.calls = grounds, calls
        self.known = mmap.mmap(-1, _Known.size * len(grounds.faults))
        for number in set(range(len(grounds.faults))) - set(left):
            self._note(number, OPERATORS, noticed=True)

    def _note(self, number: int, asked: int, *, noticed: bool) -> None:
        _Known.pack_into(self.known, number * _Known.size, asked, noticed)

    def _is_open(self, number: int) -> bool:
        asked, noticed = _Known.unpack_from(self.known, number * _Known.size)
        return not noticed and asked < OPERATORS

    def of(self, choice: Choice) -> Noticed:
        """What an operator's calls notice of the faults that are open and that they run."""
        settings = {"dynamo.fake_tensor_cache_enabled": False}
        with torch_internals.configured(settings):
            told = run_forked(lambda: self._drawn(choice), 60 + DRAWING)
            return Noticed(choice.name, self._asked(choice, told.value) if isinstance(told, Finished) else {})

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

    def _asked(self, choice: Choice, drawn: Sequence[tuple[int, frozenset[int]]]) -> dict[int, tuple[str, str] | None]:
        running = defaultdict[int, list[int]](list)
        for place, numbers in drawn:
            for number in numbers:
                running[number].append(place)
        todo = [number for number in running if self._is_open(number)]
        random.Random(choice.name).shuffle(todo)
        places = mmap.mmap(-1, max(4 * len(todo), 1))
        for turn in range(len(todo)):
            struct.pack_into("i", places, 4 * turn, _UNASKED)
        keys: dict[int, tuple[str, str]] = {}
        begin, until = 0, time.monotonic() + ASKING
        while begin < len(todo) and time.monotonic() < until:
            trial = functools.partial(self._trial, choice, running, todo, places, begin, until)
            outcome = run_forked(trial, ASKING + 60)
            if isinstance(outcome, Finished):
                keys.update(outcome.value)
                break
            begin = 1 + max((turn for turn in range(len(todo)) if _at(places, turn) != _UNASKED), default=begin)
        found: dict[int, tuple[str, str] | None] = {}
        for turn, number in enumerate(todo):
            place = _at(places, turn)
            if place == _UNASKED:
                continue
            asked, _ = _Known.unpack_from(self.known, number * _Known.size)
            self._note(number, min(asked + 1, OPERATORS), noticed=place != _NOBODY)
            found[number] = None if place == _NOBODY else keys.get(place, ("", "the process died"))
        return found

    def _trial(
        self, choice: Choice, running: Any, todo: Sequence[int], places: mmap.mmap, begin: int, until: float
    ) -> dict[int, tuple[str, str]]:
        """Plant each fault in turn, and write the place of the call that notices it. Returns the calls' keys."""
        wanted = {place for each in running.values() for place in each}
        first = itertools.islice(self.calls(choice), max(wanted) + 1)
        calls = {place: call for place, call in enumerate(first) if place in wanted}
        honest: dict[int, Any] = {}
        for place, call in list(calls.items()):
            honest[place] = call.outcome()
            if not same(honest[place], call.outcome()) or (call.key[0] and not call.is_eagers(honest[place])):
                del calls[place]
        useful = Counter(_at(places, turn) for turn in range(begin))
        for turn in range(begin, len(todo)):
            if time.monotonic() > until:
                break
            if not self._is_open(todo[turn]):
                continue
            mine = [place for place in running[todo[turn]] if place in calls]
            random.Random(todo[turn]).shuffle(mine)
            # Few samples for many faults, and those as they are drawn before others.
            mine.sort(key=lambda place: (-useful[place], calls[place].is_changed()))
            place = _NOBODY
            # The fault that a process dies of is noticed.
            struct.pack_into("i", places, 4 * turn, _DIED)
            with contextlib.suppress(SyntaxError, ValueError), self.grounds.fault(todo[turn]):
                by = (place for place in mine[:ASKED] if not same(honest[place], calls[place].outcome()))
                place = next(by, _NOBODY)
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and write ``noticing.json`` where no operators are named. Returns 2 for an operator that is none."""
    parser = argparse.ArgumentParser(prog="python -m suites.selfcheck.noticing", description=__doc__)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="ask these alone; write nothing")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N", help="how many processes share the work")
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
    grounds = Grounds(path for pattern in patterns for path in sorted(glob.glob(pattern)))
    told: dict[int, tuple[str, str] | None] = {}
    for found in _progress(Inquiry(grounds, by_default, range(len(grounds.faults))), operators, options.jobs):
        told.update({number: by for number, by in found.by.items() if by or number not in told})
    left = {number for number, by in told.items() if by is None}
    print(f"{len(told)} of {len(grounds.faults)} faults are run, {len(told) - len(left)} noticed by default")
    names = defaultdict[str, dict[str, set[str]]](lambda: defaultdict(set))
    noticed = set()
    for found in _progress(Inquiry(grounds, beside, left), operators, options.jobs):
        for number, by in found.by.items():
            if by is not None and by[0]:
                noticed.add(number)
                names[found.operator][by[0]].add(by[1])
    functions = Counter(
        f"{grounds.faults[number][0].__name__}.{grounds.faults[number][1].function}" for number in left - noticed
    )
    print("\n".join(f"{count:4} {name}" for name, count in functions.most_common()))
    samples = sum(len(keys) for each in names.values() for keys in each.values())
    print(f"{len(noticed)} of {len(left)} others are noticed by {samples} samples of {len(names)} operators")
    written = {name: {dtype: sorted(keys) for dtype, keys in each.items()} for name, each in names.items()}
    if options.operators:
        print("\n".join(f"{name}: {each}" for name, each in written.items()))
    else:
        noticing.write(written, torch.__version__.partition("+")[0])
    return 0


def _progress(inquiry: Inquiry, operators: Sequence[Choice], jobs: int) -> Iterator[Noticed]:
    for number, found in enumerate(inquiry.every(operators, jobs), 1):
        count = Counter(by is not None for by in found.by.values())
        print(f"{number} of {len(operators)}: {found.operator}: {count[True]} of {count.total()}", flush=True)
        yield found


if __name__ == "__main__":
    sys.exit(main())
