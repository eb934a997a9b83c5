"""``make_fx`` with the table of decompositions to ATen's core operators."""

from __future__ import annotations

from suites.harness import torch_internals
from suites.harness.backends.entry_points.make_fx import entry_point

BACKEND = entry_point(decompositions=torch_internals.core_decompositions)
