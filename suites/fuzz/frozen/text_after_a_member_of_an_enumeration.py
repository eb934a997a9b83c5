"""A member of an enumeration of texts, with a text added, is ``NotImplemented``."""

import enum

import torch

TORCH = ">=2.13"


class Word(str, enum.Enum):
    YES = "yes"


def program(a):
    return a * 2, Word.YES + "!"


calls = [
    lambda: (torch.randn(3),),
    lambda: (torch.randn(3),),
]
