"""What programs about numbers are made of: sizes, dtypes, the elements of inputs, and templates of expressions."""

from __future__ import annotations

from collections.abc import Mapping

#: Around the widths of vectors and blocks, and what has no elements or one.
SIZES = (8, 3, 16, 1, 7, 9, 15, 17, 31, 32, 33, 2, 63, 64, 65, 0, 127, 129, 1025, 4099)
FLOATS = ("float32", "float64", "bfloat16", "float16")
INTEGERS = ("int64", "int32", "int8", "uint8", "int16")
#: What inputs hold, by the name of the feature: elements of a floating-point tensor, repeated to its size.
SPECIAL: Mapping[str, tuple[str, ...]] = {
    "infinities": ("inf", "-inf", "1.0", "-2.5", "0.0"),
    "nan": ("nan", "1.0", "-1.5", "0.0", "inf"),
    "signed zeros": ("0.0", "-0.0", "1.0", "-1.0"),
    "subnormals": ("tiny / 2", "-tiny / 2", "tiny", "0.0", "1.0"),
    "large and small": ("largest", "-largest", "tiny", "eps", "1.0"),
    "halves and quotients": ("0.5", "-0.5", "1.5", "-2.5", "3.7", "-7.0", "1.0", "6.0", "100.0"),
    "thresholds": ("3.0", "-3.0", "20.0", "88.0", "-88.0", "0.1", "-0.5", "6.0"),
}
#: The same for elements of an integer tensor.
WHOLE: Mapping[str, tuple[str, ...]] = {
    "extremes of integers": ("smallest", "largest", "0", "1", "smallest + 1", "3", "largest - 1", "7", "100"),
    "integers above zero": ("5", "3", "100", "largest", "7", "2", "largest - 1", "90"),
    "integers below zero": ("-5", "-3", "-100", "smallest", "-7", "-2", "smallest + 1", "-90"),
}
FEATURES = (
    *SPECIAL,
    *WHOLE,
    *("distinct numbers", "plain numbers", "two dtypes", "strided", "gradients", "channels_last"),
)

TWO = (
    *("{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / {y}", "{x} // {y}", "{x} % {y}", "torch.fmod({x}, {y})"),
    *("torch.maximum({x}, {y})", "torch.minimum({x}, {y})", "torch.fmax({x}, {y})", "torch.fmin({x}, {y})"),
    *("torch.pow({x}, {y})", "torch.where({x} < {y}, {x}, {y})", "{x} == {y}", "{x} >= {y}", "torch.ne({x}, {y})"),
    *("torch.div({x}, {y}, rounding_mode='trunc')", "torch.div({x}, {y}, rounding_mode='floor')"),
    *("torch.sub({x}, {y}, alpha=2)", "{x}.clamp(min={y})", "{x}.clamp({y}, {x})", "torch.isclose({x}, {y})"),
    *("torch.logical_xor({x}, {y})", "torch.floor_divide({x}, {y})", "torch.true_divide({x}, {y})"),
    *("torch.bitwise_left_shift({x}, {y})", "torch.bitwise_right_shift({x}, {y})", "{x} & {y}", "{x}.bitwise_or({y})"),
    *("torch.atan2({x}, {y})", "torch.copysign({x}, {y})", "torch.hypot({x}, {y})", "torch.heaviside({x}, {y})"),
    *("torch.xlogy({x}, {y})", "torch.logaddexp({x}, {y})", "torch.ldexp({x}, {y})", "torch.nextafter({x}, {y})"),
    *(
        "torch.gcd({x}, {y})",
        "torch.lerp({x}, {y}, 0.75)",
        "torch.float_power({x}, {y})",
        "torch.addcmul({x}, {x}, {y})",
    ),
)
EDGES = (
    *("{x}.clamp({k}, 1.0)", "{x}.clamp(float('nan'), 1.0)", "{x}.clamp(2.0, -2.0)", "torch.nan_to_num({x}, 1.0, 2.0)"),
    *("{x} // {k}", "{x} % {k}", "{x}.fmod({k})", "{x} / {k}", "{k} / {x}", "{x} * 0", "{x} * {k}", "{x}.pow(3)"),
    *("torch.pow({k}, {x})", "{x}.round()", "torch.round({x}, decimals=-1)", "torch.signbit({x})", "{x}.sgn()"),
    *(
        "torch.isfinite({x})",
        "torch.isneginf({x})",
        "torch.isnan({x})",
        "{x}.logical_not()",
        "{x}.bool()",
        "{x} != {x}",
    ),
    *(
        "torch.where({x} > {k}, {x}, 0.0)",
        "torch.where({x} > 0, 1, 2)",
        "torch.where({x} != {x}, {k}, {x})",
        "{x} > {k}",
    ),
    *("F.hardsigmoid({x})", "F.hardshrink({x})", "F.softshrink({x})", "F.selu({x})", "torch.logit({x}, 0.1)"),
    *(
        "{x}.acosh()",
        "{x}.atanh()",
        "{x}.sinh()",
        "{x}.exp2()",
        "{x}.log10()",
        "{x}.digamma()",
        "torch.special.i1({x})",
    ),
    *("torch.special.entr({x})", "torch.special.ndtri({x})", "torch.frexp({x}).mantissa", "torch.rad2deg({x})"),
    *("torch.bucketize({x}, torch.tensor([-0.5, 0.0, 0.9], dtype={x}.dtype), right=True)", "{x}.to(torch.complex64)"),
    *("{x}.masked_fill({x} < 0, float('inf'))", "torch.fmax({x}, -{x})", "torch.maximum({x}, {x} * 0)", "{x}.double()"),
)
FEWER = (
    *(
        "{x}.sum()",
        "{x}.mean(-1)",
        "{x}.amax()",
        "{x}.amin(-1)",
        "{x}.prod()",
        "torch.nansum({x})",
        "torch.nanmean({x})",
    ),
    *("{x}.any()", "{x}.all(-1)", "{x}.count_nonzero()", "{x}.aminmax()", "{x}.cummax(-1).values", "{x}.cumsum(-1)"),
    *("{x}.softmax(-1)", "{x}.log_softmax(-1)", "{x}.logsumexp(-1)", "{x}.logcumsumexp(-1)", "{x}.cumprod(-1)"),
    *(
        "{x}.norm()",
        "{x}.norm(float('inf'))",
        "{x}.norm(0)",
        "{x}.var(-1)",
        "{x}.std(correction=0)",
        "{x}.max(-1).values",
    ),
    *("{x}.min()", "{x}.median()", "{x}.nanmedian()", "{x}.sort(-1).values", "{x}.topk(1, -1).values", "{x}.diff()"),
    *("{x}.sum(dtype={x}.dtype)", "{x}.cumsum(0, dtype={x}.dtype)", "{x}.prod(dtype={x}.dtype)", "{x}.mode(-1).values"),
)
ORDERS = (
    *(
        "{x}.argmax()",
        "{x}.argmin(-1)",
        "{x}.argsort(-1)",
        "{x}.sort(-1, descending=True)",
        "{x}.max(-1)",
        "{x}.topk(1)",
    ),
    *("{x}.cummax(-1)", "{x}.kthvalue(1, -1)", "{x}.median(-1)", "{x}.min(0)", "{x}.msort()", "{x}.quantile(0.3)"),
    *("torch.searchsorted({x}.sort(-1).values, {x})", "torch.isin({x}, {x}[..., :2])", "{x}.unique_consecutive()"),
)
IMAGES = (
    *("F.avg_pool2d({x}, 2, {p}, 1, ceil_mode=True)", "F.avg_pool2d({x}, 3, 2, {p} // 2, True, False)"),
    *(
        "F.avg_pool2d({x}, 2, {p}, ceil_mode=True)",
        "F.adaptive_avg_pool2d({x}, ({p}, 2))",
        "F.max_pool2d({x}, 3, {p}, 1)",
    ),
    *("F.max_pool2d({x}, 2, {p}, dilation=2, ceil_mode=True)", "F.interpolate({x}, scale_factor=1.7, mode='bicubic')"),
    *(
        "F.interpolate({x}, scale_factor=({f}, {g}), mode='nearest')",
        "F.interpolate({x}, scale_factor=({f}, {g}), mode='nearest-exact')",
        "F.interpolate({x}, scale_factor=({f}, {g}), mode='bilinear')",
        "F.interpolate({x}, scale_factor=({f}, {g}), mode='nearest', recompute_scale_factor=True)",
        "F.interpolate({x}, scale_factor=({f}, {g}), mode='bilinear', align_corners=True)",
    ),
    *("F.interpolate({x}, size=(3, {p}), mode='bilinear')", "F.interpolate({x}, size=({p}, 9), mode='nearest-exact')"),
    *(
        "F.interpolate({x}, size=(4, {p}), mode='area')",
        "F.pad({x}, (1, 2, {p}, 1), mode='reflect')",
        "F.unfold({x}, 2)",
    ),
    *("F.pad({x}, (2, {p}, 1, 0), mode='circular')", "F.pad({x}, (-1, {p}, 2, -1), value=3.0)", "F.instance_norm({x})"),
    *("F.conv2d({x}, {x}.new_ones(2, {x}.shape[1], 2, 2), stride=({p}, 1), padding=1)", "F.channel_shuffle({x}, 2)"),
    *(
        "F.conv_transpose2d({x}, {x}.new_ones({x}.shape[1], 2, 3, 2), stride={p}, padding=1)",
        "{x}.logcumsumexp({p} % 4)",
    ),
)

#: Of ``x``, a floating-point tensor: what comes out of any arithmetic to the last bit, and the sign of a zero.
EXACT = (
    *("{x} + torch.zeros_like({x})", "{x} - torch.zeros_like({x})", "torch.zeros_like({x}) - {x}", "0.0 - {x}"),
    *("torch.zeros({x}.shape) + {x}", "{x} + 0.0", "{x} - 0.0", "-{x}", "{x}.abs()", "{x} * torch.ones_like({x})"),
    *("{x} * -1", "{x}.trunc()", "{x}.round()", "torch.where({x} > 0, {x}, -0.0)", "{x}.sgn()", "{x} * 0", "{x} + 0"),
    *("0 - {x}", "{x} / 1", "{x}.float()", "{x}.double()", "{x}.flip(0)"),
)
#: Zero at zero, of its sign.
ODD = (
    *("F.elu({x})", "{x}.tanh()", "{x}.expm1()", "F.selu({x})", "{x}.atan()", "F.softsign({x})", "{x}.asinh()"),
    *("F.leaky_relu({x})", "F.hardtanh({x})", "torch.erf({x})", "F.celu({x})"),
)
#: What tells one zero from the other.
SIGNS = (
    "1 / {x}",
    "torch.signbit({x})",
    "torch.copysign(torch.ones_like({x}), {x})",
    "{x}.reciprocal()",
    "-1.0 / {x}",
)
#: Of ``x``, an integer tensor: what stays within its dtype, and shows in a wider one if it does not.
NARROW = (
    *("-{x}", "{x}.abs()", "{x} + {y}", "{x} * 3", "{x}.bitwise_not()", "{x} - 5", "{x} << 1", "{x} * {x}"),
    *("{x}.sign()", "{x}.clamp(0, 3)", "{x} // 2", "{x}.maximum({y})", "{x} ^ 3", "{x} >> 1"),
)
WIDER = (
    *("{x}.to(torch.int32)", "{x}.to(torch.int64)", "{x}.float()", "{x} // 2", "{x} > 3", "{x} / 2", "{x}.bool()"),
    *("{x}.to(torch.int16)", "{x}.sum()", "{x}.amax()", "{x}.to(torch.uint8)", "{x}.to(torch.int8)", "{x} % 3"),
)
#: Of ``r``, a range: less a number ``m``, folded by ``d``, of which ``m`` is a multiple, and in another dtype and back.
LESS = ("{r} - {m}", "{r} - {d}", "{m} - {r}", "{r} + {m}")
FOLDED = (
    *("torch.fmod({r}, {d})", "{r} % {d}", "{r} // {d}", "torch.remainder({r}, -{d})", "torch.fmod({r}, -{d})"),
    "torch.div({r}, {d}, rounding_mode='trunc')",
)
CONVERTED = (
    *("{r}.bool().int()", "{r}.to(torch.uint8).int()", "{r}.to(torch.int8)", "{r}.to(torch.int32)", "{r}.bool()"),
    *("{r}.to(torch.int32).to(torch.int64)", "{r}.to(torch.uint8)", "{r}.to(torch.int16).int()", "{r}.float()"),
)
WITH_RANGES = (
    *("{r} + {x}", "{x}[{r}]", "{x} * {r}", "torch.where({r} > 2, {x}, 0)", "{x}.index_select(0, {r})", "{x} - {r}"),
    *("{r}", "{x} == {r}", "({r} + {x}.sum()).double()", "{x}.where({r} < {m}, {r})", "{x}.take({r})"),
)
