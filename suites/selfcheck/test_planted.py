"""Planting faults: which there are, that one changes what it says, that it is noted and noticed, or not."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import sympy
import torch

from suites.harness import Check, tensor, torch_internals
from suites.harness.clauses.scope import Scope
from suites.selfcheck import faults, planted
from suites.selfcheck.clauses import Clause

SOURCE = """
import logging

def sign(number, notes):
    if number < 0 or number != number:
        notes.append("negative")
        return -1
    return 1

module_log = logging.getLogger(__name__)

class Counter:
    def __init__(self):
        self.count = 0

    def add(self, times):
        self.count += times
        module_log.debug("counted")
        return self.count

def never():
    return 0 if sign else 1
"""


FORMULAS = """
import torch

def scaled(a: "int | None", times=2, *, low: bool = True):
    if not low:
        raise ValueError("one of " + str(times - 1))
    bounded = torch.where(a > 0, a * times, -a)
    return bounded.amax(dim=0, keepdim=True) + 0.5
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    return _module("planted_in", tmp_path, monkeypatch)


def _module(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    path = folder / f"{name}.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, made)
    spec.loader.exec_module(made)
    return made


def _plant(module: types.ModuleType, kind: str, function: str) -> set[int]:
    tree = ast.parse(SOURCE)
    (fault,) = (fault for fault in faults.faults(tree) if (fault.kind, fault.function) == (kind, function))
    reached: set[int] = set()
    setattr(module, faults.REACHED, reached)
    planted.plant(module, faults.planted(tree, fault))
    return reached


def test_what_a_function_remembers_is_forgotten_with_a_fault_in_it(
    module: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembering = functools.cache(module.never)
    monkeypatch.setattr(module, "remembering", remembering, raising=False)
    assert remembering() == 0
    _plant(module, "negated", "never")
    assert remembering() == 1


def test_what_a_decorator_of_another_module_does_once_is_not_done_twice(
    module: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []
    wrapped = functools.wraps(module.never)(lambda: done.append(module.never()))
    once = functools.cache(wrapped)
    monkeypatch.setattr(module, "once", once, raising=False)
    once()
    _plant(module, "negated", "never")
    once()
    assert done == [0]


def test_what_sympy_remembers_of_a_size_is_forgotten_with_a_fault() -> None:
    answers = [sympy.Integer(2), sympy.Integer(0)]

    class Half(sympy.Function):
        @classmethod
        def eval(cls, size: sympy.Expr) -> sympy.Expr:
            return answers[0]

    a = sympy.Symbol("a", integer=True, positive=True)
    assert Half(a) == 2
    answers.pop(0)
    assert Half(a) == 2
    torch_internals.forget_what_was_found()
    assert Half(a) == 0


def test_what_is_known_of_a_range_is_forgotten_with_a_fault() -> None:
    shapes: Any = importlib.import_module("torch.fx.experimental.symbolic_shapes")
    a = sympy.Symbol("a", integer=True)
    shapes._maybe_evaluate_static_worker(a > 0, (), False, False)
    assert shapes._maybe_evaluate_static_worker.cache_info().currsize
    torch_internals.forget_what_was_found()
    assert not shapes._maybe_evaluate_static_worker.cache_info().currsize


def test_what_an_operator_of_sizes_remembers_is_forgotten_with_a_fault() -> None:
    shapes: Any = importlib.import_module("torch.fx.experimental.symbolic_shapes")

    def quotient(size: torch.Tensor) -> torch.Tensor:
        return size * (size.size(0) // 2 // 3)

    def asked() -> int:
        """How often a quotient was looked at while a program was compiled anew."""
        torch_internals.reset()
        with mock.patch.object(shapes.FloorDiv, "eval", wraps=shapes.FloorDiv.eval) as looks:
            torch.compile(quotient, backend="eager", dynamic=True)(torch.ones(11))
        return looks.call_count

    asked()
    torch_internals.forget_what_was_found()
    first = asked()
    assert asked() < first
    torch_internals.forget_what_was_found()
    assert asked() == first


def test_faults_that_can_be_planted() -> None:
    told = [(fault.function, fault.kind, fault.source) for fault in faults.faults(ast.parse(SOURCE))]
    assert sorted(told) == [
        ("add", "left out", "self.count += times"),
        ("never", "negated", "sign"),
        ("sign", "and for or", "number < 0 or number != number"),
        ("sign", "left out", "notes.append('negative')"),
        ("sign", "negated", "number < 0 or number != number"),
    ]


def test_faults_of_formulas() -> None:
    told = [(fault.kind, fault.source) for fault in faults.faults(ast.parse(FORMULAS), formulas=True)]
    assert sorted(told) == [
        ("- for +", "bounded.amax(dim=0, keepdim=True) + 0.5"),
        ("/ for *", "a * times"),
        (">= for >", "a > 0"),
        ("amin for amax", "bounded.amax(dim=0, keepdim=True)"),
        ("last option left out", "bounded.amax(dim=0, keepdim=True)"),
        ("negated", "not low"),
        ("one more", "0"),
        ("one more", "0"),
        ("one more", "0.5"),
        ("sign left out", "-a"),
        ("turned round", "True"),
        ("turned round", "torch.where(a > 0, a * times, -a)"),
    ]


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [
        ("", "", [[4.5, 6.5]]),
        ("- for +", "+ 0.5", [[3.5, 5.5]]),
        ("/ for *", "a * times", [[1.5, 2.5]]),
        (">= for >", "a > 0", [[4.5, 6.5]]),
        ("amin for amax", "amax", [[0.5, 2.5]]),
        ("last option left out", "amax", [4.5, 6.5]),
        ("one more", "0.5", [[5.5, 7.5]]),
        ("sign left out", "-a", [[4.5, 6.5]]),
        ("turned round", "True", [4.5, 6.5]),
        ("turned round", "where", [[0.5, -2.5]]),
    ],
)
def test_fault_of_a_formula(tmp_path: Path, kind: str, source: str, expected: list[object]) -> None:
    path = tmp_path / "formulas.py"
    path.write_text(FORMULAS)
    made = types.ModuleType("formulas")
    made.__file__ = str(path)
    tree = ast.parse(FORMULAS)
    exec(compile(tree, str(path), "exec"), made.__dict__)
    reached: set[int] = set()
    setattr(made, faults.REACHED, reached)
    if kind:
        drawn = faults.faults(tree, formulas=True)
        (fault,) = (fault for fault in drawn if fault.kind == kind and source in fault.source)
        planted.plant(made, faults.planted(tree, fault))
    given = torch.tensor([[2.0, -2.0], [0.0, 3.0]])
    assert made.scaled(given).tolist() == expected
    assert bool(reached) == bool(kind)


def test_negated_condition(module: types.ModuleType) -> None:
    reached = _plant(module, "negated", "sign")
    assert not reached
    assert module.sign(-3, []) == 1
    assert reached


def test_statement_left_out_of_a_function(module: types.ModuleType) -> None:
    reached = _plant(module, "left out", "sign")
    notes: list[str] = []
    assert module.sign(-3, notes) == -1
    assert not notes
    assert len(reached) == 1


def test_statement_left_out_of_a_method(module: types.ModuleType) -> None:
    counter = module.Counter()
    _plant(module, "left out", "add")
    assert counter.add(2) == 0


def test_one_operator_for_the_other(module: types.ModuleType) -> None:
    reached = _plant(module, "and for or", "sign")
    assert module.sign(-3, []) == 1
    assert reached


def test_notes_change_nothing_and_tell_which_faults_would_be_run(module: types.ModuleType) -> None:
    tree = ast.parse(SOURCE)
    drawn = {fault.node: fault for fault in faults.faults(tree)}
    reached: set[int] = set()
    setattr(module, faults.REACHED, reached)
    planted.plant(module, faults.noted(tree, drawn.values()))
    notes: list[str] = []
    assert (module.sign(3, notes), notes) == (1, [])
    assert sorted(drawn[number].kind for number in reached) == ["and for or", "negated"]
    reached.clear()
    assert (module.sign(-3, notes), notes) == (-1, ["negative"])
    assert sorted(drawn[number].kind for number in reached) == ["and for or", "left out", "negated"]
    reached.clear()
    assert module.Counter().add(2) == 2
    assert [drawn[number].source for number in reached] == ["self.count += times"]
    assert module.never() == 0


WRITTEN = """
[[fault]]
module = "planted_in"
was = "-1"
now = "-2"

[[fault]]
module = "planted_in"
function = "sign"
was = "number < 0"
now = "number < -2"

[[fault]]
module = "planted_in"
was = "self.count += times"
now = "self.count = times"

[[fault]]
module = "another"
was = "nowhere"
now = "here"
"""


def test_fault_that_a_reader_wrote(module: types.ModuleType, tmp_path: Path) -> None:
    place = tmp_path / "faults.toml"
    place.write_text(WRITTEN)
    tree = ast.parse(SOURCE)
    assert faults.modules(place) == ["planted_in", "another"]
    told = faults.written(place, "planted_in", SOURCE)
    assert [(fault.function, fault.kind, fault.source) for fault in told] == [
        ("sign", "-2 for -1", "return -1"),
        ("sign", "number < -2 for number < 0", "if number < 0 or number != number:"),
        ("add", "self.count = times for self.count += times", "self.count += times"),
    ]
    reached: set[int] = set()
    setattr(module, faults.REACHED, reached)
    planted.plant(module, faults.noted(tree, told))
    assert (module.sign(-2, []), module.sign(1, []), module.Counter().add(2)) == (-1, 1, 2)
    assert reached == {fault.node for fault in told}
    for fault, expected in zip(told, [(-2, 1, 4), (1, 1, 4), (-1, 1, 2)], strict=True):
        reached.clear()
        planted.plant(module, faults.planted(tree, fault))
        counter = module.Counter()
        assert (module.sign(-2, []), module.sign(1, []), counter.add(2) + counter.add(2) - 2) == expected
        assert fault.node in reached
        planted.plant(module, tree)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fault = ", "Invalid value"),
        ("", "no 'fault'"),
        ('[[fault]]\nmodule = "planted_in"\nwas = "return"', "no 'now'"),
        ('[[fault]]\nmodule = "planted_in"\nwas = "return"\nnow = ""', "'return' stands 4 times in the module"),
        ('[[fault]]\nmodule = "planted_in"\nfunction = "no"\nwas = "a"\nnow = ""', "no function 'no'"),
        ('[[fault]]\nmodule = "planted_in"\nwas = "return -1"\nnow = "a\\nb"', "stands 1 times .*, 1 lines for 2"),
        ('[[fault]]\nmodule = "planted_in"\nwas = "import logging"\nnow = ""', "stands in no body of a function"),
        ('[[fault]]\nmodule = "planted_in"\nwas = "return -1"\nnow = "return )"', "unmatched"),
    ],
)
def test_file_that_is_none_of_faults_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    place = tmp_path / "faults.toml"
    place.write_text(text)
    with pytest.raises(ValueError, match=f"^{place}: .*{reason}"):
        faults.written(place, "planted_in", SOURCE)


def test_module_without_the_function_is_refused() -> None:
    empty = types.ModuleType("empty")
    empty.__file__ = "/nowhere/empty.py"
    with pytest.raises(ValueError, match="no function of empty is alive"):
        planted.plant(empty, ast.parse(SOURCE))


def test_fault_is_noticed_where_it_shows_and_nowhere_else(module: types.ModuleType) -> None:
    def looks_at_the_sign(check: Check) -> None:
        def program(a: torch.Tensor) -> torch.Tensor:
            return a * module.sign(-3, [])

        check(program, tensor(3)).computed()

    notices = _notices(looks_at_the_sign, module, jobs=1)
    assert notices["negated"].how == notices["and for or"].how == "value: value differs"
    assert notices["left out"] == planted.Notice("", planted.UNNOTICED, 1)


def test_forks_share_the_work(module: types.ModuleType) -> None:
    def is_sure_of_the_sign(check: Check) -> None:
        if module.sign(-3, []) != -1:
            raise ValueError("the sign")
        check(lambda a: a * 2, tensor(3)).computed()

    notices = _notices(is_sure_of_the_sign, module, jobs=2)
    assert notices["negated"].how == notices["and for or"].how == "error: ValueError: the sign"
    assert notices["left out"] == planted.Notice("", planted.UNNOTICED, 1)


def test_alone_it_runs_no_torch_that_is_built_for_cuda(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Autograd's threads, which its first backward starts, make every fork after it look like a clause that fails."""
    monkeypatch.setattr(torch.backends.cuda, "is_built", lambda: True)
    with pytest.raises(SystemExit) as ended:
        planted.main(["torch.functional"])
    assert ended.value.code == 2
    assert "give -j a number above 1" in capsys.readouterr().err


def test_fault_for_which_there_was_no_time_is_told_apart(module: types.ModuleType) -> None:
    def calls_it(check: Check) -> None:
        module.sign(-3, [])
        check(lambda a: a * 2, tensor(3)).computed()

    in_time = _notices(calls_it, module, jobs=1)
    assert in_time["negated"] == planted.Notice("", planted.UNNOTICED, 1)
    given_up = _notices(calls_it, module, jobs=1, clauses=2, asking=0.0)
    assert given_up["negated"] == planted.Notice("", planted.UNDECIDED, 1)


def test_clauses_are_asked_of_faults_in_several_modules(
    module: types.ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = _module("also_planted_in", tmp_path, monkeypatch)
    tree = ast.parse(SOURCE)
    sites = [
        planted.Site(each, tree, [fault for fault in faults.faults(tree) if fault.kind == "and for or"])
        for each in (module, other)
    ]

    def asks_the_other(check: Check) -> None:
        def program(a: torch.Tensor) -> torch.Tensor:
            return a * other.sign(-3, [])

        check(program, tensor(3)).computed()

    clause = Clause("here/asks_the_other", asks_the_other, Scope(), {}, "", first=False)
    told = {
        site.module.__name__: notice for site, _, notice in planted.Jury([clause], "aot_eager", sites).judgements(1)
    }
    assert told == {
        "planted_in": planted.Notice("", planted.UNREACHED),
        "also_planted_in": planted.Notice(clause.id, "value: value differs", 1),
    }


def test_clauses_of_each_file_are_asked_in_turn() -> None:
    names = ["a/b/one", "a/b/two(x=1/2)", "a/b/three(x=3)", "a/c/four"]
    clauses = [Clause(name, lambda check: None, Scope(), {}, "", first=False) for name in names]
    for seed in range(5):
        order = [clause.id for clause in planted.by_turns(clauses, seed)]
        assert sorted(order) == sorted(names)
        assert "a/c/four" in order[:2]


def test_clauses_that_name_what_a_function_is_named_after_are_asked_first() -> None:
    def pooled(check: Check) -> None:
        check(torch.nn.functional.avg_pool2d, tensor(1, 1, 2, 2), 2).computed()

    def computed(check: Check) -> None:
        check(torch.sin, tensor(3)).computed()

    functions = {"a/b/one": computed, "a/b/mean_of_windows": pooled, "a/c/pooling": computed, "a/c/other": computed}
    clauses = [Clause(name, function, Scope(), {}, "", first=False) for name, function in functions.items()]
    for seed in range(5):
        fault = faults.Fault(1, "_avg_poolnd", "and for or", seed, "")
        order = [clause.id for clause in planted.in_turn(clauses, fault)]
        assert sorted(order) == sorted(functions)
        # "avg" stands in one of them, and "poolnd" in none.
        assert order[0] == "a/b/mean_of_windows"


@pytest.mark.parametrize(
    ("scope", "backends"),
    [
        (Scope(), {"aot_eager", "aot_eager_decomp_partition", "inductor", "eager"}),
        (Scope(on=("aot_eager_decomp_partition",)), {"aot_eager_decomp_partition"}),
        (Scope(of_formulas=True), {"aot_eager_decomp_partition", "inductor", "eager"}),
        (Scope(devices=("cuda",)), set()),
        (Scope(isolated=True), set()),
        (Scope(profile="full"), set()),
    ],
)
def test_clauses_judge_faults_on_backends_on_which_they_run_by_default(scope: Scope, backends: set[str]) -> None:
    asked = ("aot_eager", "aot_eager_decomp_partition", "inductor", "eager")
    assert {name for name in asked if planted.is_judge(scope, name, "cpu", of_ranks=False)} == backends


def _notices(
    function: Callable[[Check], None],
    module: types.ModuleType,
    jobs: int,
    clauses: int = 1,
    asking: float = planted.ASKING,
) -> dict[str, planted.Notice]:
    """What becomes of each fault of ``sign``, by its kind, if so many clauses do the same."""
    tree = ast.parse(SOURCE)
    chosen = [fault for fault in faults.faults(tree) if fault.function == "sign"]
    alike = [Clause(f"here/sign_{number}", function, Scope(), {}, "", first=False) for number in range(clauses)]
    site = planted.Site(module, tree, chosen)
    jury = planted.Jury(alike, "aot_eager", [site], jobs=jobs, asking=asking)
    return {fault.kind: notice for _, fault, notice in jury.judgements(clauses)}
