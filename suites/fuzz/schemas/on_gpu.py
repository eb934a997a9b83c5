"""Kernels on a GPU, as text: what `bodies` makes of a schema, with writes by a kernel of Triton's.

An operator of ``triton_op`` is its function, which torch traces into: the reads are operators of aten, and everything
that is written or made new is changed by one Triton kernel, on whatever strides. Programs are drawn with the kernels of
`bodies` on the CPU, which come to the same up to rounding.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

IMPORTS = "import torch\nimport triton\nimport triton.language as tl\nfrom torch.library import wrap_triton"

#: As `suites.fuzz.schemas.bodies.HELPERS`: what kernels use, by the word that shows that they do.
HELPERS = {
    "change(": '''\
@triton.jit
def change_one(x, s, size1, size2, size3, stride0, stride1, stride2, stride3):
    """Halve one element, and add the number."""
    i = tl.program_id(0)
    place = i // (size1 * size2 * size3) * stride0 + i // (size2 * size3) % size1 * stride1
    place += i // size3 % size2 * stride2 + i % size3 * stride3
    value = tl.load(x + place)
    tl.store(x + place, (value * 0.5 + tl.load(s)).to(value.dtype))


def change(s, x):
    """Change every element of a tensor of at most four dimensions by the number."""
    s = torch.full((), s, dtype=torch.float64, device="cuda") if isinstance(s, float) else s
    missing = 4 - x.dim()
    sizes, strides = [1] * missing + [*x.shape], [0] * missing + [*x.stride()]
    if x.numel():
        wrap_triton(change_one)[(x.numel(),)](x, s, *sizes[1:], *strides)''',
    "fold(": '''\
def fold(s, value):
    """The next of a sequence of numbers: every element of every value counts in it by its place."""
    if isinstance(value, (list, tuple)):
        for item in value:
            s = fold(s, item)
        return s
    if isinstance(value, torch.Tensor):
        flat = value.detach().reshape(-1).double()
        value = (flat * torch.arange(1, flat.numel() + 1, device="cuda")).sum() / (flat.numel() + 1)
    elif not isinstance(value, (int, float, torch.SymInt)):
        value = sum(map(ord, str(value))) % 89
    s = torch.full((), s, dtype=torch.float64, device="cuda") if isinstance(s, float) else s
    return torch.sin(s * 0.7 + value)''',
    "write(": '''\
def write(s, value):
    """Change every tensor of a value by the number, and fold it in."""
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if item is not None:
            change(s, item)
            s = fold(s, item)
    return s''',
    "fresh(": '''\
def fresh(x, s):
    """A new tensor like another, changed by the number."""
    made = torch.empty(x.shape, dtype=x.dtype, device="cuda")
    made.copy_(x.detach())
    change(s, made)
    return made''',
    "turned(": '''\
def turned(x):
    """Of a tensor's shape, with the strides of a column-major one."""
    order = list(range(x.dim()))[::-1]
    return x.permute(order).contiguous().permute(order)''',
}


def with_its_kernels(still: Callable[[str], bool], text: str) -> Callable[[str], bool]:
    """``still``, asked of programs whose operators and kernels are some of those of ``text``, as they are there.

    Whether a kernel that was made smaller keeps its schema's word is not found out on a GPU.
    """
    given = _definitions(text)
    return lambda candidate: _definitions(candidate) <= given and still(candidate)


def _definitions(text: str) -> set[str]:
    """What stands at the top of a program's file, but for the program, its inputs and its settings."""
    own = ("program", "inputs", "leaves", "calls", "made", "TRAIN", "DYNAMIC", "CONFIG")
    return {ast.dump(node) for node in ast.parse(text).body if _name(node) not in own}


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""
