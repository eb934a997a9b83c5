"""What a module keeps from call to call: counters, buffers, lists of submodules, hooks."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: D102
# mypy: disable-error-code="assignment, operator"

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from suites.harness import Check, built, clause, tensor


class Counting(torch.nn.Module):
    """Counts its calls, keeps a history and a running sum in a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.history: list[Any] = []
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("latest", None)

    def forward(self, a: torch.Tensor) -> Any:
        self.calls += 1
        self.history.append(self.calls * 10)
        self.total += a.detach()
        self.latest = a.detach() * 2
        return a * self.calls + self.total


@clause("python.modules")
def test_module_counts_its_calls(check: Check) -> None:
    """A counter, a list and buffers of a module, written or replaced, are after each call what the call left there."""
    result = check(built(Counting), calls=[(tensor(3),), (tensor(3),), (tensor(3),)])
    third = result.in_call(2).call.entries
    result.happened(third["module.calls"].detail == 3, "three calls").holds("module.history", [10])
    result.mutated("module.total").shape("module.latest", 3)


class Stack(torch.nn.Module):
    """Submodules in a list and in a dict, one of them under two names."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3, bias=place == 1) for place in range(3)])
        self.named = torch.nn.ModuleDict({"z": self.layers[0], "a": torch.nn.Tanh()})

    def forward(self, a: torch.Tensor) -> Any:
        for place, layer in enumerate(self.layers[::-1]):
            a = layer(a) * (place + 1)
        names = [name for name, _ in self.named_parameters()]
        kinds = [type(layer).__name__ for layer in self.named.values()]
        return self.named["a"](a), names, kinds, self.named["z"] is self.layers[0], len(list(self.modules()))


@clause("python.modules")
def test_submodules_are_walked_in_order(check: Check) -> None:
    """Lists and dicts of modules iterate, slice and index in order, and a shared submodule counts once."""
    result = check(built(Stack), tensor(2, 3))
    result.holds("out[1]", ["layers.0.weight", "layers.1.weight", "layers.1.bias", "layers.2.weight"])
    result.holds("out[2]", ["Linear", "Tanh"]).holds("out[3]", True).holds("out[4]", 7)


class Hooked(torch.nn.Module):
    """A submodule with hooks before and after, which write down that they ran."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []
        self.inner = torch.nn.Identity()
        self.inner.register_forward_pre_hook(self.before)
        self.inner.register_forward_hook(self.after)
        self.inner.register_forward_hook(lambda module, args, output: output - 1, prepend=True)

    def before(self, module: Any, args: Any) -> Any:
        self.log.append("before")
        return (args[0] * 2,)

    def after(self, module: Any, args: Any, output: Any) -> Any:
        self.log.append("after")
        return output * 5 + args[0]

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        direct = self.inner.forward(a)
        self.log.append("between")
        return direct + self.inner(a)


@clause("python.modules")
def test_hooks_run_around_the_call_and_not_around_forward(check: Check) -> None:
    """Hooks of a submodule change its input and its output, in the order that they ask for, when it is called."""
    check(built(Hooked), tensor(3)).holds("module.log", ["between", "before", "after"])


@clause("python.modules")
def test_hook_that_comes_and_goes(check: Check) -> None:
    """A hook that is registered after the first call runs in the second; removed before the third, it is gone."""

    def add(module: torch.nn.Module) -> torch.nn.Module:
        module.register_forward_hook(lambda module, args, output: output * 10)
        return module

    def program(module: torch.nn.Module, a: torch.Tensor) -> torch.Tensor:
        return module(a) + 1

    bare, hooked = built(torch.nn.Tanh), built(lambda: add(torch.nn.Tanh()))
    calls = [(bare, tensor(3)), (hooked, tensor(3)), (bare, tensor(3))]
    # Guards on the hooks of modules cost time in every call, so that they are left out unless they are asked for.
    result = check(program, calls=calls, config={"dynamo.skip_nnmodule_hook_guards": False})
    result.values().expect("""\
out = float32[3] [1.596, 0.01034, 0.7655]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-3.643, -1.663, 0.3207]
""")


@clause("python.modules", "reuse.state")
def test_mode_of_a_module_is_the_calls_own(check: Check) -> None:
    """A module that is switched between training and evaluation, within and between calls, runs as it is then."""

    class Switched(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(3)

        def forward(self, a: torch.Tensor, training: bool) -> Any:
            self.train(training)
            b = self.norm(a)
            return b * 2 if self.training else b - 1, self.norm.training

    result = check(built(Switched), calls=[(tensor(4, 3), True), (tensor(4, 3), False), (tensor(4, 3), True)])
    second = result.in_call(1).call.entries
    result.holds("out[1]", True).happened(second["out[1]"].detail is False, "an evaluation")
    result.mutated("module.norm.running_mean")


@clause("python.modules")
def test_parameter_is_replaced_between_calls(check: Check) -> None:
    """A module whose parameter, scale and activation are replaced by the program uses the new ones from then on."""

    class Growing(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale, self.inner = 2, torch.nn.Identity()
            self.other = torch.nn.Tanh()

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            b = self.inner(a) * self.scale
            self.scale, self.inner = self.scale + 1, self.other
            return b

    result = check(built(Growing), calls=[(tensor(3),), (tensor(3),), (tensor(3),)])
    third = result.in_call(2).call.entries
    result.happened(third["module.scale"].detail == 5, "a scale that grew")


def _twice_before(module: torch.nn.Module, args: tuple[Any, ...]) -> Any:
    return (args[0] * 2,) if isinstance(module, torch.nn.Tanh) else None


def _twice_after(module: torch.nn.Module, args: tuple[Any, ...], output: Any) -> Any:
    return output * 2 if isinstance(module, torch.nn.Tanh) else None


@contextlib.contextmanager
def doubled(place: str) -> Iterator[None]:
    """Each `Tanh` is handed twice its input (``before``), or hands out twice what it computes (``after``)."""
    of_all: Any = torch.nn.modules.module
    if place == "before":
        handle = of_all.register_module_forward_pre_hook(_twice_before)
    else:
        handle = of_all.register_module_forward_hook(_twice_after)
    try:
        yield
    finally:
        handle.remove()


@clause("python.modules")
def test_hook_of_all_modules_runs_before_each(check: Check) -> None:
    """A hook that is registered for all modules changes the inputs of those that are called while it is there."""

    def program(module: torch.nn.Module, a: torch.Tensor) -> torch.Tensor:
        return module(a) + 1

    hooks = [lambda program: doubled("before")] * 2
    check(program, calls=[(built(torch.nn.Tanh), tensor(3))] * 2, before=hooks).computed()


@pytest.mark.parametrize("place", ["before", "after"])
@clause("python.modules", "reuse.state")
def test_hook_of_all_modules_that_comes_and_goes(check: Check, place: str) -> None:
    """With guards on hooks, a hook for all modules runs in the calls made while it is there, and in no other."""

    def program(module: torch.nn.Module, a: torch.Tensor) -> torch.Tensor:
        return module(a) + 1

    hooks = [None, lambda program: doubled(place), None]
    calls = [(built(torch.nn.Tanh), tensor(3, values=[0.5, -1.0, 2.0]))] * 3
    config = {"dynamo.skip_nnmodule_hook_guards": False}
    result = check(program, calls=calls, before=hooks, probe=False, config=config)
    values = [call.tensors["out"].value.tolist() for call in result.expected.calls]  # type: ignore[union-attr]
    result.happened(values[0] == values[2] != values[1], "a hook in one call")


class Hooks(torch.nn.Module):
    """A layer, and a log of its hooks: with keywords, put before others, called though the layer raised."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Any] = []
        self.inner = Shifted()
        self.inner.register_forward_pre_hook(self.named, with_kwargs=True)
        self.inner.register_forward_pre_hook(lambda module, args: (args[0] + 1,), prepend=True)
        self.inner.register_forward_hook(lambda module, args, output: output * 2)
        self.inner.register_forward_hook(self.told, with_kwargs=True, prepend=True)
        self.inner.register_forward_hook(lambda module, args, output: self.log.append(output is None), always_call=True)

    def named(self, module: Any, args: Any, kwargs: Any) -> Any:
        self.log.append(sorted(kwargs))
        return (args[0] * 3,), {**kwargs, "by": kwargs["by"] + 1}

    def told(self, module: Any, args: Any, kwargs: Any, output: Any) -> Any:
        self.log.append(kwargs["by"])
        return output - kwargs["by"]

    def forward(self, a: torch.Tensor, bad: bool) -> torch.Tensor:
        try:
            return self.inner(a, by=2, bad=bad)
        except ValueError:
            return a


class Shifted(torch.nn.Module):
    """Adds a number, or raises."""

    def forward(self, a: torch.Tensor, *, by: int, bad: bool) -> torch.Tensor:
        if bad:
            raise ValueError("bad")
        return a.sin() + by


@clause("python.modules", modes="train")
def test_hooks_with_keywords_in_the_order_that_they_ask_for(check: Check) -> None:
    """Hooks see and change keywords, run first where they ask to, and some of them though a layer raised."""
    calls = [(tensor(3), bad) for bad in (False, True, False)]
    result = check(built(Hooks), calls=calls).gradient(0)
    result.holds("module.log", [["bad", "by"], 3, False])
    result.in_call(1).holds("module.log", [["bad", "by"], 3, False, ["bad", "by"], True])
