"""What `unique_consecutive` keeps along a dimension counted from the end has as many dimensions as its argument.

The sizes that Dynamo is told are those before the dimension, the one that is found, and then all of the argument's:
what the program asks of them is wrong, and Inductor refuses the operator's result.
"""

import torch

CONFIG = {"dynamo.capture_dynamic_output_shape_ops": True}


def program(a):
    return a + a.unique_consecutive(dim=-1).dim()


def inputs():
    return (torch.arange(4).view(2, 2) + 1,)
