"""The ways to define an operator that mutates, and what its definition promises about its result."""

import torch

from suites.harness import Check, clause, tensor

from . import operators as ops


@clause("T10.3", shapes=("static", "dynamic"))
def test_operator_of_a_library_that_returns_nothing(check: Check) -> None:
    """A mutable operator made by `Library.define` and `impl` alone, with no fake kernel, writes into its argument."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        before = a * 3
        torch.ops.parity.accumulate(a, b)
        return before + a

    result = check(program, tensor(4), tensor(4))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 3)
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity.accumulate.default, _all_bases=[arg0_1], _target_base_index=0, source=arg1_1,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    add = torch.ops.aten.add.Tensor(mul, getitem)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem)
    return (add,)
""")


@clause("T10.3")
def test_operator_of_a_library_with_a_fake_kernel(check: Check) -> None:
    """An operator that mutates and returns a new tensor does both, and the result is apart from what it mutated."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        drained = torch.ops.parity.drain(a, b)
        return drained, a * 3

    result = check(program, tensor(4), tensor(4))
    result.mutated(0).unchanged(1).distinct("out[0]", "arg[0]")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity.drain.default, _all_bases=[arg0_1], _x_base_index=0, y=arg1_1,
    )
    getitem = operator.getitem(auto_functionalized_v2, 0)
    getitem_1 = operator.getitem(auto_functionalized_v2, 1)
    mul = torch.ops.aten.mul.Tensor(getitem_1, 3)
    copy_ = torch.ops.aten.copy_.default(arg0_1, getitem_1)
    return (getitem, mul)
""")


@clause("T10.3")
def test_decorated_operator_without_a_fake_kernel(check: Check) -> None:
    """`custom_op` with `mutates_args` and no result needs no fake kernel, and writes into what it names."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ops.decorated_accumulate(a, b)
        ops.decorated_accumulate(a, b * 2)
        return a + b

    check(program, tensor(4), tensor(4)).mutated(0).unchanged(1)


@clause("T10.3")
def test_decorated_operator_with_a_fake_kernel(check: Check) -> None:
    """`custom_op` with `mutates_args`, a result and a fake kernel: the result is from after its own write."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = ops.decorated_drain(a, b)
        second = ops.decorated_drain(a, first)
        return first, second

    check(program, tensor(4), tensor(4)).mutated(0).unchanged(1).distinct("out[0]", "out[1]")


# NumPy has memory of the CPU alone.
@clause("T10.3", devices="cpu")
def test_operator_that_numpy_computes(check: Check) -> None:
    """A body that writes through NumPy into the argument's memory, also a strided one, reaches the caller."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ops.numpy_accumulate(a[::2], b)
        return a * 2

    check(program, tensor(6), tensor(3)).mutated(0).unchanged(1)


# NumPy has memory of the CPU alone.
@clause("T10.3", devices="cpu")
def test_list_operator_that_numpy_computes(check: Check) -> None:
    """`custom_op` that mutates a list of tensors through NumPy writes into each tensor of a list made in the graph."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        ops.numpy_scale_list([a, b], c)
        return a + b

    check(program, tensor(3), tensor(3), tensor(3)).mutated(0, 1).unchanged(2)


@clause("T10.3")
def test_operator_of_unknown_mutation(check: Check) -> None:
    """`mutates_args="unknown"`: what the operator writes arrives, and what it only reads stays as it was."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        before = b * 3
        ops.of_unknown_mutation(a, b, c)
        return before + b - c

    check(program, tensor(3), tensor(3), tensor(3)).mutated(1).unchanged(0, 2)


@clause("T10.3", modes="train")
def test_registered_backward_that_mutates(check: Check) -> None:
    """A registered backward may call a mutable operator on what it computes: the gradient is from after the write."""

    def program(a: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.accumulate(buffer, buffer + 1)
        return ops.square(a.sin()) + buffer

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(1).unchanged(0).gradient(0)
    result.backward.expect("""\
def forward(self, primals_2, tangents_1):
    sin = torch.ops.aten.sin.default(primals_2)
    mul = torch.ops.aten.mul.Tensor(sin, tangents_1)
    zeros_like = torch.ops.aten.zeros_like.default(mul)
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(
        torch.ops.parity.accumulate.default, _all_bases=[mul], _target_base_index=0, source=zeros_like,
    )
    getitem = operator.getitem(auto_functionalized_v2, 1)
    cos = torch.ops.aten.cos.default(primals_2)
    mul_1 = torch.ops.aten.mul.Tensor(getitem, cos)
    return (None, mul_1)
""")


@clause("T10.1", "T10.3", torch=">=2.13")
def test_result_of_an_operator_tagged_in_place(check: Check) -> None:
    """An operator tagged as in-place returns the very tensor that it mutated."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.ops.parity.bump_(a, b)

    check(program, tensor(3, grad=False), tensor(3, grad=False)).mutated(0).same_object("out", "arg[0]")


@clause("T10.1", "T10.3", torch=">=2.13")
def test_write_to_the_result_of_an_operator_tagged_in_place(check: Check) -> None:
    """A write to what an in-place tagged operator returned is a write to its argument."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        result = torch.ops.parity.bump_(a, b)
        result.mul_(10)
        return a + 1

    check(program, tensor(3, grad=False), tensor(3, grad=False)).mutated(0)


@clause("T10.1", "T10.3", "T11", torch=">=2.13")
def test_result_of_an_operator_tagged_out(check: Check) -> None:
    """An operator tagged as an `out=` operator returns the very tensor that it was given to write into."""

    def program(a: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        return torch.ops.parity.triple.out(a, out=out)

    check(program, tensor(3, grad=False), tensor(3, grad=False)).mutated(1).same_object("out", "arg[1]")


@clause("T10.1", "T10.3", "T11", torch=">=2.13")
def test_operator_tagged_out_writes_into_a_view(check: Check) -> None:
    """An `out=` tagged operator writes into a row of an input, and leaves the other rows as they were."""

    def program(a: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        torch.ops.parity.triple.out(a, out=table[1])
        return table * 2

    check(program, tensor(3, grad=False), tensor(2, 3, grad=False)).mutated(1).unchanged(0)
