"""What a program is told of each of many operators, by tables: of every layout, dimension, dtype and window."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of

#: Ways in which what an operator is given can lie: turned, with gaps, spread, and one of many.
LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "turned": lambda a: a.permute(2, 0, 1),
    "with gaps": lambda a: a.transpose(0, 2)[::2],
    "with gaps in rows": lambda a: a[..., ::2].permute(1, 0, 2),
    "spread": lambda a: a[:, :1].expand(2, 3, 4).transpose(0, 1),
    "empty": lambda a: a.permute(2, 0, 1)[:0],
}
#: Functions of one number by their names in torch, in torch.special and among the activations.
_NUMBERS = """
    abs acos acosh angle asin asinh atan atanh ceil conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2
    expm1 floor frac i0 isfinite isinf isnan isneginf isposinf isreal lgamma log log10 log1p log2 logical_not logit
    nan_to_num neg positive rad2deg reciprocal round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh
    trunc
"""
_SPECIAL = """
    bessel_j0 bessel_j1 bessel_y0 entr erfcx i0e i1 i1e log_ndtr modified_bessel_i0 modified_bessel_k0 ndtri
    scaled_modified_bessel_k0 spherical_bessel_j0 airy_ai
"""
_UNITS = """
    celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu mish relu relu6 selu silu softplus softshrink
    softsign tanhshrink
"""
_OF_COMPLEX = """
    abs acos conj_physical exp isfinite isinf isnan isreal log logical_not neg positive reciprocal sgn sigmoid sin sqrt
    square tanh
"""
#: Those that are given no whole numbers, and no truths.
_OF_NO_WHOLE = "conj_physical frac"
_OF_NO_TRUTHS = f"{_OF_NO_WHOLE} abs ceil floor neg round trunc positive"


def _functions(names: str, within: Any = torch, without: str = "") -> dict[str, Callable[..., Any]]:
    return {name: getattr(within, name) for name in names.split() if name not in without.split()}


REAL = {
    **_functions(_NUMBERS),
    **_functions(_SPECIAL, within=torch.special),
    **_functions(_UNITS, within=functional),
    "threshold": lambda a: functional.threshold(a, 0.5, 0.2),
}


def _each_told(
    functions: Mapping[str, Callable[[torch.Tensor], Any]], given: Mapping[str, torch.Tensor]
) -> dict[str, object]:
    """What a program is told of each function of each that is given."""
    return {name: [told_of(function(each)) for each in given.values()] for name, function in functions.items()}


def _laid_out(a: torch.Tensor) -> dict[str, torch.Tensor]:
    return {name: layout(a) for name, layout in LAYOUTS.items()}


@clause("T7.10", "layout.memory-formats")
def test_functions_of_numbers_told_of_each_layout(check: Check) -> None:
    """A program is told truly how each function of one number lies, of what is turned, has gaps, is spread or empty."""

    def program(a: torch.Tensor) -> object:
        return a * 2, _each_told(REAL, _laid_out(a))

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("T7.10", "numbers.promotion")
def test_functions_of_numbers_told_of_each_dtype(check: Check) -> None:
    """A program is told truly the dtype of each function of whole numbers, truths, complex and narrow numbers."""

    def program(a: torch.Tensor) -> object:
        whole, complex_ = (a * 5).to(torch.int32), torch.complex(a, a)
        told = {
            "whole": _each_told(_functions(_NUMBERS, without=_OF_NO_WHOLE), {"turned": whole.mT, "long": whole.long()}),
            "bytes": _each_told(_functions(_NUMBERS, without=_OF_NO_WHOLE), {"turned": whole.to(torch.uint8).mT}),
            "truths": _each_told(_functions(_NUMBERS, without=_OF_NO_TRUTHS), {"turned": (a > 0).mT}),
            "complex": _each_told(
                _functions(_OF_COMPLEX), {"turned": complex_.mT, "wide": complex_.to(torch.complex128)}
            ),
            # On a GPU eager has no angle of halves.
            "narrow": _each_told(
                _functions(_NUMBERS, without="angle"), {"half": a.half().mT, "brain": a.bfloat16().mT}
            ),
            "narrow units": _each_told(_functions(_UNITS, functional), {"half": a.half().mT, "brain": a.bfloat16().mT}),
            "wide": _each_told(REAL, {"turned": a.double().mT}),
        }
        return a * 2, told

    check(program, tensor(2, 3, 4, grad=False)).computed()


#: What is found along dimensions, by what may be told: one or none, several or none, and one alone.
OF_ONE_OR_NONE = _functions("argmax argmin")
OF_SEVERAL = {
    **_functions("amax amin any all sum mean std var logsumexp nansum std_mean var_mean nanmean"),
    "numbers but noughts": lambda a, dim, keepdim: torch.count_nonzero(a, dim),
    "norm": torch.linalg.vector_norm,
    "norm of few": lambda a, **options: torch.linalg.vector_norm(a, 0, **options),
}
OF_ONE = {
    **_functions("max min median nanmedian mode prod argmax argmin any all aminmax"),
    "rank": lambda a, **options: torch.kthvalue(a, 1, **options),
}


@clause("T7.10", "numbers.options")
def test_reductions_told_of_each_dimension(check: Check) -> None:
    """A program is told truly the sizes of what is found along each dimension, from either end, kept or left out."""

    def program(a: torch.Tensor) -> object:
        given = a.permute(2, 0, 1)
        told: dict[tuple[str, bool], object] = {}
        for keep in (False, True):
            for name, function in OF_SEVERAL.items():
                dims: tuple[Any, ...] = (0, 1, -1, (0,), (-1, 0), (0, 1, 2))
                told[name, keep] = [told_of(function(given, dim=dim, keepdim=keep)) for dim in dims]
            for name, function in OF_ONE.items():
                found = [function(given, dim=dim, keepdim=keep) for dim in (0, 1, -1)]
                told[f"{name} of one", keep] = told_of(found)
            for name, function in OF_ONE_OR_NONE.items():
                told[f"{name} of all", keep] = told_of(function(given, dim=None, keepdim=keep))
        return a * 2, told

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("T7.10", "numbers.options")
def test_runs_and_orders_told_of_each_dimension(check: Check) -> None:
    """A program is told truly how lies what is run over, ordered or turned along each dimension, from either end."""
    functions: dict[str, Callable[[torch.Tensor, int], Any]] = {
        **_functions("cumsum cumprod cummax cummin softmax log_softmax sort argsort"),
        **_functions("unsqueeze unbind logcumsumexp"),
        "few": lambda a, dim: torch.topk(a, 1, dim),
        "few, in no order": lambda a, dim: torch.topk(a, 2, dim, largest=False, sorted=False),
        "stable": lambda a, dim: torch.sort(a, dim=dim, stable=True, descending=True),
        "differences": lambda a, dim: torch.diff(a, dim=dim),
        "flipped": lambda a, dim: torch.flip(a, (dim,)),
        "rolled": lambda a, dim: torch.roll(a, 1, dim),
        "pieces": lambda a, dim: torch.tensor_split(a, 2, dim),
        "split": lambda a, dim: torch.split(a, 2, dim),
        "chunks": lambda a, dim: torch.chunk(a, 2, dim),
        "joined": lambda a, dim: torch.cat([a, a.exp()], dim),
        "stacked": lambda a, dim: torch.stack([a, a.exp()], dim),
        "chosen": lambda a, dim: torch.index_select(a, dim, torch.tensor([1, 0, 1], device=a.device)),
        "taken": lambda a, dim: torch.take_along_dim(a, torch.argsort(a, dim), dim),
        "gathered": lambda a, dim: torch.gather(a, dim, torch.zeros(1, 1, 1, dtype=torch.int64, device=a.device)),
        "windows": lambda a, dim: a.unfold(dim, 2, 1),
        "part": lambda a, dim: torch.narrow(a, dim, 1, 1),
        "slope": lambda a, dim: torch.gradient(a, dim=dim),
        "area": lambda a, dim: torch.trapezoid(a, dim=dim),
        "areas": lambda a, dim: torch.cumulative_trapezoid(a, dim=dim),
        "unit": lambda a, dim: functional.normalize(a, dim=dim),
        "least shares": lambda a, dim: functional.softmin(a, dim),
        "renormed": lambda a, dim: torch.renorm(a, 2, dim, 0.5),
        "each twice": lambda a, dim: torch.repeat_interleave(a, 2, dim),
        "halves": lambda a, dim: functional.glu(torch.cat([a, a.exp()], dim), dim),
    }

    def program(a: torch.Tensor) -> object:
        given = a.permute(2, 0, 1), a.transpose(0, 2)[::2]
        told = {
            name: [told_of(function(each, dim)) for each in given for dim in (0, 1, -1, -3)]
            for name, function in functions.items()
        }
        return a * 2, told

    check(program, tensor(2, 3, 4, grad=False)).computed()


#: Windows: sides, steps, padding and gaps that are unlike, and whether the last may overhang.
WINDOWS: list[dict[str, Any]] = [
    {"kernel_size": (2, 3)},
    {"kernel_size": (3, 2), "stride": (1, 2)},
    {"kernel_size": 3, "stride": (2, 1), "padding": (0, 1)},
    {"kernel_size": (2, 3), "stride": (3, 2), "padding": (1, 0), "ceil_mode": True},
    {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
]


@clause("T7.10", "numbers.options")
def test_windows_told_of_each_side(check: Check) -> None:
    """A program is told truly of pools whose sides, steps, padding and gaps are unlike, of images and of one image."""
    # The stubs of torch's functions know no options that come in a dictionary.
    pools: Any = functional

    def program(image: torch.Tensor, last: torch.Tensor) -> object:
        told = []
        for window in WINDOWS:
            without = {name: value for name, value in window.items() if name != "padding"}
            deep = {name: (1, *value) if isinstance(value, tuple) else value for name, value in without.items()}
            for each in (image, image[0], last):
                found = [
                    pools.max_pool2d(each, **window, return_indices=True),
                    pools.max_pool2d(each, dilation=(1, 2), **window),
                    pools.avg_pool2d(each, **window, count_include_pad=False),
                    pools.lp_pool2d(each, 2, **without),
                    pools.adaptive_avg_pool2d(each, (2, None)),
                    pools.adaptive_max_pool2d(each, (None, 3), return_indices=True),
                ]
                told.append(told_of(found))
            told.append(told_of([pools.max_pool3d(image, **deep), pools.avg_pool3d(image, **deep)]))
        row = image[0]
        for options in ({"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}):
            told.append(told_of([pools.max_pool1d(row, **options), pools.avg_pool1d(row, **options)]))
        return image * 2, told

    last = tensor(2, 3, 7, 8, strides=(168, 1, 24, 3), grad=False)
    check(program, tensor(2, 3, 7, 8, grad=False), last).computed()


#: Functions of two numbers, and those of them that take whole numbers and truths, too.
_OF_TWO = """
    add sub mul div atan2 hypot fmod remainder maximum minimum pow eq lt nextafter float_power dist
"""
#: Those that a formula stands for, of which the dtype is told truly and the order in memory is not.
_FORMULAS = "copysign logaddexp fmax fmin xlogy floor_divide logical_and logical_or ldexp"
_FORMULAS_OF_WHOLE = "copysign fmax xlogy logical_or"
_OF_TWO_WHOLE = "add mul div maximum minimum eq lt float_power"


#: What `_of_pairs` makes them of.
_GIVEN_FOR_PAIRS = (
    tensor(2, 3, 4, grad=False),
    tensor(3, dtype=torch.float64, grad=False),
    tensor(2, 3, 4, dtype=torch.int64),
)


def _of_pairs(a: torch.Tensor, double: torch.Tensor, whole: torch.Tensor) -> object:
    """What a program is told of functions of two, of each pair of operands."""
    turned, row, number = a.permute(2, 0, 1), a[0, 0, :3], a.sum()
    wide, count = double.sum(), whole.sum()
    real = {
        "a row": (turned, row),
        "behind a row": (row, turned),
        "a number": (turned, number),
        "behind a number": (number, turned),
        "numbers": (number, number),
    }
    mixed = {
        "a wide number": (turned, wide),
        "in rows and a wide number": (a, wide),
        "behind a wide number": (wide, turned),
        "wide and narrow": (turned.double(), turned),
        "narrow and a row": (turned.half(), row),
        "a narrow number": (turned, number.half()),
        "two narrow ones": (turned.half(), turned.bfloat16()),
    }
    counted = {
        "whole in rows and a number": (whole, number),
        "whole and a number": (whole.permute(2, 0, 1), number),
        "whole and a wide number": (whole.mT, wide),
        "a number and whole": (number, whole.mT),
        "real and a count": (turned, count),
        "whole and a narrow row": (whole.to(torch.int8).mT, whole[0, 0, :3].to(torch.int16)),
        "long and a narrow count": (whole.to(torch.uint8).mT, count),
        "truths and a count": ((whole > 0).mT, count),
        "count and truths": (count, (whole > 0).mT),
        "truths and real": ((whole > 0).mT, a.mT),
        "whole and complex": (whole.mT, torch.complex(number, number)),
    }
    told: dict[str, object] = {}
    for name, function in _functions(_OF_TWO).items():
        told[name] = [told_of(function(*pair)) for pair in real.values()]
        if name not in ("nextafter", "dist"):
            told[f"{name} of two dtypes"] = [told_of(function(*pair)) for pair in mixed.values()]
    for name, function in _functions(_OF_TWO_WHOLE).items():
        simple = name in ("add", "mul", "div", "eq", "float_power")
        pairs = [pair for what, pair in counted.items() if simple or "complex" not in what]
        told[f"{name} of whole numbers"] = [told_of(function(*pair)) for pair in pairs]
    for name, function in _functions(_FORMULAS).items():
        pairs = [*real.values(), *mixed.values()]
        told[f"dtypes of {name}"] = [function(*pair).dtype for pair in pairs]
    for name, function in _functions(_FORMULAS_OF_WHOLE).items():
        pairs = [pair for what, pair in counted.items() if "complex" not in what]
        told[f"dtypes of {name} of whole numbers"] = [function(*pair).dtype for pair in pairs]
    return a * 2, told


@clause("T7.10", "numbers.promotion")
def test_functions_of_two_numbers_told_of_each_pair(check: Check) -> None:
    """A program is told truly the dtype and strides of functions of two: turned, wide, narrow, whole ones."""
    check(_of_pairs, *_GIVEN_FOR_PAIRS).computed()


@clause("T7.10", "numbers.promotion", "dynamic-shapes.strides", shapes="dynamic")
def test_functions_of_two_of_any_size_told_of_each_pair(check: Check) -> None:
    """A program is told truly what functions of two are where sizes are symbols, spread or not, whatever the dtypes."""
    check(_of_pairs, *_GIVEN_FOR_PAIRS).computed()


@clause("T7.10", "layout.memory-formats")
def test_views_told_of_each_dimension_of_one(check: Check) -> None:
    """A program is told truly the sizes of what dimensions of one are left out of, each, several or all, and joined."""

    def program(a: torch.Tensor) -> object:
        every = {
            "first": a[:1],
            "middle": a[:, :1],
            "last": a[..., :1],
            "first and last": a[:1, :, 1:2],
            "all": a[:1, 1:2, :1],
            "of two": a[:1, 0],
            "last of two": a[0, :, :1],
            "alone": a[0, 0, :1],
            "none": a,
            "number": a[0, 0, 0],
        }
        told = {
            name: [
                told_of([each.squeeze(), each.exp().squeeze(), torch.squeeze(each.flatten()), each.unsqueeze(-1)]),
                [told_of([each.squeeze(dim), each.unsqueeze(dim)]) for dim in range(-each.dim(), each.dim())],
                told_of(each.squeeze(tuple(range(each.dim())))),
                told_of([each.reshape(-1), each.expand(2, *each.shape).squeeze(), each.mT if each.dim() > 1 else each]),
            ]
            for name, each in every.items()
        }
        return {name: each.squeeze() * 2 for name, each in every.items()}, told

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_angles_of_complex_numbers_told_of_each_layout(check: Check) -> None:
    """A program is told truly how the angles of complex numbers lie that are turned, have gaps or are spread."""

    def program(a: torch.Tensor) -> object:
        return a * 2, _each_told(_functions("angle"), _laid_out(torch.complex(a, a)))

    check(program, tensor(2, 3, 4, grad=False)).computed()


@clause("T7.10", "layout.memory-formats")
def test_logarithms_of_shares_told_of_each_layout(check: Check) -> None:
    """A program is told truly how logarithms of sigmoids lie, of what is turned, has gaps or is spread."""

    def program(a: torch.Tensor) -> object:
        return a * 2, _each_told(_functions("logsigmoid", functional), _laid_out(a))

    check(program, tensor(2, 3, 4, grad=False)).computed()
