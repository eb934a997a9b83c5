"""A margin loss over fewer labels than classes counts class 0 once more for each label that is not there.

The decomposition of ``multilabel_margin_loss_forward`` (``torch/_decomp/decompositions.py``) gathers at 0 where a label
is absent, and masks by class and not by label what it gathered. It is what autograd traces, so every backend has it.
"""

import torch
import torch.nn.functional as F


def program(a):
    return F.multilabel_margin_loss(a, torch.tensor([[0, -1, 1]]))


def inputs():
    return (torch.tensor([[0.5, 2.0, -1.0]]),)
