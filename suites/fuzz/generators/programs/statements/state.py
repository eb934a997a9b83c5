"""Statements about what outlives a call: globals, and modules with parameters, buffers and counters."""

from __future__ import annotations

from ..scope import Scope, at_least, is_floating, is_single


def state(scope: Scope) -> tuple[str, ...]:
    """A global list, counter or tensor."""
    name = scope.tensor(is_floating)
    fresh = scope.fresh()
    kinds = [
        ("memory['calls'] += 1", f"{fresh} = {name} * memory['calls']"),
        (f"buffer.add_({name}.detach().sum().float() * 0.5)", f"{fresh} = {name} + buffer"),
        (f"log.append(len(log) + {name}.dim())", f"{fresh} = {name} * log[-1]"),
        (f"{fresh} = {name} + buffer", "buffer.add_(2)"),
        (f"{fresh} = {name} * chance.{scope.choices.one_of(['randint(1, 9)', 'choice([2, 3, 5])', 'random()'])}",),
        (f"{fresh} = buffer", f"buffer.copy_({name}.detach().mean().float())"),
        (f"memory['last'] = {name}.detach()", f"{fresh} = {name} + memory['last']"),
        (f"row[1:] = row[:-1].clone() + {name}.detach().mean().float()", f"{fresh} = {name}.sum() + row"),
        (f"{fresh} = row[:2]", "row.add_(1)"),
        (f"log.append({name}.shape[0] if {name}.dim() else 0)", f"{fresh} = {name} + len(log)"),
        ("memory.setdefault('factor', 2)", f"{fresh} = {name} * memory['factor']"),
        (f"{fresh} = row.clone()", "row.mul_(0.5).add_(1)", f"{scope.fresh()} = {fresh} + {name}.sum()"),
    ]
    return scope.choices.one_of(kinds)


def module(scope: Scope) -> tuple[str, ...]:
    """A module's forward: parameters, running statistics, counters, in training and in evaluation."""
    name = scope.tensor(at_least(1, is_single))
    tensor = scope[name]
    fresh = scope.fresh()
    kinds = ["running({x})", "settled({x})", "latest({x})"]
    if tensor.dtype.itemsize == 4:
        channels = tensor.shape[1] if tensor.dim() > 1 else 0
        last = tensor.shape[-1]
        if channels and tensor.dim() in (2, 3) and tensor.numel() > 2 * channels:
            scope.define(f"norm{channels}", f"norm{channels} = torch.nn.BatchNorm1d({channels})")
            scope.define(f"fixed{channels}", f"fixed{channels} = torch.nn.BatchNorm1d({channels}).eval()")
            kinds += [f"norm{channels}({{x}} * 2)", f"fixed{channels}({{x}})"]
        if tensor.dim() == 4 and tensor.numel() > 2 * channels:
            scope.define(f"norm2d{channels}", f"norm2d{channels} = torch.nn.BatchNorm2d({channels}, momentum=0.5)")
            kinds += [f"norm2d{channels}({{x}} * 2)"] * 2
        if last < 20:
            scope.define(f"linear{last}", f"linear{last} = torch.nn.Linear({last}, 2)")
            scope.define(f"layer{last}", f"layer{last} = torch.nn.LayerNorm({last})")
            scope.define(
                f"stack{last}",
                f"stack{last} = torch.nn.Sequential(torch.nn.Linear({last}, 3), torch.nn.Dropout(0.5))",
            )
            kinds += [f"linear{last}({{x}})", f"layer{last}({{x}} * 2)", f"stack{last}({{x}})"]
            kinds += [f"linear{last}.weight * 2 + {{x}}.sum()"]
    call = scope.choices.one_of(kinds).format(x=name)
    if scope.choices.chance(10):
        return (f"{fresh} = running({name})", f"{scope.fresh()} = running({fresh})")
    return (f"{fresh} = {call}",)
