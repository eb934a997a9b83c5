"""Numbers of fewer bits on a GPU: rounded where eager rounds, or nowhere else than nearer to the exact result."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from suites.gpu.eight_bits import PACKING, scaled_product
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


@pytest.mark.parametrize("rows", (1, 64))
@clause("gpu.precision", devices="cuda")
def test_product_of_eight_bits_with_scales(check: Check, rows: int) -> None:
    """A product of eight bits is scaled back by the numbers that its operands were divided by, one in all or one a row.

    The scales are powers of two: dividing by them is exact, and nothing but the product rounds after the eight bits.
    """

    def program(a: torch.Tensor, b: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        first, second = (a / left).to(torch.float8_e4m3fn), (b / right.t()).to(torch.float8_e4m3fn)
        return torch.ops.aten._scaled_mm(first, second.t(), left, right, out_dtype=torch.bfloat16).relu()

    powers = [[2.0 ** (number % 3 - 1)] for number in range(rows)]
    scales = (
        built(torch.Tensor.float, tensor(rows, 1, values=powers)),
        built(torch.Tensor.float, tensor(1, rows, values=powers[::-1])),
    )
    check(program, tensor(64, 64), tensor(64, 64), *scales).computed()


@clause("gpu.precision", modes="train", fullgraph=False, devices="cuda")
def test_packed_activations_and_a_product_of_eight_bits(check: Check) -> None:
    """Activations that hooks pack into eight bits come back in backward, around a product that multiplies eight bits.

    All that can be saved is a power of two, which either format of eight bits holds: packing loses nothing.
    """

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*PACKING):
            return scaled_product((a * 0.5) * a, weight) * a

    powers = [(-1) ** (number // 5) * 2.0 ** (number % 3 - 1) for number in range(32 * 32)]
    inputs = tensor(32, 32, values=powers), tensor(32, 32, values=powers[::-1])
    check(program, *inputs).gradient(0, 1).computed()


@clause("gpu.precision", modes=("no_grad", "train"), devices="cuda")
def test_chain_of_bfloat16(check: Check) -> None:
    """A chain of pointwise operators on bfloat16 is no further from the exact one than eager's, which rounds each."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return functional.gelu(a * b + a) * torch.sigmoid(b) - a / (b.abs() + 1)

    check(program, tensor(1000, dtype=torch.bfloat16), tensor(1000, dtype=torch.bfloat16)).computed()


@clause("gpu.precision", on=("inductor",), devices="cuda")
def test_rounding_between_operators_on_request(check: Check) -> None:
    """Asked to, a chain in one kernel rounds where eager does, to the last bit; not asked, it rounds at the end."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a * b + a) * b - a) * 3

    torch.manual_seed(0)
    inputs = [torch.randn(4096, device="cuda", dtype=torch.bfloat16) for _ in range(2)]
    expected = program(*inputs)
    with check.compiled(program, config={"inductor.emulate_precision_casts": True}) as run:
        check.demand("value", "elements that eager rounds otherwise", 0, int((run(*inputs) != expected).sum()))
    torch.compiler.reset()
    with check.compiled(program, config={"inductor.emulate_precision_casts": False}) as run:
        check.demand("value", "rounding at the end alone", True, bool((run(*inputs) != expected).any()))


class Recurrent(nn.Module):
    """Two recurrent layers both ways, computed in half precision, between operators that any backend compiles."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = getattr(nn, kind)(8, 16, num_layers=2, batch_first=True, bidirectional=True)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """``a``: [batch, steps, 8]; the result has 32 in their place."""
        return self.in_half(a.sin()).relu() * 2

    def in_half(self, a: torch.Tensor) -> torch.Tensor:
        """The layers under autocast; see `forward`. Dynamo breaks its graph around the call of this."""
        with torch.autocast("cuda", dtype=torch.float16):
            out, _ = self.layers(a)
            return torch.as_tensor(out)


@pytest.mark.parametrize("kind", ("LSTM", "GRU"))
@clause("gpu.precision", modes=("no_grad", "train"), fullgraph=False, devices="cuda")
def test_recurrent_layers_under_autocast(check: Check, kind: str) -> None:
    """Recurrent layers under autocast, which the library runs on weights that lie in one piece, train as eager's."""
    check(built(lambda: Recurrent(kind)), tensor(3, 5, 8)).computed()


@clause("gpu.precision", modes=("no_grad", "train"), on=("aot_eager", "inductor"), devices="cuda")
def test_recurrent_layers_in_the_graph_under_autocast(check: Check) -> None:
    """Asked to, Dynamo takes recurrent layers into its graph; under autocast they train as eager's all the same."""
    check(built(lambda: Recurrent("LSTM")), tensor(3, 5, 8), config={"dynamo.allow_rnn": True}).computed()


@clause("gpu.precision", "layout.memory-formats", modes=("no_grad", "train"), devices="cuda")
def test_channels_that_lie_together_under_autocast(check: Check) -> None:
    """Convolutions whose images and weights have their channels together under autocast hand such images on."""

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.first, self.second = nn.Conv2d(8, 16, 3, padding=1), nn.Conv2d(16, 8, 1, stride=2)
            for layer in (self.first, self.second):
                layer.weight.data = layer.weight.data.contiguous(memory_format=torch.channels_last)

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            with torch.autocast("cuda", dtype=torch.float16):
                return self.second(functional.max_pool2d(self.first(a).relu(), 2))

    images = tensor(2, 8, 16, 16, strides=(8 * 256, 1, 128, 8))
    check(built(Block), images).strides("out", 128, 1, 32, 8).computed()
