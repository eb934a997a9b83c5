"""Tensors of another kind in a later call: dtype, strides, history, value, class."""

import functools
from typing import Any

import numpy as np
import torch

from suites.harness import Check, built, clause, leaf, tensor, view_of
from suites.harness.programs.specs import ViewSpec
from suites.harness.torch_internals import TwoTensor


@clause("reuse.tensors", modes="train")
def test_another_dtype(check: Check) -> None:
    """A dtype other than the first call's promotes, rounds and divides as that dtype does, and compiles anew once."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a / 3 + b

    dtypes = (torch.float32, torch.float64, torch.int64, torch.float32, torch.int64)
    check(program, calls=[(tensor(3, dtype=dtype), tensor(3)) for dtype in dtypes]).gradient(0).recompiled(2)


@clause("reuse.tensors", modes="train")
def test_another_order_of_strides(check: Check) -> None:
    """Strides other than the first call's are read as they are, and shape the output's as eager's do."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * 2, a.reshape(-1)

    layouts = [(4, 1), (1, 3), (8, 2), (0, 1)]
    calls = [(tensor(3, 4, strides=strides, grad=strides != (0, 1)),) for strides in layouts[:3]]
    expanded = view_of(tensor(1, 4), lambda t: t.expand(3, 4))
    result = check(program, calls=[*calls, (expanded,)], probe=False)
    second = result.in_call(1).facts("out[0]").strides
    result.gradient(0).strides("out[0]", 4, 1).happened(second == (1, 3), "strides of the call's own")


@clause("reuse.tensors")
def test_another_number_of_dimensions(check: Check) -> None:
    """A tensor of more or of fewer dimensions is worked on along those that it has."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(-1) * a.dim()

    calls = [(tensor(4),), (tensor(3, 4),), (tensor(2, 3, 4),), (tensor(4),)]
    result = check(program, calls=calls).recompiled(2)
    result.values().expect("""\
out = float32[] -3.565
""")
    result.in_call(1).values().expect("""\
out = float32[3] [0.1319, 2.626, 4.385]
""")


@clause("reuse.tensors", "A5", modes="train")
def test_requires_grad_comes_and_goes(check: Check) -> None:
    """The call in which an input requires grad gives it one; the calls in which it does not give none."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * b.sin(), b.cos()

    plain, differentiable = tensor(3, grad=False), tensor(3)
    calls = [(plain, differentiable), (differentiable, plain), (plain, plain), (tensor(3), tensor(3))]
    result = check(program, calls=calls, probe=False)
    flags = [call.tensors["out[1]"].requires_grad for call in result.expected.calls]
    result.recompiled(3).happened(flags == [True, False, False, True], "another input that requires grad")


@clause("reuse.tensors", "A5", modes="train")
def test_leaf_after_an_input_with_a_history(check: Check) -> None:
    """A leaf, an input with a history and a detached one in one place each get the gradient that is theirs."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.exp(), a.detach() * 2

    result = check(program, calls=[(tensor(3),), (leaf(3),), (tensor(3, grad=False),), (leaf(3),)], probe=False)
    result.gradient(0).requires_grad("out[0]").no_grad("out[1]")


@clause("reuse.tensors", modes="train")
def test_branch_on_a_history(check: Check) -> None:
    """A program that asks a tensor whether it is a leaf, or has a history, goes the way of each call's own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * 2 if a.is_leaf else a * 3, b.sin() if b.grad_fn is None else b.cos()

    result = check(program, calls=[(leaf(3), leaf(3)), (tensor(3), tensor(3)), (leaf(3), leaf(3))], probe=False)
    result.gradient(0, 1).computed()


@clause("A5", "T2.5", modes="train")
def test_one_tensor_twice_after_two_tensors(check: Check) -> None:
    """Two inputs that are one tensor in a later call share what is written and the gradient, and only then."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        return a * 2 + b.sin()

    once = tensor(3)
    calls = [(tensor(3), tensor(3)), (once, once), (tensor(3), tensor(3))]
    result = check(program, calls=calls)
    result.mutated(0).unchanged(1).gradient(0, 1).recompiled(1)


@clause("A5", "T2.5", modes="train")
def test_two_tensors_after_one_tensor_twice(check: Check) -> None:
    """Compiled for one tensor in two places, a program keeps two tensors apart, as outputs and as gradients too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return a, b, a * b

    once = tensor(3)
    result = check(program, calls=[(once, once), (tensor(3), tensor(3)), (once, once)])
    second = result.in_call(1).call.entries["out[1]"]
    result.same_object("out[1]", 0).recompiled(1).happened(second.detail == "arg[1]", "two tensors")


@clause("A5", modes="train")
def test_tensors_that_exchange_their_places_in_containers(check: Check) -> None:
    """Which element of a list is the tensor that is passed beside it is asked in every call."""

    def program(a: torch.Tensor, others: list[torch.Tensor]) -> torch.Tensor:
        a.mul_(2)
        return torch.stack([other + place for place, other in enumerate(others)])

    a, b, c = tensor(3), tensor(3), tensor(3)
    check(program, calls=[(a, [a, b]), (a, [b, a]), (a, [b, c])]).mutated(0).shape("out", 2, 3)


@clause("reuse.tensors")
def test_another_value_in_a_tensor_of_dimension_zero(check: Check) -> None:
    """What a 0-d tensor holds is data: another value changes the result and compiles nothing."""

    def program(a: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
        return a * factor + torch.where(factor > 1, a, -a)

    factors = [tensor(grad=False, values=[value]) for value in (0.5, 2.0, 1.0, -3.0)]
    result = check(program, calls=[(tensor(3), factor) for factor in factors]).unchanged(1).recompiled(0)
    result.values().expect("""\
out = float32[3] [-0.3432, 1.315, 0.1195]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.508, -0.8187, -0.2041]
""")


@clause("reuse.tensors")
def test_tensor_of_dimension_zero_then_a_number(check: Check) -> None:
    """A 0-d tensor and a Python number in one place promote each in its own way."""

    def program(a: torch.Tensor, factor: torch.Tensor | float) -> torch.Tensor:
        return a * factor

    half, wide = tensor(3, dtype=torch.half), tensor(dtype=torch.float64, grad=False, values=[0.1])
    counts = tensor(3, dtype=torch.int32)
    result = check(program, calls=[(half, wide), (half, 0.1), (counts, wide), (counts, 0.1), (half, wide)])
    dtypes = [call.tensors["out"].dtype for call in result.expected.calls]
    result.happened(dtypes[2] != dtypes[3], "another promotion")
    result.values().expect("""\
out = float16[3] [0.06866, -0.2632, -0.0239]
""")
    result.in_call(1).values().expect("""\
out = float16[3] [-0.05029, -0.0273, -0.006805]
""")


@clause("reuse.tensors", "T6.7")
def test_another_storage_offset(check: Check) -> None:
    """An input that begins elsewhere in its storage, also off any alignment, is read and written from there."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a[1:].mul_(2)
        return a.sum(), a[2:]

    result = check(program, calls=[(tensor(20, offset=offset),) for offset in (0, 1, 16, 3)], probe=False)
    result.mutated(0).aliases("out[1]", 0)


@clause("reuse.tensors", "A5", "T6.7", modes="train", shapes="dynamic")
def test_another_relation_between_three_views(check: Check) -> None:
    """Which of three windows overlap is the call's own, where the shapes never change."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b.mul_(3)
        return a + 1, c * 2

    def windows(*starts: int) -> tuple[ViewSpec, ...]:
        base = tensor(9)
        return tuple(view_of(base, functools.partial(torch.narrow, dim=0, start=start, length=3)) for start in starts)

    calls = [windows(0, 2, 6), windows(0, 4, 6), windows(0, 3, 6)]
    result = check(program, calls=calls, probe=False)
    changed = [{path for path in call.changed if path.startswith("arg")} for call in result.expected.calls]
    result.mutated(0, 1).unchanged(2)
    result.happened(changed[1] >= {"arg[1]", "arg[2]"} and "arg[0]" not in changed[1], "another overlap")


@clause("reuse.tensors", modes="train")
def test_subclass_after_a_plain_tensor(check: Check) -> None:
    """A wrapper subclass where a plain tensor was computes on all of its inner tensors, and back again."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    wrapped = built(lambda left, right: TwoTensor(left, right), tensor(3, grad=False), tensor(3, grad=False))
    result = check(program, calls=[(tensor(3, grad=False),), (wrapped,), (tensor(3, grad=False),)])
    types = [call.entries["out"].type for call in result.expected.calls]
    result.recompiled(1).happened(types == ["Tensor", "TwoTensor", "Tensor"], "a subclass")
    result.values().expect("""\
out = float32[3] [1.268, -0.979, -0.4735]
""")
    result.in_call(1).values().expect("""\
out.a = float32[3] [-0.9637, -0.539, -0.136]
out.b = float32[3] [1.579, -0.9211, -0.9993]
""")


@clause("reuse.tensors")
def test_inner_tensors_of_another_dtype(check: Check) -> None:
    """A wrapper subclass whose inner tensors have other dtypes or strides is worked on as it is."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2 + 1

    def wrapped(dtype: torch.dtype, strides: tuple[int, ...]) -> object:
        parts = [tensor(2, 3, dtype=dtype, strides=strides) for _ in range(2)]
        return built(lambda left, right: TwoTensor(left, right), *parts)

    calls = [(wrapped(torch.float32, (3, 1)),), (wrapped(torch.float64, (3, 1)),), (wrapped(torch.float32, (1, 2)),)]
    result = check(program, calls=calls)
    dtypes = {call.tensors["out"].dtype for call in result.expected.calls}
    result.happened(len(dtypes) == 2, "another dtype")
    result.values().expect("""\
out.a = float32[2, 3] [[2.373, -4.26, 0.522], [-1.764, 0.08787, 3.03]]
out.b = float32[2, 3] [[-2.173, 2.802, -1.264], [-3.445, 1.334, 0.7169]]
""")
    result.in_call(1).values().expect("""\
out.a = float64[2, 3] [[-0.00554, 0.4542, 0.8639], [2.819, 0.04277, -0.04644]]
out.b = float64[2, 3] [[5.176, 1.453, 0.9284], [1.873, 2.551, 3.033]]
""")


@clause("reuse.tensors")
def test_another_attribute_of_a_tensor(check: Check) -> None:
    """An attribute that hangs on a tensor, a number or a flag, is read in every call."""

    def labelled(scale: float, kept: bool) -> object:
        def hang(data: torch.Tensor) -> torch.Tensor:
            data.scale, data.kept = scale, kept  # type: ignore[attr-defined]
            return data

        return built(hang, tensor(3))

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * a.scale if a.kept else a + 1  # type: ignore[attr-defined]

    calls = [(labelled(2.0, True),), (labelled(3.0, True),), (labelled(3.0, False),), (labelled(2.0, True),)]
    result = check(program, calls=calls)
    result.values().expect("""\
out = float32[3] [1.373, -5.26, -0.478]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.508, -0.8187, -0.2041]
""")


@clause("reuse.tensors", "A5")
def test_second_pair_of_one_tensor_and_one_list(check: Check) -> None:
    """Whether two places hold one tensor, or one list, is asked of each pair of places, and not of the first alone."""

    def program(
        a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor, left: list[int], right: list[int]
    ) -> tuple[torch.Tensor, torch.Tensor, int]:
        a.add_(1)
        c.add_(1)
        left.append(1)
        return b * 2, d * 3, len(right)

    a, c = tensor(3), tensor(3)
    numbers = built(lambda: [5])
    calls = [
        (a, a, c, c, numbers, numbers),
        (a, a, c, tensor(3), numbers, numbers),
        (a, a, c, c, numbers, built(lambda: [5])),
        (a, tensor(3), c, c, numbers, numbers),
    ]
    result = check(program, calls=calls, probe=False)
    result.mutated(0, 2).holds("out[2]", 2).in_call(2).holds("out[2]", 1)


@clause("reuse.tensors", "T3.1")
def test_array_that_is_written_in_place(check: Check) -> None:
    """What a program adds to a NumPy array that is handed in stands in the caller's array, in every call."""

    def program(array: np.ndarray[Any, Any], a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        array += 1
        return a * 2, torch.from_numpy(array * 2)

    calls = [(built(functools.partial(np.full, 3, value)), tensor(3)) for value in (1.0, 2.5)]
    result = check(program, calls=calls, probe=False)
    result.computed()
