"""What training code changes between two steps of a compiled network: what trains, how, and where gradients lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_swa_multi_avg_fn, update_bn

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, left_behind, train


class _Net(nn.Module):
    """Two layers, a statistic, something that training drops, and a factor that is no part of the state."""

    factor: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(4, 8), nn.BatchNorm1d(8)
        self.drop, self.second = nn.Dropout(0.3), nn.Linear(8, 4)
        self.register_buffer("factor", torch.ones(4), persistent=False)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.second(self.drop(self.norm(self.first(a)).relu())) * self.factor


def _kept(network: nn.Module) -> dict[str, Any]:
    """All that is left behind by now, as it is."""
    found = left_behind(network, [])
    return {
        kind: {name: None if value is None else value.detach().clone() for name, value in each.items()}
        for kind, each in found.items()
        if kind != "losses"
    }


#: A network, what was compiled of it, and batches: what happens between two rounds, and what is seen of it.
Change = Callable[[Any, Any, torch.Tensor], list[Any]]


def _unfrozen_by_turns(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    found = []
    for frozen in (True, False, True):
        network.first.requires_grad_(not frozen)
        network.zero_grad()
        compiled(batches[0]).square().mean().backward()
        found.append(_kept(network))
    network.first.requires_grad_(True)
    return found


def _all_frozen(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.requires_grad_(False)
    said = compiled(batches[0])
    network.requires_grad_(True)
    return [said, said.requires_grad]


def _biases_frozen(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.first.bias.requires_grad_(False)
    network.second.weight.requires_grad_(False)
    return []


def _parts_in_modes_of_their_own(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    found = [compiled.eval()(batches[0]).detach()]
    network.drop.train()
    found.append(compiled(batches[0]).detach())
    network.norm.train()
    network.drop.eval()
    return [*found, compiled(batches[1]).detach(), _kept(network), compiled.train() is compiled]


def _norm_set_otherwise(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    found = []
    for name, value in (("momentum", 0.75), ("momentum", None), ("eps", 0.5), ("track_running_stats", False)):
        setattr(network.norm, name, value)
        found.append(compiled(batches[1]).detach())
    return [*found, _kept(network)]


def _less_dropped(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    found = []
    for share in (0.0, 0.9, 0.5):
        network.drop.p = share
        found.append(compiled(batches[1]).detach())
    return found


def _norm_tied(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.norm.weight = network.norm.bias
    return []


def _weights_share_memory(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.norm.weight.data = network.norm.bias.data.add_(1)
    return []


def _tied_apart(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.second.weight = nn.Parameter(network.first.weight.detach().t())
    return []


def _bias_is_a_buffer(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    bias = network.first.bias.detach() * 2
    del network.first.bias
    network.first.register_buffer("bias", bias)
    return []


def _bias_is_none(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.first.bias = None
    return []


def _buffer_is_a_parameter(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    del network.factor
    network.factor = nn.Parameter(batches.new_full((4,), 2.0))
    return []


def _buffer_put_anew(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.factor.mul_(3)
    found = [compiled(batches[0]).detach()]
    network.register_buffer("factor", batches.new_full((4,), 2.0))
    return [*found, [*network.state_dict()]]


def _wider_and_back(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.double()
    said = compiled(batches[0].double()).detach()
    network.float()
    return [said]


def _state_of_another_dtype(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    found = network.state_dict()
    state = {name: value.double() if value.is_floating_point() else value for name, value in found.items()}
    network.load_state_dict(state, assign=True)
    network.factor = network.factor.double()
    said = compiled(batches[0].double()).detach()
    network.float()
    return [said]


def _gradients_set_to_nought(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    compiled(batches[0]).sum().backward()
    before = [parameter.grad for parameter in network.parameters()]
    network.zero_grad(set_to_none=False)
    compiled(batches[1]).sum().backward()
    return [[a is b.grad for a, b in zip(before, network.parameters(), strict=True)], _kept(network)]


def _gradients_in_one_tensor(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    parameters = [*network.parameters()]
    whole = batches.new_zeros(sum(parameter.numel() for parameter in parameters))
    parts = whole.split([parameter.numel() for parameter in parameters])
    for parameter, part in zip(parameters, parts, strict=True):
        parameter.grad = part.view_as(parameter)
    for batch in batches:
        compiled(batch).square().mean().backward()
    return [whole.clone()]


def _gradient_that_lies_otherwise(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.zero_grad()
    network.first.weight.grad = batches.new_zeros(4, 8).t()
    compiled(batches[0]).square().mean().backward()
    return [network.first.weight.grad.stride(), _kept(network)]


def _weights_that_lie_otherwise(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.first.weight.data = network.first.weight.data.t().contiguous().t()
    network.norm.bias = nn.Parameter(batches.new_zeros(16)[::2])
    return []


def _step_in_backward(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    def step(parameter: torch.Tensor) -> None:
        with torch.no_grad():
            assert parameter.grad is not None
            parameter.sub_(parameter.grad * 0.1)
        parameter.grad = None

    handles = [parameter.register_post_accumulate_grad_hook(step) for parameter in network.parameters()]
    for batch in batches:
        compiled(batch).square().mean().backward()
    for handle in handles:
        handle.remove()
    return [_kept(network)]


def _gradients_changed_by_hooks(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.first.weight.register_hook(lambda gradient: gradient * 0.5)
    network.first.weight.register_hook(lambda gradient: gradient + 1)
    network.norm.bias.register_hook(torch.zeros_like)
    return []


def _clipped_beside(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    compiled(batches[0]).square().sum().backward()
    norm = nn.utils.clip_grad_norm_(network.parameters(), 0.1)
    nn.utils.clip_grad_value_(network.parameters(), 0.01)
    return [norm, _kept(network)]


def _parts_taken_out(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    network.norm, network.drop = nn.Identity(), nn.Sequential()
    return []


def _called_without_gradients(network: Any, compiled: Any, batches: torch.Tensor) -> list[Any]:
    with torch.no_grad():
        first = compiled(batches[0])
    with torch.inference_mode():
        second = compiled(batches[1]) * 1
    return [first, second.sum().item()]


#: Those whose kernels are others after the change; Inductor compiles them, too.
OF_KERNELS = (_unfrozen_by_turns, _norm_set_otherwise, _gradients_in_one_tensor, _step_in_backward)
CHANGES: dict[str, Change] = {
    change.__name__.lstrip("_"): change
    for change in (
        *OF_KERNELS,
        _all_frozen,
        _biases_frozen,
        _parts_in_modes_of_their_own,
        _less_dropped,
        _norm_tied,
        _weights_share_memory,
        _tied_apart,
        _bias_is_a_buffer,
        _bias_is_none,
        _buffer_is_a_parameter,
        _buffer_put_anew,
        _wider_and_back,
        _state_of_another_dtype,
        _gradients_set_to_nought,
        _gradient_that_lies_otherwise,
        _weights_that_lie_otherwise,
        _gradients_changed_by_hooks,
        _clipped_beside,
        _parts_taken_out,
        _called_without_gradients,
    )
}


def _two_rounds(check: Check, change: Change) -> None:
    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Net, batches)
        compiled = compile_part(network)

        def rounds(chosen: torch.Tensor) -> None:
            optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
            trained = train(network, lambda batch: compiled(batch).square().mean(), zip(chosen), optimizer)
            found.extend([trained["losses"], _kept(network)])

        found: list[Any] = []
        rounds(batches[:1])
        found.append(change(network, compiled, batches))
        rounds(batches[1:])
        return found

    check(program, calls=[(tensor(3, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


@clause("models.compiled-modules", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("change", CHANGES)
def test_network_that_is_changed_between_two_rounds(check: Check, change: str) -> None:
    """What training code changes of a network that is compiled holds for all of its steps from then on."""
    _two_rounds(check, CHANGES[change])


@clause("models.compiled-modules", modes="train", fullgraph=False, on=("inductor",))
@pytest.mark.parametrize("change", [change.__name__.lstrip("_") for change in OF_KERNELS])
def test_kernels_of_a_network_that_is_changed(check: Check, change: str) -> None:
    """Kernels of a network of which it is changed what trains, by what it is normalised or where gradients lie."""
    _two_rounds(check, CHANGES[change])


@clause("models.recipes", modes="train", fullgraph=False, on=QUICK)
def test_statistics_of_an_average(check: Check) -> None:
    """`update_bn` calls a compiled average of networks, and leaves it statistics over all batches, and its momenta."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Net, batches)
        compiled, average = compile_part(network), AveragedModel(network)
        averaged, found = compile_part(average), []
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
        schedule = SWALR(optimizer, swa_lr=0.05, anneal_epochs=2)
        for batch in batches:
            optimizer.zero_grad()
            compiled(batch).square().mean().backward()
            optimizer.step()
            average.update_parameters(network)
            schedule.step()
            found.append(averaged(batch).detach())
        update_bn(list(batches), averaged)
        norm: Any = average.module.get_submodule("norm")
        return [found, _kept(average), [norm.momentum, averaged.training], averaged.eval()(batches[0]).detach()]

    check(program, calls=[(tensor(3, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


@clause("models.recipes", fullgraph=False, on=QUICK)
def test_average_that_is_moved_by_a_compiled_function(check: Check) -> None:
    """An average of networks that a compiled function moves is that of all it was shown."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Net, batches)
        average = AveragedModel(network, multi_avg_fn=get_swa_multi_avg_fn())
        move, found = compile_part(lambda: average.update_parameters(network)), []
        for batch in batches:
            network.first.bias.detach().add_(batch.sum())
            move()
            found.append(_kept(average))
        return found

    check(program, calls=[(tensor(4, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()
