"""Statements that name memory anew: views of every kind, and changes of layout."""

from __future__ import annotations

from ..scope import Rejected, Scope, at_least, is_floating, is_single

#: Of ``x`` in dimension ``d``, of size ``s``, at ``j``; ``e`` is another dimension.
_VIEWS: tuple[str, ...] = (
    *(
        "{x}[{at}{j}:]",
        "{x}[{at}:{t}]",
        "{x}[{at}{j}]",
        "{x}[{at}::2]",
        "{x}[{at}{j}:{j} + 1]",
        "{x}.select({d}, {j})",
        "{x}.narrow({d}, {j}, {half})",
    ),
    *(
        "{x}.transpose({d}, {e})",
        "{x}.movedim({d}, {e})",
        "{x}.unsqueeze({d})",
        "{x}.squeeze({d})",
        "{x}.view({split})",
        "{x}.view(-1)",
        "{x}.reshape(-1)",
    ),
    *(
        "{x}.flatten()",
        "{x}.unfold({d}, {half}, 1)",
        "{x}.unfold({d}, {half}, 2)",
        "{x}.detach()",
        "{x}.view_as({x})",
        "{x}.expand(2, {same})",
        "{x}[None]",
    ),
    *(
        "{x}.as_strided({strided})",
        "{x}.as_strided({strided}, 1)",
        "{x}[..., -1:]",
        "{x}[{at}-1]",
        "{x}.swapaxes({d}, -1)",
        "{x}.expand_as({x})",
        "{x}.alias()",
    ),
    *(
        "{x}[{at}1:].view_as({x}[{at}1:])",
        "{x}.unflatten({d}, (1, -1))",
        "{x}.split(1, {d})[0]",
        "{x}.unbind({d})[-1]",
        "{x}.chunk(2, {d})[-1]",
        "{x}.ravel()",
    ),
    *(
        "{x}.tensor_split(2, {d})[0]",
        "{x}.hsplit(1)[0]",
        "{x}.data",
        "{x}.reshape({split})",
        "torch.atleast_2d({x})",
        "torch.broadcast_to({x}, (2, {same}))",
        "{x}[()]",
    ),
    *(
        "{x}[{at}{j}:][{at}:1]",
        "{x}.detach()[{at}{j}:]",
        "{x}.view({x}.dtype)",
        "{x}.unfold({d}, 1, 2)",
        "{x}.squeeze()",
        "{x}.positive()",
        "torch.ops.aten.alias({x})",
    ),
)
_OF_TWO: tuple[str, ...] = (
    *(
        "{x}.mT",
        "{x}.diagonal()",
        "{x}.diagonal(1)",
        "{x}.diagonal(-1)",
        "{x}.permute({reverse})",
        "{x}.flatten(0, 1)",
        "{x}.diagonal(0, -2, -1)",
        "{x}.T[0]",
    ),
    *(
        "{x}[0, 1:]",
        "{x}[:, 0]",
        "{x}[1:, ::2]",
        "{x}.transpose(0, 1)[0]",
        "{x}.mT.view_as({x}.mT)",
        "{x}.adjoint()",
        "{x}[..., 0]",
        "{x}.select(1, 0)",
    ),
)
_OF_COMPLEX: tuple[str, ...] = (
    "torch.view_as_real({x})",
    "{x}.real",
    "{x}.imag",
    "{x}.conj()",
    "torch.view_as_real({x})[..., 0]",
)


def view(scope: Scope) -> tuple[str, ...]:
    """A view of one tensor."""
    name = scope.tensor(at_least(1))
    tensor = scope[name]
    kinds = _OF_COMPLEX if tensor.dtype.is_complex and scope.choices.chance(50) else _VIEWS
    if tensor.dim() >= 2 and scope.choices.chance(35):
        kinds = _OF_TWO
    return (f"{scope.fresh()} = {_filled(scope, name, scope.choices.one_of(kinds))}",)


def parts(scope: Scope) -> tuple[str, ...]:
    """Several views at once."""
    name = scope.tensor(at_least(1))
    tensor = scope[name]
    dim = scope.choices.integer(0, tensor.dim() - 1)
    size = tensor.shape[dim]
    if size < 2:
        raise Rejected("nothing to split")
    left, right = scope.fresh(), scope.fresh()
    half = scope.choices.integer(1, size - 1)
    kinds = [
        f"{left}, {right} = {name}.split([{half}, {size - half}], {dim})",
        f"{left}, {right} = {name}.tensor_split(({half},), {dim})",
        f"{left}, {right} = {name}.chunk(2, {dim})",
        f"{left}, {right} = {name}[{':, ' * dim}:{half}], {name}[{':, ' * dim}{half}:]",
    ]
    if size <= 4:
        kinds += [f"{left}, {right}, *_ = {name}.unbind({dim})", f"{left}, *{right} = {name}.unbind({dim})"]
    return (scope.choices.one_of(kinds),)


#: Copies that lie otherwise in memory, or hold the same elements in another order.
_LAYOUTS = (
    *(
        "{x}.clone()",
        "{x}.contiguous()",
        "{x}.flip({d})",
        "{x}.roll(1, {d})",
        "{x}.repeat_interleave(2, {d})",
        "{x}.tile(2)",
        "torch.cat([{x}, {x}], {d})",
    ),
    *(
        "torch.stack([{x}, {x}], {d})",
        "{x}.clone(memory_format=torch.contiguous_format)",
        "{x}.clone().copy_({x})",
        "torch.empty_like({x}).copy_({x})",
    ),
    *(
        "{x}.to(copy=True, dtype={x}.dtype)",
        "{x}.new_empty({x}.shape).copy_({x})",
        "{x}.repeat(2, {ones})",
        "{x}.reshape(-1).clone().view_as({x})",
        "{x}.expand(2, {same}).contiguous()",
    ),
    *(
        "{x}[{at}::2].clone()",
        "torch.cat([{x}[{at}1:], {x}[{at}:1]], {d})",
        "{x}.transpose({d}, {e}).contiguous()",
        "{x}.unfold({d}, {half}, 1).clone()",
        "{x}.flip({d}).flip({d})",
    ),
    *(
        "torch.cat([{x}.narrow({d}, 0, 1), {x}], {d})",
        "{x}.transpose({d}, {e}).clone()",
        "{x}.clone(memory_format=torch.preserve_format)",
        "torch.stack({x}.unbind({d}), {d})",
    ),
    *(
        "torch.cat({x}.split(1, {d}), {d})",
        "torch.empty_like({x}.transpose({d}, {e})).fill_(2)",
        "torch.constant_pad_nd({x}, (1, 0))",
        "torch.empty_permuted({x}.shape, {reversed}).copy_({x})",
    ),
)
_LAYOUTS_OF_TWO = (
    *(
        "{x}.mT.contiguous()",
        "{x}.mT.clone()",
        "{x}.rot90()",
        "{x}.tril()",
        "{x}.triu(1)",
        "F.pad({x}, (1, 2))",
        "F.pad({x}, (-1, 1))",
        "{x}.mT.reshape(-1)",
        "{x}.mT.flatten().clone()",
    ),
    *(
        "{x}.fliplr()",
        "{x}.tril(-1)",
        "F.pad({x}, (0, 0, 1, 0), value=2.0)",
        "{x}.mT.reshape_as({x})",
        "torch.diag_embed({x})[..., 0]",
        "{x}.mT.roll(1)",
        "{x}.block_diag()",
    ),
)


def layout(scope: Scope) -> tuple[str, ...]:
    """A copy that lies otherwise in memory, or holds the same elements in another order."""
    name = scope.tensor(at_least(1))
    tensor = scope[name]
    kinds = list(_LAYOUTS)
    if tensor.dim() >= 2:
        kinds += _LAYOUTS_OF_TWO
    if tensor.dim() == 4:
        kinds += [f"{name}.contiguous(memory_format=torch.channels_last)"] * 6
        kinds += [
            f"{name}.to(memory_format=torch.channels_last)",
            f"{name}.clone(memory_format=torch.channels_last)",
        ] * 3
    if is_single(tensor) and tensor.dim() in (2, 3):
        kinds += [f"F.pad({name}, (1, 1), mode={mode!r})" for mode in ("reflect", "replicate", "circular")] * 2
    return (f"{scope.fresh()} = {_filled(scope, name, scope.choices.one_of(kinds))}",)


#: Elements in another order, one rearrangement on another: what comes first, then, and last.
_TURNED = (".mT", "", ".transpose(0, -1)", ".t()", ".flip(0)", ".permute({reverse})")
_REPEATED = (
    *(".repeat_interleave(2)", ".flatten().repeat_interleave(2)", ".flatten().repeat(2)", ".tile(2)", ".roll(1)"),
    *(".flatten()", ".repeat_interleave(2, 0)", ".reshape(-1).unfold(0, 2, 1)", ".expand(2, {same}).flatten()"),
)
_LAST = (".flip(0)", ".flip(-1)", ".roll(1)", "[1:]", "[::2]", ".cumsum(0)", ".view(-1)", ".flip(0)[1:]", "")


def chain(scope: Scope) -> tuple[str, ...]:
    """Rearrangements one on another, in one expression."""
    name = scope.tensor(at_least(1))
    turned = scope.choices.one_of(_TURNED)
    copied = scope.choices.one_of([f"({{x}}{turned} * 1)", f"{{x}}{turned}", f"{{x}}{turned}.contiguous()"])
    template = copied + scope.choices.one_of(_REPEATED) + scope.choices.one_of(_LAST)
    return (f"{scope.fresh()} = {_filled(scope, name, template)}",)


def shared_memory(scope: Scope) -> tuple[str, ...]:
    """A view is written while something else that shares its memory is alive."""
    name = scope.tensor(
        at_least(1, lambda tensor: is_floating(tensor) and not (tensor.requires_grad and tensor.is_leaf))
    )
    left, right = scope.fresh(), scope.fresh()
    first = _filled(scope, name, scope.choices.one_of(_VIEWS))
    second = _filled(scope, name, scope.choices.one_of(_VIEWS))
    write = scope.choices.one_of(
        [
            "{v}.mul_(2)",
            "{v}.add_(1)",
            "{v}.zero_()",
            "{v}.copy_({v}.flip(0))",
            "{v}.sin_()",
            "{v}.fill_(3)",
            "{v} += {v}.detach()",
        ]
    )
    return (f"{left} = {first}", f"{right} = {second}", write.format(v=scope.choices.one_of([left, right])))


def _filled(scope: Scope, name: str, template: str) -> str:
    if "{" not in template:
        return template
    choices, tensor = scope.choices, scope[name]
    dim = choices.integer(0, tensor.dim() - 1)
    size = tensor.shape[dim]
    low = choices.integer(0, max(size - 1, 0))
    return template.format(
        x=name,
        d=dim,
        e=choices.integer(0, tensor.dim() - 1),
        at=":, " * dim,
        j=low,
        t=max(size - low, 1),
        half=max(size // 2, 1),
        split=_split(scope, tensor.numel()),
        strided=_strided(scope, tensor.numel()),
        same=", ".join(["-1"] * tensor.dim()),
        ones=", ".join(["1"] * tensor.dim()),
        reverse=", ".join(map(str, reversed(range(tensor.dim())))),
        reversed=tuple(reversed(range(tensor.dim()))),
    )


def _split(scope: Scope, elements: int) -> str:
    divisor = next((n for n in (scope.choices.integer(2, 4), 2, 3) if elements % n == 0), 1)
    return f"{elements // divisor}, {divisor}" if elements else "0, 1"


def _strided(scope: Scope, elements: int) -> str:
    half = max(elements // 2, 1)
    divisor = 2 if half % 2 == 0 else 1
    sizes = half // divisor, divisor
    strides = scope.choices.one_of([(divisor, 1), (1, sizes[0]), (1, 1)])
    return f"({sizes[0]}, {sizes[1]}), ({strides[0]}, {strides[1]})"
