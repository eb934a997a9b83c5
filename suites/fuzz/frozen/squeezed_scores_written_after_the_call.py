import torch

TRAIN = True


def program(a, classes):
    scores = (a * 2).squeeze(0)
    return torch.nn.functional.cross_entropy(scores, classes), scores


def inputs():
    return torch.randn(1, 2, 4, requires_grad=True), torch.rand(2, 4)
