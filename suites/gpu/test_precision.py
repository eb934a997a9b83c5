"""Numbers of fewer bits on a GPU: rounded where eager rounds, or nowhere else than nearer to the exact result."""

import torch
from torch import nn
from torch.nn import functional

from suites.harness import Check, built, clause, tensor


@clause("gpu.precision", modes=("no_grad", "train"), devices="cuda")
def test_reductions_of_half(check: Check) -> None:
    """Sums, means, norms and softmax over thousands of halves are no further from the exact ones than eager's."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sum(1), a.mean(1), a.norm(dim=1), a.softmax(1), functional.rms_norm(a, (a.shape[1],))

    check(program, tensor(8, 4096, dtype=torch.float16)).computed()


@clause("gpu.precision", modes=("no_grad", "train"), devices="cuda")
def test_convolution_and_batch_norm_under_autocast(check: Check) -> None:
    """A convolution with batch norm under autocast, on images whose channels lie together, trains as eager's."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.convolution = nn.Conv2d(4, 8, 3, padding=1)
            self.norm = nn.BatchNorm2d(8)

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                return self.norm(self.convolution(a)).relu()

    images = tensor(2, 4, 16, 16, strides=(4 * 256, 1, 64, 4))
    check(built(Block), images).computed()


@clause("gpu.precision", devices="cuda")
def test_product_of_eight_bits(check: Check) -> None:
    """A product of numbers of eight bits with their scales is eager's, rounded once."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        one = torch.ones((), device=a.device)
        left, right = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
        return torch.ops.aten._scaled_mm(left, right.t(), one, one, out_dtype=torch.bfloat16).float()

    check(program, tensor(32, 64), tensor(16, 64)).computed()


@clause("gpu.precision", modes=("no_grad", "train"), devices="cuda")
def test_chain_of_bfloat16(check: Check) -> None:
    """A chain of pointwise operators on bfloat16 is no further from the exact one than eager's, which rounds each."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return functional.gelu(a * b + a) * torch.sigmoid(b) - a / (b.abs() + 1)

    check(program, tensor(1000, dtype=torch.bfloat16), tensor(1000, dtype=torch.bfloat16)).computed()
