"""Statements that are Python's: loops, lists, dicts, branches on sizes, state outside of the function."""

from __future__ import annotations

from .scope import Scope, at_least, is_floating


def loop(scope: Scope) -> tuple[str, ...]:
    """A loop that is unrolled."""
    name = scope.tensor(lambda tensor: is_floating(tensor) and at_least(1)(tensor))
    fresh = scope.fresh()
    kinds = [
        (f"{fresh} = {name}", "for i in range(3):", f"    {fresh} = {fresh} * 0.5 + i"),
        (f"{fresh} = {name}", f"for row in {name}.unbind(0)[:3]:", f"    {fresh} = {fresh} + row.sum()"),
        (f"{fresh} = sum(part.sum() for part in {name}.split(1))",),
        (f"{fresh} = torch.stack([part * 2 for part in {name}.unbind(0)[:4]])",),
    ]
    return scope.choices.one_of(kinds)


def containers(scope: Scope) -> tuple[str, ...]:
    """Tensors go through a list or a dict."""
    left, right = scope.tensor(is_floating), scope.tensor(is_floating)
    fresh = scope.fresh()
    kinds = [
        (f"pair = [{left}, {right}]", "pair.reverse()", f"{fresh} = pair[0] * 2"),
        (f"table = {{'a': {left}, 'b': {right}}}", "table['a'] = table['b'] + 1", f"{fresh} = table['a']"),
        (f"items = [{left}]", f"items.append({right})", f"{fresh} = items.pop() * len(items)"),
        (f"{fresh}, kept = {left} + 1, {right}",),
    ]
    return scope.choices.one_of(kinds)


def branch(scope: Scope) -> tuple[str, ...]:
    """A branch on what is known when compiling: a size, a stride, a dtype, a flag."""
    name = scope.tensor(lambda tensor: is_floating(tensor) and at_least(1)(tensor))
    fresh = scope.fresh()
    condition = scope.choices.one_of(
        [
            f"{name}.shape[0] > 2",
            f"{name}.is_contiguous()",
            f"{name}.requires_grad",
            f"{name}.numel() % 2 == 0",
            f"{name}.stride(0) == 1",
            f"{name}.storage_offset() == 0",
            f"{name}.is_leaf",
        ]
    )
    return (f"{fresh} = {name} * 2 if {condition} else {name} + 1",)


def sizes(scope: Scope) -> tuple[str, ...]:
    """Arithmetic with a size, which may be symbolic."""
    name = scope.tensor(lambda tensor: is_floating(tensor) and at_least(1)(tensor))
    fresh = scope.fresh()
    expression = scope.choices.one_of(
        [
            f"{name} * {name}.shape[0]",
            f"{name} / {name}.numel()",
            f"{name} + -{name}.shape[0] // 2",
            f"{name}.new_full((-{name}.shape[0] % 4 + 1,), 2.0)",
            f"{name}[:({name}.shape[0] + 1) // 2]",
            f"{name}.view({name}.shape[0], -1)",
            f"F.pad({name}.flatten(), (0, -{name}.numel() % 4))",
        ]
    )
    return (f"{fresh} = {expression}",)


def state(scope: Scope) -> tuple[str, ...]:
    """What outlives the call: a module's buffer, a global list, a global counter."""
    name = scope.tensor(is_floating)
    fresh = scope.fresh()
    kinds = [
        ("memory['calls'] += 1", f"{fresh} = {name} * memory['calls']"),
        (f"buffer.add_({name}.detach().sum().float())", f"{fresh} = {name} + buffer"),
        (f"log.append(len(log) + {name}.dim())", f"{fresh} = {name} * log[-1]"),
        (f"{fresh} = {name} + buffer", "buffer.mul_(2)"),
        (f"{fresh} = buffer", f"buffer.copy_({name}.detach().mean().float())"),
    ]
    return scope.choices.one_of(kinds)


def function(scope: Scope) -> tuple[str, ...]:
    """A custom autograd Function."""
    name = scope.tensor(is_floating)
    fresh = scope.fresh()
    return (f"{fresh} = {scope.choices.one_of(['Double.apply', 'Same.apply'])}({name})",)


def requires_grad(scope: Scope) -> tuple[str, ...]:
    """What autograd knows of a tensor is changed."""
    name = scope.tensor(is_floating)
    fresh = scope.fresh()
    kinds = [
        (f"{fresh} = {name}.detach().requires_grad_()",),
        ("with torch.no_grad():", f"    {fresh} = {name} * 2"),
        ("with torch.enable_grad():", f"    {fresh} = {name} * 3"),
        ("with torch.no_grad():", f"    {fresh} = {name}.view(-1)"),
    ]
    return scope.choices.one_of(kinds)
