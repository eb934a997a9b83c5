"""``make_fx``, then fx's elimination of dead code: what the graph still does is what a caller can see of it."""

from __future__ import annotations

import torch

from suites.harness.backends.entry_points.make_fx import entry_point


def _eliminate(module: torch.fx.GraphModule) -> None:
    module.graph.eliminate_dead_code()
    module.recompile()


BACKEND = entry_point(finish=_eliminate)
