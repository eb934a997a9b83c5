"""Optimizers: steps that are compiled, alone or with forward and backward, and steps beside a compiled network.

Dynamo traces an adaptive optimizer with its count of steps as a tensor, and writes ``addcdiv`` with a factor as three
operators: steps are rounded elsewhere than in eager, below every backend, and need not be eager's to the last bit.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn, optim

from suites.harness import Check, clause, leaf, tensor
from suites.models.training import QUICK, Compile, begin, compiled_at_most, train

#: Those of `OPTIMIZERS` that Dynamo traces as they are written.
AS_WRITTEN = ("sgd", "sgd_dampened", "sgd_fused")
#: Each with options that are not its defaults. A large `eps` keeps steps of adaptive ones from following roundings.
OPTIMIZERS: dict[str, Callable[[list[nn.Parameter]], optim.Optimizer]] = {
    "sgd": lambda given: optim.SGD(given, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "sgd_dampened": lambda given: optim.SGD(given, lr=0.1, momentum=0.8, dampening=0.5, maximize=True, foreach=True),
    "sgd_fused": lambda given: optim.SGD(given, lr=0.1, momentum=0.9, weight_decay=0.1, maximize=True, fused=True),
    "sgd_of_a_tensor": lambda given: optim.SGD(given, lr=torch.tensor(0.1), momentum=0.5, nesterov=True, foreach=False),
    "adam": lambda given: optim.Adam(given, lr=0.1, eps=1e-2, amsgrad=True, weight_decay=0.1, foreach=False),
    "adam_fused": lambda given: optim.Adam(given, lr=0.1, eps=1e-2, amsgrad=True, weight_decay=0.1, fused=True),
    "adam_of_a_tensor": lambda given: optim.Adam(given, lr=torch.tensor(0.1), eps=1e-2, maximize=True, foreach=False),
    "adam_decoupled": lambda given: optim.Adam(given, lr=0.1, eps=1e-2, weight_decay=0.3, decoupled_weight_decay=True),
    "adamw": lambda given: optim.AdamW(given, lr=0.1, betas=(0.8, 0.95), eps=1e-2, foreach=True),
    "adamw_fused": lambda given: optim.AdamW(given, lr=torch.tensor(0.1), eps=1e-2, maximize=True, fused=True),
    "adamax": lambda given: optim.Adamax(given, lr=0.1, betas=(0.8, 0.9), eps=1e-2, weight_decay=0.1, foreach=True),
    "adamax_one_by_one": lambda given: optim.Adamax(given, lr=0.1, eps=1e-2, maximize=True, foreach=False),
    "nadam": lambda given: optim.NAdam(given, lr=0.1, eps=1e-2, weight_decay=0.1, momentum_decay=0.1, foreach=True),
    "nadam_decoupled": lambda given: optim.NAdam(
        given, lr=0.1, eps=1e-2, weight_decay=0.1, decoupled_weight_decay=True, maximize=True, foreach=False
    ),
    "radam": lambda given: optim.RAdam(given, lr=0.1, betas=(0.5, 0.6), eps=1e-2, weight_decay=0.1, foreach=True),
    "radam_decoupled": lambda given: optim.RAdam(
        given, lr=0.1, eps=1e-2, weight_decay=0.1, decoupled_weight_decay=True, maximize=True, foreach=False
    ),
    "adadelta": lambda given: optim.Adadelta(given, lr=0.5, rho=0.7, eps=0.1, weight_decay=0.1, foreach=True),
    "adadelta_one_by_one": lambda given: optim.Adadelta(given, lr=0.5, eps=0.1, maximize=True, foreach=False),
    "adagrad": lambda given: optim.Adagrad(given, lr=0.1, lr_decay=0.5, initial_accumulator_value=0.1),
    "adagrad_together": lambda given: optim.Adagrad(given, lr=0.1, weight_decay=0.1, eps=0.1, foreach=True),
    "adagrad_fused": lambda given: optim.Adagrad(given, lr=0.1, lr_decay=0.5, eps=0.1, maximize=True, fused=True),
    "rmsprop": lambda given: optim.RMSprop(given, lr=0.1, momentum=0.5, centered=True, eps=0.1),
    "rmsprop_one_by_one": lambda given: optim.RMSprop(
        given, lr=0.1, alpha=0.8, eps=0.1, weight_decay=0.1, maximize=True, foreach=False
    ),
    "rprop": lambda given: optim.Rprop(given, lr=0.1, etas=(0.4, 1.5), step_sizes=(0.05, 0.12), foreach=True),
    "rprop_one_by_one": lambda given: optim.Rprop(given, lr=0.1, etas=(0.4, 1.5), maximize=True, foreach=False),
    "asgd": lambda given: optim.ASGD(given, lr=0.1, lambd=0.1, alpha=0.5, t0=1, weight_decay=0.1, foreach=True),
    "asgd_one_by_one": lambda given: optim.ASGD(given, lr=0.1, lambd=0.1, t0=1, maximize=True, foreach=False),
    "adafactor": lambda given: optim.Adafactor(given, lr=0.1, beta2_decay=-0.5, eps=(0.1, 0.1), weight_decay=0.1),
    "adafactor_one_by_one": lambda given: optim.Adafactor(given, lr=0.1, d=2.0, maximize=True, foreach=False),
    "muon": lambda given: optim.Muon(given[:1], lr=0.1, momentum=0.9, ns_steps=2, weight_decay=0.1),
    "muon_plain": lambda given: optim.Muon(
        given[:1], lr=0.1, nesterov=False, ns_steps=3, adjust_lr_fn="match_rms_adamw"
    ),
}
#: Dynamo compiles at most three steps of each, the first of which makes the state; see `_state` for what it keeps.
STEPS = 4


def _state(optimizer: optim.Optimizer) -> dict[str, Any]:
    """What the optimizer keeps for each parameter, by their numbers."""
    found: dict[str, Any] = optimizer.state_dict()["state"]
    return found


@pytest.mark.parametrize("name", OPTIMIZERS)
@clause("models.optimizers", fullgraph=False)
def test_compiled_step(check: Check, name: str) -> None:
    """Compiled steps on given gradients leave parameters, state and results as eager's do, and are compiled thrice."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        parameters = [nn.Parameter(part.clone()) for part in (weights, weights[0] * 2)]
        optimizer = OPTIMIZERS[name](parameters)

        def step() -> list[torch.Tensor]:
            optimizer.step()
            return [parameter.detach() * 2 for parameter in parameters]

        compiled, doubled = compile_part(step), list[Any]()
        for gradient in gradients:
            parameters[0].grad, parameters[1].grad = gradient.clone(), gradient[1] - 1
            doubled.append(compiled())
        return [[parameter.detach() for parameter in parameters], _state(optimizer), doubled]

    given, exact = (tensor(2, 33), tensor(STEPS, 2, 33)), name in AS_WRITTEN
    result = check(program, calls=[given], in_parts=True, backward=False, exact=exact)
    if name == "adagrad_fused" and check.device != "cpu":
        # Eager has no such step there.
        result.raised()
        return
    result.computed()
    steps = result.value("out[0][0]") - result.value("arg[1]")
    result.happened(bool(steps.abs().min() > 0), "a step of each parameter")
    compiled_at_most(result, 3)


class _Perceptron(nn.Module):
    """Two layers and a squared error."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 4), nn.SiLU(), nn.Linear(4, 3))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return (self.layers(a) - a.roll(1, -1)).square().mean()


@clause("models.optimizers", modes="train", fullgraph=False)
def test_whole_step_is_compiled(check: Check) -> None:
    """Forward, backward, clipping and the step of an optimizer in one compiled function train as in eager."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Perceptron, batches)
        optimizer = optim.AdamW(network.parameters(), lr=0.05, eps=1e-2)

        def step(batch: torch.Tensor) -> torch.Tensor:
            optimizer.zero_grad()
            loss = network(batch)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            return loss.detach()

        compiled = compile_part(step)
        losses = [compiled(batch) for batch in batches]
        return [losses, [parameter.detach() for parameter in network.parameters()], _state(optimizer)]

    result = check(program, calls=[(tensor(3, 4, 3, grad=False),)], in_parts=True, backward=False, exact=False)
    result.values("out[0]", "out[1]").expect("""\
out[0][0] = float32[] 0.9919
out[0][1] = float32[] 0.6738
out[0][2] = float32[] 0.4097
out[1][0] = float32[4, 3] [[0.06716, 0.239, -0.4395], [-0.3916, -0.332, 0.2781], [-0.1142, 0.5938, -0.1665],
    [0.2704, -0.2967, -0.1141]]
out[1][1] = float32[4] [-0.626, -0.3019, -0.1321, -0.09307]
out[1][2] = float32[3, 4] [[0.0622, 0.3401, -0.4675, -0.2322], [0.2047, 0.3491, -0.149, 0.4651], [0.0275, -0.037,
    0.5815, -0.5733]]
out[1][3] = float32[3] [-0.1852, -0.2512, -0.07302]
""")


@clause("models.optimizers", fullgraph=False)
def test_gradients_that_are_clipped(check: Check) -> None:
    """Gradients are clipped by value and by each norm, one by one or in lists, and the norm is that of before."""

    def program(weights: torch.Tensor, gradients: torch.Tensor) -> list[object]:
        found: list[object] = []
        for clip in (
            lambda given: nn.utils.clip_grad_value_(given, 0.5),
            lambda given: nn.utils.clip_grad_value_(given, 0.25, foreach=True),
            lambda given: nn.utils.clip_grad_norm_(given, 0.75),
            lambda given: nn.utils.clip_grad_norm_(given, 2.0, norm_type=1.0, foreach=True),
            lambda given: nn.utils.clip_grad_norm_(given, 0.5, norm_type=float("inf"), foreach=False),
            lambda given: nn.utils.clip_grad_norm_(given, 900.0, norm_type=3.0),
        ):
            parameters = [weights[0].clone(), weights[1].clone(), weights[0, :1].clone()]
            for number, parameter in enumerate(parameters[:2]):
                parameter.grad = gradients[number].clone()
            found += [clip(parameters), *[parameter.grad for parameter in parameters]]
        norm = nn.utils.get_total_norm(list(gradients), 1.0)
        parts = [weights[0].clone(), weights[1].clone()]
        for number, part in enumerate(parts):
            part.grad = gradients[number] * 2
        nn.utils.clip_grads_with_norm_(parts, 1.5, norm)
        return [*found, norm, parts[0].grad, parts[1].grad]

    check(program, tensor(2, 3, grad=False), tensor(2, 3, grad=False), exact=False).values().expect("""\
out[0] = NoneType
out[1] = float32[3] [-0.5, 0.5, -0.5]
out[2] = float32[3] [-0.5, 0.1669, -0.1415]
out[3] = NoneType
out[4] = NoneType
out[5] = float32[3] [-0.25, 0.25, -0.25]
out[6] = float32[3] [-0.25, 0.1669, -0.1415]
out[7] = NoneType
out[8] = float32[] 3.098
out[9] = float32[3] [-0.3841, 0.2181, -0.2741]
out[10] = float32[3] [-0.538, 0.04041, -0.03427]
out[11] = NoneType
out[12] = float32[] 6.15
out[13] = float32[3] [-0.5159, 0.2929, -0.3681]
out[14] = float32[3] [-0.7227, 0.05428, -0.04603]
out[15] = NoneType
out[16] = float32[] 2.222
out[17] = float32[3] [-0.357, 0.2027, -0.2547]
out[18] = float32[3] [-0.5, 0.03756, -0.03185]
out[19] = NoneType
out[20] = float32[] 2.579
out[21] = float32[3] [-1.587, 0.9008, -1.132]
out[22] = float32[3] [-2.222, 0.1669, -0.1415]
out[23] = NoneType
out[24] = float32[] 6.15
out[25] = float32[3] [-0.7739, 0.4394, -0.5522]
out[26] = float32[3] [-1.084, 0.08142, -0.06905]
""")


@clause("models.optimizers", modes="train")
def test_groups_of_parameters_beside_a_compiled_network(check: Check) -> None:
    """Groups with rates and decays of their own, one of them frozen, and a schedule: the network is compiled alone."""

    def program(compile_part: Compile, batches: torch.Tensor) -> dict[str, Any]:
        network = begin(_Perceptron, batches)
        first, _, second = network.layers
        second.weight.requires_grad_(False)
        groups = [{"params": first.parameters(), "lr": 0.3}, {"params": [second.bias], "weight_decay": 0.5}]
        optimizer = optim.SGD(groups, lr=0.1, momentum=0.9)
        schedule = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        compiled = compile_part(network)
        found: dict[str, Any] = {}
        for number, batch in enumerate(batches):
            found[f"step {number}"] = train(network, compiled, [(batch,)], optimizer)
            schedule.step()
        return found

    result = check(program, calls=[(tensor(2, 4, 3, grad=False),)], in_parts=True, backward=False)
    result.values("out['step 1']['parameters']").expect("""\
out['step 1']['parameters']['layers.0.weight'] = float32[4, 3] [[0.01209, 0.3011, -0.4701], [-0.4159, -0.2543,
    0.2142], [-0.04891, 0.5794, -0.09407], [0.2043, -0.2214, -0.1355]]
out['step 1']['parameters']['layers.0.bias'] = float32[4] [-0.5691, -0.3706, -0.2029, -0.03517]
out['step 1']['parameters']['layers.2.weight'] = float32[3, 4] [[0.1977, 0.3, -0.339, -0.2177], [0.1816, 0.4152,
    -0.1029, 0.3742], [-0.08059, 0.05291, 0.4527, -0.4638]]
out['step 1']['parameters']['layers.2.bias'] = float32[3] [-0.161, -0.1944, -0.1759]
""")


@clause("models.optimizers", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_step_that_is_differentiated(check: Check, name: str) -> None:
    """The gradient of what a compiled step leads to goes back through the step, to weights and gradients before it."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        inner = weights.clone()
        options: dict[str, Any] = {"momentum": 0.5} if name == "sgd" else {"eps": 0.1, "maximize": True}
        optimizer = {"sgd": optim.SGD, "adam": optim.Adam}[name]([inner], lr=0.1, differentiable=True, **options)
        step = compile_part(optimizer.step)
        for gradient in gradients:
            inner.grad = gradient.sin()
            step()
        return [inner * 2, inner.square().sum()]

    result = check(program, calls=[(leaf(3, 5), leaf(2, 3, 5))], in_parts=True, exact=False)
    result.computed().gradient(0, 1)


class _Curve(nn.Module):
    """Squares that differ by dimension, from where one step does not arrive."""

    def __init__(self) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.tensor([1.5, -1.0, 2.0]))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return ((self.place - a).square() * torch.tensor([1.0, 4.0, 9.0], device=a.device)).sum().log1p()


@clause("models.optimizers", modes="train", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("search", ["strong_wolfe", None])
@pytest.mark.parametrize("whole", [False, True], ids=["network", "step"])
def test_optimizer_that_asks_for_losses(check: Check, search: str | None, whole: bool) -> None:
    """LBFGS calls a closure as often as it needs: of a compiled network, or from within a compiled function."""

    def program(compile_part: Compile, batches: torch.Tensor) -> list[Any]:
        network = begin(_Curve, batches)
        optimizer = optim.LBFGS(network.parameters(), lr=0.5, max_iter=3, history_size=2, line_search_fn=search)
        loss_of = network if whole else compile_part(network)
        losses: list[torch.Tensor] = []

        def lost(batch: torch.Tensor) -> torch.Tensor:
            optimizer.zero_grad()
            loss: torch.Tensor = loss_of(batch)
            loss.backward()
            losses.append(loss.detach())
            return loss.detach()

        def step(batch: torch.Tensor) -> torch.Tensor:
            return optimizer.step(lambda: lost(batch)) + network.place.detach()

        step, found = compile_part(step) if whole else step, []
        for batch in batches:
            found.append(step(batch))
        return [losses, found, _state(optimizer)]

    result = check(program, calls=[(tensor(2, 3, grad=False),)], in_parts=True, backward=False, exact=not whole)
    result.computed().happened("out[0][5]" in result.call.tensors, "six losses")


@clause("models.optimizers", modes="train", fullgraph=False, on=QUICK)
def test_sparse_gradients(check: Check) -> None:
    """A table whose gradient is sparse is trained by SparseAdam, of which only the rows move that were asked for."""

    def program(compile_part: Compile, words: torch.Tensor, beside: torch.Tensor) -> list[Any]:
        network = begin(lambda: nn.Embedding(5, 33, sparse=True), beside)
        before = network.weight.detach().clone()
        optimizer = optim.SparseAdam(network.parameters(), lr=0.1, eps=0.1)
        compiled, step = compile_part(lambda each: network(each).square().sum()), compile_part(optimizer.step)
        losses = []
        for each in words:
            optimizer.zero_grad()
            loss = compiled(each)
            loss.backward()
            step()
            losses.append(loss.detach())
        return [losses, network.weight.detach() - before, _state(optimizer)]

    words = tensor(2, 4, dtype=torch.int64, values=[[0, 2, 2, 3], [3, 0, 0, 2]])
    result = check(program, calls=[(words, tensor(1, grad=False))], in_parts=True, backward=False, exact=False)
    moved = result.computed().value("out[1]").abs().sum(1) > 0
    result.happened(moved.tolist() == [True, False, True, True, False], "a move of three rows")


SCHEDULES: dict[str, Callable[[optim.Optimizer], Any]] = {
    "step": lambda given: optim.lr_scheduler.StepLR(given, step_size=2, gamma=0.5),
    "cosine": lambda given: optim.lr_scheduler.CosineAnnealingLR(given, T_max=5, eta_min=0.01),
    "one_cycle": lambda given: optim.lr_scheduler.OneCycleLR(given, max_lr=0.4, total_steps=8),
    "function": lambda given: optim.lr_scheduler.LambdaLR(given, lambda epoch: 0.8**epoch),
    "plateau": lambda given: optim.lr_scheduler.ReduceLROnPlateau(given, factor=0.5, patience=0),
    "warm_up": lambda given: optim.lr_scheduler.SequentialLR(
        given,
        [optim.lr_scheduler.LinearLR(given, 0.2, total_iters=2), optim.lr_scheduler.ExponentialLR(given, 0.5)],
        milestones=[2],
    ),
    "polynomial": lambda given: optim.lr_scheduler.PolynomialLR(given, total_iters=4, power=2.0),
    "factors": lambda given: optim.lr_scheduler.MultiplicativeLR(given, lambda epoch: 1.0 - epoch / 10),
    "triangles": lambda given: optim.lr_scheduler.CyclicLR(given, 0.01, 0.1, 2, cycle_momentum=True),
    "restarts": lambda given: optim.lr_scheduler.CosineAnnealingWarmRestarts(given, T_0=2, T_mult=2),
    "chained": lambda given: optim.lr_scheduler.ChainedScheduler(
        [optim.lr_scheduler.ConstantLR(given, 0.5, 2), optim.lr_scheduler.ExponentialLR(given, 0.7)]
    ),
    "averaging": lambda given: optim.swa_utils.SWALR(given, swa_lr=0.3, anneal_epochs=4, anneal_strategy="linear"),
}


@clause("models.optimizers", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("of_tensor", [False, True], ids=["number", "tensor"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_rate_of_a_schedule(check: Check, name: str, of_tensor: bool) -> None:
    """Each compiled step uses the rate, and the momentum, that a schedule beside it has set."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        parameter = nn.Parameter(weights.clone())
        rate = torch.tensor(0.1, device=weights.device) if of_tensor else 0.1
        optimizer = optim.SGD([parameter], lr=rate, momentum=0.9, foreach=False)
        schedule = SCHEDULES[name](optimizer)
        step, found = compile_part(optimizer.step), []
        for number, gradient in enumerate(gradients):
            before, parameter.grad = parameter.detach().clone(), gradient.clone()
            step()
            group = optimizer.param_groups[0]
            found.append([parameter.detach() - before, float(group["lr"]), group["momentum"]])
            schedule.step(*([float(number)] if name == "plateau" else []))
        return [found, _state(optimizer), schedule.state_dict()["_last_lr"]]

    given = (tensor(2, 33), tensor(5, 2, 33))
    result = check(program, calls=[given], in_parts=True, backward=False, exact=False).computed()
    rates = [result.call.entries[f"out[0][{number}][1]"].detail for number in range(5)]
    result.happened(len(set(rates)) > 2, "steps of three rates")
    compiled_at_most(result, 2 if of_tensor else 6)


def _state_put_back(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
    if number == 0:
        kept.update(copy.deepcopy(optimizer.state_dict()))
    elif number == 2:
        optimizer.load_state_dict(kept)


def _group_added(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
    if number == 1:
        first = optimizer.param_groups[0]["params"][0]
        optimizer.add_param_group({"params": [nn.Parameter(first.detach() * 2)], "lr": first.new_tensor(0.5)})


def _parameter_replaced(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
    if number == 1:
        parameters = optimizer.param_groups[0]["params"]
        state = optimizer.state.pop(parameters[1])
        parameters[1] = nn.Parameter(parameters[1].detach() - 1)
        optimizer.state[parameters[1]] = state


def _hooks_put_on(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
    def before(optimizer: optim.Optimizer, args: Any, kwargs: Any) -> None:
        optimizer.param_groups[0]["params"][0].grad.mul_(3)

    def after(optimizer: optim.Optimizer, args: Any, kwargs: Any) -> None:
        optimizer.param_groups[0]["params"][1].detach().clamp_(-1, 1)

    if number == 0:
        kept["handles"] = [optimizer.register_step_pre_hook(before), optimizer.register_step_post_hook(after)]
    elif number == 2:
        for handle in kept["handles"]:
            handle.remove()


def _set(name: str, value: Any) -> Callable[[optim.Optimizer, int, dict[str, Any]], None]:
    def between(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
        if number == 1:
            optimizer.param_groups[0][name] = value

    return between


def _rate_written(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
    optimizer.param_groups[0]["lr"].mul_(0.5)


def _state_dropped(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
    if number == 1:
        optimizer.state.clear()


def _frozen(optimizer: optim.Optimizer, number: int, kept: dict[str, Any]) -> None:
    if number == 1:
        optimizer.param_groups[0]["params"][1].requires_grad_(False)


#: What happens to an optimizer behind each of its steps, by their number, and what is kept from one to the next.
BETWEEN_STEPS: dict[str, Callable[[optim.Optimizer, int, dict[str, Any]], None]] = {
    "state_put_back": _state_put_back,
    "state_dropped": _state_dropped,
    "group_added": _group_added,
    "parameter_replaced": _parameter_replaced,
    "hooks_put_on": _hooks_put_on,
    "rate_written": _rate_written,
    "decay_set": _set("weight_decay", 0.3),
    "maximized": _set("maximize", True),
    "frozen": _frozen,
}


@clause("models.optimizers", fullgraph=False, on=QUICK)
@pytest.mark.parametrize("between", BETWEEN_STEPS)
def test_optimizer_that_is_changed_between_its_steps(check: Check, between: str) -> None:
    """What happens to an optimizer between two compiled steps is seen in the next one, as in eager."""

    def program(compile_part: Compile, weights: torch.Tensor, gradients: torch.Tensor) -> list[Any]:
        parameters = [nn.Parameter(part.clone()) for part in (weights, weights * 2)]
        rate = weights.new_tensor(0.1)
        optimizer = optim.SGD(parameters, lr=rate, momentum=0.5, foreach=False)
        step, found, kept = compile_part(lambda: optimizer.step()), list[Any](), dict[str, Any]()
        for number, gradient in enumerate(gradients):
            every = [each for group in optimizer.param_groups for each in group["params"]]
            for place, each in enumerate(every):
                each.grad = gradient - place if each.requires_grad else None
            step()
            found.append([each.detach().clone() for each in every])
            BETWEEN_STEPS[between](optimizer, number, kept)
        return [found, _state(optimizer)]

    given = (tensor(2, 33), tensor(STEPS, 2, 33))
    result = check(program, calls=[given], in_parts=True, backward=False, exact=False).computed()
    compiled_at_most(result, 4)
