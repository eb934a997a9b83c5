"""A part of an unbound input that requires grad is a view of the input in eager and on lower layers, of nothing on
Inductor.

The part is hidden from autograd as ``OutputType.non_alias``
(``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``); Inductor hands out memory of the input through
``reinterpret_tensor``, which makes no view.
"""

import torch

TRAIN = True


def program(a):
    b, c = a.unbind()
    return c


def inputs():
    return (torch.randn(2, requires_grad=True),)
