"""Mutants of gradients and of what autograd knows about outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suites.harness.torch_internals import pytree

from .making import Run, backward, fresh, graph, map_tensors, tensors_in


@graph("autograd")
def detaches_outputs(run: Run) -> Run:
    """Outputs do not require grad."""

    def wrong(*args: Any) -> Any:
        return map_tensors(torch.Tensor.detach, run(*args))

    return wrong


@graph("autograd")
def makes_detached_outputs_differentiable(run: Run) -> Run:
    """Floating-point outputs that are cut off from their history require grad, where some argument does."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        tracked = [tensor for tensor in tensors_in(args) if tensor.requires_grad]
        if not tracked or not torch.is_grad_enabled():
            return outputs
        given = {id(tensor) for tensor in tensors_in(args)}

        def tie(tensor: torch.Tensor) -> torch.Tensor:
            eligible = tensor.dtype.is_floating_point and not tensor.requires_grad and id(tensor) not in given
            return tensor.requires_grad_() if eligible else tensor

        return map_tensors(tie, outputs)

    return wrong


def _last_gradient(gradients: Any) -> int | None:
    found = [place for place, value in enumerate(gradients) if isinstance(value, torch.Tensor)]
    return found[-1] if found else None


@backward("autograd")
def loses_one_gradient(run: Run) -> Run:
    """The last argument that has a gradient gets none."""

    def wrong(*args: Any) -> Any:
        gradients = list(run(*args))
        place = _last_gradient(gradients)
        if place is not None:
            gradients[place] = None
        return tuple(gradients)

    return wrong


@backward("autograd")
def doubles_one_gradient(run: Run) -> Run:
    """The last gradient is accumulated twice."""

    def wrong(*args: Any) -> Any:
        gradients = list(run(*args))
        place = _last_gradient(gradients)
        if place is not None:
            gradients[place] = gradients[place] * 2
        return tuple(gradients)

    return wrong


@backward("autograd")
def sparse_gradient(run: Run) -> Run:
    """A gradient arrives in another layout.

    ``AccumulateGrad`` copies a strided gradient into its leaf's own strides, so that wrong strides of a gradient never
    reach ``.grad``; a sparse one is kept as it comes.
    """

    def wrong(*args: Any) -> Any:
        return tuple(_sparse(value) if isinstance(value, torch.Tensor) else value for value in run(*args))

    return wrong


def _sparse(gradient: torch.Tensor) -> torch.Tensor:
    plain = type(gradient) is torch.Tensor and gradient.layout == torch.strided and gradient.dim() > 0
    return gradient.to_sparse() if plain else gradient


@backward("autograd")
def drops_gradients_that_are_zero(run: Run) -> Run:
    """A gradient that is zero everywhere is taken for one that is not there."""

    def wrong(*args: Any) -> Any:
        return tuple(
            None if isinstance(value, torch.Tensor) and not bool(value.any()) else value for value in run(*args)
        )

    return wrong


@graph("autograd")
def zero_instead_of_no_gradient(run: Run) -> Run:
    """Every argument that requires grad gets a gradient, of zeros if the outputs do not depend on it."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        tracked = [tensor for tensor in args if isinstance(tensor, torch.Tensor) and tensor.requires_grad]
        own = [tensor for tensor in fresh(args, outputs) if tensor.requires_grad]
        if not tracked or not own:
            return outputs
        return pytree.tree_map_only(
            torch.Tensor, lambda tensor: _Tied.apply(tensor, *tracked) if tensor is own[0] else tensor, outputs
        )

    return wrong


class _Tied(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, output: torch.Tensor, *tracked: torch.Tensor) -> torch.Tensor:
        ctx.shapes = [(tensor.shape, tensor.dtype) for tensor in tracked]
        return output.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient, *(torch.zeros(shape, dtype=dtype) for shape, dtype in ctx.shapes)


@graph("autograd")
def assumes_dense_cotangents(run: Run) -> Run:
    """Backward reads an expanded cotangent, which ``sum().backward()`` hands it, as if it were contiguous.

    The fault sits before AOTAutograd's own backward, which makes cotangents contiguous first.
    """

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        for tensor in fresh(args, outputs):
            if tensor.requires_grad:
                tensor.register_hook(_misread)
        return outputs

    return wrong


def _misread(cotangent: torch.Tensor) -> torch.Tensor:
    expanded = any(stride == 0 and size > 1 for size, stride in zip(cotangent.shape, cotangent.stride(), strict=True))
    if type(cotangent) is not torch.Tensor or not expanded:
        return cotangent
    read = torch.zeros(cotangent.shape, dtype=cotangent.dtype)
    read.view(-1)[0] = cotangent.flatten()[0]
    return read


@graph("autograd")
def right_only_once(run: Run) -> Run:
    """A second backward through one graph, which ``retain_graph`` allows, finds nothing and gives zeros."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        for node in {tensor.grad_fn for tensor in fresh(args, outputs)}:
            if node is not None:
                node.register_prehook(_zeros_after_the_first())
        return outputs

    return wrong


def _zeros_after_the_first() -> Callable[[Any], Any]:
    times = 0

    def hook(gradients: Any) -> Any:
        nonlocal times
        times += 1
        return None if times == 1 else tuple(value if value is None else value * 0 for value in gradients)

    return hook


@graph("autograd", mode="no_grad")
def wrong_under_no_grad(run: Run) -> Run:
    """Outputs require grad although the caller has switched gradients off."""

    def wrong(*args: Any) -> Any:
        outputs = run(*args)
        if torch.is_grad_enabled() or torch.is_inference_mode_enabled():
            return outputs
        for tensor in fresh(args, outputs):
            if tensor.dtype.is_floating_point:
                tensor.requires_grad_()
        return outputs

    return wrong
