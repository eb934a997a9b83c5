"""Images of symbolic size that are normalised one by one and then convolved do not compile on Inductor with gradients.

What ``instance_norm`` keeps for backward has four dimensions, and its channels are to come last beside a convolution:
its strides are sorted as expressions of sizes (``get_stride_order`` in ``torch/_inductor/ir.py``).
"""

import torch
import torch.nn.functional as F

DYNAMIC = True


def program(a, weight):
    return F.conv2d(F.instance_norm(a), weight, groups=a.shape[1])


def inputs():
    images = torch.randn(3, 6, 6, 9).to(memory_format=torch.channels_last)
    return (images.requires_grad_(), torch.randn(6, 1, 2, 2))
