"""The settings of torch's compiler that a program is compiled under: the same wherever it runs."""

import pytest

from suites.harness import torch_internals


@pytest.mark.parametrize("by_default", [False, True])
def test_hidden_aliases_are_warned_of_wherever_it_runs(by_default: bool) -> None:
    name = "error_on_custom_op_aliasing"
    with torch_internals.configured({f"functorch.{name}": by_default}), torch_internals.compiler_settings():
        assert torch_internals.setting(f"functorch.{name}") is False


def test_settings_of_ones_own_win() -> None:
    name = "error_on_custom_op_aliasing"
    with torch_internals.compiler_settings(config={f"functorch.{name}": True}):
        assert torch_internals.setting(f"functorch.{name}") is True


def test_setting_that_torch_does_not_have_is_named() -> None:
    with (
        pytest.raises(ValueError, match=r"setting 'inductor\.no_such_thing': torch .* has no such setting"),
        torch_internals.configured({"inductor.no_such_thing": 1}),
    ):
        pass
