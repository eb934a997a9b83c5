"""A find as a script of plain PyTorch: it prints what is expected and what is seen, and exits 1 while the bug lives."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

from suites.harness.backends.adapters import MADE, split
from suites.harness.backends.names import INDUCTOR_MODES
from suites.harness.oracle.divergence import Divergence
from suites.harness.torch_internals import CONFIGS

from .search import pretty

_TEMPLATE = Path(__file__).with_name("script.txt")


_EMPTY_CACHES = """\
import os
import tempfile

os.environ["TORCHINDUCTOR_CACHE_DIR"] = tempfile.mkdtemp()  # Caches that are empty.
"""
_FROM_HERE = """\
import importlib
import os

sys.path.append(os.getcwd())  # Where the backend's module may lie.
"""


@dataclasses.dataclass(frozen=True)
class _Way:
    """How a script compiles: the backend as Python writes it, what else `torch.compile` is told, lines of its own."""

    backend: str
    options: str = ""
    #: Once, before torch is imported; and before each call.
    first: str = ""
    each: str = ""


def _way(layer: str) -> _Way:
    """The way to a layer: a backend that torch knows by name, a variant of Inductor, or ``module:attribute``."""
    name, given = split(layer)
    options = {**(INDUCTOR_MODES.get(name) or {}), **(given or {})}
    told = f", options={options!r}" if options else ""
    module, _, attribute = name.partition(":")
    if attribute.endswith(MADE):
        maker = f"importlib.import_module({module!r}).{attribute.removesuffix(MADE)}"
        return _Way(f"{maker}({f'**{options!r}' if options else ''})", first=_FROM_HERE)
    if attribute:
        return _Way(f"importlib.import_module({module!r}).{attribute}", told, first=_FROM_HERE)
    if name == "inductor_cached":
        forgetting = "        torch._dynamo.reset()  # Compiled again, and served by the caches or not.\n"
        return _Way("'inductor'", first=_EMPTY_CACHES, each=forgetting)
    return _Way("'inductor'" if name in INDUCTOR_MODES else repr(name), told)


def script(text: str, first: Divergence) -> str:
    """The script for a program that diverges so. ``text`` is a file for ``parity check``."""
    template = _TEMPLATE.read_text(encoding="utf-8")
    way = _way(first.layer)
    values = {
        "TITLE": title(first),
        "FUTURE": "".join(f"{ast.unparse(node)}\n" for node in ast.parse(text).body if _is_future(node)),
        "PROGRAM": pretty(_without_flags(text)).rstrip(),
        "FIRST": way.first,
        "EACH": way.each,
        "OPTIONS": way.options,
        "BACKEND": way.backend,
        "DYNAMIC": "True" if _flag(text, "DYNAMIC") else "None",
        "TRAIN": str(_flag(text, "TRAIN")),
        "SETTINGS": "".join(f"\n        {line}" for line in _settings(text)),
    }
    return re.sub(r"\$([A-Z]+)", lambda match: values[match[1]], template)


def title(divergence: Divergence) -> str:
    """One line: what differs, where, on which backend."""
    what = f"{divergence.facet}: {divergence.kind}" if divergence.silent else divergence.kind
    return f"torch.compile(backend={divergence.layer!r}): {what} ({divergence.where})".replace('"', "'")


def _flag(text: str, name: str) -> bool:
    return any(
        isinstance(node, ast.Assign)
        and _name(node) == name
        and isinstance(node.value, ast.Constant)
        and bool(node.value.value)
        for node in ast.parse(text).body
    )


def _settings(text: str) -> list[str]:
    """The settings of torch's compiler that a program asks for, each as the assignment that makes it."""
    given = [node for node in ast.parse(text).body if isinstance(node, ast.Assign) and _name(node) == "CONFIG"]
    lines = []
    for name, value in ast.literal_eval(given[-1].value).items() if given else ():
        place, _, key = name.partition(".")
        lines.append(f"{CONFIGS[place]}.{key} = {value!r}")
    return lines


def _name(node: ast.Assign) -> str:
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def _is_future(node: ast.stmt) -> bool:
    """Whether it stands before everything else of a file."""
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _without_flags(text: str) -> ast.Module:
    tree = ast.parse(text)
    tree.body = [
        node
        for node in tree.body
        if not ((isinstance(node, ast.Assign) and _name(node) in ("TRAIN", "DYNAMIC", "CONFIG")) or _is_future(node))
    ]
    return tree


def issue(text: str, first: Divergence, torch_version: str) -> str:
    """The text of a report upstream: what happens, the script, the versions; in the order of PyTorch's own template."""
    return (
        f"# {title(first)}\n\n"
        "### 🐛 Describe the bug\n\n"
        f"The program below means something else under `torch.compile(backend={first.layer!r})` than in eager.\n\n"
        f"- expected (eager): {first.expected}\n- seen: {first.seen}\n- where: {first.where}\n"
        f"- {'silent: no error is raised' if first.silent else 'loud: an error is raised where eager raises none'}\n\n"
        f"```python\n{script(text, first)}```\n\n"
        "### Error logs\n\n"
        f"{first.seen if not first.silent else 'None: the result is wrong without an error.'}\n\n"
        f"### Versions\n\ntorch {torch_version}\n"
    )
