"""Aliasing with tensor subclasses: between wrappers, and between the tensors that they wrap."""

from typing import Any

import torch

from suites.harness import ANY, Check, built, clause, tensor
from suites.harness.torch_internals import TwoTensor


def _wrap(first: torch.Tensor, second: torch.Tensor) -> TwoTensor:
    return TwoTensor(first, second)


@clause("T7.1", modes=("train", "no_grad"), inputs="subclass", entry=ANY)
def test_view_of_a_subclass_input(check: Check) -> None:
    """A returned view of a wrapper is a wrapper whose inner tensors lie in the caller's memory."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.view(-1)

    result = check(program, tensor(2, 2))
    result.aliases("out.a", "arg[0].a").aliases("out.b", "arg[0].b")


@clause("T7.2", modes=("train", "no_grad"), inputs="subclass", entry=ANY)
def test_views_of_a_subclass_intermediate(check: Check) -> None:
    """Two views of a wrapper that the program made share the memory of both inner tensors."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b.view(-1), b.t()

    result = check(program, tensor(2, 2))
    result.aliases("out[0].a", "out[1].a").aliases("out[0].b", "out[1].b").distinct("out[0].a", "out[0].b")


@clause("T7.5", modes=("train", "no_grad"), inputs="subclass", entry=ANY)
def test_detached_subclass(check: Check) -> None:
    """A detached alias of a wrapper shares the memory of its inner tensors and does not require grad."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b, b.detach()

    result = check(program, tensor(4))
    result.aliases("out[0].a", "out[1].a").no_grad("out[1]").gradient(0)


@clause("T6.6", "D8", modes=("no_grad", "inference"), entry=ANY)
def test_wrappers_of_one_inner_tensor(check: Check) -> None:
    """Two wrappers of one inner tensor: a write through the first wrapper is read through the second."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.mul_(2)
        return right + 1

    inner = tensor(4, grad=False)
    first = built(_wrap, inner, tensor(4, grad=False))
    second = built(_wrap, inner, tensor(4, grad=False))
    result = check(program, first, second)
    result.mutated(0).happened(result.call.entries["arg[1].a"].kind == "same", "one inner tensor in both")


@clause("T6.6", "D8", modes=("no_grad", "inference"), entry=ANY)
def test_wrapper_beside_its_inner_tensor(check: Check) -> None:
    """A wrapper and the plain tensor that it wraps: a write through the wrapper is read from the plain tensor."""

    def program(wrapper: torch.Tensor, plain: torch.Tensor) -> torch.Tensor:
        wrapper.mul_(2)
        return plain + 1

    inner = tensor(4, grad=False)
    check(program, built(_wrap, inner, tensor(4, grad=False)), inner).mutated(0)


@clause("T6.6", entry=ANY)
def test_aliased_wrapper_inputs(check: Check) -> None:
    """A wrapper and a view of that wrapper, one mutated: the other sees the write (AOTAutograd refuses this, aloud)."""

    def program(base: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        base.mul_(2)
        return view + 1

    def build(first: torch.Tensor, second: torch.Tensor) -> list[Any]:
        wrapper = _wrap(first, second)
        return [wrapper, wrapper.view(-1)]

    def unpacked(pair: list[torch.Tensor]) -> torch.Tensor:
        return program(*pair)

    result = check(unpacked, built(build, tensor(2, 2, grad=False), tensor(2, 2, grad=False)))
    result.mutated("arg[0][0]").aliases("arg[0][0]", "arg[0][1]")


@clause("T6.6", modes=("train", "no_grad"), inputs="subclass", entry=ANY)
def test_wrapper_passed_twice(check: Check) -> None:
    """One wrapper object passed as both arguments is one input: a write under one name is read under the other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return b + 1

    same = tensor(4)
    check(program, same, same).mutated(0).same_object("arg[1]", "arg[0]")
