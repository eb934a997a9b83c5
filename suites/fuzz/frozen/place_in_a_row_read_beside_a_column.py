"""The place of the largest of a row is another one where an operand is read along columns, by Inductor up to 2.12.

A kernel whose operands lie in two orders runs in tiles, and the place within the tile is not added to where it begins.
"""

import torch


def program(a, b):
    return (a + b.t()).argmax(1)


def inputs():
    a = torch.zeros(2, 16)
    a[0, 3] = a[1, 9] = 1.0
    return a, torch.zeros(16, 2)
