"""Faults planted in torch's own Python: does some clause notice?

A mutant is a fault that we thought of. Here a condition of torch's compiler is negated, a statement left out or one
operator put for the other, one at a time, in a process of its own, and the clauses that run it are run until one
fails. In modules of formulas it is the numbers that can be wrong: a bound that is met or not, a sum for a difference, a
constant that is one more, an option that is not handed on, an operator for its neighbour::

    python -m suites.selfcheck.planted torch._functorch._aot_autograd.runtime_wrappers --sample 40
    python -m suites.selfcheck.planted torch._inductor.fx_passes.reinplace --backend inductor --family custom_ops
    python -m suites.selfcheck.planted torch._decomp.decompositions --formulas --sample 100 \\
        --backend aot_eager_decomp_partition --family operators

A fault that a reader thinks of is written in a file, whose form `suites.selfcheck.faults` shows::

    python -m suites.selfcheck.planted --backend inductor --written faults.toml

Of several modules at once: what clauses come to without a fault is then asked once.

Each fault that no clause notices is printed with its line. It may be harmless (a log, a fast path, a case of another
device): that is for a reader to say. A fault in code that nothing runs is told apart, as unreached.

With a torch that is built for CUDA several processes share the work, and none of them is the one that they are forked
from::

    python -m suites.selfcheck.planted torch._inductor.codegen.triton --formulas --sample 40 --backend inductor \\
        --device cuda -j 14 --family gpu --family operators
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import functools
import importlib
import itertools
import logging
import math
import os
import random
import re
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import torch

from suites.contract import without_parameters
from suites.harness import torch_internals
from suites.harness.backends.names import DEFAULT
from suites.harness.clauses.scope import AOT_FUNCTION, AOT_FUNCTIONS, BETWEEN, Scope
from suites.harness.execution import environment, ranks
from suites.harness.execution.isolation import Finished, Raised, leave_cuda_to_forks, one_thread, run_forked
from suites.harness.execution.marks import Marks
from suites.harness.session.cells import source_of
from suites.selfcheck.clauses import Clause, every_clause
from suites.selfcheck.faults import REACHED, Fault, faults, modules, noted, planted, written
from suites.selfcheck.forks import in_forks
from suites.selfcheck.planting import Living
from suites.selfcheck.remembering import Memory
from suites.selfcheck.trials import Outcome, try_pair

#: Seconds for the clauses under one fault: one that hangs is noticed by the process that does not come back.
FAULT_LIMIT = 400.0
#: Seconds of processor time, compilers included, after which no other clause is asked about a fault, unless told else.
ASKING = 40.0
#: As many clauses that run a fault are told by name.
_FEW = 4
#: A word of a function's name.
_WORD = re.compile("[a-z]{3,}")
#: What a function is written as, which is asked for again with each fault.
_source_of = functools.cache(source_of)
#: The word for a fault that no clause noticed, for one in code that no clause runs, and for one that the clauses which
#: there was time for did not notice: of those that would have come after them nothing is told.
UNNOTICED, UNREACHED, UNDECIDED = "unnoticed", "unreached", "not noticed in time"


# Planting ------------------------------------------------------------------------------------------------------------


def plant(module: types.ModuleType, tree: ast.Module) -> None:
    """Give the living functions of a module the code of ``tree``. For a process that ends soon.

    What they have answered before is forgotten, and so is what operators and sizes were found to be without it. Raises
    `ValueError` if no living function has the code that changed.
    """
    torch_internals.forget_what_was_found()
    path = str(module.__file__)
    if not Living([path]).give(path, tree):
        raise ValueError(f"no function of {module.__name__} is alive")


@dataclasses.dataclass(frozen=True)
class Site:
    """A module that faults are planted in, what it is written as, and the faults."""

    module: types.ModuleType
    tree: ast.Module
    chosen: Sequence[Fault]

    @property
    def name(self) -> str:
        """The module's name."""
        return self.module.__name__

    @classmethod
    def of(cls, name: str, options: argparse.Namespace) -> Site:
        """The module of a name with those of its faults that are asked for. Raises `ValueError` as `written` does."""
        module = importlib.import_module(name)
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        tree = ast.parse(source)
        every: Iterable[Fault]
        if options.written:
            every = [fault for place in options.written for fault in written(place, name, source)]
        else:
            every = faults(tree, formulas=options.formulas)
        functions, lines = options.function, options.line
        chosen = [
            fault
            for fault in every
            if (not functions or fault.function in functions) and (not lines or fault.line in lines)
        ]
        if options.sample and options.sample < len(chosen):
            chosen = sorted(random.Random(options.seed).sample(chosen, options.sample), key=lambda fault: fault.line)
        return cls(module, tree, chosen)

    def watch(self, *, of_ranks: bool) -> set[int] | Marks[int]:
        """The numbers of the faults that are run from now on, in this process: others that share the work have theirs.

        Ranks are forks of it. Where no clause has any a plain set does, whose methods Dynamo can trace.
        """
        reached = Marks(range(max((fault.node for fault in self.chosen), default=0) + 1)) if of_ranks else set[int]()
        setattr(self.module, REACHED, reached)
        return reached


# Judging -------------------------------------------------------------------------------------------------------------


#: A fault, by its module and its node.
_Place = tuple[str, int]
_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")
#: Clauses that one fork is asked about.
_PART = 6


@dataclasses.dataclass(frozen=True)
class Notice:
    """What became of a fault: the clause that noticed it, and how, or why none did."""

    clause: str
    how: str
    clauses_run: int = 0


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    """A folder for temporary files as the working directory, since broken torch leaves what it failed on where it is.

    With and without a fault: a clause sees in which folder it runs, and what eager does there is remembered.
    """
    before = Path.cwd()
    os.chdir(tempfile.gettempdir())
    try:
        yield
    finally:
        os.chdir(before)


class Jury:
    """The clauses that an honest backend passes, or fails as it is known to, and what faults each of them runs.

    What eager does in each is remembered, if this process is the one that asks. With more than one of ``jobs``, forks
    do, a few clauses each, and eager runs again: a fault in what eager runs, too, is not told. After ``asking`` seconds
    of processor time, and one clause at least, a fault is given up.
    """

    def __init__(
        self,
        clauses: Sequence[Clause],
        backend: str,
        sites: Sequence[Site],
        device: str = "cpu",
        jobs: int = 1,
        asking: float = ASKING,
    ) -> None:
        self.backend, self.sites, self.device, self.jobs, self.asking = backend, sites, device, jobs, asking
        self.memories: dict[str, Memory] = {clause.id: {} for clause in clauses}
        self.of_ranks = any(clause.scope.ranks > 1 for clause in clauses)
        for site in sites:
            site.watch(of_ranks=False)
            plant(site.module, noted(site.tree, site.chosen))
        self.honest: dict[str, Outcome] = {}
        self.others = Counter[str]()
        self.by_fault: dict[_Place, list[Clause]] = {}
        parts = [clauses] if jobs == 1 else [clauses[start : start + _PART] for start in range(0, len(clauses), _PART)]
        for part, (_, answers) in zip(parts, sorted(self._each(self._honestly, parts)), strict=True):
            for clause, (outcome, reached) in zip(part, answers, strict=False):
                if outcome.outcome in ("pass", "fail"):
                    self.honest[clause.id] = outcome
                    for place in sorted(reached):
                        self.by_fault.setdefault(place, []).append(clause)
                else:
                    self.others[outcome.outcome.partition("\n")[0]] += 1
        for site in sites:
            plant(site.module, site.tree)

    def _honestly(self, clauses: Sequence[Clause]) -> list[tuple[Outcome, set[_Place]]]:
        """What each clause comes to, and the faults that it would run; nothing of clauses that a fork dies in."""
        if self.jobs == 1:
            return self._answers(clauses)
        outcome = run_forked(lambda: self._answers(clauses), FAULT_LIMIT)
        return outcome.value if isinstance(outcome, Finished) else []

    def _answers(self, clauses: Sequence[Clause]) -> list[tuple[Outcome, set[_Place]]]:
        reached = {site.name: site.watch(of_ranks=self.of_ranks) for site in self.sites}
        answers = []
        for clause in clauses:
            for numbers in reached.values():
                numbers.clear()
            # What an earlier clause left an answer of is run in this one, too, where it is the first that is asked.
            torch_internals.forget_what_was_found()
            outcome = self._outcome(clause)
            answers.append((outcome, {(name, number) for name, numbers in reached.items() for number in numbers}))
        return answers

    def _each(
        self, ask: Callable[[_Question], _Answer], questions: Sequence[_Question]
    ) -> Iterator[tuple[int, _Answer]]:
        """The number of each question and its answer, once there is one: of this process, or of ``jobs`` forks."""
        if self.jobs == 1:
            yield from enumerate(map(ask, questions))
            return
        yield from in_forks(ask, questions, self.jobs)

    def judgements(self, at_most: int) -> Iterator[tuple[Site, Fault, Notice]]:
        """What becomes of each fault of each site, as soon as it is known; see `judge`."""
        every = [(site, fault) for site in self.sites for fault in site.chosen]
        for number, notice in self._each(lambda one: self.judge(*one, at_most), every):
            yield *every[number], notice

    def those_that_run(self, site: Site, fault: Fault) -> Sequence[Clause]:
        """The clauses that run the code of a fault."""
        return self.by_fault.get((site.name, fault.node), ())

    def _outcome(self, clause: Clause) -> Outcome:
        backend = "aot_function" if clause.scope.entry == AOT_FUNCTION else self.backend
        with _elsewhere():
            memory = self.memories[clause.id]
            return try_pair(clause, backend, memory, device=self.device, clean=True, goldens=self.device == "cpu")

    def notice(self, order: Sequence[Clause], reached: Collection[int]) -> Notice:
        """Run clauses until one comes to something else. ``reached`` grows when the fault is run."""
        started = _processor_time()
        for number, clause in enumerate(order, 1):
            if number > 1 and _processor_time() - started > self.asking:
                return Notice("", UNDECIDED if reached else UNREACHED, number - 1)
            outcome = self._outcome(clause)
            honest = self.honest[clause.id]
            if outcome != honest:
                new = sorted(outcome.own - honest.own)
                how = next((f"{facet}: {kind}" for facet, kind, _ in new), outcome.outcome.partition("\n")[0])
                return Notice(clause.id, how, number)
        return Notice("", UNNOTICED if reached else UNREACHED, len(order))

    def judge(self, site: Site, fault: Fault, at_most: int) -> Notice:
        """What becomes of a fault when at most so many of the clauses that run it run, in a process of their own."""
        order = in_turn(self.those_that_run(site, fault), fault)
        if not order:
            return Notice("", UNREACHED)
        changed = planted(site.tree, fault)

        def trial() -> Notice:
            reached = site.watch(of_ranks=self.of_ranks)
            plant(site.module, changed)
            return self.notice(order[:at_most], reached)

        outcome = run_forked(trial, FAULT_LIMIT)
        if isinstance(outcome, Finished):
            notice: Notice = outcome.value
            return notice
        return Notice("the process", outcome.message if isinstance(outcome, Raised) else type(outcome).__name__.lower())


def in_turn(clauses: Iterable[Clause], fault: Fault) -> list[Clause]:
    """The clauses in the order in which they are asked: first those that name what the faulty function is named after.

    The rarer a word of its name is in what the clauses are written as, the more it says. Among those that say as much,
    and most say nothing, `by_turns` decides.
    """
    order = by_turns(clauses, fault.node)
    texts = {clause.id: f"{clause.id} {_source_of(clause.function)}".lower() for clause in order}
    weights = {}
    for word in set(_WORD.findall(fault.function.lower())):
        those = sum(word in text for text in texts.values())
        weights[word] = math.log(len(order) / those) if those else 0.0
    said = {name: sum(weights[word] for word in weights if word in text) for name, text in texts.items()}
    return sorted(order, key=lambda clause: -said[clause.id])


def by_turns(clauses: Iterable[Clause], seed: int) -> list[Clause]:
    """The clauses in an order that a seed draws, one of each file in turn.

    Those of a file are alike: what the first of them do not notice, the others seldom do.
    """
    drawn = list(clauses)
    random.Random(seed).shuffle(drawn)
    files: dict[str, list[Clause]] = defaultdict(list)
    for clause in drawn:
        files[without_parameters(clause.id).rpartition("/")[0]].append(clause)
    return [clause for turn in itertools.zip_longest(*files.values()) for clause in turn if clause]


def _processor_time() -> float:
    """Seconds that this process and those that it waited for have had, whatever else the machine does."""
    return sum(os.times()[:4])


def is_judge(scope: Scope, backend: str, device: str, *, of_ranks: bool) -> bool:
    """Whether a clause runs on a backend and device in the default profile, in no process of its own.

    One of several ranks does for ``of_ranks``, and what is about a function of AOTAutograd's does beside any backend.
    What only the neighbours of a layer run shows its faults, too.
    """
    alone = of_ranks and ranks.why_not(scope.ranks, device) is None if scope.ranks > 1 else not scope.isolated
    by_default = backend in DEFAULT
    cells = scope.cells(DEFAULT if by_default else (backend,), "default", by_default=by_default, device=device)
    names = {name for name, _ in cells}
    if scope.entry == AOT_FUNCTION:
        return alone and not names.isdisjoint(AOT_FUNCTIONS)
    return alone and (backend in names or (backend in BETWEEN and BETWEEN[backend].neighbours <= names))


def _those(clauses: Sequence[Clause]) -> str:
    """How many clauses run a fault; which ones, where they are few."""
    names = f" ({', '.join(clause.id for clause in clauses)})" if 0 < len(clauses) <= _FEW else ""
    return f"{len(clauses)} that run it{names}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant faults in a module and print what became of each. Returns 1 if no clause noticed a fault that some run."""
    parser = argparse.ArgumentParser(prog="python -m suites.selfcheck.planted", description=__doc__)
    parser.add_argument("modules", metavar="MODULE", nargs="*", help="modules of torch that are written in Python")
    parser.add_argument("--backend", default="aot_eager", help="the honest backend (default: aot_eager)")
    parser.add_argument("--family", action="append", help="only clauses of this family; repeatable")
    parser.add_argument(
        "--clause",
        metavar="PATTERN",
        action="append",
        help="only clauses of such names, say operators/functional/*; repeatable",
    )
    parser.add_argument(
        "--written",
        type=Path,
        metavar="FILE",
        action="append",
        help="the faults of this file, of each module that it names, in place of those drawn; repeatable",
    )
    parser.add_argument("--formulas", action="store_true", help="faults of numbers, too")
    parser.add_argument("--function", action="append", help="only faults in this function; repeatable")
    parser.add_argument("--line", type=int, action="append", help="only faults in this line; repeatable")
    parser.add_argument("--sample", type=int, metavar="N", help="this many faults, the same ones each time")
    parser.add_argument("--seed", type=int, default=0, help="another sample")
    parser.add_argument("--clauses", type=int, default=100, metavar="N", help="at most so many for a fault (100)")
    parser.add_argument(
        "--seconds", type=float, default=ASKING, metavar="S", help=f"of processor time for a fault ({ASKING:.0f})"
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where programs run")
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="how many processes share the work")
    options = parser.parse_args(arguments)
    if options.jobs == 1 and (options.device != "cpu" or torch.backends.cuda.is_built()):
        # Of such a torch the first backward starts threads of autograd's, and forks of this process would be refused
        # every backward from then on: a fault would be told as noticed that nobody has noticed.
        parser.error("with a torch that is built for CUDA only forks may run programs: give -j a number above 1")
    leave_cuda_to_forks()
    one_thread()
    logging.disable(logging.CRITICAL)  # Broken torch has much to say.
    started = time.monotonic()
    try:
        names = options.modules or [name for place in options.written or () for name in modules(place)]
        sites = [Site.of(name, options) for name in dict.fromkeys(names)]
    except (ValueError, ImportError) as error:
        parser.error(str(error))
    if not sites:
        parser.error("name a module, or a file of faults by --written")
    clauses = [
        clause
        for clause in every_clause(every_row=True)
        if (not options.family or clause.family in options.family)
        if clause.is_named(options.clause)
        if is_judge(clause.scope, options.backend, options.device, of_ranks=bool(options.family or options.clause))
    ]
    torch_internals.import_compiler(inductor=True)
    if environment.uses_inductor(options.backend):
        torch_internals.pick_vector_instructions()  # Else each fork finds out, by compilers and interpreters.
    print(f"asking {len(clauses)} clauses without a fault first ...", file=sys.stderr, flush=True)
    jury = Jury(clauses, options.backend, sites, options.device, options.jobs, options.seconds)
    number = sum(len(site.chosen) for site in sites)
    where = ", ".join(site.name for site in sites)
    took = f"{time.monotonic() - started:.0f} s"
    print(f"{number} faults in {where}, {len(jury.honest)} clauses on {options.backend}, asked in {took}", flush=True)
    for outcome, count in jury.others.most_common(_FEW):
        print(f"{count} clauses more come to nothing: {outcome}")
    counts = Counter[str]()
    for site, fault, notice in jury.judgements(options.clauses):
        place = f"{site.name}\n" if len(sites) > 1 else ""
        kind = "noticed" if notice.clause else notice.how
        counts[kind] += 1
        if notice.clause:
            by = f" by {notice.clause} ({notice.how}; clause {notice.clauses_run})"
        elif notice.clauses_run:
            by = f" by {notice.clauses_run} clauses of {_those(jury.those_that_run(site, fault))}"
        else:
            by = ": no clause that may be asked runs it"
        print(f"{place}{fault}\n      {kind}{by}", flush=True)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    print(f"{told}; {time.monotonic() - started:.0f} s")
    return 1 if counts[UNNOTICED] or counts[UNDECIDED] else 0


if __name__ == "__main__":
    sys.exit(main())
