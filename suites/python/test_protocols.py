"""Methods with two underscores: what operators, builtins and statements ask of an object of the program's own."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: D102
# mypy: disable-error-code="call-overload"

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


class Vector:
    """Numbers with operators; which method answered is written down."""

    def __init__(self, *values: Any) -> None:
        self.values = list(values)
        self.log: list[str] = []

    def __add__(self, other: Any) -> Any:
        self.log.append("add")
        return Vector(*self.values, *other.values) if isinstance(other, Vector) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        self.log.append("radd")
        return [other, *self.values]

    def __iadd__(self, other: Any) -> "Vector":
        self.log.append("iadd")
        self.values.append(other)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and self.values == other.values

    def __hash__(self) -> int:
        return len(self.values)

    def __lt__(self, other: Any) -> bool:
        return len(self.values) < len(other.values)

    def __neg__(self) -> "Vector":
        return Vector(*(-value for value in self.values))

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, item: object) -> bool:
        self.log.append("contains")
        return item in self.values

    def __getitem__(self, place: Any) -> Any:
        self.log.append(f"item {place}")
        return self.values[place]

    def __setitem__(self, place: int, value: Any) -> None:
        self.values[place] = value * 2

    def __delitem__(self, place: int) -> None:
        self.log.append(f"delete {place}")
        del self.values[place]

    def __call__(self, by: Any, *, plus: int = 0) -> Any:
        return by * len(self.values) + plus


@clause("python.protocols")
def test_operators_ask_the_object(check: Check) -> None:
    """``+`` and ``-`` call the object's methods, the reflected one where the left operand does not know how."""

    def program(a: torch.Tensor, vector: Vector) -> Any:
        both = vector + Vector(5)
        reflected = 7 + vector
        return a * both.values[2], both.values, reflected, (-vector).values

    result = check(program, tensor(3), built(Vector, 1, 2)).holds("out[1]", [1, 2, 5]).holds("out[2]", [7, 1, 2])
    result.holds("out[3]", [-1, -2]).holds("arg[1].log", ["add", "radd"])


@clause("python.protocols", fullgraph=False)
def test_augmented_assignment_asks_for_the_method_in_place(check: Check) -> None:
    """``+=`` calls ``__iadd__`` and binds what it returns, here the caller's object, which holds the new element."""

    def grow(vector: Vector, *items: Any) -> Vector:
        for item in items:
            vector += item
        return vector

    def program(a: torch.Tensor, vector: Vector) -> Any:
        b = a * 2
        grown = grow(vector, b, 3)
        return vector.values[1] + 1, grown is vector

    result = check(program, tensor(3), built(Vector, 1)).holds("out[1]", True).holds("arg[1].log", ["iadd", "iadd"])
    result.holds("arg[1].values[2]", 3)


@clause("python.protocols")
def test_brackets_and_in_ask_the_object(check: Check) -> None:
    """Reading, setting and deleting with brackets, and ``in``, call the object's methods with what stands there."""

    def program(a: torch.Tensor, vector: Vector) -> Any:
        first = vector[0]
        vector[1] = 8
        del vector[0]
        return a * first, list(vector.values), 16 in vector, vector[-1], len(vector)

    result = check(program, tensor(3), built(Vector, 4, 5)).holds("out[1]", [16]).holds("out[2]", True)
    result.holds("arg[1].log", ["item 0", "delete 0", "contains", "item -1"])


@clause("python.protocols", fullgraph=False)
def test_object_is_iterated_by_its_items(check: Check) -> None:
    """An object without ``__iter__`` is iterated by its items from 0 on, until one raises `IndexError`."""

    def program(a: torch.Tensor, vector: Vector) -> Any:
        b = a * 2
        items = list(vector)
        return b * items[1], items

    result = check(program, tensor(3), built(Vector, 4, 5)).holds("out[1]", [4, 5])
    result.holds("arg[1].log", ["item 0", "item 1", "item 2"])


@clause("python.protocols")
def test_truth_of_an_object_is_its_length(check: Check) -> None:
    """Without ``__bool__`` an object with a length is true if that is not 0; with it, as it says; else always."""

    class Decided(Vector):
        def __bool__(self) -> bool:
            return self.values[0] > 3

    class Bare:
        pass

    def program(a: torch.Tensor, vector: Vector, decided: Vector) -> Any:
        facts = [bool(vector), not Vector(), bool(decided), bool(Bare()), "yes" if vector and decided else "no"]
        return a * len(facts), facts

    result = check(program, tensor(3), built(Vector, 1), built(Decided, 2))
    result.holds("out[1]", [True, True, False, True, "no"])


@clause("python.protocols", fullgraph=False)
def test_equality_and_order_are_the_objects_own(check: Check) -> None:
    """``==``, membership, `sorted` and dict keys use the object's ``__eq__``, ``__lt__`` and ``__hash__``."""

    def program(a: torch.Tensor, vector: Vector) -> Any:
        b = a * 2
        other = Vector(1, 2)
        facts = [vector == other, vector != other, vector is other, vector == [1, 2], other in [vector]]
        ordered = [list(item.values) for item in sorted([vector, Vector(9), Vector()])]
        named = {vector: "found"}
        return b, facts, ordered, named.get(other)

    result = check(program, tensor(3), built(Vector, 1, 2)).holds("out[1]", [True, False, False, False, True])
    result.holds("out[2]", [[], [9], [1, 2]]).holds("out[3]", "found")


@clause("python.protocols")
def test_object_is_called(check: Check) -> None:
    """Calling an object calls its ``__call__`` with positional and keyword arguments, also through `map` and a name."""

    def program(a: torch.Tensor, vector: Vector) -> Any:
        apply = vector
        return apply(a, plus=5), list(map(vector, [1, 2])), callable(vector), vector.__call__(2, plus=1)

    result = check(program, tensor(3), built(Vector, 4, 5, 6)).holds("out[1]", [3, 6]).holds("out[3]", 7)
    result.holds("out[2]", True)


class Countdown:
    """An iterator that remembers where it is."""

    def __init__(self, start: int) -> None:
        self.at = start

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self.at == 0:
            raise StopIteration
        self.at -= 1
        return self.at


@clause("python.protocols")
def test_iterator_object_remembers_its_place(check: Check) -> None:
    """A loop that is left early leaves the caller's iterator where it was, and the next loop goes on from there."""

    def program(a: torch.Tensor, countdown: Countdown) -> Any:
        for number in countdown:
            if number == 4:
                break
        first = countdown.at
        rest = []
        for number in countdown:
            rest.append(number)
            if number < 3:
                break
        return a * first, rest

    result = check(program, tensor(3), built(Countdown, 6)).holds("out[1]", [3, 2])
    result.holds("arg[1].at", 2)


class Recorded(list[Any]):
    """A list that writes down what is appended and adds its own offset to what is read."""

    appended = 0

    def append(self, item: Any) -> None:
        self.appended += 1
        super().append(item * 10)

    def __getitem__(self, place: Any) -> Any:
        return super().__getitem__(place) + 1


@clause("python.protocols", fullgraph=False)
def test_subclass_of_a_list_overrides_its_methods(check: Check) -> None:
    """Methods that a list's subclass overrides are called, those that it does not are the list's, and it stays one."""

    def program(a: torch.Tensor, items: Recorded) -> Any:
        b = a * 2
        items.append(4)
        items.extend([7])
        return b * items[-1], list(items), items[0], isinstance(items, list), items == [1, 40, 7]

    result = check(program, tensor(3), built(lambda: Recorded([1]))).holds("out[1]", [1, 40, 7]).holds("out[2]", 2)
    result.holds("arg[1].appended", 1).holds("out[4]", True)


class Claiming(set[int]):
    """A set that, iterated, claims to hold something else."""

    def __iter__(self) -> Any:
        return iter([99])


class Answering(dict[str, int]):
    """A dict that answers for keys which are not there, and lists others than it has."""

    def __missing__(self, key: str) -> int:
        return 5

    def items(self) -> Any:
        return [("another", 1)]


@clause("python.protocols", fullgraph=False)
def test_sets_and_dicts_look_past_overridden_iteration(check: Check) -> None:
    """Equality of sets and copies of a dict are made of what is stored, whatever a subclass's iteration says."""

    def program(a: torch.Tensor, numbers: Claiming, words: Answering) -> Any:
        return a * 2, {1, 2, 3} == numbers, dict(words), words["missing"], list(words.items())

    result = check(program, tensor(3), built(lambda: Claiming([1, 2, 3])), built(lambda: Answering(there=2)))
    result.holds("out[1]", True).holds("out[2]", {"there": 2}).holds("out[3]", 5)


class Batch(list[Any]):
    """A list with another name."""


class Kept:
    """An object that says what is copied of it."""

    def __init__(self, scale: int) -> None:
        self.scale, self.dropped = scale, True

    def __getstate__(self) -> dict[str, Any]:
        return {"scale": self.scale * 2, "dropped": False}


@clause("python.protocols", torch=">=2.12")
def test_copies_are_made_as_their_objects_say(check: Check) -> None:
    """A copy of a list's subclass has its items; one of an object with ``__getstate__`` is made of that state."""

    def program(a: torch.Tensor, kept: Kept) -> Any:
        batch = Batch([a * 2, a * 3])
        other = copy.copy(batch)
        other.append(a)
        again = copy.copy(kept)
        return len(batch), len(other), a * again.scale, again.dropped

    result = check(program, tensor(3), built(lambda: Kept(2))).holds("out[0]", 2).holds("out[1]", 3)
    result.holds("out[3]", False).computed()


class Rank:
    """Answers comparisons with its own name."""

    def __lt__(self, other: object) -> str:
        return "rank is less"

    def __gt__(self, other: object) -> str:
        return "rank is greater"


class HigherRank(Rank):
    """Answers one of them anew."""

    def __gt__(self, other: object) -> str:
        return "higher rank is greater"


@dataclasses.dataclass(frozen=True)
class Metre:
    """A number of a unit."""

    number: int


@dataclasses.dataclass(frozen=True)
class Foot:
    """The same number of another."""

    number: int


@clause("python.protocols")
def test_classes_count_where_objects_are_compared(check: Check) -> None:
    """A subclass is asked first, from the right as well; objects of two classes with equal fields are two keys."""

    def program(a: torch.Tensor, rank: Rank, higher: HigherRank, metre: Any, foot: Any) -> Any:
        answers = [rank < higher, higher < rank, rank > higher, rank < rank, higher > rank]
        lengths = {}
        for number, unit in enumerate([metre, foot, metre]):
            lengths[unit] = number
        return a * len(lengths), answers, list(lengths.values()), foot in {metre: 1}

    result = check(program, tensor(3), built(Rank), built(HigherRank), built(Metre, 3), built(Foot, 3))
    result.holds(
        "out[1]",
        [
            "higher rank is greater",
            "rank is less",
            "rank is less",
            "rank is less",
            "higher rank is greater",
        ],
    )
    result.holds("out[2]", [2, 1]).holds("out[3]", False)
