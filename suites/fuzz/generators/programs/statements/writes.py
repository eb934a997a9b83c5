"""Statements that change memory: in-place operators, ``out=``, foreach, swaps, and changes of metadata."""

from __future__ import annotations

import torch

from ..scope import Rejected, Scope, is_floating, is_integral, is_writable
from .indexing import is_free, write_into


def _target(scope: Scope, *, floating: bool = False, free: bool = True) -> str:
    def suits(tensor: torch.Tensor) -> bool:
        return (
            tensor.numel() > 0
            and is_writable(tensor)
            and (is_floating(tensor) or (not floating and is_integral(tensor)))
            and (not free or is_free(tensor))
        )

    return scope.tensor(suits)


_IN_PLACE = (
    *(
        "{x}.add_({y})",
        "{x}.mul_({y})",
        "{x}.sub_({y})",
        "{x} += {y}",
        "{x} *= {y}",
        "{x} -= {y}",
        "{x}.zero_()",
        "{x}.neg_()",
        "{x}.clamp_(min=0)",
        "{x}.abs_()",
    ),
    *("{x}.fill_({k})", "{x}.copy_({x} * 2)", "{x}.add_({x})", "{x}.mul_({x})", "{x}.square_()"),
)
_IN_PLACE_FLOATING = (
    *(
        "{x}.sin_()",
        "{x}.sigmoid_()",
        "{x}.relu_()",
        "F.relu({x}, inplace=True)",
        "{x}.div_({k})",
        "{x}.add_({y}, alpha=2)",
        "{x}.tanh_()",
        "{x}.exp_().clamp_(max=5)",
    ),
    *(
        "{x}.lerp_({x}.detach().flip(0), 0.5)",
        "{x}.addcmul_({x}, {x})",
        "F.leaky_relu_({x})",
        "F.dropout({x}, 0.5, inplace=True)",
        "{x}.pow_(2)",
        "{x}.masked_fill_({x} > 0, 1)",
    ),
    *(
        "F.silu({x}, inplace=True)",
        "{x}.bernoulli_(0.5)",
        "{x}.normal_()",
        "{x}.uniform_()",
        "{x}.copy_({x}.detach().mean())",
        "{x}.tril_()",
        "{x}.atan_()",
        "{x}.erf_()",
    ),
    *(
        "{x}.logit_(0.1)",
        "F.hardtanh_({x})",
        "{x}.cumsum_(0)",
        "{x}.clamp_max_({x}.detach().mean())",
        "{x}.add_(1).mul_(2)",
        "{x}.copy_({y})",
        "{x}.copysign_({k})",
    ),
)


def in_place(scope: Scope) -> tuple[str, ...]:
    """An in-place operator on an input, an intermediate, or a view of one."""
    name = _target(scope)
    tensor = scope[name]
    floating = is_floating(tensor)
    kinds = _IN_PLACE + _IN_PLACE_FLOATING if floating else _IN_PLACE
    other = scope.like(tensor.shape, floating=floating)
    number = scope.number() if floating else str(scope.choices.integer(1, 5))
    template = scope.choices.one_of(kinds)
    if "copy_({y})" in template and _is_number(other):
        template = "{x}.fill_({y})"
    if ">" in template:
        scope.continuous(name, f"{name} > 0")
    return (template.format(x=name, y=other, k=number),)


def _is_number(text: str) -> bool:
    return text[0].isdigit() or text[0] == "-"


def self_reference(scope: Scope) -> tuple[str, ...]:
    """A tensor is updated from a rearrangement of itself, now and then after a write to some of its elements."""
    name = _target(scope)
    tensor = scope[name]
    if not tensor.dim():
        raise Rejected("a single element")
    dim = scope.choices.integer(0, tensor.dim() - 1)
    at = ":, " * dim
    sources = [
        f"{name}.flip({dim})",
        f"{name}.roll(1, {dim})",
        f"{name}.clone()",
        f"{name}.cumsum({dim})",
        f"{name} * 2 + 1",
    ]
    if tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1]:
        sources += [f"{name}.t().clone()", f"{name}.t() * 2", f"{name}.mT.contiguous()", f"{name}.rot90()"]
    source = scope.choices.one_of(sources)
    verb = scope.choices.one_of(["add_", "sub_", "copy_", "mul_"])
    lines = [f"{name}.{verb}({source})"]
    if tensor.shape[dim] > 1:
        lines += [
            f"{name}[{at}1:] = {name}[{at}:-1].clone()",
            f"{name}[{at}1:] += {name}[{at}:-1] * 2",
            f"{name}[{at}:-1] = {name}[{at}1:] * 1",
            f"{name}[{at}1:].copy_({name}[{at}:-1] + 0)",
            f"{name}.narrow({dim}, 1, 1).add_({name}.narrow({dim}, 0, 1))",
        ]
    line = scope.choices.one_of(lines)
    return (write_into(scope, name), line) if scope.choices.chance(40) else (line,)


def saved_then_written(scope: Scope) -> tuple[str, ...]:
    """What a tensor was is kept, the tensor is overwritten, and what was kept is used."""
    name = _target(scope)
    kept, used = scope.fresh(), scope.fresh()
    keep = scope.choices.one_of(
        [".clone()", " * 1", ".detach().clone()", ".contiguous().clone()", " + 0", ".to(copy=True, dtype={x}.dtype)"]
    )
    write = scope.choices.one_of([".mul_(2)", ".add_(1)", ".zero_()", ".fill_(3)", ".neg_()"])
    use = scope.choices.one_of(["{kept} + {x}", "{kept} * 2", "{kept} - {x}"])
    return (
        f"{kept} = {name}{keep.format(x=name)}",
        f"{name}{write}",
        f"{used} = {use.format(kept=kept, x=name)}",
    )


def swap(scope: Scope) -> tuple[str, ...]:
    """Two tensors exchange what they hold."""
    left = _target(scope)
    right = scope.tensor(
        lambda tensor: (
            tensor is not scope[left]
            and tensor.shape == scope[left].shape
            and is_writable(tensor)
            and tensor.dtype == scope[left].dtype
            and is_free(tensor)
        )
    )
    kept = scope.fresh()
    return (f"{kept} = {left}.clone()", f"{left}.copy_({right})", f"{right}.copy_({kept})")


def out_argument(scope: Scope) -> tuple[str, ...]:
    """An operator writes its result into a tensor that is there already."""

    def suits(tensor: torch.Tensor) -> bool:
        return is_floating(tensor) and not tensor.requires_grad and tensor.numel() > 0 and is_writable(tensor)

    name = scope.tensor(suits)
    shape = scope[name].shape
    same = scope.tensor(lambda tensor: is_floating(tensor) and tensor.shape == shape and not tensor.requires_grad)
    operator = scope.choices.one_of(["sin", "neg", "exp", "abs", "tanh", "square"])
    kinds = [
        f"torch.{operator}({same}, out={name})",
        f"torch.mul({same}, 2, out={name})",
        f"torch.add({name}, {same}, out={name})",
    ]
    kinds += [f"torch.clamp({same}, -1, 1, out={name})", f"torch.where({same} > 0, {same}, {name}, out={name})"]
    if shape:
        kinds += [f"torch.cumsum({same}, 0, out={name})"]
        kinds += [
            f"torch.cat([{same}[:1], {same}[1:]], out={name})",
            f"torch.sum(torch.stack([{same}, {same}]), 0, out={name})",
        ]
    line = scope.choices.one_of(kinds)
    return (scope.choices.one_of([line, f"{scope.fresh()} = {line}"]),)


def metadata(scope: Scope) -> tuple[str, ...]:
    """The shape or strides of a tensor are changed in place."""
    name = scope.tensor(lambda tensor: tensor.dim() >= 2 and is_free(tensor))
    verb = scope.choices.one_of(["t_()", "transpose_(0, 1)", "unsqueeze_(0)", "squeeze_(0)", "swapaxes_(0, -1)"])
    return (f"{name}.{verb}",)


def foreach(scope: Scope) -> tuple[str, ...]:
    """One operator over a list of tensors."""
    left, right = _target(scope, floating=True), _target(scope, floating=True)
    if scope.choices.chance(30):
        # One tensor, and what is rearranged of it.
        verb = scope.choices.one_of(["add", "mul", "sub", "copy", "maximum"])
        operand = scope.choices.one_of(["flip(0)", "roll(1)", "flip(-1)", "mT", "roll(1, 0)", "flip(0) * 2"])
        return (f"torch._foreach_{verb}_([{left}], [{left}.{operand}])",)
    if left == right or scope[left].untyped_storage()._cdata == scope[right].untyped_storage()._cdata:
        raise Rejected("one memory twice in a list")
    fresh, other = scope.fresh(), scope.fresh()
    kinds = [
        f"torch._foreach_mul_([{left}, {right}], {scope.number()})",
        f"torch._foreach_add_([{left}, {right}], [{left}.clone(), {right}.clone()])",
        f"torch._foreach_neg_([{left}, {right}])",
        f"{fresh}, {other} = torch._foreach_mul([{left}, {right}], 2)",
        f"{fresh}, {other} = torch._foreach_add([{left}, {right}], [{left}, {right}], alpha=0.5)",
        f"torch._foreach_lerp_([{left}, {right}], [{left} * 2, {right} * 2], 0.5)",
        f"torch._foreach_addcmul_([{left}, {right}], [{left} * 2, {right}], [{left} + 1, {right}], value=0.5)",
        f"torch._foreach_copy_([{left}, {right}], [{left} * 2, {right} * 2])",
        f"torch._foreach_add_([{left}, {right}], [{left}.flip(0), {right}.flip(0)])",
        f"torch._foreach_mul_([{left}, {right}], [{left}.roll(1), {right}.flip(0)])",
        f"torch._foreach_lerp_([{left}, {right}], [{left}.flip(0), {right}.roll(1)], 0.5)",
        f"torch._foreach_zero_([{left}, {right}])",
        f"torch._foreach_add_([{left}, {right}], 1.0)",
        f"{fresh}, {other} = torch._foreach_norm([{left} + 3, {right} + 3])",
        f"torch._foreach_clamp_min_([{left}, {right}], 0.0)",
    ]
    return (scope.choices.one_of(kinds),)
