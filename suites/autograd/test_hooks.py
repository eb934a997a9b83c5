"""Hooks on tensors and modules: which gradients they see, what they change, and in which order they are called."""

from typing import Any

import torch

from suites.harness import Check, built, clause, leaf, tensor


@clause("A21", modes="train")
def test_hook_on_an_input_changes_its_gradient(check: Check) -> None:
    """A hook that the program puts on an input is applied to the whole gradient of that input, once."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.register_hook(lambda gradient: gradient * 3 + 1)
        return a.sin() + a * 2

    check(program, leaf(3)).gradient(0)


@clause("A21", modes="train", fullgraph=False)
def test_hook_on_an_intermediate_changes_its_gradient(check: Check) -> None:
    """A hook on an intermediate is applied to the sum of what its uses send back, and to nothing else."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        b.register_hook(lambda gradient: gradient * 3 + 1)
        return b * 2 + b.exp() + a

    check(program, tensor(3)).gradient(0)


@clause("A21", modes="train", fullgraph=False)
def test_hooks_of_one_tensor_are_applied_in_the_order_of_their_registration(check: Check) -> None:
    """Of two hooks that do not commute the first registered comes first, on an input and on an intermediate."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        for tensor_ in (a, b):
            tensor_.register_hook(lambda gradient: gradient * 2)
            tensor_.register_hook(lambda gradient: gradient + 1)
        return b * 5

    check(program, leaf(3)).gradient(0)


@clause("A21", modes="train", fullgraph=False)
def test_hook_that_is_removed_is_not_called(check: Check) -> None:
    """A hook that the program registers and removes again leaves the gradient alone; its neighbour stays."""

    def program(a: torch.Tensor) -> torch.Tensor:
        handle = a.register_hook(lambda gradient: gradient * 100)
        a.register_hook(lambda gradient: gradient * 3)
        handle.remove()
        return a.sin()

    check(program, leaf(3)).gradient(0)


@clause("A21", modes="train", fullgraph=False)
def test_hook_on_an_intermediate_that_is_removed(check: Check) -> None:
    """A hook that the program puts on an intermediate and removes again leaves the gradient alone."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a * 2
        handle = b.register_hook(lambda gradient: gradient * 100)
        c = b.sin()
        handle.remove()
        return c

    check(program, tensor(3)).gradient(0)


@clause("A21", modes="train", fullgraph=False)
def test_hook_that_is_put_on_again(check: Check) -> None:
    """Of hooks on an input the one that was removed is not called, nor does it disturb one on an intermediate."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first = a.register_hook(lambda gradient: gradient * 100)
        first.remove()
        a.register_hook(lambda gradient: gradient * 3)
        b = a * 2
        b.register_hook(lambda gradient: gradient + 1)
        return b.sin()

    check(program, leaf(3)).gradient(0)


def _watched(a: torch.Tensor, events: list[str]) -> torch.Tensor:
    """A leaf with hooks of the caller's, which say when they are called and what they see."""
    if a.requires_grad:
        a.register_hook(lambda gradient: events.append(f"first sees {gradient.shape[0]} elements"))
        a.register_post_accumulate_grad_hook(lambda leaf_: events.append(f"accumulated: {leaf_.grad is not None}"))
        a.register_hook(lambda gradient: events.append("second"))
    return a


@clause("A21", modes="train")
def test_hooks_of_the_caller_are_called_in_order(check: Check) -> None:
    """Hooks that a leaf comes with are called in backward, in order, and those after accumulation last."""
    events = built(list)

    def program(a: torch.Tensor, events: list[str]) -> torch.Tensor:
        return a.sin() * 2 + a

    result = check(program, built(_watched, leaf(3), events), events)
    result.mutated_in_backward(1).gradient(0)


def _stepped(a: torch.Tensor) -> torch.Tensor:
    """A leaf that takes a step of gradient descent as soon as its gradient is whole."""

    def step(parameter: torch.Tensor) -> None:
        with torch.no_grad():
            parameter.sub_(parameter.grad)  # type: ignore[arg-type]
        parameter.grad = None

    if a.requires_grad:
        a.register_post_accumulate_grad_hook(step)
    return a


@clause("A21", modes="train")
def test_optimizer_step_in_a_hook_after_accumulation(check: Check) -> None:
    """A leaf that its own hook updates after accumulation has its new value when backward is over, and no grad."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b).sin() * a

    result = check(program, built(_stepped, leaf(3)), tensor(3))
    result.mutated_in_backward(0).no_gradient(0).gradient(1)


class _Hooked(torch.nn.Module):
    """Two layers; hooks of the module say what they see and change what passes."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(3, 3, bias=False)
        self.second = torch.nn.Linear(3, 3, bias=False)
        self.events: list[str] = []
        for name, layer in (("first", self.first), ("second", self.second)):
            self._watch(name, layer)

    def _watch(self, name: str, layer: torch.nn.Module) -> None:
        def before(module: torch.nn.Module, of_output: Any) -> Any:
            self.events.append(f"before {name}")
            return (of_output[0] * 2,)

        def after(module: torch.nn.Module, of_input: Any, of_output: Any) -> Any:
            self.events.append(f"after {name}")
            return (of_input[0] + 1,)

        layer.register_full_backward_pre_hook(before)
        layer.register_full_backward_hook(after)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(a).tanh()) * 2


@clause("A21", modes="train", fullgraph=False)
def test_backward_hooks_of_modules(check: Check) -> None:
    """Backward hooks of two layers change what passes and are called from the last layer to the first."""
    result = check(built(_Hooked), tensor(2, 3))
    result.mutated_in_backward("module.events").gradient(0)


class _Forward(torch.nn.Module):
    """A layer whose forward hooks change what goes in and what comes out."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 2, bias=False)
        self.layer.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        self.layer.register_forward_hook(lambda module, args, output: output + args[0].sum())

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.layer(a).sin()


@clause("A21", modes=("train", "no_grad"))
def test_forward_hooks_of_modules(check: Check) -> None:
    """Hooks before and after a layer's forward change its input and its output, and are differentiated."""
    check(built(_Forward), tensor(2, 3)).gradient(0)


@clause("A21", modes="train")
def test_gradient_of_an_output_is_retained(check: Check) -> None:
    """An output of a compiled program that retains its gradient has it after backward through another output's path."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    def retained(run: Any) -> list[float]:
        a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
        b = run(a)
        b.retain_grad()
        (b * b).sum().backward()
        return [round(value, 4) for value in (*b.grad.tolist(), *a.grad.tolist())]  # type: ignore[union-attr]

    with check.compiled(program) as compiled:
        seen = retained(compiled)
    check.demand("autograd", "gradients of the output and of the leaf", retained(program), seen)


def _product_and_its_factor(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    b = a * 2
    return (b * b).sum(), b


def _numbers(*gradients: torch.Tensor | None) -> list[Any]:
    return [gradient if gradient is None else gradient.tolist() for gradient in gradients]


@clause("A21", modes="train")
def test_gradient_of_one_output_with_respect_to_another(check: Check) -> None:
    """The derivative of an output by another output that it was computed of is taken between the two."""

    def derivative(run: Any) -> list[Any]:
        loss, b = run(torch.tensor([0.5, -1.0, 2.0], requires_grad=True))
        return _numbers(*torch.autograd.grad(loss, b, allow_unused=True))

    with check.compiled(_product_and_its_factor) as compiled:
        seen = derivative(compiled)
    check.demand("autograd", "derivative by the other output", derivative(_product_and_its_factor), seen)


@clause("A21", modes="train")
def test_retained_gradient_of_an_output_of_which_another_is_computed(check: Check) -> None:
    """An output that another one was computed of retains the gradient that backward of the other sends through it."""

    def retained(run: Any) -> list[Any]:
        a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
        loss, b = run(a)
        b.retain_grad()
        loss.backward()
        return _numbers(b.grad, a.grad)

    with check.compiled(_product_and_its_factor) as compiled:
        seen = retained(compiled)
    check.demand("autograd", "gradients of the output and of the leaf", retained(_product_and_its_factor), seen)


def _hooked(run: Any, use: Any) -> list[Any]:
    """What a hook on the second output is handed, and the gradient of the leaf that goes through it."""
    handed: list[Any] = []

    def double(gradient: torch.Tensor | None) -> torch.Tensor | None:
        handed.extend(_numbers(gradient))
        return None if gradient is None else gradient * 2

    a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    loss, b = run(a)
    b.register_hook(double)
    use(loss, b).backward()
    return [*handed, *_numbers(a.grad)]


@clause("A21", modes="train")
def test_hook_on_an_output_of_which_another_is_computed(check: Check) -> None:
    """A hook on an output that another one was computed of is handed the gradient that the other sends through it."""

    def use(loss: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return loss

    with check.compiled(_product_and_its_factor) as compiled:
        seen = _hooked(compiled, use)
    check.demand("autograd", "what the hook is handed and makes", _hooked(_product_and_its_factor, use), seen)


@clause("A21", modes="train")
def test_hook_on_an_output_that_is_used_outside(check: Check) -> None:
    """A hook on an output is handed the gradient of what the caller computes of it, and changes it."""

    def use(loss: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (b * b).sum()

    with check.compiled(_product_and_its_factor) as compiled:
        seen = _hooked(compiled, use)
    check.demand("autograd", "what the hook is handed and makes", _hooked(_product_and_its_factor, use), seen)
