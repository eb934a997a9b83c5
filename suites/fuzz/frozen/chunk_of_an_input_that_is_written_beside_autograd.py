"""A chunk of an input that the program writes to, beside autograd, shares no memory with the input when compiled.

``run_functionalized_fw_and_collect_metadata`` (``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``)
hides multi-output views from autograd as ``OutputType.non_alias``; of a written input the graph hands out a part of
the functional copy then.
"""

import torch

TRAIN = True
made = {}


def program(a):
    a.detach().mul_(2)
    b, c = a.chunk(2)
    return c


def inputs():
    made["a"] = torch.randn(4, requires_grad=True)
    return (made["a"] * 1,)


def leaves():
    return made
