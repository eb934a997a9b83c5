"""A part, of symbolic size, of a strided input that is written to comes back with strides that are not the input's.

The output is made again from the input with ``as_strided`` and what tracing saw of it (``gen_alias_from_base`` in
``torch/_functorch/_aot_autograd/functional_utils.py``), since views with symbolic sizes are not replayed. What tracing
saw is a part of the value that was computed for the input, and that is contiguous: other elements are read.
"""

import torch

DYNAMIC = True


def program(a):
    a.mul_(2)
    return a[: a.shape[0] - 1]


def inputs():
    return (torch.arange(8.0)[::2],)
