"""Products for which candidates are timed: each candidate, and each refusal, means what the library's product does."""

from collections.abc import Callable

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor
from suites.lowering.frozen import FREEZING

#: Inductor's own kernel is the only candidate, for weights that are frozen.
OF_ITS_OWN = FREEZING | {"inductor.max_autotune": True, "inductor.max_autotune_gemm_backends": "CPP"}


class Products(torch.nn.Module):
    """A linear map and a matrix, and what comes of them."""

    def __init__(self, result: Callable[..., dict[str, torch.Tensor]]) -> None:
        super().__init__()
        self.map, self.matrix = torch.nn.Linear(16, 12), torch.nn.Parameter(torch.randn(16, 8))
        self.result = result
        self.eval()

    def forward(self, a: torch.Tensor) -> dict[str, torch.Tensor]:
        """``a``: [rows, 16]."""
        return self.result(self, a)


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_parts_of_a_frozen_weight(check: Check) -> None:
    """A product with some rows of a weight, such as those for keys in attention, is with those and not the first."""

    def parts(module: Products, a: torch.Tensor) -> dict[str, torch.Tensor]:
        weight, bias = torch.as_tensor(module.map.weight), torch.as_tensor(module.map.bias)
        return {
            "keys": functional.linear(a, weight.chunk(3)[1], bias.chunk(3)[1]),
            "later rows": a[:, 7:] @ module.matrix[7:],
        }

    check(built(lambda: Products(parts)), tensor(5, 16), config=OF_ITS_OWN).computed()


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_frozen_weights_in_products_of_its_own(check: Check) -> None:
    """Products with whole weights, with the first rows of one, and with what is computed of one are the library's."""

    def products(module: Products, a: torch.Tensor) -> dict[str, torch.Tensor]:
        made = module.map(a)
        return {
            "map": made.relu(),
            "used twice": made,
            "first rows": a[:, :7] @ module.matrix[:7],
            "of twice": torch.addmm(made[:, :8], a, module.matrix * 2, beta=0.5, alpha=2),
        }

    check(built(lambda: Products(products)), tensor(5, 16), config=OF_ITS_OWN).computed()


class Whole(torch.nn.Module):
    """A matrix of whole numbers, as a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("matrix", torch.arange(12).view(4, 3) - 5)
        self.eval()

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """``a``: [rows, 4]."""
        return a @ torch.as_tensor(self.matrix)


@clause("inductor.freezing", on=("inductor",), devices="cpu")
def test_product_with_frozen_whole_numbers(check: Check) -> None:
    """A matrix of whole numbers that is frozen is multiplied as one that is not."""
    given = tensor(2, 4, dtype=torch.int64, values=[[1, -2, 3, 4], [5, 0, -7, 8]])
    check(built(Whole), given, config=FREEZING).values().expect("""\
out = int64[2, 3] [[18, 24, 30], [0, 6, 12]]
""")


@clause("numbers.integers", on=("inductor",), devices="cpu")
def test_candidates_for_a_product_of_bytes_in_a_batch(check: Check) -> None:
    """Where candidates are timed, products of bytes in a batch, and of whole numbers, are the library's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"bytes": torch.bmm(a, a.transpose(1, 2)), "whole numbers": torch.bmm(b, b.transpose(1, 2))}

    numbers = (torch.arange(24) % 7 - 3).view(2, 3, 4).tolist()
    given = (tensor(2, 3, 4, dtype=torch.int8, values=numbers), tensor(2, 3, 4, dtype=torch.int64, values=numbers))
    check(program, *given, config={"inductor.max_autotune": True}).computed()
