"""Torch's own small layers by the options that they are built with, many in one network, and the containers of layers.

In the full profile each layer of torch's table runs by itself (`suites.operators.table`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import nn
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.harness.programs.specs import BuiltSpec, built


class _Each(nn.Module):
    """Layers by a name that says how each is called; what they make of the arguments that it is given for them."""

    def __init__(self, layers: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleDict(layers)

    def forward(self, *args: torch.Tensor) -> dict[str, torch.Tensor]:
        return {name: layer(*args) for name, layer in self.layers.items()}


def _each(layers: Callable[[], Mapping[str, nn.Module]]) -> BuiltSpec:
    return built(lambda: _Each(layers()))


@clause("models.layers", modes="train")
def test_activations_by_their_options(check: Check) -> None:
    """Activations do what they were built to do: slopes, bounds, thresholds and dimensions other than the usual."""

    def layers() -> dict[str, nn.Module]:
        return {
            "celu": nn.CELU(0.5),
            "selu": nn.SELU(),
            "gated": nn.GLU(0),
            "log sigmoid": nn.LogSigmoid(),
            "slopes": nn.PReLU(3, init=0.125),
            "hard shrink": nn.Hardshrink(0.25),
            "soft shrink": nn.Softshrink(0.25),
            "soft sign": nn.Softsign(),
            "tanh shrink": nn.Tanhshrink(),
            "threshold": nn.Threshold(0.25, -2.0),
            "softmin": nn.Softmin(0),
            "log softmax": nn.LogSoftmax(1),
            "bounds": nn.Hardtanh(-0.5, 0.75),
            "soft plus": nn.Softplus(2.0, threshold=1.0),
        }

    check(_each(layers), calls=[(tensor(4, 3),)], probe=False).gradient(0).values("out").expect("""\
out['celu'] = float32[4, 3] [[0.6865, -0.4974, -0.19], [-0.4685, -0.2992, 1.015], [-0.4791, 0.9008, -0.448],
    [-0.4941, 0.1669, -0.1233]]
out['selu'] = float32[4, 3] [[0.7213, -1.631, -0.3737], [-1.317, -0.6439, 1.067], [-1.398, 0.9465, -1.191], [-1.568,
    0.1754, -0.232]]
out['gated'] = float32[2, 3] [[0.1166, -1.87, -0.05827], [-0.1351, -0.247, 0.4717]]
out['log sigmoid'] = float32[4, 3] [[-0.4077, -2.7, -0.8198], [-1.606, -0.947, -0.3092], [-1.773, -0.3409, -1.411],
    [-2.325, -0.6132, -0.7664]]
out['slopes'] = float32[4, 3] [[0.6865, -0.3288, -0.02987], [-0.1727, -0.05701, 1.015], [-0.1983, 0.9008, -0.1415],
    [-0.2778, 0.1669, -0.01769]]
out['hard shrink'] = float32[4, 3] [[0.6865, -2.63, 0], [-1.382, -0.4561, 1.015], [-1.587, 0.9008, -1.132], [-2.222,
    0, 0]]
out['soft shrink'] = float32[4, 3] [[0.4365, -2.38, -0], [-1.132, -0.2061, 0.7652], [-1.337, 0.6508, -0.882],
    [-1.972, 0, -0]]
out['soft sign'] = float32[4, 3] [[0.407, -0.7245, -0.1929], [-0.5802, -0.3132, 0.5038], [-0.6134, 0.4739, -0.531],
    [-0.6897, 0.143, -0.124]]
out['tanh shrink'] = float32[4, 3] [[0.09076, -1.64, -0.004449], [-0.5006, -0.02919, 0.2473], [-0.667, 0.1841,
    -0.3203], [-1.246, 0.001533, -0.0009378]]
out['threshold'] = float32[4, 3] [[0.6865, -2, -2], [-2, -2, 1.015], [-2, 0.9008, -2], [-2, -2, -2]]
out['softmin'] = float32[4, 3] [[0.02706, 0.8306, 0.2158], [0.2141, 0.09445, 0.06156], [0.2627, 0.02432, 0.527],
    [0.4961, 0.05066, 0.1957]]
out['log softmax'] = float32[4, 3] [[-0.3595, -3.676, -1.285], [-2.675, -1.749, -0.2781], [-2.681, -0.194, -2.227],
    [-2.992, -0.6023, -0.9107]]
out['bounds'] = float32[4, 3] [[0.6865, -0.5, -0.239], [-0.5, -0.4561, 0.75], [-0.5, 0.75, -0.5], [-0.5, 0.1669,
    -0.1415]]
out['soft plus'] = float32[4, 3] [[0.6865, 0.00259, 0.2412], [0.03057, 0.1688, 1.015], [0.02051, 0.9008, 0.04944],
    [0.005836, 0.437, 0.2808]]
""")


@clause("models.layers", modes="train")
def test_losses_by_their_options(check: Check) -> None:
    """Losses of numbers do what they were built to do: weights, margins, reductions, and what is left out."""

    def layers() -> dict[str, nn.Module]:
        return {
            "absolute": nn.L1Loss(reduction="sum"),
            "squared": nn.MSELoss(reduction="none"),
            "huber": nn.HuberLoss("sum", delta=0.5),
            "smooth": nn.SmoothL1Loss(beta=0.25),
            "of logits": nn.BCEWithLogitsLoss(torch.tensor([1.0, 2.0, 0.5]), pos_weight=torch.tensor([2.0, 1.0, 3.0])),
            "divergence": nn.KLDivLoss(reduction="batchmean", log_target=True),
            "counts": nn.PoissonNLLLoss(full=False, reduction="sum"),
            "hinge": nn.HingeEmbeddingLoss(0.5),
            "margin": nn.SoftMarginLoss(reduction="sum"),
            "several labels": nn.MultiLabelSoftMarginLoss(torch.tensor([1.0, 2.0, 0.5]), reduction="sum"),
            "distance": nn.PairwiseDistance(p=1.0, keepdim=True),
            "likeness": nn.CosineSimilarity(dim=0, eps=1e-6),
        }

    target = tensor(2, 3, grad=False, values=[[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])
    check(_each(layers), calls=[(tensor(2, 3), target)], probe=False).gradient(0).values("out").expect("""\
out['absolute'] = float32[] 4.124
out['squared'] = float32[2, 3] [[0.09831, 2.657, 1.535], [0.1459, 0.2959, 0.0002306]]
out['huber'] = float32[] 1.454
out['smooth'] = float32[] 0.5807
out['of logits'] = float32[] -0.8844
out['divergence'] = float32[] 2.36
out['counts'] = float32[] 0.5601
out['hinge'] = float32[] 1.238
out['margin'] = float32[] 2.321
out['several labels'] = float32[] -1.746
out['distance'] = float32[2, 1] [[3.183], [0.9411]]
out['likeness'] = float32[3] [0.9478, 0.8175, 0.5263]
""")


@clause("models.layers", modes="train")
def test_losses_of_pairs_and_classes_by_their_options(check: Check) -> None:
    """Losses of two and three tensors, and of classes, do what they were built to do."""

    class Losses(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.likely = nn.NLLLoss(torch.tensor([1.0, 0.5, 2.0]), ignore_index=1, reduction="sum")
            self.classes = nn.CrossEntropyLoss(label_smoothing=0.25, ignore_index=2)
            self.cosine = nn.CosineEmbeddingLoss(margin=0.25)
            self.ranking = nn.MarginRankingLoss(0.5, reduction="sum")
            self.triplet = nn.TripletMarginLoss(margin=0.75, p=1, swap=True, reduction="none")
            self.distance = nn.TripletMarginWithDistanceLoss(
                distance_function=lambda left, right: (left - right).square().sum(-1), margin=0.5
            )

        def forward(
            self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, classes: torch.Tensor
        ) -> dict[str, torch.Tensor]:
            signs = classes.remainder(2).mul(2).sub(1)
            return {
                "likely": self.likely(a.log_softmax(-1), classes),
                "classes": self.classes(a, classes),
                "cosine": self.cosine(a, b, signs),
                "ranking": self.ranking(a[:, 0], b[:, 0], signs),
                "triplet": self.triplet(a, b, c),
                "distance": self.distance(a, b, c),
            }

    classes = tensor(4, dtype=torch.int64, values=[2, 0, 1, 0])
    specs = (tensor(4, 3), tensor(4, 3), tensor(4, 3), classes)
    check(built(Losses), calls=[specs], probe=False).gradient(0, 1, 2).values("out").expect("""\
out['likely'] = float32[] 8.237
out['classes'] = float32[] 1.863
out['cosine'] = float32[] 0.4714
out['ranking'] = float32[] 6.674
out['triplet'] = float32[4] [2.379, 2.528, 2.32, 0]
out['distance'] = float32[] 2.553
""")


@clause("models.layers", modes="train")
def test_borders_and_shapes_by_their_options(check: Check) -> None:
    """Borders of unlike widths, of each kind, and what moves numbers between channels and places."""

    def layers() -> dict[str, nn.Module]:
        return {
            "circular": nn.CircularPad2d((1, 0, 2, 1)),
            "mirrored": nn.ReflectionPad2d((2, 1, 1, 0)),
            "repeated": nn.ReplicationPad2d((1, 2, 0, 1)),
            "noughts": nn.ZeroPad2d((0, 1, 2, -1)),
            "constant": nn.ConstantPad2d((1, -1, 0, 1), 2.5),
            "shuffled": nn.PixelShuffle(2),
            "unshuffled": nn.PixelUnshuffle(2),
            "channels": nn.ChannelShuffle(2),
            "windows": nn.Unfold((2, 1), dilation=1, padding=(1, 0), stride=(2, 3)),
            "parts": nn.Sequential(nn.Unflatten(1, (2, 2)), nn.Flatten(2, 3)),
            "larger": nn.Upsample(scale_factor=(2, 1), mode="bilinear", align_corners=True),
            "nearest": nn.UpsamplingNearest2d(size=(3, 5)),
        }

    check(_each(layers), calls=[(tensor(1, 4, 4, 4),)], probe=False, exact=False).gradient(0).computed()


@clause("models.layers", modes="train")
def test_pooling_by_its_options(check: Check) -> None:
    """Pools of unlike sides, steps and borders, with and without the border in an average, whole or of a share."""

    def layers() -> dict[str, nn.Module]:
        return {
            "average": nn.AvgPool2d((2, 3), stride=(1, 2), padding=(1, 1), ceil_mode=True, count_include_pad=False),
            "divided": nn.AvgPool2d(2, divisor_override=3),
            "largest": nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), ceil_mode=True),
            "power": nn.LPPool2d(2, (2, 1), stride=1),
            "to sizes": nn.AdaptiveAvgPool2d((None, 2)),
            "largest to sizes": nn.AdaptiveMaxPool2d((3, None)),
        }

    check(_each(layers), calls=[(tensor(2, 3, 5, 6),)], probe=False).gradient(0).computed()


@clause("models.layers", modes="train")
def test_largest_numbers_put_back(check: Check) -> None:
    """A pool that says where its largest numbers were, and the layer that puts them back there, in a larger tensor."""

    class There(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pool = nn.MaxPool2d(2, stride=2, return_indices=True)
            self.back = nn.MaxUnpool2d(2, stride=2)
            self.row = nn.MaxPool1d(3, return_indices=True)
            self.row_back = nn.MaxUnpool1d(3)

        def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            pooled, places = self.pool(a)
            rows, in_rows = self.row(a[0])
            return self.back(pooled * 2, places, output_size=a.size()), self.row_back(rows, in_rows)

    check(built(There), calls=[(tensor(1, 2, 4, 6),)], probe=False).gradient(0).values("out").expect("""\
out[0] = float32[1, 2, 4, 6] [0, 0, 3.023, 0, 0, 0, 0, 3.958, 0, 0, 0, 1.965, ..., 0, 0, 0, 2.578]
out[1] = float32[2, 4, 6] [0, 0, 1.512, 0, 0, 0.8879, 0, 1.979, 0, 0, 0, 0.9823, ..., 0, 0, 0, 1.289]
""")


@clause("models.layers", modes=("train", "no_grad"))
def test_norms_by_their_options(check: Check) -> None:
    """Norms with and without weights, statistics and biases of their own, over groups, instances and neighbours."""

    def layers() -> dict[str, nn.Module]:
        return {
            "instance": nn.InstanceNorm2d(4, affine=True, track_running_stats=True, momentum=0.25),
            "bare instance": nn.InstanceNorm2d(4, eps=0.125),
            "bare batch": nn.BatchNorm2d(4, affine=False, momentum=0.5),
            "batch without statistics": nn.BatchNorm2d(4, eps=0.125, track_running_stats=False),
            "groups": nn.GroupNorm(2, 4, eps=0.125, affine=False),
            "layer": nn.LayerNorm((2, 3), eps=0.125, bias=False),
            "bare layer": nn.LayerNorm(3, elementwise_affine=False),
            "root": nn.RMSNorm((2, 3), eps=0.125, elementwise_affine=False),
            "neighbours": nn.LocalResponseNorm(3, alpha=0.5, beta=0.25, k=2.0),
        }

    exact = check.device == "cpu"  # A GPU's eager normalises by cuDNN, which no graph calls.
    check(_each(layers), tensor(2, 4, 2, 3), probe=False, exact=exact).gradient(0).computed()


@clause("models.layers", modes="train")
def test_convolutions_by_their_options(check: Check) -> None:
    """Convolutions with borders, groups and no bias, and those that go back to larger sizes, with gaps."""

    def layers() -> dict[str, nn.Module]:
        return {
            "circular": nn.Conv2d(4, 2, (2, 3), padding=(1, 2), padding_mode="circular", groups=2),
            "mirrored": nn.Conv2d(4, 3, 3, padding=1, padding_mode="reflect", stride=(2, 1), bias=False),
            "of the same size": nn.Conv2d(4, 4, (3, 2), padding="same", groups=4),
            "back": nn.ConvTranspose2d(4, 2, 2, stride=2, output_padding=(1, 0), groups=2, bias=False),
            "back with gaps": nn.ConvTranspose2d(4, 2, (1, 2), dilation=(1, 2), padding=(0, 1)),
        }

    check(_each(layers), calls=[(tensor(1, 4, 4, 5),)], probe=False, exact=False).gradient(0).computed()


@clause("models.layers", modes="train")
def test_convolution_with_repeated_borders(check: Check) -> None:
    """A convolution whose borders repeat the outermost numbers, with gaps in its window."""

    def repeated() -> nn.Module:
        return nn.Conv2d(4, 2, 2, padding=(0, 1), padding_mode="replicate", dilation=(1, 2))

    check(built(repeated), calls=[(tensor(1, 4, 4, 5),)], probe=False, exact=False).gradient(0).computed()


@clause("models.layers", modes="train")
def test_convolutions_of_rows_and_volumes(check: Check) -> None:
    """Convolutions of one dimension and of three, there and back, in groups, with gaps and without a bias."""

    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.row = nn.Conv1d(2, 4, 3, stride=2, padding=2, dilation=2, groups=2, padding_mode="circular")
            self.row_back = nn.ConvTranspose1d(4, 2, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False)
            self.volume = nn.Conv3d(2, 2, (2, 1, 3), padding=(1, 0, 1), groups=2, bias=False, padding_mode="replicate")
            self.volume_back = nn.ConvTranspose3d(2, 2, (1, 2, 1), stride=(1, 2, 1), groups=2)

        def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return self.row_back(self.row(a[:, :, 0, 0])), self.volume_back(self.volume(a[..., :3]))

    check(built(Both), calls=[(tensor(1, 2, 2, 3, 7),)], probe=False, exact=False).gradient(0).computed()


@clause("models.layers", "T17", modes="train")
def test_dropout_of_channels(check: Check) -> None:
    """Layers that drop channels, features, or numbers to where a self-normalising network has its least."""

    def layers() -> dict[str, nn.Module]:
        return {
            "numbers": nn.Dropout(0.25),
            "channels": nn.Dropout2d(0.5),
            "of volumes": nn.Dropout3d(0.5),
            "alpha": nn.AlphaDropout(0.25),
            "features": nn.FeatureAlphaDropout(0.5),
        }

    check(_each(layers), calls=[(tensor(2, 3, 2, 2, 2),)], probe=False).drew_random().gradient(0)


@clause("models.layers", modes="train")
def test_layers_of_two_inputs_and_cells(check: Check) -> None:
    """Products of two inputs, and cells with and without a bias, relu in place of tanh."""

    class Cells(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bilinear = nn.Bilinear(3, 3, 2, bias=False)
            self.relu = nn.RNNCell(3, 3, nonlinearity="relu")
            self.bare = nn.RNNCell(3, 3, bias=False)
            self.gated = nn.GRUCell(3, 3, bias=False)
            self.memory = nn.LSTMCell(3, 3, bias=False)
            self.fold = nn.Fold((2, 3), (1, 2), stride=(1, 1))

        def forward(self, a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
            hidden, memory = self.memory(a, (b, a * b))
            folded = self.fold(functional.pad(a.reshape(1, 2, 3), (0, 1)))
            return [self.bilinear(a, b), self.relu(a, b), self.bare(a), self.gated(a, b), hidden, memory, folded]

    check(built(Cells), calls=[(tensor(2, 3), tensor(2, 3))], probe=False).gradient(0, 1).computed()


@clause("models.layers", "python.modules", modes="train")
def test_parameters_in_lists_and_dicts(check: Check) -> None:
    """Parameters and buffers that lie in lists, dicts and attributes of a module are read, and get their gradients."""

    class Held(nn.Module):
        count: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.rows = nn.ParameterList([torch.full((3,), float(number)) for number in range(1, 4)])
            self.named = nn.ParameterDict({"scale": nn.Parameter(torch.tensor(2.0)), "fixed": torch.ones(3) * 0.5})
            self.shift = nn.Buffer(torch.tensor([0.0, 1.0, 0.5]))
            self.register_buffer("count", torch.tensor(0), persistent=False)
            self.register_parameter("absent", None)
            self.layers = nn.ModuleList([nn.Linear(3, 3, bias=False) for _ in range(2)])

        def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, list[str], int, int]:
            self.count += 1
            total = a
            for number, row in enumerate(self.rows):
                total = total + row * (number + 1)
            for name in self.named:
                total = total * self.named[name]
            layers = [*self.layers[1:], self.layers[-2]]
            for layer in layers:
                total = total + layer(a)
            names = [name for name, _ in self.named_parameters()]
            return total + self.get_buffer("shift") * self.count, names, len(self.rows), len(list(self.named_modules()))

    result = check(built(Held), calls=[(tensor(2, 3),)] * 2, probe=False)
    result.gradient(0).holds("out[2]", 3).in_call(1).values("out[0]", "out[1]").expect("""\
out[0] = float32[2, 3] [[13.43, 16.39, 14.72], [15.29, 14.97, 14]]
out[1][0] = str 'rows.0'
out[1][1] = str 'rows.1'
out[1][2] = str 'rows.2'
out[1][3] = str 'named.fixed'
out[1][4] = str 'named.scale'
out[1][5] = str 'layers.0.weight'
out[1][6] = str 'layers.1.weight'
""")


@clause("models.layers", "python.modules")
def test_buffer_object_that_counts(check: Check) -> None:
    """An operator that adds to a buffer in place, by its attribute, counts the calls, and the buffer stays one."""

    class Counting(nn.Module):
        count: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.count = nn.Buffer(torch.tensor(0))

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            self.count += 2
            return a * self.count

    result = check(built(Counting), calls=[(tensor(3),)] * 2, probe=False).mutated("module.count")
    result.in_call(1).mutated("module.count").computed()


@clause("models.layers", modes="train", fullgraph=False)
def test_gaussian_loss_asks_for_its_variances(check: Check) -> None:
    """The loss that looks whether a variance is below nought is computed where none is, and raises where one is."""

    class Loss(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.loss = nn.GaussianNLLLoss(full=True, eps=0.25, reduction="none")

        def forward(self, a: torch.Tensor, variance: torch.Tensor) -> torch.Tensor:
            return self.loss(a * 2, a.detach() + 1, variance)

    below = tensor(3, grad=False, values=[1.0, -0.5, 0.5])
    above = tensor(3, grad=False, values=[1.0, 0.125, 0.5])
    result = check(built(Loss), calls=[(tensor(3), above), (tensor(3), below)], probe=False).gradient(0)
    result.in_call(1).raised("negative entry").in_call(0).values("out").expect("""\
out = float32[3] [0.9681, 26.58, 2.107]
""")


@clause("models.layers", modes=("train", "no_grad"))
def test_norms_whose_sizes_come_with_their_first_input(check: Check) -> None:
    """Norms that do not know their sizes yet have weights and statistics for their first input, and go on with them."""

    def norms() -> nn.Module:
        return nn.Sequential(nn.LazyBatchNorm1d(momentum=0.5), nn.LazyInstanceNorm1d(affine=True, eps=0.125))

    exact = check.device == "cpu"  # A GPU's eager normalises by cuDNN, which no graph calls.
    result = check(built(norms), calls=[(tensor(3, 2, 5),)] * 3, probe=False, exact=exact)
    result.gradient(0).in_call(1).values("out").expect("""\
out = float32[3, 2, 5] [[[-1.513, -0.1699, 0.4476, 1.443, -0.2082], [0.9071, -0.7722, 0.7209, 0.1153, -0.9711]],
    [[0.9095, -1.117, 0.8521, -1.046, 0.4022], [-0.799, -0.721, -0.383, 1.714, 0.1892]], [[1.318, -0.03462, -0.5142,
    0.4366, -1.206], [0.8073, -0.5999, -0.3073, -1.233, 1.333]]]
""")


@clause("models.layers", "T17")
def test_layer_that_draws_its_weights_at_its_first_call(check: Check) -> None:
    """A layer without sizes draws its weights when its first input tells them; what is drawn later is other numbers."""

    class Late(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.convolution = nn.LazyConv1d(2, 3, bias=False)
            self.linear = nn.LazyLinear(2)

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            return self.linear(self.convolution(a).flatten(1))

    result = check(built(Late), calls=[(tensor(3, 2, 5),)] * 2, probe=False, exact=False)
    result.drew_random().shape("out", 3, 2).in_call(1).computed()
