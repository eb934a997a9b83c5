"""Kernels on a GPU, as text: what `bodies` makes of a schema, with writes by a kernel of Triton's.

An operator of ``triton_op`` is its function, which torch traces into: the reads are operators of aten, and everything
that is written or made new is changed by one Triton kernel, on whatever strides. Programs are drawn with the kernels of
`bodies` on the CPU, which come to the same up to rounding.
"""

from __future__ import annotations

from . import bodies

IMPORTS = "import torch\nimport triton\nimport triton.language as tl\nfrom torch.library import wrap_triton"

#: As `suites.fuzz.generators.schemas.bodies.HELPERS`: what kernels use, by the word that shows that they do.
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
