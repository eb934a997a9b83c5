"""``bernoulli_`` into a transposed view tosses in the order of the base's memory when compiled: other elements are
heads.

Functionalized, it is ``bernoulli`` of the view (``torch/_decomp`` and the functionalization kernel of
``bernoulli_``): a draw into fresh memory, which lies in another order than the view's.
"""

import torch


def program(a):
    a.mT.bernoulli_(0.5)


def inputs():
    return (torch.randn(2, 3),)
