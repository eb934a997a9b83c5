"""An element of an input that begins one later in the memory of a written input: the element before it comes back.

The output's views are replayed on the synthetic base as if the input began where the base does
(``create_synthetic_base_metadata`` in ``torch/_functorch/_aot_autograd/input_output_analysis.py``).
"""

import torch


def program(a, b):
    a.mul_(2)
    return b[0]


def inputs():
    a = torch.randn(4)
    return a, a[1:]
