"""A forward hook with ``always_call=True`` is not called where the module raises, on ``eager``.

``Module._call_impl`` leaves these hooks out while a compiler is at work.
"""

import torch


class Layer(torch.nn.Module):
    def forward(self, a):
        raise ValueError("no")


def program(a):
    seen = []
    layer = Layer()
    layer.register_forward_hook(lambda module, args, output: seen.append("called"), always_call=True)
    try:
        return layer(a), seen
    except ValueError:
        return a * 2, seen


def inputs():
    return (torch.randn(3),)
