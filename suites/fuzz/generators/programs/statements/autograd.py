"""Statements about what autograd knows: hidden writes, grad modes, custom Functions, requires_grad."""

from __future__ import annotations

from ..scope import Rejected, Scope, at_least, is_floating, is_single, is_writable


def hidden_write(scope: Scope) -> tuple[str, ...]:
    """A write that autograd does not see."""
    name = scope.tensor(lambda tensor: is_floating(tensor) and is_writable(tensor) and tensor.numel() > 0)
    number = scope.number()
    alias = scope.fresh()
    kinds = [
        ("with torch.no_grad():", f"    {name}.mul_({number})"),
        ("with torch.no_grad():", f"    {name}.add_({name}.detach() * {number})"),
        (f"{name}.detach().mul_({number})",),
        (f"{name}.data.add_({number})",),
        (f"{alias} = {name}.detach()", f"{alias}.mul_({number})"),
        (f"{name}.data = {name}.detach() * 2",),
        ("with torch.no_grad():", f"    {alias} = {name}.view(-1)", f"    {alias}.add_({number})"),
        ("with torch.no_grad():", f"    {name}.copy_({name} * {number})"),
        (f"{name}.data.copy_({name}.detach() * {number})",),
        (f"{name}.detach().view(-1)[:1].zero_()",),
    ]
    return scope.choices.one_of(kinds)


def grad_mode(scope: Scope) -> tuple[str, ...]:
    """Statements under another grad mode; a tensor is made to require grad."""
    name = scope.tensor(at_least(1, is_floating))
    fresh, other = scope.fresh(), scope.fresh()
    kinds = [
        (f"{fresh} = {name}.detach().requires_grad_()",),
        ("with torch.no_grad():", f"    {fresh} = {name} * 2"),
        ("with torch.enable_grad():", f"    {fresh} = {name} * 3"),
        ("with torch.no_grad():", f"    {fresh} = {name}.view(-1)"),
        (f"{fresh} = {name}.clone().detach()",),
        ("with torch.no_grad():", f"    {fresh} = {name}[:1]", f"{other} = {fresh} * 2"),
        (f"{fresh} = ({name} * 2).detach()", f"{other} = {fresh} + {name}"),
        ("with torch.no_grad():", "    with torch.enable_grad():", f"        {fresh} = {name} * {name}"),
        ("with torch.set_grad_enabled(False):", f"    {fresh} = {name}.exp().clamp(max=3)"),
        ("torch.set_grad_enabled(False)", f"{fresh} = {name} * 2", "torch.set_grad_enabled(True)"),
        (f"{fresh} = {name} * 2", f"{other} = {fresh}.detach()"),
        (f"{fresh} = {name} + 1", f"{fresh}.detach_()"),
        ("with torch.inference_mode():", f"    {fresh} = {name} * 2"),
    ]
    return scope.choices.one_of(kinds)


def autocast(scope: Scope) -> tuple[str, ...]:
    """Statements in which products are made in half precision."""
    name = scope.tensor(at_least(2, is_single))
    fresh, other = scope.fresh(), scope.fresh()
    rows = f"{name} @ {name}.mT"
    within = f"with torch.autocast('cpu', dtype=torch.{scope.choices.one_of(['bfloat16', 'bfloat16', 'float16'])}):"
    kinds = [
        (within, f"    {fresh} = {rows}"),
        (within, f"    {fresh} = ({rows}).float() + {name}.sum()"),
        (within, f"    {fresh} = ({rows}).softmax(-1)", f"{other} = {fresh} * 2"),
        (within, "    with torch.autocast('cpu', enabled=False):", f"        {fresh} = {rows}"),
        (within, f"    {fresh} = {name} * 2", f"{other} = {fresh} @ {fresh}.mT"),
        (within, "    with torch.no_grad():", f"        {fresh} = {rows}", f"    {other} = {rows}"),
        (within, f"    {fresh} = {name} * 2", f"    {other} = {rows}", f"    {other}.mul_(2)"),
        (within, f"    {fresh} = F.linear({name}, {name}.detach().flatten(0, -2))"),
        (within, f"    {fresh} = [{rows}, torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu')]"),
    ]
    return scope.choices.one_of(kinds)


def function(scope: Scope) -> tuple[str, ...]:
    """A custom autograd Function."""
    name = scope.tensor(at_least(1, is_floating))
    fresh, other = scope.fresh(), scope.fresh()
    second = scope.tensor(lambda tensor: is_floating(tensor) and tensor.shape == scope[name].shape)
    kinds = [
        (f"{fresh} = Double.apply({name})",),
        (f"{fresh} = Same.apply({name})",),
        (f"{fresh} = Flat.apply({name})",),
        (f"{fresh} = Window.apply({name})",),
        (f"{fresh} = ScaledHere.apply({name})",),
        (f"{fresh} = ScaledHere.apply({name} * 1)",),
        (f"{fresh}, {other} = WithMask.apply({name})",),
        (f"{fresh} = Scaled.apply({name}, {second}, {scope.number()})",),
        (f"{fresh} = Scaled.apply({name}, {name}, 2)",),
    ]
    lines = scope.choices.one_of(kinds)
    if "WithMask" in lines[0]:
        scope.continuous(name, f"{name}.sign()")
    if "Window" in lines[0] and scope[name].shape[0] == 0:
        raise Rejected("no first row")
    return lines


def gradient_inside(scope: Scope) -> tuple[str, ...]:
    """Checkpoints, hooks and scaled gradients: what changes how backward runs."""
    name = scope.tensor(at_least(1, lambda tensor: is_floating(tensor) and tensor.requires_grad))
    fresh = scope.fresh()
    kinds = [
        (f"{fresh} = torch.utils.checkpoint.checkpoint(lambda x: (x * 2).sin(), {name}, use_reentrant=False)",),
        (f"{fresh} = {name} * 2", f"{fresh}.register_hook(lambda g: g * 2)"),
        (f"{fresh} = {name}.sin() * {name}.detach()",),
        (f"{fresh} = {name} * 1", f"{fresh}.requires_grad_()"),
    ]
    return scope.choices.one_of(kinds)
