"""A hook for all modules that is registered after the first call is never called, though guards on hooks are asked for.

Dynamo guards the hooks of each module; on those in ``torch.nn.modules.module`` there are no guards.
"""

import contextlib

import torch

CONFIG = {"dynamo.skip_nnmodule_hook_guards": False}

layer = torch.nn.Tanh()


def program(a):
    return layer(a) + 1


def inputs():
    return (torch.randn(3),)


@contextlib.contextmanager
def hooked():
    register = torch.nn.modules.module.register_module_forward_hook
    handle = register(lambda module, args, output: output * 2 if module is layer else None)
    try:
        yield
    finally:
        handle.remove()


calls = [inputs, (inputs, hooked)]
