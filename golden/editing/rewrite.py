"""Replace string literals in Python source, by syntax-tree node, and nothing else.

Positions are those of `ast` (lines from 1, columns in UTF-8 bytes). Encoding, byte-order mark and line endings of the
file stay as they are.
"""

from __future__ import annotations

import ast
import dataclasses
import io
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence

from golden.editing.locate import Span, constants, span_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_QUOTES = re.compile(r'"{3,}|"+\Z')
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class CannotRewrite(ValueError):
    """The source is not what it was when the edit was recorded, or the edit would change more than a literal."""


@dataclasses.dataclass(frozen=True)
class Replacement:
    """The literal at ``span``, whose value is ``old``, is to have the value ``new``."""

    span: Span
    old: str
    new: str


def literal(value: str, newline: str = "\n", encoding: str = "utf-8") -> str:
    """A triple-quoted literal of a value, as goldens are written; empty values become ``\"\"``."""
    if not value:
        return '""'
    text = value.replace("\\", "\\\\")
    text = _QUOTES.sub(lambda match: '\\"' * len(match[0]), text)
    text = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\x80" else _escaped(match[0]), text)
    text = "".join(char if _fits(char, encoding) else _escaped(char) for char in text)
    return '"""\\' + newline + text.replace("\n", newline) + '"""'


def _fits(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def rewrite(source: bytes, replacements: Sequence[Replacement]) -> bytes:
    """The source with every named literal replaced; raises `CannotRewrite`, in one line."""
    encoding = _encoding(source)
    text = source.decode(encoding)
    lines = _LINE.findall(text)
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    tree = ast.parse(source)
    wanted = _wanted(replacements)
    nodes = {span_of(node): node for node in constants(tree)}
    for span, replacement in wanted.items():
        node = nodes.get(span)
        if node is None or node.value != replacement.old:
            raise CannotRewrite(f"line {span[0]}: the literal is not there any more; record again")
    for span in sorted(wanted, reverse=True):
        lines = _spliced(lines, span, literal(wanted[span].new, newline, encoding))
    result = "".join(lines).encode(encoding)
    _check(tree, result, wanted)
    return result


def _wanted(replacements: Iterable[Replacement]) -> Mapping[Span, Replacement]:
    wanted: dict[Span, Replacement] = {}
    for replacement in replacements:
        if wanted.setdefault(replacement.span, replacement) != replacement:
            raise CannotRewrite(f"line {replacement.span[0]}: two values for one literal")
    return wanted


def _encoding(source: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(source).readline)[0]
    except SyntaxError as error:
        raise CannotRewrite(str(error)) from None


def _spliced(lines: list[str], span: Span, text: str) -> list[str]:
    """Lines with the text of a span replaced; the lines after it keep their content."""
    line, column, end_line, end_column = span
    before = lines[line - 1].encode("utf-8")[:column].decode("utf-8")
    after = lines[end_line - 1].encode("utf-8")[end_column:].decode("utf-8")
    return [*lines[: line - 1], before + text + after, *lines[end_line:]]


def _check(tree: ast.Module, result: bytes, wanted: Mapping[Span, Replacement]) -> None:
    """Hold the new source against the old tree: only the named literals may differ, and they as asked."""
    for node in constants(tree):
        replacement = wanted.get(span_of(node))
        if replacement is not None:
            node.value, node.kind = replacement.new, None
    try:
        new_tree = ast.parse(result)
    except (SyntaxError, ValueError) as error:
        raise CannotRewrite(f"the edited source would not parse: {error}") from None
    if _shape(new_tree) != _shape(tree):
        raise CannotRewrite("the edit would change more than the literals")


def _shape(tree: ast.Module) -> str:
    """The tree without positions; the ``u`` prefix of a literal has no meaning."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)
