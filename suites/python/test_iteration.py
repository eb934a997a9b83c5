"""Iterators and generators: when they run, how far, and what is left of them."""

import functools
import itertools
import operator
from collections.abc import Generator, Iterator
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


@clause("python.iteration")
def test_generator_runs_only_as_it_is_consumed(check: Check) -> None:
    """The body of a generator runs between the steps of the loop that consumes it, and no further than that loop."""

    def program(a: torch.Tensor) -> Any:
        log: list[str] = []

        def scaled() -> Iterator[torch.Tensor]:
            for number in range(1, 5):
                log.append(f"make {number}")
                yield a * number

        produced = scaled()
        log.append("start")
        total = a
        for value in produced:
            log.append("take")
            total = total * 2 + value
            if len(log) > 4:
                break
        return total, log

    check(program, tensor(3)).holds("out[1]", ["start", "make 1", "take", "make 2", "take"])


@clause("python.iteration", fullgraph=False)
def test_iterator_is_left_where_the_program_stopped(check: Check) -> None:
    """Of an iterator that is handed in, the program takes what it takes; the caller goes on with the rest."""

    def program(a: torch.Tensor, numbers: Iterator[int]) -> Any:
        b = a * 2
        first, second = next(numbers), next(numbers)
        return b * first - second, numbers

    result = check(program, tensor(3), built(lambda: iter([2, 3, 5, 7])))
    result.happened(result.call.entries["out[1][2]"].detail == 7, "a rest of two")


@clause("python.iteration", fullgraph=False)
def test_generator_is_sent_values_and_returns_one(check: Check) -> None:
    """``send`` is what ``yield`` gives, and ``yield from`` gives what the inner generator returns."""

    def inner(value: int) -> Any:
        received = yield value * 2
        again = yield received + 1
        return received - again

    def outer(value: int) -> Any:
        result = yield from inner(value)
        yield result * 10

    def drive(value: int) -> list[Any]:
        steps = outer(value)
        return [next(steps), steps.send(7), steps.send(5), next(steps, "end")]

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        numbers = drive(3)
        return b * numbers[2], numbers

    check(program, tensor(3)).holds("out[1]", [6, 8, 20, "end"])


@clause("python.iteration", fullgraph=False)
def test_generator_is_closed_when_its_loop_is_left(check: Check) -> None:
    """Closing a generator runs its ``finally`` there and then; throwing into it raises at its ``yield``."""

    def program(a: torch.Tensor) -> Any:
        log: list[str] = []
        b = a * 2

        def numbers() -> Generator[int, None, None]:
            try:
                yield 1
                yield 2
            except ValueError:
                log.append("caught")
                yield 30
            finally:
                log.append("closed")

        left = numbers()
        b = b * next(left)
        left.close()
        log.append("after")
        thrown = numbers()
        next(thrown)
        value = thrown.throw(ValueError("x"))
        thrown.close()
        return b + value, log

    check(program, tensor(3)).holds("out[1]", ["closed", "after", "caught", "closed"])


@clause("python.iteration")
def test_strict_zip_raises_on_unequal_lengths(check: Check) -> None:
    """``zip(strict=True)`` yields what it can and then raises; without it, it stops at the shortest."""

    def program(a: torch.Tensor, left: list[int], right: list[int]) -> Any:
        pairs: list[Any] = []
        caught = "nothing"
        try:
            for pair in zip(left, right, strict=True):
                pairs.append(pair)
        except ValueError as error:
            caught = str(error)
        return a * len(pairs), pairs, caught, list(zip(left, right, strict=False))

    result = check(program, tensor(3), [1, 2, 3], [4, 5]).holds("out[1]", [(1, 4), (2, 5)])
    result.holds("out[2]", "zip() argument 2 is shorter than argument 1").holds("out[3]", [(1, 4), (2, 5)])


@clause("python.iteration")
def test_zip_takes_from_the_first_iterator_before_it_stops(check: Check) -> None:
    """When the second iterator of a `zip` ends, an element of the first is gone; of iterators after it, none."""

    def program(a: torch.Tensor) -> Any:
        first, second, third = iter([1, 2, 3, 4]), iter([10, 20]), iter([7, 8, 9])
        pairs = list(zip(first, second, third, strict=False))
        return a * next(first) + next(third), pairs, list(first), list(third)

    result = check(program, tensor(3)).holds("out[1]", [(1, 10, 7), (2, 20, 8)])
    result.holds("out[2]", []).holds("out[3]", [])


@clause("python.iteration")
def test_map_and_filter_are_lazy(check: Check) -> None:
    """`map` and `filter` call their function when an element is asked for, on what the list holds by then."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        log: list[int] = []

        def double(item: int) -> int:
            log.append(item)
            return item * 2

        doubled = map(double, items)
        kept = filter(None, items)
        log.append(-1)
        items[0] = 100
        items.append(0)
        first = next(doubled)
        return a * first, log, list(kept), list(doubled)

    result = check(program, tensor(3), [1, 2]).holds("out[2]", [100, 2]).holds("out[3]", [4, 0])
    result.holds("out[1]", [-1, 100, 2, 0])


@clause("python.iteration")
def test_map_that_nobody_consumes_does_nothing(check: Check) -> None:
    """A `map`, a generator expression and a `zip` that are only made run nothing of the functions in them."""

    def program(a: torch.Tensor, items: list[Any]) -> Any:
        _ = map(items.append, [1, 2])
        _ = (items.append(number) for number in [3, 4])  # type: ignore[func-returns-value]
        used = map(items.append, [5, 6])
        next(used)
        return a * 2

    check(program, tensor(3), [0]).holds(1, [0, 5])


@clause("python.iteration")
def test_any_and_all_stop_at_the_first_answer(check: Check) -> None:
    """`any` and `all` take no more of a generator than their answer needs."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        walked = iter(items)
        facts = [any(item > 2 for item in walked), next(walked), all(item < 6 for item in walked)]
        return a * 2, facts, list(walked), any([]), all([])

    result = check(program, tensor(3), [1, 3, 4, 5, 6, 7]).holds("out[1]", [True, 4, False])
    result.holds("out[2]", [7]).holds("out[3]", False).holds("out[4]", True)


@clause("python.iteration")
def test_min_and_max_give_the_first_of_equals(check: Check) -> None:
    """Of elements with equal keys `min` and `max` give the first; of an empty iterable, the default."""

    def program(a: torch.Tensor, words: list[str]) -> Any:
        facts = [max(words, key=len), min(words, key=len), max([], default="none"), min(3, 1.0, 1), max(True, 1)]
        return a * len(facts), facts, sum(([word] for word in words), ["start"])

    result = check(program, tensor(3), ["bb", "a", "cc", "d"])
    result.holds("out[1]", ["bb", "a", "none", 1.0, True]).holds("out[2]", ["start", "bb", "a", "cc", "d"])


@clause("python.iteration")
def test_sum_and_reduce_fold_from_the_left(check: Check) -> None:
    """`sum`, `functools.reduce` and `itertools.accumulate` of tensors fold from the left, from the start value."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        total = sum([a, b], start=b * 3)
        folded = functools.reduce(lambda left, right: left * 2 - right, [a, b, total], b)
        running = list(itertools.accumulate([a, b, a], lambda left, right: left - 2 * right, initial=b))
        return total, folded, running

    result = check(program, tensor(3), tensor(3)).same_object("out[2][0]", "arg[1]")
    result.shape("out[2][3]", 3)


@clause("python.iteration")
def test_itertools_take_and_group_as_they_should(check: Check) -> None:
    """Slices, chains, products, groups and windows of iterators hold Python's elements in Python's order."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        walked = iter(items)
        taken = list(itertools.islice(walked, 1, 4, 2))
        rest = list(walked)
        grouped = [(key, list(group)) for key, group in itertools.groupby(items, key=lambda item: item // 2)]
        pairs = list(itertools.product("ab", range(2)))
        filled = list(itertools.zip_longest(items[:1], "xy", fillvalue=-1))
        dropped = list(itertools.dropwhile(lambda item: item < 3, items))
        return a * len(pairs), taken, rest, grouped, pairs, filled, dropped

    result = check(program, tensor(3), [1, 2, 3, 4, 5, 1]).holds("out[1]", [2, 4]).holds("out[2]", [5, 1])
    result.holds("out[3]", [(0, [1]), (1, [2, 3]), (2, [4, 5]), (0, [1])])
    result.holds("out[5]", [(1, "x"), (-1, "y")]).holds("out[6]", [3, 4, 5, 1])


@clause("python.iteration", fullgraph=False)
def test_tee_and_cycle_remember_what_they_saw(check: Check) -> None:
    """Both ends of a `tee` give every element once, and a `cycle` repeats the elements of an exhausted iterator."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        source = (number * 10 for number in range(3))
        left, right = itertools.tee(source)
        seen = [next(left), next(left), next(right)]
        again = itertools.cycle(iter([1, 2]))
        cycled = [next(again) for _ in range(5)]
        return b * cycled[4], seen, list(left), list(right), cycled

    result = check(program, tensor(3)).holds("out[1]", [0, 10, 0]).holds("out[2]", [20])
    result.holds("out[3]", [10, 20]).holds("out[4]", [1, 2, 1, 2, 1])


@clause("python.iteration", shapes=("static", "dynamic"))
def test_ranges_are_sequences_of_integers(check: Check) -> None:
    """A range has a length, members, slices and negative steps without being a list; `enumerate` starts where told."""

    def program(a: torch.Tensor, stop: int) -> Any:
        numbers = range(stop, 0, -3)
        facts = [len(numbers), numbers[-1], 4 in numbers, 5 in numbers, list(numbers[1:]), numbers == range(7, 1, -3)]
        placed = [(place, number) for place, number in enumerate(reversed(range(2)), start=stop)]
        return a * numbers[0], facts, placed

    result = check(program, tensor(3), 7).holds("out[1]", [3, 1, True, False, [4, 1], False])
    result.holds("out[2]", [(7, 1), (8, 0)])


@clause("python.iteration", shapes=("static", "dynamic"))
def test_membership_of_a_range_is_a_bool(check: Check) -> None:
    """``in`` a range is True or False, and no number, whatever is asked for."""

    def program(a: torch.Tensor, number: int) -> Any:
        return a + number, [number in range(5), 9 in range(5), 2.5 in range(5), operator.contains(range(0, 10, 5), 5)]

    check(program, tensor(3), 3).holds("out[1]", [True, False, False, True])


@clause("python.iteration", fullgraph=False)
def test_range_is_of_whole_numbers(check: Check) -> None:
    """A range to a float is a `TypeError`, and by steps of nought a `ValueError`: both can be caught."""

    def program(a: torch.Tensor, stop: Any, step: int) -> Any:
        b, caught = a * 2, list[Any]()
        try:
            caught.append(len(range(stop)))
        except TypeError as error:
            caught.append(str(error))
        try:
            caught.append(len(range(0, 5, step)))
        except ValueError as error:
            caught.append(str(error))
        return b, caught

    said = ["'float' object cannot be interpreted as an integer", "range() arg 3 must not be zero"]
    check(program, tensor(3), 1.5, 0).holds("out[1]", said)


@clause("python.iteration", fullgraph=False)
def test_repeat_ends_where_it_is_told_by_name(check: Check) -> None:
    """`itertools.repeat` gives its object as often as ``times`` says, by position and by name."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        times = [list(itertools.repeat("x", 2)), list(zip(range(5), itertools.repeat("x", times=2), strict=False))]
        return b, times

    check(program, tensor(3)).holds("out[1]", [["x", "x"], [(0, "x"), (1, "x")]])


@clause("python.iteration", fullgraph=False)
def test_group_ends_when_the_next_is_asked_for(check: Check) -> None:
    """The groups of `itertools.groupby` share one iterator: those that were passed over are empty."""

    def program(a: torch.Tensor, numbers: list[int]) -> Any:
        groups = list(itertools.groupby(numbers))
        used = [(key, len(list(group))) for key, group in itertools.groupby(numbers)]
        return a + len(groups), [(key, list(group)) for key, group in groups], used

    result = check(program, tensor(3), [1, 1, 2]).holds("out[1]", [(1, []), (2, [])])
    result.holds("out[2]", [(1, 2), (2, 1)])


@clause("python.iteration")
def test_loop_has_an_else_that_a_break_skips(check: Check) -> None:
    """The ``else`` of a loop runs when the loop ends by itself, also after no turn at all, and not after ``break``."""

    def program(a: torch.Tensor, limit: int) -> Any:
        log: list[str] = []
        for number in range(3):
            if number == limit:
                break
        else:
            log.append("for ended")
        while limit > 5:
            limit -= 1
            if limit == 5:
                continue
        else:
            log.append("while ended")
        for _ in ():
            log.append("never")
        else:
            log.append("empty ended")
        return a * limit + number, log

    result = check(program, calls=[(tensor(3), 1), (tensor(3), 7)]).holds("out[1]", ["while ended", "empty ended"])
    second = result.in_call(1).call.entries
    result.happened(second["out[1]"].detail == "3 elements", "another loop in the second call")


@clause("python.iteration")
def test_iter_calls_until_the_sentinel(check: Check) -> None:
    """``iter(function, sentinel)`` calls until the sentinel comes, and leaves the rest; `next` has a default."""

    def program(a: torch.Tensor, items: list[int]) -> Any:
        taken = list(iter(lambda: items.pop(0), 3))
        empty = iter(())
        return a * sum(taken), taken, next(empty, "none")

    result = check(program, tensor(3), [5, 4, 3, 2]).holds("out[1]", [5, 4]).holds(1, [2])
    result.holds("out[2]", "none")


@clause("python.iteration", fullgraph=False)
def test_returned_generator_has_not_run_yet(check: Check) -> None:
    """A generator that the program returns runs when the caller takes from it, and returns its value at last."""

    def program(a: torch.Tensor, log: list[str]) -> Any:
        def scaled() -> Generator[torch.Tensor, None, int]:
            log.append("began")
            yield a * 2
            yield a * 3
            return 7

        return scaled()

    result = check(program, tensor(3), built(list))
    result.holds("out[0]", "generator")


@clause("python.iteration", fullgraph=False)
def test_generator_within_a_generator_is_closed_with_it(check: Check) -> None:
    """Closing a generator that delegates to another runs the other's ``finally`` first; so does leaving its loop."""

    def inner(a: torch.Tensor, log: list[str]) -> Iterator[torch.Tensor]:
        try:
            yield a
            yield a + 1
        finally:
            log.append("inner")

    def outer(a: torch.Tensor, log: list[str]) -> Iterator[torch.Tensor]:
        try:
            yield from inner(a, log)
        finally:
            log.append("outer")

    def program(a: torch.Tensor, log: list[str]) -> Any:
        values = outer(a, log)
        first = next(values)
        values.close()  # type: ignore[attr-defined]
        return first * 2

    check(program, tensor(3), built(list)).holds("arg[1]", ["inner", "outer"])


@clause("python.iteration", fullgraph=False)
def test_generator_that_is_dropped_is_closed(check: Check) -> None:
    """A generator that a loop leaves with ``break`` runs its ``finally`` when nobody holds it any more."""

    def produced(a: torch.Tensor, log: list[str]) -> Iterator[torch.Tensor]:
        try:
            yield a
            yield a + 1
        finally:
            log.append("closed")

    def program(a: torch.Tensor, log: list[str]) -> Any:
        total = a
        for value in produced(a, log):
            total = total + value
            break
        return total * 2

    check(program, tensor(3), built(list)).holds("arg[1]", ["closed"])


@clause("python.iteration")
def test_ranges_that_count_down_are_sequences(check: Check) -> None:
    """Slices, counts and the reverse of ranges whose step is not one hold what the interpreter's do, to the last."""

    def program(a: torch.Tensor) -> Any:
        cut = range(3, 11)[6:-20:-2]
        down = range(10, 1, -3)
        counts = [down.count(1), down.count(10), down.count(4), range(2, 14, 4).count(14)]
        backwards = [list(reversed(numbers)) for numbers in (range(1, 9, 3), down, range(6, 0, -4))]
        return a * len(cut), list(cut), counts, backwards

    result = check(program, tensor(3)).holds("out[1]", [9, 7, 5, 3]).holds("out[2]", [0, 1, 1, 0])
    result.holds("out[3]", [[7, 4, 1], [4, 7, 10], [2, 6]])


@clause("python.iteration")
def test_iterators_are_taken_from_to_where_they_are_told(check: Check) -> None:
    """A counter that is handed in goes on for its caller; a slice passes over what is before its start in any case."""

    def program(a: torch.Tensor, numbers: Iterator[int]) -> Any:
        letters = iter("abcdef")
        cut = list(itertools.islice(letters, 4, 2))
        return a * next(numbers) + next(numbers) - next(numbers), cut, list(letters), numbers

    result = check(program, tensor(3), built(lambda: itertools.count(5))).holds("out[1]", [])
    result.holds("out[2]", ["e", "f"])


@clause("python.iteration", fullgraph=False)
def test_generator_that_raised_is_over(check: Check) -> None:
    """A generator that an exception left, its own or one that was thrown into it, has nothing more to give."""

    def program(a: torch.Tensor) -> Any:
        def parts(limit: int) -> Iterator[int]:
            for number in range(limit):
                yield number
                if number == 1:
                    raise KeyError("one")
                log.append(number)

        log: list[Any] = []
        numbers = parts(5)
        try:
            for number in numbers:
                log.append(("got", number))
        except KeyError:
            log.append("left")
        log.append(list(numbers))
        log.append(next(numbers, "over"))
        return a * len(log), log

    check(program, tensor(3)).holds("out[1]", [("got", 0), 0, ("got", 1), "left", [], "over"])
