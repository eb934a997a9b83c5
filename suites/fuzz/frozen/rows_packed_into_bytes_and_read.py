"""Rows of an embedding that a compiled program packs into bytes, and reads, are garbage: it reads the bytes as floats.

What is told of the operator that packs has the dtype of its argument, so that a kernel also reads beyond its result.
"""

import torch
import torch.ao.quantization.quantize_fx  # Registers the operators.


def program(a):
    packed = torch.ops.quantized.embedding_bag_byte_prepack(a)
    return torch.ops.quantized.embedding_bag_byte_unpack(packed)


def inputs():
    return (torch.tensor([[0.0, 255.0], [-128.0, 127.0]]),)
