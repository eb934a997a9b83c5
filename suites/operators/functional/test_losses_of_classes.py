"""Losses against classes and probabilities: weights, ignored targets, smoothing, saturation, every reduction."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes="train")
def test_negative_log_likelihood(check: Check) -> None:
    """Weights and an ignored class count in the sum and in what the mean divides by; a mean over nothing is NaN."""
    target = tensor(6, dtype=torch.int64, values=[1, 0, 4, 2, 2, 3])
    ignored = tensor(3, dtype=torch.int64, values=[2, 2, 2])

    def program(
        a: torch.Tensor, target: torch.Tensor, weight: torch.Tensor, b: torch.Tensor, ignored: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "mean": functional.nll_loss(a, target),
            "weighted mean": functional.nll_loss(a, target, weight),
            "mean of the others": functional.nll_loss(a, target, ignore_index=2),
            "weighted mean of the others": functional.nll_loss(a, target, weight, ignore_index=2),
            "sum": functional.nll_loss(a, target, weight, reduction="sum", ignore_index=4),
            "each": functional.nll_loss(a, target, weight, reduction="none", ignore_index=2),
            "sum of nothing": functional.nll_loss(b, ignored, ignore_index=2, reduction="sum"),
            "mean of nothing": functional.nll_loss(b, ignored, weight, ignore_index=2),
            "one": functional.nll_loss(a[0], target[0], weight),
        }

    check(program, tensor(6, 5), target, tensor(5, grad=False), tensor(3, 5), ignored).values().expect("""\
out['mean'] = float32[] -0.2173
out['weighted mean'] = float32[] 0.5562
out['mean of the others'] = float32[] 0.2792
out['weighted mean of the others'] = float32[] -0.01405
out['sum'] = float32[] 0.9653
out['each'] = float32[6] [0.5522, -0.8071, -0.2397, 0, 0, 0.4676]
out['sum of nothing'] = float32[] 0
out['mean of nothing'] = float32[] nan
out['one'] = float32[] 1.17
""")


@clause("numbers.options", modes="train")
def test_negative_log_likelihood_of_images(check: Check) -> None:
    """Over images each pixel is a target, and one with the ignored class counts nowhere."""
    target = tensor(2, 2, 3, dtype=torch.int64, values=[[[0, 1, 2], [3, -100, 1]], [[1, 1, 0], [2, 3, -100]]])

    def program(a: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "mean": functional.nll_loss(a, target),
            "weighted mean": functional.nll_loss(a, target, weight),
            "sum": functional.nll_loss(a, target, weight, reduction="sum"),
            "each": functional.nll_loss(a, target.abs() % 4, weight, ignore_index=1, reduction="none"),
            "of rows": functional.nll_loss(a[:, :, 0], target[:, 0], weight),
            "of no images": functional.nll_loss(a[:0], target[:0], reduction="sum"),
            "each of no images": functional.nll_loss(a[:0], target[:0], reduction="none"),
        }

    check(program, tensor(2, 4, 2, 3), target, tensor(4, grad=False)).values().expect("""\
out['mean'] = float32[] 0.0369
out['weighted mean'] = float32[] 0.07571
out['sum'] = float32[] -0.1795
out['each'] = float32[2, 2, 3] [[[-0.2738, 0, 1.566], [0.01987, -0.2726, 0]], [[0, 0, -0.4952], [-0.8093, -0.004323,
    0.05945]]]
out['of rows'] = float32[] -0.6997
out['of no images'] = float32[] 0
out['each of no images'] = float32[0, 2, 3] []
""")


@clause("numbers.options", modes="train")
def test_cross_entropy_with_smoothed_labels(check: Check) -> None:
    """Smoothing spreads a part of each target over all classes by their weights, ignored targets left out."""
    target = tensor(6, dtype=torch.int64, values=[1, 0, 4, 2, 2, 3])

    def program(a: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "smoothed": functional.cross_entropy(a, target, label_smoothing=0.3),
            "weighted": functional.cross_entropy(a, target, weight, label_smoothing=0.3),
            "others": functional.cross_entropy(a, target, label_smoothing=0.2, ignore_index=2),
            "weighted others": functional.cross_entropy(a, target, weight, label_smoothing=0.2, ignore_index=2),
            "sum": functional.cross_entropy(a, target, weight, label_smoothing=0.2, ignore_index=0, reduction="sum"),
            "each": functional.cross_entropy(a, target, weight, label_smoothing=1.0, ignore_index=3, reduction="none"),
            "one": functional.cross_entropy(a[0], target[0], weight, label_smoothing=0.1),
        }

    check(program, tensor(6, 5), target, tensor(5, grad=False)).values().expect("""\
out['smoothed'] = float32[] 1.872
out['weighted'] = float32[] 3.213
out['others'] = float32[] 2.298
out['weighted others'] = float32[] 2.217
out['sum'] = float32[] 2.89
out['each'] = float32[6] [1.027, 0.7679, 0.6239, 0.4584, 0.7185, 0]
out['one'] = float32[] 2.973
""")


@clause("numbers.options", modes="train")
def test_cross_entropy_with_probabilities(check: Check) -> None:
    """Targets that are probabilities of the classes are weighted and smoothed too, and the mean is over the batch."""

    def program(a: torch.Tensor, b: torch.Tensor, weight: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        target = b.softmax(1)
        return {
            "mean": functional.cross_entropy(a, target),
            "weighted": functional.cross_entropy(a, target, weight),
            "smoothed": functional.cross_entropy(a, target, weight, label_smoothing=0.4),
            "sum": functional.cross_entropy(a, target, weight, reduction="sum", label_smoothing=0.1),
            "each": functional.cross_entropy(a, target, weight, reduction="none"),
            "image": functional.cross_entropy(image, image.detach().softmax(1), weight[:3], label_smoothing=0.1),
        }

    check(program, tensor(4, 5), tensor(4, 5), tensor(5, grad=False), tensor(2, 3, 2, 2)).values().expect("""\
out['mean'] = float32[] 1.935
out['weighted'] = float32[] 0.762
out['smoothed'] = float32[] 0.7073
out['sum'] = float32[] 2.993
out['each'] = float32[4] [0.1721, 0.7783, 0.7184, 1.379]
out['image'] = float32[] -0.05061
""")


@clause("numbers.options", modes="train")
def test_binary_cross_entropy(check: Check) -> None:
    """A logarithm of nought counts as -100, in the value and in the gradient, weighted and reduced as told."""
    given = tensor(6, values=[0.0, 1.0, 0.25, 0.5, 1.0, 0.0])
    target = tensor(6, values=[1.0, 0.0, 0.25, 1.0, 1.0, 0.0])

    def program(
        a: torch.Tensor, edges: torch.Tensor, target: torch.Tensor, weight: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "mean": functional.binary_cross_entropy(a.sigmoid(), target),
            "weighted": functional.binary_cross_entropy(a.sigmoid(), target, weight),
            "sum": functional.binary_cross_entropy(a.sigmoid(), target, weight, reduction="sum"),
            "each at the edges": functional.binary_cross_entropy(edges, target, weight, reduction="none"),
        }

    check(program, tensor(6), given, target, tensor(6, grad=False)).values().expect("""\
out['mean'] = float32[] 0.8325
out['weighted'] = float32[] -0.8179
out['sum'] = float32[] -4.908
out['each at the edges'] = float32[6] [-158.7, 90.08, -0.6366, -1.54, -0, -0]
""")


@clause("numbers.options", modes="train")
def test_binary_cross_entropy_of_logits(check: Check) -> None:
    """Weights of the positives and of the elements, and logits so large that only their sign is left."""
    given = tensor(2, 3, values=[[100.0, -100.0, 0.0], [-40.0, 40.0, 90.0]])
    target = tensor(2, 3, grad=False, values=[[1.0, 0.0, 0.5], [1.0, 0.0, 1.0]])

    def program(
        a: torch.Tensor, saturated: torch.Tensor, target: torch.Tensor, weight: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        loss = functional.binary_cross_entropy_with_logits
        return {
            "mean": loss(a, target),
            "weighted": loss(a, target, weight),
            "positives": loss(a, target, pos_weight=weight.abs() * 3),
            "both": loss(a, target, weight, pos_weight=weight.abs() + 2, reduction="sum"),
            "each": loss(saturated, target, weight, pos_weight=weight.abs() + 2, reduction="none"),
            "each alone": loss(saturated, target, reduction="none"),
        }

    check(program, tensor(2, 3), given, target, tensor(3, grad=False)).values().expect("""\
out['mean'] = float32[] 0.5973
out['weighted'] = float32[] -0.6388
out['positives'] = float32[] 2.146
out['both'] = float32[] -13.83
out['each'] = float32[2, 3] [[-2.228e-43, 0, -1.621], [-227.6, 36.03, -2.905e-39]]
out['each alone'] = float32[2, 3] [[3.924e-44, 0, 0.6931], [40, 40, 8.194e-40]]
""")


#: Binary fractions, so that no order of adding them up rounds.
SCORES = ([0.5, 1.0, 0.0, 2.0], [1.0, 1.25, 1.5, 0.5], [0.0, -1.0, 3.0, 2.5], [0.25, -0.5, 0.5, 0.75])


@clause("numbers.options", modes="train")
def test_margins_between_classes(check: Check) -> None:
    """A multi-class hinge has a power, a margin and weights; it counts no margin of the target itself."""
    target = tensor(4, dtype=torch.int64, values=[1, 3, 2, 0])
    weight = tensor(4, grad=False, values=[0.5, 2.0, 1.0, 4.0])

    def program(a: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        loss = functional.multi_margin_loss
        return {
            "linear": loss(a, target, margin=0.875),
            "squared": loss(a, target, p=2),
            "margin": loss(a, target, margin=0.625),
            "weighted": loss(a, target, weight=weight, margin=2.125),
            "weighted squares": loss(a, target, p=2, weight=weight, reduction="sum"),
            "each": loss(a, target, margin=1.625, weight=weight, reduction="none"),
            "one": loss(a[1], target[1], p=2, margin=0.125),
        }

    check(program, tensor(4, 4, values=SCORES), target, weight).values().expect("""\
out['linear'] = float32[] 0.6328
out['squared'] = float32[] 1.105
out['margin'] = float32[] 0.5
out['weighted'] = float32[] 3.191
out['weighted squares'] = float32[] 11.98
out['each'] = float32[4] [2.188, 7.125, 0.2812, 0.6094]
out['one'] = float32[] 0.6055
""")


@clause("numbers.options", modes="train")
def test_margin_that_is_just_kept(check: Check) -> None:
    """A class whose score is exactly the margin below the target's has no gradient, in the linear hinge either."""
    target = tensor(4, dtype=torch.int64, values=[3, 2, 2, 3])

    def program(a: torch.Tensor, target: torch.Tensor, several: torch.Tensor) -> tuple[torch.Tensor, ...]:
        one = functional.multi_margin_loss(a, target, margin=0.5, reduction="none")
        return one, functional.multilabel_margin_loss(a, several, reduction="none")

    several = tensor(4, 4, dtype=torch.int64, values=[[1, 1, 1, 1], [2, 2, 2, 2], [0, 0, 0, 0], [2, 2, 2, 2]])
    check(program, tensor(4, 4, values=SCORES), target, several).gradient(0).values().expect("""\
out[0] = float32[4] [0, 0.0625, 0, 0.0625]
out[1] = float32[4] [2.5, 1.25, 7.5, 2]
""")


@clause("numbers.options", modes="train")
def test_margins_of_several_labels(check: Check) -> None:
    """Each label keeps its margin to every class that is none; the soft margin of several labels takes weights."""
    labels = tensor(4, 4, dtype=torch.int64, values=[[3, 0, 1, 2], [0, 2, 1, 3], [1, 1, 1, 0], [0, 0, 0, 0]])
    sure = [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.5, 0.0, 1.0, 0.25]]

    def program(
        a: torch.Tensor, labels: torch.Tensor, binary: torch.Tensor, weight: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        soft = functional.multilabel_soft_margin_loss
        return {
            "each": functional.multilabel_margin_loss(a, labels, reduction="none"),
            "sum": functional.multilabel_margin_loss(a, labels, reduction="sum"),
            "soft": soft(a, binary),
            "weighted": soft(a, binary, weight, reduction="sum"),
            "each weighted": soft(a * 30, binary, weight, reduction="none"),
        }

    weight = tensor(4, grad=False)
    check(program, tensor(4, 4, values=SCORES), labels, tensor(4, 4, grad=False, values=sure), weight).values().expect(
        """\
out['each'] = float32[4] [0, 0, 9, 3]
out['sum'] = float32[] 12
out['soft'] = float32[] 0.8019
out['weighted'] = float32[] -3.39
out['each weighted'] = float32[4] [-19.77, -27.38, -19.61, -5.187]
"""
    )


def _margins_of_labels(a: torch.Tensor, labels: torch.Tensor, row: int) -> dict[str, torch.Tensor]:
    """The loss of several labels in each of its reductions, and that of one row."""
    return {
        "mean": functional.multilabel_margin_loss(a, labels),
        "sum": functional.multilabel_margin_loss(a, labels, reduction="sum"),
        "each": functional.multilabel_margin_loss(a, labels, reduction="none"),
        "one": functional.multilabel_margin_loss(a[row], labels[row]),
    }


@clause("numbers.options", modes="train")
def test_labels_after_the_last_one(check: Check) -> None:
    """Labels after the first -1 count no more, and a row that begins with it has none."""
    labels = tensor(3, 4, dtype=torch.int64, values=[[3, 0, -1, 1], [-1, 2, 1, 0], [1, 2, -1, -1]])

    def program(a: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        return _margins_of_labels(a, labels, 0)

    check(program, tensor(3, 4), labels).values().expect("""\
out['mean'] = float32[] 0.6733
out['sum'] = float32[] 2.02
out['each'] = float32[3] [0.5544, 0, 1.466]
out['one'] = float32[] 0.5544
""")


@clause("numbers.options", modes="train")
def test_labels_after_the_last_one_beside_a_sure_class(check: Check) -> None:
    """Labels after the first -1 count no more where the first class is sure of its margin to all others."""
    labels = tensor(3, 4, dtype=torch.int64, values=[[0, -1, 1, 2], [2, 0, -1, 1], [0, 3, -1, 3]])
    sure = [[5.0, 0.5, -1.0, 2.0], [6.0, 1.0, 0.5, -0.25], [4.0, 1.5, 0.25, 1.0]]

    def program(a: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        return _margins_of_labels(a, labels, 1)

    check(program, tensor(3, 4, values=sure), labels, exact=False).gradient(0).values().expect("""\
out['mean'] = float32[] 0.2917
out['sum'] = float32[] 0.875
out['each'] = float32[3] [0, 0.4375, 0.4375]
out['one'] = float32[] 0.4375
""")


@clause("numbers.options", modes="train")
def test_divergence_from_a_distribution(check: Check) -> None:
    """The target is given as it is or as its logarithm; where it is nought it adds nothing."""
    target = tensor(2, 3, grad=False, values=[[0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])

    def program(a: torch.Tensor, b: torch.Tensor, target: torch.Tensor) -> dict[str, torch.Tensor]:
        given, other = a.log_softmax(1), b.log_softmax(1)
        return {
            "mean": functional.kl_div(given, target),
            "batch": functional.kl_div(given, target, reduction="batchmean"),
            "each": functional.kl_div(given, target, reduction="none"),
            "logarithm": functional.kl_div(given, other, log_target=True),
            "sum of logarithms": functional.kl_div(given, other, log_target=True, reduction="sum"),
            "batch of logarithms": functional.kl_div(given, other, log_target=True, reduction="batchmean"),
            "each of logarithms": functional.kl_div(given, other, log_target=True, reduction="none"),
            "target that is learnt": functional.kl_div(given, other.exp(), reduction="sum"),
        }

    check(program, tensor(2, 3), tensor(2, 3), target).values().expect("""\
out['mean'] = float32[] 0.6659
out['batch'] = float32[] 1.998
out['each'] = float32[2, 3] [[0, 0.5724, 0.748], [2.675, 0, 0]]
out['logarithm'] = float32[] 0.4942
out['sum of logarithms'] = float32[] 2.965
out['batch of logarithms'] = float32[] 1.483
out['each of logarithms'] = float32[2, 3] [[-0.159, 2.868, -0.1016], [-0.01588, 0.6281, -0.2545]]
out['target that is learnt'] = float32[] 2.965
""")


@clause("numbers.options")
def test_margins_of_more_rows_than_classes(check: Check) -> None:
    """Hinges are divided by the number of classes and averaged over rows, of which there are more, or fewer."""
    targets = tensor(8, dtype=torch.int64, values=[1, 3, 2, 0, 1, 2, 0, 3])
    several = tensor(2, 4, dtype=torch.int64, values=[[3, 0, 1, 3], [2, 1, 2, 1]])

    def program(a: torch.Tensor, targets: torch.Tensor, several: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "mean": functional.multi_margin_loss(a, targets, margin=2.125),
            "sum": functional.multi_margin_loss(a, targets, margin=2.125, reduction="sum"),
            "each": functional.multi_margin_loss(a, targets, p=2, margin=0.625, reduction="none"),
            "several": functional.multilabel_margin_loss(a[:2], several),
            "sum of several": functional.multilabel_margin_loss(a[2:4], several, reduction="sum"),
        }

    check(program, tensor(8, 4, values=[*SCORES, *reversed(SCORES)]), targets, several).values().expect("""\
out['mean'] = float32[] 1.312
out['sum'] = float32[] 10.5
out['each'] = float32[8] [0.6641, 1.449, 0.003906, 0.5078, 2.012, 0.003906, 0.5117, 0]
out['several'] = float32[] 0.4375
out['sum of several'] = float32[] 6
""")


@clause("numbers.options", modes="train")
def test_loss_in_the_dtype_of_its_target(check: Check) -> None:
    """Logits in bfloat16 against targets in float32, and the other way round: the dtype of the loss is eager's."""

    def program(a: torch.Tensor, b: torch.Tensor, target: torch.Tensor) -> dict[str, torch.Tensor]:
        loss = functional.binary_cross_entropy_with_logits
        return {
            "each": loss(a, target, reduction="none"),
            "sum": loss(a, target, reduction="sum"),
            "other": loss(b, target.bfloat16(), reduction="none"),
        }

    target = tensor(2, 3, grad=False, values=[[0.0, 1.0, 0.25], [0.75, 0.5, 1.0]])
    check(program, tensor(2, 3, dtype=torch.bfloat16), tensor(2, 3), target).values().expect("""\
out['each'] = float32[2, 3] [[1.096, 2.688, 0.6409], [1.264, 0.7207, 0.3086]]
out['sum'] = float32[] 6.717
out['other'] = bfloat16[2, 3] [[0.1865, 0.3418, 0.5625], [1.773, 0.6953, 0.7656]]
""")


@clause("numbers.options", modes="train")
def test_slopes_besides_the_target(check: Check) -> None:
    """A class that is not the target has no slope, be the target's infinite or no number."""
    target = tensor(4, grad=False, dtype=torch.int64, values=[0, 2, 1, 1])
    weight = tensor(3, grad=False, values=[0.0, 1.0, 0.5])

    def program(a: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "infinite": functional.nll_loss(a[1:2], target[1:2]) * float("inf"),
            "of no weight": functional.nll_loss(a[:1], target[:1], weight),
            "infinite each": functional.nll_loss(a[2:], target[2:], reduction="none") * float("inf"),
        }

    check(program, tensor(4, 3), target, weight).gradient(0).computed()


@clause("numbers.options")
def test_losses_of_one_row(check: Check) -> None:
    """The loss of one row that is in no batch is one number, without a dimension, though it is not reduced."""

    def program(a: torch.Tensor, target: torch.Tensor, several: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "margin": functional.multi_margin_loss(a, target, reduction="none"),
            "margins": functional.multilabel_margin_loss(a, several, reduction="none"),
        }

    several = tensor(3, dtype=torch.int64, values=[1, 0, -1])
    check(program, tensor(3), tensor(dtype=torch.int64, values=(1,)), several).values().expect("""\
out['margin'] = float32[] 2.569
out['margins'] = float32[] 1.155
""")


@clause("numbers.options", modes="train")
def test_loss_of_classes_that_are_bytes(check: Check) -> None:
    """A loss takes classes of bytes as it takes those of 64 bits."""

    def program(a: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        return functional.nll_loss(a, classes)

    classes = tensor(3, dtype=torch.uint8, values=[1, 0, 3])
    scores = tensor(3, 4, values=[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]])
    check(program, scores, classes).gradient(0).values().expect("""\
out = float32[] -6.333
""")


@clause("numbers.options", modes="train", torch=">=2.13")
def test_cross_entropy_of_a_linear_map(check: Check) -> None:
    """The loss of what a matrix makes of each row has the options of cross entropy, and a bias of its own."""

    def program(
        a: torch.Tensor, matrix: torch.Tensor, bias: torch.Tensor, weight: torch.Tensor, target: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        entropy = functional.linear_cross_entropy
        return {
            "mean": entropy(a, matrix, target),
            "bias": entropy(a, matrix, target, linear_bias=bias),
            "weighted": entropy(a, matrix, target, weight=weight, ignore_index=2),
            "smooth": entropy(a, matrix, target, linear_bias=bias, reduction="sum", label_smoothing=0.25),
            "each": entropy(a, matrix, target, weight=weight, reduction="none", ignore_index=0, label_smoothing=0.5),
            "one": entropy(a[0], matrix, target[0], linear_bias=bias),
            "none": entropy(a[:0], matrix, target[:0], reduction="sum") + a,
            "probabilities": entropy(a, matrix, bias.softmax(0).expand(5, 4), weight=weight),
        }

    target = tensor(5, dtype=torch.int64, values=[0, 2, 1, 3, 2])
    parts = tensor(5, 3), tensor(4, 3), tensor(4), tensor(4, grad=False, values=[0.5, 1.0, 2.0, 0.25])
    check(program, *parts, target).gradient(0, 1, 2).computed()
