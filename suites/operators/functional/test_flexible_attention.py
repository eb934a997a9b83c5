"""Attention whose scores a function of the program bends, whose blocks a mask leaves out, and what it hands back.

On the CPU it has no gradient. Those of a GPU, where kernels and the sizes of their blocks are others, are in
`suites.gpu.test_attention`.
"""

import torch
from torch.nn.attention.flex_attention import AuxRequest, BlockMask, create_block_mask, flex_attention

from suites.harness import Check, clause, tensor

#: Batch, heads, length, width of a head: kernels of the CPU want heads of 16 and more.
SHAPE = (2, 2, 16, 16)
#: Queries, keys and values.
PARTS = tuple(tensor(*SHAPE, grad=False) for _ in range(3))


def attend(*parts: torch.Tensor, **options: object) -> torch.Tensor:
    """What attention comes to, alone."""
    out = flex_attention(*parts, **options)  # type: ignore[call-overload]
    assert isinstance(out, torch.Tensor)
    return out


def causal(b: torch.Tensor, h: torch.Tensor, row: torch.Tensor, column: torch.Tensor) -> torch.Tensor:
    """Whether a query sees a key: those before it and its own."""
    return row >= column


def blocks(queries: int, keys: int, device: torch.device, size: int = 16) -> BlockMask:
    """The mask of the past, in blocks."""
    return create_block_mask(causal, None, None, queries, keys, device=str(device), BLOCK_SIZE=size)


@clause("numbers.options", modes=("no_grad", "inference"), devices="cpu")
def test_flexible_attention(check: Check) -> None:
    """With no function and no mask it is attention: of its scale, or of another."""

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"plain": attend(q, k, v), "scaled": attend(q, k[:, :, :8], v[:, :, :8], scale=0.75)}

    check(program, *PARTS).computed()


@clause("numbers.options", modes=("no_grad", "inference"), devices="cpu")
def test_flexible_attention_with_bent_scores(check: Check) -> None:
    """A function of each score reads where it stands, and a number of the program's for each head."""

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
        def bend(
            score: torch.Tensor, b: torch.Tensor, h: torch.Tensor, row: torch.Tensor, column: torch.Tensor
        ) -> torch.Tensor:
            return score * (b + 1) + slopes[h] * (column - row) / 16

        return attend(q, k, v, score_mod=bend)

    check(program, *PARTS, tensor(2, grad=False)).computed()


@clause("numbers.options", modes=("no_grad", "inference"), devices="cpu")
def test_flexible_attention_of_blocks(check: Check) -> None:
    """Blocks that a mask leaves out take no part; of those that it cuts, what is before the cut does."""

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attend(q, k, v, block_mask=blocks(32, 32, q.device))

    check(program, *(tensor(1, 2, 32, 16, grad=False) for _ in range(3))).computed()


@clause("numbers.options", modes=("no_grad", "inference"), devices="cpu")
def test_flexible_attention_of_groups(check: Check) -> None:
    """Four heads of queries share two of keys, the first two the first one, with a mask and without."""

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> dict[str, torch.Tensor]:
        mask = blocks(32, 32, q.device)
        return {
            "all": attend(q, k, v, enable_gqa=True),
            "past": attend(q, k, v, enable_gqa=True, block_mask=mask),
        }

    queries, keys, values = (tensor(1, heads, 32, 16, grad=False) for heads in (4, 2, 2))
    check(program, queries, keys, values).computed()


@clause("numbers.options", modes=("no_grad", "inference"), devices="cpu")
def test_flexible_attention_with_its_normaliser(check: Check) -> None:
    """Beside its result it hands back the logarithm of the sum that each row is divided by, of bent scores too."""

    def bend(
        score: torch.Tensor, b: torch.Tensor, h: torch.Tensor, row: torch.Tensor, column: torch.Tensor
    ) -> torch.Tensor:
        return torch.where(row >= column, score, -2.0)

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> dict[str, object]:
        return {
            "plain": flex_attention(q, k, v, return_lse=True),
            "bent": flex_attention(q, k, v, score_mod=bend, return_lse=True),
        }

    check(program, *PARTS).computed()


@clause("numbers.options", modes=("no_grad", "inference"), devices="cpu")
def test_flexible_attention_with_its_largest_scores(check: Check) -> None:
    """The largest score of each row is refused on the CPU, before anything is computed."""

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> object:
        return flex_attention(q, k, v, return_aux=AuxRequest(max_scores=True))

    check(program, *PARTS).raised("max scores is not supported on CPU")


@clause("numbers.options", modes="train", devices="cpu")
def test_flexible_attention_with_gradients(check: Check) -> None:
    """Where an input wants a gradient it is refused on the CPU, before anything is computed."""

    def program(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attend(q * 2, k, v)

    check(program, *(tensor(*SHAPE) for _ in range(3))).raised("does not support backward on CPU")
