"""Doubles that go to single precision and back keep all their digits on Inductor, and what overflowed is finite."""

import torch


def program(a):
    return a.float().double()


def inputs():
    return (torch.tensor([0.1, 1e300], dtype=torch.float64),)
