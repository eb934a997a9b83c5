"""Modules whose weights are folded into the code, and the setting by which they are."""

from collections.abc import Callable

import torch

FREEZING: dict[str, object] = {"inductor.freezing": True}


class Followed(torch.nn.Module):
    """A layer for each result, by name: what comes of it is handed on, with a constant, to a function or a layer."""

    def __init__(
        self,
        layer: Callable[[], torch.nn.Module],
        constant: torch.Tensor,
        **results: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    ) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([layer() for _ in results])
        self.register_buffer("constant", constant)
        self.results = results
        self.eval()

    def forward(self, a: torch.Tensor) -> dict[str, torch.Tensor]:
        """``a``: what the layers take."""
        named = zip(self.results.items(), self.layers, strict=True)
        return {name: result(layer(a), torch.as_tensor(self.constant)) for (name, result), layer in named}
