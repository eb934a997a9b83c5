"""How many numbers stand beside bags of embeddings is told for offsets that end in none, with slopes or without.

Without slopes eager hands out one for each bag and Dynamo tells the program one for each offset, which is one more.
"""

import torch


def program(weight, places, starts):
    counts = torch.embedding_bag(weight, places, starts, False, 1, False, None, True)[2]
    return weight * counts.numel()


def inputs():
    return torch.ones(2, 3), torch.tensor([0, 1]), torch.tensor([0, 2])
