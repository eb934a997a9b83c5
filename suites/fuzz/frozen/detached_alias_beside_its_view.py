"""A detached part of an intermediate, returned beside a view of the whole and the whole, requires grad.

The decomposition of ``detach`` for ``aot_eager_decomp_partition`` is ``alias``
(``torch/_decomp/decompositions.py``), which autograd takes for a differentiable view when outputs are sorted by what
they alias.
"""

import torch

TRAIN = True


def program(a):
    b = a * 2
    return b.view(-1), b, b[0].detach()


def inputs():
    return (torch.randn(3, requires_grad=True),)
