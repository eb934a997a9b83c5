"""Reductions, indexing, sorting and products of inputs whose order in memory is not the order of their elements."""

from typing import Any

import torch
from torch.nn import functional

from suites.harness import ANY, Check, clause, tensor

INDEX = tensor(3, dtype=torch.int64, values=[2, 0, 2])


@clause("layout.indexing", modes="train", entry=ANY)
def test_index_select_of_a_transposed_input(check: Check) -> None:
    """index_select along either dimension of a transposed input picks by element order and returns eager's strides."""

    def program(a: torch.Tensor, index: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.t().index_select(0, index), a.t().index_select(1, index)

    result = check(program, tensor(3, 4), INDEX).gradient(0)
    result.strides("out[0]", 3, 1).strides("out[1]", 3, 1)


@clause("layout.indexing")
def test_nonzero_static_of_a_transposed_input(check: Check) -> None:
    """nonzero_static lists positions in element order, whatever the order in memory, and fills what is left."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.nonzero_static(a.t(), size=6, fill_value=-3), torch.nonzero_static(a, size=2)

    a = tensor(2, 3, dtype=torch.int64, values=[[0, 5, 0], [7, 0, 9]])
    check(program, a).values().expect("""\
out[0] = int64[6, 2] [[0, 1], [1, 0], [2, 1], [-3, -3], [-3, -3], [-3, -3]]
out[1] = int64[2, 2] [[0, 1], [1, 0]]
""")


@clause("layout.indexing", "numbers.indices", entry=ANY)
def test_indices_of_extremes_of_a_transposed_input(check: Check) -> None:
    """argmax of all elements counts in element order, and max over a dimension in that dimension, when transposed."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.t()
        return b.argmax(), b.argmin(1), *b.max(0)

    a = tensor(2, 3, values=[[1.0, 5.0, 2.0], [8.0, 3.0, 4.0]])
    check(program, a).values().expect("""\
out[0] = int64[] 1
out[1] = int64[3] [0, 1, 0]
out[2] = float32[2] [5, 8]
out[3] = int64[2] [1, 0]
""")


@clause("layout.indexing", "T7.10", modes="train", entry=ANY)
def test_reductions_of_a_permuted_input(check: Check) -> None:
    """Sums and means over one, several and kept dimensions of a permuted input have eager's strides."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.permute(3, 1, 0, 2)
        return b.sum(0), b.amax(1, keepdim=True), b.sum((0, 2))

    # Whole numbers, so that no order of a sum rounds.
    a = tensor(2, 3, 4, 5, values=[number * 37 % 113 for number in range(120)])
    check(program, a).strides("out[0]", 8, 4, 1).strides("out[2]", 4, 1).gradient(0)


@clause("layout.indexing", modes="train", entry=ANY)
def test_gather_and_take_of_a_transposed_input(check: Check) -> None:
    """gather, take and take_along_dim of a transposed input count its elements in their own order."""

    def program(a: torch.Tensor, index: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.t()
        return b.gather(0, index[:, None]), b.take(index * 3 + 1), b.take_along_dim(index[None], 0)

    check(program, tensor(3, 4), INDEX).strides("out[0]", 1, 1).gradient(0)


@clause("layout.indexing", "T7.10", modes="train", entry=ANY)
def test_sorting_a_transposed_input(check: Check) -> None:
    """sort and topk along each dimension of a transposed input return eager's strides, values and positions."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.t()
        return *b.sort(0), *b.topk(2, dim=1)

    result = check(program, tensor(3, 4)).gradient(0)
    result.strides("out[0]", 1, 4).strides("out[1]", 1, 4).strides("out[2]", 2, 1)


@clause("layout.indexing", "T7.10", modes="train", entry=ANY)
def test_indexing_a_permuted_input(check: Check) -> None:
    """Indexing a permuted input in one and in two of its dimensions returns eager's strides."""

    def program(a: torch.Tensor, index: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.permute(2, 0, 1)
        return b[index], b[:, :, index], b[index, :, index]

    check(program, tensor(2, 3, 4), INDEX).shape("out[1]", 4, 2, 3).shape("out[2]", 3, 2).gradient(0)


@clause("layout.indexing", "T7.10", entry=ANY)
def test_indexed_write_to_a_transposed_intermediate(check: Check) -> None:
    """Writing by index to a transposed tensor leaves its strides, and the elements land by element order."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        b = (a * 2).t()
        b[index[1:]] = a[:2, :3].t()[:2, :1]
        return b

    result = check(program, tensor(3, 4), INDEX).strides("out", 1, 4)
    result.values().expect("""\
out = float32[4, 3] [[0.6865, 0.6865, 0.6865], [-5.26, 2.03, -4.445], [-2.63, -2.63, -2.63], [-2.764, 1.802,
    -0.2831]]
""")


@clause("layout.indexing", entry=ANY)
def test_triangles_and_diagonals_of_a_transposed_input(check: Check) -> None:
    """tril and diagonal of a transposed input are those of its elements, the diagonal a view of the caller's memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.t()
        return b.tril(), b.diagonal(1)

    check(program, tensor(3, 4)).aliases("out[1]", 0).strides("out[1]", 5)


@clause("T7.10", modes="train", entry=ANY)
def test_products_of_transposed_operands(check: Check) -> None:
    """Matrix products of transposed, of strided and of expanded operands are eager's, strides and gradients too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.t() @ b[0].t(), b @ a[:, ::2].expand(2, 3, 2)

    check(program, tensor(3, 4), tensor(2, 5, 3)).shape("out[1]", 2, 5, 2).gradient(0, 1)


@clause("layout.indexing", modes="train")
def test_embedding_in_a_transposed_table(check: Check) -> None:
    """Rows looked up in a transposed table are the table's, and the gradient adds up where an index comes twice."""

    def program(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return functional.embedding(index, table.t())

    check(program, tensor(2, 4), INDEX).strides("out", 2, 1).gradient(0)


@clause("layout.indexing", "T7.10", modes="train")
def test_patches_of_channels_last_images(check: Check) -> None:
    """unfold into columns and pixel_shuffle of channels_last images order channels and pixels as eager does."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return functional.unfold(a, (2, 1)), functional.pixel_shuffle(a, 2)

    check(program, tensor(1, 4, 2, 3, strides=(24, 1, 12, 4))).shape("out[1]", 1, 1, 4, 6).gradient(0)


@clause("layout.memory-formats")
def test_fill_of_slices_of_what_is_permuted(check: Check) -> None:
    """Filling slices that an index names keeps the order in memory of a permuted input, as the program is told."""

    def program(a: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, tuple[int, ...]]:
        b = a.permute(1, 2, 0)
        return b.index_fill(1, places, 2.5), (b * 2).index_fill(0, places, -1.0), b.index_fill(1, places, 4.0).stride()

    places = tensor(2, dtype=torch.int64, values=[0, 2])
    check(program, tensor(2, 3, 4), places).strides("out[0]", 4, 1, 12).holds("out[2][0]", 4)


@clause("layout.memory-formats")
def test_layouts_of_what_is_turned_and_shuffled(check: Check) -> None:
    """What is flipped or chosen keeps its order in memory, as the program is told; shuffled pixels keep theirs."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> tuple[Any, ...]:
        c = b.permute(1, 2, 3, 0)
        kept = a.t().flip(0), c[index], c[:, index], c[index, :, index % 2]
        return *kept, functional.pixel_shuffle(b, 2), [each.stride() for each in kept]

    images = tensor(2, 8, 3, 2, strides=(48, 1, 16, 8))
    result = check(program, tensor(3, 4), images, INDEX).strides("out[0]", 1, 4).strides("out[1]", 12, 2, 1, 6)
    result.holds("out[5][0][0]", 1).holds("out[5][1][0]", 12)
    # CUDA's kernel gives contiguous images.
    if check.device == "cpu":
        result.strides("out[4]", 48, 1, 8, 2)
