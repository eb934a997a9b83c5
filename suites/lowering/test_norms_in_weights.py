"""Norms in evaluation that go into weights on the fly: only where they scale what the weights make, as it is called."""

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor

IN_WEIGHTS: dict[str, object] = {"inductor.efficient_conv_bn_eval_fx_passes": True}


class Normalised(torch.nn.Module):
    """A layer and a norm in evaluation, to be called by a subclass."""

    def __init__(self, layer: torch.nn.Module, norm: torch.nn.BatchNorm1d | torch.nn.BatchNorm2d) -> None:
        super().__init__()
        self.layer, self.norm = layer, norm
        channels = norm.num_features
        norm.running_mean = torch.linspace(-1.0, 2.0, channels)
        norm.running_var = torch.linspace(0.25, 4.0, channels)
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


@clause("inductor.optional-passes", modes="train", on=("inductor",))
def test_norms_of_other_layers(check: Check) -> None:
    """Norms of convolutions, plain, in groups and transposed, and of the columns of a linear map, are as written."""

    class Layers(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            flat, turned = torch.nn.Conv2d, torch.nn.ConvTranspose2d
            layers = {
                "plain": flat(4, 6, 3, stride=2),
                "in groups": flat(4, 4, 2, padding=1, groups=2, bias=False),
                "transposed": turned(4, 6, 2),
            }
            self.images = torch.nn.ModuleDict(
                {name: Normalised(layer, torch.nn.BatchNorm2d(layer.out_channels)) for name, layer in layers.items()}
            )
            self.columns = Normalised(torch.nn.Linear(5, 4), torch.nn.BatchNorm1d(4))
            self.eval()

        def forward(self, a: torch.Tensor) -> dict[str, torch.Tensor]:
            """``a``: [2, 4, 5, 5]."""
            return {name: module(a) for name, module in self.images.items()} | {"columns": self.columns(a[:, 0, 0])}

    check(built(Layers), tensor(2, 4, 5, 5), config=IN_WEIGHTS).gradient(0).computed()
