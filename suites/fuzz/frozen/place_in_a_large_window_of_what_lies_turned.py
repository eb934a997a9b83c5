"""The place of the largest in a window of more than 25 numbers is another one, where the image lies turned in memory.

Such a window is pooled by a reduction over its rows and columns (``_max_pool_with_offsets`` in
``torch/_inductor/lowering.py``), whose place is counted by loops that run in the order of the memory.
"""

import torch


def program(image):
    return torch.nn.functional.max_pool2d(image, 6, return_indices=True)[1]


def inputs():
    image = torch.zeros(1, 1, 6, 6)
    image[0, 0, 1, 4] = 1
    return (image.transpose(2, 3),)
