"""Statements that make fewer elements of many: sums, norms, extremes with their indices; scans and orders; losses."""

from __future__ import annotations

import torch

from ..scope import Scope, at_least, is_floating, is_integral, is_single

#: Of ``x`` over dimension ``d``; ``keep`` asks for the dimension to stay, or not.
SUMS = (
    *(
        "{x}.sum({d}{keep})",
        "{x}.mean({d}{keep})",
        "{x}.amax({d}{keep})",
        "{x}.sum()",
        "{x}.mean()",
        "{x}.amin({d}{keep})",
    ),
    *(
        "{x}.softmax({d})",
        "{x}.log_softmax({d})",
        "{x}.logsumexp({d}{keep})",
        "({x} + 3).norm()",
        "({x}.abs() + 1).norm(dim={d}{keep})",
    ),
    *(
        "({x} * 2 + 1).var({d}, correction=0)",
        "{x}.double().sum({d})",
        "{x}.sum({d}, dtype=torch.float64)",
        "{x}.sum(-1)",
    ),
    *(
        "({x}.tanh()).prod({d})",
        "{x}.sum((0, -1)) if {x}.dim() > 1 else {x}.sum(0)",
        "{x}.mean(-1, keepdim=True)",
        "{x}.abs().sum({d})",
    ),
    *(
        "F.softmin({x}, {d})",
        "torch.nansum({x}, {d})",
        "torch.linalg.vector_norm({x} + 2, ord=1, dim={d})",
        "{x}.std({d}, correction=0)",
    ),
    *(
        "torch.nanmean({x}, {d})",
        "F.normalize({x} + 2, dim={d})",
        "{x}.aminmax().max - {x}.aminmax().min",
        "{x}.dist({x} * 2 + 1)",
    ),
)
SCANS = (
    *(
        "{x}.cumsum({d})",
        "{x}.tanh().cumprod({d})",
        "{x}.logcumsumexp({d})",
        "{x}.diff(dim={d})",
        "{x}.flip({d}).cumsum({d})",
    ),
    *(
        "torch.cumulative_trapezoid({x}, dim={d})",
        "{x}.cummax({d}).values",
        "{x}.cummin({d})[0]",
        "torch.trapezoid({x}, dim={d})",
    ),
)
#: Indices and orders, which a rounding may decide.
_ORDERS = (
    *(
        "{x}.argmax({d}{keep})",
        "{x}.argmin({d})",
        "({x} > 0).any({d})",
        "({x} > 0).sum({d})",
        "{x}.argsort({d})",
        "{x}.count_nonzero({d})",
    ),
    *(
        "{x}.max({d}{keep}).indices",
        "{x}.argsort({d}, descending=True, stable=True)",
        "{x}.cummax({d}).indices",
        "({x} > 0.1).all({d})",
    ),
    *(
        "{x}.argmax()",
        "{x}.median()",
        "{x}.msort()",
        "{x}.kthvalue(1, {d}).values",
        "{x}.quantile(0.5)",
        "{x}.mT.argmax({d})",
    ),
)
_PAIRS = (
    *(
        "{x}.max({d}{keep})",
        "{x}.min({d}{keep})",
        "{x}.sort({d})",
        "{x}.topk(1, {d})",
        "{x}.cummax({d})",
        "{x}.sort({d}, descending=True)",
    ),
    *("{x}.median({d})", "{x}.kthvalue(1, {d})", "{x}.topk(1, {d}, largest=False)", "{x}.cummin({d})"),
)
_LOSSES = (
    *(
        "F.mse_loss({x}, {x}.detach() * 0.5)",
        "F.l1_loss({x}, {x} * 2, reduction='sum')",
        "F.smooth_l1_loss({x}, {x}.tanh())",
        "F.huber_loss({x}, {x} + 1)",
    ),
    *(
        "F.binary_cross_entropy_with_logits({x}, {x}.detach().sigmoid())",
        "F.kl_div({x}.log_softmax(0), {x}.detach().softmax(0), reduction='sum')",
    ),
    *(
        "F.cross_entropy({x}.reshape(1, -1), torch.tensor([0]))",
        "F.nll_loss({x}.reshape(1, -1).log_softmax(1), torch.tensor([0]), reduction='none')",
    ),
    *(
        "F.soft_margin_loss({x}, {x}.detach().sign())",
        "F.cosine_similarity({x}.reshape(1, -1), {x}.reshape(1, -1) * 2 + 1)",
    ),
    *(
        "F.cross_entropy({x}.reshape(1, -1), torch.tensor([0]), label_smoothing=0.1)",
        "F.poisson_nll_loss({x}, {x}.detach().abs())",
    ),
)


def reduction(scope: Scope) -> tuple[str, ...]:
    """Fewer elements."""
    name = scope.tensor(at_least(1, lambda tensor: is_floating(tensor) or tensor.dtype.is_complex))
    return (f"{scope.fresh()} = {_filled(scope, name, scope.choices.one_of(SUMS))}",)


def scan(scope: Scope) -> tuple[str, ...]:
    """As many elements, each of those before it."""
    name = scope.tensor(at_least(1, is_floating))
    return (f"{scope.fresh()} = {_filled(scope, name, scope.choices.one_of(SCANS))}",)


def order(scope: Scope) -> tuple[str, ...]:
    """Which element is the largest, and in what order they come."""
    name = scope.tensor(at_least(1, lambda tensor: is_floating(tensor) or is_integral(tensor)))
    if scope.choices.chance(50):
        expression = scope.continuous(name, _filled(scope, name, scope.choices.one_of(_ORDERS)))
        return (f"{scope.fresh()} = {expression}",)
    expression = scope.continuous(name, _filled(scope, name, scope.choices.one_of(_PAIRS)))
    values, indices = scope.fresh(), scope.fresh()
    return (f"{values}, {indices} = {expression}",)


def statistics(scope: Scope) -> tuple[str, ...]:
    """Two results of one reduction."""
    name = scope.tensor(at_least(1, is_single))
    dim = scope.choices.integer(0, scope[name].dim() - 1)
    kinds = [f"torch.var_mean({name}, {dim}, correction=0)", f"torch.std_mean({name} * 2, {dim}, correction=0)"]
    kinds += [
        f"torch.aminmax({name}, dim={dim})",
        f"torch.frexp({name})",
        f"torch.slogdet(torch.eye(2) * ({name}.sum().abs() + 1))",
    ]
    left, right = scope.fresh(), scope.fresh()
    return (f"{left}, {right} = {scope.choices.one_of(kinds)}",)


def loss(scope: Scope) -> tuple[str, ...]:
    """One number that says how far off all are."""
    name = scope.tensor(at_least(1, lambda tensor: is_single(tensor) and not torch.is_complex(tensor)))
    return (f"{scope.fresh()} = {_filled(scope, name, scope.choices.one_of(_LOSSES))}",)


def _filled(scope: Scope, name: str, template: str) -> str:
    dim = scope.choices.integer(0, scope[name].dim() - 1)
    return template.format(x=name, d=dim, keep=scope.choices.one_of(["", ", keepdim=True"]))
