"""Between the layers of a recurrent network nothing is dropped out once it is traced.

The decomposition asks for a number of layers that is less than that of the layer (`_rnn_helper`, where the two have
changed places), which is never so, and forgets the share of what is to be dropped.
"""

import torch

CONFIG = {"dynamo.allow_rnn": True}
layers = torch.nn.GRU(3, 6, num_layers=2, dropout=0.5)


def program(a):
    return layers(a)[0]


def inputs():
    return (torch.randn(4, 2, 3),)
