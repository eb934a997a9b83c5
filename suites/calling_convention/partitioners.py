"""Backends with partitioners of their own: each splits the joint graph in another place, and means the same.

They run their graphs as they are: ``--backend suites.calling_convention.partitioners:recomputes_everything``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

# Private homes of what `functorch.compile` exports: aot_autograd for backends since 2.0, nop and the partitioners 1.13.
from functorch.compile import default_partition, make_boxed_func, min_cut_rematerialization_partition

from suites.harness import torch_internals

Compiled = Callable[..., Any]
Split = tuple[torch.fx.GraphModule, torch.fx.GraphModule]


def _run(module: torch.fx.GraphModule, example_inputs: Any) -> Compiled:
    """Run a graph node by node; what it is handed is freed after its last use."""
    boxed: Compiled = make_boxed_func(module.forward)
    return boxed


def _backend(partition: Callable[..., Split]) -> Compiled:
    def backend(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        compiled: Compiled = torch_internals.aot_autograd(
            fw_compiler=_run, bw_compiler=_run, partition_fn=partition, keep_inference_input_mutations=True
        )(module, example_inputs)
        return compiled

    backend.parity_bitwise = True  # type: ignore[attr-defined]
    return backend


def _saves_all(joint: torch.fx.GraphModule, inputs: Any, **options: Any) -> Split:
    """The default partition: what backward reads is saved, and nothing is computed twice."""
    forward, backward = default_partition(joint, inputs, **options)
    return forward, backward


def _saves_inputs_alone(joint: torch.fx.GraphModule, inputs: Any, **options: Any) -> Split:
    """Whatever was computed in forward is marked to be computed again in backward."""
    from torch.utils.checkpoint import CheckpointPolicy

    for node in joint.graph.nodes:
        if node.op == "call_function" and "tangents" not in str(node.args) and not _of_backward(node):
            node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
            node.meta["ac_graph_id"] = 0
    forward, backward = min_cut_rematerialization_partition(joint, inputs, **options)
    return forward, backward


def _of_backward(node: torch.fx.Node) -> bool:
    return node.meta.get("partitioner_tag") == "is_backward"


saves_everything = _backend(_saves_all)
recomputes_everything = _backend(_saves_inputs_alone)
