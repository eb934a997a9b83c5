"""Embeddings: padding, norms, frequencies, and bags of them by every mode."""

from typing import Any

import pytest
import torch
from torch.nn import functional

from suites.harness import Check, clause, leaf, tensor

INF = float("inf")


@clause("numbers.options", modes="train")
def test_embedding(check: Check) -> None:
    """The row of the padding has no gradient, and each gradient may be divided by how often its row was taken."""
    index = tensor(3, 2, dtype=torch.int64, values=[[0, 2], [2, 4], [2, 0]])

    def program(
        a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor, index: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "plain": functional.embedding(index, a),
            "padding": functional.embedding(index, b, padding_idx=2),
            "padding from the end": functional.embedding(index, b, padding_idx=-1),
            "by frequency": functional.embedding(index, c, scale_grad_by_freq=True),
            "by frequency with padding": functional.embedding(index, d, padding_idx=0, scale_grad_by_freq=True),
            "one": functional.embedding(index[0, 1], a),
            "row": functional.embedding(index[:, 0].int(), a),
            "none": functional.embedding(index[:0], a),
        }

    tables = [tensor(5, 3) for _ in range(4)]
    check(program, *tables, index).gradient(0, 1, 2, 3).values().expect("""\
out['plain'] = float32[3, 2, 3] [[[0.6865, -2.63, -0.239], [-1.587, 0.9008, -1.132]], [[-1.587, 0.9008, -1.132],
    [-2.313, -0.5863, -0.4814]], [[-1.587, 0.9008, -1.132], [0.6865, -2.63, -0.239]]]
out['padding'] = float32[3, 2, 3] [[[-0.4153, -2.242, -0.6473], [-1.858, -0.367, 0.1547]], [[-1.858, -0.367,
    0.1547], [0.08611, -0.7961, 0.04209]], [[-1.858, -0.367, 0.1547], [-0.4153, -2.242, -0.6473]]]
out['padding from the end'] = float32[3, 2, 3] [[[-0.4153, -2.242, -0.6473], [-1.858, -0.367, 0.1547]], [[-1.858,
    -0.367, 0.1547], [0.08611, -0.7961, 0.04209]], [[-1.858, -0.367, 0.1547], [-0.4153, -2.242, -0.6473]]]
out['by frequency'] = float32[3, 2, 3] [[[-2.061, 1.046, 0.3076], [0.1387, -0.4252, 0.1258]], [[0.1387, -0.4252,
    0.1258], [-1.351, 1.255, 1.371]], [[0.1387, -0.4252, 0.1258], [-2.061, 1.046, 0.3076]]]
out['by frequency with padding'] = float32[3, 2, 3] [[[0.131, -1.078, -0.7784], [-0.5959, 0.06812, 0.7278]],
    [[-0.5959, 0.06812, 0.7278], [-0.2985, 0.02657, -0.5897]], [[-0.5959, 0.06812, 0.7278], [0.131, -1.078,
    -0.7784]]]
out['one'] = float32[3] [-1.587, 0.9008, -1.132]
out['row'] = float32[3, 3] [[0.6865, -2.63, -0.239], [-1.587, 0.9008, -1.132], [-1.587, 0.9008, -1.132]]
out['none'] = float32[0, 2, 3] []
""")


@clause("numbers.options", modes=("train", "no_grad"))
def test_embedding_of_bounded_norm(check: Check) -> None:
    """Rows that are taken are scaled down to the norm in place, others are left, and the norm has a power."""
    index = tensor(4, dtype=torch.int64, values=[0, 2, 2, 3])

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            functional.embedding(index, a, max_norm=1.0),
            functional.embedding(index, b, max_norm=0.5, norm_type=1.0, padding_idx=3),
        )

    check(program, leaf(5, 3), leaf(5, 3), index).mutated(0, 1).values().expect("""\
out[0] = float32[4, 3] [[0.2516, -0.9639, -0.08759], [-0.7389, 0.4195, -0.5272], [-0.7389, 0.4195, -0.5272],
    [-0.9952, 0.07475, -0.06339]]
out[1] = float32[4, 3] [[-0.06284, -0.3392, -0.09795], [-0.3904, -0.0771, 0.0325], [-0.3904, -0.0771, 0.0325],
    [-0.1325, 0.08621, -0.2813]]
arg[0] = float32[5, 3] [[0.2516, -0.9639, -0.08759], [-1.382, -0.4561, 1.015], [-0.7389, 0.4195, -0.5272], [-0.9952,
    0.07475, -0.06339], [-2.313, -0.5863, -0.4814]]
arg[1] = float32[5, 3] [[-0.06284, -0.3392, -0.09795], [0.9514, 0.1715, -0.7704], [-0.3904, -0.0771, 0.0325],
    [-0.1325, 0.08621, -0.2813], [0.08611, -0.7961, 0.04209]]
""")


@clause("numbers.options", modes="train")
def test_bags_of_embeddings(check: Check) -> None:
    """Bags begin at offsets, end at the last one if told, and may be empty; by sum, mean and maximum."""
    index = tensor(7, dtype=torch.int64, values=[0, 2, 2, 3, 1, 4, 2])
    offsets = tensor(4, dtype=torch.int64, values=[0, 3, 3, 5])

    def program(
        a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, index: torch.Tensor, offsets: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        bag = functional.embedding_bag
        return {
            "mean": bag(index, a, offsets),
            "sum": bag(index, b, offsets, mode="sum"),
            "largest": bag(index, c, offsets, mode="max"),
            "to the last": bag(index[:5], b, offsets, mode="sum", include_last_offset=True),
            "mean to the last": bag(index[:5], a, offsets, include_last_offset=True),
            "rows": bag(index[:6].view(2, 3), a, mode="mean"),
            "one to the last": bag(index[:3], b, offsets[:2], mode="sum", include_last_offset=True).tile(2, 1),
            "none to the last": bag(index[:0], b, offsets[:1], mode="sum", include_last_offset=True).flatten(),
        }

    tables = [tensor(5, 3) for _ in range(3)]
    check(program, *tables, index, offsets).gradient(0, 1, 2).values().expect("""\
out['mean'] = float32[4, 3] [[-0.8289, -0.2762, -0.8343], [0, 0, 0], [-1.802, -0.1446, 0.4368], [-1.95, 0.1572,
    -0.8067]]
out['sum'] = float32[4, 3] [[-4.132, -2.976, -0.3379], [0, 0, 0], [0.2532, 0.6258, -2.253], [-1.772, -1.163,
    0.1968]]
out['largest'] = float32[4, 3] [[0.1387, 1.046, 0.3076], [0, 0, 0], [1.765, -0.1558, 1.08], [0.1387, 1.255, 1.371]]
out['to the last'] = float32[3, 3] [[-4.132, -2.976, -0.3379], [0, 0, 0], [0.2532, 0.6258, -2.253]]
out['mean to the last'] = float32[3, 3] [[-0.8289, -0.2762, -0.8343], [0, 0, 0], [-1.802, -0.1446, 0.4368]]
out['rows'] = float32[2, 3] [[-0.8289, -0.2762, -0.8343], [-1.973, -0.2918, 0.1308]]
out['one to the last'] = float32[2, 3] [[-4.132, -2.976, -0.3379], [-4.132, -2.976, -0.3379]]
out['none to the last'] = float32[0] []
""")


@clause("numbers.options", modes="train")
def test_bags_of_weighted_and_padded_embeddings(check: Check) -> None:
    """Each sample has a weight with a gradient of its own; padding counts neither in a sum nor in a mean."""
    index = tensor(7, dtype=torch.int64, values=[0, 2, 2, 3, 1, 4, 2])
    offsets = tensor(4, dtype=torch.int64, values=[0, 2, 2, 3])

    def program(
        a: torch.Tensor, b: torch.Tensor, weights: torch.Tensor, index: torch.Tensor, offsets: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        bag = functional.embedding_bag
        return {
            "weighted": bag(index, a, offsets, mode="sum", per_sample_weights=weights),
            "weighted with padding": bag(index, a, offsets, mode="sum", per_sample_weights=weights, padding_idx=2),
            "padding in a mean": bag(index, b, offsets, mode="mean", padding_idx=2),
            "padding in a maximum": bag(index, b, offsets, mode="max", padding_idx=-4),
            "by frequency": bag(index, b, offsets, mode="sum", scale_grad_by_freq=True),
        }

    check(program, tensor(5, 3), tensor(5, 3), tensor(7), index, offsets).gradient(0, 1, 2).values().expect("""\
out['weighted'] = float32[4, 3] [[-3.074, 6.363, -0.6912], [0, 0, 0], [-0.4881, 0.2771, -0.3482], [2.743, 0.02694,
    -1.591]]
out['weighted with padding'] = float32[4, 3] [[-1.415, 5.421, 0.4926], [0, 0, 0], [0, 0, 0], [2.964, -0.09804,
    -1.434]]
out['padding in a mean'] = float32[4, 3] [[-0.4153, -2.242, -0.6473], [0, 0, 0], [0, 0, 0], [0.1131, -0.05679,
    -0.7369]]
out['padding in a maximum'] = float32[4, 3] [[-0.4153, -0.367, 0.1547], [0, 0, 0], [-1.858, -0.367, 0.1547],
    [0.08611, 0.4543, 0.1547]]
out['by frequency'] = float32[4, 3] [[-2.274, -2.609, -0.4926], [0, 0, 0], [-1.858, -0.367, 0.1547], [-1.519,
    -0.5374, -2.056]]
""")


@clause("numbers.options", modes="train")
def test_bags_of_embeddings_by_frequency(check: Check) -> None:
    """How often a row was taken divides its slope in sums and means, with padding, weights and a last offset or not."""
    index = tensor(7, dtype=torch.int64, values=[0, 2, 2, 3, 1, 4, 2])
    offsets = tensor(5, dtype=torch.int64, values=[0, 3, 3, 5, 7])

    def program(
        tables: list[torch.Tensor], weights: torch.Tensor, index: torch.Tensor, offsets: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        def bag(table: torch.Tensor, mode: str, **options: Any) -> torch.Tensor:
            return functional.embedding_bag(
                index, table, offsets, mode=mode, include_last_offset=True, scale_grad_by_freq=True, **options
            )

        return {
            "sum": bag(tables[0], "sum"),
            "sum with padding": bag(tables[1], "sum", padding_idx=2),
            "mean": bag(tables[2], "mean"),
            "mean with padding": bag(tables[3], "mean", padding_idx=-3),
            "weighted": bag(tables[4], "sum", per_sample_weights=weights),
            "weighted with padding": bag(tables[5], "sum", per_sample_weights=weights, padding_idx=0),
        }

    check(program, [tensor(5, 3) for _ in range(6)], tensor(7), index, offsets).gradient(*range(7)).computed()


@clause("numbers.options", modes=("train", "no_grad"))
def test_bags_of_embeddings_of_bounded_norm(check: Check) -> None:
    """Rows that are taken into bags are scaled down to the norm in place, by whichever mode."""
    index = tensor(7, dtype=torch.int64, values=[0, 2, 2, 3, 1, 2, 2])
    offsets = tensor(4, dtype=torch.int64, values=[0, 3, 3, 5])

    def program(
        a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, weights: torch.Tensor, index: torch.Tensor,
        offsets: torch.Tensor,
    ) -> dict[str, torch.Tensor]:  # fmt: skip
        bag = functional.embedding_bag
        return {
            "sum": bag(index, a, offsets, max_norm=1.0, mode="sum", per_sample_weights=weights),
            "mean": bag(index, b, offsets, max_norm=0.5, norm_type=1.0, mode="mean", padding_idx=3),
            "largest": bag(index, c, offsets, max_norm=0.75, norm_type=INF, mode="max"),
        }

    tables = [leaf(5, 3) for _ in range(3)]
    check(program, *tables, tensor(7), index, offsets).gradient(0, 1, 2, 3).mutated(0, 1, 2).computed()


@clause("numbers.options", modes="train")
def test_sparse_gradient_of_an_embedding_of_bounded_norm(check: Check) -> None:
    """The gradient of a table is sparse where it is asked to be, though rows of it are scaled down in place, too."""

    def program(a: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return functional.embedding(index, a, max_norm=1.0, sparse=True) * 2

    words = tensor(4, dtype=torch.int64, values=[0, 2, 2, 3])
    check(program, leaf(5, 3), words).mutated(0).sparse_gradient(0)


@clause("numbers.options", modes="train")
@pytest.mark.parametrize("of", ["words", "weighted bags"])
def test_sparse_gradient_with_padding(check: Check, of: str) -> None:
    """The sparse gradient of a table has no row for the padding, and one for each other word that was taken."""

    def program(a: torch.Tensor, weights: torch.Tensor, index: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        if of == "words":
            return functional.embedding(index, a, padding_idx=2, sparse=True) * weights[:, None]
        return functional.embedding_bag(index, a, offsets, mode="sum", per_sample_weights=weights, sparse=True)

    places = tensor(4, dtype=torch.int64, values=[0, 2, 2, 3]), tensor(2, dtype=torch.int64, values=[0, 3])
    check(program, leaf(5, 3), tensor(4), *places).sparse_gradient(0)
