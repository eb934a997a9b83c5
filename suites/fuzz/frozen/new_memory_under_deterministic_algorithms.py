"""Fresh memory is not filled under ``use_deterministic_algorithms``, on ``inductor``.

Torch fills it with nan, or with the largest integer, while ``torch.utils.deterministic.fill_uninitialized_memory`` is
set, as it is by default; Inductor allocates and writes nothing.
"""

import contextlib

import torch


def program(a):
    return a.sin(), torch.empty(3)


def inputs():
    return (torch.randn(3),)


@contextlib.contextmanager
def deterministic():
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


calls = [(inputs, deterministic), (inputs, deterministic)]
