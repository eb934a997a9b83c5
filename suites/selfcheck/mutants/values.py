"""Mutants of what an output holds: its values, dtype, shape and device."""

from __future__ import annotations

from typing import Any

import torch

from .making import Run, changing_fresh, graph, replace_fresh


@graph("value", bitwise=False)
def half_precision_round_trip(run: Run) -> Run:
    """Outputs are rounded to half precision on their way."""
    return changing_fresh(run, _rounded)


def _rounded(data: torch.Tensor) -> torch.Tensor | None:
    return data.half().to(data.dtype) if data.dtype in (torch.float32, torch.float64) else None


@graph("value", bitwise=False)
def doubles_in_single_precision(run: Run) -> Run:
    """Doubles have been single precision on their way."""
    return changing_fresh(run, _narrowed)


def _narrowed(data: torch.Tensor) -> torch.Tensor | None:
    return data.float().double() if data.dtype == torch.float64 else None


@graph("value", bitwise=False)
def one_element_off(run: Run) -> Run:
    """The last element of each output is wrong, as by a mask that ends one too early."""
    return changing_fresh(run, _last_element_changed)


def _last_element_changed(data: torch.Tensor) -> torch.Tensor | None:
    if not data.numel():
        return None
    copied = data.clone()
    last = copied[tuple(size - 1 for size in data.shape)]
    last.copy_(~last if data.dtype == torch.bool else last + 1)
    return copied


@graph("value")
def last_bit(run: Run) -> Run:
    """Values are off by one unit in the last place, from a backend that promises eager's own kernels."""
    return changing_fresh(run, _next)


def _next(data: torch.Tensor) -> torch.Tensor | None:
    if not data.dtype.is_floating_point:
        return None
    return torch.nextafter(data, torch.full_like(data, float("inf")))


@graph("value")
def loses_the_sign_of_zero(run: Run) -> Run:
    """Negative zeros come out positive."""
    return changing_fresh(run, _positive_zeros)


def _positive_zeros(data: torch.Tensor) -> torch.Tensor | None:
    return data + 0.0 if data.dtype.is_floating_point else None


#: What a compiler that counts in other widths makes of each dtype.
_OTHER_WIDTH = {
    torch.float64: torch.float32,
    torch.float32: torch.float64,
    torch.int64: torch.int32,
    torch.complex64: torch.complex128,
}


@graph("dtype")
def other_width(run: Run) -> Run:
    """Outputs have the right kind of number in the wrong width: float64 for float32, int32 for int64."""
    return changing_fresh(run, _in_other_width)


def _in_other_width(data: torch.Tensor) -> torch.Tensor | None:
    dtype = _OTHER_WIDTH.get(data.dtype)
    return data.to(dtype) if dtype is not None else None


@graph("shape")
def squeezed(run: Run) -> Run:
    """Dimensions of size one are dropped from outputs; a scalar gains one."""
    return changing_fresh(run, _squeezed)


def _squeezed(data: torch.Tensor) -> torch.Tensor | None:
    if not data.dim():
        return data.reshape(1)
    return data.squeeze() if 1 in data.shape else None


@graph("device")
def another_device(run: Run) -> Run:
    """Outputs that need no gradient come back on the meta device."""

    def wrong(*args: Any) -> Any:
        return replace_fresh(args, run(*args), _on_meta)

    def _on_meta(data: torch.Tensor) -> torch.Tensor | None:
        return data.to("meta")

    return wrong
