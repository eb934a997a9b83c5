"""Real weights in symbolic tracing: a module's own tensors are used as they are, and their shape is left alone."""

from collections.abc import Callable
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from suites.harness import Check, Result, built, clause, tensor

TRACED = ("make_fx",)


class _Scaled(torch.nn.Module):
    """A matrix product and a scale: a parameter and a buffer."""

    scale: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3) / 4)
        self.register_buffer("scale", torch.tensor([2.0, -3.0]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x @ self.weight.t()) * self.scale


class _Reshapes(_Scaled):
    """Transposes its own buffer, which changes no data."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.scale.unsqueeze_(0)
        return super().forward(x)


def _error_of(call: Callable[[], Any]) -> str:
    """What a call says when it raises; empty if it does not."""
    try:
        call()
    except Exception as error:
        return str(error)
    return ""


def _refuses(check: Check, program: Callable[..., Any], *args: Any) -> str:
    """What the cell's backend says to a program that eager runs."""

    def call() -> None:
        with check.compiled(program, dynamic=check.variant.shapes == "dynamic", fullgraph=False) as compiled:
            compiled(*args)

    return _error_of(call)


@clause("T1.7", modes="train", shapes="dynamic", on=TRACED)
def test_weights_are_attributes_and_no_inputs(check: Check) -> None:
    """With leave, real weights are attributes of the symbolic graph: nothing is lifted, and gradients reach them."""
    result = check(built(_Scaled), tensor(4, 3))
    result.gradient(0)
    result.happened(result.call.gradients.get("module.weight") is not None, "a gradient of the weight")
    result.forward.expect("""\
def forward(self, arg0_1):
    _param_constant0 = self._param_constant0
    t = torch.ops.aten.t.default(_param_constant0)
    mm = torch.ops.aten.mm.default(arg0_1, t)
    _tensor_constant0 = torch.tensor([2.0, -3.0], dtype=torch.float32)
    mul = torch.ops.aten.mul.Tensor(mm, _tensor_constant0)
    return mul
""")


@clause("T1.7", shapes="dynamic", on=TRACED)
def test_weights_without_leave_are_refused(check: Check) -> None:
    """Without leave, symbolic tracing refuses a module's real weights and says what it met."""
    result: Result = check(built(_Scaled), tensor(4, 3))
    result.values().expect("""\
out = float32[4, 2] [[-1.554, 7.242], [0.7872, 0.6707], [-0.6816, 5.112], [-0.05809, 5.03]]
""")
    said = _error_of(lambda: make_fx(_Scaled(), tracing_mode="symbolic")(torch.ones(4, 3)))
    result.demand("error", "real weights without leave", True, "allow_non_fake_inputs" in said)


@clause("T1.7", shapes="dynamic", on=TRACED)
def test_metadata_mutation_of_an_attribute_is_refused(check: Check) -> None:
    """A module that unsqueezes its own buffer in place cannot be traced with it as it is: tracing raises."""
    said = _refuses(check, _Reshapes(), torch.ones(4, 3))
    check.demand("error", "a buffer whose sizes the program changes", True, "metadata mutating ops" in said)
