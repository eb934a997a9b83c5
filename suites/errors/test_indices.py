"""Indices out of bounds: only a run can tell, and it has to."""

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("errors.indices", asserts_on_device=True)
def test_row_that_is_not_there(check: Check) -> None:
    """A tensor of indices with one beyond the last row raises, in fancy indexing."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a[index] * 2

    check(program, tensor(5, 2), tensor(3, dtype=torch.int64, values=[0, 5, 1])).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_negative_row_that_is_not_there(check: Check) -> None:
    """An index of minus six into five rows does not wrap around twice."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a[index] + 1

    check(program, tensor(5, 2), tensor(3, dtype=torch.int64, values=[0, -6, 1])).raised("out of bounds")


@clause("errors.indices", devices="cpu")
def test_element_of_many_that_is_not_there(check: Check) -> None:
    """Of many elements chosen at once one just beyond the last or before the first is refused, wherever it stands."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a[index] * 2

    def refused(program: Callable[..., torch.Tensor], at: int, index: int) -> bool:
        chosen = torch.arange(37)
        chosen[at] = index
        try:
            program(torch.arange(37.0), chosen)
        except (IndexError, RuntimeError):
            return True
        return False

    with torch.no_grad(), check.compiled(program) as compiled:
        for at in (0, 3, 20, 36):
            for index in (37, -38, 36, -37):
                seen = refused(compiled, at, index)
                check.demand("error", f"{index} at {at} of 37 is refused", refused(program, at, index), seen)


@clause("errors.indices", asserts_on_device=True)
def test_write_to_a_row_that_is_not_there(check: Check) -> None:
    """`index_put` beyond the last row raises, and writes nowhere."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * 2).index_put((index,), b)

    check(program, tensor(5, 2), tensor(2, dtype=torch.int64, values=[1, 7]), tensor(2, 2)).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_selected_row_that_is_not_there(check: Check) -> None:
    """`index_select` beyond the last row raises."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a.index_select(0, index) * 3

    check(program, tensor(5, 2), tensor(3, dtype=torch.int64, values=[0, 5, 1])).raised("out of range")


@clause("errors.indices", asserts_on_device=True)
def test_negative_selected_row(check: Check) -> None:
    """`index_select` counts no index from the end."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a.index_select(0, index) * 3

    check(program, tensor(5, 2), tensor(3, dtype=torch.int64, values=[0, -1, 1])).raised("out of range")


@clause("errors.indices", asserts_on_device=True)
def test_gathered_element_that_is_not_there(check: Check) -> None:
    """`gather` beyond the last column raises."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a.gather(1, index) * 2

    check(program, tensor(2, 3), tensor(2, 2, dtype=torch.int64, values=[[0, 1], [2, 3]])).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_negative_gathered_element(check: Check) -> None:
    """`gather` counts no index from the end."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a.gather(1, index) * 2

    check(program, tensor(2, 3), tensor(2, 2, dtype=torch.int64, values=[[0, 1], [2, -1]])).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_element_scattered_beyond_the_end(check: Check) -> None:
    """`scatter` beyond the last element raises, and writes nowhere."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * 2).scatter(0, index, b)

    check(program, tensor(5), tensor(3, dtype=torch.int64, values=[0, 2, 5]), tensor(3)).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_element_added_beyond_the_end(check: Check) -> None:
    """`scatter_add` beyond the last element raises."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * 2).scatter_add(0, index, b)

    check(program, tensor(5), tensor(3, dtype=torch.int64, values=[0, 2, 5]), tensor(3)).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_word_that_is_not_in_the_embedding(check: Check) -> None:
    """An embedding of five words has no sixth."""

    def program(weight: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return functional.embedding(index, weight) * 2

    check(program, tensor(5, 2), tensor(2, dtype=torch.int64, values=[1, 5])).raised("out of range")


@clause("errors.indices", asserts_on_device=True)
def test_negative_word(check: Check) -> None:
    """An embedding counts no word from the end."""

    def program(weight: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return functional.embedding(index, weight) * 2

    check(program, tensor(5, 2), tensor(2, dtype=torch.int64, values=[1, -1])).raised("out of range")


@clause("errors.indices", asserts_on_device=True)
def test_class_that_is_not_there(check: Check) -> None:
    """Cross entropy of a target beyond the last class raises."""

    def program(a: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(a, target)

    check(program, tensor(2, 3), tensor(2, dtype=torch.int64, values=[1, 3])).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_taken_element_that_is_not_there(check: Check) -> None:
    """`take` beyond the last element raises."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return a.take(index) * 2

    check(program, tensor(2, 3), tensor(2, dtype=torch.int64, values=[1, 6])).raised("out of range")


@clause("errors.indices", asserts_on_device=True)
def test_element_added_by_index_beyond_the_end(check: Check) -> None:
    """`index_add` beyond the last row raises."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * 2).index_add(0, index, b)

    check(program, tensor(5), tensor(2, dtype=torch.int64, values=[1, 5]), tensor(2)).raised("out of")


@clause("errors.indices", asserts_on_device=True)
def test_negative_row_added_by_index(check: Check) -> None:
    """`index_add` counts no index from the end."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.index_add(0, index, b) * 2

    check(program, tensor(4, 3), tensor(2, dtype=torch.int64, values=[0, -1]), tensor(2, 3)).raised("out of bounds")


@clause("errors.indices", asserts_on_device=True)
def test_negative_row_copied_by_index(check: Check) -> None:
    """`index_copy` counts no index from the end."""

    def program(a: torch.Tensor, index: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.index_copy(0, index, b) * 2

    check(program, tensor(4, 3), tensor(2, dtype=torch.int64, values=[0, -1]), tensor(2, 3)).raised("out of bounds")


#: Places that arithmetic makes of a range of six, one of them just outside of as many rows.
PLACES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda places: places + 1,
    "remainder": lambda places: places * 2 % 7,
    "distance": lambda places: 7 - (2 - places * 3).abs() // 2,
    "choice": lambda places: torch.where(places > 2, places + 1, places - 2),
    "bits": lambda places: (places & 4) | 2,
    "rounded": lambda places: (places * 1.15).round().long(),
    "square": lambda places: 18 - places.square(),
    "distance of a choice": lambda places: torch.where(places > 2, places - 9, 2).abs(),
    "extreme": lambda places: torch.maximum(places, 6 - places),
    "below": lambda places: torch.minimum(places - 7, -places),
}


@clause("errors.indices", "numbers.indices", asserts_on_device=True)
@pytest.mark.parametrize("made", PLACES)
def test_row_that_a_range_comes_to_is_not_there(check: Check, made: str) -> None:
    """A row just beyond the last or before the first raises, though arithmetic on a range and no data comes to it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[PLACES[made](torch.arange(6, device=a.device))] * 2

    check(program, tensor(6, 2)).raised("out of bounds")


#: Places that arithmetic makes of given ones and of numbers, one of them just outside of six rows.
GIVEN: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "bounded": lambda places, numbers: places.clamp(-3, 6),
    "bounded below": lambda places, numbers: places.clamp(-7, 5),
    "remainder": lambda places, numbers: places % 7,
    "remainder below": lambda places, numbers: places % -8,
    "truncated remainder": lambda places, numbers: places.fmod(8),
    "bits": lambda places, numbers: places & 6,
    "with a bit": lambda places, numbers: (places & 4) | 2,
    "a bit turned": lambda places, numbers: (places & 3) ^ 5,
    "shifted": lambda places, numbers: places.clamp(0, 3) << 1,
    "shifted down": lambda places, numbers: (places & 3) * 9 >> 2,
    "kinds": lambda places, numbers: torch.where(places > 0, 6, 2),
    "truth": lambda places, numbers: (places > 1).long() * 6,
    "difference of truths": lambda places, numbers: ((places > 1).int() - (places < 0).int()) * 7,
    "sign": lambda places, numbers: places.sign() * 5 - 2,
    "distance": lambda places, numbers: places.abs().clamp(max=6),
    "negative": lambda places, numbers: -places.abs().clamp(max=7),
    "square": lambda places, numbers: places.clamp(-3, 3).square() - 3,
    "quotient": lambda places, numbers: places.clamp(0, 9) * 2 // 3,
    "truncated quotient": lambda places, numbers: torch.div(places.clamp(-7, 4), 1, rounding_mode="trunc"),
    "less": lambda places, numbers: torch.minimum(places.abs(), torch.full_like(places, 6)),
    "a byte": lambda places, numbers: places.clamp(-7, -1).to(torch.uint8).int() - 249,
    "cut": lambda places, numbers: (numbers * 4).clamp(-3, 6).long(),
    "rounded": lambda places, numbers: (numbers * 4).round().clamp(-3, 6).int(),
    "floor": lambda places, numbers: (numbers * 4).clamp(-6.5, 2).floor().long(),
}


@clause("errors.indices", "numbers.indices", asserts_on_device=True)
@pytest.mark.parametrize("made", GIVEN)
def test_row_that_given_places_come_to_is_not_there(check: Check, made: str) -> None:
    """A row just beyond the last or before the first raises, whatever bounds arithmetic on given places keeps to."""

    def program(a: torch.Tensor, places: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        return a[GIVEN[made](places, numbers)] * 2

    places = tensor(5, dtype=torch.int64, values=[-7, -1, 0, 4, 9])
    numbers = tensor(5, values=[-2.6, -0.5, 0.5, 1.5, 2.4])
    check(program, tensor(6, 2), places, numbers).raised("out of bounds")


#: Places in one row alone, of which one is the second.
SECOND: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "truth": lambda places: (places > 0).long(),
    "truth in few bits": lambda places: (places > 0).to(torch.int32),
    "sign": lambda places: places.sign().clamp(min=0),
    "lowest bit": lambda places: places & 1,
    "remainder": lambda places: places % 2,
    "choice": lambda places: torch.where(places > 0, 1, 0),
    "extreme": lambda places: places.clamp(0, 1),
}


@clause("errors.indices", "numbers.indices", asserts_on_device=True)
@pytest.mark.parametrize("made", SECOND)
def test_second_row_where_there_is_one(check: Check, made: str) -> None:
    """Of one row a place that is nought or one, by how it is made, raises where it is one."""

    def program(a: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return a[SECOND[made](places)] * 2

    check(program, tensor(1, 2), tensor(3, dtype=torch.int64, values=[-4, 0, 3])).raised("out of bounds")


@clause("errors.indices", devices="cpu")
def test_place_of_a_maximum_in_the_next_image(check: Check) -> None:
    """The place that a maximum is put back to lies within its own image, and not in the next one."""

    def program(a: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return functional.max_unpool2d(a, places, [2, 2])

    check(program, tensor(1, 2, 1, 1), tensor(1, 2, 1, 1, dtype=torch.int64, values=[[[[5]], [[1]]]])).raised(
        "invalid max index"
    )


#: What is written at a place of each row, by a name.
SCATTERS: dict[str, Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "elements": lambda a, places, b: (a * 2).scatter(1, places, b),
    "number": lambda a, places, b: (a * 2).scatter(1, places, 5.0),
    "number in a constant": lambda a, places, b: torch.full((3, 4), 7.0, device=a.device).scatter(1, places, 5.0) + a,
    "sums": lambda a, places, b: (a * 2).scatter_add(-1, places, b),
    "products": lambda a, places, b: (a * 2).scatter_reduce(1, places, b, "prod"),
    "means of others": lambda a, places, b: (a * 2).scatter_reduce(1, places, b, "mean", include_self=False),
}


@clause("errors.indices", asserts_on_device=True)
@pytest.mark.parametrize("place", (4, -1))
@pytest.mark.parametrize("written", SCATTERS)
def test_scatter_to_a_place_that_is_not_there(check: Check, written: str, place: int) -> None:
    """No scatter writes just beyond a row, nor counts a place from its end: either raises."""

    def program(a: torch.Tensor, places: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return SCATTERS[written](a, places, b)

    places = tensor(3, 1, dtype=torch.int64, values=[[1], [place], [3]])
    check(program, tensor(3, 4), places, tensor(3, 1)).raised("out of bounds")
