"""An operator without a derivative, of an input that requires grad: eager computes it, and refuses only to go back.

AOTAutograd traces forward and backward at once, and refuses the program.
"""

import torch


def program(a):
    return torch.heaviside(a, a)


def inputs():
    return (torch.randn(3, requires_grad=True),)
