"""Containers and objects among the arguments: what the program does to them, and to the tensors in them."""

import collections
import dataclasses
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


@clause("T3.1", modes=("train", "no_grad"))
def test_tensors_inside_of_containers_are_mutated(check: Check) -> None:
    """In-place ops on tensors in a list, a dict and a tuple reach the caller's tensors there."""

    def program(items: list[Any], named: dict[str, Any], pair: tuple[Any, ...]) -> torch.Tensor:
        items[1].mul_(2)
        named["b"].add_(1)
        pair[0].neg_()
        return items[0] + named["a"] + pair[1]

    result = check(program, [tensor(3), tensor(3)], {"a": tensor(3), "b": tensor(3)}, (tensor(3), tensor(3)))
    result.mutated("arg[0][1]", "arg[1]['b']", "arg[2][0]").unchanged("arg[0][0]", "arg[1]['a']")


@clause("T3.1", modes=("train", "no_grad"))
def test_list_grows_and_shrinks(check: Check) -> None:
    """Append, insert, pop and slice assignment leave the caller's list with eager's elements in eager's order."""

    def program(items: list[Any]) -> torch.Tensor:
        items.append(items[0] * 2)
        items.insert(0, items[1] + 1)
        last = items.pop(2)
        items[0:1] = [7, None]
        return last.sin()

    result = check(program, [tensor(3), tensor(3), tensor(3)])
    result.happened(result.call.entries["arg[0]"].detail == "5 elements", "a list of five")
    result.distinct("arg[0][2]", "arg[0][4]")


@clause("T3.1", modes=("train", "no_grad"))
def test_element_of_a_list_is_replaced(check: Check) -> None:
    """An element that is reassigned is another tensor afterwards; the tensor that was there is left alone."""

    def program(old: torch.Tensor, items: list[Any]) -> torch.Tensor:
        items[0] = items[0] * 2
        items[0].add_(1)
        return old + 1

    first = tensor(3)
    result = check(program, first, [first, tensor(3)])
    result.unchanged(0).distinct("arg[1][0]", "arg[0]").gradient(0)


@clause("T3.1", modes=("train", "no_grad"))
def test_keys_of_a_dict_come_and_go(check: Check) -> None:
    """Setting, deleting, moving to the end and `setdefault` leave the caller's keys in eager's order."""

    def program(named: dict[str, Any]) -> torch.Tensor:
        named["new"] = named["a"] * 2
        del named["b"]
        named["a"] = named.pop("a")
        named.setdefault("c", 5)
        return named["new"] + 1

    result = check(program, {"a": tensor(3), "b": tensor(3), "c": tensor(3)})
    result.happened(result.call.entries["arg[0]"].detail == "keys ['c', 'new', 'a']", "keys in another order")


@dataclasses.dataclass
class State:
    """What a training loop carries along."""

    value: torch.Tensor
    step: int = 0
    log: list[Any] = dataclasses.field(default_factory=list)


@clause("T3.1", modes=("train", "no_grad"))
def test_attributes_of_an_object_are_set(check: Check) -> None:
    """Attributes that the program sets, Python numbers and tensors alike, are set on the caller's object."""

    def program(state: State, a: torch.Tensor) -> torch.Tensor:
        state.step += 1
        state.value = state.value + a
        state.log.append(state.step)
        return state.value * 2

    result = check(program, built(State, tensor(3)), tensor(3))
    result.happened(result.call.entries["arg[0].step"].detail == 1, "a step")
    result.happened("arg[0].log[0]" in result.call.entries, "an entry in the log").gradient(0, 1)


@clause("T3.1", modes=("train", "no_grad"))
def test_tensor_attribute_is_mutated_and_then_replaced(check: Check) -> None:
    """A tensor that is written to and then replaced on its object keeps the write; the object has the new one."""

    def program(old: torch.Tensor, state: State) -> torch.Tensor:
        state.value.mul_(2)
        state.value = state.value + 1
        return old * 3

    value = tensor(3)
    result = check(program, value, built(State, value))
    result.mutated(0).distinct("arg[1].value", "arg[0]").gradient(0)


@clause("T3.1", modes=("train", "no_grad"))
def test_closed_over_list_collects_results(check: Check) -> None:
    """A list in the program's closure keeps what each call appends to it, across calls."""
    seen: list[Any] = []

    def program(a: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        seen.append(a * 2)
        return a.sum()

    result = check(program, tensor(3))
    second = result.in_call(1).call.entries
    result.mutated(0).happened(second["closure seen"].detail == "2 elements", "a list that grows over two calls")


@clause("T3.1", modes=("train", "no_grad"))
def test_container_is_returned_itself(check: Check) -> None:
    """A list that is an argument, is changed and returned, comes back as that list, with the caller's tensors in it."""

    def program(items: list[Any]) -> list[Any]:
        items[0].mul_(2)
        items.append(items[0])
        return items

    result = check(program, [tensor(3), tensor(3)])
    result.mutated("arg[0][0]").same_object("out", "arg[0]").same_object("arg[0][2]", "arg[0][0]")


@clause("T3.1", modes=("train", "no_grad"))
def test_set_and_counter_arguments_change(check: Check) -> None:
    """A set and a dict of numbers that the program updates hold eager's members and numbers after the call."""

    def program(names: set[str], counts: dict[str, int], a: torch.Tensor) -> torch.Tensor:
        names.add("new")
        names.discard("old")
        counts["calls"] = counts.get("calls", 0) + 1
        return a * counts["calls"]

    result = check(program, built(lambda: {"old", "kept"}), built(lambda: {"calls": 4}), tensor(3))
    result.happened(result.call.entries["arg[1]['calls']"].detail == 5, "a count")
    result.happened("'new'" in result.call.entries["arg[0]"].detail, "a member")


@clause("T3.1", modes=("train", "no_grad"))
def test_default_factories_are_replaced(check: Check) -> None:
    """A defaultdict of the caller whose default the program replaces, or takes away, makes what eager's would then."""

    def program(a: torch.Tensor, lists: Any, nothing: Any, counts: Any) -> torch.Tensor:
        lists.default_factory = list
        lists["made"].append(a * 2)
        nothing.default_factory = None
        counts["made"] += 1
        return a + len(lists)

    dicts = [built(lambda: collections.defaultdict(int, known=1)) for _ in range(3)]
    result = check(program, tensor(3), *dicts)
    seen = [str(result.call.entries[f"arg[{place}].default_factory"]) for place in (1, 2)]
    result.happened(seen == ["list", "None"], "other factories")
