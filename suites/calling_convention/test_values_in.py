"""What goes in besides tensors: numbers, None, strings, types, containers, and what is assumed of them."""

import collections
import enum
from typing import Any, NamedTuple

import torch

from suites.harness import ANY, Check, built, clause, tensor


class _Reduction(enum.Enum):
    SUM = "sum"
    MEAN = "mean"


class _Pair(NamedTuple):
    weight: torch.Tensor
    bias: torch.Tensor | None


@clause("T2.1", modes="train", entry=ANY)
def test_none_among_the_inputs(check: Check) -> None:
    """None where a tensor could be is no input of the graph, and the tensors after it keep their places."""

    def program(a: torch.Tensor, nothing: torch.Tensor | None, b: torch.Tensor) -> torch.Tensor:
        return a - b * 2 if nothing is None else a - nothing

    result = check(program, tensor(3), None, tensor(3))
    result.unchanged(0, 2).gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    sub = torch.ops.aten.sub.Tensor(primals_2, mul)
    return (sub,)
""")


@clause("T2.1", "A5")
def test_none_that_becomes_a_tensor(check: Check) -> None:
    """Compiled for None, called with a tensor there, and with None again: each call takes its own branch."""

    def program(a: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        return a * 3 if mask is None else a.masked_fill(mask, -1)

    mask = tensor(4, dtype=torch.bool, values=[True, False, False, True])
    result = check(program, calls=[(tensor(4), None), (tensor(4), mask), (tensor(4), None)]).unchanged(0)
    result.values().expect("""\
out = float32[4] [2.059, -7.89, -0.717, -4.146]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [-1, -0.2729, -0.06803, -1]
""")


@clause("T2.1", shapes=("static", "dynamic"), entry=ANY)
def test_python_numbers_take_part_as_numbers(check: Check) -> None:
    """An int, a float and a bool are numbers of the program: they scale, they count dimensions, they choose."""

    def program(a: torch.Tensor, times: int, scale: float, negate: bool) -> torch.Tensor:
        result = torch.cat([a * scale] * times).sum(times - 2)
        return -result if negate else result

    result = check(program, tensor(2, 3), 3, 0.125, True)
    result.shape("out", 6).unchanged(0)
    result.values().expect("""\
out = float32[6] [0.2728, 0.1029, 0.2728, 0.1029, 0.2728, 0.1029]
""")


@clause("T2.1", "A5")
def test_integer_that_changes_from_call_to_call(check: Check) -> None:
    """A Python integer that is a shift, a dimension's size and a factor is each call's own, zero and negative too."""

    def program(a: torch.Tensor, count: int) -> torch.Tensor:
        return a.roll(count) * count + torch.arange(4, device=a.device) // (count * count + 1)

    result = check(program, calls=[(tensor(4), number) for number in (2, 3, 0, -1, 1)]).unchanged(0)
    result.values().expect("""\
out = float32[4] [-0.478, -2.764, 1.373, -5.26]
""")
    result.in_call(1).values().expect("""\
out = float32[4] [-0.8187, -0.2041, 2.729, -1.508]
""")


@clause("T2.1")
def test_values_that_choose_an_operator(check: Check) -> None:
    """A string, an enum member, a dtype and a memory format choose what is computed, anew in each call."""

    def program(a: torch.Tensor, kind: str, how: _Reduction, dtype: torch.dtype) -> torch.Tensor:
        b = getattr(torch, kind)(a)
        b = b.sum(0) if how is _Reduction.SUM else b.mean(0)
        return b.to(dtype)

    calls = [
        (tensor(2, 3), "sin", _Reduction.SUM, torch.float64),
        (tensor(2, 3), "exp", _Reduction.SUM, torch.float64),
        (tensor(2, 3), "exp", _Reduction.MEAN, torch.int32),
    ]
    result = check(program, calls=calls)
    result.happened(result.facts("out").dtype == "float64", "a result of the dtype that was asked for")
    result.values().expect("""\
out = float64[3] [-0.3484, -0.9299, 0.6129]
""")
    result.in_call(1).values().expect("""\
out = float64[3] [3.088, 1.381, 1.527]
""")


@clause("A4", modes="train", entry=ANY)
def test_dict_of_tensors_goes_in(check: Check) -> None:
    """A nested dict of tensors goes in by key: the graph's inputs, and the gradients, belong to the right keys."""

    def program(batch: dict[str, Any]) -> torch.Tensor:
        return batch["y"] - batch["x"] * batch["extra"]["scale"]

    result = check(program, {"x": tensor(3), "extra": {"scale": tensor(3)}, "y": tensor(3)})
    result.gradient(0, 1, 2).unchanged("arg[0]['x']")
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    sub = torch.ops.aten.sub.Tensor(primals_3, mul)
    return (sub, primals_1, primals_2)
""")


@clause("A4", "A5")
def test_dict_with_its_keys_in_another_order(check: Check) -> None:
    """A dict with the same keys in another order, and one with a key more, are read by key and walked in own order."""

    def program(batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return torch.stack([item * place for place, item in enumerate(batch.values(), 1)]).sum(0) + batch["x"]

    calls = [
        ({"x": tensor(3), "y": tensor(3)},),
        ({"y": tensor(3), "x": tensor(3)},),
        ({"x": tensor(3), "y": tensor(3), "z": tensor(3)},),
    ]
    result = check(program, calls=calls)
    result.values().expect("""\
out = float32[3] [-1.391, -6.172, 1.552]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [2.226, -1.709, -1.638]
""")


@clause("T2.1", "A4", modes="train")
def test_named_tuples_and_ordered_dicts_go_in_and_out(check: Check) -> None:
    """A named tuple and an OrderedDict are taken apart by name and come out as their own types."""

    def program(pair: _Pair, rest: "collections.OrderedDict[str, torch.Tensor]") -> tuple[_Pair, Any]:
        moved = collections.OrderedDict((name, item * 2) for name, item in rest.items())
        moved.move_to_end("a")
        return _Pair(pair.weight * rest["b"], None), moved

    pair = built(_Pair, tensor(3), tensor(3))
    result = check(program, pair, collections.OrderedDict(a=tensor(3), b=tensor(3)))
    result.requires_grad("out[0].weight").gradient(0)


@clause("T2.1", shapes=("static", "dynamic"), entry=ANY)
def test_list_of_tensors_of_several_lengths(check: Check) -> None:
    """A list of tensors is as long as each call's own list: no element is left out and none is read twice."""

    def program(parts: list[torch.Tensor]) -> torch.Tensor:
        return torch.stack([part * (place + 1) for place, part in enumerate(parts)]).sum(0)

    result = check(program, calls=[([tensor(3)] * 1,), ([tensor(3), tensor(3)],), ([tensor(3), tensor(3), tensor(3)],)])
    result.values().expect("""\
out = float32[3] [0.6865, -2.63, -0.239]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [1.316, -1.23, -1.114]
""")


@clause("A5", "T2.5", modes="train", entry=ANY)
def test_operand_that_requires_grad_only_in_the_second_call(check: Check) -> None:
    """Compiled without a gradient for an operand, called with one: the gradient arrives in that call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.sin() * b.cos()

    calls = [
        (tensor(3), tensor(3, grad=False)),
        (tensor(3, grad=False), tensor(3)),
        (tensor(3), tensor(3)),
        (tensor(3, grad=False), tensor(3, grad=False)),
    ]
    result = check(program, calls=calls)
    result.gradient(0)
    arrived = [set(call.gradients) for call in result.expected.calls]
    result.happened(len(arrived[2]) == 2 and not arrived[3], "gradients of both operands in the third call alone")


@clause("A5", "T2.5")
def test_one_tensor_under_two_keys_and_then_two(check: Check) -> None:
    """A dict that holds one tensor twice and then two tensors: what is written under one key shows only where it is."""

    def program(state: dict[str, torch.Tensor]) -> torch.Tensor:
        state["a"].mul_(3)
        return state["b"] + 1

    shared = tensor(3)
    calls = [({"a": shared, "b": shared},), ({"a": tensor(3), "b": tensor(3)},), ({"a": shared, "b": shared},)]
    check(program, calls=calls).mutated("arg[0]['a']")
