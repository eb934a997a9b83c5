"""Subclasses of `torch.Tensor` that wrap nothing: what type results have, and whose `__torch_function__` is asked."""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


class Plain(torch.Tensor):
    """A tensor by another name."""


class Doubling(torch.Tensor):
    """A tensor whose sums and products come out twice as large."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Ask the operator, and double what some of them say."""
        result = super().__torch_function__(func, types, args, kwargs or {})
        return result * 2.0 if func in (torch.add, torch.mul) else result


def plain(values: torch.Tensor) -> torch.Tensor:
    """The same elements as a `Plain`."""
    return values.as_subclass(Plain)


def doubling(values: torch.Tensor) -> torch.Tensor:
    """The same elements as a `Doubling`."""
    return values.as_subclass(Doubling)


@clause("T8.1")
def test_type_of_results(check: Check) -> None:
    """What an operator makes of a plain subclass is one, a view of it too, and a sum with a tensor."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return a * 2, a[:1], a + b, isinstance(a.sum(), Plain), type(b * 2) is torch.Tensor

    check(program, built(plain, tensor(3)), tensor(3)).holds("out[3]", True).holds("out[4]", True)


@clause("T8.1")
def test_type_after_a_write(check: Check) -> None:
    """A tensor made like a plain subclass, and one that is, is an instance of it after a write as before."""

    def program(a: torch.Tensor) -> Any:
        made = torch.empty_like(a)
        made.copy_(a)
        a.add_(1)
        return isinstance(made, Plain), isinstance(a, Plain), a * 2

    check(program, built(plain, tensor(3))).mutated(0).holds("out[0]", True).holds("out[1]", True)


@clause("T8.1")
def test_functions_and_methods_ask_the_subclass(check: Check) -> None:
    """`torch.add` asks `__torch_function__` of its operands, and what comes of it is of their type."""

    def program(a: torch.Tensor) -> Any:
        return torch.add(a, a), torch.mul(a, a), a * a

    check(program, built(doubling, tensor(3))).values().expect("""\
out[0] = float32[3] [2.746, -10.52, -0.956]
out[1] = float32[3] [0.9425, 13.83, 0.1142]
out[2] = float32[3] [0.4712, 6.917, 0.05712]
""")
