"""Kernels of Triton's that programs launch. Needs Triton: import it under ``contextlib.suppress(ImportError)``."""

import contextlib

import torch
import triton
import triton.language as tl

with contextlib.suppress(ImportError):
    from triton.tools.tensor_descriptor import TensorDescriptor

#: Elements that one instance of a kernel handles.
BLOCK = 64
_OFFSET = tl.constexpr(3)


def grid(count: int) -> tuple[int]:
    """As many instances as ``count`` elements take."""
    return (triton.cdiv(count, BLOCK),)


@triton.jit
def add_scaled(left, right, out, count, scale, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """``out = left + scale * right``, over contiguous memory."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < count
    value = tl.load(left + places, mask=mask) + scale * tl.load(right + places, mask=mask)
    tl.store(out + places, value, mask=mask)


@triton.jit
def double(x, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Double ``x`` where it is."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < count
    tl.store(x + places, 2 * tl.load(x + places, mask=mask), mask=mask)


@triton.jit
def exchange(left, right, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Exchange what two tensors hold."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < count
    first, second = tl.load(left + places, mask=mask), tl.load(right + places, mask=mask)
    tl.store(left + places, second, mask=mask)
    tl.store(right + places, first, mask=mask)


@triton.jit
def transpose(x, out, rows, columns, stride_row, stride_column, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """``out``, contiguous, is ``x`` of any strides, transposed."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < rows * columns
    column, row = places // rows, places % rows
    tl.store(out + places, tl.load(x + row * stride_row + column * stride_column, mask=mask), mask=mask)


@triton.jit
def _shifted(value, negate: tl.constexpr):  # type: ignore[no-untyped-def]
    if negate:
        value = -value
    return value + _OFFSET


@triton.jit
def shift(x, out, count, negate: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    '''Add a constant of the module's, by a function of its own.

    With """quotes""" and a \\ in its docstring.
    '''
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < count
    tl.store(out + places, _shifted(tl.load(x + places, mask=mask), negate), mask=mask)


@triton.autotune(
    configs=[triton.Config({"BLOCK": size}, num_warps=warps) for size, warps in ((32, 1), (64, 2), (128, 4))],
    key=["count"],
    reset_to_zero=["total"],
)
@triton.jit
def add_up(x, total, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Add the sum of integers ``x`` to ``total``. A candidate that is timed must leave nothing in it."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total, tl.sum(tl.load(x + places, mask=places < count, other=0)))


@triton.autotune(
    configs=[triton.Config({"BLOCK": size}) for size in (32, 128)],
    key=["count"],
    restore_value=["x"],
)
@triton.jit
def triple(x, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Triple ``x`` where it is. A candidate that is timed must not have done so."""
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < count
    tl.store(x + places, 3 * tl.load(x + places, mask=mask), mask=mask)


@triton.jit
def double_tile(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    """A tile of ``target`` is that of ``source`` doubled; both are descriptors that the host has made."""
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
    target.store([row, column], source.load([row, column]) * 2)


#: Rows and columns of the tile that a descriptor of `by_tiles` moves.
TILE = (16, 32)


def has_descriptors() -> bool:
    """Whether this Triton has descriptors of tensors, made by the host, and this GPU the hardware that reads them."""
    return "TensorDescriptor" in globals() and torch.cuda.get_device_capability()[0] >= 9


def double_by_tiles(source: torch.Tensor, target: torch.Tensor) -> None:
    """Write twice ``source`` to ``target``, two contiguous matrices; the last tiles hang over their ends."""
    tiles = triton.cdiv(source.shape[0], TILE[0]), triton.cdiv(source.shape[1], TILE[1])
    descriptors = [TensorDescriptor.from_tensor(one, [*TILE]) for one in (source, target)]
    double_tile[tiles](*descriptors, ROWS=TILE[0], COLUMNS=TILE[1])


@torch.library.triton_op("parity_gpu::scaled_sum", mutates_args={})
def scaled_sum(left: torch.Tensor, right: torch.Tensor, scale: float) -> torch.Tensor:
    """``left + scale * right`` of two contiguous tensors, by `add_scaled`."""
    out = torch.empty_like(left)
    torch.library.wrap_triton(add_scaled)[grid(left.numel())](left, right, out, left.numel(), scale, BLOCK=BLOCK)
    return out


def _keep(ctx, inputs, output):  # type: ignore[no-untyped-def]
    ctx.scale = inputs[2]


def _gradient(ctx, grad):  # type: ignore[no-untyped-def]
    return grad, grad * ctx.scale, None


scaled_sum.register_autograd(_gradient, setup_context=_keep)


@torch.library.triton_op("parity_gpu::double_", mutates_args={"x"})
def double_(x: torch.Tensor) -> None:
    """Double a contiguous tensor where it is, by `double`."""
    torch.library.wrap_triton(double)[grid(x.numel())](x, x.numel(), BLOCK=BLOCK)
