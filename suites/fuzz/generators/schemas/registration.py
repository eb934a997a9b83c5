"""Operators registered with torch through each of its public functions, as text.

``torch.library.define`` with ``impl``, a ``Library`` of one's own, ``custom_op`` that infers the schema from type
hints, and ``custom_op`` that is given it. ``torch.library.triton_op`` is not among them: its kernels are Triton's, and
run on a GPU. A file is executed several times in a process, and an operator is defined once in it; ``custom_op``
replaces an operator of the same name by itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import torch

from .bodies import HELPERS, Body, fake_lines, kernel_lines, parameters
from .schema import Argument, Return, Schema

NAMESPACE = "drawn"
#: The function for operators that torch traces into, for a GPU.
TRITON = "triton_op"
#: How an operator of ``custom_op`` gets its rules: as methods, or by `torch.library`, given the operator or its
#: overload. ``decorated``: by methods, and ``custom_op`` is used as a decorator for one kind of device.
SPELLINGS = ("methods", "decorated", "library", "overload")


def layouts() -> tuple[str, ...]:
    """The tags about strides that this torch knows."""
    names = ("needs_exact_strides", "needs_fixed_stride_order", "needs_contiguous_strides", "flexible_layout")
    return tuple(name for name in names if hasattr(torch.Tag, name))


@dataclasses.dataclass(frozen=True)
class Operator:
    """An operator of a program: ``name`` in the file, ``unique`` in torch's own tables.

    ``differentiable``: it has an autograd formula; ``autocast``: a rule for low precision; ``batched``: one for vmap.
    ``layout`` is a tag that says which strides the kernel is to be handed, or nothing. ``second``: the CPU has another
    kernel than other devices. ``explicit``: it has a fake kernel also where torch could do without. ``spelling`` is one
    of `SPELLINGS`.
    """

    name: str
    unique: str
    schema: Schema
    body: Body
    api: str
    differentiable: bool = False
    autocast: bool = False
    batched: bool = False
    layout: str = ""
    second: bool = False
    explicit: bool = False
    spelling: str = "methods"

    @property
    def qualname(self) -> str:
        """The operator's name in torch, without its overload's."""
        return f"{NAMESPACE}::{self.unique}"

    @property
    def is_custom_op(self) -> bool:
        """Whether ``custom_op`` defines it."""
        return self.api.startswith("custom_op")


def kernel_text(operator: Operator) -> str:
    """The Python function that the operator is."""
    hints = operator.api in ("custom_op", TRITON)
    returns = f" -> {_return_hint(operator.schema)}" if hints else ""
    head = f"def {operator.name}_kernel({parameters(operator.schema, hints)}){returns}:"
    return function(head, kernel_lines(operator.schema, operator.body))


def second_text(operator: Operator) -> str:
    """The kernel for the CPU, if it is another: what it writes and returns differs from the first one's everywhere."""
    if not operator.second:
        return ""
    head = f"def {operator.name}_second({parameters(operator.schema)}):"
    lines = kernel_lines(operator.schema, operator.body)
    return "\n\n\n".join(
        (
            function(head, [line.replace("s = 1.0", "s = 2.0") for line in lines]),
            function(
                f"def {operator.name}_off():", [f"return {operator.name}.set_kernel_enabled('cpu', enabled=False)"]
            ),
        )
    )


def fake_text(operator: Operator) -> str:
    """The function that says what the operator's results look like; empty where torch can say it from the schema."""
    if not operator.schema.returns or (operator.schema.tag and not operator.explicit):
        return ""
    head = f"def {operator.name}_fake({parameters(operator.schema)}):"
    return function(head, fake_lines(operator.schema, operator.body))


def definition_text(operator: Operator) -> str:
    """The functions of an operator and the statements that register them, helpers not included."""
    if operator.api == TRITON:
        return f"{kernel_text(operator)}\n\n\n{_registration_by_triton_op(operator)}"
    blocks = [kernel_text(operator), fake_text(operator), second_text(operator)]
    blocks += _autograd_functions(operator) if operator.differentiable else []
    blocks += [_batching_function(operator)] if operator.batched else []
    blocks.append("\n".join(_registration(operator)))
    return "\n\n\n".join(block for block in blocks if block)


def helpers_for(text: str, helpers: Mapping[str, str] = HELPERS) -> list[str]:
    """The helpers that a text uses, and those that they use."""
    used: list[str] = []
    for word, helper in [*helpers.items()][::-1]:
        if word in text + "\n".join(used):
            used.append(helper)
    return used[::-1]


def _return_hint(schema: Schema) -> str:
    hints = {"Tensor": "torch.Tensor", "Tensor[]": "list[torch.Tensor]", "int": "int"}
    words = [hints[result.type] for result in schema.returns]
    return "None" if not words else words[0] if len(words) == 1 else f"tuple[{', '.join(words)}]"


def function(head: str, lines: list[str]) -> str:
    """A function as text."""
    return "\n".join([head, *(f"    {line}" for line in lines)])


def _tags(operator: Operator) -> str:
    tags = [f"torch.Tag.{tag}" for tag in (operator.schema.tag, operator.layout) if tag]
    if len(tags) == 1 and operator.spelling == "decorated":
        return f", tags={tags[0]}"
    return f", tags=({', '.join(tags)}{',' * (len(tags) == 1)})" if tags else ""


def _mutates_args(schema: Schema) -> str:
    return f"({''.join(f'{argument.name!r}, ' for argument in schema.written).rstrip()})"


def _registration_by_triton_op(operator: Operator) -> str:
    name, written = operator.name, _mutates_args(operator.schema)
    return f"{name} = torch.library.triton_op({operator.qualname!r}, {name}_kernel, mutates_args={written})"


def _registration_by_custom_op(operator: Operator) -> list[str]:
    name, schema = operator.name, operator.schema
    given = f", schema={str(schema)!r}" if operator.api != "custom_op" else ""
    options = f"mutates_args={_mutates_args(schema)}{given}{_tags(operator)}"
    if operator.spelling == "decorated":
        lines = [
            f"{name} = torch.library.custom_op({operator.qualname!r}, {options}, device_types='cpu')({name}_kernel)"
        ]
    else:
        lines = [f"{name} = torch.library.custom_op({operator.qualname!r}, {name}_kernel, {options})"]
    overload = f"torch.library.{{}}(torch.ops.{NAMESPACE}.{operator.unique}.default, "
    rule = {"library": f"torch.library.{{}}({name}, ", "overload": overload}.get(operator.spelling, f"{name}.{{}}(")
    lines += [f"{rule.format('register_fake')}{name}_fake)"] * bool(fake_text(operator))
    setup = f"{name}_backward, setup_context={name}_setup"
    lines += [f"{rule.format('register_autograd')}{setup})"] * operator.differentiable
    lines += [f"{rule.format('register_vmap')}{name}_vmap)"] * operator.batched
    lines += [f"{rule.format('register_autocast')}'cpu', torch.bfloat16)"] * operator.autocast
    return lines + [f"{rule.format('register_kernel')}'cpu', {name}_second)"] * operator.second


def _registration(operator: Operator) -> list[str]:
    name, unique, schema = operator.name, operator.unique, operator.schema
    if operator.is_custom_op:
        return _registration_by_custom_op(operator)
    tag = _tags(operator)
    has_fake = bool(fake_text(operator))
    overload = f".{schema.overload}" if schema.overload else ""
    full = f"{NAMESPACE}::{unique}{overload}"
    inside: list[str] = []
    if operator.api == "library":
        # Kept where it outlives this run of the file: an operator goes with its library.
        place = f"torch.ops.{NAMESPACE}.library_of_{unique}"
        inside.append(f"{place} = torch.library.Library({NAMESPACE!r}, 'FRAGMENT')")
        inside.append(f"{place}.define({unique + overload + str(schema)!r}{tag})")
        inside.append(f"{place}.impl({unique + overload!r}, {name}_kernel, 'CPU')")
        library = f", lib={place}"
    else:
        inside.append(f"torch.library.define({full!r}, {str(schema)!r}{tag})")
        inside.append(f"torch.library.impl({full!r}, 'CPU', {name}_kernel)")
        library = ""
    inside += [f"torch.library.register_fake({full!r}, {name}_fake{library})"] * has_fake
    if operator.differentiable:
        inside.append(
            f"torch.library.register_autograd({full!r}, {name}_backward, setup_context={name}_setup{library})"
        )
    inside += [f"torch.library.register_vmap({full!r}, {name}_vmap{library})"] * operator.batched
    inside += [f"torch.library.register_autocast({full!r}, 'cpu', torch.bfloat16{library})"] * operator.autocast
    lines = [f"if not hasattr(torch.ops.{NAMESPACE}, {unique!r}):", *(f"    {line}" for line in inside)]
    return [*lines, f"{name} = torch.ops.{NAMESPACE}.{unique}{overload or '.default'}"]


# Rules of its own -----------------------------------------------------------------------------------------------------


def can_be_differentiable(schema: Schema) -> bool:
    """Whether a formula can be registered that is written here: it only reads, by place, and returns plain tensors."""
    lists = [argument for argument in schema.arguments if argument.is_list]
    return (
        not schema.written
        and all(result == Return() for result in schema.returns)
        and not any(argument.is_tensor for argument in schema.keyword_only)
        and len(lists) <= 1
        and all(argument.type == "Tensor[]" for argument in lists)
        # Of an operator with a list, torch wants a gradient for every argument that was passed, and for no other.
        and not (lists and any(argument.default is not None for argument in schema.positional))
    )


def can_be_batched(schema: Schema) -> bool:
    """Whether the rule for vmap that is written here holds: every argument a tensor, every result a new one."""
    return all(argument == Argument(argument.name, "Tensor") for argument in schema.arguments) and all(
        result == Return() for result in schema.returns
    )


def _autograd_functions(operator: Operator) -> list[str]:
    """A formula in which every gradient that comes in counts by its place, and every saved operand."""
    schema = operator.schema
    names = [argument.name for argument in schema.positional]
    saved = [argument.name for argument in schema.positional if argument.is_tensor and not argument.is_list]
    # A list is saved element by element, after the others.
    saved += [f"*{argument.name}" for argument in schema.positional if argument.is_list]
    unpacked = f"{', '.join(names)}{',' * (len(names) == 1)} = inputs"
    context = "ctx, inputs, keyword_only_inputs, output" if schema.keyword_only else "ctx, inputs, output"
    setup = [unpacked, f"ctx.save_for_backward({', '.join(saved)})"]
    incoming = [f"g{number}" for number in range(len(schema.returns))]
    lines = [f"{', '.join(saved)}{',' * (len(saved) == 1)} = ctx.saved_tensors"]
    lines.append("s = 1.0")
    lines += [f"s = fold(s, {name.lstrip('*')})" for name in (*incoming, *saved)]
    lines.append(f"return {', '.join(_gradient(argument) for argument in schema.positional)}")
    return [
        function(f"def {operator.name}_setup({context}):", setup),
        function(f"def {operator.name}_backward(ctx, {', '.join(incoming)}):", lines),
    ]


def _gradient(argument: Argument) -> str:
    name = argument.name
    if argument.is_list:
        return f"[fresh(item, s) for item in {name}]"
    if argument.is_optional:
        return f"None if {name} is None else fresh({name}, s)"
    return f"fresh({name}, s)" if argument.is_tensor else "None"


def _batching_function(operator: Operator) -> str:
    """One example of the batch at a time: the rule that is right for every operator that only reads."""
    names = [argument.name for argument in operator.schema.positional]
    lines = [
        "rows = []",
        "for i in range(info.batch_size):",
        f"    row = [x if d is None else x.select(d, i) for x, d in zip(({', '.join(names)},), in_dims)]",
        f"    rows.append({operator.name}(*row))",
    ]
    if len(operator.schema.returns) == 1:
        lines.append("return torch.stack(rows), 0")
    else:
        lines.append(f"return tuple(map(torch.stack, zip(*rows))), {(0,) * len(operator.schema.returns)}")
    return function(f"def {operator.name}_vmap(info, in_dims, {', '.join(names)}):", lines)
