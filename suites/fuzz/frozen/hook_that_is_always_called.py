"""A forward hook with ``always_call=True`` is not called where the module raises, on ``eager``.

``Module._call_impl`` leaves these hooks out while a compiler is at work.
"""

import torch


class Layer(torch.nn.Module):
    def forward(self, a, bad):
        if bad:
            raise ValueError("no")
        return a.sin()


seen = []
layer = Layer()
layer.register_forward_hook(lambda module, args, output: seen.append("called"), always_call=True)


def program(a, bad):
    seen.clear()
    try:
        return layer(a, bad), len(seen)
    except ValueError:
        return a * 2, len(seen)


def inputs():
    return torch.randn(3), True
