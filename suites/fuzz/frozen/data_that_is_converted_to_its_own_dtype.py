"""``type_as`` of a dtype that a tensor has returns the tensor itself in eager; Dynamo alone hands out two for
``.data``.

``torch/_dynamo/variables/tensor.py`` traces ``.data`` as ``detach``, and a second output that is the same fake
tensor is not looked for: outputs are told apart by the graph's node.
"""

import torch


def program(a):
    b = a.data
    return b.type_as(a), b


def inputs():
    return (torch.randn(3),)
