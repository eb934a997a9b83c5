"""Sets, frozen sets and queues with two ends."""

import collections
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


@clause("python.sets-and-queues")
def test_set_operators_in_place_keep_the_set(check: Check) -> None:
    """``|=``, ``-=``, ``&=`` and ``^=`` change the set that all names share; the plain operators make another."""

    def program(a: torch.Tensor, members: set[int]) -> Any:
        same = members
        members |= {5, 6}
        members -= {1}
        members &= {2, 5, 6, 9}
        members ^= {6, 7}
        members = members | {100}
        return a * len(same), same, sorted(members)

    result = check(program, tensor(3), built(lambda: {1, 2, 3})).same_object("out[1]", "arg[1]")
    result.holds(1, {2, 5, 7}).holds("out[2]", [2, 5, 7, 100])


@clause("python.sets-and-queues")
def test_sets_are_compared_by_what_they_hold(check: Check) -> None:
    """Subset, superset, disjointness and equality are those of the members; frozen sets are keys by them."""

    def program(a: torch.Tensor, members: set[int]) -> Any:
        named = {frozenset((2, 1)): "pair"}
        facts = [members <= {1, 2}, members < {1, 2}, members >= {2}, members.isdisjoint({3}), members == {2, 1}]
        return a + len(members), facts, named[frozenset(members)], sorted(members.symmetric_difference([2, 3]))

    result = check(program, tensor(3), built(lambda: {1, 2})).holds("out[1]", [True, False, True, True, True])
    result.holds("out[2]", "pair").holds("out[3]", [1, 3])


@clause("python.sets-and-queues")
def test_set_methods_raise_and_return_as_they_should(check: Check) -> None:
    """Removing what is absent raises a `KeyError`, discarding it does not, and updates take several iterables."""

    def program(a: torch.Tensor, members: set[str]) -> Any:
        caught = []
        try:
            members.remove("absent")
        except KeyError as error:
            caught.append(error.args[0])
        members.discard("absent")
        members.update("xy", ["z"])
        members.difference_update({"x"})
        copied = members.copy()
        copied.clear()
        return a * len(members), caught, sorted(members), len(copied)

    result = check(program, tensor(3), built(lambda: {"p"})).holds("out[1]", ["absent"])
    result.holds("out[2]", ["p", "y", "z"]).holds(1, {"p", "y", "z"})


@clause("python.sets-and-queues", fullgraph=False)
def test_bounded_deque_drops_at_the_other_end(check: Check) -> None:
    """A full deque drops at the end away from the one that grows; `extendleft` reverses and `rotate` goes right."""

    def program(a: torch.Tensor, window: Any) -> Any:
        b = a * 2
        window.append(4)
        window.appendleft(0)
        window.extendleft([7, 8])
        snapshot = list(window)
        window.rotate(1)
        return b * window.popleft() + window.pop(), snapshot, window.maxlen

    result = check(program, tensor(3), built(lambda: collections.deque([1, 2, 3], maxlen=3)))
    result.holds("out[1]", [8, 7, 0]).holds("out[2]", 3).holds(1, collections.deque([8]))


@clause("python.sets-and-queues")
def test_deque_of_tensors_is_a_running_window(check: Check) -> None:
    """A window of tensors in the program's closure holds the last ones over several calls, oldest first."""
    window: Any = collections.deque(maxlen=2)

    def program(a: torch.Tensor) -> torch.Tensor:
        window.append(a * 2)
        return window[0] - 3 * window[-1]

    result = check(program, calls=[(tensor(3),), (tensor(3),), (tensor(3),)])
    entries = result.in_call(2).call.entries
    result.happened(entries["closure window"].detail == "2 elements", "a window that is full")


@clause("python.sets-and-queues")
def test_copy_of_a_bounded_deque_is_bounded(check: Check) -> None:
    """The copy of a bounded deque has its bound, and drops at the other end what is too much."""

    def program(a: torch.Tensor) -> Any:
        copied = collections.deque([a, a + 1], maxlen=2).copy()
        copied.append(a + 2)
        return torch.stack(list(copied)), copied.maxlen

    check(program, tensor(3)).shape("out[0]", 2, 3).holds("out[1]", 2)


@clause("python.sets-and-queues")
def test_repeated_bounded_deque_is_bounded(check: Check) -> None:
    """A bounded deque times a number has the bound, and holds the last elements alone."""

    def program(a: torch.Tensor) -> Any:
        repeated = collections.deque([a, a + 1, a + 2], maxlen=4) * 2
        return torch.stack(list(repeated)), repeated.maxlen

    check(program, tensor(3)).shape("out[0]", 4, 3).holds("out[1]", 4)


@clause("python.sets-and-queues")
def test_deque_that_holds_nothing(check: Check) -> None:
    """A deque whose bound is nought holds nothing of what it is made of, or given later."""

    def program(a: torch.Tensor) -> Any:
        nothing = collections.deque([a, a + 1], maxlen=0)
        nothing.append(a)
        return a * 2 + len(nothing), len(nothing)

    check(program, tensor(3)).holds("out[1]", 0)


@clause("python.sets-and-queues")
def test_bounded_deque_of_the_program(check: Check) -> None:
    """A bounded deque made by the program drops at the other end as it grows, and ``+`` and ``+=`` keep its bound."""

    def program(a: torch.Tensor) -> Any:
        window = collections.deque([a, a + 1], maxlen=2)
        window.append(a + 2)
        window.appendleft(a + 5)
        joined = window + collections.deque([a * 3])
        window += [a * 7, a * 8, a * 9]
        return torch.stack([*joined, *window]), joined.maxlen, window.maxlen

    check(program, tensor(3)).shape("out[0]", 4, 3).holds("out[1]", 2).holds("out[2]", 2)


@clause("python.sets-and-queues", fullgraph=False)
def test_set_methods_take_what_an_iterator_gives_once(check: Check) -> None:
    """`union`, `intersection`, `difference` and the like take generators, a `map` and a `zip`, of which each ends."""

    def program(a: torch.Tensor, members: set[int], frozen: frozenset[int]) -> Any:
        of_set: list[set[Any]] = [
            members.union(number for number in [3, 4]),
            members.intersection(map(int, "23")),
            members.difference((number for number in [3]), iter([1])),
            members.symmetric_difference(number for number in [3, 4]),
            members.union(zip([1], [2], strict=True)),
        ]
        of_frozen = [
            frozen.union(iter([4])),
            frozen.intersection(number for number in [2, 3]),
            frozen.difference(number for number in [2, 3]),
            frozen.symmetric_difference(number for number in [2, 3]),
        ]
        disjoint = [members.isdisjoint(number for number in [9, 1]), frozen.isdisjoint(iter([9, 1]))]
        return a + len(of_set[0]), of_set, of_frozen, disjoint

    result = check(program, tensor(3), built(lambda: {1, 2, 3}), built(lambda: frozenset((1, 2))))
    result.holds("out[1]", [{1, 2, 3, 4}, {2, 3}, {2}, {1, 2, 4}, {1, 2, 3, (1, 2)}])
    result.holds("out[2]", [frozenset(each) for each in ({1, 2, 4}, {2}, {1}, {1, 3})]).holds("out[3]", [False, False])


@clause("python.sets-and-queues", fullgraph=False)
def test_set_is_changed_by_what_an_iterator_gives_once(check: Check) -> None:
    """The methods that change a set take generators, and leave the caller's set with Python's members."""

    def program(a: torch.Tensor, *sets: set[int]) -> torch.Tensor:
        sets[0].update(number for number in [3, 4])
        sets[1].intersection_update(number for number in [3, 4])
        sets[2].difference_update(iter([3, 4]))
        sets[3].symmetric_difference_update(map(int, "34"))
        return a * len(sets[3])

    result = check(program, tensor(3), *(built(lambda: {1, 2, 3}) for _ in range(4)))
    result.holds("arg[1]", {1, 2, 3, 4}).holds("arg[2]", {3}).holds("arg[3]", {1, 2}).holds("arg[4]", {1, 2, 4})


@clause("python.sets-and-queues", fullgraph=False)
def test_a_tensor_is_found_in_a_queue_by_identity(check: Check) -> None:
    """``in`` of a deque, too, finds the tensor that it holds, and answers with a bool."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        return b, b in collections.deque([b])

    check(program, tensor(3)).holds("out[1]", True)


@clause("python.sets-and-queues")
def test_discarded_member_is_gone_for_the_caller(check: Check) -> None:
    """``discard`` takes a member out of a set that is handed in, and does nothing where there is none."""

    def program(a: torch.Tensor, numbers: set[int]) -> torch.Tensor:
        numbers.discard(2)
        numbers.discard(7)
        return a * len(numbers)

    check(program, tensor(3), built(lambda: {1, 2, 3})).holds(1, {1, 3})
