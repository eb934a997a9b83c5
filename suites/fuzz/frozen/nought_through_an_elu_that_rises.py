"""Either nought changes its sign in ``elu`` with an ``alpha`` below nought where it is decomposed.

``elu`` in ``torch/_refs/nn/functional/__init__.py`` counts nought to what is below it; eager's kernel does not.
"""

import torch
import torch.nn.functional as F


def program(a):
    return 1 / F.elu(a, -0.5)


def inputs():
    return (torch.tensor([-0.0, 0.0]),)
