"""Strides of what is made of two operands that lie in memory each in its own way, and of one that is broadcast."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

Operator = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

_NAMES = ["add", "sub", "mul", "div", "remainder", "fmod", "pow", "atan2", "maximum", "minimum", "hypot", "nextafter"]
_NAMES += ["float_power", "eq", "lt", "complex", "isclose"]
_LOSSES = ["l1_loss", "mse_loss", "smooth_l1_loss", "kl_div", "poisson_nll_loss"]
_OF_ONE_SHAPE = ["soft_margin_loss", "binary_cross_entropy_with_logits"]


def _loss(name: str) -> Operator:
    """A loss of each element."""
    function = getattr(functional, name)
    return lambda a, b: function(a, b, reduction="none")


#: Those that no release is known to lay out otherwise, of operands that can be broadcast.
OPERATORS: dict[str, Operator] = {
    **{name: getattr(torch, name) for name in _NAMES},
    **{name: _loss(name) for name in _LOSSES},
    "where": lambda a, b: torch.where(a > b, a, b),
    "addcmul": lambda a, b: torch.addcmul(a, b, a),
    "addcdiv": lambda a, b: torch.addcdiv(a, b, a),
    "clamp": lambda a, b: torch.clamp(a, b, b + 1),
    "clamp_min": torch.clamp_min,
    "two in one": lambda a, b: (a + b).sin() * a,
}
#: Losses that broadcast nothing, or not every operand.
OF_ONE_SHAPE: dict[str, Operator] = {name: _loss(name) for name in _OF_ONE_SHAPE}
#: Those that some release lays out otherwise, each a cell of its own.
APART: dict[str, Operator] = {
    "floor_divide": torch.floor_divide,
    "copysign": torch.copysign,
    "logical_xor": lambda a, b: torch.logical_xor(a > 0.5, b),
    "masked_fill": lambda a, b: (a * b).masked_fill(b > 0.5, 1.0),
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "xlogy": torch.xlogy,
    "xlog1py": torch.special.xlog1py,
    "heaviside": torch.heaviside,
    "huber_loss": _loss("huber_loss"),
    "binary_cross_entropy": _loss("binary_cross_entropy"),
    "lerp": lambda a, b: torch.lerp(a, b, 0.25),
    "lerp_by_a_tensor": lambda a, b: torch.lerp(a, b, b),
    "angle": lambda a, b: torch.complex(a, b).angle(),
}
#: Those of which it is claimed how eager lays them out.
CLAIMED = ("add", "pow", "where", "mse_loss", "two in one")
#: Operands, by how they lie.
PLAIN, TURNED = tensor(3, 4), tensor(3, 4, strides=(1, 3))
IMAGES, LAST = tensor(2, 3, 4, 5), tensor(2, 3, 4, 5, strides=(60, 1, 15, 3))
ROWS, CHANNELS = tensor(4, 5), tensor(1, 3, 1, 5)


def _made(operators: dict[str, Operator], a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
    """What every operator makes of two operands, put between nought and one."""
    a, b = a.sigmoid(), b.sigmoid()
    return {name: operator(a, b) for name, operator in operators.items()}


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("lies", ["turned", "channels-last"])
def test_operands_that_lie_differently(check: Check, lies: str) -> None:
    """The first of two operands says how a result lies, whichever operator it is of."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[dict[str, torch.Tensor], ...]:
        return _made(OPERATORS | OF_ONE_SHAPE, a, b), _made(OPERATORS | OF_ONE_SHAPE, b, a)

    images = lies == "channels-last"
    result = check(program, *((LAST, IMAGES) if images else (TURNED, PLAIN))).computed()
    first, second = ((60, 1, 15, 3), (60, 20, 5, 1)) if images else ((1, 3), (4, 1))
    for name in CLAIMED:
        result.strides(f"out[0][{name!r}]", *first).strides(f"out[1][{name!r}]", *second)


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("operator", APART)
def test_operator_of_operands_that_lie_differently(check: Check, operator: str) -> None:
    """So it does for operators that some release of torch lays out otherwise."""
    chosen = {operator: APART[operator]}

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[dict[str, torch.Tensor], ...]:
        return _made(chosen, a, b), _made(chosen, b, a)

    check(program, LAST, IMAGES).computed()


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("operators", ["others", "apart", "lerp"])
def test_second_operand_that_is_broadcast(check: Check, operators: str) -> None:
    """Rows of pixels, of two dimensions, leave results in the format of the images that they are applied to."""
    weighed = {name: APART[name] for name in ("lerp", "lerp_by_a_tensor")}
    apart = {
        name: APART[name] for name in APART.keys() - weighed.keys() - {"binary_cross_entropy", "angle", "masked_fill"}
    }
    chosen = {"others": OPERATORS, "apart": apart, "lerp": weighed}[operators]

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return _made(chosen, a, b)

    result = check(program, LAST, ROWS).computed()
    for name in chosen.keys() & {*CLAIMED, "fmax", "lerp"}:
        result.strides(f"out[{name!r}]", 60, 1, 15, 3)


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("operators", ["others", "apart"])
def test_first_operand_that_is_broadcast(check: Check, operators: str) -> None:
    """Of channels that images of another format broadcast, eager's rule of operators says how a result lies."""
    apart = {name: APART[name] for name in APART.keys() - {"binary_cross_entropy"}}
    chosen = {"others": OPERATORS, "apart": apart}[operators]

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return _made(chosen, a, b)

    check(program, CHANNELS, LAST).computed()
