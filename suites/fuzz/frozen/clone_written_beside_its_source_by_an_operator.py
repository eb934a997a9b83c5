"""An operator writes to a clone of an input and to the input: to Inductor, which hands it the input twice, they are
one.

The copy of the clone is taken for one that can be written in place (``torch/_inductor/fx_passes/reinplace.py``).
"""

import torch


def zero_kernel(x, y):
    y.zero_()


zero = torch.library.custom_op(
    "drawn::zero_of_a_source", zero_kernel, mutates_args=("x", "y"), schema="(Tensor(x!) x, Tensor(y!) y) -> ()"
)


def program(a):
    b = a.clone()
    zero(b, a)
    return b


def inputs():
    return (torch.tensor([1.0, 2.0, 3.0]),)
