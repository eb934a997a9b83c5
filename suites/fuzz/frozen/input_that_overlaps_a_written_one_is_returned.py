"""An input that is returned as it is comes back as another tensor, if an input that overlaps it is written to.

``merge_view_inputs`` (``torch/_functorch/_aot_autograd/runtime_wrappers.py``) replaces both by a synthetic base, of
which the input is a view: the output is no ``is_input`` any more, it is an ``alias_of_input``.
"""

import torch


def program(a, b):
    b.mul_(2)
    return a


def inputs():
    base = torch.randn(4)
    return base[:3], base[1:]
