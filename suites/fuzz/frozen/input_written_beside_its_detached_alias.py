"""An input that is written is no differentiable view of another that requires grad: their program is refused.

AOTAutograd merges inputs that overlap into one base, whose views they must be to autograd (``merge_view_inputs`` in
``torch/_functorch/_aot_autograd/runtime_wrappers.py``).
"""

import torch


def program(a, b):
    b.mul_(2)
    return a * 2


def inputs():
    a = torch.randn(3, requires_grad=True)
    return (a, a.detach())
