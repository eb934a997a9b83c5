"""Coins that nobody looks at are tossed in eager, and not by Inductor: the generator is elsewhere afterwards.

Dead code goes before lowering (``eliminate_dead_code`` in ``torch/fx/graph.py``); Inductor's lowering of
``bernoulli_`` reads nothing either, and what draws is no side effect to them.
"""

import torch


def program(a):
    torch.empty_like(a).bernoulli_(0.5)
    return a * 2


def inputs():
    return (torch.randn(3),)
