"""View replay: aliased outputs are made again by their own views (view_replay_for_aliased_outputs) or by as_strided."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import ANY, Check, clause, tensor, torch_internals


@clause("T7.7", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_views_of_an_input_with_replay(check: Check) -> None:
    """With replay on, a chain of views of an input lies in the caller's memory and differentiates as in eager."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.t()[1:].unsqueeze(0)

    with torch_internals.configured({"functorch.view_replay_for_aliased_outputs": True}):
        result = check(program, tensor(3, 4))
    result.aliases("out", 0).strides("out", 3, 1, 4).gradient(0)


@clause("T7.7", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_views_of_an_input_without_replay(check: Check) -> None:
    """With replay off, a chain of views of an input lies in the caller's memory and differentiates as in eager."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.t()[1:].unsqueeze(0)

    with torch_internals.configured({"functorch.view_replay_for_aliased_outputs": False}):
        result = check(program, tensor(3, 4))
    result.aliases("out", 0).strides("out", 3, 1, 4).gradient(0)


@clause("T7.7", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_views_of_an_intermediate_with_replay(check: Check) -> None:
    """With replay on, two views of an intermediate share memory and their gradients add up."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b[1:].t(), b.view(-1)[2:]

    with torch_internals.configured({"functorch.view_replay_for_aliased_outputs": True}):
        result = check(program, tensor(3, 4))
    result.aliases("out[0]", "out[1]").gradient(0)


@clause("T7.7", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_views_of_an_intermediate_without_replay(check: Check) -> None:
    """With replay off, two views of an intermediate share memory and their gradients add up."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        return b[1:].t(), b.view(-1)[2:]

    with torch_internals.configured({"functorch.view_replay_for_aliased_outputs": False}):
        result = check(program, tensor(3, 4))
    result.aliases("out[0]", "out[1]").gradient(0)


@clause("T7.7", "T7.9", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_replayed_view_of_a_mutated_input(check: Check) -> None:
    """With replay on, a view of a mutated input is replayed on the caller's tensor with the new data."""

    def program(a: torch.Tensor) -> torch.Tensor:
        view = a.view(-1)
        a.mul_(2)
        return view[1:]

    with torch_internals.configured({"functorch.view_replay_for_aliased_outputs": True}):
        result = check(program, tensor(2, 3))
    result.mutated(0).aliases("out", 0)


@clause("T7.8", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_replay_of_as_strided(check: Check) -> None:
    """With replay on, an as_strided view of an input is made with its own size, strides and offset, symbolic or not."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.view(-1).as_strided((a.size(0), 2), (1, 2), 1)

    with torch_internals.configured({"functorch.view_replay_for_aliased_outputs": True}):
        result = check(program, tensor(3, 3))
    result.aliases("out", 0).strides("out", 1, 2)
    result.happened(result.facts("out").offset == 1, "an offset of one element")


@clause("T7.8", modes="train", shapes="dynamic", entry=ANY)
def test_replay_with_sizes_of_each_call(check: Check) -> None:
    """With symbolic sizes, a slice that depends on them is made with each call's sizes, not with the first call's."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.exp()
        half = a.size(0) // 2
        return a[half:], b[:half]

    result = check(program, calls=[(tensor(4, 2),), (tensor(9, 2),)])
    result.aliases("out[0]", 0).shape("out[0]", 2, 2)
    result.in_call(1).shape("out[0]", 5, 2)


@clause("T7.8", modes="inference", shapes=("static", "dynamic"), entry=ANY)
def test_views_without_a_base_in_inference_mode(check: Check) -> None:
    """Where no tensor has a base or a view function, views of an input and of an intermediate still share memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        b = a.exp()
        return a.t(), b[1:], b.view(-1)

    check(program, tensor(3, 4)).aliases("out[0]", 0).aliases("out[1]", "out[2]")


def _in_memory_of_its_own(module: torch.fx.GraphModule, examples: Any) -> Callable[..., Any]:
    """A compiler whose kernels return each result in memory of its own, from its beginning, as a compiler may."""

    def run(*args: Any) -> list[Any]:
        return [result.clone() if isinstance(result, torch.Tensor) else result for result in module(*args)]

    return run


@clause("T7.8", shapes="dynamic")
def test_replay_beside_results_in_memory_of_their_own(check: Check) -> None:
    """Where a view of an input begins is what the program says, and not where the compiled graph's result lies."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[a.size(0) // 2 :]

    result = check(program, tensor(7, 3))
    result.aliases("out", 0).shape("out", 4, 3)
    torch_internals.reset()
    backend = torch_internals.aot_autograd(fw_compiler=_in_memory_of_its_own)
    whole = torch.arange(21.0).view(7, 3)
    with torch.no_grad():
        half = torch.compile(program, backend=backend, fullgraph=True, dynamic=True)(whole)
    result.demand("alias", "the caller's memory", whole.untyped_storage().data_ptr(), half.untyped_storage().data_ptr())
    result.demand("value", "the half", whole[3:].tolist(), half.tolist())
