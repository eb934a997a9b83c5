"""What a call does to memory and to the random generator, told from the name of what it calls.

The names are those of canonical texts: ``torch.ops.aten.mul.Tensor``, ``operator.getitem``, ``.mul_`` (a method),
``self.body_0`` (a nested graph). Where a name tells nothing (custom and higher-order operators, kernels), the answer is
the careful one.
"""

from __future__ import annotations

import re

#: Operators whose result may share memory with an argument.
_VIEWS = frozenset(
    {
        *("H", "T", "_conj", "_neg_view", "_reshape_alias", "_unsafe_view", "alias", "as_strided", "broadcast_in_dim"),
        *("broadcast_to", "chunk", "collapse_view", "conj", "contiguous", "detach", "diagonal", "dsplit", "expand"),
        *("expand_as", "flatten", "getattr", "getitem", "hsplit", "imag", "indices", "lift_fresh", "mH", "mT"),
        *("movedim", "narrow", "permute", "ravel", "real", "reshape", "reshape_as", "select", "slice", "split"),
        *("split_dim", "split_with_sizes", "squeeze", "swapaxes", "swapdims", "t", "tensor_split", "to", "transpose"),
        *("unbind", "unflatten", "unfold", "unsqueeze", "values", "view", "view_as", "view_as_complex"),
        *("view_as_real", "view_of", "vsplit"),
    }
)
_RANDOM = re.compile(
    r"rand|bernoulli|dropout|normal|uniform|multinomial|poisson|exponential|cauchy|geometric|philox|rrelu|_seed"
)
_NOT_RANDOM = re.compile(r"batch_norm|layer_norm|group_norm|instance_norm|normalize|backward")
_TRANSPARENT = ("torch.ops.aten.", "torch.ops.prims.", "torch.ops.prim.")
_PYTHON = ("operator.", "math.", "torch.", ".")
_BUILTINS = frozenset({"abs", "len", "max", "min", "pow", "round", "sum"})


def short_target(target: str) -> str:
    """``aten.mul`` for ``torch.ops.aten.mul.Tensor``; other targets as they are."""
    match = re.fullmatch(r"torch\.ops\.(\w+)\.(\w+)(\.\w+)?", target)
    return f"{match[1]}.{match[2]}" if match else target.removeprefix("torch.ops.")


def base_name(target: str) -> str:
    """The name without namespace and overload: ``mul``."""
    parts = target.split(".")
    return parts[3] if target.startswith("torch.ops.") and len(parts) > 3 else parts[-1]


def writes(target: str) -> bool:
    """Whether a call changes an argument by its name: in place (``mul_``), an ``out`` overload, or ``setitem``."""
    name = base_name(target)
    return (name.endswith("_") and not name.endswith("__")) or target.endswith((".out", ".setitem"))


def draws(target: str) -> bool:
    """Whether a call may draw from the random generator."""
    name = base_name(target)
    return bool(_RANDOM.search(name)) and not _NOT_RANDOM.search(name)


def is_view(target: str) -> bool:
    """Whether the result of a call may share memory with an argument."""
    return base_name(target) in _VIEWS or target == "="


def is_opaque(target: str) -> bool:
    """Whether nothing is known of a call: a custom operator, a higher-order one, a kernel of a wrapper."""
    if target == "=":
        return False
    if target.startswith("torch.ops."):
        return not target.startswith(_TRANSPARENT)
    return not target.startswith(_PYTHON) and target not in _BUILTINS
