"""The custom operators of this family, defined once a process under stable names.

Every operator's result depends on the order of what it reads and writes, so that a call that is moved, doubled, left
out or handed a copy shows in values. An operator with an effect writes into `JOURNAL`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from suites.harness import torch_internals

from .schemas import FUNCTIONALIZED, LEFT_ALONE, Row, holds

Body = Callable[..., Any]

NAMESPACE = "parity"
#: Fragments of the two namespaces, alive as long as the process: an operator ends with its library.
LIBRARY = torch.library.Library(NAMESPACE, "FRAGMENT")
TABLE = torch.library.Library(f"{NAMESPACE}_schemas", "FRAGMENT")


def define(name: str, schema: str, body: Body, fake: Body | None = None, **options: Any) -> Any:
    """Define ``parity::name`` with a kernel for every backend and, unless it returns nothing, what its results are.

    Returns the operator's overload.
    """
    LIBRARY.define(f"{name}{schema}", **options)
    LIBRARY.impl(name, body, "CompositeExplicitAutograd")
    if fake is not None:
        torch.library.register_fake(f"{NAMESPACE}::{name}", fake, lib=LIBRARY)
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.parity, packet), overload or "default")


# The table's operators ------------------------------------------------------------------------------------------------


def _bound(schema: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Each argument of a schema with its value."""
    given = {argument.name: value for argument, value in zip(schema.arguments, args, strict=False)} | kwargs
    return [(argument, given.get(argument.name, argument.default_value)) for argument in schema.arguments]


def _tensors(value: Any) -> list[torch.Tensor]:
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, torch.Tensor)]


def _table_body(schema: Any, *, write_only: bool) -> Body:
    """Go through the arguments in order: each mutable tensor is changed by all that was read before it."""

    def body(*args: Any, **kwargs: Any) -> Any:
        bound = _bound(schema, args, kwargs)
        everything = [tensor for _, value in bound for tensor in _tensors(value)]
        running: Any = 1.0
        for place, (argument, value) in enumerate(bound, 2):
            for tensor in _tensors(value):
                if argument.is_write:
                    tensor.copy_(running * place) if write_only else tensor.mul_(place).add_(running)
                running = running * 0.5 + tensor * place
            if isinstance(value, (int, float)):
                running = running + value
        written = [value for argument, value in bound if argument.is_write]
        results = [_result(number, item, everything, written) for number, item in enumerate(schema.returns)]
        return tuple(results) if len(results) > 1 else results[0] if results else None

    return body


def _result(number: int, result: Any, tensors: list[torch.Tensor], written: list[Any]) -> Any:
    alias, kind = result.alias_info, str(result.type)
    if alias is not None and alias.is_write:
        return written[number]
    if alias is not None and "c" not in alias.before_set:
        return tensors[-1].view(-1)
    plain: dict[str, Any] = {
        "List[Tensor]": lambda: [tensors[0] * 4, tensors[0] * 5],
        "int": lambda: 7,
        "SymInt": lambda: tensors[0].shape[0],
        "number": lambda: 2.5,
        "Scalar": lambda: 2.5,
    }
    return plain.get(kind, lambda: tensors[0] * (3 + number))()


@functools.cache
def of_row(row: Row) -> Any:
    """The operator of a row of the table, defined the first time that it is asked for."""
    if "::" in row.schema:
        namespace, _, name = row.schema.partition("::")
        if namespace == "fsdp":
            torch_internals.register_fsdp_operators()
        return getattr(getattr(getattr(torch.ops, namespace), name), row.overload)
    name = row.name if row.overload == "default" else f"{row.name}.{row.overload}"
    tags = (getattr(torch.Tag, row.tag),) if row.tag else ()
    TABLE.define(f"{name}{row.schema}", tags=tags)
    operator = getattr(getattr(torch.ops.parity_schemas, row.name), row.overload)
    body = _table_body(torch_internals.schema(operator), write_only=row.tag == "out")
    TABLE.impl(name, body, "CompositeExplicitAutograd")
    if torch_internals.schema(operator).returns and not row.tag:
        torch.library.register_fake(f"{NAMESPACE}_schemas::{name}", body, lib=TABLE)
    return operator


for _row in FUNCTIONALIZED + LEFT_ALONE:
    if holds(_row.torch):
        of_row(_row)


# Operators that mutate ------------------------------------------------------------------------------------------------


def _accumulate(target: torch.Tensor, source: torch.Tensor) -> None:
    # What is read is copied first: arguments may overlap, and ATen refuses to read what it writes.
    target.mul_(2).add_(source.clone())


def _mix(x: torch.Tensor, y: torch.Tensor) -> None:
    x.mul_(2).add_(y.clone())
    y.mul_(3).add_(x.clone())


def _scale_list(tensors: Sequence[torch.Tensor | None], source: torch.Tensor) -> None:
    running = source.reshape(-1)[0]
    for place, tensor in enumerate(tensors, 2):
        if tensor is not None:
            tensor.mul_(place).add_(running)
            running = running * 0.5 + tensor.reshape(-1)[0]


def _maybe(x: torch.Tensor | None, y: torch.Tensor | None, source: torch.Tensor) -> None:
    if x is not None:
        x.mul_(2).add_(source)
    if y is not None:
        y.mul_(3).sub_(source)


def _with_defaults(x: torch.Tensor, factor: float = 3.0, *, times: int = 2, extra: torch.Tensor | None = None) -> None:
    for _ in range(times):
        x.mul_(factor).add_(1 if extra is None else extra)


def _drain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.mul_(2).add_(y)
    return x - y * 3


def _clear_and_sum(source: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    total = source * 2
    x.fill_(1)
    return total + source


def _weighted(x: torch.Tensor) -> torch.Tensor:
    return x * 2 + 1


def _bump(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.mul_(2).add_(y)


def _fill_out(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(x * 3)


accumulate = define("accumulate", "(Tensor(a!) target, Tensor source) -> ()", _accumulate)
"""target = 2 target + source."""
mix = define("mix", "(Tensor(a!) x, Tensor(b!) y) -> ()", _mix)
"""x = 2 x + y, then y = 3 y + x."""
scale_list = define("scale_list", "(Tensor(a!)[] tensors, Tensor source) -> ()", _scale_list)
"""Each tensor of the list is changed by the ones before it."""
scale_optionals = define("scale_optionals", "(Tensor(a!)?[] tensors, Tensor source) -> ()", _scale_list)
"""`scale_list` that passes over None."""
maybe = define("maybe", "(Tensor(a!)? x, Tensor(b!)? y, Tensor source) -> ()", _maybe)
"""x = 2 x + source and y = 3 y - source, where there are such."""
with_defaults = define(
    "with_defaults",
    "(Tensor(a!) x, float factor=3.0, *, int times=2, Tensor? extra=None) -> ()",
    _with_defaults,
)
"""x = factor x + (extra or 1), times over."""
drain = define(
    "drain",
    "(Tensor(a!) x, Tensor y) -> Tensor",
    _drain,
    lambda x, y: torch.empty_like(x),
)
"""x = 2 x + y; returns x - 3 y."""
clear_and_sum = define(
    "clear_and_sum",
    "(Tensor source, Tensor(a!) x) -> Tensor",
    _clear_and_sum,
    lambda source, x: torch.empty_like(source),
)
"""Fills x with 1 between two reads of source; returns 3 source."""
weighted = define("weighted", "(Tensor x) -> Tensor", _weighted, lambda x: torch.empty_like(x))
"""2 x + 1, in a tensor of its own: an operator that no compiler sees into."""


def _tagged(name: str, schema: str, body: Body, tag: str) -> Any:
    """An operator with a tag that torch has since 2.13; without the tag on an older one."""
    tags = (getattr(torch.Tag, tag),) if hasattr(torch.Tag, tag) else ()
    return define(name, schema, body, None if tags else body, tags=tags)


bump_ = _tagged("bump_", "(Tensor(a!) x, Tensor y) -> Tensor(a!)", _bump, "inplace")
"""x = 2 x + y, returned: tagged as in-place."""
triple = _tagged("triple.out", "(Tensor x, *, Tensor(a!) out) -> Tensor(a!)", _fill_out, "out")
"""out = 3 x, returned: tagged as an `out=` operator."""


# torch.library.custom_op ----------------------------------------------------------------------------------------------


@torch.library.custom_op(f"{NAMESPACE}::decorated_accumulate", mutates_args=("target",))
def decorated_accumulate(target: torch.Tensor, source: torch.Tensor) -> None:
    """target = 2 target + source."""
    target.mul_(2).add_(source)


@torch.library.custom_op(f"{NAMESPACE}::decorated_drain", mutates_args=("x",))
def decorated_drain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x = 2 x + y; returns x - 3 y."""
    return _drain(x, y)


@decorated_drain.register_fake
def _(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


@torch.library.custom_op(f"{NAMESPACE}::numpy_accumulate", mutates_args=("target",))
def numpy_accumulate(target: torch.Tensor, source: torch.Tensor) -> None:
    """target = 2 target + source, computed by NumPy in the tensor's own memory."""
    memory = target.detach().numpy()
    np.multiply(memory, 2, out=memory)
    np.add(memory, source.detach().numpy(), out=memory)


@torch.library.custom_op(f"{NAMESPACE}::numpy_scale_list", mutates_args=("tensors",))
def numpy_scale_list(tensors: list[torch.Tensor], source: torch.Tensor) -> None:
    """`scale_list` by NumPy."""
    running = float(source.reshape(-1)[0])
    for place, tensor in enumerate(tensors, 2):
        memory = tensor.detach().numpy()
        np.multiply(memory, place, out=memory)
        np.add(memory, running, out=memory)
        running = running * 0.5 + float(memory.reshape(-1)[0])


@torch.library.custom_op(f"{NAMESPACE}::of_unknown_mutation", mutates_args="unknown")
def of_unknown_mutation(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
    """y = 2 y + x; x and z stay as they are, which the schema does not say."""
    y.mul_(2).add_(x)


@torch.library.custom_op(f"{NAMESPACE}::square", mutates_args=())
def square(x: torch.Tensor) -> torch.Tensor:
    """x squared. Differentiable; its backward mutates a copy of the gradient by an operator."""
    return x * x


@square.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def _save_argument(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(inputs[0])


def _backward_of_square(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
    (x,) = ctx.saved_tensors
    product = x * gradient
    torch.ops.parity.accumulate(product, torch.zeros_like(product))
    return product


square.register_autograd(_backward_of_square, setup_context=_save_argument)


# Operators whose schema hides an alias --------------------------------------------------------------------------------

same_again = define("same_again", "(Tensor x) -> Tensor", lambda x: x, lambda x: torch.empty_like(x))
"""Returns its argument itself, where its schema promises a new tensor."""
row_of = define("row_of", "(Tensor x) -> Tensor", lambda x: x[1], lambda x: torch.empty_like(x[1]))
"""Returns a row of its argument, where its schema promises a new tensor."""


# Operators with an effect ---------------------------------------------------------------------------------------------

JOURNAL: list[Any] = []
"""What operators with an effect have written, in their order."""


def fresh_journal() -> list[Any]:
    """`JOURNAL`, emptied: as an argument of a program it is observed like any other list."""
    JOURNAL.clear()
    return JOURNAL


def _note(tag: str) -> None:
    JOURNAL.append(tag)


def _record(x: torch.Tensor, tag: str) -> torch.Tensor:
    JOURNAL.append(tag)
    JOURNAL.append(x.detach().clone())
    return x * 2


note = define("note", "(str tag) -> ()", _note, lambda tag: None)
"""Writes ``tag`` into the journal."""
record = define("record", "(Tensor x, str tag) -> Tensor", _record, lambda x, tag: torch.empty_like(x))
"""Writes ``tag`` and the values of x into the journal; returns 2 x."""
for _name in ("note", "record"):
    torch_internals.register_ordered_effect(f"{NAMESPACE}::{_name}")


class RecordsBackward(torch.autograd.Function):
    """Twice its argument; its backward writes the gradient into the journal, under ``tag``."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, tag: str) -> torch.Tensor:
        """2 x; keeps the tag."""
        ctx.tag = tag
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        """Record the gradient."""
        return torch.ops.parity.record(gradient, ctx.tag), None


class RecordsBothWays(torch.autograd.Function):
    """Twice its argument; forward writes the argument into the journal, backward the gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, tag: str) -> torch.Tensor:
        """Record the argument."""
        ctx.tag = tag
        return torch.ops.parity.record(x, f"forward {tag}")

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        """Record the gradient."""
        return torch.ops.parity.record(gradient, f"backward {ctx.tag}"), None
