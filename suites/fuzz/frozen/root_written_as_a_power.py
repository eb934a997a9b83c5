"""One over a root, written as a power, of minus nought: eager takes the root, Inductor's kernel the power.

The root of minus nought is minus nought, and one over it minus infinity; a power of minus nought has no sign.
"""

import torch


def program(a):
    return a**-0.5


def inputs():
    return (torch.tensor([-0.0, 4.0]),)
