"""Numbers of few bits: to bytes and back, as the graph of a quantised model holds it."""

import torch
import torch.ao.quantization.quantize_fx  # Registers the operators.

from suites.harness import tensor
from suites.harness.programs.specs import TensorSpec


def quantised(numbers: torch.Tensor, scale: float = 0.5, zero: int = 10, low: int = 0, high: int = 255) -> torch.Tensor:
    """Bytes without a sign, between bounds."""
    ops = torch.ops.quantized_decomposed
    return torch.as_tensor(ops.quantize_per_tensor(numbers, scale, zero, low, high, torch.uint8))


def numbers_of(small: torch.Tensor, scale: float = 0.5, zero: int = 10) -> torch.Tensor:
    """What bytes without a sign stand for."""
    return torch.as_tensor(
        torch.ops.quantized_decomposed.dequantize_per_tensor(small, scale, zero, 0, 255, torch.uint8)
    )


def steps(*shape: int, step: int = 7) -> TensorSpec:
    """Bytes that go up in steps, and start again at 200."""
    count = int(torch.Size(shape).numel())
    numbers = (torch.arange(count) * step % 200).view(shape)
    return tensor(*shape, dtype=torch.uint8, values=numbers.tolist())
