"""Images in channels_last, picked by index, are contiguous in eager, and in channels_last still when decomposed.

``index_select`` in ``torch/_refs/__init__.py`` ends with ``contiguous(memory_format=suggest_memory_format(x))``;
eager's kernel (``aten/src/ATen/native/TensorAdvancedIndexing.cpp``) makes a contiguous result on CPU.
"""

import torch


def program(a):
    return a.index_select(0, torch.tensor([0]))


def inputs():
    return (torch.randn(2, 2, 4, 4).to(memory_format=torch.channels_last),)
