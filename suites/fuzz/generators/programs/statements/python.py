"""Statements that are Python's: loops, containers, closures, branches on sizes, arguments that are no tensors."""

from __future__ import annotations

import types

from ..scope import Rejected, Scope, at_least, is_floating


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


def generator(scope: Scope) -> tuple[str, ...]:
    """Generators and iterators: run to their end, left before it, handed on, returned."""
    name, other = scope.tensor(is_floating), scope.tensor(is_floating)
    fresh = scope.fresh()
    doubled = ("def doubled(items):", "    for item in items:", "        yield item * 2")
    kinds = [
        (*doubled, f"{fresh} = [item + 1 for item in doubled([{name}, {other}])]"),
        (*doubled, f"{fresh} = next(doubled([{name}, {other}]))"),
        (*doubled, f"items = doubled([{name}, {other}])", f"{fresh} = [next(items), list(items), next(items, 3)]"),
        (*doubled, "def chained(items):", "    yield from doubled(items)", "    yield items[0] - 1")
        + (f"{fresh} = list(chained([{name}, {other}]))",),
        ("def told(x):", "    before = yield x * 2", "    yield before + 1")
        + (f"items = told({name})", f"{fresh} = [next(items), items.send({other})]"),
        ("closed = []", "def careful(x):", "    try:", "        yield x * 2", "        yield x * 3")
        + ("    finally:", "        closed.append(1)", f"items = careful({name})", f"{fresh} = [next(items), closed]")
        + ("items.close()",),
        ("def result(x):", "    yield x * 2", "    return x + 1", "def given(x):", "    last = yield from result(x)")
        + ("    yield last * 3", f"{fresh} = [*given({name})]"),
        (f"{fresh} = (item * 2 for item in [{name}, {other}])",),
        (f"{fresh} = [item * i for i, item in enumerate([{name}, {other}], 2)]",),
        (f"{fresh} = [item * i for item, i in zip([{name}, {other}], [2, 3, 4])]",),
        (f"items = iter([{name}, {other}, {name}])", f"{fresh} = [next(items) * 2, *items]"),
        (
            f"items = zip([{name}, {other}], iter([2, 3]))",
            "item, i = next(items)",
            f"{fresh} = [item * i, list(items)]",
        ),
        (f"{fresh} = [*map(lambda item, i: item * i, [{name}, {other}], (2, 3))]",),
        (f"{fresh} = [item for item in reversed([{name}, {other}]) if item.dim() < 3]",),
    ]
    return scope.choices.one_of(kinds)


def local_class(scope: Scope) -> tuple[str, ...]:
    """A class made in the program, whose methods keep what they see; containers that are not quite Python's own."""
    name, other = scope.tensor(is_floating), scope.tensor(is_floating)
    fresh = scope.fresh()
    kinds = [
        ("noted = []", "class Touching:", "    def touch(self, x):", "        noted.append(x.dim())")
        + ("        return x * len(noted)", f"{fresh} = [Touching().touch({name}), Touching().touch({other}), noted]"),
        ("table = {'n': 0}", "class Counting:", "    def __call__(self, x):", "        table['n'] += 1")
        + ("        return x * table['n']", f"{fresh} = [Counting()({name}), Counting()({other}), table]"),
        ("noted = []", "class Within:", "    def __enter__(self):", "        noted.append('in')", "        return self")
        + ("    def __exit__(self, *error):", "        noted.append('out')", "with Within():")
        + (f"    {fresh} = {name} * 2", f"{scope.fresh()} = noted"),
        ("class Weighing:", "    def __init__(self, by):", "        self.by = by", "    def __mul__(self, x):")
        + ("        self.by += 1", "        return x * self.by", "weighing = Weighing(1)")
        + (f"{fresh} = [weighing * {name}, weighing * {other}, weighing.by]",),
        (
            "class Lazy:",
            "    @property",
            "    def value(self):",
            "        self.asked = True",
            f"        return {name} * 2",
        )
        + ("lazy = Lazy()", f"{fresh} = [lazy.value + 1, lazy.asked]"),
        (f"{fresh} = Noting().touch({name}) + Noting().touch({name})",),
        ("with Noting():", f"    {fresh} = {name} * 2"),
        (f"table = Table(a={name})", f"{fresh} = [table['a'] * table['b'], table]"),
        (f"table = Table(a={name}, b={other})", "table['c'] = table.pop('a') * 2", f"{fresh} = [*table.values()]"),
        ("names = Names(['a', 'b'])", f"{fresh} = {name} * len(names) if names == {{'a', 'b'}} else {name} + 1"),
        (f"items = Items([{name}, {other}])", "items.append(1)", f"{fresh} = [items[0] * len(items), items]"),
    ]
    return scope.choices.one_of(kinds)


#: Of two objects ``p`` and ``q``: whether they are one, or equal.
_SAME = (
    *("p is q", "p == q", "p is not q", "p in [q]", "p != q", "[p, 1] == [q, 1]", "[q].count(p) == 1"),
    "id(p) == id(q)",
)
_OBJECTS = (
    *("[1], [1]", "[1], [2]", "{'a': 1}, {'a': 1}", "{1, 2}, {2, 1}", "Plain(), Plain()", "object(), object()"),
    *("Box(2), Box(2)", "types.SimpleNamespace(a=1), types.SimpleNamespace(a=1)", "range(3), [0, 1, 2]"),
)


def identity(scope: Scope) -> tuple[str, ...]:
    """A branch on whether two objects that the program makes are one, or equal."""
    name = scope.tensor(at_least(1, is_floating))
    fresh = scope.fresh()
    made = scope.choices.one_of([f"p, q = {scope.choices.one_of(_OBJECTS)}", "p = q = [1]", "p = q = Plain()"])
    condition = scope.choices.one_of(_SAME)
    return (made, f"{fresh} = {name} * 2 if {condition} else {name} + 1")


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
            "torch.full((3,), {x}.shape[0], dtype=torch.bool).sum() + {x}",
            "{x}.new_ones(torch.Tensor({x}.size()).shape) + {x}",
            "{x} * torch.Size([*{x}.shape, 2]).numel() / 50",
            "{x}.reshape(({x}.shape + (1,))[::-1])",
            "{x} * {x}.shape.count({x}.shape[-1])",
            "{x} * divmod({x}.numel(), 3)[1]",
            "torch.arange({x}.shape[0]).bool().int() + {x}.shape[0]",
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
        # One number as a bound and as a factor.
        *(
            "{x}.clamp(max={n}) * {n}",
            "{x}.clamp(min=-abs({n}), max=abs({n})) + {n}",
            "F.threshold({x}, {n}, {n}) * {n}",
        ),
        *(
            "torch.where({x} > {n}, {x}, {n}) + {n}",
            "{x}.masked_fill({x} > {n}, {n}) * {n}",
            "{x}.clamp(min={n}) / {n}",
        ),
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
    types.SimpleNamespace: (
        *("{x} * {n}.factor", "{x} + {n}.kept", "{x} * {n}.current[0]", "[{x} * 2, {n}]", "{x} * len(vars({n}))"),
        *("{x} * 2 if {n}.current is {n}.left else {x} + 1", "{x} * 2 if {n} is holder else {x} + 1"),
        *("{x} + {n}.kept if {n}.current == [1] else {x} - 1", "{x} * getattr({n}, 'missing', 3)"),
    ),
}
#: What is written to an object that the caller hands in.
_HELD = (
    *("{n}.factor += 1", "{n}.kept.add_(1)", "{n}.kept = {n}.kept * 2 + {x}.detach().mean().float()", "{n}.seen = 1"),
    *["{n}.current = {n}.right if {n}.current is {n}.left else {n}.left"] * 4,
    "{n}.current.append({x}.dim())",
    *("{n}.left, {n}.right = {n}.right, {n}.left", "{n}.kept = {x}", "setattr({n}, 'factor', {n}.factor * 2)"),
)


def argument(scope: Scope) -> tuple[str, ...]:
    """A Python number, flag, string, list or object that the caller hands in."""
    name = scope.tensor(at_least(1, is_floating))
    kinds = [kind for kind in _WITH_VALUES if any(type(value) is kind for value in scope.names.values())]
    if not kinds:
        raise Rejected("no Python value")
    kind = scope.choices.one_of(kinds)
    value = scope.value(kind)
    if kind is list and scope.choices.chance(30):
        return (f"{value}.append({value}[0])", f"{scope.fresh()} = {name} * {value}[-1]")
    line = f"{scope.fresh()} = {scope.choices.one_of(_WITH_VALUES[kind]).format(x=name, n=value)}"
    if kind is types.SimpleNamespace and scope.choices.chance(60):
        return (scope.choices.one_of(_HELD).format(x=name, n=value), line)
    return (line,)
