"""Wrapper subclasses as parameters and buffers of modules, unwrapped ones, and wrappers of another outer geometry."""

import torch

from suites.harness import ANY, Check, built, clause, tensor, torch_internals
from suites.harness.torch_internals import TwoTensor

from .tensors import two


class Scaling(torch.nn.Module):
    """Multiplies by a parameter; the parameter is what ``make`` makes."""

    def __init__(self, parameter: torch.Tensor) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(parameter)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The product, with the parameter's sides apart."""
        return x.sin() * self.weight


def _sides(*shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    first = torch.arange(1.0, 1.0 + torch.Size(shape).numel()).reshape(shape)
    return first, first.flip(0) * 0.5


def _two_sides() -> torch.nn.Module:
    return Scaling(TwoTensor(*_sides(2, 3)))


def _four_sides() -> torch.nn.Module:
    first, second = _sides(2, 3)
    return Scaling(TwoTensor(TwoTensor(first, second), TwoTensor(second * 3, first * 7)))


@clause("T8.6", modes=("train", "no_grad"))
def test_wrapper_as_a_parameter(check: Check) -> None:
    """A parameter that is a wrapper is given to the graph as its two tensors, and its gradient is a wrapper."""
    result = check(built(_two_sides), tensor(2, 3))
    result.gradient(0, 1).happened(result.facts("out").type == "TwoTensor", "a wrapped output")
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    sin = torch.ops.aten.sin.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(sin, primals_2)
    mul_1 = torch.ops.aten.mul.Tensor(sin, primals_3)
    return (mul, mul_1, primals_1, primals_2, primals_3)
""")


@clause("T8.6", modes="train")
def test_nested_wrapper_as_a_parameter(check: Check) -> None:
    """A parameter that is a wrapper of wrappers has all four tensors used, and a nested gradient."""
    result = check(built(_four_sides), tensor(2, 3)).gradient(0, 1)
    result.happened(result.facts("out.b").type == "TwoTensor", "a nested output")


@clause("T8.6", modes=("train", "no_grad"))
def test_parameter_unwrapped_into_its_tensors(check: Check) -> None:
    """A module whose wrapped parameter was replaced by plain ones and a parametrization computes the same."""

    def build() -> torch.nn.Module:
        return torch_internals.unwrapped_parameters(_two_sides())

    result = check(built(build), tensor(2, 3)).gradient(0)
    result.happened(result.facts("out").type == "TwoTensor", "a wrapped output of plain parameters")


@clause("T8.6", modes="train")
def test_nested_parameter_unwrapped_into_its_tensors(check: Check) -> None:
    """A nested wrapped parameter, unwrapped, is four plain parameters, each with a gradient of its own."""

    def build() -> torch.nn.Module:
        return torch_internals.unwrapped_parameters(_four_sides())

    result = check(built(build), tensor(2, 3)).gradient(0)
    plain = [path for path in result.call.gradients if path.startswith("module")]
    result.happened(len(plain) == 4, "four parameters with a gradient")


class Counting(torch.nn.Module):
    """Keeps the sum of what it has seen in a wrapped buffer."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", TwoTensor(*_sides(3)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add to the buffer, then multiply by what is in it."""
        self.seen.add_(x.detach().sum(0))
        return x * self.seen


@clause("T8.6", "T8.3", modes=("train", "no_grad"))
def test_wrapped_buffer_updated_in_forward(check: Check) -> None:
    """A wrapped buffer that forward adds to keeps both new sides from call to call."""
    check(built(Counting), tensor(2, 3)).mutated("module.seen.a", "module.seen.b").gradient(0)


@clause("T8.6", "inductor.freezing", on=("inductor",))
def test_freezing_a_wrapped_parameter(check: Check) -> None:
    """A model with a wrapped parameter, frozen, computes what it computed before, on both sides."""
    result = check(built(_two_sides), tensor(2, 3, grad=False), config={"inductor.freezing": True})
    result.happened(result.facts("out").type == "TwoTensor", "a wrapped output")
    result.values().expect("""\
out.a = float32[2, 3] [[0.6338, -0.979, -0.7102], [-3.929, -2.202, 5.097]]
out.b = float32[2, 3] [[1.268, -1.224, -0.7102], [-0.4911, -0.4404, 1.274]]
""")


def _transposed(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    return two(first.t(), second.t())


@clause("T8.6", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_outer_strides_that_change(check: Check) -> None:
    """A wrapper of transposed tensors keeps their strides outside and inside, for every size it is called with."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    def wrapper(*shape: int) -> object:
        return built(_transposed, tensor(*shape, grad=False), tensor(*shape, grad=False))

    result = check(program, calls=[(wrapper(3, 2),), (wrapper(5, 4),)]).gradient(0)
    result.shape("out", 2, 3).strides("out", 1, 2).strides("out.b", 1, 2)


@clause("T8.6", modes="train", entry=ANY)
def test_layout_change_in_a_later_call(check: Check) -> None:
    """A wrapper of contiguous tensors and then one of transposed tensors each come back in their own layout."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.sin(), a.reshape(-1) * 2

    plain = built(two, tensor(3, 3, grad=False), tensor(3, 3, grad=False))
    turned = built(_transposed, tensor(3, 3, grad=False), tensor(3, 3, grad=False))
    result = check(program, calls=[(plain,), (turned,)]).gradient(0)
    result.strides("out[0]", 3, 1)
    later = result.in_call(1).facts("out[0].a")
    result.happened(later.strides == (1, 3), "transposed strides in the second call")
