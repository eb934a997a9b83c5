"""Statements that make tensors of nothing: constants, ranges, random numbers."""

from __future__ import annotations

from ..scope import Scope, at_least, is_floating

_CONSTANTS = (
    *(
        "torch.zeros_like({x})",
        "torch.ones({x}.shape)",
        "torch.full_like({x}, {k})",
        "{x}.new_zeros({x}.shape)",
        "torch.arange({x}.numel()).view({x}.shape)",
    ),
    *(
        "torch.empty_like({x}).fill_({k})",
        "torch.arange(4, dtype=torch.int8)",
        "torch.linspace(0, 1, 5)",
        "torch.eye(3, dtype={x}.dtype)",
        "torch.tensor([1.0, {k}])",
    ),
    *(
        "torch.full((2, 3), 7)",
        "torch.full((3,), {k}, dtype=torch.float64)",
        "torch.ones_like({x}).cumsum(0)",
        "torch.scalar_tensor({k})",
        "torch.tril_indices(3, 3)",
    ),
    *(
        "torch.empty({x}.shape).zero_()",
        "torch.arange(0, 1, 0.25)",
        "torch.tensor({k})",
        "torch.zeros({x}.shape, dtype={x}.dtype) + 1",
        "{x}.new_tensor([1.0, 2.0])",
    ),
    *(
        "torch.ones_like({x}.mT.contiguous().mT)",
        "torch.zeros(3).index_fill_(0, torch.tensor([1]), {k})",
        "torch.full((5,), 3).cumsum(0)",
        "torch.ones(2, 2, dtype=torch.int32).cumsum(1, dtype=torch.int64)",
    ),
)
_RANDOM = (
    *(
        "torch.randn_like({x})",
        "torch.rand({x}.shape)",
        "F.dropout({x}, 0.5)",
        "torch.bernoulli(torch.full_like({x}, 0.5))",
        "torch.randint(0, 5, (3,))",
        "torch.randperm(4)",
    ),
    *(
        "torch.rand_like({x}) * {x}",
        "torch.normal(0.0, 1.0, (2, 3))",
        "torch.empty_like({x}).normal_()",
        "torch.empty(3).uniform_(-1, 1)",
        "F.dropout({x}, 0.5, training=False)",
    ),
    *(
        "torch.empty_like({x}).bernoulli_(0.5)",
        "torch.randint_like({x}, 5)",
        "F.alpha_dropout({x}, 0.5, training=True)",
        "F.feature_dropout({x}, 0.5)",
        "F.rrelu({x}, training=True)",
    ),
    *(
        "torch.rand_like({x}.mT)",
        "torch.multinomial(torch.tensor([0.2, 0.3, 0.5]), 2)",
        "F.dropout({x}, 1.0)",
        "F.gumbel_softmax({x})",
        "torch.empty_like({x}).exponential_().clamp(max=5)",
    ),
    *(
        "F.dropout({x} * 2, 0.0)",
        "torch.randn(2, 2) @ torch.ones(2, 2)",
        "torch.nn.init.normal_(torch.empty(3))",
        "F.dropout1d({x}[None], 0.5)",
        "torch.randn_like({x}, dtype=torch.float64)",
    ),
)


def constants(scope: Scope) -> tuple[str, ...]:
    """A constant, a range."""
    like = scope.tensor(is_floating)
    return (f"{scope.fresh()} = {scope.choices.one_of(_CONSTANTS).format(x=like, k=scope.number())}",)


def random_numbers(scope: Scope) -> tuple[str, ...]:
    """Numbers that are drawn; now and then nobody looks at them."""
    like = scope.tensor(at_least(1, is_floating))
    line = scope.choices.one_of(_RANDOM).format(x=like)
    if scope.choices.chance(12):
        return (line,)
    if scope.choices.chance(8):
        return ("torch.manual_seed(3)", f"{scope.fresh()} = {line}")
    return (f"{scope.fresh()} = {line}",)
