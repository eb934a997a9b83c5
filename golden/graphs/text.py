"""Canonical text of a graph: readable as Python and as a diff, and ours alone.

The text does not come from torch's printers, so a blank line added to one of them breaks nothing here. The rules of
format 1:

- ``def forward(self, <placeholders>):``, one line a node, ``return`` last with the outputs as a tuple; only lines that
  are too long for a source file are broken, between arguments (`golden.graphs.wrap`);
- placeholders keep the names that AOTAutograd gives them (``primals_1``, ``tangents_1``, ``arg0_1``); symbols that
  stand for sizes are numbered by appearance (``s0``, ``s1``); every other node is named after its operator and
  numbered by appearance (``mul``, ``mul_1``);
- keyword arguments come sorted by name; left out are those that equal the schema's default, the default device,
  ``layout=torch.strided`` and ``pin_memory=False``;
- a small constant that tracing met is spelled out: ``torch.tensor([1.0, 2.0], dtype=torch.float32)``;
- a nested graph module (of a higher-order operator) follows as a function of its own name, in order of first use;
- no comments, no types, no ``= None`` deletions; the text ends with one newline.
"""

from __future__ import annotations

import builtins
import enum
import keyword
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import fx

from golden import _torch
from golden.graphs.graph_value import FORMAT
from golden.graphs.wrap import wrapped

__all__ = ["FORMAT", "graph_text", "target_text"]

#: Constants of more elements are printed by name only.
CONSTANT_LIMIT = 16

_RESERVED = (
    frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"self", "torch", "operator", "math", "sym", "opaque"}
)
_SYMBOL = re.compile(r"(s|u|zf|zuf)\d+")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def graph_text(module: fx.GraphModule | fx.Graph, *, default_device: str = "cpu") -> str:
    """The canonical text of a graph and of the graphs nested in it.

    ``default_device`` is the device that factories are not printed with. Raises `ValueError` for a graph without an
    output node.
    """
    graph = module.graph if isinstance(module, fx.GraphModule) else module
    blocks = [_block("forward", graph, default_device)]
    for name, nested in _nested_graphs(graph):
        blocks.append(_block(name, nested, default_device))
    return wrapped("\n\n".join(blocks) + "\n")


def _nested_graphs(graph: fx.Graph, prefix: str = "") -> Iterator[tuple[str, fx.Graph]]:
    """Graph modules that nodes refer to, depth first, in order of first use, under the name they are printed with."""
    owner = graph.owning_module
    seen: set[str] = set()
    for node in graph.nodes:
        if node.op not in ("get_attr", "call_module") or owner is None or node.target in seen:
            continue
        seen.add(str(node.target))
        found = _attribute(owner, str(node.target))
        if isinstance(found, fx.GraphModule):
            name = prefix + _identifier(str(node.target))
            yield name, found.graph
            yield from _nested_graphs(found.graph, name + "__")


def _attribute(owner: Any, path: str) -> Any:
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner


def _identifier(name: str) -> str:
    clean = re.sub(r"\W", "_", name) or "_"
    return f"_{clean}" if clean[0].isdigit() else clean


def _block(title: str, graph: fx.Graph, default_device: str) -> str:
    names = _names(graph)
    placeholders: list[str] = []
    lines: list[str] = []
    returned: str | None = None
    for node in graph.nodes:
        if node.op == "placeholder":
            default = f"={_value(node.args[0], names)}" if node.args else ""
            placeholders.append(names[node] + default)
        elif node.op == "output":
            returned = _output(node.args[0], names)
        else:
            constant = _small_constant(graph, node) if node.op == "get_attr" else ""
            lines.append(f"    {names[node]} = {constant or _expression(node, names, default_device)}")
    if returned is None:
        raise ValueError(f"graph {title!r} has no output node: expected one, saw {len(lines)} other nodes")
    header = f"def {title}({', '.join(['self', *placeholders])}):"
    return "\n".join([header, *lines, f"    return {returned}"])


def _small_constant(graph: fx.Graph, node: fx.Node) -> str:
    """The values of a constant that tracing met in the program; empty for parameters, buffers and large constants."""
    if not str(node.target).startswith("_tensor_constant") or graph.owning_module is None:
        return ""
    found = _attribute(graph.owning_module, str(node.target))
    values = _torch.values_of(found, CONSTANT_LIMIT) if isinstance(found, torch.Tensor) else None
    return "" if values is None else f"torch.tensor({_value(values, {})}, dtype={found.dtype})"


def _names(graph: fx.Graph) -> dict[fx.Node, str]:
    """One name a node: placeholders first, since they keep theirs."""
    names: dict[fx.Node, str] = {}
    taken: set[str] = set()
    symbols: dict[str, int] = {}
    for node in graph.nodes:
        if node.op == "placeholder":
            name = node.name
            match = _SYMBOL.fullmatch(name)
            if match:
                kind = match[1]
                name = f"{kind}{symbols.setdefault(kind, 0)}"
                symbols[kind] += 1
            names[node] = _free(name, taken)
    counts: dict[str, int] = {}
    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        stem = _identifier(_stem(node))
        if stem in _RESERVED:
            counts.setdefault(stem, 1)  # `sum_1`, as fx has it: `sum_` would read as an in-place op
        names[node] = _free(stem, taken, counts)
    return names


def _free(stem: str, taken: set[str], counts: dict[str, int] | None = None) -> str:
    number = 0 if counts is None else counts.get(stem, 0)
    name = stem if number == 0 else f"{stem}_{number}"
    while name in taken or name in _RESERVED:
        number += 1
        name = f"{stem}_{number}"
    taken.add(name)
    if counts is not None:
        counts[stem] = number + 1
    return name


def _stem(node: fx.Node) -> str:
    target = node.target
    if isinstance(target, str):
        return target
    if isinstance(target, _torch.OpOverload):
        return target.overloadpacket.__name__
    return getattr(target, "__name__", type(target).__name__)


def _expression(node: fx.Node, names: Mapping[fx.Node, str], default_device: str) -> str:
    if node.op == "get_attr":
        return _member(str(node.target))
    args = [_value(arg, names) for arg in node.args]
    kwargs = [f"{key}={_value(node.kwargs[key], names)}" for key in _kept_kwargs(node, default_device)]
    if node.op == "call_method":
        return f"{args[0]}.{node.target}({', '.join(args[1:] + kwargs)})"
    callee = _member(str(node.target)) if node.op == "call_module" else target_text(node.target)
    return f"{callee}({', '.join(args + kwargs)})"


def _member(path: str) -> str:
    if all(part.isidentifier() for part in path.split(".")):
        return f"self.{path}"
    return f"getattr(self, {path!r})"


def _kept_kwargs(node: fx.Node, default_device: str) -> list[str]:
    defaults = _torch.schema_defaults(node.target) if isinstance(node.target, _torch.OpOverload) else {}
    return sorted(key for key, value in node.kwargs.items() if not _is_default(key, value, defaults, default_device))


def _is_default(key: str, value: Any, defaults: Mapping[str, Any], default_device: str) -> bool:
    if isinstance(value, fx.Node):
        return False
    if key == "device" and value is not None:
        return torch.device(value) == torch.device(default_device)
    if key == "layout" and value is torch.strided:
        return True
    if key == "pin_memory" and value is False:
        return True
    return key in defaults and type(defaults[key]) is type(value) and bool(defaults[key] == value)


def target_text(target: Any) -> str:
    """How a called function is spelled: ``torch.ops.aten.mul.Tensor``, ``operator.getitem``, ``torch.sin``."""
    if isinstance(target, _torch.OpOverload | _torch.OpOverloadPacket):
        return f"torch.ops.{target}"
    if isinstance(target, _torch.HigherOrderOperator):
        return f"torch.ops.higher_order.{target.name()}"
    return _qualified(target)


def _qualified(target: Any) -> str:
    name = getattr(target, "__name__", type(target).__name__)
    for home, prefix in _public_homes():
        if getattr(home, name, None) is target:
            return f"{prefix}.{name}" if prefix else name
    module = getattr(target, "__module__", None) or "torch"
    qualified = getattr(target, "__qualname__", name).replace(".<locals>", "").replace("<lambda>", "lambda_")
    return f"{module}.{qualified}"


def _public_homes() -> tuple[tuple[Any, str], ...]:
    import math as math_module
    import operator

    return (
        (torch, "torch"),
        (operator, "operator"),
        (math_module, "math"),
        (torch.nn.functional, "torch.nn.functional"),
        _torch.NN_FUNCTIONS,
        (builtins, ""),
    )


def _output(value: Any, names: Mapping[fx.Node, str]) -> str:
    """The outputs; a list and a tuple mean the same to whoever calls the graph, so both print as a tuple."""
    if isinstance(value, tuple | list):
        return _tuple([_value(item, names) for item in value])
    return _value(value, names)


def _tuple(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _value(value: Any, names: Mapping[fx.Node, str]) -> str:
    if isinstance(value, fx.Node):
        return names[value]
    if isinstance(value, list):
        return "[" + ", ".join(_value(item, names) for item in value) + "]"
    if isinstance(value, tuple):
        return _named_tuple(value, names) if hasattr(value, "_fields") else _tuple([_value(v, names) for v in value])
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_value(k, names)}: {_value(v, names)}" for k, v in value.items()) + "}"
    if isinstance(value, slice):
        return f"slice({', '.join(_value(part, names) for part in (value.start, value.stop, value.step))})"
    return _constant(value)


def _named_tuple(value: Any, names: Mapping[fx.Node, str]) -> str:
    return f"{type(value).__name__}({', '.join(_value(item, names) for item in value)})"


def _constant(value: Any) -> str:
    for kinds, spell in _SPELLINGS:
        if isinstance(value, kinds):
            return spell(value)
    if isinstance(value, _torch.OpOverload | _torch.OpOverloadPacket | _torch.HigherOrderOperator):
        return target_text(value)
    if callable(value) and hasattr(value, "__name__"):
        return target_text(value)
    return f"opaque({_ADDRESS.sub('', repr(value))!r})"


def _float(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"float('{value}')"


def _device(value: torch.device) -> str:
    return f"torch.device('{value}')"


_SPELLINGS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (enum.Enum, lambda value: f"{type(value).__name__}.{value.name}"),
    (_torch.symbolic_types, lambda value: f"sym({str(value)!r})"),
    ((bool, int, str, bytes, type(None), type(...)), repr),
    (float, _float),
    (complex, repr),
    ((torch.dtype, torch.layout, torch.memory_format), str),
    (torch.device, _device),
)
