"""A product with a window of one number, which is one, is the argument itself on Inductor, and a new tensor in eager.

Where constants are folded, ``remove_no_ops`` of ``torch/_inductor/fx_passes/joint_graph.py`` puts the operand for what
is multiplied by ones or has noughts added, and does not ask whether it is an argument and handed out.
"""

import torch


def program(a):
    return a * torch.hann_window(1)


def inputs():
    return (torch.randn(4),)
