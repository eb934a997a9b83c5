"""Statements that compute: pointwise, mixed dtypes, reductions, gathers, matrix products, random numbers."""

from __future__ import annotations

from .scope import Scope, at_least, is_floating, is_integral

_UNARY = ("sin", "cos", "tanh", "sigmoid", "relu", "abs", "neg", "square", "sign", "erf")


def pointwise(scope: Scope) -> tuple[str, ...]:
    """One value an element."""
    name = scope.tensor(is_floating)
    other = scope.like(scope[name].shape)
    number = scope.number()
    functional = scope.choices.one_of(["silu", "softplus", "gelu", "hardtanh", "leaky_relu", "logsigmoid", "elu"])
    kinds = [
        f"torch.{scope.choices.one_of(_UNARY)}({name})",
        f"{name} + {other}",
        f"{name} * {other}",
        f"{name} - {other}",
        f"{number} - {name}",
        f"{name} / ({other} * {other} + 1)" if not _is_number(other) else f"{name} / {other}",
        f"torch.maximum({name}, {other})" if not _is_number(other) else f"{name}.clamp(max={other})",
        f"torch.where({name} > 0, {name}, {other})",
        f"torch.addcmul({name}, {name}, {name}, value=2)",
        f"{name}.lerp({name} * 2, 0.25)",
        f"{name}.clamp(-0.5, 1)",
        f"F.{functional}({name})",
        f"{name}.fmod({number})",
        f"{name}.abs().sqrt()" if not scope.train else f"({name}.abs() + 1).sqrt()",
        f"{name}.floor()",
        f"{name}.pow(2)",
        f"{name}.exp().clamp(max=9)",
    ]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def _is_number(text: str) -> bool:
    return text[0].isdigit() or text[0] == "-"


def integers(scope: Scope) -> tuple[str, ...]:
    """Integer arithmetic, in whatever width."""
    name = scope.tensor(is_integral)
    other = scope.like(scope[name].shape, floating=False)
    kinds = [
        f"{name} + {other}",
        f"{name} * 3",
        f"{name} // 2",
        f"{name} % 3",
        f"-{name} // 3",
        f"{name} / 2",
        f"{name} << 1",
        f"{name} >> 1",
        f"{name} & 5",
        f"{name} ^ 3",
        f"{name}.abs()",
        f"{name} == {other}",
        f"{name}.float()",
        f"{name}.to(torch.int64) * 100003",
        f"{name}.bitwise_not()",
        f"{name}.clamp(0, 3)",
        f"{name}.sum()",
        f"{name}.float().mean()",
        f"{name} * 0.5",
        f"F.one_hot({name}.long() % 3, 3)",
    ]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def cast(scope: Scope) -> tuple[str, ...]:
    """Another dtype, or a round trip through one."""
    name = scope.tensor(lambda tensor: is_floating(tensor) or is_integral(tensor))
    kinds = [
        f"{name}.double()",
        f"{name}.to(torch.float32)",
        f"{name} > 0.25",
        f"({name} > 0).to(torch.int8)",
        f"({name} > 0).int()",
        f"({name} * 4).to(torch.int64)",
        f"({name} * 4).to(torch.int32)",
        f"({name} > 0) | ({name} < -0.5)",
        f"torch.complex({name}.float(), {name}.float() * 2)",
        f"{name}.view(torch.int32)" if scope[name].element_size() == 4 else f"{name}.float()",
    ]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def reduction(scope: Scope) -> tuple[str, ...]:
    """Fewer elements: sums, extremes with their indices, norms, scans."""
    name = scope.tensor(lambda tensor: is_floating(tensor) and at_least(1)(tensor))
    dim = scope.choices.integer(0, scope[name].dim() - 1)
    keep = scope.choices.one_of(["", ", keepdim=True"])
    values, indices = scope.fresh(), scope.fresh()
    single = [
        f"{name}.sum({dim}{keep})",
        f"{name}.mean({dim}{keep})",
        f"{name}.amax({dim}{keep})",
        f"{name}.sum()",
        f"{name}.mean()",
        f"{name}.argmax({dim}{keep})",
        f"{name}.cumsum({dim})",
        f"{name}.softmax({dim})",
        f"{name}.log_softmax({dim})",
        f"{name}.logsumexp({dim}{keep})",
        f"{name}.norm()",
        f"{name}.std({dim}, correction=0)" if not scope.train else f"{name}.var({dim}, correction=0)",
        f"({name} > 0).any({dim})",
        f"({name} > 0).sum({dim})",
        f"{name}.double().sum({dim})",
        f"{name}.sum({dim}, dtype=torch.float64)",
        f"{name}.cumprod({dim})",
    ]
    double = [
        f"{values}, {indices} = {name}.max({dim}{keep})",
        f"{values}, {indices} = {name}.min({dim}{keep})",
        f"{values}, {indices} = {name}.sort({dim})",
        f"{values}, {indices} = {name}.topk(1, {dim})",
        f"{values}, {indices} = torch.var_mean({name}, {dim}, correction=0)",
        f"{values}, {indices} = {name}.cummax({dim})",
    ]
    if scope.choices.chance(30):
        return (scope.choices.one_of(double),)
    return (f"{values} = {scope.choices.one_of(single)}",)


def gather(scope: Scope) -> tuple[str, ...]:
    """Elements picked by an index that is a tensor."""
    name = scope.tensor(at_least(1))
    dim = scope.choices.integer(0, scope[name].dim() - 1)
    size = scope[name].shape[dim]
    picked = f"torch.tensor([{size - 1}, 0])"
    kinds = [
        f"{name}.index_select({dim}, {picked})",
        f"{name}[{picked}]" if dim == 0 else f"{name}[:, {picked}]" if dim == 1 else f"{name}[..., {picked}]",
        f"{name}.take({picked})",
        f"{name}.gather({dim}, torch.zeros_like({name}, dtype=torch.int64))",
        f"{name}[..., None]",
        f"torch.take_along_dim({name}, {name}.argsort({dim}, stable=True), {dim})",
    ]
    if is_floating(scope[name]):
        kinds.append(f"torch.slice_scatter({name}, {name}.narrow({dim}, 0, 1) * 2, {dim}, 0, 1)")
        kinds.append(f"torch.select_scatter({name}, {name}.select({dim}, 0) * 2, {dim}, {size - 1})")
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def products(scope: Scope) -> tuple[str, ...]:
    """Matrix products, normalization, attention, convolution."""
    name = scope.tensor(lambda tensor: is_floating(tensor) and at_least(2)(tensor))
    tensor = scope[name]
    last = tensor.shape[-1]
    kinds = [
        f"{name} @ {name}.mT",
        f"torch.einsum('...ij,...kj->...ik', {name}, {name})",
        f"F.layer_norm({name}, ({last},))",
        f"F.normalize({name}, dim=-1)",
        f"{name} @ {name}.new_ones({last})",
    ]
    if tensor.dim() == 2:
        kinds += [
            f"torch.addmm({name} @ {name}.t(), {name}, {name}.t(), beta=2, alpha=0.5)",
            f"F.linear({name}, {name}, {name}.sum(1))",
            f"F.scaled_dot_product_attention({name}[None, None], {name}[None, None], {name}[None, None])",
        ]
    if tensor.dim() == 3:
        kinds += [f"torch.bmm({name}, {name}.mT)", f"F.avg_pool1d({name}, 2)", f"F.conv1d({name}, {name}[:, :, :2])"]
    if tensor.dim() == 4:
        kinds += [f"F.max_pool2d({name}, 2)", f"F.interpolate({name}, scale_factor=2)"]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)


def fresh_values(scope: Scope) -> tuple[str, ...]:
    """A new tensor: a constant, a range, or random numbers."""
    like = scope.tensor(is_floating)
    shape = f"{like}.shape"
    kinds = [
        f"torch.zeros_like({like})",
        f"torch.ones({shape})",
        f"torch.full_like({like}, {scope.number()})",
        f"{like}.new_zeros({shape})",
        f"torch.randn_like({like})",
        f"torch.rand({shape})",
        f"torch.arange({like}.numel()).view({shape})",
        f"F.dropout({like}, 0.5)",
        f"torch.bernoulli(torch.full_like({like}, 0.5))",
        f"torch.empty_like({like}).fill_({scope.number()})",
        "torch.arange(4, dtype=torch.int8)",
    ]
    return (f"{scope.fresh()} = {scope.choices.one_of(kinds)}",)
