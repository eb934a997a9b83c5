"""Minus zero plus a tensor of zeros is minus zero on Inductor.

The sum is removed as if it changed nothing (``torch/_inductor/fx_passes/joint_graph.py``).
"""

import torch


def program(a):
    return 1 / (a + torch.zeros(1))


def inputs():
    return (torch.tensor([-0.0]),)
