"""Small programs, each with one behaviour that some mutant breaks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.distributed.fsdp

from suites.harness import built, leaf, tensor, view_of
from suites.harness.backends.backend import CompileOptions
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle.runs import Subject
from suites.harness.programs.clause_programs import BeforeCall, ClauseProgram
from suites.harness.programs.specs import Variant
from suites.harness.torch_internals import TwoTensor
from suites.layout.outside import hand_back, noted_strides
from suites.subclasses.tensors import Tagged, tagged, two


@dataclasses.dataclass(frozen=True)
class Example:
    """A program with the specs of each call."""

    program: Callable[..., Any]
    calls: tuple[tuple[Any, ...], ...]
    mode: str = "train"
    backward_twice: bool = False
    fullgraph: bool = True
    before: tuple[BeforeCall | None, ...] = ()
    #: Settings of torch's compiler, by name.
    config: tuple[tuple[str, bool], ...] = ()

    def subject(self) -> Subject:
        """The example as the oracle takes it."""
        return Subject(
            ClauseProgram(self.program, self.calls, Variant(self.mode), before=self.before),
            CallOptions(self.mode, backward_twice=self.backward_twice),
            CompileOptions(None, self.fullgraph, self.backward_twice, self.config),
        )


def twice(program: Callable[..., Any], *specs: Any, mode: str = "train", **options: Any) -> Example:
    """The program called twice with the same specs and other data."""
    return Example(program, (specs, specs), mode, **options)


def _mutates(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a.mul_(2)
    return b * 3


def _drops_out(a: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.dropout(a, 0.5)


def _draws_for_nothing(a: torch.Tensor) -> torch.Tensor:
    torch.rand_like(a)
    return torch.rand_like(a) + a


def _turns_grad_off(a: torch.Tensor) -> torch.Tensor:
    result = a * 2
    torch.set_grad_enabled(False)
    return result


def _nested(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return TwoTensor(TwoTensor(first, second), TwoTensor(second, first))


def _jagged(values: torch.Tensor) -> torch.Tensor:
    jagged: torch.Tensor = torch.nested.nested_tensor_from_jagged(values, torch.tensor([0, 1, 3, 5]))
    return jagged


def _turns_the_tangent(a: torch.Tensor) -> torch.Tensor:
    return hand_back(a * 2, lambda tangent: tangent.t().contiguous().t())


def _notes_strides(notes: list[tuple[int, ...]]) -> Callable[..., torch.Tensor]:
    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return noted_strides(a, notes) * b

    return program


def _appends(a: torch.Tensor, kept: list[torch.Tensor]) -> torch.Tensor:
    kept.append(a + 1)
    return a * 2


def _adds_members(a: torch.Tensor, members: set[int]) -> torch.Tensor:
    members.add(7)
    return a * 2


class _Step:
    count = 1


def _counts(a: torch.Tensor, step: _Step) -> torch.Tensor:
    step.count += 1
    return a * 2


def _counting() -> Callable[..., torch.Tensor]:
    total = 1

    def program(a: torch.Tensor) -> torch.Tensor:
        nonlocal total
        total = total + 1
        return a * total

    return program


class _Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


def _records_nothing(a: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        b = a.sin()
    return a * b


def _writes_in_place(a: torch.Tensor) -> torch.Tensor:
    a.add_(1)
    return a


class _Raises(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        ctx.count = count
        return a * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        ctx.count.add_(1)
        return gradient * 2, None


def _tripled(a: torch.Tensor) -> torch.Tensor:
    if a.requires_grad:
        a.register_hook(lambda gradient: gradient * 3)
    return a


def _twice_the_same(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    b = a + 1
    return b, b


def _grows(a: torch.Tensor) -> torch.Tensor:
    a.untyped_storage().resize_(0)
    return torch.ones(2)


def _writes_both(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a.add_(1)
    b.mul_(3)
    return a + b


def _mutates_after_use(a: torch.Tensor, older: torch.Tensor) -> torch.Tensor:
    a.mul_(2)
    return a + 1


def _transposes_between_graphs(a: torch.Tensor) -> torch.Tensor:
    before = a + 1
    a.t_()
    return before.t() * a


def _takes_storage_between_graphs(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = b + 1
    a.set_(b)  # type: ignore[call-overload]
    return c * 2


def _freezes(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = b + 1
    a.detach_()
    return c * a


def _transposes(a: torch.Tensor) -> torch.Tensor:
    a.t_()
    return torch.ones(2)


def _takes_storage(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a.set_(b)  # type: ignore[call-overload]
    return b + 1


def _in_place_on_a_leaf(a: torch.Tensor) -> torch.Tensor:
    a.add_(1)
    return a * 2


def _asserts(a: torch.Tensor) -> torch.Tensor:
    torch._assert_async((a < a).any(), "never so")
    return a + 1


def _only_writes(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    torch.ops.fsdp.copy_(a, b)
    return b + 1


def _writes_to_a_row(a: torch.Tensor) -> torch.Tensor:
    b = a + 1
    b[1].mul_(3)
    return b


def _with_gaps() -> torch.Tensor:
    """A tensor that is no view and leaves every second element of its storage to itself."""
    memory = torch.arange(8.0)
    return torch.empty(0).set_(memory.untyped_storage(), 1, (3,), (2,))


_matrix, _other = tensor(3, 4), tensor(3, 4)
_same = tensor(2, 2, grad=False)

_plain = tensor(2, 3, values=[[-1.0, 0.5, 0.125], [0.75, -0.4, 2.0]], grad=False)

EXAMPLES: dict[str, Example] = {
    "one new tensor": twice(lambda a: a.sin() + 1, _matrix),
    "an exact result": twice(lambda a: a + 1.0, tensor(3, values=(0.5, 1.0, 2.0), grad=False), mode="no_grad"),
    "doubles": twice(lambda a: a.sin(), tensor(3, dtype=torch.float64, grad=False), mode="no_grad"),
    "negative zero": twice(lambda a: a * -1.0, tensor(2, values=(0.0, 1.0), grad=False), mode="no_grad"),
    "a dimension of one": twice(lambda a: a.sum(0, keepdim=True), _matrix),
    "without gradients": twice(lambda a: a + 1, tensor(3, grad=False)),
    "a transposed result": twice(lambda a: a.sin().t(), _matrix),
    "a transposed copy": twice(lambda a: (a + 1).t().clone(), _matrix),
    "a view of an argument": twice(lambda a: a[0:2], _matrix),
    "a copy of an argument": twice(lambda a: a.clone(), _matrix),
    "siblings": twice(lambda a: (lambda b: (b[0], b[1]))(a.sin()), _matrix),
    "two new tensors": twice(lambda a: (a.sin(), a.cos()), _matrix),
    "two equal tensors": twice(lambda a: (a + 1, 1 + a), _matrix, mode="no_grad"),
    "an output that is an argument": twice(_writes_in_place, _matrix),
    "one output twice": twice(_twice_the_same, _matrix),
    "mutation": twice(_mutates, _matrix, _other),
    "mutation without gradients": twice(_mutates, _matrix, _other, mode="no_grad"),
    "mutation of a view": twice(_mutates, view_of(_matrix, lambda t: t[:, 1:3]), _other, mode="no_grad"),
    "mutation of strided memory": twice(_mutates, tensor(3, strides=(2,), grad=False), _other, mode="no_grad"),
    "mutation of memory with gaps": twice(_mutates, built(_with_gaps), _other, mode="no_grad"),
    "resizing": twice(_grows, tensor(8, grad=False), mode="no_grad"),
    "a container": twice(_appends, _matrix, built(list)),
    "a detached output": twice(lambda a: (a * 2, (a * 3).detach()), _matrix),
    "two leaves": twice(lambda a, b: a.sin() * b, leaf(3), leaf(3)),
    "a leaf without a gradient": twice(lambda a, b: a.sin() + b.detach(), leaf(3), leaf(3)),
    "a gradient of zero": twice(lambda a, b: a.sin() + b * 0, leaf(3), leaf(3)),
    "a buffer that backward raises": twice(lambda a, count: _Raises.apply(a, count), leaf(3), tensor(3, grad=False)),
    "a hook on a leaf": twice(lambda a: a.sin(), built(_tripled, leaf(3))),
    "backward twice": twice(lambda a: a.sin(), leaf(3), backward_twice=True),
    "no_grad": twice(lambda a: a.sin(), leaf(3), mode="no_grad"),
    "an error": twice(_in_place_on_a_leaf, leaf(3)),
    "an assertion": twice(_asserts, tensor(3, grad=False), mode="no_grad"),
    "an operator that writes": twice(_only_writes, _matrix, _other, mode="no_grad"),
    "a write through a view": twice(_writes_to_a_row, _matrix),
    "expanded": twice(lambda a: a + 1, view_of(tensor(3, 1), lambda t: t.expand(3, 4))),
    "randomness": twice(_drops_out, tensor(16)),
    "a dict": twice(lambda a: {"x": a + 1, "y": a + 2}, _matrix),
    "a tuple with None": twice(lambda a: (a + 1, None), _matrix),
    "a number": twice(lambda a: (a + 1, a.shape[0]), _matrix),
    "a differentiable subclass": twice(lambda a: a.sin(), built(two, _same, tensor(2, 2, grad=False))),
    "a mutated subclass": twice(
        lambda a: a.mul_(2) + 1, built(TwoTensor, _same, tensor(2, 2, grad=False)), mode="no_grad"
    ),
    "a nested subclass": twice(lambda a: a + 1, built(_nested, _same, tensor(2, 2, grad=False))),
    "a tagged subclass": twice(lambda a: a + 1, built(tagged(Tagged, 3), _same)),
    "a jagged tensor": twice(lambda a: a + 1, built(_jagged, tensor(5, 3, grad=False)), mode="no_grad"),
    "a strided tangent": twice(_turns_the_tangent, tensor(2, 3), fullgraph=False),
    "noted strides": twice(_notes_strides([]), tensor(2, 3), tensor(2, 3), fullgraph=False),
    "a subclass": twice(lambda a: a + 1, built(lambda a, b: TwoTensor(a, b), _same, tensor(2, 2, grad=False))),
    "another size": Example(lambda a: a.sum() / a.shape[0], ((tensor(4),), (tensor(6),))),
    "another number": Example(lambda a, n: a * n, ((tensor(4), 2), (tensor(4), 3))),
    "sizes returned": Example(lambda a: (a + 1, a.shape[0]), ((tensor(4),), (tensor(6),), (tensor(9),))),
    "a branch on a size": Example(
        lambda a: a * 2 if a.shape[0] < 8 else a + 1, ((tensor(4),), (tensor(6),), (tensor(9),))
    ),
    "a negative size divided": Example(lambda a: a * (-a.shape[0] // 4), ((tensor(4),), (tensor(6),), (tensor(9),))),
    "another grad mode": Example(
        lambda a: a.sin(),
        ((leaf(3),), (leaf(3),)),
        before=(lambda program: torch.enable_grad(), lambda program: torch.no_grad()),
    ),
    "another alias pattern": Example(_writes_both, ((_same, tensor(2, 2, grad=False)), (_same, _same))),
    "a constant": twice(lambda a: (a + 1, torch.ones(3)), _matrix),
    "an older use": twice(_mutates_after_use, _matrix, built(torch.sin, _matrix)),
    "metadata between graphs": twice(_transposes_between_graphs, _matrix, mode="no_grad", fullgraph=False),
    "storage between graphs": twice(_takes_storage_between_graphs, _same, tensor(2, 2, grad=False), fullgraph=False),
    "detaching an argument": twice(_freezes, _matrix, _other, fullgraph=False),
    "two equal draws": twice(lambda a: (torch.rand_like(a), torch.rand_like(a), a * 2), tensor(4), mode="no_grad"),
    # By default AOTAutograd drops it itself.
    "a dead draw": twice(_draws_for_nothing, tensor(4), mode="no_grad", config=(("inductor.fallback_random", True),)),
    "a sum with a factor": twice(lambda a: torch.add(a, a.cos(), alpha=3), _plain),
    "a product with factors": twice(lambda a: torch.addmm(a, a[:, :2], a, beta=0.5, alpha=3), _plain),
    "a quotient cut to a whole number": twice(lambda a: torch.div(a, 0.3, rounding_mode="trunc"), _plain),
    "a variance of all": twice(lambda a: a.var(1, correction=0), _plain),
    "one of two branches": twice(lambda a: torch.where(a > 0, a, a[:1].exp()), _plain),
    "a whole number times one": twice(lambda a: a * 1.0, tensor(3, dtype=torch.int64)),
    "padding": twice(lambda a: torch.nn.functional.pad(a, (1, 0), value=2.5), _plain),
    "a number between bounds": twice(lambda a: a.clamp(-0.25, 0.25), _plain),
    "numbers for one place": twice(
        lambda a: a.index_put((torch.tensor([1, 1]),), a[:2], accumulate=True), _plain, mode="no_grad"
    ),
    "a position": twice(lambda a: a.argmax(), tensor(2, 3, values=[[0, 5, 1], [9, 2, 3]], strides=(1, 2), grad=False)),
    "a narrow integer": twice(
        lambda a: (a * 3).long(), tensor(3, dtype=torch.int8, values=[100, 50, 3]), mode="no_grad"
    ),
    "a low-precision round trip": twice(lambda a: a.bfloat16().float() * 2, tensor(4), mode="no_grad"),
    "a floored quotient": twice(
        lambda a: torch.div(a, 0.1, rounding_mode="floor"), tensor(2, values=[1.0, 3.0]), mode="no_grad"
    ),
    "infinity times zero": twice(lambda a: a * 0, tensor(2, values=[float("inf"), 1.0]), mode="no_grad"),
    "a softmax of columns": twice(lambda a: a.softmax(0), tensor(2, 3), mode="no_grad"),
    "not a number": twice(lambda a: a * 2, tensor(2, values=[float("nan"), 1.0]), mode="no_grad"),
    "a long integer": twice(lambda a: a * 3, tensor(2, dtype=torch.int64, values=[1 << 40, 5]), mode="no_grad"),
    "a grad mode set for good": twice(_turns_grad_off, _matrix, fullgraph=False),
    "an exception": twice(lambda a: a.view(5, 7), _matrix),
    "a set": twice(_adds_members, _matrix, built(lambda: {1})),
    "an attribute": twice(_counts, _matrix, built(_Step)),
    "a name bound anew": twice(_counting(), _matrix),
    "an iterator": twice(lambda a, numbers: (a * 2, numbers), _matrix, built(lambda: iter([1, 2])), fullgraph=False),
    "a bool": twice(lambda a: (a * 2, True), _matrix),
    "a named tuple": twice(lambda a: _Pair(a * 2, a + 1), _matrix),
    "a part without gradients": twice(_records_nothing, leaf(3)),
    "gradients from the second call on": Example(lambda a: a * 2, ((tensor(4, grad=False),), (tensor(4),))),
    "another dtype": Example(lambda a: a * 2, ((tensor(4),), (tensor(4, dtype=torch.float64),))),
    # Without Dynamo: what it refuses.
    "metadata of an argument": twice(_transposes, tensor(2, 3, grad=False), mode="no_grad"),
    "the storage of an argument": twice(
        _takes_storage, tensor(2, 3, grad=False), tensor(2, 3, grad=False), mode="no_grad"
    ),
}
