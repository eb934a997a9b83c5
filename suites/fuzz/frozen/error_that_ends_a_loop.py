"""An IndexError that an iterator raises ends the loop over it, as if there were no more, and reaches nobody."""

import torch


class Steps:
    def __iter__(self):
        return self

    def __next__(self):
        raise IndexError("no such step")


def program(a):
    try:
        for _ in Steps():
            a = a + 1
    except IndexError:
        return a * 3
    return a * 2


def inputs():
    return (torch.randn(3),)
