"""What the program computes under inference_mode is an ordinary tensor when compiled.

Dynamo's ``InferenceModeVariable`` (``torch/_dynamo/variables/ctx_manager.py``) puts the mode into the graph;
AOTAutograd traces below it with ordinary fakes, and hands out ordinary outputs.
"""

import torch


def program(a):
    with torch.inference_mode():
        return a * 2


def inputs():
    return (torch.randn(3),)
