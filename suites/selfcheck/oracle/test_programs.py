"""A program is fresh for every run: runs do not see each other's closures, defaults, modules or globals."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from suites.harness import built, tensor, torch_internals
from suites.harness.backends.registry import resolve
from suites.harness.clauses.check import Check
from suites.harness.clauses.endings import NotSupported
from suites.harness.clauses.scope import Scope
from suites.harness.observation.observe import CallOptions, Instance, observe
from suites.harness.oracle.runs import of_file
from suites.harness.programs.clause_programs import ClauseProgram
from suites.harness.programs.copying import fresh, reachable_state
from suites.harness.programs.errors import BadProgram, OtherRelease
from suites.harness.programs.files import FileProgram
from suites.harness.programs.specs import Variant
from suites.harness.programs.upcasting import Upcaster


def _run(program: Any) -> None:
    program(torch.ones(1))


def test_closed_over_lists_are_a_runs_own() -> None:
    kept: list[int] = []

    def program(a: torch.Tensor) -> None:
        kept.append(1)

    one, other = fresh(program), fresh(program)
    _run(one)
    _run(one)
    _run(other)
    assert kept == []
    assert [inspect.getclosurevars(each).nonlocals["kept"] for each in (one, other)] == [[1, 1], [1]]


def test_one_list_in_two_closures_stays_one() -> None:
    kept: list[int] = []

    def helper() -> None:
        kept.append(1)

    def program(a: torch.Tensor) -> int:
        helper()
        return len(kept)

    assert fresh(program)(torch.ones(1)) == 1
    assert kept == []


def test_defaults_and_attributes_are_a_runs_own() -> None:
    def program(a: torch.Tensor, seen: list[int] = []) -> int:  # noqa: B006
        seen.append(1)
        return len(seen)

    program.calls = []  # type: ignore[attr-defined]
    copied = fresh(program)
    _run(copied)
    copied.calls.append(1)  # type: ignore[attr-defined]
    assert program.__defaults__ == ([],)
    assert program.calls == []  # type: ignore[attr-defined]
    assert copied.__defaults__ == ([1],)


def test_recursive_function_calls_its_own_copy() -> None:
    def program(depth: int) -> int:
        return 0 if depth == 0 else 1 + program(depth - 1)

    assert fresh(program)(3) == 3


def test_state_of_functions_that_call_each_other_comes_to_an_end() -> None:
    kept: list[int] = []

    def even(number: int) -> bool:
        kept.append(number)
        return number == 0 or odd(number - 1)

    def odd(number: int) -> bool:
        return number != 0 and even(number - 1)

    def program(a: torch.Tensor) -> bool:
        return even(len(a)) or odd(len(a))

    assert list(reachable_state(program)) == [("closure even: closure kept", kept)]


def test_code_is_the_same_object() -> None:
    def program(a: torch.Tensor) -> torch.Tensor:
        return a

    assert fresh(program).__code__ is program.__code__


def test_two_runs_see_the_same_calls() -> None:
    history: list[float] = []

    def program(a: torch.Tensor) -> torch.Tensor:
        history.append(1.0)
        return a + len(history)

    subject = ClauseProgram(program, ((tensor(2),), (tensor(2),)))
    first, second = (observe(subject, lambda run: run, CallOptions()) for _ in range(2))
    values = [[call.tensors["out"].value for call in run.calls] for run in (first, second)]
    for one, other in zip(*values, strict=True):
        assert one is not None
        assert other is not None
        assert torch.equal(one, other)
    assert "closure history[1]" in first.calls[1].entries


def test_modules_are_built_anew_and_seeded() -> None:
    program = ClauseProgram(built(lambda: torch.nn.Linear(2, 2)), ((tensor(1, 2),),))
    one, other = program.instantiate().function, program.instantiate().function
    assert one is not other
    assert torch.equal(one.weight, other.weight)  # type: ignore[attr-defined]


def _file(folder: Path, text: str) -> FileProgram:
    path = folder / "mine.py"
    path.write_text("import torch\n" + text, encoding="utf-8")
    return FileProgram(path)


def test_file_is_executed_for_every_run(tmp_path: Path) -> None:
    source = "kept = []\ndef program(a):\n    kept.append(1)\n    return a + len(kept)\n"
    program = _file(tmp_path, source + "def inputs(): return (torch.ones(1),)\n")
    for _ in range(2):
        instance = program.instantiate()
        assert instance.function(*instance.calls[0]().args).item() == 2.0
        assert "global kept" in instance.state()


PLAIN = "def program(a): return a\ndef inputs(): return (torch.ones(1),)\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def inputs(): return ()\n", "no function `program"),
        ("def program(a): return a\n", "no function `inputs() -> tuple`; write one, or give --input"),
        ("def program(:\n", ":2: "),
        ("1 / 0\n", ":2: ZeroDivisionError"),
        ("def program(a): return a\ncalls = 3\n", "`calls` must be a list"),
        (f"{PLAIN}TORCH = 2.13\n", "`TORCH` must be a range of releases"),
        (f"{PLAIN}CONFIG = 3\n", "`CONFIG` must be a dict"),
        (f"{PLAIN}CONFIG = {{3: 3}}\n", "`CONFIG` must be a dict"),
        (f"{PLAIN}CONFIG = {{'inductor.no_such': 3}}\n", "`CONFIG`: setting 'inductor.no_such'"),
        (f"{PLAIN}CONFIG = {{'debug': True}}\n", "none of dynamo, functorch, inductor, symbols comes before"),
    ],
)
def test_mistakes_in_a_file_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadProgram) as caught:
        _file(tmp_path, text).settings()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_mistake_in_inputs_names_its_line(tmp_path: Path) -> None:
    program = _file(tmp_path, "def program(a): return a\ndef inputs():\n    return torch.ones(-1)\n")
    with pytest.raises(BadProgram, match=r"mine\.py:4: inputs\(\) raised RuntimeError"):
        program.instantiate().calls[0]()


@pytest.mark.parametrize("text", ["TORCH = '<2'\n1 / 0\n", f"{PLAIN}TORCH = '<2'\n"])
def test_file_for_other_releases_says_so_before_what_they_lack(tmp_path: Path, text: str) -> None:
    with pytest.raises(OtherRelease, match=r"mine\.py: it is about torch <2, and this is 2\."):
        _file(tmp_path, text).settings()


def test_clause_over_a_file_for_other_releases_is_not_supported_wherever_the_file_lies(tmp_path: Path) -> None:
    _file(tmp_path, "TORCH = '<2'\n")
    check = Check(resolve("eager"), Variant("no_grad", "static", "plain"), Scope(()))
    with pytest.raises(NotSupported, match=r"^mine\.py: it is about torch <2"):
        check.file(tmp_path / "mine.py")


@pytest.mark.parametrize("isolated", [False, True], ids=["here", "in a process of its own"])
def test_program_that_only_its_making_shows_to_be_for_other_releases_is_not_supported(isolated: bool) -> None:
    class OfAnother(ClauseProgram):
        def instantiate(self, *, upcast: bool = False) -> Instance:
            raise OtherRelease("torch 2 has no such operator")

    variant = Variant("no_grad", "static", "plain")
    check = Check(resolve("eager"), variant, Scope((), isolated=isolated))
    with pytest.raises(NotSupported, match=r"^torch 2 has no such operator$"):
        check.program(OfAnother(_run, ((tensor(1),),), variant))


def test_file_settings(tmp_path: Path) -> None:
    program = _file(tmp_path, "TRAIN = DYNAMIC = True\ndef program(a): return a\ndef inputs(): return ()\n")
    settings = program.settings()
    assert (settings.train, settings.dynamic, settings.calls, settings.config) == (True, True, 2, ())


def test_settings_of_the_compiler_hold_while_a_file_is_compiled(tmp_path: Path) -> None:
    """And are no state of the program's."""
    program = _file(tmp_path, f"{PLAIN}CONFIG = {{'inductor.enable_auto_functionalized_v2': False}}\n")
    subject = of_file(program, program.settings())
    assert subject.options.config == (("inductor.enable_auto_functionalized_v2", False),)
    assert not any("CONFIG" in name for name in program.instantiate().state())
    with resolve("aot_eager").settings(subject.options):
        assert torch_internals.setting("inductor.enable_auto_functionalized_v2") is False
    assert torch_internals.setting("inductor.enable_auto_functionalized_v2") is True


def test_kernels_are_no_state(tmp_path: Path) -> None:
    """A kernel of Triton's holds the globals of its file, and whatever it has compiled."""
    text = "class JITFunction: ...\nJITFunction.__module__ = 'triton.runtime.jit'\nkernel, other = JITFunction(), [1]\n"
    state = _file(tmp_path, text + PLAIN).instantiate().state()
    assert "global other" in state
    assert "global kernel" not in state


@pytest.mark.parametrize("make", [lambda t: (t, t[1:]), lambda t: [t, t], lambda t: {"a": t.t(), "b": (t,)}])
def test_upcasting_keeps_aliasing_and_identity(make: Callable[[torch.Tensor], Any]) -> None:
    from suites.harness.observation.walk import walk

    value = make(torch.arange(4.0).reshape(2, 2))
    narrow, wide = walk({"v": value}), walk({"v": Upcaster()(value)})
    assert narrow.entries == wide.entries
    keys = [{torch_internals.storage_key(t) for t in walked.tensors.values()} for walked in (narrow, wide)]
    assert len(keys[0]) == len(keys[1])
    for path, tensor_ in narrow.tensors.items():
        other = wide.tensors[path]
        assert other.dtype == torch.float64
        assert (other.stride(), other.storage_offset()) == (tensor_.stride(), tensor_.storage_offset())
        assert torch.equal(other, tensor_.double())


def test_upcasting_leaves_what_shows_a_dict_shows_it() -> None:
    """Else the run that judges distances reads other numbers than eager, and what is as far off is right."""
    plain, named = {"old": 1}, {"a": torch.ones(2)}
    values = Upcaster()((plain, types.MappingProxyType(plain), named, types.MappingProxyType(named)))
    for held, shown in (values[:2], values[2:]):
        held["new"] = 2
        assert shown == held
    assert values[3]["a"].dtype == torch.float64
    assert "new" not in named
