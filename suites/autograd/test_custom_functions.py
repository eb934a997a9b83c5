"""Custom autograd Functions: what they save, what they leave out, and which gradients they are handed."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor


class Weighted(torch.autograd.Function):
    """The product of three inputs; each gradient has a weight of its own, so that a swap of two shows."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        """Save all three, one of them twice, and the result."""
        result = a * b * c
        ctx.save_for_backward(a, b, a, c, result)
        return result

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Each place of what was saved is used."""
        a, b, again, c, result = ctx.saved_tensors
        return cotangent * b * c + result, cotangent * (a + again) * c, cotangent * a * b * 3


class Extremes(torch.autograd.Function):
    """The running maximum of the first dimension and where it is; the place is not differentiable."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """A differentiable and a non-differentiable output of floating point."""
        values, places = a.max(0)
        places = places.to(a.dtype)
        ctx.mark_non_differentiable(places)
        ctx.save_for_backward(places)
        ctx.rows = a.shape[0]
        return values, places

    @staticmethod
    def backward(ctx: Any, of_values: torch.Tensor, of_places: torch.Tensor) -> torch.Tensor:
        """Two at the place of the maximum, zero elsewhere."""
        (places,) = ctx.saved_tensors
        rows = torch.arange(ctx.rows, device=places.device).to(places.dtype)
        return (rows[:, None] == places[None]).to(of_values.dtype) * of_values * 2


class Materialized(torch.autograd.Function):
    """Two outputs; a gradient that nobody computed arrives as zeros."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Sine and cosine."""
        ctx.save_for_backward(a)
        return a.sin(), a.cos()

    @staticmethod
    def backward(ctx: Any, of_sine: torch.Tensor, of_cosine: torch.Tensor) -> torch.Tensor:
        """Five more than the gradient where a gradient is a tensor, whatever it holds."""
        (a,) = ctx.saved_tensors
        return of_sine * a.cos() - of_cosine * a.sin() + 5


class NotMaterialized(torch.autograd.Function):
    """Two outputs; a gradient that nobody computed arrives as None."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Ask for None instead of zeros."""
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a)
        return a.sin(), a.cos()

    @staticmethod
    def backward(ctx: Any, of_sine: torch.Tensor | None, of_cosine: torch.Tensor | None) -> torch.Tensor:
        """A hundred where there is no gradient of the cosine."""
        (a,) = ctx.saved_tensors
        gradient = torch.full_like(a, 100.0) if of_cosine is None else -of_cosine * a.sin()
        return gradient if of_sine is None else gradient + of_sine * a.cos()


class Selective(torch.autograd.Function):
    """A product that computes only the gradients that are asked for."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, scale: float) -> torch.Tensor:
        """A number among the inputs has no gradient."""
        ctx.save_for_backward(a, b)
        ctx.scale = scale
        return a * b * scale

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None, None]:
        """What is not needed is None; each gradient adds how many are needed."""
        a, b = ctx.saved_tensors
        needed = float(sum(ctx.needs_input_grad))
        of_a = cotangent * b * ctx.scale + needed if ctx.needs_input_grad[0] else None
        of_b = cotangent * a * ctx.scale + needed if ctx.needs_input_grad[1] else None
        return of_a, of_b, None


class Cubed(torch.autograd.Function):
    """A cube in the style that function transforms take: the context is filled apart. Its gradient is doubled."""

    @staticmethod
    def forward(a: torch.Tensor) -> torch.Tensor:
        """The value."""
        return a**3

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
        """Save the input."""
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """Twice the true gradient."""
        (a,) = ctx.saved_tensors
        return 6 * a**2 * cotangent


class DirtyAndClean(torch.autograd.Function):
    """Changes its first input in place and returns it with something new."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mark what was changed."""
        ctx.save_for_backward(b)
        a.mul_(b)
        ctx.mark_dirty(a)
        return a, b + 1

    @staticmethod
    def backward(ctx: Any, of_a: torch.Tensor, of_new: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The gradient of the second input is the second output's, sevenfold."""
        (b,) = ctx.saved_tensors
        return of_a * b, of_new * 7


class Outer(torch.autograd.Function):
    """Uses another Function in forward and in backward."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """What the inner Function would save is not recorded here."""
        ctx.save_for_backward(a)
        return Cubed.apply(a) + a

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """A call of the inner Function by its value."""
        (a,) = ctx.saved_tensors
        return Cubed.apply(a) * cotangent


@clause("T9.7", "autograd.functions", modes="train")
def test_function_that_saves_several_tensors_one_of_them_twice(check: Check) -> None:
    """What a Function saves comes back in the order in which it was saved, a duplicate and its own output included."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return Weighted.apply(a, b, c).sin()

    result = check(program, tensor(3), tensor(3), tensor(3))
    result.gradient(0, 1, 2)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    mul_1 = torch.ops.aten.mul.Tensor(mul, primals_3)
    sin = torch.ops.aten.sin.default(mul_1)
    return (sin, primals_1, primals_2, primals_3)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_2, primals_3, tangents_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    mul_1 = torch.ops.aten.mul.Tensor(mul, primals_3)
    cos = torch.ops.aten.cos.default(mul_1)
    mul_2 = torch.ops.aten.mul.Tensor(tangents_1, cos)
    mul_3 = torch.ops.aten.mul.Tensor(mul_2, primals_2)
    mul_4 = torch.ops.aten.mul.Tensor(mul_3, primals_3)
    add = torch.ops.aten.add.Tensor(mul_4, mul_1)
    add_1 = torch.ops.aten.add.Tensor(primals_1, primals_1)
    mul_5 = torch.ops.aten.mul.Tensor(mul_2, add_1)
    mul_6 = torch.ops.aten.mul.Tensor(mul_5, primals_3)
    mul_7 = torch.ops.aten.mul.Tensor(mul_2, primals_1)
    mul_8 = torch.ops.aten.mul.Tensor(mul_7, primals_2)
    mul_9 = torch.ops.aten.mul.Tensor(mul_8, 3)
    return (add, mul_6, mul_9)
""")


@clause("T9.7", modes="train", shapes=("static", "dynamic"))
def test_output_that_is_marked_non_differentiable(check: Check) -> None:
    """An output that is marked so requires no grad, and the gradient of the other one is the Function's own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = Extremes.apply(a)
        return values * 3, places

    check(program, tensor(4, 3)).requires_grad("out[0]").no_grad("out[1]").gradient(0)


@clause("T9.7", modes="train")
def test_gradient_of_an_unused_output_is_materialized(check: Check) -> None:
    """Backward is handed zeros for an output that nobody used."""

    def program(a: torch.Tensor) -> torch.Tensor:
        sine, _ = Materialized.apply(a)
        return sine * 2

    check(program, tensor(3)).gradient(0)


@clause("T9.7", modes="train")
def test_gradient_of_an_unused_output_is_none_on_request(check: Check) -> None:
    """Backward is handed None for an output that nobody used, where the Function asked not to materialize."""

    def program(a: torch.Tensor) -> torch.Tensor:
        sine, _ = NotMaterialized.apply(a)
        return sine * 2

    result = check(program, tensor(3))
    result.gradient(0)
    gradient = result.call.gradients["leaf[0]"]
    result.happened(gradient is not None and bool((gradient.value > 90).all()), "backward meeting None")  # type: ignore[operator, union-attr]


@clause("T9.7", modes="train")
def test_both_outputs_used_without_materialization(check: Check) -> None:
    """Backward is handed both gradients where both outputs are used, materialized or not."""

    def program(a: torch.Tensor) -> torch.Tensor:
        sine, cosine = NotMaterialized.apply(a)
        return sine * 2 + cosine * 3

    check(program, tensor(3)).gradient(0)


@clause("autograd.functions", modes="train")
def test_function_of_a_constant_and_a_variable(check: Check) -> None:
    """A Function is told which inputs need a gradient, and computes one for these alone."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return Selective.apply(a, b, 2.5)

    result = check(program, calls=[(tensor(3), tensor(3, grad=False)), (tensor(3, grad=False), tensor(3))])
    result.gradient(0).no_grad(1)


@clause("autograd.functions", modes="train")
def test_function_of_two_variables_and_a_number(check: Check) -> None:
    """A number among a Function's inputs reaches forward and backward, and has no gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return Selective.apply(a, b, 2.5) + Selective.apply(b, a, -0.5)

    check(program, tensor(3), tensor(3)).gradient(0, 1)


@clause("autograd.functions", modes="train")
def test_function_that_changes_one_input_and_returns_it_with_a_new_tensor(check: Check) -> None:
    """The input that is marked dirty is changed and returned; the gradients of both outputs are the Function's own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        c = a * 2
        changed, new = DirtyAndClean.apply(c, b)
        return changed + c, new

    check(program, tensor(3), tensor(3)).unchanged(0).gradient(0, 1)


@clause("autograd.functions", modes=("train", "no_grad"))
def test_function_under_func_grad(check: Check) -> None:
    """`torch.func.grad` inside of the program uses the Function's backward, not the derivative of its forward."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda x: Cubed.apply(x).sum())(a)

    result = check(program, tensor(3, values=[1.0, 2.0, -3.0]))
    result.happened(result.facts("out").value.tolist() == [6.0, 24.0, 54.0], "a doubled derivative")  # type: ignore[union-attr]


@clause("autograd.functions", modes="train")
def test_function_that_uses_another_function(check: Check) -> None:
    """The backward of the outer Function runs, once, and that of the inner one never does."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return Outer.apply(a)

    result = check(program, tensor(3))
    result.gradient(0)
    result.backward.expect("""\
def forward(self, primals_1, tangents_1):
    pow_1 = torch.ops.aten.pow.Tensor_Scalar(primals_1, 3)
    mul = torch.ops.aten.mul.Tensor(pow_1, tangents_1)
    return (mul,)
""")


@clause("autograd.functions", modes=("no_grad", "inference"))
def test_function_without_gradients(check: Check) -> None:
    """Without gradients a Function is its forward: nothing is saved, and the graph has one output."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return Weighted.apply(a, b, a)

    result = check(program, tensor(3), tensor(3))
    result.no_grad("out")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, arg1_1)
    mul_1 = torch.ops.aten.mul.Tensor(mul, arg0_1)
    return (mul_1,)
""")


class Still(torch.autograd.Function):
    """A sine that says it does not change: forward mode asks `jvp`, and not the derivative of the sine."""

    @staticmethod
    def forward(a: torch.Tensor) -> torch.Tensor:
        """The sine."""
        return torch.sin(a)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        """Keep the input."""
        ctx.save_for_forward(*inputs)

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor) -> torch.Tensor:
        """Zero."""
        return tangent * 0


@clause("autograd.functions")
def test_function_in_forward_mode(check: Check) -> None:
    """`torch.func.jvp` inside of the program uses the Function's `jvp`, not the derivative of its forward."""

    def program(a: torch.Tensor, tangent: torch.Tensor) -> Any:
        return torch.func.jvp(Still.apply, (a,), (tangent,))[1] + 0

    result = check(program, tensor(2), tensor(2, values=[1.0, 2.0]))
    result.happened(result.facts("out").value.tolist() == [0.0, 0.0], "a derivative of zero")  # type: ignore[union-attr]


class Replaced(torch.autograd.Function):
    """Saves twice, of which the last counts; its first output is not differentiable between two that are."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Double what is asked for."""
        ctx.save_for_backward(a)
        first, second, third = a * 2, a * 5, b * 3
        ctx.save_for_backward(second)
        ctx.mark_non_differentiable(second)
        return first * (2 if ctx.needs_input_grad[1] else 3), second, third

    @staticmethod
    def backward(ctx: Any, of_first: torch.Tensor, of_second: Any, of_third: torch.Tensor) -> tuple[torch.Tensor, Any]:
        """What was saved last is a factor."""
        (saved,) = ctx.saved_tensors
        return of_first * saved, of_third * 3 if ctx.needs_input_grad[1] else None


class Shifted(torch.autograd.Function):
    """A product and a sum in the style that function transforms take."""

    @staticmethod
    def forward(a: torch.Tensor, factor: float, shift: float) -> torch.Tensor:
        """The value."""
        return a * factor + shift

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        """Keep the factor."""
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        """Twice the true gradient."""
        return cotangent * ctx.factor * 2, None, None


@clause("autograd.functions", modes="train")
def test_function_that_saves_anew_and_asks_what_is_needed(check: Check) -> None:
    """What is saved last is what backward gets; forward knows which inputs need gradients; a mark is of its output."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        first, second, third = Replaced.apply(a, b)
        return first.sin(), second * 1, third + 1

    result = check(program, calls=[(tensor(3), tensor(3, grad=False)), (tensor(3), tensor(3))])
    result.requires_grad("out[0]").no_grad("out[1]").gradient(0)


@clause("autograd.functions", modes="train", torch=">=2.13")
def test_function_whose_inputs_are_named(check: Check) -> None:
    """Inputs of a Function that are given by name arrive in their places, whatever the order of the names."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return Shifted.apply(a, shift=0.5, factor=3.0)

    check(program, tensor(3)).gradient(0)
