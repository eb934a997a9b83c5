"""Statements that compute one value an element: pointwise operators, integers, complex numbers, casts."""

from __future__ import annotations

import torch

from ..scope import Rejected, Scope, is_floating, is_integral

#: Of ``x``, a floating-point tensor; ``y`` another that broadcasts to it, or a number; ``k`` a number.
SMOOTH = (
    *("torch.sin({x})", "torch.cos({x})", "torch.tanh({x})", "torch.sigmoid({x})", "torch.relu({x})", "{x}.abs()"),
    *(
        "-{x}",
        "{x}.square()",
        "torch.erf({x})",
        "{x} + {y}",
        "{x} * {y}",
        "{x} - {y}",
        "{k} - {x}",
        "{x}.lerp({x} * 2, 0.25)",
    ),
    *("{x} / ({x} * {x} + 1)", "{x} / {k}", "torch.where({x} > 0, {x}, {y})", "torch.addcmul({x}, {x}, {x}, value=2)"),
    *("{x}.clamp(-0.5, 1)", "{x}.clamp(max={k})", "({x}.abs() + 1).sqrt()", "({x}.abs() + 1).rsqrt()", "{x}.pow(2)"),
    *("{x}.exp().clamp(max=9)", "({x}.abs() + 1).log()", "torch.log1p({x}.abs())", "torch.expm1({x}.clamp(max=2))"),
    *("F.silu({x})", "F.softplus({x})", "F.gelu({x})", "F.hardtanh({x})", "F.leaky_relu({x})", "F.logsigmoid({x})"),
    *(
        "F.elu({x})",
        "F.gelu({x}, approximate='tanh')",
        "F.hardswish({x})",
        "F.mish({x})",
        "F.relu6({x} * 3)",
        "F.celu({x})",
    ),
    *("F.threshold({x}, 0.1, 20.0)", "F.softshrink({x})", "F.softsign({x})", "F.tanhshrink({x})", "torch.atan({x})"),
    *("torch.nan_to_num({x})", "torch.logaddexp({x}, {x} * 0.5)", "torch.hypot({x}, {x} + 1)", "torch.sinc({x})"),
    *("torch.atan2({x}, {x} * {x} + 1)", "torch.asinh({x})", "torch.rsub({x}, {k})", "{x}.reciprocal().clamp(-3, 3)"),
    *(
        "torch.add({x}, {x}, alpha=2)",
        "torch.sub({x}, {k}, alpha=0.5)",
        "torch.addcdiv({x}, {x}, {x} * {x} + 1, value=0.5)",
    ),
    *("torch.maximum({x}, {x} * 0.5)", "torch.fmin({x}, -{x})", "torch.float_power({x}, 2)", "torch.deg2rad({x})"),
    *(
        "torch.lgamma({x}.abs() + 1)",
        "torch.special.xlog1py({x}, {x}.abs())",
        "torch.special.i0e({x})",
        "torch.erfinv({x}.tanh() * 0.9)",
    ),
    *(
        "torch.ldexp({x}, torch.tensor(2))",
        "torch.positive({x})",
        "F.glu(torch.stack([{x}, {x}], -1))",
        "{x} ** 3 * 0.125",
    ),
)
#: The same, where a rounding of ``x`` may decide.
JUMPING = (
    *("{x}.fmod({k})", "{x}.remainder({k})", "{x} // {k}", "{x}.floor()", "{x}.ceil()", "{x}.trunc()", "{x}.round()"),
    *(
        "torch.sign({x})",
        "{x}.frac()",
        "torch.div({x}, {k}, rounding_mode='trunc')",
        "torch.copysign({x}, {x} * {x} - 1)",
    ),
    *(
        "torch.heaviside({x}, {x} * 0 + 0.5)",
        "torch.round({x}, decimals=1)",
        "torch.div({x}, {k}, rounding_mode='floor')",
    ),
    *("torch.bucketize({x}, torch.tensor([-0.5, 0.1, 0.9], dtype={x}.dtype))", "torch.signbit({x})", "{x} > 0.25"),
    *("({x} > 0).to(torch.int8)", "({x} * 4).to(torch.int64)", "({x} * 4).to(torch.int32)", "({x} > 0) | ({x} < -0.5)"),
    *("({x} * 3).to(torch.int8)", "torch.isclose({x}, {x}.abs())", "({x} > 0).int()", "({x} > 0.1).logical_not()"),
    *("torch.searchsorted(torch.tensor([-0.5, 0.1], dtype={x}.dtype), {x})", "({x} < 0.3).to({x}.dtype)"),
)


def pointwise(scope: Scope) -> tuple[str, ...]:
    """One value an element."""
    name = scope.tensor(is_floating)
    words = {"x": name, "y": scope.like(scope[name].shape), "k": scope.number()}
    if scope.choices.chance(25):
        return (f"{scope.fresh()} = {scope.continuous(name, scope.choices.one_of(JUMPING).format(**words))}",)
    return (f"{scope.fresh()} = {scope.choices.one_of(SMOOTH).format(**words)}",)


#: Of ``x``, an integer tensor; ``y`` another, or a number.
OF_INTEGERS = (
    *(
        "{x} + {y}",
        "{x} * 3",
        "{x} // 2",
        "{x} % 3",
        "-{x} // 3",
        "{x} / 2",
        "{x} << 1",
        "{x} >> 1",
        "{x} & 5",
        "{x} ^ 3",
    ),
    *("{x}.abs()", "{x} == {y}", "{x}.float()", "{x}.to(torch.int64) * 100003", "{x}.bitwise_not()", "{x}.clamp(0, 3)"),
    *("{x}.sum()", "{x}.float().mean()", "{x} * 0.5", "F.one_hot({x}.long() % 3, 3)", "{x} * {x}", "-{x}", "{x} ** 2"),
    *(
        "({x} + 100).to(torch.int32)",
        "({x} * 50).to(torch.int64)",
        "{x}.sub(100).abs()",
        "{x}.maximum({x} // 2)",
        "{x}.cumsum(0)",
    ),
    *(
        "torch.div({x}, 3, rounding_mode='trunc')",
        "torch.remainder({x}, -3)",
        "torch.fmod({x}, -3)",
        "torch.where({x} > 2, {x}, -1)",
    ),
    *(
        "{x}.prod()",
        "{x}.amax()",
        "{x}.to(torch.int8) + 100",
        "{x}.to(torch.uint8) - 5",
        "-{x}.to(torch.uint8)",
        "{x}.to(torch.int16) * 300",
    ),
    *(
        "{x}.logical_xor({x} > 3)",
        "torch.gcd({x}, {x} + 4)",
        "{x}.sign()",
        "{x}.bool()",
        "{x}.double() * 0.5",
        "{x}.unique().sum()",
    ),
    *(
        "torch.bitwise_left_shift({x}, 3)",
        "{x}.to(torch.bool) * 2",
        "{x} + 0.5",
        "{x}.sum(0)",
        "{x}.any()",
        "{x} | {y}",
        "{x} - {y}",
    ),
    *(
        "{x} // -2",
        "{x}.float() / 3",
        "{x}.neg().to(torch.uint8).to(torch.int32)",
        "{x}.view(torch.uint8)",
        "{x}.to(torch.bfloat16)",
    ),
)


def integers(scope: Scope) -> tuple[str, ...]:
    """Integer arithmetic, in whatever width."""
    name = scope.tensor(is_integral)
    other = scope.like(scope[name].shape, floating=False)
    return (f"{scope.fresh()} = {scope.choices.one_of(OF_INTEGERS).format(x=name, y=other)}",)


_TRUTHS = (
    *(
        "~{x}",
        "{x} & {x}.flip(0)",
        "{x}.sum()",
        "{x}.any()",
        "{x}.all()",
        "{x}.int() - 1",
        "{x} ^ True",
        "{x}.float() * 2",
    ),
    *(
        "torch.where({x}, 1.5, 0.5)",
        "{x}.logical_or({x}.roll(1))",
        "{x} * 3",
        "{x}.cumsum(0)",
        "{x}.to(torch.bfloat16)",
        "{x}.view(torch.uint8)",
    ),
)


def truths(scope: Scope) -> tuple[str, ...]:
    """Of a tensor of booleans."""
    name = scope.tensor(lambda tensor: tensor.dtype == torch.bool and tensor.dim() > 0)
    return (f"{scope.fresh()} = {scope.choices.one_of(_TRUTHS).format(x=name)}",)


_COMPLEX = (
    *(
        "{x} * {x}",
        "{x}.conj() * 2",
        "{x}.abs()",
        "{x} + 1j",
        "torch.view_as_real({x})",
        "{x}.real",
        "{x}.imag",
        "{x}.conj()",
    ),
    *(
        "{x}.exp()",
        "{x}.sum()",
        "{x} / 2",
        "{x} - {x}.conj()",
        "-{x}",
        "{x}.angle()",
        "{x}.mean()",
        "{x}.resolve_conj()",
    ),
    *(
        "torch.view_as_real({x}.conj().resolve_conj())",
        "{x}.conj().imag",
        "{x} * 0.5",
        "{x}.sgn()",
        "torch.real({x} * {x}.conj())",
    ),
)


def complexes(scope: Scope) -> tuple[str, ...]:
    """Of a complex tensor."""
    name = scope.tensor(lambda tensor: tensor.dtype.is_complex)
    return (f"{scope.fresh()} = {scope.choices.one_of(_COMPLEX).format(x=name)}",)


_CASTS = (
    *(
        "{x}.double()",
        "{x}.to(torch.float32)",
        "{x}.bfloat16()",
        "{x}.half().float()",
        "{x}.bfloat16().float()",
        "{x}.type_as({y})",
    ),
    *(
        "torch.complex({x}.float(), {x}.float() * 2)",
        "{x}.to(torch.float64) * 2",
        "{x}.to(torch.complex64)",
        "torch.result_type({x}, 1.5)",
    ),
    *(
        "{x}.to(dtype={x}.dtype, copy=True)",
        "{x} + torch.tensor(2)",
        "{x} * torch.tensor(1.5, dtype=torch.float64)",
        "{x}.to({y}.dtype)",
    ),
)


def cast(scope: Scope) -> tuple[str, ...]:
    """Another dtype, a round trip through one, the same bits as another."""
    name = scope.tensor(lambda tensor: is_floating(tensor) or is_integral(tensor))
    fresh = scope.fresh()
    if scope.choices.chance(20):
        same_bits = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}[scope[name].element_size()]
        if is_floating(scope[name]):
            return (f"{fresh} = {name}.detach().view(torch.{same_bits}) >> 4",)
        raise Rejected("bits of integers are integers")
    other = scope.tensor(lambda tensor: is_floating(tensor) or is_integral(tensor))
    expression = scope.choices.one_of(_CASTS[:9] + _CASTS[10:]).format(x=name, y=other)
    if other in expression and is_integral(scope[other]):
        expression = scope.continuous(name, expression)
    return (f"{fresh} = {expression}",)
