"""The number next to infinity in bfloat16 is the largest finite one: on Inductor, infinity.

Inductor computes ``nextafter`` of low precision in float32 (``CppVecOverrides.nextafter`` in
``torch/_inductor/codegen/cpp.py``), where the next number is another, and rounds it back to where it began.
"""

import torch


def program(a):
    return torch.nextafter(a, torch.zeros_like(a))


def inputs():
    return (torch.tensor([float("inf")], dtype=torch.bfloat16),)
