"""Data mutation of wrapper subclasses: of the wrapper, through its views, of one side, and of sides that are shared."""

import torch

from suites.harness import ANY, Check, built, clause, tensor
from suites.harness.torch_internals import TwoTensor

from .tensors import nested, two, two_to_write


@clause("T8.3", modes=("no_grad", "train"), inputs="subclass", entry=ANY)
def test_in_place_op_changes_both_sides(check: Check) -> None:
    """An in-place op on a wrapper reaches both tensors of the caller's wrapper, each with its own value."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(b)
        return a * 3

    result = check(program, tensor(3), tensor(3))
    result.mutated("arg[0].a", "arg[0].b").unchanged("arg[1].a", "arg[1].b").gradient(0, 1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1, arg3_1):
    add = torch.ops.aten.add.Tensor(arg0_1, arg2_1)
    add_1 = torch.ops.aten.add.Tensor(arg1_1, arg3_1)
    mul = torch.ops.aten.mul.Tensor(add, 3)
    mul_1 = torch.ops.aten.mul.Tensor(add_1, 3)
    copy_ = torch.ops.aten.copy_.default(arg0_1, add)
    copy__1 = torch.ops.aten.copy_.default(arg1_1, add_1)
    return (mul, mul_1)
""")


@clause("T8.3", modes=("no_grad", "train"), inputs="subclass", entry=ANY)
def test_in_place_op_on_a_view_of_a_wrapper(check: Check) -> None:
    """A write through a view of a wrapper changes the viewed elements of both sides, and no others."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a[1].mul_(5)
        return a.sin()

    check(program, tensor(3, 2)).mutated("arg[0].a", "arg[0].b").gradient(0)


@clause("T8.3", entry=ANY)
def test_in_place_op_on_a_nested_wrapper(check: Check) -> None:
    """An in-place op on a wrapper of wrappers reaches all four inner tensors."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a + 1

    result = check(program, built(nested, *[tensor(3, grad=False) for _ in range(4)]))
    result.mutated("arg[0].a.a", "arg[0].a.b", "arg[0].b.a", "arg[0].b.b")


@clause("T8.3", "T8.7")
def test_in_place_op_on_one_side(check: Check) -> None:
    """A write to one inner tensor, reached as an attribute, changes that side, and later ops on the wrapper see it."""

    def program(a: TwoTensor) -> torch.Tensor:
        a.b.mul_(3)
        return a + 1

    result = check(program, built(two, tensor(3, grad=False), tensor(3, grad=False)))
    result.mutated("arg[0].b").unchanged("arg[0].a")


@clause("T8.3", modes=("no_grad", "train"), entry=ANY)
def test_wrapper_overwritten_by_a_plain_tensor(check: Check) -> None:
    """`copy_` of a plain tensor into a wrapper gives both sides its values and their gradients to it."""

    def program(wrapper: torch.Tensor, plain: torch.Tensor) -> torch.Tensor:
        wrapper.copy_(plain * 2)
        return wrapper.sin()

    wrapper = built(two_to_write, tensor(3, grad=False), tensor(3, grad=False))
    result = check(program, wrapper, tensor(3))
    result.mutated("arg[0].a", "arg[0].b").gradient(0, 1)


@clause("T8.3", modes="train", inputs="subclass", entry=ANY)
def test_in_place_op_on_a_wrapped_intermediate(check: Check) -> None:
    """A write through a view of a wrapper that the program made shows in the wrapper that it returns."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        b[1:].mul_(a[:-1])
        return b

    check(program, tensor(4)).unchanged("arg[0].a", "arg[0].b").gradient(0)


@clause("T6.6", "D8", entry=ANY)
def test_wrapper_of_one_tensor_twice(check: Check) -> None:
    """A wrapper whose two sides are one tensor: an in-place op on it is made twice, once for each side."""

    def build(inner: torch.Tensor) -> torch.Tensor:
        return TwoTensor(inner, inner)

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a + 1

    result = check(program, built(build, tensor(3, grad=False)))
    result.mutated("arg[0].a").happened(result.call.entries["arg[0].b"].kind == "same", "one tensor on both sides")


@clause("T6.6", "D8", entry=ANY)
def test_wrappers_that_share_a_tensor_on_different_sides(check: Check) -> None:
    """One wrapper's second tensor is another's first: what is written to the one is read from the other."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        left.add_(10)
        return right * 2

    shared = tensor(3, grad=False)
    left = built(TwoTensor, tensor(3, grad=False), shared)
    right = built(TwoTensor, shared, tensor(3, grad=False))
    check(program, left, right).mutated("arg[0].a", "arg[0].b")


@clause("T6.6", entry=ANY)
def test_wrappers_that_share_a_tensor_read_only(check: Check) -> None:
    """Two wrappers of one inner tensor, none of them written to, are two inputs like any others."""

    def program(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return left.sin() * right

    shared = tensor(3, grad=False)
    left = built(TwoTensor, tensor(3, grad=False), shared)
    right = built(TwoTensor, shared, tensor(3, grad=False))
    result = check(program, left, right).unchanged("arg[0].a", "arg[1].b")
    result.happened(result.call.entries["arg[1].a"].kind == "same", "one inner tensor in both")
    result.values().expect("""\
out.a = float32[3] [-0.8759, 0.2232, -0.2403]
out.b = float32[3] [1.558, -0.3967, -0.9617]
""")
