"""Statements that pick elements by an index that is a tensor, and put elements where an index says."""

from __future__ import annotations

import torch

from ..scope import Scope, at_least, is_floating, is_integral, is_writable

_READS = (
    *(
        "{x}.index_select({d}, {i})",
        "{x}[{at}{i}]",
        "{x}.take({i})",
        "{x}.gather({d}, torch.zeros_like({x}, dtype=torch.int64))",
        "{x}[..., None]",
    ),
    *(
        "{x}[{at}{i}, None]",
        "{x}[{at}torch.tensor({s} - 1)]",
        "torch.index_select({x}, {d}, {i}[:1])",
        "{x}[{at}torch.arange({s}).flip(0)]",
        "{x}[{at}[0, {s} - 1, 0]]",
    ),
    *(
        "torch.where({x} > 0)[0].sum()",
        "torch.nonzero_static({x}, size=2)",
        "{x}[{at}{i}][..., 0]",
        "{x}[{at}{i}].clone()",
    ),
    *(
        "{x}.gather({d}, {x}.argsort({d}, stable=True))",
        "torch.take_along_dim({x}, {x}.argsort({d}, stable=True), {d})",
    ),
)
#: New tensors like ``x`` with elements put in.
_PUTS = (
    *(
        "torch.slice_scatter({x}, {x}.narrow({d}, 0, 1) * 2, {d}, 0, 1)",
        "torch.select_scatter({x}, {x}.select({d}, 0) * 2, {d}, {s} - 1)",
    ),
    *(
        "{x}.index_add({d}, {i}, {x}.index_select({d}, {i}))",
        "{x}.index_copy({d}, {one}, {x}.narrow({d}, 0, 1) * 3)",
        "{x}.index_fill({d}, {one}, 2)",
    ),
    *(
        "{x}.scatter({d}, torch.zeros_like({x}, dtype=torch.int64).narrow({d}, 0, 1), {x}.narrow({d}, 0, 1) * 2)",
        "{x}.masked_fill({x} > 0, 0.5)",
    ),
    *(
        "{x}.scatter_add({d}, torch.zeros_like({x}, dtype=torch.int64), {x})",
        "{x}.scatter_reduce({d}, torch.zeros_like({x}, dtype=torch.int64), {x}, {how!r})",
    ),
    *(
        "{x}.index_put(({i},), {x}.new_tensor(2.0), accumulate=True)",
        "{x}.masked_scatter({x} > 0, {x}.flip(0).contiguous())",
        "{x}.index_reduce({d}, {i}, {x}.index_select({d}, {i}), 'amax')",
    ),
    *(
        "torch.as_strided_scatter({x}.contiguous(), {x}.new_ones(1), (1,), (1,))",
        "{x}.put(torch.tensor([0]), {x}.new_tensor([3.0]))",
    ),
    *(
        "{x}.scatter_reduce({d}, torch.zeros_like({x}, dtype=torch.int64), {x} * 0.5, {how!r}, include_self=False)",
        "torch.diagonal_scatter({x}, {x}.diagonal() * 2)",
    ),
)
#: Writes into ``x``.
_WRITES = (
    *(
        "{x}[{at}{j}] = {k}",
        "{x}[{at}{j}:] = {k}",
        "{x}[{at}::2] *= 2",
        "{x}.index_fill_({d}, {one}, {k})",
        "{x}[{at}{i}] = {k}",
        "{x}[...] = {k}",
    ),
    *(
        "{x}.index_add_({d}, {i}, {x}.index_select({d}, {i}))",
        "{x}.index_copy_({d}, {one}, {x}.narrow({d}, 0, 1) * 3)",
        "{x}[{at}{one}] = {x}[{at}{one}] * 2",
    ),
    *(
        "{x}.select({d}, {j}).add_({k})",
        "{x}.narrow({d}, {j}, 1).mul_(3)",
        "{x}.view(-1)[0] = {k}",
        "{x}[{at}-1] = {x}[{at}0]",
        "{x}[{at}{i}] += 1",
    ),
    *(
        "{x}.index_put_(({i},), {x}.detach()[:1].clone(), accumulate=True)",
        "{x}.scatter_({d}, torch.zeros_like({x}, dtype=torch.int64).narrow({d}, 0, 1), {k})",
    ),
    *(
        "{x}.scatter_add_({d}, torch.zeros_like({x}, dtype=torch.int64), {x}.clone())",
        "{x}.index_put_(({one},), {x}.new_tensor({k}))",
        "{x}[:1, ...] = {x}[-1:, ...]",
    ),
    *(
        "{x}.fill_diagonal_({k})",
        "{x}.masked_scatter_(torch.ones_like({x}, dtype=torch.bool), {x}.flip(0).contiguous())",
        "{x}.put_(torch.tensor([0]), {x}.new_tensor([{k}]))",
    ),
    *(
        "{x}.index_reduce_({d}, {one}, {x}.narrow({d}, 0, 1).clone(), 'amax')",
        "{x}.scatter_reduce_({d}, torch.zeros_like({x}, dtype=torch.int64), {x}.clone(), {how!r})",
    ),
    *(
        "{x}[{at}{i}].mul_(2)",
        "{x}.diagonal().add_({k})",
        "{x}.unbind({d})[0].add_({k})",
        "{x}.split(1, {d})[-1].mul_(2)",
        "{x}.chunk(2, {d})[0].zero_()",
    ),
)
_MASKED = (
    "{x}[{x} > 0] = {k}",
    "{x}.masked_fill_({x} > 0, {k})",
    "{x}[{x} > 0] *= 2",
    "{x}[{x} < 0] = 0",
    "{x}.masked_fill_({x}.abs() < 1, {k})",
)


def gather(scope: Scope) -> tuple[str, ...]:
    """Elements picked by an index."""
    name = scope.tensor(at_least(1))
    template = scope.choices.one_of(_READS)
    expression = _filled(scope, name, template)
    if "argsort" in template or ">" in template:
        expression = scope.continuous(name, expression)
    return (f"{scope.fresh()} = {expression}",)


def put(scope: Scope) -> tuple[str, ...]:
    """A new tensor with elements put where an index says."""
    name = scope.tensor(at_least(1, is_floating))
    template = scope.choices.one_of(_PUTS)
    expression = _filled(scope, name, template)
    return (f"{scope.fresh()} = {scope.continuous(name, expression) if '>' in template else expression}",)


def assignment(scope: Scope) -> tuple[str, ...]:
    """Elements picked by an index, a mask or a slice are written."""

    def suits(tensor: torch.Tensor) -> bool:
        return is_writable(tensor) and (is_floating(tensor) or is_integral(tensor)) and is_free(tensor)

    name = scope.tensor(at_least(1, suits))
    if is_floating(scope[name]) and scope.choices.chance(20):
        line = _filled(scope, name, scope.choices.one_of(_MASKED))
        scope.continuous(name, f"{name} > 0")
        scope.continuous(name, f"{name}.abs() < 1")
        return (line,)
    return (write_into(scope, name),)


def write_into(scope: Scope, name: str) -> str:
    """A write to elements of a tensor that an index or a slice picks."""
    return _filled(scope, name, scope.choices.one_of(_WRITES))


def is_free(tensor: torch.Tensor) -> bool:
    """Whether autograd lets it be written in place: it is no leaf that requires grad."""
    return not (tensor.requires_grad and tensor.is_leaf)


def _filled(scope: Scope, name: str, template: str) -> str:
    choices, tensor = scope.choices, scope[name]
    dim = choices.integer(0, tensor.dim() - 1)
    size = tensor.shape[dim]
    index = choices.integer(0, size - 1)
    return template.format(
        x=name,
        d=dim,
        s=size,
        at=":, " * dim,
        i=f"torch.tensor([{size - 1}, 0])" if size > 1 else "torch.tensor([0])",
        one=f"torch.tensor([{index}])",
        j=index,
        k=scope.number() if is_floating(tensor) else str(choices.integer(1, 5)),
        how=choices.one_of(["sum", "amax", "mean", "prod"]),
    )
