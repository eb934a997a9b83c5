"""Beside bags of embeddings without slopes eager hands out one count for each bag; a program is told one more.

Dynamo tells it one for each offset, of which the last begins no bag here.
"""

import torch


def program(weight, places, starts):
    counts = torch.embedding_bag(weight, places, starts, mode=1, include_last_offset=True)[2]
    return weight * counts.numel()


def inputs():
    return torch.ones(2, 3), torch.tensor([0, 1]), torch.tensor([0, 2])
