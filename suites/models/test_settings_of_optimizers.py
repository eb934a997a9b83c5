"""Settings of optimizers that change between compiled steps, and steps that are made elsewhere than behind backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn, optim
from torch.func import functional_call, grad

from suites.harness import Check, clause, tensor
from suites.models.training import QUICK, Compile, begin, left_behind, train

Given = list[nn.Parameter]
Made = Callable[[Given], optim.Optimizer]
#: What happens behind each step, by its number.
After = Callable[[optim.Optimizer, int, Given], object]


def _set(**settings: Any) -> After:
    def after(optimizer: optim.Optimizer, number: int, given: Given) -> None:
        if number == 1:
            optimizer.param_groups[0].update(settings)

    return after


def _adam(**settings: Any) -> Made:
    return lambda given: optim.Adam(given, **{"lr": 0.1, "eps": 1e-2, "foreach": False, **settings})


def _sgd(**settings: Any) -> Made:
    return lambda given: optim.SGD(given, **{"lr": 0.1, "foreach": False, **settings})


def _one_rate_for_both(given: Given) -> optim.Optimizer:
    rate = given[0].new_tensor(0.1)
    groups: Any = [{"params": given[:1], "lr": rate}, {"params": given[1:], "lr": rate, "maximize": True}]
    return optim.SGD(groups, lr=1.0)


def _two_groups(given: Given) -> optim.Optimizer:
    groups: Any = [{"params": given[:1]}, {"params": given[1:], "lr": 0.3}]
    return optim.SGD(groups, lr=0.1, momentum=0.9)


def _rate_halved(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    optimizer.param_groups[0]["lr"].mul_(0.5)


def _rate_replaced(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    optimizer.param_groups[0]["lr"] = given[0].new_tensor(0.1 / (number + 2))


def _rate_is_a_number(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    if number == 1:
        optimizer.param_groups[0]["lr"] = 0.05


def _count_set(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    if number == 1:
        for state in optimizer.state.values():
            state["step"].fill_(10.0)


def _groups_exchanged(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    if number == 1:
        optimizer.param_groups.reverse()


def _parameter_joins(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    if number == 1:
        optimizer.param_groups[0]["params"].append(given[1])


def _weights_written(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    given[0].data.mul_(-2)


def _gradient_missing(optimizer: optim.Optimizer, number: int, given: Given) -> None:
    given[1].requires_grad_(number == 1)


#: An optimizer, and what happens to it behind its steps.
CHANGES: dict[str, tuple[Made, After]] = {
    "betas": (_adam(), _set(betas=(0.5, 0.6))),
    "maximum_no_more": (_adam(amsgrad=True), _set(amsgrad=False)),
    "epsilon_and_decay": (_adam(weight_decay=0.1), _set(eps=1.0, weight_decay=0.0)),
    "decoupled": (_adam(weight_decay=0.3), _set(decoupled_weight_decay=True)),
    "one_by_one": (_adam(foreach=True), _set(foreach=False)),
    "fused_no_more": (_adam(fused=True, foreach=None), _set(fused=False)),
    "count": (_adam(), _count_set),
    "rate_replaced": (lambda given: _adam(lr=given[0].new_tensor(0.1))(given), _rate_replaced),
    "rate_is_a_number": (lambda given: _adam(lr=given[0].new_tensor(0.1))(given), _rate_is_a_number),
    "one_rate_for_both": (_one_rate_for_both, _rate_halved),
    "nesterov": (_sgd(momentum=0.9), _set(nesterov=True)),
    "momentum_from_now": (_sgd(), _set(momentum=0.9)),
    "momentum_no_more": (_sgd(momentum=0.9), _set(momentum=0.0)),
    "dampening": (_sgd(momentum=0.5), _set(dampening=0.5)),
    "groups_exchanged": (_two_groups, _groups_exchanged),
    "parameter_joins": (lambda given: _adam()(given[:1]), _parameter_joins),
    "weights_written": (_adam(), _weights_written),
    "gradient_missing": (_sgd(momentum=0.9), _gradient_missing),
}


@clause("models.optimizers", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("change", CHANGES)
def test_setting_that_changes_between_steps(check: Check, change: str) -> None:
    """A compiled step goes by the settings, parameters and states that its optimizer has when it is called."""

    make, after = CHANGES[change]

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        given = [nn.Parameter(part.clone()) for part in (weights, weights * 2)]
        optimizer = make(given)
        step, found = compile_part(optimizer.step), []
        for number, gradient in enumerate(gradients):
            for place, each in enumerate(given):
                each.grad = gradient - place if each.requires_grad else None
            step()
            found.append([each.detach().clone() for each in given])
            after(optimizer, number, given)
        return [found, optimizer.state_dict()["state"]]

    check(program, calls=[(tensor(2, 33), tensor(4, 2, 33))], in_parts=True, backward=False, exact=False).computed()


@clause("models.optimizers", fullgraph=False, on=QUICK)
def test_two_optimizers_of_one_compiled_function(check: Check) -> None:
    """A compiled function that is handed an optimizer makes the step of the one that it is handed."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        given = [nn.Parameter(part.clone()) for part in (weights, weights * 2)]
        one, other = optim.SGD(given[:1], lr=0.1, momentum=0.9), optim.SGD(given[1:], lr=0.5, momentum=0.5)
        step, found = compile_part(lambda optimizer: optimizer.step()), []
        for number, gradient in enumerate(gradients):
            for each in given:
                each.grad = gradient.clone()
            for optimizer in (one, other) if number % 2 else (other, one):
                step(optimizer)
            found.append([each.detach().clone() for each in given])
        return [found, one.state_dict()["state"], other.state_dict()["state"]]

    check(program, calls=[(tensor(2, 33), tensor(3, 2, 33))], in_parts=True, backward=False, exact=False).computed()


def _layers() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))


@clause("models.optimizers", "autograd.around-calls", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("compiled_step", [False, True])
def test_step_of_each_parameter_within_backward(check: Check, compiled_step: bool) -> None:
    """An optimizer for each parameter steps as soon as its gradient is there, beside or as what is compiled."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_layers, batches)
        optimizers = {each: optim.SGD([each], lr=0.1, momentum=0.9) for each in network.parameters()}
        steps = {each: compile_part(by.step) if compiled_step else by.step for each, by in optimizers.items()}

        def step(parameter: Any) -> None:
            steps[parameter]()
            parameter.grad = None

        for parameter in network.parameters():
            parameter.register_post_accumulate_grad_hook(step)
        compiled, losses = network if compiled_step else compile_part(network), []
        for batch in batches:
            loss = compiled(batch).square().mean()
            loss.backward()
            losses.append(loss.detach())
        return left_behind(network, losses)

    check(program, calls=[(tensor(3, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


#: Schedules, each of an optimizer whose rate is a tensor.
SCHEDULES: dict[str, Callable[[optim.Optimizer], Any]] = {
    "steps": lambda by: optim.lr_scheduler.StepLR(by, 1, 0.5),
    "restarts": lambda by: optim.lr_scheduler.CosineAnnealingWarmRestarts(by, 2),
    "polynomial": lambda by: optim.lr_scheduler.PolynomialLR(by, 3),
    "one_after_another": lambda by: optim.lr_scheduler.SequentialLR(
        by, [optim.lr_scheduler.ConstantLR(by, 0.1, 2), optim.lr_scheduler.ExponentialLR(by, 0.5)], [2]
    ),
    "of_an_average": lambda by: optim.swa_utils.SWALR(by, 0.01, 3, "linear"),
}


@clause("models.optimizers", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule_within_what_is_compiled(check: Check, name: str) -> None:
    """A function that makes a step and then one of its schedule goes by a rate that the schedule writes to."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        given = nn.Parameter(weights.clone())
        optimizer = optim.SGD([given], lr=weights.new_tensor(0.1))
        schedule = SCHEDULES[name](optimizer)

        def step() -> None:
            optimizer.step()
            schedule.step()

        compiled, found = compile_part(step), []
        for gradient in gradients:
            given.grad = gradient.clone()
            compiled()
            rate = optimizer.param_groups[0]["lr"]
            found.append([given.detach().clone(), torch.as_tensor(rate).clone(), schedule.last_epoch])
        return found

    check(program, calls=[(tensor(2, 33), tensor(4, 2, 33))], in_parts=True, backward=False, exact=False).computed()


@clause("models.optimizers", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("norm", [1.0, 0.5, 3.0, float("inf")])
def test_gradients_that_are_clipped_where_they_are_made(check: Check, norm: float, together: bool) -> None:
    """A compiled function takes gradients, clips them to a norm and by value, and tells the norm before and after."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_layers, batches)

        def step(batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            network(batch).square().mean().backward()
            before = nn.utils.clip_grad_norm_(network.parameters(), 0.1, norm_type=norm, foreach=together)
            gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
            after = nn.utils.get_total_norm(gradients, norm_type=norm, foreach=together)
            nn.utils.clip_grad_value_(network.parameters(), 0.02, foreach=together)
            return before, after

        compiled = compile_part(step)
        found = [compiled(batch) for batch in batches]
        return [found, left_behind(network, [])]

    check(program, calls=[(tensor(2, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


@clause("models.pieces", "T1.2", modes="train")
def test_step_within_the_loss(check: Check) -> None:
    """A loss behind one step on another batch trains the weights that the step begins from, by second derivatives."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_layers, batches)

        def lost(weights: dict[str, torch.Tensor], batch: torch.Tensor) -> torch.Tensor:
            return (functional_call(network, weights, (batch,)) - batch.roll(1, -1)).square().mean()

        def behind(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
            weights: dict[str, torch.Tensor] = dict(network.named_parameters())
            gradients = grad(lost)(weights, first)
            return lost({name: weight - 0.5 * gradients[name] for name, weight in weights.items()}, second)

        return train(network, compile_part(behind), zip(batches, batches.flip(0), strict=True))

    check(program, calls=[(tensor(2, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).computed()


@clause("models.pieces", modes="train")
@pytest.mark.parametrize("randomness", ["same", "different"])
def test_members_of_an_ensemble_that_drop(check: Check, randomness: str) -> None:
    """Members that are called at once drop the same numbers or each its own, and keep statistics of their own."""

    def member() -> nn.Module:
        return nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Dropout(0.5), nn.Linear(5, 2))

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        members = begin(lambda: nn.ModuleList(member() for _ in range(3)), batches)
        parameters, buffers = torch.func.stack_module_state(list(members))
        base = member().to(batches)

        def one(parameters: dict[str, Any], buffers: dict[str, Any], batch: torch.Tensor) -> torch.Tensor:
            return functional_call(base, (parameters, buffers), (batch,))

        every = compile_part(torch.func.vmap(one, in_dims=(0, 0, None), randomness=randomness))
        found = [every(parameters, buffers, batch) for batch in batches]
        (found[0] * found[1]).sum().backward()
        return [found, [parameter.grad for parameter in parameters.values()], buffers]

    check(program, calls=[(tensor(2, 6, 4, grad=False),)], in_parts=True, backward=False, exact=False).drew_random()
