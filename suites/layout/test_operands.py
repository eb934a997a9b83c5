"""Strides of what is made of two operands that lie in memory each in its own way, and of one that is broadcast."""

from collections.abc import Callable, Mapping

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

Operator = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

_OF_TORCH = ["add", "sub", "mul", "div", "remainder", "fmod", "pow", "atan2", "maximum", "minimum", "hypot"]
_OF_TORCH += ["nextafter", "float_power", "eq", "lt", "complex", "isclose"]
_LOSSES = ["l1_loss", "mse_loss", "smooth_l1_loss", "kl_div", "poisson_nll_loss"]


def _loss(name: str) -> Operator:
    """A loss of each element."""
    function = getattr(functional, name)
    return lambda a, b: function(a, b, reduction="none")


#: Those that no release is known to lay out otherwise, of operands that can be broadcast.
OPERATORS: dict[str, Operator] = {
    **{name: getattr(torch, name) for name in _OF_TORCH},
    **{name: _loss(name) for name in _LOSSES},
    "where": lambda a, b: torch.where(a > b, a, b),
    "addcmul": lambda a, b: torch.addcmul(a, b, a),
    "addcdiv": lambda a, b: torch.addcdiv(a, b, a),
    "clamp": lambda a, b: torch.clamp(a, b, b + 1),
    "clamp_min": torch.clamp_min,
    "masked_fill": lambda a, b: (a * b).masked_fill(b > 0.5, 1.0),
    "two in one": lambda a, b: (a + b).sin() * a,
}
#: Losses that broadcast nothing, or not every operand.
OF_ONE_SHAPE = {name: _loss(name) for name in ("soft_margin_loss", "binary_cross_entropy_with_logits")}
#: Those that some release lays out otherwise, each a cell of its own.
APART: dict[str, Operator] = {
    "floor_divide": torch.floor_divide,
    "copysign": torch.copysign,
    "logical_xor": lambda a, b: torch.logical_xor(a > 0.5, b),
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
CLAIMED = {"add", "pow", "where", "mse_loss", "two in one", "fmax", "lerp"}
#: Those that a second operand, or the first, is broadcast in, by groups: binary_cross_entropy broadcasts nothing.
_WEIGHED = ("lerp", "lerp_by_a_tensor")
SECOND_BROADCAST = {
    "others": OPERATORS,
    "apart": {name: APART[name] for name in APART if name not in (*_WEIGHED, "binary_cross_entropy", "angle")},
    "lerp": {name: APART[name] for name in _WEIGHED},
}
FIRST_BROADCAST = {
    "others": OPERATORS,
    "apart": {name: APART[name] for name in APART if name != "binary_cross_entropy"},
}
#: Operands, by how they lie.
PLAIN, TURNED = tensor(3, 4), tensor(3, 4, strides=(1, 3))
IMAGES, LAST = tensor(2, 3, 4, 5), tensor(2, 3, 4, 5, strides=(60, 1, 15, 3))
ROWS, CHANNELS = tensor(4, 5), tensor(1, 3, 1, 5)


def _made(operators: Mapping[str, Operator]) -> Callable[..., dict[str, torch.Tensor]]:
    """A program: what every operator makes of two operands, put between nought and one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        a, b = a.sigmoid(), b.sigmoid()
        return {name: operator(a, b) for name, operator in operators.items()}

    return program


def _made_both_ways(operators: Mapping[str, Operator]) -> Callable[..., tuple[dict[str, torch.Tensor], ...]]:
    """A program: what every operator makes of two operands, and of them in the other order."""
    made = _made(operators)

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[dict[str, torch.Tensor], ...]:
        return made(a, b), made(b, a)

    return program


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("lies", ["turned", "channels-last"])
def test_operands_that_lie_differently(check: Check, lies: str) -> None:
    """The first of two operands says how a result lies, whichever operator it is of."""
    images = lies == "channels-last"
    operands = (LAST, IMAGES) if images else (TURNED, PLAIN)
    result = check(_made_both_ways(OPERATORS | OF_ONE_SHAPE), *operands).computed()
    first, second = ((60, 1, 15, 3), (60, 20, 5, 1)) if images else ((1, 3), (4, 1))
    for name in OPERATORS.keys() & CLAIMED:
        result.strides(f"out[0][{name!r}]", *first).strides(f"out[1][{name!r}]", *second)


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("operator", APART)
def test_operator_of_operands_that_lie_differently(check: Check, operator: str) -> None:
    """So it does for operators that some release of torch lays out otherwise."""
    check(_made_both_ways({operator: APART[operator]}), LAST, IMAGES).computed()


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("operators", SECOND_BROADCAST)
def test_second_operand_that_is_broadcast(check: Check, operators: str) -> None:
    """Rows of pixels, of two dimensions, leave results in the format of the images that they are applied to."""
    chosen = SECOND_BROADCAST[operators]
    result = check(_made(chosen), LAST, ROWS).computed()
    for name in chosen.keys() & CLAIMED:
        result.strides(f"out[{name!r}]", 60, 1, 15, 3)


@clause("T7.10", "layout.operands")
@pytest.mark.parametrize("operators", FIRST_BROADCAST)
def test_first_operand_that_is_broadcast(check: Check, operators: str) -> None:
    """Of channels that images of another format broadcast, eager's rule of operators says how a result lies."""
    check(_made(FIRST_BROADCAST[operators]), CHANNELS, LAST).computed()


#: Powers whose base is a number, by their exponents.
POWERS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "fractions": lambda a: torch.pow(3.5, a),
    "two": lambda a: torch.pow(2.0, a),
    "one": lambda a: torch.pow(1, a),
    "double": lambda a: torch.float_power(3, a),
    "whole": lambda a: torch.pow(3, (a > 0.5).int()),
    "truths": lambda a: torch.pow(3, a > 0.5),
}


@clause("T7.10", "layout.operands", devices="cpu")
@pytest.mark.parametrize("powers", POWERS)
def test_powers_of_a_number(check: Check, powers: str) -> None:
    """Powers of a number lie in plain order, however their exponents do."""

    def program(a: torch.Tensor, images: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return POWERS[powers](a.sigmoid()), POWERS[powers](images.sigmoid())

    result = check(program, TURNED, LAST).computed()
    result.strides("out[0]", 4, 1).strides("out[1]", 60, 20, 5, 1)
