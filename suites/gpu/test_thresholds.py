"""Sizes at which kernels take another form: split, persistent, cooperative, of 64-bit indices, of many blocks."""

import pytest
import torch

from suites.gpu.large import much_memory
from suites.harness import Check, clause, tensor

#: Rows and columns below and beyond what one block holds.
SIZES = ((4, 8), (1024, 2048))
#: The forms that Inductor has for a reduction, and what makes it take each.
FORMS: dict[str, dict[str, object]] = {
    "split": {"inductor.split_reductions": True},
    "whole": {"inductor.split_reductions": False},
    "looped": {"inductor.triton.persistent_reductions": False},
    "persistent": {"inductor.triton.multi_kernel": 2},
    "cooperative": {
        "inductor.triton.cooperative_reductions": True,
        "inductor.triton.force_cooperative_reductions": True,
    },
}
#: Elements of a tensor of bytes whose last places take more than 32 bits.
MANY = 2**31 + 7


@pytest.mark.parametrize("rows, columns", SIZES)
@clause("gpu.thresholds", devices="cuda")
def test_sum_with_its_own_flip_after_rows_were_put(check: Check, rows: int, columns: int) -> None:
    """A tensor that rows were put into and that is then added to its own flip has the rows of before in the flip."""

    def program(a: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        a.index_put_((torch.tensor([1], device=a.device),), row)
        return a.add_(a.flip(0))

    check(program, tensor(rows, columns), tensor(columns)).mutated(0)


@pytest.mark.parametrize("rows, columns", ((1, 300_000), (3, 70_001), (70_000, 3), (513, 1025)))
@clause("gpu.thresholds", modes=("no_grad", "train"), devices="cuda")
def test_reductions_of_long_and_of_many_rows(check: Check, rows: int, columns: int) -> None:
    """Sums, extremes and spreads of rows that no block holds, or of more rows than a grid has places in a dimension."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sum(1), a.amax(1), a.var(1, correction=0), a.sum(0)

    check(program, tensor(rows, columns)).computed()


@pytest.mark.parametrize("form", FORMS)
@clause("gpu.thresholds", modes=("no_grad", "train"), on=("inductor",), devices="cuda")
def test_reductions_in_one_form(check: Check, form: str) -> None:
    """Sums, spreads, extremes and their places are the same in each form of a kernel: split, looped, cooperative."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sum(1), a.var(1), a.amax(1), a.argmin(1), a.softmax(1), a.norm(dim=0)

    calls = [(tensor(2, 70_001),), (tensor(2000, 33),)]
    check(program, calls=calls, config=FORMS[form]).gradient(0).computed().in_call(1).computed()


@pytest.mark.parametrize("form", ("whole", "cooperative"))
@clause("gpu.thresholds", on=("inductor",), devices="cuda")
def test_reductions_to_one_number_in_one_form(check: Check, form: str) -> None:
    """Sums, extremes and answers over all elements at once take in each of them, of floats and of integers."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.mean(), a.amin(), b.sum(), (b > 3).any(), (b < 8).all(), b.argmax()

    numbers = tensor(300_001, dtype=torch.int64, values=[*[1] * 299_999, 7, 2])
    check(program, tensor(300_001), numbers, config=FORMS[form]).computed()


@pytest.mark.parametrize("columns", (1, 31, 33, 1024, 1025, 5000))
@clause("gpu.thresholds", modes=("no_grad", "train"), devices="cuda")
def test_softmax_and_norm_around_the_widths_of_blocks(check: Check, columns: int) -> None:
    """Softmax and layer_norm of rows around the widths at which a row is kept, or read twice."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.layer_norm(a, (a.shape[1],)).softmax(-1) * a

    check(program, tensor(37, columns)).computed()


@pytest.mark.parametrize("count", (65_535 * 2 + 1, 1 << 20))
@clause("gpu.thresholds", devices="cuda")
def test_more_blocks_than_one_dimension_of_a_grid(check: Check, count: int) -> None:
    """A pointwise program over a dimension in the middle of more than 65,535 blocks reaches its end."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.transpose(0, 1).contiguous() + 1

    result = check(program, tensor(count, 2))
    result.happened(bool((result.value("out")[:, -1] != 0).all()), "values in the last column")


@clause("gpu.thresholds", devices="cuda")
def test_places_beyond_32_bits(check: Check) -> None:
    """Elements beyond the first 2^31 are read and written where they are."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        big = torch.zeros(2**31 + 7, dtype=torch.int8, device=a.device)
        big[-a.numel() :].add_(a)
        big.mul_(2)
        return big[2**31 - 2 :].to(torch.int32), big.count_nonzero()

    with much_memory():
        check(program, tensor(5, dtype=torch.int8, values=[1, 2, 3, 4, 5])).computed()


@clause("gpu.thresholds", devices="cuda")
def test_reductions_over_places_beyond_32_bits(check: Check) -> None:
    """A sum, an extreme and its place over more than 2^31 elements take in those at the end."""

    def program(places: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        big = torch.zeros(MANY, dtype=torch.int8, device=places.device)
        big.index_put_((places,), values)
        return big.sum(), big.argmax(), big.amax(), big.count_nonzero()

    places = tensor(2, dtype=torch.int64, values=[5, MANY - 3])
    with much_memory():
        check(program, places, tensor(2, dtype=torch.int8, values=[1, 3])).computed()


@clause("gpu.thresholds", devices="cuda")
def test_elements_by_index_beyond_32_bits(check: Check) -> None:
    """Elements that indices beyond 2^31 name are read and written there: by indexing, gathering and scattering."""

    def program(places: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        big = torch.zeros(MANY, dtype=torch.int8, device=places.device)
        big.index_put_((places,), values)
        before = big[places], big.gather(0, places.flip(0)), big.index_select(0, places)
        big.scatter_(0, places, values * 2)
        return *before, big.take(places)

    places = tensor(3, dtype=torch.int64, values=[5, 2**31 + 1, MANY - 1])
    with much_memory():
        check(program, places, tensor(3, dtype=torch.int8, values=[1, 2, 3])).computed()


@clause("gpu.thresholds", devices="cuda")
def test_numbers_beyond_32_bits_of_a_range(check: Check) -> None:
    """A range that passes 2^31 counts on there, whatever few elements it has."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.arange(2**31 - 3, 2**31 + 3, device=a.device) * 2 + a

    check(program, tensor(6, dtype=torch.int64)).computed()


@pytest.mark.parametrize("offset", (1, 2, 3))
@clause("gpu.thresholds", modes=("no_grad", "train"), devices="cuda")
def test_inputs_that_begin_between_the_places_of_vectors(check: Check, offset: int) -> None:
    """An input whose memory begins between the places of vectors is computed on as any, call after call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * 2 + b

    aligned, apart = tensor(4096), tensor(4096, offset=offset)
    check(program, calls=[(aligned, aligned), (apart, aligned), (apart, apart)]).in_call(1).computed()


@clause("gpu.thresholds", devices="cuda")
def test_counts_that_many_threads_add_to(check: Check) -> None:
    """Integers that many threads add to one place come to their sum, whoever comes first."""

    def program(a: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        counts = torch.zeros(10, dtype=torch.int64, device=a.device)
        return counts.index_add(0, places % 10, a), counts.scatter_reduce(0, places % 10, a, "amax")

    check(program, tensor(20_000, dtype=torch.int64), tensor(20_000, dtype=torch.int64)).computed()
