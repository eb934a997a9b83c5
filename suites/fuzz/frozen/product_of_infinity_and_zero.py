"""Infinity times the integer 0 is nan, and so is nan times 0: on Inductor, both are 0.

A peephole pattern (``UniformValueConstantFolder`` in ``torch/_inductor/fx_passes/joint_graph.py``) makes zeros of every
product with the integer 0, without looking whether the tensor is of integers. ``softshrink`` of nan is 0 for that.
"""

import torch


def program(a):
    return a * 0


def inputs():
    return (torch.tensor([float("inf"), float("nan"), 1.0]),)
