"""Low precision: what eager computes in more than that and rounds at the end, at numbers where it shows."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: Beyond five and more, where what is taken from one, or added to it, is nearly nothing.
BEYOND = [5.0, 6.0, 7.0, 8.0, 9.0, 4.5]
#: Numbers whose squares are no halves.
WIDE = [300.0, 400.0, -350.0, 280.0]
#: A number, and some that each are too small for it in low precision, and together are not.
TOTAL = [256.0, *[0.75] * 12]

Function = Callable[[torch.Tensor], torch.Tensor]
#: Functions by the numbers that they are asked of.
OF_FIVE_AND_MORE: dict[str, Function] = {
    "logsigmoid": functional.logsigmoid,
    "softplus": lambda a: functional.softplus(-a),
    "softplus with a threshold": lambda a: functional.softplus(-a, 2.0, 5.0),
    "mish": lambda a: functional.mish(-a),
    "silu": lambda a: functional.silu(-a),
    "gated": lambda a: functional.glu(torch.cat([a, -a])),
    "soft margin": lambda a: functional.soft_margin_loss(a, torch.ones_like(a), reduction="none"),
    "logits": lambda a: functional.binary_cross_entropy_with_logits(a, torch.ones_like(a), reduction="none"),
    "logaddexp": lambda a: torch.logaddexp(a * 0, -a),
    "running": lambda a: torch.logcumsumexp(-a, 0),
    "elu": lambda a: functional.elu(a * -1e-3, 1.5),
    "selu": lambda a: functional.selu(a * -1e-3),
    "celu": lambda a: functional.celu(a * -1e-3, 0.5),
}
OF_WIDE: dict[str, Function] = {
    "rms": lambda a: functional.rms_norm(a, (4,)),
    "deviation": lambda a: a.std(),
    "length": torch.linalg.vector_norm,
    "unit": lambda a: functional.normalize(a, dim=0),
    "longest side": lambda a: torch.hypot(a, a.flip(0)),
    "distance": lambda a: torch.dist(a, -a),
    "bounded": lambda a: torch.renorm(a[None], 2, 0, 5.0),
    "layers": lambda a: functional.layer_norm(a, (4,)),
    "batches": lambda a: functional.batch_norm(a.reshape(2, 2), None, None, training=True),
    "instances": lambda a: functional.instance_norm(a.reshape(1, 2, 2)),
    "groups": lambda a: functional.group_norm(a.reshape(1, 2, 2), 1),
    "mean of windows": lambda a: functional.avg_pool1d(a.reshape(1, 1, 4) * 150, 4),
    "mean of all": lambda a: functional.adaptive_avg_pool1d(a.reshape(1, 1, 4) * 150, 1),
    "mean": lambda a: a.abs().mul(150).mean(),
    "between": lambda a: functional.interpolate(a.reshape(1, 1, 2, 2) * 150, (3, 5), mode="bilinear"),
}
OF_A_TOTAL: dict[str, Function] = {
    "sum": torch.sum,
    "running": lambda a: a.cumsum(0),
    "running back": lambda a: a.flip(0).cumsum(0),
    "product": lambda a: (1 + a[1:] / 256).prod(),
    "mean by place": lambda a: a.new_zeros(1).scatter_reduce(0, a.new_zeros(13, dtype=torch.int64), a, "mean"),
    "window": lambda a: functional.avg_pool1d(a.reshape(1, 1, 13), 13),
}
LOW = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bfloat16", "float16"])


def _each(functions: dict[str, Function]) -> Callable[[torch.Tensor], dict[str, torch.Tensor]]:
    """A program that calls each of some functions."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {name: function(a) for name, function in functions.items()}

    return program


@LOW
@clause("numbers.low-precision", modes="train")
def test_functions_whose_parts_are_nearly_one(check: Check, dtype: torch.dtype) -> None:
    """What is small beside one is not lost on the way to a result of low precision that is as small."""
    result = check(_each(OF_FIVE_AND_MORE), tensor(6, dtype=dtype, values=BEYOND))
    result.happened(bool((result.value("out['logits']") != 0).all()), "small results")


@LOW
@clause("numbers.low-precision", modes="train")
def test_functions_of_numbers_whose_squares_are_large(check: Check, dtype: torch.dtype) -> None:
    """Squares and sums beyond the largest half are not infinite on the way to a result that is a half."""
    result = check(_each(OF_WIDE), tensor(4, dtype=dtype, values=WIDE))
    result.happened(bool(result.value("out['longest side']").isfinite().all()), "squares that fit")


@LOW
@clause("numbers.low-precision", modes="train")
def test_totals_of_a_large_number_and_small_ones(check: Check, dtype: torch.dtype) -> None:
    """Sums count small numbers beside a large one, and are rounded once."""
    result = check(_each(OF_A_TOTAL), tensor(13, dtype=dtype, values=TOTAL))
    result.happened(float(result.value("out['sum']")) >= 264, "small numbers that count")


@LOW
@clause("numbers.low-precision", modes="train")
def test_functions_of_several_steps(check: Check, dtype: torch.dtype) -> None:
    """What a function comes to on its way is not rounded: angles, tangents, multiples and products are not."""
    steps: dict[str, Function] = {
        "cardinal sine": torch.sinc,
        "cardinal sine in place": lambda a: a.clone().sinc_(),
        "by another name": lambda a: torch.special.sinc(a * 3),
        "gelu": lambda a: functional.gelu(-a.abs().clamp(max=4)),
        "gelu by a tangent": lambda a: functional.gelu(-a.abs().clamp(max=4), approximate="tanh"),
        "softplus of threefold": lambda a: functional.softplus(-a.abs().clamp(max=4), 3.0, 30.0),
        "difference of products": lambda a: torch.dot(torch.stack([a[0], -a[0]]), torch.stack([a[0], a[0] * 1.01])),
        "by its other name": lambda a: torch.vdot(torch.stack([a[1], -a[1]]), torch.stack([a[1], a[1] * 1.01])),
    }
    a = tensor(6, dtype=dtype, values=[-3.1, -2.6, 4.7, 12.3, -30.7, 7.4])
    result = check(_each(steps), a)
    result.happened(bool((result.value("out['cardinal sine']") != 0).all()), "sines that are not nought")


@LOW
@clause("numbers.low-precision", modes="train")
def test_functions_of_numbers_far_apart(check: Check, dtype: torch.dtype) -> None:
    """A difference or a product beyond the largest half is not infinite on the way to a result that is a half."""
    far: dict[str, Function] = {
        "huber": lambda a: functional.huber_loss(a, -a, reduction="none", delta=0.25),
        "mean of huber": lambda a: functional.huber_loss(a, -a, delta=0.125),
        "difference of products": lambda a: torch.dot(a[:2], a.new_tensor([4.0, 5.0])),
        "by its other name": lambda a: torch.vdot(a[1:3], a.new_tensor([-5.0, -6.0])),
    }
    a = tensor(6, dtype=dtype, values=[-40000.0, 30000.0, -25000.0, 20000.0, 35000.0, -45000.0])
    result = check(_each(far), a)
    result.happened(bool(result.value("out['difference of products']").isfinite()), "a difference that fits")
