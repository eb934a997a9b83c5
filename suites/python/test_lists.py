"""Lists: their methods, slices, and what is one object in two places."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: F601
# mypy: disable-error-code="comparison-overlap, misc"

from typing import Any

import torch

from suites.harness import Check, clause, tensor


@clause("python.lists")
def test_list_methods_leave_the_interpreters_order(check: Check) -> None:
    """Extending, inserting from the end, removing the first equal element and reversing leave Python's order."""

    def program(a: torch.Tensor, items: list[Any]) -> torch.Tensor:
        items.extend(range(3))
        items.insert(-1, "x")
        items.remove(1)
        items.reverse()
        return a * items.index("x")

    check(program, tensor(3), [1, 5]).holds(1, [2, "x", 1, 0, 5])


@clause("python.lists")
def test_sort_is_stable_under_a_key(check: Check) -> None:
    """Sorting by a key keeps the order of what is equal, in reverse too, and moves the tensors along."""

    def program(pairs: list[tuple[int, str]], a: torch.Tensor, b: torch.Tensor) -> Any:
        pairs.sort(key=lambda pair: pair[0])
        ordered = sorted(pairs, key=lambda pair: pair[0] % 2, reverse=True)
        ranked = sorted([(2, a), (1, b)], key=lambda pair: pair[0])
        return ranked[0][1] * 2 - ranked[1][1], ordered

    result = check(program, [(2, "a"), (1, "b"), (2, "c"), (1, "d"), (3, "e")], tensor(3), tensor(3))
    result.holds(0, [(1, "b"), (1, "d"), (2, "a"), (2, "c"), (3, "e")])
    result.holds("out[1]", [(1, "b"), (1, "d"), (3, "e"), (2, "a"), (2, "c")])


@clause("python.lists")
def test_extended_slices_are_assigned_and_deleted(check: Check) -> None:
    """A slice with a step is replaced element by element, and deleting one closes the gaps."""

    def program(a: torch.Tensor, items: list[int]) -> torch.Tensor:
        items[::2] = [10, 20, 30]
        items[1:1] = [7, 8]
        del items[::3]
        return a * items[-2]

    check(program, tensor(3), [0, 1, 2, 3, 4]).holds(1, [7, 8, 20, 3])


@clause("python.lists")
def test_plus_equals_changes_the_list_and_plus_makes_another(check: Check) -> None:
    """After ``+=`` every name of the list sees the new elements; after ``= ... +`` only the name that was bound."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        same = items
        items += [2]
        items *= 2
        other = items
        items = items + [9]
        return a * len(same), same, other, items

    result = check(program, tensor(3), [1]).same_object("out[1]", "arg[1]").same_object("out[2]", "arg[1]")
    result.holds(1, [1, 2, 1, 2]).holds("out[3]", [1, 2, 1, 2, 9])


@clause("python.lists")
def test_multiplied_list_holds_one_object_many_times(check: Check) -> None:
    """The rows of ``[row] * 3`` are one list: a change of one shows in all, and a copy is apart but shallow."""

    def program(a: torch.Tensor) -> Any:
        rows: list[Any] = [[a * 2]] * 3
        copied = rows[:]
        rows[0].append(1)
        copied.append("mine")
        return rows, copied

    result = check(program, tensor(3)).same_object("out[0][2]", "out[0][0]").same_object("out[1][0]", "out[0][0]")
    result.holds("out[0][0][1]", 1).holds("out[1][3]", "mine")


@clause("python.lists")
def test_list_that_grows_while_it_is_iterated(check: Check) -> None:
    """A loop over a list also visits what the loop appends."""

    def program(a: torch.Tensor, items: list[int]) -> torch.Tensor:
        total = a
        for item in items:
            if len(items) < 6:
                items.append(item * 2)
            total = total * 0.5 + item
        return total

    check(program, tensor(3), [1, 3]).holds(1, [1, 3, 2, 6, 4, 12])


@clause("python.lists")
def test_list_that_shrinks_while_it_is_iterated(check: Check) -> None:
    """A loop over a list skips the element after the one that the loop removes."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        visited = []
        for item in items:
            visited.append(item)
            if item % 2:
                items.remove(item)
        return a * sum(visited), visited

    check(program, tensor(3), [1, 3, 5, 6, 7]).holds(1, [3, 6]).holds("out[1]", [1, 5, 7])


@clause("python.lists")
def test_a_tensor_is_found_in_a_list_by_identity_first(check: Check) -> None:
    """``in``, ``index`` and ``count`` find a tensor of many elements where it is the first, without comparing it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        items = [a, b]
        return b * 2, a in items, items.index(a), items[1] is b, [b] == [b]

    check(program, tensor(3), tensor(3)).holds("out[1]", True).holds("out[2]", 0).holds("out[4]", True)


@clause("python.lists", fullgraph=False)
def test_a_tensor_that_is_in_a_list_takes_the_branch(check: Check) -> None:
    """``in`` and ``not in`` of a list or tuple that begins with the tensor are bools that a branch can ask."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        facts = [b in [b, a], a in (a, b)]
        return (b + 1 if b in [b] else b), facts

    check(program, tensor(3)).holds("out[1]", [True, True])


@clause("python.lists")
def test_sequences_compare_element_by_element(check: Check) -> None:
    """Lists and tuples compare in the order of their elements, by value across number types and never by type."""

    def program(a: torch.Tensor, left: list[Any]) -> Any:
        facts = [
            left == [1, 2, True],
            left < [1, 3],
            (1,) < (1, 0),
            [1, 2] == (1, 2),
            left != [1.0, 2, 1],
            max([1, 9], [2]),
        ]
        return a + 1, facts

    check(program, tensor(3), [1.0, 2, 1]).holds("out[1]", [True, True, True, False, False, [2]])


@clause("python.lists")
def test_star_unpacking_collects_the_rest(check: Check) -> None:
    """A starred name collects what the others leave, in assignments, calls, literals and loops."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        first, *middle, last = items
        *before, _ = (*middle, last, *range(2))
        collected = [rest for _, *rest in [(1, 2, 3), (4,)]]
        return a * first + last, middle, before, collected, {"x": 1, "y": last, "x": 3}

    result = check(program, tensor(3), [2, 3, 4, 5])
    result.holds("out[1]", [3, 4]).holds("out[2]", [3, 4, 5, 0]).holds("out[3]", [[2, 3], []])
    result.holds("out[4]", {"x": 3, "y": 5})


@clause("python.lists")
def test_index_out_of_range_raises_and_a_slice_does_not(check: Check) -> None:
    """An index beyond the end raises an `IndexError` that the program catches; a slice beyond it is empty."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        caught = "nothing"
        try:
            items[3] = 1
        except IndexError as error:
            caught = str(error)
        try:
            items.remove(99)
        except ValueError as error:
            caught += " / " + type(error).__name__
        return a + len(items[5:9]), items[-2:], items[:-5], caught

    result = check(program, tensor(3), [1, 2, 3])
    result.holds("out[1]", [2, 3]).holds("out[2]", []).holds(
        "out[3]", "list assignment index out of range / ValueError"
    )
