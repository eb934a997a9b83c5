"""Operators of one kind in a batch: each keeps its dtype, its options, its memory and its moment."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


def in_batches(*names: str, gradients: bool = True) -> dict[str, object]:
    """The setting by which operators become one of a batch, from two on: before gradients are traced, or after."""
    option = "inductor.pre_grad_fusion_options" if gradients else "inductor.post_grad_fusion_options"
    return {option: {name: {"min_fuse_set_size": 2} for name in names}}


@clause("inductor.optional-passes", "T3.5", on=("inductor",))
def test_positive_parts_in_place_in_a_batch(check: Check) -> None:
    """Positive parts that are taken in place, as layers in a row take them, are what is read there afterwards."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        one, other = a + 1, b - 1
        total = functional.relu(one, inplace=True) - functional.relu(other, inplace=True)
        return total, one * 2, other * 3

    check(program, tensor(3, 4), tensor(3, 4), config=in_batches("batch_relu")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_operators_of_several_dtypes_in_a_batch(check: Check) -> None:
    """Functions and linear maps of one shape and of several dtypes keep each its own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        wide, small = a.double(), b.to(torch.int8)
        return {
            "tanh": torch.tanh(a) * 2,
            "wide tanh": torch.tanh(wide) * 3,
            "sigmoid": torch.sigmoid(a) * 2,
            "wide sigmoid": torch.sigmoid(wide) * 3,
            "positive": functional.relu(b) * 2,
            "small positive": functional.relu(small) * 3,
            "map": functional.linear(a, a) * 2,
            "wide map": functional.linear(wide, wide) * 3,
        }

    settings = in_batches("batch_tanh", "batch_sigmoid", "batch_relu", "batch_linear")
    check(program, tensor(4, 4), tensor(4, 4), config=settings).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_operators_of_several_dtypes_in_a_batch_of_the_graph(check: Check) -> None:
    """Functions and products of one shape and of several dtypes keep each its own in the graph of operators, too."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        wide = a.double()
        return {
            "tanh": torch.tanh(a) * 2,
            "wide tanh": torch.tanh(wide) * 3,
            "product": a @ a * 2,
            "wide product": wide @ wide * 3,
        }

    settings = in_batches("batch_aten_tanh", "batch_linear_post_grad", gradients=False)
    check(program, tensor(4, 4), config=settings).computed()


@clause("inductor.optional-passes", "T3.5", on=("inductor",))
def test_writes_between_operators_in_a_batch(check: Check) -> None:
    """What is written between two operators of one kind is read by the second one alone."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, ...]:
        first, one = torch.tanh(a), functional.linear(a, weight)
        b.add_(1)
        second, other = torch.tanh(b), functional.linear(b, weight)
        return first - second * 2, one - other * 2

    settings = in_batches("batch_tanh", "batch_linear")
    check(program, tensor(3, 4), tensor(3, 4), tensor(4, 4), config=settings).mutated(1).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_options_without_a_name_of_dropout_in_a_batch(check: Check) -> None:
    """Dropout outside of training, as its layer calls it, drops nothing."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        layer = torch.nn.Dropout(0.25).eval()
        return (layer(a) + 1) - (functional.dropout(b, 0.75, False) + 2)

    check(program, tensor(3, 4), tensor(3, 4), config=in_batches("batch_dropout")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_bounds_without_a_name_in_a_batch(check: Check) -> None:
    """Bounds that are told in their order are bounds."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (torch.clamp(a, -0.5, 0.5) + 1) - (torch.clamp(b, -0.5, 0.5) + 2)

    check(program, tensor(3, 4), tensor(3, 4), config=in_batches("batch_clamp")).computed()


@clause("inductor.optional-passes", "T7.9", on=("inductor",))
def test_results_of_operators_in_a_batch(check: Check) -> None:
    """What operators of one kind return is memory of its own each, in the order of dimensions of what it is of."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.tanh(a.t()), torch.tanh(b.t())

    check(program, tensor(3, 4), tensor(3, 4), config=in_batches("batch_tanh")).distinct("out[0]", "out[1]").computed()


@clause("inductor.optional-passes", on=("inductor",), devices="cpu")
def test_norms_with_wider_weights_in_a_batch(check: Check) -> None:
    """Norms of low precision whose weights are wider are of low precision."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, ...]:
        one, other = a.bfloat16(), b.bfloat16()
        return (
            functional.layer_norm(one, (4,), weight, bias).relu(),
            functional.layer_norm(other, (4,), bias, weight).relu(),
        )

    given = (tensor(3, 4), tensor(3, 4), tensor(4), tensor(4))
    check(program, *given, config=in_batches("batch_layernorm")).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_factor_of_differences_in_a_batch(check: Check) -> None:
    """What is taken off several tensors with a factor is taken off with it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.sub(a, b, alpha=2) * 2, torch.sub(b, a.exp(), alpha=2) * 3

    settings = in_batches("batch_aten_sub", gradients=False)
    check(program, tensor(3, 4), tensor(3, 4), config=settings).computed()


@clause("inductor.optional-passes", "T3.5", on=("inductor",))
def test_other_operators_in_a_batch(check: Check) -> None:
    """Operators of one dtype, whose options have names, between writes to what none of them reads, are as written."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        first = torch.tanh(a)
        c.mul_(2)
        return {
            "functions": first - torch.tanh(b) * 2,
            "positive": functional.relu(a * 2, inplace=True) - functional.relu(b * 2, inplace=True) * 3,
            "of two kinds": functional.relu(a * 3) - functional.relu(b * 4, inplace=True) * 3,
            "bounded": (torch.clamp(a, min=-0.5, max=0.5) + 1) - (torch.clamp(b, min=-0.5, max=0.5) + 2),
            "of low precision": torch.tanh(a[:2].bfloat16()) - torch.tanh(b[:2].bfloat16()),
            "kept": (functional.dropout(a, training=False) + 1) - (functional.dropout(b, training=False) + 2),
        }

    settings = in_batches("batch_tanh", "batch_relu", "batch_clamp", "batch_dropout")
    check(program, tensor(3, 4), tensor(3, 4), tensor(3, 4), config=settings).unchanged(0, 1).mutated(2).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_other_operators_in_a_batch_of_the_graph(check: Check) -> None:
    """Sums with a factor, differences without, quotients that are rounded and products of one dtype are as written."""
    pairs: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
        "sums": lambda a, b: torch.add(a, b, alpha=3),
        "differences": lambda a, b: a - b,
        "quotients": lambda a, b: torch.div(a, b, rounding_mode="floor"),
        "products": lambda a, b: a * b,
    }

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {name: torch.maximum(of(a, b) * 2, of(b, a.exp()) * 3) for name, of in pairs.items()}

    kinds = ("batch_aten_add", "batch_aten_sub", "batch_aten_div", "batch_aten_mul", "batch_linear_post_grad")
    check(program, tensor(3, 4), tensor(3, 4), config=in_batches(*kinds, gradients=False)).computed()
