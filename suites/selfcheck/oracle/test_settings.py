"""The settings of torch's compiler that a program is compiled under: the same wherever it runs."""

from typing import Any

import pytest
import torch

from suites.harness import tensor, torch_internals
from suites.harness.backends.backend import DRAWS_AS_EAGER, Backend, CompileOptions
from suites.harness.backends.compiling import through_dynamo
from suites.harness.backends.registry import resolve
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import Subject
from suites.harness.programs.clause_programs import ClauseProgram
from suites.selfcheck.mutants import HONEST


@pytest.mark.parametrize("by_default", [False, True])
def test_hidden_aliases_are_warned_of_wherever_it_runs(by_default: bool) -> None:
    name = "error_on_custom_op_aliasing"
    with torch_internals.configured({f"functorch.{name}": by_default}), torch_internals.compiler_settings():
        assert torch_internals.setting(f"functorch.{name}") is False


def test_settings_of_ones_own_win() -> None:
    name = "error_on_custom_op_aliasing"
    with torch_internals.compiler_settings({f"functorch.{name}": True}):
        assert torch_internals.setting(f"functorch.{name}") is True


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("eager", False),
        ("aot_eager", False),
        ("aot_function", False),
        ("cudagraphs", False),
        (HONEST, False),
        ("aot_eager_decomp_partition", True),
        ("inductor", True),
        ("inductor_cpp_wrapper", True),
        ("inductor_cached", True),
        ("aot_inductor", True),
        ("standalone_compile", True),
    ],
)
def test_backend_runs_under_a_users_settings_but_for_what_comparing_needs(name: str, changed: bool) -> None:
    backend = resolve(name)
    assert dict(backend.config) == ({"inductor.fallback_random": True} if changed else {})
    with backend.settings(CompileOptions()):
        assert torch_internals.setting("inductor.fallback_random") is changed


def test_settings_of_a_clause_win_over_those_that_comparing_needs() -> None:
    with resolve("inductor").settings(CompileOptions(config=(("inductor.fallback_random", False),))):
        assert torch_internals.setting("inductor.fallback_random") is False


def test_backend_says_which_settings_comparing_needs(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "on_inductor.py").write_text(
        "def backend(module, example_inputs): return module.forward\n"
        "backend.parity_config = {'inductor.fallback_random': True}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert resolve("on_inductor:backend").config == DRAWS_AS_EAGER


@pytest.mark.parametrize(
    ("config", "outcome"), [((), "pass"), (DRAWS_AS_EAGER, "fail")], ids=["as_torch_comes", "with_eagers_kernels"]
)
def test_plain_use_of_aot_autograd_draws_as_eager_does(config: tuple[tuple[str, Any], ...], outcome: str) -> None:
    """Its default partitioner draws again in backward if, and only if, draws are made to be eager's."""
    compiler = torch_internals.aot_autograd(fw_compiler=lambda module, example_inputs: module.forward)
    backend = Backend("plain", through_dynamo(lambda options: compiler), bitwise=True, config=config)
    assert _drawing(backend).outcome == outcome


def _drawing(backend: Backend) -> Examination:
    program = ClauseProgram(lambda a: a * 2 + torch.rand(3), ((tensor(3),),))
    return examine(Subject(program, CallOptions("train")), backend)


def test_setting_that_torch_does_not_have_is_named() -> None:
    with (
        pytest.raises(ValueError, match=r"setting 'inductor\.no_such_thing': torch .* has no such setting"),
        torch_internals.configured({"inductor.no_such_thing": 1}),
    ):
        pass
