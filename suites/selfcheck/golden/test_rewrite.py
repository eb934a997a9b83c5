"""The editor changes the literals that it is told to change, and nothing else, in any Python file."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden.editing.locate import constants, span_of
from golden.editing.rewrite import CannotRewrite, Replacement, literal, rewrite

VALUES = st.text(st.sampled_from("ab\"'\\\n\t é→𝄞\r\x00\x0c{}#"), max_size=12)


def spelled(value: str, style: int) -> str:
    """A literal of a value in one of several spellings that mean the same."""
    plain = ascii(value) if style % 2 else repr(value)
    if style == 2:
        return f"({plain} {''!a})"
    if style == 3 and "\\" not in value and '"""' not in value and not value.endswith('"') and value.isprintable():
        return f'r"""{value}"""'
    if style == 4 and "\\" not in value and "'''" not in value and not value.endswith("'"):
        body = "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in value)
        return f"'''{body}'''"
    return f"u{plain}" if style == 5 else plain


@st.composite
def statements(draw: st.DrawFn, depth: int = 0) -> str:
    texts = [spelled(draw(VALUES), draw(st.integers(0, 5))) for _ in range(draw(st.integers(1, 3)))]
    first, rest = texts[0], ", ".join(texts)
    shapes = [
        f"g.expect({first})",
        f"a = [{rest}]; b.expect({first})  # é {first!r}",
        f"table = {{1: ({rest},), 'é': {first}}}",
        f"x = f'{{a!r:>{{w}}}} é' + {first}",
        f"@mark.parametrize('é', [{rest}])\ndef f(a={first}):\n    {first}\n    return a.expect({rest})",
        f"if a:\n\tb({rest},\n  {first})",
        f"assert g.expect({first}), f'é{{a}}'",
        "class C:\n    '''é'''\n\n    x: str = " + first,
    ]
    shape = draw(st.sampled_from(shapes))
    if depth == 0 and draw(st.booleans()):
        inner = draw(statements(depth=1))
        if '"""' not in inner and "'''" not in inner:
            return "def outer():\n" + "\n".join("    " + line for line in inner.split("\n")) + f"\n    return {first}"
    return shape


@st.composite
def sources(draw: st.DrawFn) -> bytes:
    """The bytes of a Python file: several encodings, byte-order marks and line endings."""
    text = "\n".join(draw(st.lists(statements(), min_size=1, max_size=4))) + draw(st.sampled_from(["", "\n"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]))
    if encoding == "latin-1":
        text = "# -*- coding: latin-1 -*-\n" + text.encode("latin-1", "replace").decode("latin-1")
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return text.replace("\n", newline).encode(encoding)


def around(source: bytes, spans: list[Any]) -> list[str]:
    """The pieces of a source between some literals."""
    text = source.decode("utf-8-sig" if source.startswith(b"\xef\xbb\xbf") else encoding_of(source))
    lines = text.replace("\r\n", "\n").split("\n")
    flat = [0]
    for line in lines:
        flat.append(flat[-1] + len(line.encode()) + 1)
    data, pieces, last = "\n".join(lines).encode(), [], 0
    for line, column, end_line, end_column in sorted(spans):
        pieces.append(data[last : flat[line - 1] + column].decode())
        last = flat[end_line - 1] + end_column
    return [*pieces, data[last:].decode()]


def encoding_of(source: bytes) -> str:
    return "latin-1" if source.startswith(b"# -*- coding: latin-1") else "utf-8"


@settings(deadline=None)
@given(source=sources(), data=st.data())
def test_only_the_named_literals_change(source: bytes, data: st.DataObject) -> None:
    nodes = list(constants(ast.parse(source)))
    chosen = data.draw(st.lists(st.sampled_from(nodes), unique_by=span_of, max_size=4))
    replacements = [Replacement(span_of(node), str(node.value), data.draw(VALUES)) for node in chosen]
    result = rewrite(source, replacements)
    new = {id(node): replacement.new for node, replacement in zip(chosen, replacements, strict=True)}
    after = list(constants(ast.parse(result)))
    assert [node.value for node in after] == [new.get(id(node), node.value) for node in nodes]
    spans = [span_of(other) for node, other in zip(nodes, after, strict=True) if id(node) in new]
    assert around(result, spans) == around(source, [span_of(node) for node in chosen])
    if b"\r\n" in source:
        assert b"\n" not in result.replace(b"\r\n", b"")


@pytest.mark.parametrize("value", ["", "a\n", '"', '""""', 'ends with "', "\\", "\\\n", "é\r\n\t\x00", '"""', "\ud800"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_literal_reads_back(value: str, encoding: str) -> None:
    spelled = literal(value, "\n", encoding)
    spelled.encode(encoding)
    assert ast.literal_eval(spelled) == value


def test_a_literal_that_moved_is_refused() -> None:
    source = b"x.expect('a')\n"
    span = span_of(next(constants(ast.parse(source))))
    with pytest.raises(CannotRewrite, match="line 1: the literal is not there any more"):
        rewrite(b"\n" + source, [Replacement(span, "a", "b")])
    with pytest.raises(CannotRewrite, match="not there any more"):
        rewrite(source.replace(b"'a'", b"'c'"), [Replacement(span, "a", "b")])


def test_two_values_for_one_literal_are_refused() -> None:
    source = b"x.expect('a')\n"
    span = span_of(next(constants(ast.parse(source))))
    with pytest.raises(CannotRewrite, match="two values for one literal"):
        rewrite(source, [Replacement(span, "a", "b"), Replacement(span, "a", "c")])
