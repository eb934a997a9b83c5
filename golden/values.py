"""The canonical text of small values: what a run computed, short enough to be read and compared as numbers.

A value is a line, ``PATH = KIND NUMBERS``; longer ones go on in lines that are indented::

    out[0] = float32[2, 3] [[1, -0, nan], [0.3333, inf, 2e-38]]
    out[1] = int64[] 7
    arg[0].name = str 'scaled'

``KIND`` is a dtype with a shape, or the type of a Python value. Floats have four digits; integers and bools have all of
theirs. Of a tensor of more than `LARGEST` numbers only the first and the last stand here, with ``...`` between them.
Texts are compared as numbers: floats may differ in their last digits, which machines and releases do not agree on.
"""

from __future__ import annotations

import dataclasses
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

#: Tensors of more numbers than this are shown by their ends.
LARGEST = 36
_HEAD, _TAIL = 12, 4
_WIDTH = 116
#: Characters of a Python value that is no number.
_LONGEST = 72

#: How far two floats of a dtype may be apart, as a part of the larger: two roundings, and no less than `_CLOSE`.
_COARSE = {"float16": 2**-9, "bfloat16": 2**-6, "float8_e4m3fn": 0.25, "float8_e5m2": 0.5}
_CLOSE = 1e-3
#: What is left of larger numbers that cancel: differences below this part of the tensor's largest number.
_NOISE = 1e-6

_LINE = re.compile(r"(?P<path>\S.*?) = (?P<kind>[\w.]+(?:\[[\d, -]*\])?)(?: (?P<body>.*))?")
_NUMBER = re.compile(r"[^\s\[\],]+")


@dataclasses.dataclass(frozen=True)
class Value:
    """One value: where it is, its dtype or type, the shape (None: no tensor) and its numbers in order, or itself."""

    path: str
    kind: str
    shape: tuple[int, ...] | None
    content: Sequence[Any] | Any


def text_of(values: Iterable[Value]) -> str:
    """The canonical text of values, a line each."""
    return "".join(f"{_wrapped(_line(value))}\n" for value in values)


def _line(value: Value) -> str:
    if value.shape is None:
        return f"{value.path} = {value.kind} {_plain(value.content)}".rstrip()
    numbers = [_number(item) for item in value.content]
    if len(numbers) > LARGEST:
        body = f"[{', '.join([*numbers[:_HEAD], '...', *numbers[-_TAIL:]])}]"
    else:
        body = _nested(numbers, value.shape)
    return f"{value.path} = {value.kind}{list(value.shape)} {body}"


def _plain(content: Any) -> str:
    """A Python value; None is told by its type."""
    if content is None:
        return ""
    return _number(content) if isinstance(content, (bool, int, float, complex)) else repr(content)[:_LONGEST]


def _number(item: complex) -> str:
    if isinstance(item, bool | int):
        return str(item)
    if isinstance(item, complex):
        return f"{item.real:.4g}{item.imag:+.4g}j"
    return f"{item:.4g}"


def _nested(numbers: Sequence[str], shape: Sequence[int]) -> str:
    if not shape:
        return numbers[0]
    step = len(numbers) // shape[0] if shape[0] else 0
    return f"[{', '.join(_nested(numbers[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0]))}]"


def _wrapped(line: str) -> str:
    """A long line of numbers, in several; texts stay as they are."""
    match = _LINE.fullmatch(line)
    if len(line) <= _WIDTH or match is None or "[" not in match["kind"]:
        return line
    return textwrap.fill(line, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


# Reading and comparing ------------------------------------------------------------------------------------------------


def are_values(text: str) -> bool:
    """Whether a text is one of values, and no graph."""
    return bool(text) and not text.startswith("def ") and all(_LINE.fullmatch(line) for line in _lines(text))


def _lines(text: str) -> Iterator[str]:
    """The text's lines, each with what goes on below it."""
    line = ""
    for part in text.split("\n"):
        if part.startswith(" "):
            line += f" {part.strip()}"
        else:
            yield from [line] if line else []
            line = part
    yield from [line] if line else []


def difference(expected: str, seen: str) -> str:
    """The first difference between two texts of values, in a sentence; empty where they agree. Never raises."""
    old, new = (dict(_entries(text)) for text in (expected, seen))
    for path in old.keys() | new.keys() if old.keys() != new.keys() else ():
        if path not in new:
            return f"{path} is gone"
        if path not in old:
            return f"{path} is new"
    for path, (kind, body) in old.items():
        other_kind, other = new[path]
        if kind != other_kind:
            return f"{path} is {other_kind}, it was {kind}"
        if (found := _differing(kind, body, other)) is not None:
            return f"{path} has {found[1]} where it had {found[0]}"
    return "" if list(old) == list(new) else "the values come in another order"


def _entries(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for line in _lines(text):
        match = _LINE.fullmatch(line)
        yield (match["path"], (match["kind"], match["body"] or "")) if match else (line, ("", ""))


def _differing(kind: str, expected: str, seen: str) -> tuple[str, str] | None:
    """The first two parts of a value that do not agree; None if all do."""
    dtype = kind.partition("[")[0]
    if "[" not in kind and dtype not in ("float", "complex"):
        return None if expected == seen else (expected, seen)
    old, new = _NUMBER.findall(expected), _NUMBER.findall(seen)
    if len(old) != len(new):
        return expected, seen
    if not dtype.startswith(("float", "bfloat", "complex")):
        return next(((a, b) for a, b in zip(old, new, strict=True) if a != b), None)
    close = max(_CLOSE, _COARSE.get(dtype, 0.0))
    sizes = (abs(part) for text in (*old, *new) for part in _parts(text) if math.isfinite(part))
    noise = _NOISE * max(sizes, default=0.0)
    for a, b in zip(old, new, strict=True):
        if a != b and not all(_agree(x, y, close, noise) for x, y in zip(_parts(a), _parts(b), strict=False)):
            return a, b
    return None


def _parts(number: str) -> tuple[float, ...]:
    """A number as floats: one, or the two of a complex one; none for ``...``."""
    try:
        if number.endswith("j"):
            return (complex(number).real, complex(number).imag)
        return (float(number),)
    except ValueError:
        return ()


def _agree(left: float, right: float, close: float, noise: float) -> bool:
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    if left == right:
        return math.copysign(1, left) == math.copysign(1, right)
    return math.isclose(left, right, rel_tol=close, abs_tol=noise)
