"""What programs lean on besides torch: state that outlives a call, modules, custom autograd Functions, contexts."""

from __future__ import annotations

_DOUBLE = """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2 + ctx.saved_tensors[0] * 0"""

_SAME = """\
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 3"""

_FLAT = """\
class Flat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.reshape(-1)

    @staticmethod
    def backward(ctx, g):
        return g.reshape(ctx.shape) * 3"""

_WINDOW = """\
class Window(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x[:1], x)
        return x * x[:1]

    @staticmethod
    def backward(ctx, g):
        first, x = ctx.saved_tensors
        return g * first + (g * x).sum(0, keepdim=True) * 0.5"""

_SCALED_HERE = """\
class ScaledHere(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 5"""

_WITH_MASK = """\
class WithMask(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = x.sign()
        ctx.mark_non_differentiable(mask)
        ctx.save_for_backward(mask)
        return x * mask, mask

    @staticmethod
    def backward(ctx, g, ignored):
        return g * ctx.saved_tensors[0]"""

_SCALED = """\
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, factor):
        ctx.factor = factor
        ctx.save_for_backward(x, y)
        return x * y * factor

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        left = g * y * ctx.factor if ctx.needs_input_grad[0] else None
        right = g * x * ctx.factor if ctx.needs_input_grad[1] else None
        return left, right, None"""

_RUNNING = """\
class Running(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((), 0.5))
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        if self.training:
            self.count += 1
            self.mean.mul_(0.5).add_(x.detach().mean().float(), alpha=0.5)
        return (x - self.mean) * self.weight"""

_LATEST = """\
class Latest(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.seen = []
        self.register_buffer("last", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        self.seen.append(x.dim())
        before = self.last.clone()
        self.last.copy_(x.detach().float().sum())
        return x * self.calls + before"""

_DOUBLE_BY_DEFAULT = """\
@contextlib.contextmanager
def double_by_default():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)"""

_NOTING = """\
def noting():
    seen = []

    class Noting:
        def touch(self, x):
            seen.append(x.dim())
            return x * len(seen)

        def __enter__(self):
            seen.append("in")

        def __exit__(self, *error):
            seen.append("out")

    return Noting, seen


Noting, noted = noting()"""

_HOLDING = """\
def holding(factor):
    made = types.SimpleNamespace(kept=torch.zeros(()), factor=factor, left=[1], right=[1])
    made.current = made.left
    return made"""

_TABLE = """\
class Table(dict):
    def __missing__(self, key):
        return len(self)"""

#: By the name that a program says.
HELPERS: dict[str, str] = {
    "memory": "memory = {'calls': 0}",
    "buffer": "buffer = torch.zeros(())",
    "row": "row = torch.zeros(4)",
    "log": "log = []",
    "Pair": "Pair = collections.namedtuple('Pair', 'left right')",
    "Box": "@dataclasses.dataclass\nclass Box:\n    value: torch.Tensor\n    scale: float = 2.0",
    "Double": _DOUBLE,
    "Same": _SAME,
    "Flat": _FLAT,
    "Window": _WINDOW,
    "ScaledHere": _SCALED_HERE,
    "WithMask": _WITH_MASK,
    "Scaled": _SCALED,
    "Running": _RUNNING,
    "Latest": _LATEST,
    "running": "running = Running()",
    "settled": "settled = Running().eval()",
    "latest": "latest = Latest()",
    "double_by_default": _DOUBLE_BY_DEFAULT,
    "chance": "chance = random.Random(0)",
    "Noting": _NOTING,
    "holding": _HOLDING,
    "holder": "holder = holding(2)",
    "other_holder": "other_holder = holding(3)",
    "Table": _TABLE,
    "Names": "class Names(set):\n    pass",
    "Items": "class Items(list):\n    pass",
    "Plain": "class Plain:\n    pass",
}

#: What of Python's own a program imports if it says the name.
MODULES = ("collections", "contextlib", "dataclasses", "random", "types")

#: Everything that a program can lean on, to run its statements while it is drawn.
PREAMBLE = (
    f"import {', '.join(MODULES)}",
    "import torch",
    "import torch.nn.functional as F",
    *HELPERS.values(),
)
