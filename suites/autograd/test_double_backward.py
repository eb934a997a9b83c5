"""Derivatives of derivatives, backward a second time, and `torch.autograd.grad` inside of the program."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from suites.harness import AOT_FUNCTION, Check, built, clause, leaf, tensor


class SavedIsChanged(torch.autograd.Function):
    """The sine; backward raises its saved input by one, after use."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """Save the input itself."""
        ctx.save_for_backward(a)
        return a.sin()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """The gradient at the old value, and a new value for what was saved."""
        (a,) = ctx.saved_tensors
        gradient = cotangent * a.cos()
        a.add_(1)
        return gradient


def outcome(check: Check, program: Callable[..., Any], use: Callable[..., Any], *, donated: bool, says: str) -> str:
    """What ``use`` of the compiled program comes to: ``as eager``, ``refused`` with a text that ``says``, or else."""
    with check.compiled(program, config={"functorch.donated_buffer": donated}) as compiled:
        try:
            seen = use(compiled)
        except RuntimeError as error:
            compiled.needs_aot_autograd()
            return "refused" if says in str(error) else f"raised {error}"
        compiled.needs_aot_autograd()
    expected = use(program)
    return "as eager" if torch.allclose(seen, expected) else f"{seen.tolist()} for {expected.tolist()}"


def _second_order(run: Callable[..., Any]) -> torch.Tensor:
    a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(run(a).sum(), a, create_graph=True)
    (result,) = torch.autograd.grad((gradient * a).sum(), a)
    return result


def _retained(run: Callable[..., Any]) -> torch.Tensor:
    a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
    output = run(a).sum()
    output.backward(retain_graph=True)
    output.backward()
    assert a.grad is not None, "backward ran twice"
    return a.grad


def _cubic(a: torch.Tensor) -> torch.Tensor:
    return (a * a).sin() * a


@clause("D13", modes="train")
def test_double_backward_is_right_or_refused(check: Check) -> None:
    """A derivative of a compiled program's derivative is eager's, or a refusal that speaks of double backward."""
    seen = outcome(check, _cubic, _second_order, donated=False, says="double backward")
    check.demand("autograd", "double backward is as eager's or refused", True, seen in ("as eager", "refused") or seen)


def _perceptron(a: torch.Tensor) -> torch.Tensor:
    weight = torch.arange(9.0).reshape(3, 3) / 9
    return (a @ weight).tanh() @ weight


#: Programs that save for backward what they have computed, and none of their arguments.
OF_RESULTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exponential": lambda a: a.exp() * 2,
    "perceptron": _perceptron,
}


@pytest.mark.parametrize("of", OF_RESULTS)
@clause("D13", modes="train")
def test_double_backward_of_what_saves_its_results_is_right_or_refused(check: Check, of: str) -> None:
    """Where backward needs no argument, only what was computed, a derivative of it is eager's, or refused as well."""
    seen = outcome(check, OF_RESULTS[of], _second_order, donated=False, says="double backward")
    check.demand("autograd", "double backward is as eager's or refused", True, seen in ("as eager", "refused") or seen)


@clause("D13", modes="train")
def test_double_backward_by_a_view_of_a_leaf_is_right_or_refused(check: Check) -> None:
    """A derivative by a view of a leaf, of the derivative of a compiled program by it, is eager's, or refused."""

    def use(run: Callable[..., Any]) -> torch.Tensor:
        a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
        view = a.view_as(a)
        (gradient,) = torch.autograd.grad(run(view).sum(), view, create_graph=True)
        (result,) = torch.autograd.grad((gradient * a).sum(), a)
        return result

    seen = outcome(check, _cubic, use, donated=False, says="double backward")
    check.demand("autograd", "double backward is as eager's or refused", True, seen in ("as eager", "refused") or seen)


@clause("D13", modes="train")
def test_hessian_is_right_or_refused(check: Check) -> None:
    """The Hessian that `torch.autograd.functional` takes of a compiled function is eager's, or refused."""

    def use(run: Callable[..., Any]) -> torch.Tensor:
        found: torch.Tensor = torch.autograd.functional.hessian(run, torch.tensor([0.5, -1.0, 2.0]))
        return found

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a.sin() * a).sum()

    seen = outcome(check, program, use, donated=False, says="double backward")
    check.demand("autograd", "double backward is as eager's or refused", True, seen in ("as eager", "refused") or seen)


def _recorded_jacobian(run: Callable[..., Any], at: torch.Tensor) -> torch.Tensor:
    a = at.clone().requires_grad_()
    rows: torch.Tensor = torch.autograd.functional.jacobian(run, a, create_graph=True)
    return torch.autograd.grad(rows.square().sum(), a)[0]


#: What `torch.autograd.functional` takes of a function at a point; the second factor is a direction.
FUNCTIONAL: dict[str, Callable[[Callable[..., Any], torch.Tensor, torch.Tensor], Any]] = {
    "hvp": lambda run, at, along: torch.autograd.functional.hvp(lambda a: run(a).sum(), at, along)[1],
    "vhp": lambda run, at, along: torch.autograd.functional.vhp(lambda a: run(a).sum(), at, along)[1],
    "jvp": lambda run, at, along: torch.autograd.functional.jvp(run, at, along)[1],
    "vjp": lambda run, at, along: torch.autograd.functional.vjp(run, at, along)[1],
    "jacobian": lambda run, at, along: torch.autograd.functional.jacobian(run, at),
    "jacobian by vmap": lambda run, at, along: torch.autograd.functional.jacobian(run, at, vectorize=True),
    "recorded jacobian": lambda run, at, along: _recorded_jacobian(run, at),
}


@pytest.mark.parametrize("of", FUNCTIONAL)
@clause("D13", modes="train")
def test_functional_derivative_is_right_or_refused(check: Check, of: str) -> None:
    """What `torch.autograd.functional` takes of a compiled function is eager's, or refused where it is the second."""

    def use(run: Callable[..., Any]) -> torch.Tensor:
        found: torch.Tensor = FUNCTIONAL[of](run, torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 2.0, -1.0]))
        return found

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * a

    seen = outcome(check, program, use, donated=False, says="double backward")
    expected = ("as eager",) if of in ("vjp", "jacobian", "jacobian by vmap") else ("as eager", "refused")
    check.demand("autograd", "a functional derivative is as eager's or refused", True, seen in expected or seen)


@clause("D13", modes="train")
def test_retained_graph_is_right_or_refused_where_buffers_are_donated(check: Check) -> None:
    """With donated buffers a backward that keeps its graph is eager's, or a refusal that speaks of these buffers."""
    seen = outcome(check, _cubic, _retained, donated=True, says="donated buffer")
    check.demand("autograd", "a retained graph is as eager's or refused", True, seen in ("as eager", "refused") or seen)


@clause("D13", modes="train")
def test_retained_graph_without_donated_buffers(check: Check) -> None:
    """Without donated buffers backward runs twice through one graph, and the gradient is there twice."""
    seen = outcome(check, _cubic, _retained, donated=False, says="")
    check.demand("autograd", "a retained graph without donated buffers", "as eager", seen)


@clause("T9.3", modes="train")
def test_backward_mutation_of_a_differentiable_input_with_create_graph_is_refused(check: Check) -> None:
    """A backward that writes to an input that requires grad cannot be recorded: with create_graph it is refused."""

    def twice_the_sine(a: torch.Tensor) -> torch.Tensor:
        return SavedIsChanged.apply(a) * 2

    seen = outcome(check, twice_the_sine, _second_order, donated=False, says="create_graph=True")
    check.demand("error", "a recorded backward that mutates", "refused", seen)


@clause("A3", modes="train")
def test_gradient_taken_inside_of_the_program(check: Check) -> None:
    """`torch.autograd.grad` of a part of the program is traced with it: its gradient is an output like any other."""

    def program(a: torch.Tensor) -> torch.Tensor:
        (gradient,) = torch.autograd.grad((a.sin() * a).sum(), a)
        return gradient * a

    result = check(program, leaf(3), config={"dynamo.trace_autograd_ops": True})
    result.gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(sin, primals_1)
    sum_1 = torch.ops.aten.sum.default(mul)
    ones_like = torch.ops.aten.ones_like.default(sum_1, memory_format=torch.preserve_format)
    expand = torch.ops.aten.expand.default(ones_like, [3])
    mul_1 = torch.ops.aten.mul.Tensor(expand, sin)
    mul_2 = torch.ops.aten.mul.Tensor(expand, primals_1)
    cos = torch.ops.aten.cos.default(primals_1)
    mul_3 = torch.ops.aten.mul.Tensor(mul_2, cos)
    add = torch.ops.aten.add.Tensor(mul_1, mul_3)
    mul_4 = torch.ops.aten.mul.Tensor(add, primals_1)
    return (mul_4, add)
""")


@clause("A3", modes="train")
def test_recorded_gradient_inside_of_the_program_is_differentiated_again(check: Check) -> None:
    """A gradient that is recorded inside of the program is part of its graph, and backward goes through it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        (gradient,) = torch.autograd.grad((a.sin() * a).sum(), a, create_graph=True)
        return gradient * 2

    check(program, tensor(3), config={"dynamo.trace_autograd_ops": True}).gradient(0)


@clause("A3", modes="train", fullgraph=False)
def test_gradient_taken_between_two_graphs(check: Check) -> None:
    """`torch.autograd.grad` at a graph break runs the first graph's backward; the second graph uses what it gave."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        value = (a.sin() * b).sum()
        (gradient,) = torch.autograd.grad(value, a)
        return gradient * b.cos()

    check(program, tensor(3), tensor(3)).gradient(1)


@clause("A3", modes="train", fullgraph=False, torch="<2.15")
def test_gradient_by_an_intermediate_between_two_graphs(check: Check) -> None:
    """`torch.autograd.grad` at a graph break takes the derivative by an intermediate; 2.15 compiles nothing of it."""

    def program(a: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        b = a * 2
        value = (b * b * b).sum()
        (gradient,) = torch.autograd.grad(value, b)
        return gradient * c.cos()

    check(program, tensor(3), tensor(3)).gradient(1).computed()


@clause("A3", modes="train")
def test_gradient_by_an_intermediate_inside_of_the_program(check: Check) -> None:
    """`torch.autograd.grad` by an intermediate is traced with the program."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a * 2
        (gradient,) = torch.autograd.grad((b * b * b).sum(), b)
        return gradient * a

    result = check(program, tensor(3), config={"dynamo.trace_autograd_ops": True})
    result.gradient(0).computed()


@clause("A3", modes="train", entry=AOT_FUNCTION)
def test_gradient_taken_inside_of_a_function_that_aot_traces(check: Check) -> None:
    """Without Dynamo a recorded inner gradient is traced into the forward graph and differentiated by the backward."""

    def program(a: torch.Tensor) -> torch.Tensor:
        (gradient,) = torch.autograd.grad((a * a * a).sum(), a, create_graph=True)
        return gradient.sin()

    result = check(program, tensor(3))
    result.gradient(0)
    result.backward.expect("""\
def forward(self, primals_1, expand, mul_3, add_1, tangents_1):
    cos = torch.ops.aten.cos.default(add_1)
    mul = torch.ops.aten.mul.Tensor(tangents_1, cos)
    mul_1 = torch.ops.aten.mul.Tensor(mul, mul_3)
    mul_2 = torch.ops.aten.mul.Tensor(mul, primals_1)
    mul_4 = torch.ops.aten.mul.Tensor(mul, mul_3)
    mul_5 = torch.ops.aten.mul.Tensor(mul, primals_1)
    add = torch.ops.aten.add.Tensor(mul_2, mul_5)
    add_2 = torch.ops.aten.add.Tensor(mul_1, mul_4)
    mul_6 = torch.ops.aten.mul.Tensor(add, expand)
    add_3 = torch.ops.aten.add.Tensor(add_2, mul_6)
    mul_7 = torch.ops.aten.mul.Tensor(mul, expand)
    mul_8 = torch.ops.aten.mul.Tensor(mul_7, primals_1)
    mul_9 = torch.ops.aten.mul.Tensor(mul_7, primals_1)
    add_4 = torch.ops.aten.add.Tensor(add_3, mul_9)
    add_5 = torch.ops.aten.add.Tensor(add_4, mul_8)
    return (add_5,)
""")


@clause("D13", modes=("train", "no_grad"))
def test_second_derivative_by_function_transforms(check: Check) -> None:
    """A second derivative taken by nested `torch.func.grad` is traced, and in training differentiated once more."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.func.vmap(torch.func.grad(torch.func.grad(lambda x: x.sin() * x * x)))(a)

    check(program, tensor(3)).gradient(0)


@clause("D13", modes="train")
def test_vector_jacobian_product_by_function_transforms(check: Check) -> None:
    """`torch.func.vjp` gives the value and a pullback, and both are differentiable."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        value, pullback = torch.func.vjp(lambda x: x.sin() * x, a)  # type: ignore[misc]
        return value, pullback(b)[0]

    check(program, tensor(3), tensor(3)).gradient(0, 1)


@clause("D13", modes="train")
def test_jacobian_of_a_hidden_layer(check: Check) -> None:
    """A Jacobian by reverse mode inside of the program has the right rows, and gradients flow through it."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.func.jacrev(lambda x: (weight @ x).tanh())(a)

    result = check(program, tensor(3), tensor(2, 3))
    result.shape("out", 2, 3).gradient(0, 1)


class _Normalized(torch.nn.Module):
    """Batch normalization and a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.norm(a).sin() * self.norm.weight


@clause("T13", "D9", modes="train")
def test_backward_twice_through_batch_normalization(check: Check) -> None:
    """A retained graph of a module that updates its statistics goes back twice, and updates them once."""
    result = check(built(_Normalized), tensor(5, 3), backward_twice=True)
    result.mutated("module.norm.running_mean").gradient(0, 1)
    result.happened(not result.call.after_backward, "statistics that backward leaves alone")


class _Weighted(torch.nn.Module):
    """One weight, used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return (a * self.weight).sin() * self.weight


@clause("D9", modes="train")
def test_gradients_of_two_calls_accumulate(check: Check) -> None:
    """The second call's gradient is added to what the first one left in the parameter's grad."""
    result = check(built(_Weighted), tensor(3))
    name = "module.weight"
    first, second = (call.gradients[name] for call in result.expected.calls)
    apart = first is not None and second is not None and not torch.equal(first.value, second.value)  # type: ignore[arg-type]
    result.happened(apart and "module.weight.grad" in result.in_call(1).call.tensors, "a gradient that was there")


@clause("A3", modes="train")
def test_leaf_that_has_a_gradient_already(check: Check) -> None:
    """A leaf that comes with a gradient has the sum of both afterwards."""

    def with_gradient(a: torch.Tensor) -> torch.Tensor:
        a.grad = torch.tensor([10.0, 20.0, 30.0], device=a.device)
        return a

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    result = check(program, built(with_gradient, leaf(3)))
    gradient = result.call.gradients["leaf[0]"]
    result.happened(gradient is not None and bool(gradient.value.abs().max() > 15), "a gradient on top of another")  # type: ignore[union-attr]
    result.values().expect("""\
out = float32[3] [1.268, -0.979, -0.4735]
""")
