"""A look-alike of sharded training in one process: hooks that give a weight its memory, fill it and take it back."""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor, torch_internals

torch_internals.register_fsdp_operators()


class Sharded(torch.nn.Module):
    """A linear layer whose full weight has memory between its own hooks alone; what is trained is the shard."""

    full: torch.Tensor

    def __init__(self, *, by_set: bool = False, device: str = "cpu") -> None:
        super().__init__()
        self.shard = torch.nn.Parameter(torch.linspace(-1, 1, 6))
        self.by_set = by_set
        # Made where it runs: what has no memory cannot be moved.
        full = torch.zeros(2, 3, device=device)
        if not by_set:
            full.untyped_storage().resize_(0)
        self.register_buffer("full", full)
        self.register_forward_pre_hook(_gather)
        self.register_forward_hook(_release)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One row in, two columns out."""
        return x @ self.full.t() + self.shard.sum()


def _gather(module: Any, args: Any) -> None:
    with torch.no_grad():
        whole = (module.shard * 2).view(2, 3)
        if module.by_set:
            module.full.set_(whole)
        else:
            module.full.untyped_storage().resize_(whole.nbytes)
            module.full.copy_(whole)


def _release(module: Any, args: Any, output: Any) -> None:
    if not module.by_set:
        module.full.untyped_storage().resize_(0)


class Filled(torch.nn.Module):
    """A linear layer whose weight is filled by a hook before each forward, from the shard."""

    full: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.shard = torch.nn.Parameter(torch.linspace(-1, 1, 6))
        self.register_buffer("full", torch.zeros(2, 3))
        self.register_forward_pre_hook(_fill)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One row in, two columns out."""
        return x.sin() @ self.full.t() * self.shard.sum()


def _fill(module: Any, args: Any) -> None:
    with torch.no_grad():
        torch.ops.fsdp.copy_(module.full, (module.shard * 2).view(2, 3))


@clause("fsdp.hooks", fullgraph=False, isolated=True)
def test_hooks_that_resize_and_fill(check: Check) -> None:
    """A weight that a pre-forward hook gives memory and fills, and a forward hook frees, multiplies what is in it."""
    sharded = built(lambda: Sharded(device=check.device))
    check(sharded, tensor(4, 3, grad=False)).values().expect("""\
out = float32[4, 2] [[1.879, -3.36], [2.905, 0.9303], [2.545, -1.818], [4.301, -0.9717]]
""")


@clause("fsdp.hooks", fullgraph=False)
def test_hooks_that_set_the_gathered_weight(check: Check) -> None:
    """A weight that a pre-forward hook sets to a gathered tensor is that tensor in forward and after it."""
    check(built(lambda: Sharded(by_set=True)), tensor(4, 3, grad=False)).values().expect("""\
out = float32[4, 2] [[1.879, -3.36], [2.905, 0.9303], [2.545, -1.818], [4.301, -0.9717]]
module.full = float32[2, 3] [[-2, -1.2, -0.4], [0.4, 1.2, 2]]
""")


@clause("fsdp.hooks", modes="train", fullgraph=False)
def test_hooks_that_fill_in_training(check: Check) -> None:
    """With gradients, a weight that a pre-forward hook fills through `fsdp.copy_` carries the gradient of its input."""

    check(built(Filled), tensor(4, 3)).shape("out", 4, 2).gradient(0)
