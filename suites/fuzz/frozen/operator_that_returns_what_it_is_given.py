"""An operator whose schema says that its result shares memory with its argument is refused, though eager runs it.

A functional graph has no place for it: torch says so (``aten/src/ATen/FunctionalizeFallbackKernel.cpp``).
"""

import torch


def same_kernel(x):
    return x.view_as(x)


if not hasattr(torch.ops.drawn, "same"):
    torch.library.define("drawn::same", "(Tensor(x) x) -> Tensor(x)")
    torch.library.impl("drawn::same", "CPU", same_kernel)
    torch.library.register_fake("drawn::same", same_kernel)
same = torch.ops.drawn.same.default


def program(a):
    return same(a)


def inputs():
    return (torch.tensor([1.0, 2.0, 3.0]),)
