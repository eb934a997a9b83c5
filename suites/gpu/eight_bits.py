"""A product of numbers of eight bits with its gradient, and hooks that pack what autograd saves into eight bits."""

from typing import Any

import torch


def _pack(a: torch.Tensor) -> torch.Tensor:
    return a.to(torch.float8_e5m2) if a.dtype == torch.float32 else a


def _unpack(a: torch.Tensor) -> torch.Tensor:
    return a.to(torch.float32) if a.dtype == torch.float8_e5m2 else a


#: Of single precision alone: which tensors are saved is the compiler's choice, and some have eight bits already.
PACKING = _pack, _unpack


class _ScaledProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return _multiply(a, b.t(), torch.float8_e4m3fn, torch.float8_e4m3fn)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = ctx.saved_tensors
        # What comes in spans more than values do, and is kept in the wider of the two formats.
        to_a = _multiply(grad, b, torch.float8_e5m2, torch.float8_e4m3fn)
        to_b = _multiply(grad.t(), a, torch.float8_e5m2, torch.float8_e4m3fn)
        return to_a, to_b


def _multiply(a: torch.Tensor, b: torch.Tensor, left: torch.dtype, right: torch.dtype) -> torch.Tensor:
    """``a @ b`` by the library's kernel for eight bits, which wants rows of ``a`` and columns of ``b`` in one piece."""
    one = torch.ones((), device=a.device)
    first, second = a.contiguous().to(left), b.t().contiguous().to(right).t()
    out = torch.ops.aten._scaled_mm(first, second, one, one, out_dtype=torch.bfloat16)
    return torch.as_tensor(out).float()


def scaled_product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """``a @ b.t()`` of two tensors of single precision, multiplied in eight bits; all sizes divide by 16."""
    product: torch.Tensor = _ScaledProduct.apply(a, b)
    return product
