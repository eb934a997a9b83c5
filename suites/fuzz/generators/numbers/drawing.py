"""Programs about numbers: operators on what kernels treat apart, in the dtypes and sizes where they change.

The other programs keep to finite numbers of moderate size, so that any statement can follow any other. Here each
statement is one operator on inputs, or two or three in one expression: of infinities and nan, signed zeros, subnormals,
the largest and smallest of a dtype, of ranges that are large, and of sizes around the widths of vectors. Where eager's
own kernels disagree among themselves, by layout or by the length of the tensor, no result is the right one, and the
statement is rejected; so is a conversion that C++ leaves undefined.
"""

from __future__ import annotations

import ast
import dataclasses
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from suites.harness.oracle.definedness import HazardMode

from ..choices import Choices
from ..programs.drawing import Drawn
from ..programs.helpers import PREAMBLE
from ..programs.scope import Rejected, tensors_in
from ..programs.statements import arithmetic, products, reductions
from ..programs.text import file_text
from .templates import (
    CONVERTED,
    EDGES,
    EXACT,
    FEWER,
    FLOATS,
    FOLDED,
    IMAGES,
    INTEGERS,
    LESS,
    NARROW,
    ODD,
    ORDERS,
    SIGNS,
    SIZES,
    SPECIAL,
    TWO,
    WHOLE,
    WIDER,
    WITH_RANGES,
)

#: Conversions that C++ leaves undefined for what does not fit.
_TO_INTEGERS = re.compile(r"\.to\(torch\.u?int|\.int\(\)|\.long\(\)|F\.one_hot")
#: Sums and products of many, in no order that anybody promises; neither the largest of many, nor how many there are.
_OF_MANY = re.compile(r"(?<![a-z])(nan|cum)?(sum|prod|mean|var|std)\(|norm\((?!float|0)|trapezoid")
#: Images of more than one tile of a kernel.
_LARGER = ((1, 8, 18, 18), (2, 3, 17, 20), (1, 4, 20, 19))
_SCALES = ("1.1", "1.3", "1.5", "0.7", "1.0", "2.0", "1.2", "0.9")
_NUMBERS = ("2.0", "0.5", "-1.5", "3.0", "0.1", "-3.0", "2.5", "0.0")
_TRIES = 40
#: Further apart than this are two of eager's own kernels when they disagree, by the bytes of an element.
_APART = {8: 1e-9, 4: 1e-4, 2: 2e-2, 1: 0.2}


@dataclasses.dataclass(frozen=True)
class Numbers:
    """One input: the expression that makes it, its dtype, and the feature that it is known by."""

    made: str
    dtype: str
    feature: str
    #: How many elements; 0 where nobody counts them.
    size: int = 0

    @property
    def is_floating(self) -> bool:
        """Whether its dtype is one of floating point."""
        return self.dtype in FLOATS


@dataclasses.dataclass(frozen=True)
class _Drawing:
    choices: Choices
    inputs: tuple[Numbers, ...]

    def one_of(self, *tables: Sequence[str], x: str = "a") -> str:
        choices = self.choices
        template = choices.one_of(choices.one_of(tables))
        words = {"d": 0, "keep": choices.one_of(["", ", keepdim=True"]), "c": 2, "p": choices.integer(1, 3)}
        words |= {"f": choices.one_of(_SCALES), "g": choices.one_of(_SCALES)}
        return template.format(x=x, y="b" if len(self.inputs) > 1 else "a", k=choices.one_of(_NUMBERS), **words)


def _of_one(drawing: _Drawing) -> str:
    if drawing.inputs[0].is_floating:
        return drawing.one_of(EDGES, EDGES, arithmetic.SMOOTH, arithmetic.JUMPING)
    return drawing.one_of(arithmetic.OF_INTEGERS)


def _of_another(drawing: _Drawing) -> str:
    """Two or three operators, one on another."""

    def on(inner: str, *tables: Sequence[str]) -> str:
        return drawing.one_of(*tables, x=f"({inner})")

    if drawing.inputs[0].is_floating:
        if drawing.choices.chance(50):
            return _plainly(on(drawing.one_of(EXACT, ODD), SIGNS))
        return _plainly(on(drawing.one_of(EXACT), EXACT, EDGES))
    inner = drawing.one_of(NARROW, NARROW, arithmetic.OF_INTEGERS)
    if drawing.choices.chance(75):
        inner = on(inner, NARROW)
    return _plainly(on(inner, WIDER, WIDER, arithmetic.OF_INTEGERS))


def _of_ranges(drawing: _Drawing) -> str:
    """A range that the program makes, of as many elements as the input, and what it is used for."""
    choices, size = drawing.choices, drawing.inputs[0].size
    start = choices.one_of([0, 0, 0, 0, 1, 250, -3])
    kind = choices.one_of(["", "", "", ", dtype=torch.int32", ", dtype=torch.int8"]) if start < 250 else ""
    divisor = choices.integer(2, 7)
    factor = choices.one_of(
        ["3", "100", "-2"] if kind else ["3", "-1", "65536", "1000000000", "2147483647", "2147483648"]
    )
    words = {"d": divisor, "m": divisor * choices.integer(1, 2), "k": factor}
    made = f"torch.arange({f'{start}, ' if start else ''}{start + size}{kind})"
    for table, chance in ((("{r} * {k}",), 40), (LESS, 50), (FOLDED, 50), (CONVERTED, 50)):
        if choices.chance(chance):
            made = f"({choices.one_of(table).format(r=made, **words)})"
    return _plainly(choices.one_of(WITH_RANGES).format(x="a", r=made, **words))


def _plainly(expression: str) -> str:
    """The expression without parentheses that it does not need."""
    return ast.unparse(ast.parse(expression, mode="eval"))


#: What a statement can be, with how often it is tried.
FAMILIES: Mapping[str, tuple[Callable[[_Drawing], str], int]] = {
    "an element at a time": (_of_one, 8),
    "one on another": (_of_another, 7),
    "two at a time": (lambda drawing: drawing.one_of(TWO), 8),
    "ranges": (_of_ranges, 5),
    "fewer": (lambda drawing: drawing.one_of(FEWER, FEWER, reductions.SUMS, reductions.SCANS), 5),
    "order of distinct": (lambda drawing: drawing.one_of(ORDERS), 3),
    "images": (lambda drawing: drawing.one_of(IMAGES, IMAGES, products.OF_IMAGES), 4),
}


def draw_program(choices: Choices, weights: Mapping[str, int] | None = None) -> Drawn:
    """A program about numbers that eager runs. Raises `Rejected` where nothing that was drawn could be run."""
    given = weights or {name: weight for name, (_, weight) in FAMILIES.items()}
    lottery = [name for name, weight in given.items() for _ in range(weight)]
    first = choices.one_of(lottery)
    inputs = _inputs(choices, first)
    train = all(item.is_floating for item in inputs) and choices.chance(30)
    drawing = _Drawing(choices, inputs)
    wanted, expressions = choices.integer(1, 3), list[str]()
    for _ in range(_TRIES):
        expression = FAMILIES[first][0](drawing)
        if expression not in expressions and is_defined(expression, inputs):
            expressions.append(expression)
        if len(expressions) == wanted:
            break
    if not expressions:
        raise Rejected("no operator fits")
    text = _text(inputs, expressions, train=train)
    seen = {"gradients": train, "two dtypes": inputs[0].dtype != inputs[-1].dtype, "strided": "[..., ::2]" in text}
    seen |= {"channels_last": "channels_last" in text}
    features = {item.feature for item in inputs} | {name for name, there in seen.items() if there}
    return Drawn(text, (first,) * len(expressions), tuple(sorted(features)))


# Inputs ---------------------------------------------------------------------------------------------------------------


def _inputs(choices: Choices, family: str) -> tuple[Numbers, ...]:
    if family == "images":
        return (_image(choices),)
    size = choices.one_of(SIZES[:15] if family == "ranges" else SIZES)
    if family == "order of distinct":
        return (_distinct(choices, max(size, 1)),)
    views = ["", "", ".view(2, -1)", ".view(-1, 4)"] if size and size % 8 == 0 and family != "ranges" else [""]
    view = choices.one_of(views)
    if family == "one on another" and choices.chance(60):
        # Where two at once go beyond one at a time: a byte that is more than a byte, the sign of a zero.
        narrow = choices.chance(60)
        return (_numbers(choices, choices.one_of(INTEGERS[2:] if narrow else FLOATS), size, view, "signed zeros"),)
    dtypes = [choices.one_of(FLOATS + INTEGERS if choices.chance(70) else FLOATS[:2]) for _ in "ab"]
    if choices.chance(60):
        dtypes[1] = dtypes[0]
    inputs = [_numbers(choices, dtype, size, view) for dtype in dtypes]
    return tuple(inputs[: 2 if family == "two at a time" else 1])


def _numbers(choices: Choices, dtype: str, size: int, view: str, wanted: str = "") -> Numbers:
    """Numbers of a feature: the one that is ``wanted``, if the dtype has it."""
    if choices.chance(20) and not wanted:
        return Numbers(_plain(dtype, size) + view, dtype, "plain numbers", size)
    known = SPECIAL if dtype in FLOATS else WHOLE
    feature = wanted if wanted in known else choices.one_of(tuple(known)[: -1 if dtype == "uint8" else None])
    values = known[feature]
    start = choices.integer(0, len(values) - 1)
    turned = [_value(value, dtype) for value in (*values[start:], *values[:start])]
    step = choices.one_of([1, 1, 1, 2])
    count = size * step
    made = f"torch.tensor([{', '.join(turned[:count])}], dtype=torch.{dtype})"
    made += f".repeat({-(-count // len(turned))})[:{count}]" if count > len(turned) else ""
    return Numbers(made + "[..., ::2]" * (step == 2) + (view if step == 1 else ""), dtype, feature, size)


def _value(name: str, dtype: str) -> str:
    """A number by its name, as Python writes it."""
    if dtype in FLOATS:
        info = torch.finfo(getattr(torch, dtype))
        known = {"tiny": info.tiny, "largest": info.max, "eps": info.eps}
        value = eval(name, {"inf": float("inf"), "nan": float("nan"), **known})
        return repr(value) if value - value == 0 else f"float('{value}')"
    limits = torch.iinfo(getattr(torch, dtype))
    return repr(eval(name, {"smallest": limits.min, "largest": limits.max}))


def _plain(dtype: str, size: int) -> str:
    if dtype in FLOATS:
        return f"torch.randn({size}, dtype=torch.{dtype})"
    return f"torch.randint({0 if dtype == 'uint8' else -4}, 12, ({size},), dtype=torch.{dtype})"


def _distinct(choices: Choices, size: int) -> Numbers:
    dtype = choices.one_of(FLOATS[:2] + INTEGERS[:2] if size > 127 else FLOATS + INTEGERS)
    size = min(size, 65) if dtype in ("bfloat16", "uint8") else size
    scaled = " / 4" if dtype in FLOATS else ""
    lowest = choices.one_of([0, 1] if dtype == "uint8" else [-size // 2, 1, -size])
    return Numbers(f"(torch.randperm({size}) + {lowest}).to(torch.{dtype}){scaled}", dtype, "distinct numbers", size)


def _image(choices: Choices) -> Numbers:
    shape = choices.one_of([(1, 2, 5, 6), (2, 4, 7, 5), (1, 2, 9, 8), (2, 2, 4, 17), (1, 16, 3, 5), *_LARGER])
    elements = torch.Size(shape).numel()
    layout = choices.one_of(["", "", *[".to(memory_format=torch.channels_last)"] * 2, ".mT.contiguous().mT"])
    dtype = choices.one_of(FLOATS[:2])
    made = f"(torch.randperm({elements}) / 16 - 3).to(torch.{dtype}).view{shape}{layout}"
    return Numbers(made, dtype, "distinct numbers", elements)


def _text(inputs: Sequence[Numbers], expressions: Sequence[str], *, train: bool) -> str:
    names = "ab"[: len(inputs)]
    made = [f"({item.made}).requires_grad_()" if train else item.made for item in inputs]
    lines = [f"{name} = {one}" for name, one in zip(names, made, strict=True)]
    built = [*lines, f"return ({', '.join(names)},)" if len(names) == 1 else f"return {', '.join(names)}"]
    body = [f"t{place} = {expression}" for place, expression in enumerate(expressions)]
    body.append(f"return {', '.join(f't{place}' for place in range(len(body)))}")
    return file_text(names, body, [built] * 2, [""] * 2, {}, train=train, dynamic=False)


# What eager defines ---------------------------------------------------------------------------------------------------


def is_defined(expression: str, inputs: Sequence[Numbers]) -> bool:
    """Whether eager computes it, and the same in another layout and as a part of more elements."""
    names: dict[str, Any] = {}
    exec("\n".join(PREAMBLE), names)
    torch.default_generator.manual_seed(0)
    values = {name: eval(item.made, names) for name, item in zip("ab", inputs, strict=False)}
    if not _may_run(expression, values):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with HazardMode() as looked:
                result = eval(expression, names, values)
            if looked.hazards:
                return False
            apart = eval(expression, names, {name: torch.stack([x, x], -1)[..., 0] for name, x in values.items()})
            if not _agree(result, apart):
                return False
            if not isinstance(result, torch.Tensor) or result.shape != values["a"].shape or not result.dim():
                return True
            if not _of_each(expression):
                return True
            longer = eval(expression, names, {name: torch.cat([x, x, x]) for name, x in values.items()})
    except (RuntimeError, IndexError, TypeError, ValueError):
        return False
    return _agree(result, longer[: len(result)])


def _of_each(expression: str) -> bool:
    """Whether an element of the result is of one element alone."""
    return not re.search(r"arange|max\(|sum|prod|sort|flip|roll|diff|cum|norm|dim=|-1\)|median|quantile", expression)


def _may_run(expression: str, values: Mapping[str, torch.Tensor]) -> bool:
    """Whether C++ says what comes of it: no float that does not fit an integer, no smallest integer by -1.

    Nor are the largest numbers of a dtype summed: in one order a sum overflows, or small ones are lost, and not in
    another.
    """
    floats = [x for x in values.values() if x.dtype.is_floating_point]
    if _TO_INTEGERS.search(expression) and any(not bool(((x >= 0) & (x < 60)).all()) for x in floats):
        return False
    if _OF_MANY.search(expression) and any(map(_has_largest, floats)):
        return False
    whole = [x for x in values.values() if not x.dtype.is_floating_point]
    smallest = any(bool((x == torch.iinfo(x.dtype).min).any()) for x in whole)
    return not (smallest and any(bool((x == -1).any()) for x in whole) and re.search(r"//|%|div|mod|gcd", expression))


def _has_largest(x: torch.Tensor) -> bool:
    return bool((x.isfinite() & (x.abs() > torch.finfo(x.dtype).max / 2)).any())


def _agree(left: Any, right: Any) -> bool:
    lefts, rights = list(tensors_in([left])), list(tensors_in([right]))
    return len(lefts) == len(rights) and all(map(_alike, lefts, rights))


def _alike(left: torch.Tensor, right: torch.Tensor) -> bool:
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    if not left.dtype.is_floating_point:
        return bool((left == right).all())
    rtol = _APART[left.element_size()]
    return bool(torch.isclose(left.double(), right.double(), rtol=rtol, atol=1e-40, equal_nan=True).all())
