"""Images of one channel are in plain order and channels_last at once: Inductor mistakes which a function makes them.

The sine's kernel makes the strides of plain order, its fake keeps those of channels_last
(``compute_elementwise_output_strides`` in ``torch/_prims_common/__init__.py``); with symbolic sizes it is the other way
round for a product with a number. The convolution's channels are laid out by it.
"""

import torch
import torch.nn.functional as F


def program(a, weight):
    return F.conv2d(a.sin(), weight)


def inputs():
    images = torch.randn(2, 1, 4, 8).to(memory_format=torch.channels_last)
    return (images, torch.randn(4, 1, 3, 2))
