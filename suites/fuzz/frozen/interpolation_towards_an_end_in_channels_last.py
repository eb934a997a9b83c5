"""What lies between two images, nearer to the end, lies in memory as the end does where kernels take the start's order.

For a weight of a half or more the decomposition goes from the end (``_lerp_scalar``), whose strides its result has.
"""

import torch


def program(a, b):
    return torch.lerp(a, b, 0.75)


def inputs():
    return torch.zeros(1, 2, 2, 2), torch.ones(1, 2, 2, 2).to(memory_format=torch.channels_last)
