"""What stands around the calls: views and copies of one memory before them, reads and writes after them."""

from __future__ import annotations

from ..programs.scope import Rejected, Scope, at_least, is_writable
from .calls import is_fit


def view(scope: Scope) -> tuple[str, ...]:
    """A view of a tensor: a slice, a transpose, a diagonal, strides of one's own, an expansion."""
    name = scope.tensor(lambda tensor: at_least(1)(tensor) and is_fit(tensor))
    tensor, choices = scope[name], scope.choices
    size, elements = tensor.shape[0], tensor.numel()
    kinds = [f"{name}[{choices.integer(0, size - 1)}:]", f"{name}[{choices.integer(0, size - 1)}]", f"{name}[::2]"]
    kinds += [f"{name}.view_as({name})", f"{name}[...]", f"{name}.unsqueeze(0)"]
    kinds += [f"{name}.as_strided(({max(elements // 2, 1)},), (1,), {scope.choices.integer(0, elements // 2)})"]
    kinds += [f"{name}.expand(2, {', '.join(['-1'] * tensor.dim())})"]
    if tensor.dim() >= 2:
        kinds += [
            f"{name}.transpose(0, 1)",
            f"{name}.diagonal()",
            f"{name}[:, {tensor.shape[1] - 1}:]",
            f"{name}[:, 0]",
            f"{name}[:{max(size - 1, 1)}, :{max(tensor.shape[1] - 1, 1)}]",
        ]
    if tensor.dim() == 2 and size > 1 and tensor.shape[1] > 1 and tensor.is_contiguous():
        # Rows that begin in the middle of the base's: of its strides, and no slice of it.
        kinds.append(f"{name}.as_strided(({size - 1}, {tensor.shape[1]}), ({tensor.shape[1]}, 1), 1)")
    if tensor.is_contiguous():
        kinds.append(f"{name}.view(-1)")
    return (f"{scope.fresh()} = {choices.one_of(kinds)}",)


def parts(scope: Scope) -> tuple[str, ...]:
    """Two views of one tensor, side by side."""
    name = scope.tensor(lambda tensor: at_least(1)(tensor) and is_fit(tensor) and tensor.shape[0] > 1)
    size = scope[name].shape[0]
    half = scope.choices.integer(1, size - 1)
    kinds = [f"{name}[:{half}], {name}[{half}:]", f"{name}.split([{half}, {size - half}])", f"{name}[0], {name}[1]"]
    return (f"{scope.fresh()}, {scope.fresh()} = {scope.choices.one_of(kinds)}",)


def copy(scope: Scope) -> tuple[str, ...]:
    """A copy of a tensor, which later writes to the tensor must not reach."""
    name = scope.tensor(is_fit)
    kinds = [f"{name}.clone()"] * 4 + [f"{name}.contiguous()", f"{name} * 1", f"{name} + 1", f"{name}.reshape(-1)"]
    if scope[name].dim():
        kinds += [f"{name}.flip(0)", f"torch.cat([{name}, {name}])"]
    if scope[name].dim() == 2:
        kinds += [f"{name}.t().contiguous()", f"{name}.t().clone()"]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def alias(scope: Scope) -> tuple[str, ...]:
    """Another name for a tensor, or for its memory without its history."""
    name = scope.tensor(is_fit)
    return (f"{scope.fresh()} = {scope.choices.one_of([f'{name}.detach()', name])}",)


def computed(scope: Scope) -> tuple[str, ...]:
    """An intermediate, or a new tensor to write to."""
    name = scope.tensor(is_fit)
    kinds = [f"{name} * 2", f"{name} - 1", f"{name}.abs()", f"torch.zeros_like({name})", f"{name} + {name}"]
    kinds += [f"{name}.new_ones({scope[name].numel()}, dtype=torch.float32)", f"{name}.sum()"]
    if scope[name].dim():
        kinds.append(f"{name}.sum(0)")
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def in_place(scope: Scope) -> tuple[str, ...]:
    """An in-place operator of aten's own, on whatever memory."""
    name = scope.tensor(
        lambda tensor: is_fit(tensor) and is_writable(tensor) and tensor.numel() > 0 and not _is_leaf(scope, tensor)
    )
    kinds = [f"{name}.mul_(2)", f"{name}.add_(1)", f"{name}.copy_({name} * 3)", f"{name}.zero_()", f"{name}.fill_(2)"]
    if scope[name].dim():
        kinds += [f"{name}[0] = 1", f"{name}[:1].mul_(3)", f"{name}.copy_({name}.flip(0))"]
    return (scope.choices.one_of(kinds),)


def read(scope: Scope) -> tuple[str, ...]:
    """A tensor is read: one that a call may have changed, a view of it, a copy that must not have changed."""
    names = scope.tensors(is_fit)
    if not names:
        raise Rejected("nothing to read")
    name = scope.choices.one_of(names)
    kinds = [f"{name} * 3", f"{name} + 2", f"{name}.sum()", f"{name}.clone()"]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def _is_leaf(scope: Scope, tensor: object) -> bool:
    return scope.train and bool(getattr(tensor, "requires_grad", False))
