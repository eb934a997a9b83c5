"""Norms in evaluation that go into weights on the fly: only where they scale what the weights make, as it is called."""

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor

IN_WEIGHTS: dict[str, object] = {"inductor.efficient_conv_bn_eval_fx_passes": True}


def _evaluated(norm: torch.nn.Module) -> torch.nn.Module:
    """The norm with statistics of its own, of a network that is trained no more."""
    if isinstance(norm.running_mean, torch.Tensor):
        places = torch.arange(norm.running_mean.numel())
        norm.running_mean, norm.running_var = places / 2 - 0.75, places % 3 + 0.25
    return norm.eval()


class Normalised(torch.nn.Module):
    """A layer and a norm in evaluation, to be called by a subclass."""

    def __init__(self, layer: torch.nn.Module, norm: torch.nn.Module) -> None:
        super().__init__()
        self.layer, self.norm = layer, _evaluated(norm)
        self.eval()

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """``a``: what the layer takes."""
        return torch.as_tensor(self.norm(self.layer(a)))


class CalledByName(Normalised):
    """A convolution whose options are told by name."""

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """``a``: an image."""
        weight, bias = torch.as_tensor(self.layer.weight), torch.as_tensor(self.layer.bias)
        return torch.as_tensor(self.norm(functional.conv2d(a, weight, bias=bias, stride=2)))


class WrittenBetween(Normalised):
    """An image that is written to between the convolution and the norm."""

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """``a``: an image."""
        image = a * 2
        made = self.layer(image)
        positive = image.relu_()
        return torch.as_tensor(self.norm(made)) + positive.sum()


@clause("inductor.optional-passes", on=("inductor",))
def test_options_by_name_of_a_normalised_convolution(check: Check) -> None:
    """A convolution before a norm has the bias and the stride that it is told by name."""
    module = built(lambda: CalledByName(torch.nn.Conv2d(4, 4, 3), torch.nn.BatchNorm2d(4)))
    check(module, tensor(2, 4, 5, 5), config=IN_WEIGHTS).shape("out", 2, 4, 2, 2).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_norm_of_the_rows_of_a_linear_map(check: Check) -> None:
    """A norm of a batch of matrices scales rows, which are not what a linear map before it makes."""
    module = built(lambda: Normalised(torch.nn.Linear(5, 4), torch.nn.BatchNorm1d(4)))
    check(module, tensor(2, 4, 5), config=IN_WEIGHTS).computed()


@clause("inductor.optional-passes", "T3.5", on=("inductor",))
def test_write_between_a_convolution_and_its_norm(check: Check) -> None:
    """A convolution takes its image as it was before a write that comes before the norm."""
    module = built(lambda: WrittenBetween(torch.nn.Conv2d(4, 4, 3), torch.nn.BatchNorm2d(4)))
    check(module, tensor(2, 4, 5, 5), config=IN_WEIGHTS).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_norm_of_a_transposed_convolution_in_groups(check: Check) -> None:
    """A norm of a transposed convolution in groups scales the channels of all groups."""
    module = built(lambda: Normalised(torch.nn.ConvTranspose2d(4, 4, 3, groups=2), torch.nn.BatchNorm2d(4)))
    check(module, tensor(2, 4, 5, 5), config=IN_WEIGHTS).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_norm_that_is_wider_than_its_convolution(check: Check) -> None:
    """A norm in single precision takes what a convolution of low precision makes, and keeps its dtype."""
    module = built(lambda: Normalised(torch.nn.Conv2d(4, 4, 3).bfloat16(), torch.nn.BatchNorm2d(4)))
    check(module, tensor(2, 4, 5, 5, dtype=torch.bfloat16), config=IN_WEIGHTS).computed()


class Normed(torch.nn.Module):
    """Maps of each kind, each with a norm behind it."""

    def __init__(self) -> None:
        super().__init__()
        of_images, of_signals, of_volumes = torch.nn.BatchNorm2d, torch.nn.BatchNorm1d, torch.nn.BatchNorm3d
        pairs: dict[str, tuple[torch.nn.Module, torch.nn.Module]] = {
            "image": (torch.nn.Conv2d(2, 3, 2), of_images(3, eps=0.5)),
            "image, options": (
                torch.nn.Conv2d(2, 4, 2, stride=2, padding=1, dilation=2, groups=2, bias=False),
                of_images(4),
            ),
            "image, reflected": (torch.nn.Conv2d(2, 3, 2, padding="same", padding_mode="reflect"), of_images(3)),
            "image, turned": (torch.nn.ConvTranspose2d(2, 3, 2, stride=2, output_padding=1), of_images(3)),
            "image, no weights": (torch.nn.Conv2d(2, 3, 2), of_images(3, affine=False)),
            "image, no statistics": (torch.nn.Conv2d(2, 3, 2), of_images(3, track_running_stats=False)),
            "signal": (torch.nn.Conv1d(2, 3, 2), of_signals(3, momentum=None)),
            "signal, turned": (torch.nn.ConvTranspose1d(2, 3, 2, bias=False), of_signals(3)),
            "volume": (torch.nn.Conv3d(2, 3, 2), of_volumes(3)),
            "rows": (torch.nn.Linear(4, 3), of_signals(3)),
        }
        self.maps = torch.nn.ModuleDict({name: before for name, (before, _) in pairs.items()})
        self.norms = torch.nn.ModuleDict({name: _evaluated(norm) for name, (_, norm) in pairs.items()})

    def forward(self, rows: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        """``rows``: [3, 4]; ``image``: [2, 2, 3, 4]."""
        given = {"rows": rows, "signal": image[:, :, 0], "volume": image[:, :, None].repeat(1, 1, 2, 1, 1)}
        mapped = {name: layer(given.get(name.split(",")[0], image)) for name, layer in self.maps.items()}
        found = {name: norm(mapped[name]) for name, norm in self.norms.items()}
        twice = self.maps["signal"](given["signal"] * 2)
        return {**found, "read twice": self.norms["signal"](twice) + twice}


@clause("inductor.optional-passes", modes=("train", "no_grad"), on=("inductor",), devices="cpu")
def test_maps_of_each_kind(check: Check) -> None:
    """A map that takes its norm upon itself keeps its options, and hands its weights and the norm's their gradients."""
    check(built(Normed), tensor(3, 4), tensor(2, 2, 3, 4), config=IN_WEIGHTS).computed()
