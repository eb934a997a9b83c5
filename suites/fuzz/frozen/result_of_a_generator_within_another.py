"""What a generator returns to another that yields from it is its result: traced, it is None, or an error.

What the end of a generator carries (``SEND`` in ``torch/_dynamo/symbolic_convert.py``) is made a constant, also where
it is one already, which fails an assertion in 2.11; in 2.13 it is lost.
"""

import torch


def program(a):
    def inner(x):
        yield x
        return x

    def outer(x):
        last = yield from inner(x)
        yield 0 if last is None else last

    return a * sum(outer(3))


def inputs():
    return (torch.randn(3),)
