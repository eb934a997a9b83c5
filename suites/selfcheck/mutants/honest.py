"""The honest twin of the mutants: the same machinery with nothing broken."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals

from .making import Run


def aot_eager(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
    """aot_eager as a backend of one's own."""
    compiled: Run = torch_internals.lookup_backend("aot_eager")(module, example_inputs)
    return compiled


aot_eager.parity_bitwise = True  # type: ignore[attr-defined]
