"""Mutants of what outputs come in: containers, order, values that are no tensors, types of tensors."""

from __future__ import annotations

from typing import Any

import torch

from suites.harness.torch_internals import is_traceable_wrapper_subclass, pytree

from .making import Run, graph, map_tensors, program


@program("structure")
def returns_another_container(run: Run) -> Run:
    """A tuple comes back as a list, a list as a tuple, and a single tensor in a tuple of one."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        if type(outputs) in (tuple, list):
            return list(outputs) if type(outputs) is tuple else tuple(outputs)
        return (outputs,) if isinstance(outputs, torch.Tensor) else outputs

    return wrong


@program("structure")
def reverses_dicts(run: Run) -> Run:
    """A dict comes back with its keys in the opposite order."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        return dict(reversed(outputs.items())) if type(outputs) is dict else outputs

    return wrong


@program("structure")
def drops_none(run: Run) -> Run:
    """``None`` among the outputs is left out."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        if type(outputs) in (tuple, list):
            return type(outputs)(item for item in outputs if item is not None)
        return outputs

    return wrong


@program("structure")
def wrong_numbers(run: Run) -> Run:
    """A Python number that the program returns is off by one."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        return pytree.tree_map(lambda item: item + 1 if type(item) in (int, float) else item, outputs)

    return wrong


@graph("value", "shape", "dtype", "layout", "alias", "autograd")
def swaps_outputs(run: Run) -> Run:
    """The first two tensors of the outputs change places where their shapes agree."""

    def wrong(*args: Any) -> Any:
        outputs = list(run(*args))
        places = [place for place, item in enumerate(outputs) if isinstance(item, torch.Tensor)][:2]
        if len(places) == 2:
            first, second = places
            if outputs[first].shape == outputs[second].shape:
                outputs[first], outputs[second] = outputs[second], outputs[first]
        return tuple(outputs)

    return wrong


@graph("structure")
def unwraps_subclasses(run: Run) -> Run:
    """A wrapper subclass comes back as the first of its plain tensors."""

    def wrong(*args: Any) -> Any:
        return map_tensors(_unwrapped, run(*args))

    return wrong


def _unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    if not is_traceable_wrapper_subclass(tensor):
        return tensor
    names, _ = tensor.__tensor_flatten__()
    inner: torch.Tensor = getattr(tensor, names[0])
    return inner
