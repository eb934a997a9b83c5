"""The gradient of stft by a signal that is expanded to two channels is another for each, where eager shares it out."""

import torch

TRAIN = True


def program(a):
    return torch.view_as_real(torch.stft(a, 4, window=torch.ones(4), center=False, return_complex=True))


def inputs():
    return (torch.arange(6.0).expand(2, 6).detach().requires_grad_(),)
