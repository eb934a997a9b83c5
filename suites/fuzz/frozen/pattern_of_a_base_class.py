"""A pattern of a base class takes the attributes whose names the class of the subject lists, not the base's.

``__match_args__`` is asked of what is matched (``impl_MATCH_CLASS`` in ``torch/_dynamo/polyfills/__init__.py``).
"""

import torch


class Base:
    __match_args__ = ("first",)

    def __init__(self):
        self.first, self.second = 1, 2


class Derived(Base):
    __match_args__ = ("second",)


DERIVED = Derived()


def program(a):
    match DERIVED:
        case Base(number):
            return a + number


def inputs():
    return (torch.randn(3),)
