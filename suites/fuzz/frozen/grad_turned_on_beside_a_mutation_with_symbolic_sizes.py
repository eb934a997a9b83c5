"""A detached alias that is made to require grad, beside a mutation, with symbolic sizes: an internal assertion."""

import torch

DYNAMIC = True


def program(a):
    b = a.detach().requires_grad_()
    a.abs_()
    return b.squeeze()


def inputs():
    return (torch.randn(2),)
