"""Two layers of an LSTM do not train in a graph where their input needs no gradient.

They become oneDNN's layer, which hands out None for what is missing, and the graph saves that for backward.
"""

import torch

CONFIG = {"dynamo.allow_rnn": True}
layers = torch.nn.LSTM(3, 6, num_layers=2)


def program(a):
    return layers(a)[0]


def inputs():
    return (torch.randn(4, 2, 3),)
