"""fx's elimination of dead code, run on traced programs: nodes with an effect stay, the others go."""

import operator
from typing import Any

import torch
import torch.distributed.fsdp

from suites.harness import Check, clause, tensor, torch_internals

ELIMINATED = ("without_dead_code",)

#: What must stay in a graph though nobody reads it, by the operators' own names.
_KEPT = (
    "aten.add_.Tensor",
    "aten.add.out",
    "aten.copy_.default",
    "aten._assert_async.msg",
    "aten._assert_scalar.default",
    "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
    "aten.split_with_sizes_copy.out",
    "aten.bernoulli.p",
    "profiler._record_function_enter_new.default",
    "profiler._record_function_exit._RecordFunction",
    "inductor.resize_storage_bytes_.default",
    "fsdp.copy_.default",
    "_c10d_functional.wait_tensor.default",
    "streams.fork.default",
    "streams.join.default",
)

#: What must go.
_DROPPED = (
    "aten.add.Tensor",
    "aten.clone.default",
    "aten.view.default",
    "aten.empty.memory_format",
    "aten.sort.default",
    "aten.split_with_sizes_copy.default",
    "aten.index_put.default",
)


def _overload(name: str) -> Any:
    found: Any = torch.ops
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _survives(target: Any) -> bool:
    """Whether fx keeps a node that calls this and that nobody reads."""
    graph = torch.fx.Graph()
    placeholder = graph.placeholder("x")
    graph.call_function(target, (placeholder,))
    graph.output(placeholder)
    graph.eliminate_dead_code()
    return any(node.op == "call_function" for node in graph.nodes)


@clause("T12", on=ELIMINATED)
def test_nodes_with_effects_are_kept(check: Check) -> None:
    """In-place, `out=`, asserting, resizing, random, profiler, stream and waiting operators stay without a reader."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(b)
        return b * 2

    result = check(program, tensor(3), tensor(3))
    result.mutated(0)
    for name in _KEPT:
        result.demand("structure", f"{name} without a reader is kept", True, _survives(_overload(name)))
    for target in (torch._assert, torch._assert_async, operator.setitem, torch_internals.grad_mode_switch()):
        result.demand("structure", f"{target.__name__} without a reader is kept", True, _survives(target))


@clause("T12", on=ELIMINATED)
def test_pure_nodes_are_dropped(check: Check) -> None:
    """Functional operators, copies, views, factories and `getitem` go when nobody reads them, whole chains of them."""

    def program(a: torch.Tensor) -> torch.Tensor:
        values, places = a.sort()
        unread = values.clone().view(-1)[places].exp()
        torch.empty(3, device=a.device).add(unread)
        return a - 1

    result = check(program, tensor(3))
    result.unchanged(0)
    for name in _DROPPED:
        result.demand("structure", f"{name} without a reader is dropped", False, _survives(_overload(name)))
    result.demand("structure", "getitem without a reader is dropped", False, _survives(operator.getitem))
    result.forward.expect("""\
def forward(self, a_1):
    sub = torch.ops.aten.sub.Tensor(a_1, 1)
    return sub
""")


@clause("T12", on=ELIMINATED)
def test_writes_that_nobody_reads_are_kept(check: Check) -> None:
    """In-place ops, `out=` and `fsdp.copy_` whose results are dropped still write to the caller's tensors."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        a.t().mul_(3)
        torch.add(a, 1, out=b)
        torch.ops.fsdp.copy_(c, a * 2)
        return a.sum()

    result = check(program, tensor(2, 2), tensor(2, 2), tensor(2, 2))
    result.mutated(0, 1, 2)
    result.forward.expect("""\
def forward(self, a_1, b_1, c_1):
    t = torch.ops.aten.t.default(a_1)
    mul_ = torch.ops.aten.mul_.Tensor(t, 3)
    add = torch.ops.aten.add.out(a_1, 1, out=b_1)
    mul = torch.ops.aten.mul.Tensor(a_1, 2)
    copy_ = torch.ops.fsdp.copy_.default(c_1, mul)
    sum_1 = torch.ops.aten.sum.default(a_1)
    return sum_1
""")


@clause("T12", "T5.8", on=ELIMINATED)
def test_freeing_a_storage_is_kept(check: Check) -> None:
    """Resizing a storage to nothing returns nothing and is kept: the caller's memory is free after the call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a + b
        torch.ops.inductor.resize_storage_bytes_(a, 0)
        return c

    result = check(program, tensor(3), tensor(3))
    result.storage_bytes(0, 0)
    result.forward.expect("""\
def forward(self, a_1, b_1):
    add = torch.ops.aten.add.Tensor(a_1, b_1)
    resize_storage_bytes_ = torch.ops.inductor.resize_storage_bytes_.default(a_1, 0)
    return add
""")


@clause("T12", on=ELIMINATED)
def test_assertion_is_kept(check: Check) -> None:
    """An assertion on the data that nobody reads is kept: it raises for the data that break it."""

    def program(a: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        torch._assert_async(wanted.any(), "none was wanted")
        return a * 2

    good = tensor(2, dtype=torch.bool, values=[True, False])
    bad = tensor(2, dtype=torch.bool, values=[False, False])
    result = check(program, calls=[(tensor(3), good), (tensor(3), bad)])
    result.in_call(1).raised()


@clause("T12", on=ELIMINATED)
def test_dead_draw_is_kept(check: Check) -> None:
    """A random draw that nobody reads is kept: the next draw is eager's second number, not its first."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.rand(3)
        return a * torch.rand(3)

    check(program, tensor(3)).drew_random()
