"""The gradient of an embedding with ``max_norm`` and ``sparse=True`` is dense in a graph.

The table, which is scaled down in place, comes out of AOTAutograd's graph with a tangent of its own: dense noughts, to
which the sparse gradient is added.
"""

import torch
import torch.nn.functional as F

TRAIN = True


def program(table, index):
    return F.embedding(index, table, max_norm=1.0, sparse=True) * 2


def inputs():
    return torch.full((4, 2), 3.0, requires_grad=True), torch.tensor([0, 2])
