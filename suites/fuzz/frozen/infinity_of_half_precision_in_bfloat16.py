"""What half precision makes an infinity comes out of a further conversion to bfloat16 as the number that it was.

Of a pair of conversions Inductor makes the last alone where the dtype between is no narrower (``pointless_convert`` in
``torch/_inductor/fx_passes/joint_graph.py``): bfloat16 has the width of float16, and more range.
"""

import torch


def program(a):
    return a.half().bfloat16()


def inputs():
    return (torch.tensor([131072.0]),)
