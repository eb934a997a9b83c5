"""Two inputs over one memory, both written; a later call with inputs apart is run as if they still shared it.

Nothing guards, with static shapes, on which inputs overlap: the graph over the synthetic base (``merge_view_inputs``
in ``torch/_functorch/_aot_autograd/runtime_wrappers.py``) is used again.
"""

import torch


def program(a, b):
    b.add_(1)
    a.zero_()


def inputs():
    a = torch.randn(2, 3)
    return a, a.mT


def apart():
    a = torch.randn(2, 3)
    return a, a.mT.clone()


calls = [inputs, apart]
