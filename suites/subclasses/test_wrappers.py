"""Wrapper subclasses in and out: their types, what they hold, and what a compiler is handed of them."""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, built, clause, tensor
from suites.harness.clauses.result import Result
from suites.harness.torch_internals import TorchDispatchMode, TwoTensor, TwoTensorMode

from .tensors import Tagged, nested, tagged, two


def _typed(result: Result, **types: str) -> Result:
    """Claim the types of outputs: ``out`` for a single one, ``out0`` for the first of several."""
    for name, expected in types.items():
        path = name if name == "out" else f"out[{name.removeprefix('out')}]"
        result.happened(result.facts(path).type == expected, f"{path} being a {expected}")
    return result


@clause("T8.1", "A17", modes=("train", "inference"), inputs="subclass", entry=ANY)
def test_graph_of_a_wrapper_is_the_graph_of_what_it_holds(check: Check) -> None:
    """The graphs hold two plain computations, one for each tensor of the wrapper, and the caller gets a wrapper."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a * b

    result = check(program, tensor(3), tensor(3))
    _typed(result, out="TwoTensor").gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_3)
    mul_1 = torch.ops.aten.mul.Tensor(primals_2, primals_4)
    return (mul, mul_1, primals_1, primals_2, primals_3, primals_4)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4, tangents_1, tangents_2):
    mul = torch.ops.aten.mul.Tensor(tangents_1, primals_1)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_2, primals_2)
    mul_2 = torch.ops.aten.mul.Tensor(tangents_1, primals_3)
    mul_3 = torch.ops.aten.mul.Tensor(tangents_2, primals_4)
    return (mul_2, mul_3, mul, mul_1)
""")


@clause("T8.1", "A17", modes="train", entry=ANY)
def test_wrapper_beside_a_plain_operand(check: Check) -> None:
    """A wrapper times a plain tensor is a wrapper, and so is the plain tensor's gradient."""

    def program(wrapper: torch.Tensor, plain: torch.Tensor) -> torch.Tensor:
        return wrapper.sin() * plain

    result = check(program, built(two, tensor(2, 3, grad=False), tensor(2, 3, grad=False)), tensor(3))
    _typed(result, out="TwoTensor").gradient(0, 1)
    gradient = result.call.gradients["leaf[0]"]
    result.happened(gradient is not None and gradient.type == "TwoTensor", "a wrapper as the plain leaf's gradient")


@clause("T8.1", modes="train", entry=ANY)
def test_order_of_wrapped_and_plain_outputs(check: Check) -> None:
    """Plain outputs and wrappers come back in the program's order, each with its own values and gradients."""

    def program(wrapper: torch.Tensor, plain: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return plain.sin(), wrapper * 2, plain * 3, wrapper.cos()

    result = check(program, built(two, tensor(3, grad=False), tensor(3, grad=False)), tensor(3))
    _typed(result, out0="Tensor", out1="TwoTensor", out2="Tensor", out3="TwoTensor").gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    sin = torch.ops.aten.sin.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(primals_2, 2)
    mul_1 = torch.ops.aten.mul.Tensor(primals_3, 2)
    mul_2 = torch.ops.aten.mul.Tensor(primals_1, 3)
    cos = torch.ops.aten.cos.default(primals_2)
    cos_1 = torch.ops.aten.cos.default(primals_3)
    return (sin, mul, mul_1, mul_2, cos, cos_1, primals_1, primals_2, primals_3)
""")


@clause("T8.1", "T8.2", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_nested_wrapper(check: Check) -> None:
    """A wrapper of wrappers comes back as one, all four inner tensors at their places, gradients nested alike."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    parts = [tensor(2, 3, grad=False) for _ in range(4)]
    result = check(program, built(nested, *parts))
    _typed(result, out="TwoTensor").gradient(0)
    result.happened(result.facts("out.b").type == "TwoTensor", "a wrapper inside of the output")
    inner = result.call.gradients["arg[0].b"]
    result.happened(inner is not None and inner.type == "TwoTensor", "a wrapper inside of the gradient")
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4):
    sin = torch.ops.aten.sin.default(primals_1)
    sin_1 = torch.ops.aten.sin.default(primals_2)
    sin_2 = torch.ops.aten.sin.default(primals_3)
    sin_3 = torch.ops.aten.sin.default(primals_4)
    mul = torch.ops.aten.mul.Tensor(sin, 2)
    mul_1 = torch.ops.aten.mul.Tensor(sin_1, 2)
    mul_2 = torch.ops.aten.mul.Tensor(sin_2, 2)
    mul_3 = torch.ops.aten.mul.Tensor(sin_3, 2)
    return (mul, mul_1, mul_2, mul_3, primals_1, primals_2, primals_3, primals_4)
""")


@clause("T8.1", modes="train", entry=ANY)
def test_wrapper_nested_on_one_side(check: Check) -> None:
    """A wrapper of a wrapper and a plain tensor keeps which of its sides is nested, in output and gradient."""

    def build(first: torch.Tensor, second: torch.Tensor, third: torch.Tensor) -> torch.Tensor:
        return two(TwoTensor(first, second), third)

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.cos()

    parts = [tensor(3, grad=False) for _ in range(3)]
    result = check(program, built(build, *parts)).gradient(0)
    result.happened(result.facts("out.a").type == "TwoTensor", "a nested first side")
    result.happened(result.facts("out.b").type == "Tensor", "a plain second side")


@clause("T8.1", modes="train", entry=ANY)
def test_constant_metadata_reaches_the_output(check: Check) -> None:
    """Two wrappers of different tags give one of the smaller tag, as the class's own rule for operators says."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return b * 2, a * b

    left = built(tagged(Tagged, 3), tensor(3, grad=False))
    right = built(tagged(Tagged, 7), tensor(3, grad=False))
    result = check(program, left, right)
    result.holds("out[0].<metadata>", 7).holds("out[1].<metadata>", 3).gradient(0)


@clause("T8.1", modes="train", entry=ANY)
def test_wrapper_of_tensors_with_constant_metadata(check: Check) -> None:
    """A wrapper that holds two tensors with tags of their own comes back with each tag on its side."""

    def build(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return two(Tagged(first, 3), Tagged(second, 5))

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() + a

    result = check(program, built(build, tensor(3, grad=False), tensor(3, grad=False))).gradient(0)
    result.holds("out.a.<metadata>", 3).holds("out.b.<metadata>", 5)


@clause("T8.1", modes="train", inputs="subclass", entry=ANY)
def test_several_wrappers_of_one_operator(check: Check) -> None:
    """Each result of an operator with several results is a wrapper of the parts that belong together."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, indices = a.sin().topk(2)
        return values, indices, a.cos().split([1, 3])[1] * 2

    result = check(program, tensor(4))
    _typed(result, out0="TwoTensor", out1="TwoTensor", out2="TwoTensor").gradient(0)


@clause("T8.1")
def test_wrapper_made_of_plain_inputs(check: Check) -> None:
    """A program that puts two plain intermediates into a wrapper returns that wrapper, sides not exchanged."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return TwoTensor(a.sin(), b.cos()) * 2

    result = check(program, tensor(3, grad=False), tensor(3, grad=False))
    _typed(result, out="TwoTensor").distinct("out.a", "out.b")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    sin = torch.ops.aten.sin.default(arg0_1)
    cos = torch.ops.aten.cos.default(arg1_1)
    mul = torch.ops.aten.mul.Tensor(sin, 2)
    mul_1 = torch.ops.aten.mul.Tensor(cos, 2)
    return (mul, mul_1)
""")


@clause("T8.1", modes="train", inputs="subclass", entry=ANY)
def test_reductions_and_products_of_wrappers(check: Check) -> None:
    """A matrix product and a sum over one dimension are made for each side apart, forward and backward."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b.t()).sum(0) * a[:, 0]

    _typed(check(program, tensor(3, 4), tensor(3, 4)), out="TwoTensor").gradient(0, 1)


@clause("T8.1", entry=AOT_FUNCTION)
def test_wrappers_that_a_dispatch_mode_makes(check: Check) -> None:
    """A dispatch mode that makes wrappers of new tensors does so inside of a traced program, and there alone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with TwoTensorMode():
            wrapped = a + torch.arange(3.0, device=a.device) * 2
        return wrapped, a + torch.arange(3.0, device=a.device)

    result = check(program, tensor(3))
    _typed(result, out0="TwoTensor", out1="Tensor")
    result.forward.expect("""\
def forward(self, arg0_1):
    arange = torch.ops.aten.arange.default(3.0)
    clone = torch.ops.aten.clone.default(arange)
    mul = torch.ops.aten.mul.Tensor(arange, 2)
    mul_1 = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(arg0_1, mul)
    add_1 = torch.ops.aten.add.Tensor(arg0_1, mul_1)
    arange_1 = torch.ops.aten.arange.default(3.0)
    add_2 = torch.ops.aten.add.Tensor(arg0_1, arange_1)
    return (add, add_1, add_2)
""")


class _Negating(TorchDispatchMode):
    """Puts the negation in the place of every sine, whatever it is called on."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        if func is torch.ops.aten.sin.default:
            return torch.ops.aten.neg.default(*args)
        return func(*args, **(kwargs or {}))


@clause("T8.1", modes="train", inputs="subclass", entry=AOT_FUNCTION)
def test_dispatch_mode_above_a_wrapper(check: Check) -> None:
    """A dispatch mode inside of the program sees operators on wrappers before the wrapper's class does."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with _Negating():
            changed = (a * 2).sin()
        return changed, a.sin()

    result = check(program, tensor(3))
    _typed(result, out0="TwoTensor", out1="TwoTensor").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    mul_1 = torch.ops.aten.mul.Tensor(primals_2, 2)
    neg = torch.ops.aten.neg.default(mul)
    neg_1 = torch.ops.aten.neg.default(mul_1)
    sin = torch.ops.aten.sin.default(primals_1)
    sin_1 = torch.ops.aten.sin.default(primals_2)
    return (neg, neg_1, sin, sin_1, primals_1, primals_2, mul, mul_1)
""")
