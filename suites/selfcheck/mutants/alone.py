"""Mutants of AOTAutograd without Dynamo: what Dynamo refuses, or keeps out of a backend's sight."""

from __future__ import annotations

from . import aliasing, autograd, mutation, values
from .making import Run, alone


@alone("mutation", "value")
def drops_the_copy_back(run: Run) -> Run:
    """What the program wrote to its arguments does not reach the caller."""
    return mutation.drops_the_copy_back.fault(run)


@alone("mutation", "autograd", "error")
def drops_the_mutation_of_metadata(run: Run) -> Run:
    """An argument has the sizes, strides and offset that it had before the call."""
    return mutation.keeping_geometry(run)


@alone("mutation", "alias", honest="aot_function_keep_mutations")
def drops_a_new_storage(run: Run) -> Run:
    """An argument that the program gave another storage has its old one after the call."""
    return mutation.keeping_storages(run)


@alone("value")
def one_element_off(run: Run) -> Run:
    """The last element of each output is wrong."""
    return values.one_element_off.fault(run)


@alone("alias", "probe")
def clones_aliasing_outputs(run: Run) -> Run:
    """An output that shares memory with an argument comes back as a copy."""
    return aliasing.clones_aliasing_outputs.fault(run)


@alone("autograd")
def detaches_outputs(run: Run) -> Run:
    """Outputs do not require grad."""
    return autograd.detaches_outputs.fault(run)
