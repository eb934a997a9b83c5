"""Two pieces of an intermediate and its detached alias: Inductor's pieces are leaves, and no gradient arrives.

Inductor lowers ``detach`` to nothing, so that the base that autograd marks as not differentiable is the pieces' own
(``torch/_functorch/_aot_autograd/runtime_wrappers.py``, ``mark_non_differentiable`` of the compiled Function's
outputs).
"""

import torch

TRAIN = True


def program(a):
    b = a.sin()
    return b[:1], b[1:], b.detach()


def inputs():
    return (torch.randn(4, requires_grad=True),)
