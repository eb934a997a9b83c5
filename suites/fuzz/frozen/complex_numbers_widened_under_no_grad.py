"""Complex numbers that are widened under no_grad come back requiring grad, where conversions are decomposed."""

import torch


def program(a):
    with torch.no_grad():
        return a.to(torch.complex128)


def inputs():
    return (torch.tensor([1 + 2j, 3j], requires_grad=True),)
