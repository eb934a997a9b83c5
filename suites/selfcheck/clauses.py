"""Every clause of the suites as a function that can be called, without pytest, and the mutants that can meet it."""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import suites
from suites.harness.backends.names import INDUCTOR_MODES
from suites.harness.clauses.scope import AOT_FUNCTION, DYNAMO, Scope
from suites.harness.execution import environment, ranks
from suites.harness.programs.specs import Variant
from suites.harness.results.places import matches
from suites.harness.session.cells import clause_id, source_of
from suites.selfcheck.mutants import MUTANTS

#: Routes that trace a program by themselves: where mutants of make_fx meet it.
TRACING = frozenset(
    {"functionalize", "functionalize_keeping_views", "make_fx", "make_fx_decomposed", "nnc", "without_dead_code"}
)
SUITES = Path(suites.__file__).parent

#: Backends that lower through Inductor: clauses about them alone meet the mutants that stand on Inductor, too.
INDUCTOR_LIKE = frozenset({*INDUCTOR_MODES, "aot_inductor"})

#: Mutants that are not about what a program means: they end or hang the process, or do nothing at all.
LEFT_OUT = frozenset(name for name in MUTANTS if name.startswith("process:"))
COLUMNS: tuple[str, ...] = tuple(name for name in MUTANTS if name not in LEFT_OUT)
#: Mutants that fail any program whatever: one clause a file is enough to see it, and proves nothing of that clause.
_BLUNT = ("leaks_", "changes_the_directory", "deletes_env", "seeds_", "sets_the_default", "exits_", "interrupts_")
INDISCRIMINATE = frozenset(
    name for name in COLUMNS if name.startswith(("state:", "errors:")) and name.partition(":")[2].startswith(_BLUNT)
)


@dataclasses.dataclass(frozen=True)
class Clause:
    """A clause as a function that can be called. ``digest`` is of what it runs, and of what its file shares.

    ``first``: the first of its file.
    """

    id: str
    function: Callable[..., None]
    scope: Scope
    parameters: Mapping[str, Any]
    digest: str
    first: bool

    @property
    def family(self) -> str:
        """The folder that the clause lives in."""
        return self.id.partition("/")[0]

    def places(self) -> tuple[str, ...]:
        """Where a mutant must meet a program for this clause to notice."""
        if self.scope.ranks > 1:
            return ("ranks",)
        if self.scope.on and TRACING.issuperset(self.scope.on):
            return ("traced",)
        within = ("graph", "backward", "program")
        # What is about another device alone is about the kernels that are made for it.
        if any(name in INDUCTOR_LIKE for name in self.scope.on) or not (self.scope.on or self.scope.is_on("cpu")):
            return (*within, "lowering")
        return ("alone",) if self.scope.entry == AOT_FUNCTION else within + ("alone",) * (self.scope.entry != DYNAMO)

    def lacks(self, device: str = "cpu") -> str | None:
        """One line: what the clause needs is not installed, or not there for each rank; None if it is."""
        lacking = environment.missing_package(self.scope.needs)
        return lacking or (ranks.why_not(self.scope.ranks, device) if self.scope.ranks > 1 else None)

    def is_named(self, patterns: Sequence[str] | None) -> bool:
        """Whether a pattern names it, as ``parity gate --clause`` reads them; without patterns each clause is."""
        return not patterns or any(matches(pattern, self.id) for pattern in patterns)

    def mutants(self, device: str = "cpu") -> tuple[str, ...]:
        """The mutants that can be tried on this clause: on a device that it runs on, with what it needs."""
        if not self.scope.is_on(device) or self.lacks(device):
            return ()
        here = (name for name in COLUMNS if MUTANTS[name].place in self.places())
        return tuple(name for name in here if self.first or name not in INDISCRIMINATE)

    def variant(self, mode: str) -> Variant:
        """The primary variant; the first in ``mode`` if the clause has one and a mutant asks for it."""
        variants = self.scope.variants("default")
        return next((variant for variant in variants if variant.mode == mode), variants[0])


@functools.cache
def every_clause(*, every_row: bool = False) -> tuple[Clause, ...]:
    """Every clause of the suites, in the order of their files. Raises what importing a file of clauses raises.

    ``every_row``: of a long table all rows, not those alone that stand for it.
    """
    return tuple(_clauses(every_row))


def of_device(device: str) -> tuple[Clause, ...]:
    """The clauses that a device's matrix is of: all that run on the CPU, or those about another device alone."""
    there = (clause for clause in every_clause() if clause.scope.is_on(device))
    return tuple(clause for clause in there if device == "cpu" or not clause.scope.is_on("cpu"))


def _clauses(every_row: bool) -> Iterator[Clause]:
    for path in sorted(SUITES.glob("*/**/test_*.py")):
        if path.relative_to(SUITES).parts[0] in ("harness", "selfcheck"):
            continue
        name = ".".join([suites.__name__, *path.relative_to(SUITES).with_suffix("").parts])
        module = importlib.import_module(name)
        shared = _shared_source(path)
        first = True
        for test, function in list(vars(module).items()):
            own = inspect.isfunction(function) and function.__module__ == name
            if test.startswith("test_") and own and "check" in inspect.signature(function).parameters:
                yield from of_function(path.relative_to(SUITES), test, function, shared, first, every_row)
                first = False


def _shared_source(path: Path) -> str:
    """What the clauses of a file share: everything in it but tests, imports and docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kept = [
        node
        for node in tree.body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    return "\n".join(map(ast.unparse, kept))


def of_function(
    path: Path, test: str, function: Callable[..., None], shared: str, first: bool, every_row: bool = False
) -> Iterator[Clause]:
    """The clauses that a test is: one for each set of its parameters, or for those that stand for all."""
    marks = getattr(function, "pytestmark", [])
    scope = next((mark.args[0] for mark in marks if mark.name == "clause"), Scope())
    digest = hashlib.blake2b((shared + _what_runs(function, scope)).encode(), digest_size=8).hexdigest()
    rows = list(_parameter_sets([mark for mark in marks if mark.name == "parametrize"]))
    step = -(-len(rows) // scope.stand_for_all) if scope.stand_for_all and not every_row else 1
    for parameters in rows[::step]:
        described = [f"{name}={value}" for name, value in parameters.items()]
        yield Clause(clause_id(str(path), test, described), function, scope, parameters, digest, first)


def _what_runs(function: Callable[..., None], scope: Scope) -> str:
    """A clause's code and where it applies: neither how its mark is written nor which lines of the map it covers."""
    (test,) = ast.parse(source_of(function)).body
    assert isinstance(test, ast.FunctionDef)
    test.decorator_list = [mark for mark in test.decorator_list if not ast.unparse(mark).startswith("clause(")]
    return ast.unparse(test) + repr(dataclasses.replace(scope, covers=()))


def _parameter_sets(marks: Sequence[Any]) -> Iterator[dict[str, Any]]:
    axes = []
    for mark in marks:
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else list(mark.args[0])
        names = [name.strip() for name in names]
        values = [getattr(value, "values", (value,) if len(names) == 1 else value) for value in mark.args[1]]
        axes.append([dict(zip(names, value, strict=True)) for value in values])
    for chosen in itertools.product(*axes):
        yield {name: value for part in chosen for name, value in part.items()}
