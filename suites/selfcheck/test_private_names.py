"""Private names of torch stand in two places: `suites.harness.torch_internals` and `golden._torch`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import suites

ROOT = Path(suites.__file__).parent.parent

#: Where private names belong.
PLACES = ("golden/_torch.py", "suites/harness/torch_internals/")
#: Files with a private name that cannot stand there, each with the reason.
ALLOWED = {
    "suites/fuzz/": "frozen programs and texts of programs: what programs call; the modules around them are to follow",
    "suites/selfcheck/fuzz/": "as suites/fuzz",
    "suites/harness/execution/environment.py": "looks for Inductor in sys.modules: it must not import torch",
    "suites/selfcheck/tools/test_environment.py": "takes that module out of sys.modules",
}
#: What programs call under a name that looks private: documented, or operators whose only name it is.
CALLED = re.compile(
    r"torch\.(_check\w*|_assert|_assert_async|_foreach_\w+|_chunk_cat|_fake_quantize_learnable_\w+"
    r"|_dynamo\.(error_on_)?graph_break|ops\..+)"
)
#: Attributes of torch's objects, by which no module is named.
ATTRIBUTES = frozenset(
    (
        "_backward_hooks",
        "_base",
        "_boxed_call",
        "_cdata",
        "_destroy",
        "_forward_hooks",
        "_is_view",
        "_schema",
        "_version",
    )
)


def private_names(text: str) -> Iterator[tuple[int, str]]:
    """The private names of torch in a module, with their lines: imports, chains from ``torch``, known attributes."""
    nodes: list[ast.AST] = [ast.parse(text)]
    while nodes:
        node = nodes.pop()
        names = list(_named(node))
        for name in names:
            private = any(re.match("_[a-zA-Z]", part) for part in name.split(".")[1:])
            if private and not CALLED.fullmatch(name):
                yield getattr(node, "lineno", 0), name
        # What a chain is made of is not a name of its own: torch._dynamo of torch._dynamo.graph_break.
        if not (isinstance(node, ast.Attribute) and names and names[0].startswith("torch.")):
            nodes += ast.iter_child_nodes(node)


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.startswith("torch."))
    elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Attribute) and _chain(node).startswith("torch."):
        yield _chain(node)
    elif isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES and _chain(node.value) not in ("self", "cls"):
        yield f"object.{node.attr}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"torch(\.\w+)+", node.value):
        yield node.value


def _chain(node: ast.AST) -> str:
    """``torch.ops.aten`` of such a chain of attributes; empty for anything else."""
    if isinstance(node, ast.Attribute):
        before = _chain(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def found(path: str) -> list[str]:
    """Each private name in a file: ``line 3: torch._C``."""
    names = private_names((ROOT / path).read_text(encoding="utf-8"))
    return list(dict.fromkeys(f"line {line}: {name}" for line, name in names))


FILES = sorted(
    str(path.relative_to(ROOT))
    for folder in ("golden", "suites", "tools")
    for path in (ROOT / folder).rglob("*.py")
    if not str(path.relative_to(ROOT)).startswith(PLACES)
)


def test_private_names_stand_in_their_places() -> None:
    told = {path: names for path in FILES if not path.startswith(tuple(ALLOWED)) and (names := found(path))}
    assert not told, "name them in suites.harness.torch_internals, with what moved when"


def test_every_exception_is_needed() -> None:
    for allowed in ALLOWED:
        assert any(found(path) for path in FILES if path.startswith(allowed)), f"{allowed} has no private name: drop it"


@pytest.mark.parametrize(
    "text",
    [
        "import torch._inductor.config",
        "from torch._dynamo import reset",
        "from torch.utils import _pytree as pytree",
        "def f():\n    return torch._C._get_tracing_state()",
        "tensor.untyped_storage()._cdata",
        "sys.modules.get('torch._inductor.config')",
    ],
)
def test_private_name_is_found(text: str) -> None:
    assert list(private_names(text))


@pytest.mark.parametrize(
    "text",
    ["torch._check(n > 0)", "torch._foreach_add_(a, b)", "torch.ops.aten._to_copy", "torch.__version__", "self._base"],
)
def test_public_name_is_not_found(text: str) -> None:
    assert not list(private_names(text))
