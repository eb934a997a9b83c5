"""Statements that name memory anew: views of every kind, and changes of layout."""

from __future__ import annotations

from .scope import Scope, Unfit, at_least, is_floating


def view(scope: Scope) -> tuple[str, ...]:
    """A view of one tensor."""
    name = scope.tensor(at_least(1))
    tensor = scope[name]
    choices = scope.choices
    dim = choices.integer(0, tensor.dim() - 1)
    size = tensor.shape[dim]
    last = choices.integer(0, tensor.dim() - 1)
    low = choices.integer(0, max(size - 1, 0))
    colons = ":, " * dim
    kinds = [
        f"{name}[{colons}{low}:]",
        f"{name}[{colons}:{max(size - low, 1)}]",
        f"{name}[{colons}{low}]",
        f"{name}[{colons}::2]",
        f"{name}[{colons}{low}:{low + 1}]",
        f"{name}.select({dim}, {low})",
        f"{name}.narrow({dim}, {low}, {max((size - low) // 2, 1)})",
        f"{name}.transpose({dim}, {last})",
        f"{name}.movedim({dim}, {last})",
        f"{name}.unsqueeze({dim})",
        f"{name}.squeeze({dim})",
        f"{name}.view({_split(scope, tensor.numel())})",
        f"{name}.view(-1)",
        f"{name}.reshape(-1)",
        f"{name}.flatten()",
        f"{name}.unfold({dim}, {max(size // 2, 1)}, {choices.integer(1, 2)})",
        f"{name}.detach()",
        f"{name}.view_as({name})",
        f"{name}.expand({choices.integer(2, 3)}, {', '.join(['-1'] * tensor.dim())})",
        f"{name}.as_strided({_split(scope, max(tensor.numel() // 2, 1), comma=True)})",
    ]
    if tensor.dim() >= 2:
        kinds += [
            f"{name}.t()" if tensor.dim() == 2 else f"{name}.mT",
            f"{name}.diagonal()",
            f"{name}.diagonal({choices.integer(-1, 1)})",
            f"{name}.permute({', '.join(map(str, reversed(range(tensor.dim()))))})",
        ]
    if tensor.dtype.is_complex:
        kinds += [f"torch.view_as_real({name})", f"{name}.real", f"{name}.imag", f"{name}.conj()"]
    return (f"{scope.fresh()} = {choices.one_of(kinds)}",)


def _split(scope: Scope, elements: int, *, comma: bool = False) -> str:
    divisor = next((n for n in (scope.choices.integer(2, 4), 2, 3) if elements % n == 0), 1)
    sizes = (elements // divisor, divisor) if elements else (0, 1)
    if not comma:
        return f"{sizes[0]}, {sizes[1]}"
    offset = scope.choices.integer(0, 1)
    strides = scope.choices.one_of([(divisor, 1), (1, sizes[0])])
    return f"({sizes[0]}, {sizes[1]}), ({strides[0]}, {strides[1]}), {offset}"


def parts(scope: Scope) -> tuple[str, ...]:
    """Several views at once."""
    name = scope.tensor(at_least(1))
    tensor = scope[name]
    dim = scope.choices.integer(0, tensor.dim() - 1)
    size = tensor.shape[dim]
    if size < 2:
        raise Unfit("nothing to split")
    left, right = scope.fresh(), scope.fresh()
    half = scope.choices.integer(1, size - 1)
    kinds = [
        f"{left}, {right} = {name}.split([{half}, {size - half}], {dim})",
        f"{left}, {right} = {name}.tensor_split(({half},), {dim})",
        f"{left}, {right} = {name}.chunk(2, {dim})",
    ]
    if size <= 4:
        kinds.append(f"{left}, {right}, *_ = {name}.unbind({dim})")
    return (scope.choices.one_of(kinds),)


def layout(scope: Scope) -> tuple[str, ...]:
    """A copy that lies otherwise in memory, or holds the same elements in another order."""
    name = scope.tensor(at_least(1))
    tensor = scope[name]
    dim = scope.choices.integer(0, tensor.dim() - 1)
    kinds = [
        f"{name}.clone()",
        f"{name}.contiguous()",
        f"{name}.flip({dim})",
        f"{name}.roll(1, {dim})",
        f"{name}.repeat_interleave(2, {dim})",
        f"{name}.tile(2)",
        f"torch.cat([{name}, {name}], {dim})",
        f"torch.stack([{name}, {name}], {dim})",
        f"{name}.clone(memory_format=torch.contiguous_format)",
        f"{name}.clone().copy_({name})",
        f"torch.empty_like({name}).copy_({name})",
        f"{name}.to(copy=True, dtype={name}.dtype)",
    ]
    if tensor.dim() >= 2:
        kinds += [f"{name}.mT.contiguous()", f"{name}.mT.clone()", f"{name}.rot90()", f"{name}.tril()"]
        kinds += [f"F.pad({name}, (1, 2))", f"F.pad({name}, (-1, 1))"]
    if tensor.dim() == 4:
        kinds += [f"{name}.contiguous(memory_format=torch.channels_last)"] * 3
    if is_floating(tensor) and tensor.dim() in (2, 3):
        kinds += [f"F.pad({name}, (1, 1), mode={scope.choices.one_of(['reflect', 'replicate', 'circular'])!r})"]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)
