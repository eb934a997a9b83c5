"""A program as a file that ``parity check`` takes, in plain and short Python."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .helpers import HELPERS, MODULES


def file_text(
    parameters: Sequence[str],
    body: Sequence[str],
    builders: Sequence[Sequence[str]],
    contexts: Sequence[str],
    definitions: Mapping[str, str],
    *,
    train: bool,
    dynamic: bool,
) -> str:
    """The file: imports, what the program leans on, ``program``, its builders, and what is asked for.

    ``builders`` are the lines of one function a call, ``contexts`` the name of what each call is made within, or
    nothing. Two equal calls without a context are what a file with ``inputs`` alone stands for.
    """
    program = _function("program", ", ".join(parameters), body)
    known = {**HELPERS, **definitions}
    made = "\n".join(line for lines in builders for line in lines)
    helpers = _used("\n".join([program, made, *contexts]), known)
    words = "\n".join([program, made, *(known[name] for name in helpers)])
    head = [*(f"import {name}" for name in MODULES if f"{name}." in words), "import torch"]
    if re.search(r"\bF\.", words):
        head.append("import torch.nn.functional as F")
    blocks = ["\n".join(head)]
    flags = ["TRAIN = True"] * train + ["DYNAMIC = True"] * dynamic
    blocks += ["\n".join(flags)] * bool(flags) + [known[name] for name in helpers]
    histories = any("made[" in line for lines in builders for line in lines)
    blocks += ["made = {}"] * histories + [program]
    names: dict[str, str] = {}
    for lines in builders:
        made = "\n".join(lines)
        if made not in names:
            names[made] = f"inputs_{len(names) + 1}" if names else "inputs"
            blocks.append(_function(names[made], "", lines))
    if histories:
        blocks.append(_function("leaves", "", ["return made"]))
    calls = [
        f"({names[made]}, {context})" if context else names[made]
        for made, context in zip(("\n".join(lines) for lines in builders), contexts, strict=True)
    ]
    if calls != ["inputs", "inputs"]:
        blocks.append(f"calls = [{', '.join(calls)}]")
    return "\n\n\n".join(blocks) + "\n"


def _used(text: str, known: Mapping[str, str]) -> list[str]:
    """The names that a text and what it leans on use, what is leant on first."""
    found: list[str] = []
    for name in known:
        if re.search(rf"\b{name}\b", text):
            found += [*_used(known[name], {other: body for other, body in known.items() if other != name}), name]
    return list(dict.fromkeys(found))


def _function(name: str, arguments: str, lines: Sequence[str]) -> str:
    return "\n".join([f"def {name}({arguments}):", *(f"    {line}" for line in lines)])
