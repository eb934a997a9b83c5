"""A ``random.Random`` of one's own draws the same number again in a later call.

Its state is written back by the compiled code, but not guarded on (``torch/_dynamo/variables/user_defined.py``).
"""

import random

import torch

chance = random.Random(0)


def program(a):
    return a * chance.randint(1, 1000)


def inputs():
    return (torch.ones(1),)
