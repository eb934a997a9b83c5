"""Options of operators that stand in a pattern: a pass that puts one operator for several keeps what they were told."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor
from suites.harness.programs.specs import BuiltSpec
from suites.lowering.frozen import FREEZING, Followed


def convolutions(**results: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> BuiltSpec:
    """Convolutions to three channels, and a constant that has a number for each."""
    constant = torch.tensor([1.0, -2.0, 3.0]).view(3, 1, 1)
    return built(lambda: Followed(lambda: torch.nn.Conv2d(2, 3, 3), constant.clone(), **results))


def linear_maps(**results: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> BuiltSpec:
    """Linear maps to three columns, and a constant that has a number for each."""
    return built(lambda: Followed(lambda: torch.nn.Linear(4, 3), torch.tensor([1.0, -2.0, 3.0]), **results))


@clause("inductor.fusion", modes=("train", "no_grad"))
def test_product_and_what_is_added_with_a_factor(check: Check) -> None:
    """What is added to a product, or a product that is added, counts as often as `alpha` says."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, row: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "row": torch.add(a @ b, row, alpha=2),
            "to a weight": c.add((a * 2) @ b, alpha=0.5),
            "taken off": torch.add(c, (a * 3) @ b, alpha=-1),
            "linear map": torch.add(functional.linear(a * 4, b.t()), row, alpha=-2),
            "two products": torch.add((a * 5) @ b, (a * 6) @ b, alpha=3),
            "in place": ((a * 7) @ b).add_(row, alpha=4),
            "of no dimension": torch.add((a * 8) @ b, row.sum(), alpha=10),
            "nought": torch.add((a * 9) @ b, c, alpha=0),
            "wide": torch.add(a.double() @ b.double(), row.double(), alpha=5),
        }

    check(program, tensor(3, 4), tensor(4, 5), tensor(3, 5), tensor(5)).gradient(0, 1).computed()


@clause("inductor.fusion", modes="train")
def test_factors_beside_products(check: Check) -> None:
    """A factor of what is taken off a product, of a number, of one row, of a batch or a bias is that factor."""

    def program(
        a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, row: torch.Tensor, batch: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "one": torch.add(a @ b, row, alpha=1),
            "product with it": (a * 2) @ b + 2 * row,
            "number": torch.add((a * 3) @ b, 2.5, alpha=2),
            "less": torch.sub((a * 4) @ b, c, alpha=3),
            "from it": torch.sub(c, (a * 5) @ b, alpha=3),
            "turned round": torch.rsub((a * 6) @ b, c, alpha=3),
            "with a bias": torch.add(functional.linear(a * 7, b.t(), row), c, alpha=-1),
            "one row": torch.add(b.t() @ a[0], row, alpha=3),
            "batch": torch.add(batch @ (b * 2), c, alpha=3),
            "to a batch": torch.add(c, torch.bmm(batch, batch.transpose(1, 2) @ (batch @ b)), alpha=0.5),
            "linear map of a batch": torch.add(functional.linear(batch, (b * 3).t()), c, alpha=2),
            "summed": torch.add(torch.einsum("bij,jk->bik", batch, b * 4), c, alpha=-2),
            "on the way": torch.lerp((a * 8) @ b, c, 0.25),
            "with a product": torch.addcmul((a * 9) @ b, c, row, value=2),
        }

    inputs = tensor(3, 4), tensor(4, 5), tensor(3, 5), tensor(5), tensor(2, 3, 4)
    check(program, *inputs).gradient(0, 1, 2, 3, 4).computed()


@clause("inductor.fusion", modes="train")
def test_products_with_factors_of_both(check: Check) -> None:
    """Operators that multiply and add keep `beta` and `alpha`, also where something is added to them in turn."""

    def program(
        a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, row: torch.Tensor, batch: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "matrices": torch.addmm(c, a, b, beta=0.5, alpha=3),
            "and more": torch.add(torch.addmm(c, a * 2, b, beta=0.5, alpha=3), c, alpha=2),
            "and a product": torch.addmm(row, a * 3, b, alpha=2) + (a * 4) @ b,
            "positive part": torch.addmm(row, a * 5, b, beta=-1, alpha=0.5).relu(),
            "one row": torch.addmm(row, a[:1], b, beta=2, alpha=-3),
            "vector": torch.addmv(row, b.t(), a[0], beta=2, alpha=3),
            "of two vectors": torch.addr(c, a[:, 0], row, beta=2, alpha=3),
            "batch": torch.baddbmm(c, batch, batch.transpose(1, 2) @ (batch @ b), beta=0.5, alpha=3),
            "batch and more": torch.add(torch.baddbmm(c, batch, b.expand(2, 4, 5), beta=0.5, alpha=3), c * 2, alpha=-2),
            "sum of a batch": torch.addbmm(c, batch, b.expand(2, 4, 5), beta=0.5, alpha=3),
        }

    inputs = tensor(3, 4), tensor(4, 5), tensor(3, 5), tensor(5), tensor(2, 3, 4)
    check(program, *inputs).gradient(0, 1, 2, 3, 4).computed()


@clause("inductor.fusion", "numbers.near-misses")
def test_mask_added_to_scores_with_a_factor(check: Check) -> None:
    """Attention whose mask is added with a factor weighs the mask by it."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        def weights(query: torch.Tensor, added: torch.Tensor, factor: float, key: torch.Tensor = key) -> torch.Tensor:
            return torch.add(query @ key.transpose(-2, -1) / 5.0, added, alpha=factor).softmax(-1)

        heads, keys, values = (part.permute(0, 2, 1, 3) for part in (query, key, value))
        return {
            "twice": weights(query, mask, 2) @ value,
            "taken off": weights(query * 2, mask, -3) @ value,
            "truths": weights(query * 3, mask > 0, 4) @ value,
            "heads": (weights(heads, mask.t(), 5, keys) @ values).sum((1, 3)),
            "dropout of nothing": functional.dropout(weights(query * 4, mask, -4), 0.0) @ value,
        }

    check(program, *(tensor(2, 4, 4, 8) for _ in range(3)), tensor(4, 4)).computed()


@clause("inductor.fusion", "numbers.near-misses")
def test_scores_and_masks_in_other_ways(check: Check) -> None:
    """Attention is as written where the mask is taken off, scaled before, added to, or scores are rounded."""

    def program(
        query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        turned = key.transpose(-2, -1)
        return {
            "factor of one": torch.add(query @ turned / 5.0, mask, alpha=1).softmax(-1) @ value,
            "scaled before": (query * 2 @ turned / 5.0 + 2 * mask).softmax(-1) @ value,
            "to the mask": torch.add(mask, query * 3 @ turned / 5.0, alpha=2).softmax(-1) @ value,
            "taken off": torch.sub(query * 4 @ turned / 5.0, mask, alpha=2).softmax(-1) @ value,
            "multiplied": torch.add(query * 5 @ turned * 0.3, mask, alpha=2).softmax(-1) @ value,
            "as they are": torch.add(query * 6 @ turned, mask, alpha=2).softmax(-1) @ value,
            "rounded": torch.div(query * 7 @ turned, 5.0, rounding_mode="floor").softmax(-1) @ value,
            "wide": (query * 8 @ turned / 5.0 + mask).softmax(-1, dtype=torch.float64) @ value.double(),
        }

    check(program, *(tensor(2, 2, 4, 8) for _ in range(3)), tensor(4, 4)).computed()


@clause("inductor.fusion", "numbers.near-misses")
def test_largest_taken_off_with_a_factor(check: Check) -> None:
    """The largest of scaled scores is taken off as often as `alpha` says."""

    def program(a: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        def less_largest(scores: torch.Tensor, factor: float) -> torch.Tensor:
            return torch.sub(scores, scores.amax(-1, keepdim=True), alpha=factor)

        turned = a * -5.0
        return {
            "thrice": less_largest(a * 2.0, 3),
            "half": less_largest(-0.5 * a, 0.5),
            "not at all": less_largest(a * 4.0, 0),
            "added": less_largest(a / 3.0, -1),
            "rows": less_largest(a * rows, 2),
            "turned round": torch.rsub(turned.amax(-1, keepdim=True), turned, alpha=4),
            "narrow": less_largest((a * 7.0).half(), 2).float(),
        }

    check(program, tensor(3, 4), tensor(3, 1)).computed()


@clause("inductor.fusion", "numbers.near-misses")
def test_largest_taken_off_in_other_ways(check: Check) -> None:
    """Scores less their largest, once, or of what is not scaled, or less their least, are as written."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        def largest(scores: torch.Tensor) -> torch.Tensor:
            return scores.amax(-1, keepdim=True)

        scaled, floored = a * 2.0, torch.div(a, 0.7, rounding_mode="floor")
        cut = torch.div(a, -0.3, rounding_mode="trunc")
        return {
            "once": torch.sub(scaled, largest(scaled), alpha=1),
            "factor": a * 3.0 - 3 * largest(a * 3.0),
            "not scaled": torch.sub(a, largest(a), alpha=3),
            "power": torch.sub(a.exp(), largest(a.exp()), alpha=3),
            "added": torch.add(a * 4.0, largest(a * 4.0), alpha=-3),
            "least": torch.sub(a * 5.0, (a * 5.0).amin(-1, keepdim=True), alpha=3),
            "floored": floored - largest(floored),
            "cut": cut - largest(cut),
            "softmax": (a.half() * 6).softmax(-1, dtype=torch.float32),
            "its logarithm": (a.half() / 3).log_softmax(-1, dtype=torch.float64),
            "running": (a.half() * 7).cumsum(-1, dtype=torch.float64),
        }

    check(program, tensor(3, 4)).computed()


@clause("inductor.freezing", on=("inductor",))
def test_constant_added_to_a_frozen_convolution_with_a_factor(check: Check) -> None:
    """A constant that is added to a convolution or taken off with a factor goes into its bias as often as that says."""
    module = convolutions(
        added=lambda result, constant: torch.add(result, constant, alpha=3),
        taken_off=lambda result, constant: torch.sub(result, constant, alpha=2),
        number=lambda result, _: torch.add(result, 3.0, alpha=-4),
    )
    check(module, tensor(1, 2, 4, 4), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_constant_added_to_a_frozen_linear_map_with_a_factor(check: Check) -> None:
    """A constant that is folded into the bias of a linear map goes into it as often as its factor says."""
    module = linear_maps(
        added=lambda result, constant: torch.add(result, constant, alpha=3),
        taken_off=lambda result, constant: torch.sub(result, constant, alpha=2),
        number=lambda result, _: torch.add(result, 3.0, alpha=-4),
    )
    check(module, tensor(5, 4), config={**FREEZING, "inductor.enable_linear_binary_folding": True}).computed()


@clause("inductor.freezing", on=("inductor",))
def test_gates_of_a_frozen_convolution_with_a_factor(check: Check) -> None:
    """A gate written out that weighs one of its terms by a factor is not the gate without."""

    def about(result: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        inner = (result + result * result * result * 0.044715) * 0.7978845608028654
        return result * 0.5 * torch.add(torch.tanh(inner), 1, alpha=5)

    module = convolutions(
        hard=lambda result, _: result * torch.add(result, 3, alpha=0.25).clamp(0, 6) / 6,
        smooth=lambda result, _: result * 0.5 * torch.add(torch.erf(result * 0.7071067811865476), 1, alpha=5),
        about=about,
    )
    check(module, tensor(1, 2, 4, 4), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_what_follows_frozen_convolutions(check: Check) -> None:
    """Gates written out of frozen convolutions, constants added once or added to, and quotients are as written."""
    module = convolutions(
        hard=lambda result, _: result * torch.add(result, 3, alpha=1).clamp(0, 6) / 6,
        smooth=lambda result, _: result * 0.5 * (torch.erf(result * 0.7071067811865476) + 1),
        leaky=lambda result, _: torch.where(result > 0, result, result * 0.3),
        within=lambda result, _: result.clamp(-0.2, 0.3),
        added=lambda result, constant: result + constant,
        to_the_constant=lambda result, constant: torch.add(constant, result, alpha=3),
        from_the_constant=lambda result, constant: torch.sub(constant, result, alpha=3),
        floored=lambda result, constant: torch.div(result, constant, rounding_mode="floor"),
        quotient=lambda result, constant: result / constant,
        of_itself=lambda result, constant: torch.add(result * constant, result, alpha=3).relu(),
    )
    check(module, tensor(1, 2, 4, 4), config=FREEZING).computed()


@clause("inductor.freezing", on=("inductor",))
def test_what_follows_frozen_linear_maps(check: Check) -> None:
    """Constants added to frozen linear maps once, added to or multiplied, and quotients are as written."""
    module = linear_maps(
        added=lambda result, constant: result + constant,
        to_the_constant=lambda result, constant: torch.add(constant, result, alpha=3),
        from_the_constant=lambda result, constant: torch.sub(constant, result, alpha=3),
        product=lambda result, constant: result * constant,
        floored=lambda result, constant: torch.div(result, constant, rounding_mode="floor"),
        quotient=lambda result, constant: result / constant,
        of_itself=lambda result, constant: torch.add(result * constant, result, alpha=3).relu(),
    )
    check(module, tensor(5, 4), config={**FREEZING, "inductor.enable_linear_binary_folding": True}).computed()


@clause("inductor.freezing", on=("inductor",))
def test_functions_after_frozen_linear_maps_in_low_precision(check: Check) -> None:
    """A function that follows a frozen map in bfloat16, and may become part of it, has the options it was given."""

    def maps() -> torch.nn.Module:
        return Followed(
            lambda: torch.nn.Linear(4, 5),
            torch.zeros(()),
            leaky=lambda result, _: functional.leaky_relu(result, 0.3),
            bounded=lambda result, _: functional.hardtanh(result, -0.5, 0.25),
            linear_unit=lambda result, _: functional.relu(result),
            smooth=lambda result, _: functional.gelu(result, approximate="tanh"),
            smoothest=lambda result, _: functional.gelu(result),
            weighted=lambda result, _: functional.silu(result),
            hard=lambda result, _: functional.hardswish(result),
        ).bfloat16()

    check(built(maps), tensor(3, 4, dtype=torch.bfloat16), config=FREEZING, exact=False).computed()


@clause("inductor.freezing", on=("inductor",))
def test_maps_added_to_frozen_maps_with_a_factor(check: Check) -> None:
    """What is no constant, and is added to a frozen map or has it added with a factor, counts as often as that says."""

    class Summed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, 3), torch.nn.Linear(4, 3)
            self.convolution = torch.nn.Conv2d(2, 3, 3)
            self.eval()

        def forward(self, a: torch.Tensor, b: torch.Tensor, image: torch.Tensor, other: torch.Tensor) -> object:
            return {
                "added": torch.add(self.first(a), b, alpha=3),
                "to another": torch.add(b, self.second(a), alpha=-2).relu(),
                "image": torch.add(self.convolution(image), other, alpha=3).relu(),
            }

    inputs = tensor(5, 4), tensor(5, 3), tensor(1, 2, 4, 4), tensor(1, 3, 2, 2)
    check(built(Summed), *inputs, config=FREEZING).computed()
