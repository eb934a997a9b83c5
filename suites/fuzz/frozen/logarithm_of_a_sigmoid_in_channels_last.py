import torch


def program(a):
    return torch.nn.functional.logsigmoid(a)


def inputs():
    return (torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),)
