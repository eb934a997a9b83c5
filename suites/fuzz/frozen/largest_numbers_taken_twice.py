"""The largest numbers of columns, taken twice, are two tensors in eager and one in a training graph.

Of nodes that are alike the graph keeps one (``fx_graph_cse`` in ``torch/_functorch/compile_utils.py``), but for those
whose memory it returns. An operator of several results is none of these: it is its results that are returned.
"""

import torch

TRAIN = True


def program(a):
    return a.max(0).values, a.max(0).values


def inputs():
    return (torch.tensor([[0.5, -1.0], [2.0, 0.25], [-0.75, 3.0]], requires_grad=True),)
