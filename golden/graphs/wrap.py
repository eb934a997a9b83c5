"""Break long lines of canonical text between arguments, so that goldens fit the tests that they stand in."""

from __future__ import annotations

from collections.abc import Iterator

#: Longer lines are broken. Lines that fit stay one line a node, which is what diffs are read by.
WIDTH = 120

_OPENING, _CLOSING = "([{", ")]}"


def wrapped(text: str) -> str:
    """The text with long lines broken after the first parenthesis and between its arguments."""
    return "\n".join(line if len(line) <= WIDTH else _broken(line) for line in text.split("\n"))


def _broken(line: str) -> str:
    start, stop = line.find("(") + 1, line.rfind(")")
    if not 0 < start < stop:
        return line
    margin = line[: len(line) - len(line.lstrip())]
    rows = [""]
    for argument in _arguments(line[start:stop]):
        longer = f"{rows[-1]} {argument},".lstrip()
        if rows[-1] and len(margin) + 4 + len(longer) > WIDTH:
            rows.append(f"{argument},")
        else:
            rows[-1] = longer
    return "\n".join([line[:start], *(f"{margin}    {row}" for row in rows), margin + line[stop:]])


def _arguments(text: str) -> Iterator[str]:
    """The arguments between two parentheses, split at commas that are in no bracket and in no literal."""
    depth, quote, begin, position = 0, "", 0, 0
    while position < len(text):
        char = text[position]
        if quote:
            position += char == "\\"
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == "," and depth == 0:
            yield text[begin:position].strip()
            begin = position + 1
        position += 1
    if text[begin:].strip():
        yield text[begin:].strip()
