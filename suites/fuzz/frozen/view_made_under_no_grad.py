"""A view of an input that is made under no_grad is no leaf when compiled, and gradients flow through it.

AOTAutograd makes views of inputs again after the call, with grad on: ``gen_alias_from_base`` in
``torch/_functorch/_aot_autograd/functional_utils.py`` detaches a view only if it does not require grad, and this one
does.
"""

import torch

TRAIN = True


def program(a):
    with torch.no_grad():
        return a[:1]


def inputs():
    return (torch.randn(3, requires_grad=True),)
