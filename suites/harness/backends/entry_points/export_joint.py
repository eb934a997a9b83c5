"""AOTAutograd's joint export: one graph of forward and backward of a module that returns its loss first.

The graph is called as its signature says: parameters, buffers and inputs in; new values of mutated buffers and inputs,
the outputs and the gradients out. The route writes the new values back and hands the gradients to autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from suites.harness import torch_internals
from suites.harness.backends.backend import Backend, CompileCounter, CompileOptions

Program = Callable[..., Any]


class _Loss(torch.autograd.Function):
    """The loss, with gradients that the graph has computed already."""

    @staticmethod
    def forward(ctx: Any, loss: torch.Tensor, gradients: Sequence[torch.Tensor], *leaves: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(*gradients)
        return loss.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return None, None, *(kept * gradient for kept in ctx.saved_tensors)


def _compile(program: Program, options: CompileOptions, counter: CompileCounter) -> Program:
    assert isinstance(program, torch.nn.Module), "joint export takes a module"
    module = program
    exported: list[tuple[Any, Any]] = []

    def run(*args: torch.Tensor) -> Any:
        if not exported:
            graph, signature = torch_internals.aot_export_module(module, args, trace_joint=True, output_loss_index=0)
            counter.took(graph, "joint")
            exported.append((graph, signature))
        return _called(module, *exported[0], args)

    return run


def _called(module: torch.nn.Module, graph: Program, signature: Any, args: tuple[torch.Tensor, ...]) -> Any:
    """Call the graph by its signature, which names every input and every output."""
    state = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers())
    named: dict[str, torch.Tensor] = dict(zip(signature.user_inputs, args, strict=True))
    named |= {place: state[name] for place, name in signature.inputs_to_parameters.items()}
    named |= {place: state[name] for place, name in signature.inputs_to_buffers.items()}
    placeholders = [node.name for node in graph.graph.nodes if node.op == "placeholder"]  # type: ignore[attr-defined]
    with torch.no_grad():
        values = graph(*(named[name].detach() for name in placeholders))
    (node,) = (node for node in graph.graph.nodes if node.op == "output")  # type: ignore[attr-defined]
    results = dict(zip((item.name for item in node.args[0]), values, strict=True))
    with torch.no_grad():
        for place, name in signature.buffers_to_mutate.items():
            state[name].copy_(results[place])
    backward = signature.backward_signature
    gradients = [(state[name], results[place]) for place, name in backward.gradients_to_parameters.items()]
    gradients += [(named[name], results[place]) for place, name in backward.gradients_to_user_inputs.items()]
    leaves = [leaf for leaf, _ in gradients]
    # The loss is the first output by construction; where buffers are mutated, the signature names another.
    first, *others = signature.user_outputs
    loss = _Loss.apply(results[first], [gradient for _, gradient in gradients], *leaves)
    return loss, *(results[name] for name in others)


BACKEND = Backend("export_joint", _compile, bitwise=True, dynamo=False, version=torch.__version__)
