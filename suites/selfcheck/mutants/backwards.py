"""Mutants of what backward does beside its gradients: what it writes, what it draws, and whom it calls."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness import torch_internals

from .making import Run, Snapshot, backward, overwrite, program, share_memory, tensors_in


@backward("mutation")
def loses_what_backward_writes(run: Run) -> Run:
    """What backward writes to a buffer or to a tensor that it saved does not reach the caller."""

    def wrong(*args: Any) -> Any:
        before = Snapshot.of(args)
        gradients = run(*args)
        for tensor, old in list(before.changed()):
            overwrite(tensor, old)
        return gradients

    return wrong


@backward("mutation")
def scribbles_on_what_was_saved(run: Run) -> Run:
    """Backward uses the tensors that it is given, the caller's own among them, as scratch space when it is done."""

    def wrong(*args: Any) -> Any:
        gradients = run(*args)
        results = tensors_in(gradients)
        for tensor in args:
            plain = type(tensor) is torch.Tensor and tensor.dtype.is_floating_point and 0 not in tensor.stride()
            if plain and not any(share_memory(tensor, result) for result in results):
                overwrite(tensor, tensor.detach() + 1)
        return gradients

    return wrong


@backward("random")
def draws_in_backward(run: Run) -> Run:
    """Backward draws random numbers once more, as when an operator of forward is computed again in it."""

    def wrong(*args: Any) -> Any:
        torch.rand(1)
        return run(*args)

    return wrong


@program("mutation", "autograd")
def forgets_the_hooks_of_arguments(run: Run) -> Run:
    """Hooks that the caller has put on an argument, or the program puts on it, are not called."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        for tensor in tensors_in((args, kwargs)):
            for hooks in torch_internals.tensor_hooks(tensor):
                hooks.clear()
        return outputs

    return wrong
