"""Methods that write in place, with their keywords and by every name that they have, into a part of a larger tensor.

The calls are data (`METHODS`), in groups by what their targets hold. Each call has a base of its own, all of which is
compared. What a release of torch does otherwise in every program, as `polygamma_`, is in the table of operators.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
import torch

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import TensorSpec, built

#: What is written with: numbers between nought and one, whole ones from one on, truths, and places.
With = Mapping[str, torch.Tensor]
#: A call of a method: its name, arguments and keywords; text that names something of `With` stands for that.
Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def _call(name: str, *args: Any, **kwargs: Any) -> Call:
    return name, args, kwargs


def _with(names: Iterable[str], *args: Any) -> list[Call]:
    return [_call(name, *args) for name in names]


def _each(*names: str) -> list[Call]:
    return _with(names)


_COMPARISONS = ("eq_", "ne_", "not_equal_", "lt_", "less_", "le_", "less_equal_", "gt_", "greater_", "ge_")
_TRUTHS = ("logical_and_", "logical_or_", "logical_xor_")
_BITS = ("bitwise_and_", "bitwise_or_", "bitwise_xor_")
_SHIFTS = ("bitwise_left_shift_", "bitwise_right_shift_", "__ilshift__", "__irshift__")
_SIGNS = ("abs_", "absolute_", "neg_", "negative_", "sign_", "sgn_", "square_", "relu_")
_ROUNDINGS = ("ceil_", "floor_", "trunc_", "fix_", "round_")

#: By group what the targets hold (`fractions`, `whole` numbers or `truths`), and the calls.
METHODS: Mapping[str, tuple[str, list[Call]]] = {
    "angles": (
        "fractions",
        [
            *_each("acos_", "arccos_", "asin_", "arcsin_", "atan_", "arctan_"),
            *_each("cos_", "cosh_", "sin_", "sinh_", "tan_", "tanh_", "deg2rad_", "rad2deg_", "sinc_"),
            _call("atan2_", "fractions"),
            _call("arctan2_", "fractions"),
            _call("hypot_", "fractions"),
        ],
    ),
    "functions": (
        "fractions",
        [
            *_each("digamma_", "lgamma_", "exp_", "exp2_", "expm1_", "i0_", "log_"),
            *_each("log10_", "log1p_", "log2_", "logit_", "reciprocal_", "rsqrt_", "sqrt_", "sigmoid_"),
            _call("mvlgamma_", 1),
            _call("logit_", 0.4),
            _call("logit_", eps=0.2),
            _call("xlogy_", "fractions"),
            _call("pow_", 2),
            _call("pow_", "fractions"),
            _call("ldexp_", "whole"),
        ],
    ),
    "error functions": ("fractions", _each("erf_", "erfc_", "erfinv_")),
    "signs and roundings": (
        "fractions",
        [
            *_each(*_SIGNS, *_ROUNDINGS, "frac_", "nan_to_num_", "conj_physical_", "logical_not_", "zero_"),
            _call("nan_to_num_", 1.0, posinf=2.0, neginf=3.0),
            _call("round_", decimals=1),
            _call("copysign_", "fractions"),
            _call("copysign_", -1.0),
        ],
    ),
    "sums and products": (
        "fractions",
        [
            _call("add_", "fractions", alpha=-0.5),
            _call("add_", 3, alpha=2),
            _call("add_", "whole", alpha=2),
            _call("sub_", "fractions", alpha=2),
            _call("subtract_", "fractions", alpha=0.25),
            _call("subtract_", 1.5, alpha=2),
            _call("multiply_", "fractions"),
            _call("multiply_", "row"),
            _call("multiply_", -2),
            _call("lerp_", "fractions", 0.25),
            _call("lerp_", "fractions", "fractions"),
            _call("addcmul_", "fractions", "fractions", value=-0.5),
            _call("addcmul_", "row", "fractions", value=2),
            _call("addcdiv_", "fractions", "whole", value=0.3),
            _call("cumsum_", 0),
            _call("cumsum_", 1, dtype=torch.float32),
            _call("cumprod_", 1),
            _call("renorm_", 2, 0, 0.5),
            _call("renorm_", p=1, dim=1, maxnorm=0.5),
        ],
    ),
    "quotients": (
        "fractions",
        [
            _call("div_", "fractions", rounding_mode=None),
            _call("divide_", "fractions"),
            _call("divide_", 0.3, rounding_mode="floor"),
            _call("divide_", "fractions", rounding_mode="trunc"),
            _call("true_divide_", "fractions"),
            _call("true_divide_", 3),
            _call("remainder_", -0.3),
            _call("remainder_", "fractions"),
            _call("fmod_", -0.3),
            _call("fmod_", "fractions"),
        ],
    ),
    "bounds and comparisons": (
        "fractions",
        [
            _call("clamp_", 0.3, 0.6),
            _call("clip_", 0.3, 0.6),
            _call("clip_", min=0.4),
            _call("clip_", max="fractions"),
            _call("clip_", "row", "fractions"),
            _call("clamp_min_", 0.4),
            _call("clamp_max_", 0.4),
            _call("clamp_min_", "fractions"),
            _call("clamp_max_", "fractions"),
            *_with((*_COMPARISONS, "greater_equal_"), "fractions"),
            *_with(_TRUTHS, "truths"),
        ],
    ),
    "without slopes": (
        "constants",
        [
            *_each("asinh_", "arcsinh_", "atanh_", "arctanh_"),
            _call("heaviside_", "fractions"),
            _call("nextafter_", "fractions"),
            _call("floor_divide_", "fractions"),
            _call("floor_divide_", -0.3),
            _call("igamma_", "fractions"),
            _call("igammac_", "fractions"),
            *(_call("scatter_", 0, "columns", 2.5, reduce=how) for how in ("add", "multiply")),
            *(_call("scatter_", 1, "columns", "fractions", reduce=how) for how in ("add", "multiply")),
        ],
    ),
    "matrices": (
        "fractions",
        [
            _call("addmm_", "fractions", "fractions", beta=0.5, alpha=-2),
            _call("addmm_", "fractions", "fractions", beta=0),
            _call("addbmm_", "batch", "batch", beta=0.5, alpha=2),
            _call("addr_", "row", "row", beta=0.5, alpha=-1),
            _call("tril_", -1),
            _call("triu_", diagonal=1),
        ],
    ),
    "by index": (
        "fractions",
        [
            _call("index_add_", 0, "places", "two rows", alpha=-2),
            _call("index_copy_", 0, "places", "two rows"),
            _call("index_fill_", 0, "places", 3.0),
            _call("index_fill_", dim=1, index="places", value=-1.0),
            _call("index_put_", ("places", "places"), "pair", accumulate=True),
            _call("index_put_", ("truths",), "number", accumulate=False),
            _call("put_", "places", "pair", accumulate=True),
            _call("put_", "places", "pair"),
            _call("masked_fill_", "truths", -1.0),
            _call("masked_fill_", "truths", "number"),
            _call("masked_scatter_", "truths", "fractions"),
            _call("fill_", "number"),
            _call("copy_", "row"),
            _call("copy_", "whole", non_blocking=True),
        ],
    ),
    "scatters": (
        "fractions",
        [
            _call("scatter_", 1, "columns", "fractions"),
            _call("scatter_", 1, "columns", value=2.0),
            _call("scatter_add_", 1, "columns", "fractions"),
            *(
                _call("scatter_reduce_", 1, "columns", "two columns", how, include_self=itself)
                for how in ("sum", "mean", "amax")
                for itself in (True, False)
            ),
        ],
    ),
    "whole numbers": (
        "whole",
        [
            *_each(*_SIGNS, *_ROUNDINGS, "bitwise_not_", "logical_not_"),
            _call("add_", "whole", alpha=3),
            _call("subtract_", "whole", alpha=3),
            _call("multiply_", "whole"),
            _call("divide_", "whole", rounding_mode="floor"),
            _call("divide_", -3, rounding_mode="trunc"),
            _call("floor_divide_", "whole"),
            _call("floor_divide_", -3),
            _call("remainder_", "whole"),
            _call("fmod_", "whole"),
            _call("pow_", 3),
            _call("gcd_", "whole"),
            _call("lcm_", "whole"),
            _call("clip_", -2, 3),
            _call("clip_", min="whole"),
            _call("addcmul_", "whole", "whole", value=3),
            _call("cumsum_", 0),
            _call("fill_", 3.7),
            _call("masked_fill_", "truths", 9),
        ],
    ),
    "bits and truths of whole numbers": (
        "whole",
        [
            *_with((*_BITS, *_SHIFTS), "whole"),
            *_with((*_BITS, *_SHIFTS), 2),
            *_with(_COMPARISONS, "whole"),
            *_with(_TRUTHS, "truths"),
        ],
    ),
    "truths": (
        "truths",
        [
            *_each("logical_not_", "bitwise_not_"),
            *_with((*_TRUTHS, *_BITS, "eq_", "ne_", "less_", "greater_equal_"), "truths"),
            *_with(_BITS, True),
            _call("logical_and_", "fractions"),
            _call("index_fill_", 1, "places", True),
            _call("copy_", "whole"),
        ],
    ),
}

#: Multiplied and added at once where memory lies together, and one after the other in a part of a row.
_ROUNDS_OTHERWISE = ("sums and products", "matrices")


def _text(call: Call) -> str:
    name, args, kwargs = call
    told = [*map(repr, args), *(f"{key}={value!r}" for key, value in kwargs.items())]
    return f"{name}({', '.join(told)})".replace("'", "")


def _fractions(shift: int) -> list[list[list[float]]]:
    return [[[((7 * i + 5 * j + 3 * k + shift) % 17 + 1) / 20 for k in range(5)] for j in range(3)] for i in range(3)]


def _base(holds: str, place: int) -> TensorSpec:
    rows = _fractions(place)
    if holds in ("fractions", "constants"):
        return tensor(3, 3, 5, grad=holds == "fractions", values=rows)
    whole = [[[round(each * 20) - 9 for each in row] for row in rows_] for rows_ in rows]
    if holds == "whole":
        return tensor(3, 3, 5, dtype=torch.int64, values=whole)
    return tensor(3, 3, 5, dtype=torch.bool, values=[[[each > 0 for each in row] for row in part] for part in whole])


def _others() -> dict[str, TensorSpec]:
    square = [row[:3] for row in _fractions(11)[0]]
    fractions = functools.partial(tensor, grad=False)
    whole = functools.partial(tensor, dtype=torch.int64)
    return {
        "fractions": fractions(3, 3, values=square),
        "row": fractions(3, values=square[1]),
        "two rows": fractions(2, 3, values=square[:2]),
        "two columns": fractions(3, 2, values=[row[:2] for row in square]),
        "pair": fractions(2, values=square[0][:2]),
        "number": fractions(values=[0.75]),
        "batch": fractions(2, 3, 3, values=[square, square[::-1]]),
        "whole": whole(3, 3, values=[[1, 2, 3], [5, 4, 1], [2, 2, 3]]),
        "places": whole(2, values=[2, 0]),
        "columns": whole(3, 2, values=[[2, 0], [1, 2], [0, 1]]),
        "truths": tensor(3, 3, dtype=torch.bool, values=[[True, False, True], [False] * 3, [True, True, False]]),
    }


def _dict_of(names: list[str]) -> Callable[..., dict[str, torch.Tensor]]:
    return lambda *parts: dict(zip(names, parts, strict=True))


def _given(value: Any, others: With) -> Any:
    if isinstance(value, tuple):
        return tuple(_given(each, others) for each in value)
    return others.get(value, value) if isinstance(value, str) else value


@clause("numbers.options", "T3.5", modes="train", profile="default", stand_for_all=2)
@pytest.mark.parametrize("group", METHODS)
def test_method_that_writes(check: Check, group: str) -> None:
    """A method in place, by each of its names and with its keywords, writes to its part of a tensor, and there only."""
    holds, calls = METHODS[group]
    rows = {_text(call): call for call in calls}
    others = _others()

    def program(bases: dict[str, torch.Tensor], others: With) -> dict[str, torch.Tensor]:
        found = {}
        for text, (name, args, kwargs) in rows.items():
            part = bases[text][1, :, 1:4]
            given = [_given(each, others) for each in args]
            keywords = {key: _given(each, others) for key, each in kwargs.items()}
            found[text] = getattr(part, name)(*given, **keywords).clone()
        return found

    bases = built(_dict_of(list(rows)), *(_base(holds, place) for place in range(len(rows))))
    result = check(
        program, bases, built(_dict_of(list(others)), *others.values()), exact=group not in _ROUNDS_OTHERWISE
    )
    result.happened(len(result.call.changed) > len(rows) // 2, "writes")


@clause("numbers.options", "T3.5", profile="default")
def test_method_that_draws(check: Check) -> None:
    """Truths that are drawn in place, by one probability or by each its own, are eager's, in their part of a tensor."""

    def program(a: torch.Tensor, whole: torch.Tensor, truths: torch.Tensor) -> list[torch.Tensor]:
        drawn = [
            whole[1, :, 1:4].bernoulli_(0.7),
            truths[1, :, 1:4].bernoulli_(0.3),
            truths[2, :, 1:4].bernoulli_(p=a[2].sigmoid()[:, 1:4]),
        ]
        return [each.clone() for each in drawn]

    result = check(program, _base("fractions", 0), _base("whole", 0), _base("truths", 0))
    result.mutated(1, 2)


@clause("numbers.options", "T3.5", profile="default")
def test_method_that_draws_by_parameters(check: Check) -> None:
    """A distribution's parameters, told by name, are those of the numbers that it draws into a part of a tensor."""

    def program(*bases: torch.Tensor) -> list[torch.Tensor]:
        parts = [base[1, :, 1:4] for base in bases]
        drawn = [
            parts[0].normal_(mean=1, std=0.1),
            parts[1].exponential_(lambd=2.0),
            parts[2].geometric_(p=0.3),
            parts[3].cauchy_(median=1.0, sigma=0.5),
            parts[4].log_normal_(mean=0.5, std=0.2),
            parts[5].bernoulli_(p=0.4),
        ]
        return [each.clone() for each in drawn]

    check(program, *(_base("fractions", place) for place in range(6))).mutated(0, 1, 2, 3, 4, 5)


@clause("numbers.options", "T3.5")
def test_diagonal_of_a_whole_tensor_is_filled(check: Check) -> None:
    """The diagonal of an argument, high or wide, is filled, and begins anew below where it is told to wrap."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        a.fill_diagonal_(7)
        b.fill_diagonal_(7, wrap=True)
        c.fill_diagonal_(7)
        return a[:3].sum() + b.sum() + c.sum()

    result = check(program, tensor(7, 3), tensor(7, 3), tensor(2, 4)).mutated(0).mutated(1).mutated(2)
    result.values().expect("""\
out = float32[] 75.67
arg[0] = float32[7, 3] [[7, -1.17, 1.512], [-0.8268, 7, -0.2308], [-0.3132, -2.151, 7], [-0.5113, -1.494, 1.5],
    [-1.353, 0.08515, -0.4192], [-2.14, -0.5949, -1.078], [-1.347, -0.1935, 1.294]]
arg[1] = float32[7, 3] [[7, 0.8374, -0.546], [-0.7062, 7, -0.3785], [0.6482, 1.203, 7], [1.434, 0.402, 0.07107], [7,
    0.7245, -1.505], [0.4049, 7, 0.8059], [-0.824, 0.4492, 7]]
arg[2] = float32[2, 4] [[7, 0.4158, 0.2032, -0.7719], [-0.9281, 7, 0.07182, -0.1594]]
""")


@clause("numbers.options", "T3.5")
def test_diagonal_of_a_part_is_filled(check: Check) -> None:
    """The diagonal of a part of what is made, of a page and of what is turned, is filled and no other element."""

    def program(a: torch.Tensor) -> torch.Tensor:
        made = a * 2
        made[0, :, 1:4].fill_diagonal_(7)
        made[1].t().fill_diagonal_(9)
        return made

    check(program, tensor(2, 3, 4)).values().expect("""\
out = float32[2, 3, 4] [[[-0.7843, 7, 3.023, -1.654], [-0.7809, 1.776, 7, 3.958], [0.5425, -1.023, -2.988, 7]], [[9,
    -0.2077, -0.8351, -1.984], [-1.19, 9, -2.694, -0.387], [2.588, -2.156, 9, -1.976]]]
""")
