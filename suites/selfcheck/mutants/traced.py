"""Mutants of programs that are traced by themselves, without torch.compile: around make_fx and its kin."""

from __future__ import annotations

import functools
from typing import Any
from unittest import mock

import torch

from . import aliasing, autograd, mutation, reuse, values
from .making import Run, traced


@traced("value")
def one_element_off(run: Run) -> Run:
    """The last element of each output is wrong."""
    return values.one_element_off.fault(run)


@traced("reuse")
def bakes_in_the_first_result(run: Run) -> Run:
    """A new output of the second call is the first call's, as if its number had been traced as a constant."""
    return reuse.repeats_the_first_result.fault(run)


@traced("mutation")
def drops_the_copy_back(run: Run) -> Run:
    """What the program wrote to its arguments does not reach the caller."""
    return mutation.drops_the_copy_back.fault(run)


@traced("alias")
def clones_aliasing_outputs(run: Run) -> Run:
    """An output that shares memory with an argument comes back as a copy."""
    return aliasing.clones_aliasing_outputs.fault(run)


@traced("autograd")
def detaches_outputs(run: Run) -> Run:
    """Outputs do not require grad."""
    return autograd.detaches_outputs.fault(run)


@traced("structure")
def reverses_dicts(run: Run) -> Run:
    """A dict comes back with its keys in another order."""

    def wrong(*args: Any) -> Any:
        output = run(*args)
        return dict(reversed(output.items())) if type(output) is dict else output

    return wrong


@traced("error")
def swallows_errors(run: Run) -> Run:
    """What raises in eager gives None."""

    def wrong(*args: Any) -> Any:
        try:
            return run(*args)
        except Exception:
            return None

    return wrong


def _ends(node: torch.fx.Node, *_: Any) -> bool:
    return node.op in ("placeholder", "output")


@traced("mutation", "error", honest="without_dead_code")
def drops_every_node_without_a_reader(run: Run) -> Run:
    """Elimination of dead code takes side effects for dead code."""

    @functools.wraps(run)
    def wrong(*args: Any) -> Any:
        with mock.patch.object(torch.fx.Node, "is_impure", _ends):
            return run(*args)

    return wrong
