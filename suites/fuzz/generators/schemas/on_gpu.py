"""Kernels on a GPU, as text: what `bodies` makes of a schema, with writes by a kernel of Triton's.

An operator of ``triton_op`` is its function, which torch traces into: the reads are operators of aten, and everything
that is written or made new is changed by one Triton kernel, on whatever strides. Programs are drawn with the kernels of
`bodies` on the CPU, which come to the same up to rounding. A program has one of several kernels that do the same: by
elements, by blocks with a mask, by tiles of two dimensions, by rows with reductions, by atomics, and one that is tuned.
"""

from __future__ import annotations

from . import bodies

IMPORTS = "import torch\nimport triton\nimport triton.language as tl\nfrom torch.library import wrap_triton"

#: Where an element of a tensor of four dimensions lies, and what a kernel is told of such a tensor.
_PLACE = """\
place = {i} // (size1 * size2 * size3) * stride0 + {i} // (size2 * size3) % size1 * stride1
    place += {i} // size3 % size2 * stride2 + {i} % size3 * stride3"""
_SIZES = "size1, size2, size3, stride0, stride1, stride2, stride3"

_ELEMENTS = f'''\
@triton.jit
def change_one(x, s, {_SIZES}):
    """Halve one element, and add the number."""
    i = tl.program_id(0)
    {_PLACE.format(i="i")}
    value = tl.load(x + place)
    tl.store(x + place, (value * 0.5 + tl.load(s)).to(value.dtype))'''
_BLOCKS = f'''\
@triton.jit
def change_block(x, s, count, {_SIZES}, BLOCK: tl.constexpr):
    """Halve a block of elements, and add the number."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < count
    {_PLACE.format(i="i")}
    value = tl.load(x + place, mask=mask, other=0)
    tl.store(x + place, (value * 0.5 + tl.load(s)).to(value.dtype), mask=mask)'''
_TUNED = _BLOCKS.replace(
    "@triton.jit\n",
    "@triton.autotune(\n    configs=[triton.Config({'BLOCK': 8}), triton.Config({'BLOCK': 32}, num_warps=1)],\n"
    "    key=['count'],\n    restore_value=['x'],\n)\n@triton.jit\n",
)
_TILES = f'''\
@triton.jit
def change_tile(x, s, rows, {_SIZES}, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Halve a tile of elements, and add the number: of rows of the last dimension, and of columns."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (row < rows) & (column < size3)
    place = row // (size1 * size2) * stride0 + row // size2 % size1 * stride1 + row % size2 * stride2
    place = place + column * stride3
    value = tl.load(x + place, mask=mask, other=0)
    tl.store(x + place, (value * 0.5 + tl.load(s)).to(value.dtype), mask=mask)'''
_ROWS = f'''\
@triton.jit
def change_row(x, parts, {_SIZES}, BLOCK: tl.constexpr):
    """Halve the elements of a row, none beyond the largest of its block, and add the sum of the number's parts."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    s = tl.sum(tl.load(parts + column, mask=column < 3, other=0.0), axis=0)
    place = row // (size1 * size2) * stride0 + row // size2 % size1 * stride1 + row % size2 * stride2
    for start in range(0, size3, BLOCK):
        mask = start + column < size3
        value = tl.load(x + place + (start + column) * stride3, mask=mask, other=0)
        largest = tl.max(tl.where(mask, value, tl.load(x + place + start * stride3)), axis=0)
        value = tl.minimum(value, largest)
        tl.store(x + place + (start + column) * stride3, (value * 0.5 + s).to(value.dtype), mask=mask)'''
_ATOMICS = f'''\
@triton.jit
def change_by_adding(x, s, count, {_SIZES}, BLOCK: tl.constexpr):
    """Halve a block of elements, and add the number, by adding what that changes."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < count
    {_PLACE.format(i="i")}
    value = tl.load(x + place, mask=mask, other=0)
    tl.atomic_add(x + place, (value * 0.5 + tl.load(s)).to(value.dtype) - value, mask=mask)'''
_CHANGE = '''


def change(s, x):
    """Change every element of a tensor of at most four dimensions by the number."""
    s = torch.full((), s, dtype=torch.float64, device="cuda") if isinstance(s, float) else s
    missing = 4 - x.dim()
    sizes, strides = [1] * missing + [*x.shape], [0] * missing + [*x.stride()]
    count = x.numel()
    if count:
        $LAUNCH'''

_IN_BLOCKS = "wrap_triton({})[(triton.cdiv(count, {}),)](x, s, count, *sizes[1:], *strides, BLOCK={})"
#: The ways to change a tensor by a kernel: the feature's name, the kernel, and its launch.
_WAYS = {
    "elements": (_ELEMENTS, "wrap_triton(change_one)[(count,)](x, s, *sizes[1:], *strides)"),
    "blocks": (_BLOCKS, _IN_BLOCKS.format("change_block", 4, 4)),
    "large blocks": (_BLOCKS, _IN_BLOCKS.format("change_block", 64, 64)),
    "tiles": (
        _TILES,
        "rows = count // sizes[3]\n        wrap_triton(change_tile)[(triton.cdiv(rows, 2), triton.cdiv(sizes[3], 4))]"
        "(x, s, rows, *sizes[1:], *strides, ROWS=2, COLUMNS=4)",
    ),
    "reductions": (
        _ROWS,
        "parts = torch.stack([s * 0.5, s * 0.25, s * 0.25])\n"
        "        wrap_triton(change_row)[(count // sizes[3],)](x, parts, *sizes[1:], *strides, BLOCK=4)",
    ),
    "atomics": (_ATOMICS, _IN_BLOCKS.format("change_by_adding", 8, 8)),
    "tuning": (
        _TUNED,
        'grid = lambda meta: (triton.cdiv(count, meta["BLOCK"]),)\n'
        "        wrap_triton(change_block)[grid](x, s, count, *sizes[1:], *strides)",
    ),
}
#: What is drawn from: tuning takes many launches.
WAYS = (*(way for way in _WAYS if way != "tuning"), *(way for way in _WAYS if way != "tuning"), "tuning")


def helpers(way: str) -> dict[str, str]:
    """As `suites.fuzz.generators.schemas.bodies.HELPERS`: what kernels use, by the word that shows that they do.

    ``way`` is one of `WAYS`: how they change a tensor.
    """
    kernel, launch = _WAYS[way]
    return {"change(": kernel + _CHANGE.replace("$LAUNCH", launch), **_HELPERS}


_HELPERS = {
    "fold(": bodies.fold_text(
        ', device="cuda"',
        "(int, float, torch.SymInt)",
        's = torch.full((), s, dtype=torch.float64, device="cuda") if isinstance(s, float) else s\n'
        "    return torch.sin(s * 0.7 + value)",
    ),
    "write(": bodies.write_text("change(s, item)"),
    "fresh(": '''\
def fresh(x, s):
    """A new tensor like another, changed by the number."""
    made = torch.empty(x.shape, dtype=x.dtype, device="cuda")
    made.copy_(x.detach())
    change(s, made)
    return made''',
    "turned(": bodies.HELPERS["turned("],
}
