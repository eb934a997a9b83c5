"""``make_fx`` with the table of decompositions to ATen's core operators."""

from __future__ import annotations

# Private; `torch.export.default_decompositions` is its public twin, and leaves out what export keeps whole.
from torch._decomp import core_aten_decompositions

from suites.harness.backends.entry_points.make_fx import entry_point

BACKEND = entry_point(decompositions=core_aten_decompositions)
