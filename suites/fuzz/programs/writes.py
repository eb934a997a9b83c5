"""Statements that change memory: in-place operators, assignments by index, ``out=``, and changes of metadata."""

from __future__ import annotations

import torch

from .scope import Scope, Unfit, is_floating, is_integral, is_writable


def _target(scope: Scope, *, floating: bool = False) -> str:
    def suits(tensor: torch.Tensor) -> bool:
        return (
            tensor.numel() > 0
            and is_writable(tensor)
            and (is_floating(tensor) or (not floating and is_integral(tensor)))
            and not (scope.train and tensor.requires_grad and tensor.is_leaf)
        )

    return scope.tensor(suits)


def in_place(scope: Scope) -> tuple[str, ...]:
    """An in-place operator on an input, an intermediate, or a view of one."""
    name = _target(scope)
    tensor = scope[name]
    other = scope.like(tensor.shape, floating=is_floating(tensor))
    kinds = [
        f"{name}.add_({other})",
        f"{name}.mul_({other})",
        f"{name}.sub_({other})",
        f"{name} += {other}",
        f"{name} *= {other}",
        f"{name}.copy_({other})" if not other[0].isdigit() and other[0] != "-" else f"{name}.fill_({other})",
        f"{name}.zero_()",
        f"{name}.neg_()",
        f"{name}.clamp_(min=0)",
        f"{name}.abs_()",
    ]
    if is_floating(tensor):
        kinds += [
            f"{name}.sin_()",
            f"{name}.sigmoid_()",
            f"{name}.relu_()",
            f"F.relu({name}, inplace=True)",
            f"{name}.div_({scope.number()})",
            f"{name}.add_({other}, alpha=2)",
            f"torch.add({name}, {other}, out={name})" if not scope.train else f"{name}.tanh_()",
            f"{name}.lerp_({name}.detach().flip(0), 0.5)" if tensor.dim() else f"{name}.exp_()",
        ]
    return (scope.choices.one_of(kinds),)


def self_reference(scope: Scope) -> tuple[str, ...]:
    """A tensor is updated from a rearrangement of itself."""
    name = _target(scope)
    tensor = scope[name]
    if not tensor.dim():
        raise Unfit("a single element")
    dim = scope.choices.integer(0, tensor.dim() - 1)
    sources = [f"{name}.flip({dim})", f"{name}.roll(1, {dim})", f"{name}.clone()", f"{name}.cumsum({dim})"]
    if tensor.dim() == 2 and tensor.shape[0] == tensor.shape[1]:
        sources += [f"{name}.t().clone()", f"{name}.t() * 2"]
    source = scope.choices.one_of(sources)
    verb = scope.choices.one_of(["add_", "sub_", "copy_", "mul_"])
    colons = ":, " * dim
    shifted = f"{name}[{colons}1:] = {name}[{colons}:-1].clone()"
    added = f"{name}[{colons}1:] += {name}[{colons}:-1] * 2"
    lines = [f"{name}.{verb}({source})"]
    if tensor.shape[dim] > 1:
        lines += [shifted, added]
    return (scope.choices.one_of(lines),)


def assignment(scope: Scope) -> tuple[str, ...]:
    """Elements picked by an index, a mask or a slice are written."""
    name = _target(scope)
    tensor = scope[name]
    if not tensor.dim():
        raise Unfit("a single element")
    dim = scope.choices.integer(0, tensor.dim() - 1)
    size = tensor.shape[dim]
    index = scope.choices.integer(0, size - 1)
    colons = ":, " * dim
    part = tensor.select(dim, index).shape
    other = scope.like(part, floating=is_floating(tensor))
    number = scope.number() if is_floating(tensor) else str(scope.choices.integer(1, 5))
    picked = f"torch.tensor([{index}])"
    kinds = [
        f"{name}[{colons}{index}] = {other}",
        f"{name}[{colons}{index}:] = {number}",
        f"{name}[{colons}::2] *= 2",
        f"{name}[{name} > 0] = {number}",
        f"{name}.masked_fill_({name} > 0, {number})",
        f"{name}.index_fill_({dim}, {picked}, {number})",
        f"{name}.index_add_({dim}, {picked}, {name}.narrow({dim}, 0, 1).clone())",
        f"{name}.index_copy_({dim}, {picked}, {name}.narrow({dim}, 0, 1) * 3)",
        f"{name}.select({dim}, {index}).add_({other})",
        f"{name}.narrow({dim}, {index}, 1).mul_(3)",
        f"{name}.diagonal().add_({number})" if tensor.dim() == 2 else f"{name}.view(-1)[0] = {number}",
        f"{name}.index_put_((torch.tensor([{index}, {index}]),), {name}.detach()[:1].clone(), accumulate=True)"
        if dim == 0
        else f"{name}.scatter_({dim}, torch.zeros_like({name}, dtype=torch.int64).narrow({dim}, 0, 1), {number})",
    ]
    return (scope.choices.one_of(kinds),)


def out_argument(scope: Scope) -> tuple[str, ...]:
    """An operator writes its result into a tensor that is there already."""
    if scope.train:
        raise Unfit("out= takes no part in differentiation")
    name = _target(scope, floating=True)
    same = scope.tensor(lambda tensor: is_floating(tensor) and tensor.shape == scope[name].shape)
    operator = scope.choices.one_of(["sin", "neg", "exp", "abs"])
    left = scope.choices.one_of([f"torch.{operator}({same}, out={name})", f"torch.mul({same}, 2, out={name})"])
    return (scope.choices.one_of([left, f"{scope.fresh()} = {left}"]),)


def no_grad_write(scope: Scope) -> tuple[str, ...]:
    """A write that autograd does not see."""
    name = scope.tensor(lambda tensor: is_floating(tensor) and is_writable(tensor) and tensor.numel() > 0)
    number = scope.number()
    kinds = [
        ("with torch.no_grad():", f"    {name}.mul_({number})"),
        ("with torch.no_grad():", f"    {name}.add_({name}.detach() * {number})"),
        (f"{name}.detach().mul_({number})",),
        (f"{name}.data.add_({number})",),
    ]
    return scope.choices.one_of(kinds)


def metadata(scope: Scope) -> tuple[str, ...]:
    """The shape or strides of an intermediate are changed in place."""
    name = scope.tensor(lambda tensor: tensor.dim() >= 2 and not (tensor.requires_grad and tensor.is_leaf))
    verb = scope.choices.one_of(["t_()", "transpose_(0, 1)", "unsqueeze_(0)", "squeeze_(0)"])
    return (f"{name}.{verb}",)


def foreach(scope: Scope) -> tuple[str, ...]:
    """One in-place operator over a list of tensors."""
    left, right = _target(scope, floating=True), _target(scope, floating=True)
    if left == right or scope[left].untyped_storage()._cdata == scope[right].untyped_storage()._cdata:
        raise Unfit("one memory twice in a list")
    kinds = [
        f"torch._foreach_mul_([{left}, {right}], {scope.number()})",
        f"torch._foreach_add_([{left}, {right}], [{left}.clone(), {right}.clone()])",
        f"torch._foreach_neg_([{left}, {right}])",
        f"torch._foreach_copy_([{left}, {right}], [{left}.flip(0), {right} * 2])",
    ]
    if not scope[left].dim():
        kinds = kinds[:3]
    return (scope.choices.one_of(kinds),)
