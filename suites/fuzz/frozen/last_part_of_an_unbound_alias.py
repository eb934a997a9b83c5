"""The last part of an unbound alias of a written input, where the alias has more parts than the input: the process
dies.

The output's views are replayed on the synthetic base (``gen_alias_from_base`` in
``torch/_functorch/_aot_autograd/functional_utils.py``): of the base's eight parts the seventy-second is taken,
unchecked.
"""

import torch


def program(a, b):
    a.mul_(2)
    return b.unbind()[-1]


def inputs():
    a = torch.randn(8, 9)
    return a, a.reshape(-1)
