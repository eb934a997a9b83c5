"""``make_fx`` with the table of decompositions to ATen's core operators."""

from __future__ import annotations

# Private; `torch.export.default_decompositions` is its public twin, and leaves out what export keeps whole.
from torch._decomp import core_aten_decompositions

from .make_fx import route

BACKEND = route(decompositions=core_aten_decompositions)
