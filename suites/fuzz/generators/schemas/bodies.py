"""Kernels made of a schema's annotations, as text.

A kernel folds everything that it may read, in order, into one number, writes what it declares, and returns tensors that
hold the number and an argument's elements: so an operand that is wrong, stale, swapped or lost shows in everything that
comes later. Values stay small however often it is called. `READS_FIRST` kernels have read and computed everything
before they write; `INTERLEAVED` ones write each argument when they come to it and read again afterwards, which only
means something where no argument that is read shares memory with one that is written.
"""

from __future__ import annotations

import dataclasses

from .schema import Argument, Schema

READS_FIRST, INTERLEAVED = "reads first", "interleaved"

_FOLD = '''\
def fold(s, value):
    """The next of a sequence of numbers: every element of every value counts in it by its place."""
    if isinstance(value, (list, tuple)):
        for item in value:
            s = fold(s, item)
        return s
    if isinstance(value, torch.Tensor):
        flat = value.detach().reshape(-1).double()
        value = (flat * torch.arange(1, flat.numel() + 1$WHERE)).sum() / (flat.numel() + 1)
    elif not isinstance(value, $NUMBERS):
        value = sum(map(ord, str(value))) % 89
    $LAST'''
_WRITE = '''\
def write(s, value):
    """Change every tensor of a value by the number, and fold it in."""
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if item is not None:
            $CHANGE
            s = fold(s, item)
    return s'''


def fold_text(where: str, numbers: str, last: str) -> str:
    """The helper ``fold``: what says where its places are, the types of plain numbers, and how it ends."""
    return _FOLD.replace("$WHERE", where).replace("$NUMBERS", numbers).replace("$LAST", last)


def write_text(change: str) -> str:
    """The helper ``write``, given the statement that changes ``item`` by ``s``."""
    return _WRITE.replace("$CHANGE", change)


#: What kernels use, by the word that shows that they do.
HELPERS = {
    "fold(": fold_text("", "(int, float)", "return torch.sin(s * 0.7 + torch.as_tensor(value, dtype=torch.float64))"),
    "write(": write_text("item.copy_(item * 0.5 + s)"),
    "fill(": '''\
def fill(s, out):
    """Write the number and each element's place into a tensor, whatever was in it."""
    out.copy_(torch.arange(1, out.numel() + 1).reshape(out.shape) / 8 + s)
    return fold(s, out)''',
    "fresh(": '''\
def fresh(x, s):
    """A new tensor like another, changed by the number."""
    return (x.detach() * 0.25 + s).to(x.dtype).contiguous()''',
    "turned(": '''\
def turned(x):
    """Of a tensor's shape, with the strides of a column-major one."""
    order = list(range(x.dim()))[::-1]
    return x.permute(order).contiguous().permute(order)''',
}

#: The shapes of new results: like the tensor, like it in column-major order, without dimensions.
SAME, TURNED, SINGLE = "same", "turned", "single"


@dataclasses.dataclass(frozen=True)
class Body:
    """What a schema leaves open: the order of reads and writes, and what each new result looks like."""

    order: str = READS_FIRST
    shapes: tuple[str, ...] = ()


def parameters(schema: Schema, hints: bool = False) -> str:
    """The parameters of a Python function for the schema, with type hints or without."""
    words = [_parameter(argument, hints) for argument in schema.positional]
    words += ["*"] * bool(schema.keyword_only) + [_parameter(argument, hints) for argument in schema.keyword_only]
    return ", ".join(words)


_HINTS = {
    "Tensor": "torch.Tensor",
    "SymInt": "int",
    "Scalar": "torch.types.Number",
    "ScalarType": "torch.dtype",
    "Device": "torch.device",
}


def hint(kind: str) -> str:
    """The type hint that torch infers a type of a schema from."""
    if kind.endswith("?"):
        return f"Optional[{hint(kind[:-1])}]"
    if kind.endswith("[]"):
        inner = kind[:-2]
        return f"list[{hint(inner)}]"
    return _HINTS.get(kind, kind)


def value_of(default: str, kind: str) -> str:
    """A default of a schema as a Python expression."""
    if kind == "ScalarType":
        return f"torch.{default}"
    if kind == "Device":
        return f"torch.device({default})"
    return default


def _parameter(argument: Argument, hints: bool) -> str:
    annotation = f": {hint(argument.type)}" if hints else ""
    if argument.default is None:
        return argument.name + annotation
    equals = " = " if hints else "="
    return f"{argument.name}{annotation}{equals}{value_of(argument.default, argument.type)}"


def kernel_lines(schema: Schema, body: Body) -> list[str]:
    """The body of the kernel."""
    lines = ["s = 1.0"]
    write_only = schema.tag == "out"
    late = []
    for argument in schema.arguments:
        change = f"s = {'fill' if write_only else 'write'}(s, {argument.name})"
        if not argument.is_written:
            lines.append(f"s = fold(s, {argument.name})")
        elif body.order == INTERLEAVED:
            lines.append(change)
        else:
            lines += [] if write_only else [f"s = fold(s, {argument.name})"]
            late.append(change)
    if body.order == INTERLEAVED and schema.written:
        lines += [f"s = fold(s, {argument.name})" for argument in schema.tensors if not argument.is_written]
    results, before = _results(schema, body)
    if body.order == READS_FIRST:
        return [*lines, *before, *late, *_returned(results)]
    return [*lines, *late, *before, *_returned(results)]


def _returned(results: list[str]) -> list[str]:
    return [f"return {', '.join(results)}"] if results else []


def _results(schema: Schema, body: Body) -> tuple[list[str], list[str]]:
    """What is returned, as expressions, and the lines that make it."""
    results, lines = [], []
    owners = {argument.alias: argument.name for argument in schema.arguments if argument.alias}
    for number, result in enumerate(schema.returns):
        if result.alias:
            owner = owners[result.alias]
            results.append(owner if result.alias.endswith("!") else f"{owner}.view_as({owner})")
            continue
        if result.type == "int":
            results.append(str(number + 5))
            continue
        made = _made(schema, body, number)
        name = f"r{number}"
        lines.append(f"{name} = [{made}, {made} + 1]" if result.type == "Tensor[]" else f"{name} = {made}")
        results.append(name)
    return results, lines


def source(schema: Schema) -> str:
    """The argument that new results look like; empty if no argument is a tensor for certain."""
    plain = [argument.name for argument in schema.arguments if argument.type == "Tensor" and schema.tag != "out"]
    return plain[-1] if plain else ""


def _made(schema: Schema, body: Body, number: int) -> str:
    like, shape = source(schema), body.shapes[number]
    weight = f"s + {number}" if number else "s"
    if not like:
        return f"fresh(torch.arange(3.0), {weight})"
    if shape == SINGLE:
        return f"fresh({like}, {weight}).sum()"
    return f"turned(fresh({like}, {weight}))" if shape == TURNED else f"fresh({like}, {weight})"


def fake_lines(schema: Schema, body: Body) -> list[str]:
    """The body of the fake kernel: new memory of the right shape, dtype and strides."""
    results = []
    owners = {argument.alias: argument.name for argument in schema.arguments if argument.alias}
    for number, result in enumerate(schema.returns):
        if result.alias:
            owner = owners[result.alias]
            results.append(owner if result.alias.endswith("!") else f"{owner}.view_as({owner})")
        elif result.type == "int":
            results.append(str(number + 5))
        else:
            made = _empty(schema, body.shapes[number])
            results.append(f"[{made}, {made}]" if result.type == "Tensor[]" else made)
    return [f"return {', '.join(results)}"] if results else ["return None"]


def _empty(schema: Schema, shape: str) -> str:
    like = source(schema)
    if not like:
        return "torch.empty(3)"
    if shape == SINGLE:
        return f"{like}.new_empty(())"
    made = f"{like}.new_empty({like}.shape)"
    return f"turned({made})" if shape == TURNED else made
