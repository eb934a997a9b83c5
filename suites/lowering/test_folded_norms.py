"""Norms of kept statistics that a setting folds into the map before them, whose weights are made anew in each call."""

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor

OF_NORMS: dict[str, object] = {"inductor.efficient_conv_bn_eval_fx_passes": True}


def _evaluated(norm: torch.nn.Module) -> torch.nn.Module:
    """The norm with statistics of its own, of a network that is trained no more."""
    if isinstance(norm.running_mean, torch.Tensor):
        places = torch.arange(norm.running_mean.numel())
        norm.running_mean, norm.running_var = places / 2 - 0.75, places % 3 + 0.25
    return norm.eval()


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


@clause("inductor.optional-passes", modes=("train", "no_grad"), on=("inductor",))
def test_maps_of_each_kind(check: Check) -> None:
    """A map that takes its norm upon itself keeps its options, and hands its weights and the norm's their gradients."""
    check(built(Normed), tensor(3, 4), tensor(2, 2, 3, 4), config=OF_NORMS).computed()


@clause("inductor.optional-passes", on=("inductor",))
def test_options_by_name_of_a_map(check: Check) -> None:
    """What a map before a norm is told by name is not lost: its bias, its stride, its padding."""

    def program(image: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, spread: torch.Tensor) -> torch.Tensor:
        moved = functional.conv2d(image, weight, bias=mean * 2, padding=1)
        return functional.batch_norm(moved, mean, spread.abs() + 0.5)

    check(program, tensor(2, 2, 3, 4), tensor(3, 2, 3, 3), tensor(3), tensor(3), config=OF_NORMS).computed()


class Grouped(torch.nn.Module):
    """A transposed convolution of two groups, and a norm."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm = torch.nn.ConvTranspose2d(2, 4, 2, groups=2), _evaluated(torch.nn.BatchNorm2d(4))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """``image``: [2, 2, 3, 4]."""
        normed: torch.Tensor = self.norm(self.layer(image))
        return normed


@clause("inductor.optional-passes", on=("inductor",))
def test_groups_of_a_transposed_convolution(check: Check) -> None:
    """A norm scales each channel of a transposed convolution of groups, whose weights count them group by group."""
    check(built(Grouped), tensor(2, 2, 3, 4), config=OF_NORMS).computed()


class Sequences(torch.nn.Module):
    """A linear map of each row of sequences, as many as it has results, and a norm of each place in a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm = torch.nn.Linear(4, 3), _evaluated(torch.nn.BatchNorm1d(3))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """``rows``: [2, 3, 4]."""
        normed: torch.Tensor = self.norm(self.layer(rows))
        return normed


@clause("inductor.optional-passes", on=("inductor",))
def test_norm_of_another_dimension(check: Check) -> None:
    """A norm of places in sequences is none of the results of the linear map before it, though they are as many."""
    check(built(Sequences), tensor(2, 3, 4), config=OF_NORMS).computed()
