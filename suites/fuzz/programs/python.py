"""Statements that are Python's: loops, containers, closures, branches on sizes, arguments that are no tensors."""

from __future__ import annotations

from .scope import Scope, Unfit, at_least, is_floating


def loop(scope: Scope) -> tuple[str, ...]:
    """A loop that is unrolled."""
    name = scope.tensor(at_least(1, is_floating))
    fresh = scope.fresh()
    kinds = [
        (f"{fresh} = {name}", "for i in range(3):", f"    {fresh} = {fresh} * 0.5 + i"),
        (f"{fresh} = {name}", f"for part in {name}.unbind(0)[:3]:", f"    {fresh} = {fresh} + part.sum()"),
        (f"{fresh} = sum(part.sum() for part in {name}.split(1)[:5])",),
        (f"{fresh} = torch.stack([part * 2 for part in {name}.unbind(0)[:4]])",),
        (f"{fresh} = {name} * 1", f"for i, part in enumerate({fresh}.unbind(0)[:3]):", "    part.add_(i)"),
        (
            f"{fresh} = {name}.clone()",
            f"for i in range(min(3, {fresh}.shape[0])):",
            f"    {fresh}[i] = {fresh}[i - 1] * 0.5",
        ),
        (f"{fresh} = {name}", "i = 0", "while i < 2:", f"    {fresh}, i = {fresh}.tanh() + {name}, i + 1"),
        (f"{fresh} = {name} * 1", "for i in range(2):", f"    {fresh} += {name} * i"),
    ]
    return scope.choices.one_of(kinds)


def containers(scope: Scope) -> tuple[str, ...]:
    """Tensors go through a list, a dict, a named tuple, a dataclass; or come out in one."""
    left, right = scope.tensor(is_floating), scope.tensor(is_floating)
    fresh = scope.fresh()
    kinds = [
        (f"pair = [{left}, {right}]", "pair.reverse()", f"{fresh} = pair[0] * 2"),
        (f"table = {{'a': {left}, 'b': {right}}}", "table['a'] = table['b'] + 1", f"{fresh} = table['a']"),
        (f"items = [{left}]", f"items.append({right})", f"{fresh} = items.pop() * len(items)"),
        (f"{fresh}, kept = {left} + 1, {right}",),
        (f"both = Pair({left}, {right} * 2)", f"{fresh} = both.left + 1"),
        (f"box = Box({left})", f"{fresh} = box.value * box.scale"),
        (f"{fresh} = [{left} + 1, {right}]",),
        (f"{fresh} = {{'sum': {left} + 1, 'rest': [{right} * 2]}}",),
        (f"{fresh} = Pair({left} * 2, {right})",),
        (f"{fresh} = ({left}.view(-1), ({right},))",),
        (f"table = dict(a={left}, b={right})", f"{fresh} = [value * 2 for key, value in sorted(table.items())]"),
        (f"box = Box({left}, 0.5)", f"box.value = box.value * 2 + {right}.sum()", f"{fresh} = box.value"),
        (f"box = Box({left})", f"{fresh} = [box, {right} + 1]"),
        (f"first, *rest = [{left}, {right}, {left} * 2]", f"{fresh} = rest[-1] + first"),
        (f"{fresh} = {{name: value for name, value in zip('ab', [{left}, {right} + 1])}}",),
    ]
    return scope.choices.one_of(kinds)


def closure(scope: Scope) -> tuple[str, ...]:
    """A function made in the program: a closure, a lambda, a default."""
    name, other = scope.tensor(is_floating), scope.tensor(is_floating)
    fresh = scope.fresh()
    kinds = [
        ("def inner(x, by=2):", f"    return x * by + {other}.sum()", f"{fresh} = inner({name})"),
        (f"{fresh} = (lambda x: x * 2 - 1)({name})",),
        (
            "counted = []",
            "def counting(x):",
            "    counted.append(1)",
            "    return x * len(counted)",
            f"{fresh} = counting({name}) + counting({name})",
        ),
        (f"{fresh} = list(map(lambda x: x * 2, [{name}, {other}]))",),
        ("def written(x):", "    x.mul_(2)", "    return x", f"{fresh} = written({name} * 1)"),
        (f"{fresh} = [f({name}) for f in (torch.sin, torch.tanh)]",),
        (
            "def given(*values, **named):",
            "    return sum(values) * named['by']",
            f"{fresh} = given({name}, {name}, by=0.5)",
        ),
    ]
    return scope.choices.one_of(kinds)


def branch(scope: Scope) -> tuple[str, ...]:
    """A branch on what is known when compiling: a size, a stride, a dtype, a flag."""
    name = scope.tensor(at_least(1, is_floating))
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
            f"{name}.dtype == torch.float32",
            "torch.is_grad_enabled()",
            "torch.get_default_dtype() == torch.float32",
            f"{name}._is_view()",
            f"{name}.shape[-1] in (1, 4, 17)",
            f"{name}.size() == torch.Size([3])",
            f"{name}._version > 0",
        ]
    )
    if scope.choices.chance(50):
        return (f"if {condition}:", f"    {fresh} = {name} * 2", "else:", f"    {fresh} = {name}.view(-1) + 1")
    return (f"{fresh} = {name} * 2 if {condition} else {name} + 1",)


def sizes(scope: Scope) -> tuple[str, ...]:
    """Arithmetic with a size, which may be symbolic."""
    name = scope.tensor(at_least(1, is_floating))
    expression = scope.choices.one_of(
        [
            "{x} * {x}.shape[0] / 8",
            "{x} / {x}.numel()",
            "{x} + -{x}.shape[0] // 2",
            "{x}.new_full((-{x}.shape[0] % 4 + 1,), 2.0)",
            "{x}[:({x}.shape[0] + 1) // 2]",
            "{x}.view({x}.shape[0], -1)",
            "F.pad({x}.flatten(), (0, -{x}.numel() % 4))",
            "{x} * ({x}.shape[0] / 300) ** 0.5",
            "{x}.reshape({x}.shape[::-1])",
            "torch.arange({x}.shape[0]) * ({x}.shape[0] // 3 - 2)",
            "{x} + torch.arange({x}.shape[-1], dtype={x}.dtype)",
            "torch.zeros({x}.shape[0], 2) + {x}.shape[0] % 3",
            "({x} + 1, {x}.shape[0] * 2)",
            "[{x} * 2, list({x}.shape)]",
            "{x}.expand(max({x}.shape[0] // 2, 1), *{x}.shape)",
            "{x}.flatten()[::max({x}.numel() // 3, 1)]",
            "{x}.sum() * int({x}.shape[0] ** 0.5)",
            "torch.full(({x}.dim(),), {x}.shape[0])",
            "{x}.as_strided(({x}.shape[0],), ({x}.stride(0),))",
            "{x}.flatten().unfold(0, max({x}.shape[0] // 2, 1), 1)",
        ]
    )
    return (f"{scope.fresh()} = {expression.format(x=name)}",)


#: What is done with an argument that is no tensor, by its type.
_WITH_VALUES: dict[type, tuple[str, ...]] = {
    int: (
        *(
            "{x} * {n}",
            "{x}.roll({n}, 0)",
            "{x}[..., :{n}]",
            "{x}.sum() + {n} // 2",
            "{x} + {n} % 3",
            "{x} ** ({n} % 3)",
        ),
        *("{x}.new_full((abs({n}) + 1,), {n})", "sum([{x}] * max({n}, 1))", "{x}.tril({n}) if {x}.dim() > 1 else {x}"),
        *("{x} * 2 if {n} > 1 else {x} + 1", "torch.arange(abs({n}) + 2) * {n}"),
    ),
    float: (
        *("{x} * {n}", "{x} + {n}", "{x}.clamp(max={n})", "torch.full_like({x}, {n})", "{x} / {n}", "{x} * int({n})"),
        *("{x} if {n} > 1 else {x} * 2", "{x}.add({x}, alpha={n})", "{x}.sub({n}).relu()", "torch.tensor({n}) * {x}"),
        *("{x} * max({n}, 1.0)", "torch.full((2,), {n})"),
    ),
    bool: (
        *("{x} * 2 if {n} else {x} + 1", "{x}.sum(0, keepdim={n})", "{x} * {n}", "{x} + (not {n})"),
        *("F.dropout({x}, 0.5, training={n})", "torch.full((2,), {n})"),
    ),
    str: (
        *("getattr(torch, {n})({x})", "{x} * len({n})", "{x} * 2 if {n} == 'sin' else {x}"),
        *("{{'sin': {x}, 'tanh': {x} + 1}}.get({n}, {x} * 2)",),
    ),
    list: (
        *("{x} * sum({n})", "{x} + len({n})", "[{x} * i for i in {n}]", "{x}[{n}[-1]:]", "{x}[[0 for i in {n}]]"),
        *("torch.tensor({n}) + {x}.sum()",),
    ),
}


def argument(scope: Scope) -> tuple[str, ...]:
    """A Python number, flag, string or list that the caller hands in."""
    name = scope.tensor(at_least(1, is_floating))
    kinds = [kind for kind in _WITH_VALUES if any(type(value) is kind for value in scope.names.values())]
    if not kinds:
        raise Unfit("no Python value")
    kind = scope.choices.one_of(kinds)
    value = scope.value(kind)
    if kind is list and scope.choices.chance(30):
        return (f"{value}.append({value}[0])", f"{scope.fresh()} = {name} * {value}[-1]")
    return (f"{scope.fresh()} = {scope.choices.one_of(_WITH_VALUES[kind]).format(x=name, n=value)}",)
