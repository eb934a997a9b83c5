"""`torch.compile`'s ``mode`` and ``options`` on Inductor: what they mean for their program, and for no other."""

from typing import Any

import pytest
import torch

from suites.harness import Check, built, clause, tensor, torch_internals

#: The modes of torch.compile that need no device of their own.
MODES = ("default", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
#: Those that record graphs of a GPU's kernels, where there is one.
RECORDING = ("reduce-overhead", "max-autotune")
#: Options that a caller may hand to torch.compile, by what they choose.
OPTIONS: dict[str, dict[str, Any]] = {
    "tuned": {"max_autotune": True, "coordinate_descent_tuning": True},
    "not_fused": {"epilogue_fusion": False, "max_fusion_size": 1},
    "padded": {"shape_padding": True, "comprehensive_padding": True},
    "debugged": {"size_asserts": True, "alignment_asserts": True, "nan_asserts": False},
    "planned": {"memory_planning": True},
    "with-dashes": {"max-autotune": False, "epilogue-fusion": True},
}


class _Counted(torch.nn.Module):
    """Two layers, and a buffer that counts calls."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 33), torch.nn.Linear(33, 4)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        assert isinstance(self.calls, torch.Tensor)
        self.calls.add_(1)
        hidden = self.first(a).softmax(-1)
        b.mul_(2)
        return self.second(hidden).sin() * 2, hidden.t()


@pytest.mark.parametrize("mode", MODES)
@clause("lowering.modes", modes=("train", "no_grad"), on=("inductor",))
def test_mode(check: Check, mode: str) -> None:
    """In each mode a module computes, differentiates, counts and writes as eager does, call after call."""
    # What a recorded graph hands out is the caller's until the next call alone.
    sizes = (2,) if mode in RECORDING and check.device != "cpu" else (2, 2, 5)
    calls = [(tensor(rows, 4), tensor(3, grad=False)) for rows in sizes]
    result = check(built(_Counted), calls=calls, mode=mode, probe=False)
    result.mutated(1, "module.calls").gradient(0).shape("out[1]", 33, 2)


@pytest.mark.parametrize("name", OPTIONS)
@clause("lowering.modes", modes=("train", "no_grad"), on=("inductor",))
def test_options(check: Check, name: str) -> None:
    """With options of each kind a module computes, differentiates, counts and writes as eager does."""
    calls = [(tensor(2, 4), tensor(3, grad=False))] * 2
    result = check(built(_Counted), calls=calls, options=OPTIONS[name], probe=False)
    result.mutated(1, "module.calls").gradient(0).shape("out[1]", 33, 2)


def _doubled(a: torch.Tensor) -> torch.Tensor:
    return a.sin() * 2


@clause("lowering.modes", on=("inductor",))
def test_options_are_those_of_their_program(check: Check) -> None:
    """An option holds wherever its program is compiled, for another size too, and for no program beside it."""
    graphs: list[str] = []
    options = {"post_grad_custom_post_pass": lambda graph: graphs.append("option's")}
    a = torch.tensor([0.5, -1.0, 2.0])
    with check.compiled(_doubled, options=options) as compiled:
        seen = [compiled(a), compiled(a[:2])]
    counted = len(graphs)
    with check.compiled(lambda a: a.cos() * 3) as beside:
        beside(a)
    check.demand("state", "graphs that the option's pass saw", [2, 2], [counted, len(graphs)])
    check.demand("value", "of both sizes", True, all(torch.allclose(b, _doubled(a[: len(b)])) for b in seen))


@clause("lowering.modes", on=("inductor",))
def test_options_leave_settings_as_they_are(check: Check) -> None:
    """Modes and options change no setting of the process: neither where a program is compiled, nor where it is run."""
    names = ("inductor.max_autotune", "inductor.epilogue_fusion", "inductor.coordinate_descent_tuning")

    def settings() -> list[Any]:
        return [torch_internals.setting(name) for name in names]

    found, a = [settings()], torch.tensor([0.5, -1.0, 2.0])
    ways: list[dict[str, Any]] = [
        {"mode": "max-autotune-no-cudagraphs"},
        {"options": {"max_autotune": True, "epilogue_fusion": False}},
    ]
    for way in ways:
        with check.compiled(_doubled, **way) as compiled:
            found.append(settings())
            seen = compiled(a)
            found.append(settings())
    check.demand("state", "settings around two compilations", [found[0]] * len(found), found)
    check.demand("value", "of the last call", True, torch.allclose(seen, _doubled(a)))


#: What torch.compile refuses, and how.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "mode": ({"mode": "fastest"}, "Unrecognized mode=fastest"),
    "option": ({"options": {"no_such_option": True}}, "Unexpected optimization option no_such_option"),
    "type": ({"options": {"max_autotune": "yes"}}, "Unexpected type of attr max_autotune, got str should be bool"),
}


@pytest.mark.parametrize("what", REFUSED)
@clause("lowering.modes", on=("inductor",))
def test_mode_or_option_that_there_is_not(check: Check, what: str) -> None:
    """A mode or an option that Inductor has not, or of another type, is refused by name; a program after it runs."""
    asked, message = REFUSED[what]
    a, told = torch.tensor([0.5, -1.0, 2.0]), ""
    try:
        with check.compiled(_doubled, **asked) as compiled:
            compiled(a)
    except RuntimeError as error:
        told = str(error)
    check.demand("error", "the refusal names it", True, message in told or told)
    with check.compiled(_doubled) as compiled:
        seen = compiled(a)
    check.demand("value", "of a program after it", True, torch.allclose(seen, _doubled(a)))
