"""The place of the largest of what is computed of a turned argument counts along its memory, by Inductor up to 2.14.

Loops over an argument that lies turned run in the order of its memory, and where the place of an extreme over several
dimensions is counted by the loop and not by the dimensions, it comes out as that of another element.
"""

import torch


def program(a):
    return (a * 2).argmax()


def inputs():
    return (torch.tensor([[0.0, 1.0], [0.0, 0.0]]).t(),)
