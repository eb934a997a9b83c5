"""An operator is handed one intermediate for both of the arguments that it writes to: to Inductor they are two
tensors.

Each argument of the fallback is realized by itself (``torch/_inductor/ir.py``), and an intermediate that nothing
else reads is computed twice.
"""

import torch


def second_kernel(x, y):
    y.add_(1)
    return x * 2


if not hasattr(torch.ops.drawn, "second_of_two"):
    torch.library.define("drawn::second_of_two", "(Tensor(x!) x, Tensor(y!) y) -> Tensor")
    torch.library.impl("drawn::second_of_two", "CPU", second_kernel)
    torch.library.register_fake("drawn::second_of_two", lambda x, y: torch.empty_like(x))
second = torch.ops.drawn.second_of_two.default


def program(a):
    b = a - 1
    return second(b, b)


def inputs():
    return (torch.tensor([1.0, 2.0, 3.0]),)
