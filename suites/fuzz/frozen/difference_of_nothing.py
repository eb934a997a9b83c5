"""A tensor without elements less zeros is the tensor itself on Inductor.

The difference is removed as if it changed nothing (``torch/_inductor/fx_passes/joint_graph.py``), and an input that is
returned unchanged is the input.
"""

import torch


def program(a):
    return a - torch.zeros_like(a)


def inputs():
    return (torch.ones(0),)
