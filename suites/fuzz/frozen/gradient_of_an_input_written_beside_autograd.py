"""An input that the program only writes to, through a detached alias, has no gradient in eager, and one of zeros
when compiled.

The written input is an output of the joint graph with a tangent of its own (``tangents_1`` is handed on as its
gradient): which inputs are part of that is decided in
``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``, by ``requires_grad`` alone.
"""

import torch

TRAIN = True


def program(a, b):
    b.detach().mul_(2)
    return a * 2


def inputs():
    return torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
