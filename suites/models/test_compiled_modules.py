"""A compiled module as an object: its state, its copies, its parts, and what is changed after it was compiled."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize, prune

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, compiled_at_most, train


class _Net(nn.Module):
    """Two layers, a statistic, and something that training drops."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.drop, self.second = (
            nn.Linear(4, 33),
            nn.BatchNorm1d(33),
            nn.Dropout(0.4),
            nn.Linear(33, 4),
        )

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.second(self.drop(self.norm(self.first(a)).relu()))


def _through_state(module: nn.Module, compile_part: Compile) -> nn.Module:
    plain = _Net().to(next(module.parameters()))
    plain.load_state_dict({name.removeprefix("_orig_mod."): value for name, value in module.state_dict().items()})
    return plain


def _through_state_and_back(module: nn.Module, compile_part: Compile) -> nn.Module:
    twice = {name: value * 2 for name, value in module.state_dict().items() if value.is_floating_point()}
    module.load_state_dict({**module.state_dict(), **twice})
    return module


def _through_state_assigned(module: nn.Module, compile_part: Compile) -> nn.Module:
    twice = {name: value * 2 for name, value in module.state_dict().items() if value.is_floating_point()}
    module.load_state_dict({**module.state_dict(), **twice}, assign=True)
    return module


def _saved(module: nn.Module, compile_part: Compile) -> nn.Module:
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.zero_()
    module.load_state_dict(torch.load(file, weights_only=True))
    return module


def _requires_no_grad(module: nn.Module, compile_part: Compile) -> nn.Module:
    next(module.parameters()).requires_grad_(False)
    return module


def _replaced(module: nn.Module, compile_part: Compile) -> nn.Module:
    inner: Any = getattr(module, "_orig_mod", module)
    inner.first.weight = nn.Parameter(inner.first.weight.detach() * 3)
    inner.norm = nn.LayerNorm(33).to(inner.first.weight)
    return module


def _written(module: nn.Module, compile_part: Compile) -> nn.Module:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.data.mul_(1.5)
    return module


class _Twice(nn.Module):
    """A weight times two."""

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * 2


def _parametrized(module: nn.Module, compile_part: Compile) -> nn.Module:
    inner: Any = getattr(module, "_orig_mod", module)
    parametrize.register_parametrization(inner.first, "weight", _Twice())
    return module


def _parametrized_no_more(module: nn.Module, compile_part: Compile) -> nn.Module:
    inner: Any = getattr(module, "_orig_mod", module)
    parametrize.register_parametrization(inner.first, "weight", _Twice())
    parametrize.remove_parametrizations(inner.first, "weight")
    return module


def _pruned(module: nn.Module, compile_part: Compile) -> nn.Module:
    inner: Any = getattr(module, "_orig_mod", module)
    prune.l1_unstructured(inner.first, "weight", amount=60)
    return module


def _swapped(module: nn.Module, compile_part: Compile) -> nn.Module:
    inner: Any = getattr(module, "_orig_mod", module)
    weight = inner.first.weight
    torch.utils.swap_tensors(weight, nn.Parameter(weight.detach() * 3))
    return module


def _loaded_under_hooks(module: nn.Module, compile_part: Compile) -> nn.Module:
    """Hooks before and after the state is taken and loaded: what they do to it and to the module is there."""

    inner: Any = getattr(module, "_orig_mod", module)

    def doubled(_: Any, state: dict[str, Any], *rest: Any) -> None:
        state.update({name: value * 2 for name, value in state.items() if name.endswith("weight")})

    def bias_gone(_: Any, incompatible: Any) -> None:
        with torch.no_grad():
            inner.second.bias.zero_()

    module.register_state_dict_post_hook(doubled)
    module.register_load_state_dict_post_hook(bias_gone)
    module.load_state_dict(module.state_dict())
    return module


#: What happens to a compiled module between two of its calls; the result is called from then on.
BETWEEN: dict[str, Callable[[nn.Module, Compile], nn.Module]] = {
    "evaluated": lambda module, _: module.eval(),
    "evaluated_and_trained": lambda module, _: module.eval().train(),
    "copied": lambda module, _: copy.deepcopy(module),
    "pickled": lambda module, _: pickle.loads(pickle.dumps(module)),
    "state_into_a_plain_one": _through_state,
    "state_and_back": _through_state_and_back,
    "state_assigned": _through_state_assigned,
    "saved": _saved,
    "frozen": _requires_no_grad,
    "replaced": _replaced,
    "written": _written,
    "parametrized": _parametrized,
    "parametrized_no_more": _parametrized_no_more,
    "pruned": _pruned,
    "swapped": _swapped,
    "loaded_under_hooks": _loaded_under_hooks,
}


NOT_PICKLED = ("wrapped", "pickled")
#: A wrapped module is pickled with its backend, which is a function of the harness's own.
CHANGES = [(way, between) for way in ("wrapped", "in_place") for between in BETWEEN if (way, between) != NOT_PICKLED]


@clause("models.compiled-modules", modes="train", on=QUICK)
@pytest.mark.parametrize(("way", "between"), CHANGES)
def test_module_that_is_changed_after_it_was_compiled(check: Check, way: str, between: str) -> None:
    """What happens to a compiled module between two calls is seen in the next; a copy and its source stay apart."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Net, batches)
        module: nn.Module = network if way == "in_place" else compile_part(network)
        if way == "in_place":  # What `nn.Module.compile` does, with the backend that is asked.
            network._compiled_call_impl = compile_part(network._call_impl)
        found = [train(network, lambda batch: module(batch).square().mean(), [(batches[0],)])]
        later = BETWEEN[between](module, compile_part)
        batch = batches[1].to(next(later.parameters()).dtype)
        optimizer = torch.optim.SGD(later.parameters(), lr=0.1)
        found.append(train(later, lambda batch: later(batch).square().mean(), [(batch,)], optimizer))
        names = sorted(name.replace("_orig_mod.", "") for name in later.state_dict())
        return [[_plain(each) for each in found], names, later.training, dict(network.named_buffers())]

    result = check(program, calls=[(tensor(2, 5, 4, grad=False),)], in_parts=True, backward=False).computed()
    compiled_at_most(result, 2)


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    """What was left behind, by the names of the module that was compiled."""
    return {
        kind: {name.replace("_orig_mod.", ""): value for name, value in each.items()} if kind != "losses" else each
        for kind, each in found.items()
    }


class _Stack(nn.Module):
    """Blocks of one kind, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(33), nn.Linear(33, 33), nn.GELU()) for _ in range(3))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            a = a + block(a)
        return a.square().mean()


@clause("models.compiled-modules", modes="train", on=QUICK)
@pytest.mark.parametrize("regions", ["each", "first_and_last", "one_for_all"])
def test_blocks_that_are_compiled_alone(check: Check, regions: str) -> None:
    """Blocks that are compiled one by one, some of them or by one function for all, train as a whole as in eager."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_Stack, batches)
        if regions == "one_for_all":
            apply = compile_part(lambda block, a: block(a))
            blocks: list[Any] = [lambda a, block=block: apply(block, a) for block in network.blocks]
        else:
            chosen = (0, 2) if regions == "first_and_last" else (0, 1, 2)
            blocks = [compile_part(block) if n in chosen else block for n, block in enumerate(network.blocks)]

        def lost(a: torch.Tensor) -> torch.Tensor:
            for block in blocks:
                a = a + block(a)
            return a.square().mean()

        return train(network, lost, zip(batches))

    result = check(program, calls=[(tensor(2, 3, 33, grad=False),)], in_parts=True, backward=False).computed()
    compiled_at_most(result, 3)


class _Layer(nn.Module):
    """One layer, called with a keyword."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, a: torch.Tensor, *, by: float = 1.0) -> torch.Tensor:
        return self.layer(a).sin() * by


def _twice(module: nn.Module, of_output: Any) -> Any:
    return (of_output[0] * 2,)


def _thrice(module: nn.Module, of_input: Any, of_output: Any) -> Any:
    return (of_input[0] * 3,)


#: How a hook is registered on a compiled module.
HOOKS: dict[str, Callable[[nn.Module], Any]] = {
    "before": lambda module: module.register_forward_pre_hook(lambda _, args: (args[0] * 2,)),
    "before_with_keywords": lambda module: module.register_forward_pre_hook(
        lambda _, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True
    ),
    "after": lambda module: module.register_forward_hook(lambda _, args, output: output * 3),
    "after_with_keywords": lambda module: module.register_forward_hook(
        lambda _, args, kwargs, output: output * kwargs["by"], with_kwargs=True
    ),
    "before_backward": lambda module: module.register_full_backward_pre_hook(_twice),
    "after_backward": lambda module: module.register_full_backward_hook(_thrice),
    "on_a_weight": lambda module: next(module.parameters()).register_hook(lambda gradient: gradient * 5),
}


@clause("models.compiled-modules", "python.modules", modes="train", on=QUICK)
@pytest.mark.parametrize("kind", HOOKS)
def test_hook_on_a_compiled_module(check: Check, kind: str) -> None:
    """A hook on the compiled module itself, registered after a call, is called from then on, until it is removed."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Layer, batches)
        module, found, handle = compile_part(network), list[Any](), None
        for number, batch in enumerate(batches):
            if number == 1:
                handle = HOOKS[kind](module)
            elif number == 2 and handle is not None:
                handle.remove()
            given = batch.clone().requires_grad_()
            network.zero_grad()
            output = module(given, by=2.0)
            output.square().sum().backward()
            found.append([output.detach(), given.grad, network.layer.weight.grad])
        return found

    result = check(program, calls=[(tensor(3, 2, 4, grad=False),)], in_parts=True, backward=False).computed()
    compiled_at_most(result, 2)
