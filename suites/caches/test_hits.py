"""What the caches serve, and what they leave alone: counted, and right each time."""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor

from .counting import demand_counts

ON = ("inductor_cached",)


@clause("caches.counts", modes="train", on=ON)
def test_second_compilation_is_served_by_the_cache(check: Check) -> None:
    """An equal program compiled again is a hit, forward and backward, and computes with the data of its own call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b + 1).tanh()

    result = check(program, tensor(3), tensor(3)).gradient(0, 1)
    demand_counts(check, result, hit=1, miss=1, saved=1)


@clause("caches.counts", on=ON)
def test_every_later_compilation_is_a_hit(check: Check) -> None:
    """One miss serves any number of equal compilations in inference."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2 - 1

    result = check(program, calls=[(tensor(3),)] * 4).shape("out", 3)
    demand_counts(check, result, hit=3, miss=1, saved=1)
    result.values().expect("""\
out = float32[3] [0.3729, -6.26, -1.478]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-2.006, -1.546, -1.136]
""")


@clause("caches.counts", "caches.keys", modes="train", on=ON)
def test_hit_computes_with_the_parameters_at_hand(check: Check) -> None:
    """Parameters and buffers are inputs of what is cached: another module of the same shape gets its own answer."""

    class Scaled(torch.nn.Module):
        def __init__(self, offset: float) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(3, 3)
            self.register_buffer("offset", torch.full((3,), offset))

        def forward(self, a: torch.Tensor) -> Any:
            return self.inner(a) + self.offset

    def program(module: torch.nn.Module, a: torch.Tensor) -> Any:
        return module(a)

    result = check(program, calls=[(built(Scaled, 1.0), tensor(2, 3)), (built(Scaled, -5.0), tensor(2, 3))])
    demand_counts(check, result.shape("out", 2, 3), hit=1, miss=1)
    result.values().expect("""\
out = float32[2, 3] [[0.4488, 1.082, -0.3131], [0.5351, 1.671, 0.6415]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 3] [[-4.897, -4.911, -5.229], [-4.751, -5.536, -5.316]]
""")


@clause("caches.counts", modes="train", on=ON)
def test_hit_mutates_and_aliases_as_a_miss_does(check: Check) -> None:
    """What surrounds a cached graph is cached with it: the copy-back of an input and an output that is its view."""

    def program(a: torch.Tensor) -> Any:
        a.mul_(2)
        return a[1:], a * 3

    result = check(program, tensor(4), probe=False).mutated(0).aliases("out[0]", 0)
    demand_counts(check, result, hit=1, miss=1)


@clause("caches.counts", shapes="dynamic", on=ON)
def test_graph_of_any_size_serves_another_size(check: Check) -> None:
    """A graph with symbolic sizes is a hit for other sizes, and gives their own results."""

    def program(a: torch.Tensor) -> Any:
        return a.sum() * a.shape[0], a * a.shape[0], a.shape[0]

    result = check(program, calls=[(tensor(4),), (tensor(7),), (tensor(4),)]).holds("out[2]", 4)
    demand_counts(check, result, hit=2, miss=1)


@clause("caches.counts", "caches.keys", shapes="dynamic", on=ON)
def test_graph_of_one_branch_does_not_serve_the_other(check: Check) -> None:
    """Where the program branches on a size, each branch is cached for its own sizes, and serves all of these."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        size = 2 if a.shape[0] > 5 else 3
        return a * b * size

    calls = [(tensor(4), tensor(4)), (tensor(8), tensor(8)), (tensor(3), tensor(3)), (tensor(9), tensor(9))]
    result = check(program, calls=calls).shape("out", 4)
    demand_counts(check, result, hit=2, miss=2)
    result.values().expect("""\
out = float32[4] [-0.9392, -8.01, 1.138, -3.735]
""")
    result.in_call(1).values().expect("""\
out = float32[8] [0.03598, -0.2382, -0.1055, 1.849, 0.3055, 1.737, 0.09946, -0.6203]
""")


@clause("caches.counts", modes="train", on=ON)
def test_custom_function_passes_by_the_cache_by_default(check: Check) -> None:
    """Unless it is allowed, a program with a custom autograd Function is compiled each time, and counted as passing."""

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
            return a * 2

        @staticmethod
        def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
            return gradient * 5

    def program(a: torch.Tensor) -> Any:
        return Doubled.apply(a) + 1

    config = {"functorch.autograd_cache_allow_custom_autograd_functions": False}
    result = check(program, tensor(3), config=config).gradient(0)
    demand_counts(check, result, bypass=2)


@clause("caches.counts", on=ON)
def test_cache_that_is_off_counts_nothing(check: Check) -> None:
    """With AOTAutograd's cache off nothing is counted there, and the cache of FX graphs below it serves."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2 - 1

    result = check(program, tensor(3), config={"functorch.enable_autograd_cache": False}).shape("out", 3)
    demand_counts(check, result)
    result.values().expect("""\
out = float32[3] [0.3729, -6.26, -1.478]
""")


@clause("caches.counts", modes="train", on=ON)
def test_bundled_entry_serves_forward_and_backward(check: Check) -> None:
    """An entry that holds its compiled code itself is a hit, and computes what the code beside it would."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b + 1).tanh()

    config = {"functorch.bundled_autograd_cache": True, "functorch.strict_autograd_cache": True}
    result = check(program, tensor(3), tensor(3), config=config).gradient(0, 1)
    demand_counts(check, result, hit=1, miss=1)


@clause("caches.counts", on=ON)
def test_hit_draws_its_own_random_numbers(check: Check) -> None:
    """A cached program draws from the generator as it stands, and advances it as eager does."""

    def program(a: torch.Tensor) -> Any:
        return torch.nn.functional.dropout(a, 0.5) + torch.rand_like(a)

    result = check(program, tensor(8)).drew_random()
    demand_counts(check, result, hit=1, miss=1)
