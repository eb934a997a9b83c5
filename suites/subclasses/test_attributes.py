"""Attributes, methods and the type of a subclass, as the program reads them, and what happens when they change."""

import torch

from suites.harness import Check, built, clause, tensor
from suites.harness.torch_internals import TwoTensor

from .tensors import Tagged, tagged, two


@clause("T8.7")
def test_inner_tensors_read_as_attributes(check: Check) -> None:
    """Both inner tensors, read as attributes, are plain tensors of that side, and their combination is plain."""

    def program(a: TwoTensor) -> torch.Tensor:
        return a.a.sin() - a.b * 2

    result = check(program, built(TwoTensor, tensor(2, 3, grad=False), tensor(2, 3, grad=False)))
    result.happened(result.facts("out").type == "Tensor", "a plain output")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    sin = torch.ops.aten.sin.default(arg0_1)
    mul = torch.ops.aten.mul.Tensor(arg1_1, 2)
    sub = torch.ops.aten.sub.Tensor(sin, mul)
    return (sub,)
""")


@clause("T8.7")
def test_inner_tensor_of_a_wrapped_intermediate(check: Check) -> None:
    """An attribute of a wrapper that the program computed is that side of the computed value."""

    def program(a: TwoTensor) -> torch.Tensor:
        b = a.sin() * a.b
        return b.b - b.a * 3

    result = check(program, built(TwoTensor, tensor(3, grad=False), tensor(3, grad=False))).unchanged(
        "arg[0].a", "arg[0].b"
    )
    result.values().expect("""\
out = float32[3] [3.985, -0.4689, 1.583]
""")


@clause("T8.7")
def test_returned_inner_tensor_is_the_callers(check: Check) -> None:
    """An inner tensor that the program returns is the very tensor that the caller's wrapper holds."""

    def program(a: TwoTensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.b, a + 1

    result = check(program, built(TwoTensor, tensor(3, grad=False), tensor(3, grad=False)))
    result.same_object("out[0]", "arg[0].b")


@clause("T8.7")
def test_inner_tensors_of_a_nested_wrapper(check: Check) -> None:
    """An attribute of an attribute reaches the innermost tensors of a nested wrapper, each at its own place."""

    def build(first: torch.Tensor, second: torch.Tensor, third: torch.Tensor) -> torch.Tensor:
        return TwoTensor(TwoTensor(first, second), TwoTensor(second, third))

    def program(a: TwoTensor) -> torch.Tensor:
        return a.a.a + a.a.b * 10 + a.b.b * 100

    check(program, built(build, *[tensor(3, grad=False) for _ in range(3)])).values().expect("""\
out = float32[3] [-171.8, 82.89, -103.3]
""")


@clause("T8.7")
def test_constant_attribute_is_guarded(check: Check) -> None:
    """A constant attribute that the program computes with is the attribute of the moment, call by call."""

    def program(a: Tagged) -> torch.Tensor:
        return a.held * a.tag + 1

    calls = [(built(tagged(Tagged, tag), tensor(3, grad=False)),) for tag in (3, 5, 3)]
    result = check(program, calls=calls).recompiled(1)
    result.values().expect("""\
out = float32[3] [3.059, -6.89, 0.283]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.514, -0.3644, 0.6598]
""")


@clause("T8.7", "T8.1", modes="train")
def test_metadata_that_no_one_reads_is_guarded(check: Check) -> None:
    """A wrapper of another tag in a later call comes back with its own tag, not with that of the first call."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    calls = [(built(tagged(Tagged, tag), tensor(3, grad=False)),) for tag in (3, 5)]
    result = check(program, calls=calls).recompiled(1)
    result.holds("out.<metadata>", 3)
    later = result.in_call(1).call.entries["out.<metadata>"]
    result.happened(later.detail == 5, "the second call's own tag")
    result.values().expect("""\
out.held = float32[3] [1.268, -0.979, -0.4735]
""")
    result.in_call(1).values().expect("""\
out.held = float32[3] [-0.9637, -0.539, -0.136]
""")


@clause("T8.7")
def test_attribute_set_by_the_program(check: Check) -> None:
    """A constant attribute that the program changes is changed in the caller's wrapper, and later reads see it."""

    def program(a: Tagged) -> torch.Tensor:
        before = a.tag
        a.tag = before + 10
        return a.held * a.tag + before

    check(program, built(tagged(Tagged, 3), tensor(3, grad=False))).holds("arg[0].<metadata>", 13)


@clause("T8.7")
def test_method_of_the_class(check: Check) -> None:
    """A method that the class defines runs in the program as in eager, with the attributes of its own object."""

    def program(a: Tagged) -> torch.Tensor:
        return a.weighted(0.5) + a.weighted(2.0).sin()

    check(program, built(tagged(Tagged, 3), tensor(3, grad=False))).values().expect("""\
out = float32[3] [2.116, -9.757, -1.767]
""")


@clause("T8.7", "A5")
def test_another_type_in_a_later_call(check: Check) -> None:
    """A plain tensor after a wrapper, and a wrapper of another class, take the branches that ask for their types."""

    def program(a: torch.Tensor) -> torch.Tensor:
        if isinstance(a, TwoTensor):
            return a.a - a.b
        return a * (2 if type(a) is torch.Tensor else 3)

    wrapper = built(TwoTensor, tensor(3, grad=False), tensor(3, grad=False))
    calls = [(wrapper,), (tensor(3, grad=False),), (built(tagged(Tagged, 1), tensor(3, grad=False)),)]
    result = check(program, calls=calls).recompiled(2)
    result.values().expect("""\
out = float32[3] [2.068, -2.174, -1.254]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.006, -0.5458, -0.1361]
""")


@clause("T8.7", "A5", modes="train")
def test_wrapper_after_a_plain_tensor(check: Check) -> None:
    """The same program compiled for a plain tensor and then called with a wrapper returns a wrapper of both results."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    wrapper = built(two, tensor(3, grad=False), tensor(3, grad=False))
    result = check(program, calls=[(tensor(3),), (wrapper,), (tensor(3),)]).gradient(0).recompiled(1)
    types = [call.tensors["out"].type for call in result.expected.calls]
    result.happened(types == ["Tensor", "TwoTensor", "Tensor"], "plain, wrapped and plain outputs")


@clause("T8.7", shapes=("static", "dynamic"), inputs="subclass")
def test_shape_of_a_wrapper_read_by_the_program(check: Check) -> None:
    """Sizes and strides that the program reads from a wrapper are the wrapper's, also for another size."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int, int]:
        return a * a.shape[0] + a.stride(0), a.shape[1], a.t().stride(1)

    result = check(program, calls=[(tensor(2, 3),), (tensor(4, 5),)])
    result.holds("out[1]", 3).holds("out[2]", 3)
