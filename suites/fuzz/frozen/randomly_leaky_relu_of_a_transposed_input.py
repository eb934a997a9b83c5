"""``rrelu`` in training, of a transposed input, is contiguous in eager, and transposed when compiled.

Compiled it is ``rrelu_with_noise_functional``, whose result is laid out like its operand; eager's
``rrelu_with_noise`` (``aten/src/ATen/native/Activation.cpp``) works on a contiguous copy in training.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.rrelu(a, training=True)


def inputs():
    return (torch.randn(2, 3).t(),)
