"""AOTAutograd without Dynamo and without functionalization: mutations stay in the graphs as the in-place ops they are.

``aot_function(disable_functionalization=True)`` is what compilers ask for that keep the order of effects themselves.
"""

from __future__ import annotations

import torch

from suites.harness.backends.backend import Backend
from suites.harness.backends.compiling import through_aot_autograd

BACKEND = Backend(
    "without_functionalization",
    through_aot_autograd(keep_input_mutations=True, disable_functionalization=True),
    bitwise=True,
    dynamo=False,
    version=torch.__version__,
)
