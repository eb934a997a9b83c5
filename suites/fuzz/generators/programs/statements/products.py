"""Statements that multiply and sum: matrix products, convolutions, pooling, attention, normalization, embeddings."""

from __future__ import annotations

from ..scope import Scope, at_least, is_floating, is_single

_MATRICES = (
    *(
        "{x} @ {x}.mT",
        "torch.einsum('...ij,...kj->...ik', {x}, {x})",
        "{x} @ {x}.new_ones({c})",
        "{x}.mT @ {x}",
        "torch.matmul({x}, {x}.mT) * 0.5",
    ),
    *(
        "F.layer_norm({x} * 2, ({c},))",
        "F.normalize({x} + 1, dim=-1)",
        "F.rms_norm({x} + 1, ({c},))",
        "{x}.softmax(-1) @ {x}.mT",
        "torch.kron({x}[..., :1], {x})",
    ),
    *(
        "F.linear({x}, {x}.new_full((2, {c}), 0.5), {x}.new_ones(2))",
        "torch.tensordot({x}, {x}, dims=([-1], [-1]))",
        "torch.cdist({x}, {x} + 3)",
    ),
)
_TWO = (
    *(
        "torch.addmm({x} @ {x}.t(), {x}, {x}.t(), beta=2, alpha=0.5)",
        "F.linear({x}, {x}, {x}.sum(1))",
        "torch.mm({x}.t(), {x})",
    ),
    *(
        "F.scaled_dot_product_attention({x}[None, None], {x}[None, None], {x}[None, None])",
        "torch.mv({x}, {x}[0])",
        "torch.outer({x}[0], {x}[:, 0])",
    ),
    *(
        "torch.addmv({x}[:, 0], {x}, {x}[0], beta=0.5)",
        "torch.addr({x}, {x}[:, 0], {x}[0])",
        "torch.addr({x}, {x}[:, 0], {x}[0], beta=0)",
        "torch.linalg.multi_dot([{x}, {x}.t(), {x}])",
        "{x}.addmm({x} @ {x}.t(), {x}, beta=0)",
    ),
    *(
        "(({x} @ {x}.t()) / 2.0).softmax(-1) @ {x}",
        "(({x} @ {x}.t()) * 0.5).softmax(0) @ {x}",
        "F.bilinear({x}, {x}, {x}.new_ones(1, {c}, {c}) * 0.1)",
    ),
)
_THREE = (
    *(
        "torch.bmm({x}, {x}.mT)",
        "F.avg_pool1d({x}, 2)",
        "F.conv1d({x}, {x}[:, :, :2])",
        "torch.baddbmm({x} @ {x}.mT, {x}, {x}.mT, beta=0.5, alpha=2)",
    ),
    *(
        "F.scaled_dot_product_attention({x}, {x}, {x}, is_causal=True)",
        "F.max_pool1d({x}, 2, stride=1)",
        "F.adaptive_avg_pool1d({x}, 2)",
        "F.group_norm({x} * 2, 1)",
    ),
    *(
        "F.conv1d({x}, {x}.new_ones(2, {x}.shape[1], 1), padding=1)",
        "F.conv_transpose1d({x}, {x}[0][:, None, :2] * 1)",
        "F.interpolate({x}, scale_factor=2, mode='linear')",
    ),
    *(
        "F.instance_norm({x} * 2)",
        "torch.addbmm({x}[0] @ {x}[0].t(), {x}, {x}.mT)",
        "F.pixel_shuffle({x}[:, :, None].expand(-1, -1, 4, -1).transpose(1, 2), 2)",
    ),
)
OF_IMAGES = (
    *(
        "F.max_pool2d({x}, 2)",
        "F.interpolate({x}, scale_factor=2)",
        "F.avg_pool2d({x}, 2, ceil_mode=True)",
        "F.conv2d({x}, {x}.new_ones(3, {x}.shape[1], 2, 2) * 0.1)",
    ),
    *(
        "F.conv2d({x}, {x}.new_ones({x}.shape[1], 1, 2, 2), groups={x}.shape[1], padding=1)",
        "F.interpolate({x}, size=(3, 5), mode='bilinear', align_corners=True)",
    ),
    *(
        "F.adaptive_avg_pool2d({x}, (1, 2))",
        "F.unfold({x}, 2)",
        "F.batch_norm({x} * 2, None, None, training=True)",
        "F.conv_transpose2d({x}, {x}.new_ones({x}.shape[1], 2, 2, 2), stride=2)",
    ),
    *(
        "F.scaled_dot_product_attention({x}, {x}, {x})",
        "F.pixel_unshuffle({x}[:, :, :4, :4], 2)",
        "F.channel_shuffle({x}, {x}.shape[1])",
        "F.max_pool2d({x}, 2, stride=1, padding=1)",
    ),
    *(
        "F.lp_pool2d({x} + 3, 2, 2)",
        "F.interpolate({x}, size=(7, 3), mode='nearest-exact')",
        "F.conv2d({x}, {x}.new_ones(2, {x}.shape[1], 1, 1), stride=2)",
        "F.upsample({x}, scale_factor=2, mode='bicubic')",
    ),
)


def products(scope: Scope) -> tuple[str, ...]:
    """Matrix products, normalization, attention, convolution, pooling."""
    name = scope.tensor(at_least(2, is_single))
    tensor = scope[name]
    by_dimensions = {2: _TWO, 3: _THREE, 4: OF_IMAGES}.get(tensor.dim(), ())
    kinds = by_dimensions if by_dimensions and scope.choices.chance(60) else _MATRICES
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds).format(x=name, c=tensor.shape[-1])}",)


def attention(scope: Scope) -> tuple[str, ...]:
    """Attention that is written out; the keys may lie as no attention has them, where sizes are equal."""
    name = scope.tensor(at_least(4, lambda tensor: is_single(tensor) and tensor.dim() == 4))
    shape = scope[name].shape
    alike = scope.tensors(lambda tensor: tensor.shape == shape and tensor.dtype == scope[name].dtype)
    queries, keys, values = (scope.choices.one_of(alike) for _ in range(3))
    heads = scope.choices.one_of(["", ".permute(0, 2, 1, 3)", ".transpose(1, 2)"])
    turned = scope.choices.one_of(
        [heads + ".mT", ".permute(0, 2, 3, 1)", ".permute(0, 3, 1, 2)", ".permute(0, 1, 3, 2)"]
    )
    rows = scope.choices.one_of(["({}) * 0.5", "({}) / 2.0", "{}"]).format(f"{queries}{heads} @ {keys}{turned}")
    return (f"{scope.fresh()} = ({rows}).softmax(-1) @ {values}{heads}",)


def two_products(scope: Scope) -> tuple[str, ...]:
    """A product of two matrices that need not be the same."""
    left = scope.tensor(at_least(2, is_floating))
    right = scope.tensor(lambda tensor: tensor.dim() == 2 and tensor.dtype == scope[left].dtype and tensor.numel() > 0)
    kinds = [f"{left} @ {right}", f"{left} @ {right}.t()", f"{left}.mT @ {right}", f"F.linear({left}, {right})"]
    kinds += [f"torch.einsum('...ij,kj->...ik', {left}, {right})", f"{left}.matmul({right}).relu()"]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def embedding(scope: Scope) -> tuple[str, ...]:
    """Rows of a table, looked up."""
    name = scope.tensor(at_least(2, lambda tensor: is_single(tensor) and tensor.dim() == 2))
    last = scope[name].shape[0] - 1
    rows = f"torch.tensor([[0, {last}], [{last}, 0]])"
    kinds = [
        f"F.embedding({rows}, {name})",
        f"F.embedding({rows}, {name}, padding_idx=0)",
        f"F.embedding_bag({rows}, {name}, mode={scope.choices.one_of(['sum', 'mean'])!r})",
        f"F.embedding({rows}, {name}, scale_grad_by_freq=True)",
        f"{name}[{rows}]",
    ]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)
