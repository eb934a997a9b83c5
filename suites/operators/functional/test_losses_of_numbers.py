"""Losses against numbers: where a loss changes its form, what it divides by, and distances with a margin."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: Differences from nought that are at, above and below 0, 0.5, 1 and 2, of either sign.
EDGES = (0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 0.25, -3.0)


@clause("numbers.options", modes="train")
def test_smooth_absolute_loss(check: Check) -> None:
    """Squared below `beta` and linear from there on; with a `beta` of nought it is linear throughout."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        nought = torch.zeros_like(a)
        return {
            "each": functional.smooth_l1_loss(a, nought, reduction="none"),
            "half": functional.smooth_l1_loss(a, nought, reduction="none", beta=0.5),
            "two": functional.smooth_l1_loss(a, nought, reduction="sum", beta=2.0),
            "linear": functional.smooth_l1_loss(a, nought, reduction="none", beta=0.0),
            "mean": functional.smooth_l1_loss(a, b, beta=0.3),
        }

    check(program, tensor(9, values=EDGES), tensor(9)).values().expect("""\
out['each'] = float32[9] [0, 0.125, 0.125, 0.5, 0.5, 1.5, 1.5, 0.03125, 2.5]
out['half'] = float32[9] [0, 0.25, 0.25, 0.75, 0.75, 1.75, 1.75, 0.0625, 2.75]
out['two'] = float32[] 4.641
out['linear'] = float32[9] [0, 0.5, 0.5, 1, 1, 2, 2, 0.25, 3]
out['mean'] = float32[] 1.064
""")


@clause("numbers.options", modes="train")
def test_huber_loss(check: Check) -> None:
    """Squared up to `delta` and a line of that slope beyond."""

    def program(a: torch.Tensor, b: torch.Tensor, low: torch.Tensor) -> dict[str, torch.Tensor]:
        nought = torch.zeros_like(a)
        return {
            "each": functional.huber_loss(a, nought, reduction="none"),
            "half": functional.huber_loss(a, nought, reduction="none", delta=0.5),
            "two": functional.huber_loss(a, nought, reduction="sum", delta=2.0),
            "mean": functional.huber_loss(a, b, delta=0.3),
            "low": functional.huber_loss(low, nought.to(low.dtype), reduction="none", delta=0.7),
        }

    low = tensor(9, dtype=torch.bfloat16, values=EDGES)
    check(program, tensor(9, values=EDGES), tensor(9), low).values().expect("""\
out['each'] = float32[9] [0, 0.125, 0.125, 0.5, 0.5, 1.5, 1.5, 0.03125, 2.5]
out['half'] = float32[9] [0, 0.125, 0.125, 0.375, 0.375, 0.875, 0.875, 0.03125, 1.375]
out['two'] = float32[] 9.281
out['mean'] = float32[] 0.3191
out['low'] = bfloat16[9] [0, 0.125, 0.125, 0.4531, 0.4531, 1.156, 1.156, 0.03125, 1.859]
""")


@clause("numbers.options", modes="train")
def test_squared_and_absolute_loss(check: Check) -> None:
    """Each reduction of the plain losses, with no slope at nought, and weights of the elements."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        nought = torch.zeros_like(a)
        return {
            "square": functional.mse_loss(a, b),
            "sum of squares": functional.mse_loss(a, b, reduction="sum"),
            "squares": functional.mse_loss(a, b, reduction="none"),
            "weighted squares": functional.mse_loss(a, b, weight=weight),  # type: ignore[call-arg]
            "weighted sum of squares": functional.mse_loss(a, b, reduction="sum", weight=weight),  # type: ignore[call-arg]
            "absolute": functional.l1_loss(a, b),
            "sum of absolutes": functional.l1_loss(a, nought, reduction="sum"),
            "absolutes": functional.l1_loss(a, nought, reduction="none"),
        }

    check(program, tensor(9, values=EDGES), tensor(9), tensor(9, grad=False)).values().expect("""\
out['square'] = float32[] 2.373
out['sum of squares'] = float32[] 21.36
out['squares'] = float32[9] [0.4712, 9.797, 0.06812, 5.674, 0.2959, 0.9699, 0.1709, 0.4235, 3.489]
out['weighted squares'] = float32[] 1.854
out['weighted sum of squares'] = float32[] -16.47
out['absolute'] = float32[] 1.213
out['sum of absolutes'] = float32[] 10.25
out['absolutes'] = float32[9] [0, 0.5, 0.5, 1, 1, 2, 2, 0.25, 3]
""")


@clause("numbers.options", modes="train")
def test_weighted_absolute_loss(check: Check) -> None:
    """The weights of an absolute loss count in every reduction, and the mean is divided by their sum."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "mean": functional.l1_loss(a, b, weight=weight),  # type: ignore[call-arg]
            "sum": functional.l1_loss(a, b, weight=weight, reduction="sum"),  # type: ignore[call-arg]
            "each": functional.l1_loss(a, b, weight=weight, reduction="none"),  # type: ignore[call-arg]
        }

    check(program, tensor(9, values=EDGES), tensor(9), tensor(9, grad=False)).values().expect("""\
out['mean'] = float32[] 1.146
out['sum'] = float32[] -10.18
out['each'] = float32[9] [-1.526, 0.5225, -0.03694, -5.51, -0.3189, -0.4741, -0.1717, -1.459, -1.209]
""")


@clause("numbers.options", modes="train")
def test_poisson_likelihood(check: Check) -> None:
    """Given the rate or its logarithm, with the term of the factorial or without, and nothing below `eps`."""
    target = tensor(6, grad=False, values=[0.0, 1.0, 2.0, 3.0, 7.0, 0.5])
    rate = tensor(6, values=[0.0, 1e-9, 0.5, 2.0, 5.0, 1.0])

    def program(a: torch.Tensor, rate: torch.Tensor, target: torch.Tensor) -> dict[str, torch.Tensor]:
        loss = functional.poisson_nll_loss
        return {
            "mean": loss(a, target),
            "full": loss(a, target, full=True, reduction="none"),
            "sum": loss(a, target, full=True, reduction="sum"),
            "rate": loss(rate, target, log_input=False, reduction="none", eps=1e-3),
            "full rate": loss(rate, target, log_input=False, full=True, eps=0.5),
        }

    check(program, tensor(6), rate, target).values().expect("""\
out['mean'] = float32[] 2.738
out['full'] = float32[6] [1.987, 2.702, 1.917, 6.161, 12.34, 2.252]
out['sum'] = float32[] 27.36
out['rate'] = float32[6] [0, 6.908, 1.882, -0.08094, -6.267, 0.9995]
out['full rate'] = float32[] 0.8729
""")


@clause("numbers.options", modes="train", fullgraph=False)
def test_gaussian_likelihood(check: Check) -> None:
    """A variance below `eps` counts as `eps` and one a row holds for the row; the constant is added if asked."""
    variance = tensor(3, 4, values=[[0.0, 1e-9, 0.25, 1.0], [0.5, 2.0, 4.0, 1e-3], [1.0, 1.0, 3.0, 0.1]])

    def program(a: torch.Tensor, b: torch.Tensor, variance: torch.Tensor) -> dict[str, torch.Tensor]:
        loss = functional.gaussian_nll_loss
        return {
            "each": loss(a, b, variance, eps=0.25, reduction="none"),
            "full": loss(a, b, variance, full=True, eps=0.01),
            "sum": loss(a, b, variance[:, 1:2], full=True, eps=1e-2, reduction="sum"),
            "of a row": loss(a, b, variance[:, 2], eps=1e-2, reduction="none"),
        }

    check(program, tensor(3, 4), tensor(3, 4), variance).values().expect("""\
out['each'] = float32[3, 4] [[17.3, 7.661, -0.5757, 0.4672], [2.842, 1.038, 1.498, 0.3706], [0.06536, 0.06626,
    0.5968, -0.5176]]
out['full'] = float32[] 57.9
out['sum'] = float32[] 715.2
out['of a row'] = float32[3, 4] [[17.3, 7.661, -0.5757, 1.176], [1.092, 1.039, 1.498, 0.7596], [0.5711, 0.5714,
    0.5968, 0.5639]]
""")


@clause("numbers.options", modes="train")
def test_losses_with_a_sign(check: Check) -> None:
    """Soft, ranking and hinge losses take the sign from the target, at their margin and far beyond."""
    given = tensor(6, values=[0.0, 0.5, -0.5, 1.0, 30.0, -30.0])
    sign = tensor(6, grad=False, values=[1.0, -1.0, 1.0, -1.0, -1.0, 1.0])

    def program(a: torch.Tensor, b: torch.Tensor, sign: torch.Tensor) -> dict[str, torch.Tensor]:
        nought = torch.zeros_like(a)
        return {
            "soft": functional.soft_margin_loss(a, sign),
            "sum of soft": functional.soft_margin_loss(a, sign, reduction="sum"),
            "each soft": functional.soft_margin_loss(b, sign, reduction="none"),
            "ranking": functional.margin_ranking_loss(a, b, sign, margin=0.3),
            "each ranking": functional.margin_ranking_loss(a, nought, sign, margin=0.5, reduction="none"),
            "sum of ranking": functional.margin_ranking_loss(a, b, sign, reduction="sum"),
            "hinge": functional.hinge_embedding_loss(a, sign),
            "each hinge": functional.hinge_embedding_loss(a, sign, margin=0.5, reduction="none"),
            "sum of hinges": functional.hinge_embedding_loss(b, sign, margin=2.0, reduction="sum"),
        }

    check(program, given, tensor(6), sign).values().expect("""\
out['soft'] = float32[] 10.66
out['sum of soft'] = float32[] 63.95
out['each soft'] = float32[6] [0.4077, 0.06959, 0.8198, 0.224, 0.4909, 0.3092]
out['ranking'] = float32[] 11.62
out['each ranking'] = float32[6] [0.5, 1, 1, 1.5, 30.5, 30.5]
out['sum of ranking'] = float32[] 67.93
out['hinge'] = float32[] -5
out['each hinge'] = float32[6] [0, 0, -0.5, 0, 0, -30]
out['sum of hinges'] = float32[] 11.93
""")


@clause("numbers.options", modes="train")
def test_losses_of_angles(check: Check) -> None:
    """A pair that should differ costs nothing below its margin; vectors of nought are at a right angle."""
    first = tensor(4, 3, values=[[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [1.0, -1.0, 0.5]])
    sign = tensor(4, grad=False, values=[1.0, -1.0, -1.0, -1.0])

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, sign: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "loss": functional.cosine_embedding_loss(c, b, sign, margin=0.2),
            "sum": functional.cosine_embedding_loss(c, b, sign, margin=-0.5, reduction="sum"),
            "each": functional.cosine_embedding_loss(c, b, sign, reduction="none"),
            "similarity": functional.cosine_similarity(a.detach(), b, dim=1),
            "along columns": functional.cosine_similarity(c, b, dim=0, eps=3.0),
            "with a row": functional.cosine_similarity(c, b[:1], dim=-1, eps=0.5),
        }

    check(program, first, tensor(4, 3), tensor(4, 3), sign).values().expect("""\
out['loss'] = float32[] 0.4416
out['sum'] = float32[] 3.484
out['each'] = float32[4] [0.9896, 0.2233, 0, 0.9535]
out['similarity'] = float32[4] [0.2516, 0, -0.396, -0.7344]
out['along columns'] = float32[3] [0.1629, 0.2953, 0.03424]
out['with a row'] = float32[4] [0.01041, 0.8915, 0.1145, -0.06699]
""")


@clause("numbers.options", modes="train")
def test_triplets(check: Check) -> None:
    """The distance has a power and an `eps`, and the negative may be the nearer one to the positive."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        loss = functional.triplet_margin_loss
        return {
            "loss": loss(a, b, c),
            "swapped": loss(a, b, c, swap=True, margin=2.0),
            "of power one": loss(a, b, c, p=1, margin=0.5, reduction="sum"),
            "of power three": loss(a, b, c, p=3, eps=0.1, swap=True, reduction="none"),
            "of the largest": loss(a, b, c, p=float("inf"), margin=1.0, reduction="none"),
            "own distance": functional.triplet_margin_with_distance_loss(
                a, b, c, distance_function=lambda x, y: (x - y).abs().amax(1), margin=0.7, swap=True, reduction="none"
            ),
        }

    check(program, tensor(4, 3), tensor(4, 3), tensor(4, 3)).values().expect("""\
out['loss'] = float32[] 1.252
out['swapped'] = float32[] 2.773
out['of power one'] = float32[] 4.277
out['of power three'] = float32[4] [2.557, 1.948, 2.097, 0.6146]
out['of the largest'] = float32[4] [0.9154, 1.318, 2.098, 0.1236]
out['own distance'] = float32[4] [2.085, 1.04, 1.798, 0.3575]
""")


@clause("numbers.options")
def test_losses_between_dtypes(check: Check) -> None:
    """A loss between bfloat16 and float32 is of the dtype that eager's kernel gives it, in either order."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "huber": functional.huber_loss(a, b),
            "soft margin": functional.soft_margin_loss(a, b.sign()),
            "smooth": functional.smooth_l1_loss(a, b),
            "squares": functional.mse_loss(a, b, reduction="sum"),
        }

    check(
        program,
        tensor(2, 4, dtype=torch.bfloat16, values=[[0.5, 1.0, -2.0, 0.0]] * 2),
        tensor(2, 4, values=[[0.25, 2.0, -2.0, 1.0]] * 2),
    ).values().expect("""\
out['huber'] = bfloat16[] 0.2578
out['soft margin'] = bfloat16[] 0.4004
out['smooth'] = float32[] 0.2578
out['squares'] = float32[] 4.125
""")


@clause("numbers.options", modes="train")
def test_slope_of_a_soft_margin_without_end(check: Check) -> None:
    """Where the exponential of a soft margin is beyond its dtype the loss is infinite, and its slope is no number."""

    def program(a: torch.Tensor, sign: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "each": functional.soft_margin_loss(a, sign, reduction="none"),
            "sum": functional.soft_margin_loss(a[2:], sign[2:], reduction="sum"),
        }

    sign = tensor(4, grad=False, values=[1.0, -1.0, 1.0, -1.0])
    check(program, tensor(4, values=[-1000.0, 1000.0, -2.0, 0.5]), sign).gradient(0).values().expect("""\
out['each'] = float32[4] [inf, inf, 2.127, 0.9741]
out['sum'] = float32[] 3.101
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_slope_of_a_smooth_loss_of_no_number(check: Check) -> None:
    """Where a difference is no number its smooth absolute loss has no slope: its gradient is NaN, not nought."""
    none, infinite = float("nan"), float("inf")

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "each": functional.smooth_l1_loss(a, b, reduction="none"),
            "half": functional.smooth_l1_loss(a, b, reduction="sum", beta=0.5),
        }

    parts = tensor(5, values=[none, infinite, 1.0, -3.0, 2.0]), tensor(5, values=[0.0, infinite, 0.5, 0.0, none])
    check(program, *parts).gradient(0, 1).values().expect("""\
out['each'] = float32[5] [nan, nan, 0.125, 2.5, nan]
out['half'] = float32[] nan
""")


@clause("numbers.options", "numbers.special-values", modes="train")
def test_slopes_of_other_losses_of_no_number(check: Check) -> None:
    """Where a difference is no number the gradient of its square, and of Huber's loss, is NaN; infinities have one."""
    none, infinite = float("nan"), float("inf")

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "huber": functional.huber_loss(a, b, reduction="none"),
            "square": functional.mse_loss(a, b, reduction="none"),
            "infinite": functional.smooth_l1_loss(a[1:4], b[:3], reduction="none"),
        }

    parts = tensor(5, values=[none, infinite, 1.0, -infinite, 2.0]), tensor(5, values=[0.0, 1.0, 0.5, 0.0, none])
    check(program, *parts).gradient(0, 1).values().expect("""\
out['huber'] = float32[5] [nan, inf, 0.125, inf, nan]
out['square'] = float32[5] [nan, inf, 0.25, inf, nan]
out['infinite'] = float32[3] [inf, 0, inf]
""")


@clause("numbers.options", modes="train")
def test_mean_losses_of_nothing(check: Check) -> None:
    """The mean loss of no elements is NaN, and its gradient has no elements."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "squares": functional.mse_loss(a, b),
            "smooth": functional.smooth_l1_loss(a, b),
            "huber": functional.huber_loss(a, b),
        }

    check(program, tensor(0, 3), tensor(0, 3)).gradient(0, 1).values().expect("""\
out['squares'] = float32[] nan
out['smooth'] = float32[] nan
out['huber'] = float32[] nan
""")


@clause("numbers.options")
def test_mean_losses_of_nothing_without_a_gradient(check: Check) -> None:
    """The mean of every loss of no elements is NaN, outside of training too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "square": functional.mse_loss(a, b),
            "absolute": functional.l1_loss(a, b),
            "smooth": functional.smooth_l1_loss(a, b),
            "smooth by a number": functional.smooth_l1_loss(a, b, beta=0.5),
            "huber": functional.huber_loss(a, b),
            "soft margin": functional.soft_margin_loss(a, b),
            "hinge": functional.hinge_embedding_loss(a, b),
            "ranking": functional.margin_ranking_loss(a, a, b),
            "poisson": functional.poisson_nll_loss(a, b),
            "cross entropy": functional.binary_cross_entropy(a, b),
            "of logits": functional.binary_cross_entropy_with_logits(a, b),
            "divergence": functional.kl_div(a, b),
            "several labels": functional.multilabel_soft_margin_loss(a, b),
        }

    check(program, tensor(0, 3), tensor(0, 3)).values().expect("""\
out['square'] = float32[] nan
out['absolute'] = float32[] nan
out['smooth'] = float32[] nan
out['smooth by a number'] = float32[] nan
out['huber'] = float32[] nan
out['soft margin'] = float32[] nan
out['hinge'] = float32[] nan
out['ranking'] = float32[] nan
out['poisson'] = float32[] nan
out['cross entropy'] = float32[] nan
out['of logits'] = float32[] nan
out['divergence'] = float32[] nan
out['several labels'] = float32[] nan
""")


@clause("numbers.options", modes="train")
def test_sums_of_losses_of_nothing(check: Check) -> None:
    """The sum of no losses is nought, and the loss of each of no elements has none."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "squares": functional.mse_loss(a, b, reduction="sum"),
            "smooth": functional.smooth_l1_loss(a, b, reduction="sum"),
            "each": functional.huber_loss(a, b, reduction="none"),
        }

    check(program, tensor(0, 3), tensor(0, 3)).gradient(0, 1).values().expect("""\
out['squares'] = float32[] 0
out['smooth'] = float32[] 0
out['each'] = float32[0, 3] []
""")


@clause("numbers.options", modes="train")
def test_means_over_rows_and_columns(check: Check) -> None:
    """The mean of a loss of rows and columns, and its slope, are divided by the number of all of its elements."""

    def program(a: torch.Tensor, b: torch.Tensor, sign: torch.Tensor) -> dict[str, torch.Tensor]:
        chance, other = a.sigmoid(), b.sigmoid()
        return {
            "square": functional.mse_loss(a, b),
            "absolute": functional.l1_loss(a, b),
            "smooth": functional.smooth_l1_loss(a, b, beta=0.5),
            "huber": functional.huber_loss(a, b, delta=0.5),
            "soft margin": functional.soft_margin_loss(a, sign),
            "hinge": functional.hinge_embedding_loss(a, sign),
            "ranking": functional.margin_ranking_loss(a, b, sign, margin=0.5),
            "poisson": functional.poisson_nll_loss(a, other),
            "cross entropy": functional.binary_cross_entropy(chance, other),
            "of logits": functional.binary_cross_entropy_with_logits(a, other),
            "divergence": functional.kl_div(a, other),
        }

    signs = tensor(2, 3, grad=False, values=[1.0, -1.0, -1.0, 1.0, 1.0, -1.0])
    check(program, tensor(2, 3), tensor(2, 3), signs).values().expect("""\
out['square'] = float32[] 3.477
out['absolute'] = float32[] 1.553
out['smooth'] = float32[] 1.303
out['huber'] = float32[] 0.6514
out['soft margin'] = float32[] 0.8226
out['hinge'] = float32[] 0.6196
out['ranking'] = float32[] 0.6955
out['poisson'] = float32[] 1.369
out['cross entropy'] = float32[] 0.9177
out['of logits'] = float32[] 0.9177
out['divergence'] = float32[] -0.01348
""")


@clause("numbers.options")
def test_losses_near_nought(check: Check) -> None:
    """A loss that is a millionth or less is not lost beside one: what it comes to is seen a million times."""

    def program(a: torch.Tensor, sign: torch.Tensor) -> dict[str, torch.Tensor]:
        turned, right = a * sign, torch.ones_like(a)
        found = {
            "soft margin": functional.soft_margin_loss(a, sign, reduction="none"),
            "sum of soft margins": functional.soft_margin_loss(a, sign, reduction="sum"),
            "with logits": functional.binary_cross_entropy_with_logits(turned, right, reduction="none"),
            "with weights": functional.binary_cross_entropy_with_logits(turned, right, pos_weight=right * 2),
            "of several labels": functional.multilabel_soft_margin_loss(turned[None], right[None]),
            "sigmoid": -functional.logsigmoid(turned),
            "ramp": functional.softplus(-turned),
        }
        return {name: each * 2.0**20 for name, each in found.items()}

    sign = tensor(4, grad=False, values=[1.0, -1.0, 1.0, -1.0])
    check(program, tensor(4, values=[16.0, -15.0, 13.5, -14.5]), sign).values().expect("""\
out['soft margin'] = float32[4] [0.118, 0.3208, 1.438, 0.5288]
out['sum of soft margins'] = float32[] 2.405
out['with logits'] = float32[4] [0.118, 0.3208, 1.438, 0.5288]
out['with weights'] = float32[] 1.203
out['of several labels'] = float32[] 0.6013
out['sigmoid'] = float32[4] [0.118, 0.3208, 1.438, 0.5288]
out['ramp'] = float32[4] [0.118, 0.3208, 1.438, 0.5288]
""")
