"""The joint export: one functional graph of forward and backward, and a signature that names all of it."""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor, torch_internals

ON = ("export_joint",)


class Regression(torch.nn.Module):
    """A loss of a product, with a parameter that is not used and a buffer that is only read."""

    target: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3))
        self.register_buffer("target", torch.tensor([1.0, -2.0, 3.0]))

    def forward(self, a: torch.Tensor) -> Any:
        """The loss, and the product that it is made of."""
        product = a * self.weight
        return ((product - self.target) ** 2).sum(), product.detach()


class Counted(torch.nn.Module):
    """A loss that depends on a buffer which the call before has written."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([2.0, 5.0]))
        self.register_buffer("seen", torch.zeros(2))

    def forward(self, a: torch.Tensor) -> Any:
        """The loss alone."""
        self.seen.add_(a.detach())
        return ((a * self.scale + self.seen).tanh().sum(),)


def signature_of(module: torch.nn.Module, *args: torch.Tensor) -> Any:
    """The signature of a module's joint export."""
    _, signature = torch_internals.aot_export_module(module, args, trace_joint=True, output_loss_index=0)
    return signature


@clause("A10", modes="train", on=ON)
def test_gradients_of_parameters_and_inputs_are_outputs(check: Check) -> None:
    """The joint graph returns the loss, the other outputs and a gradient for each parameter and input, as eager has."""
    result = check(built(Regression), tensor(3), probe=False).gradient(0).no_grad("out[1]")
    result.joint.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    mul = torch.ops.aten.mul.Tensor(arg2_1, arg0_1)
    sub = torch.ops.aten.sub.Tensor(mul, arg1_1)
    pow_1 = torch.ops.aten.pow.Tensor_Scalar(sub, 2)
    sum_1 = torch.ops.aten.sum.default(pow_1)
    detach = torch.ops.aten.detach.default(mul)
    ones_like = torch.ops.aten.ones_like.default(sum_1, memory_format=torch.preserve_format)
    expand = torch.ops.aten.expand.default(ones_like, [3])
    pow_2 = torch.ops.aten.pow.Tensor_Scalar(sub, 1.0)
    mul_1 = torch.ops.aten.mul.Scalar(pow_2, 2.0)
    mul_2 = torch.ops.aten.mul.Tensor(expand, mul_1)
    mul_3 = torch.ops.aten.mul.Tensor(mul_2, arg2_1)
    mul_4 = torch.ops.aten.mul.Tensor(mul_2, arg0_1)
    return (sum_1, detach, mul_3, mul_4)
""")


@clause("A10", modes="train", on=ON)
def test_signature_names_parameters_buffers_and_gradients(check: Check) -> None:
    """The signature says which input is which parameter or buffer, and which output is the loss or whose gradient."""
    result = check(built(Regression), tensor(3), probe=False).gradient(0)
    signature = signature_of(Regression(), torch.ones(3, requires_grad=True))
    backward = signature.backward_signature
    seen = {
        "parameters": list(signature.inputs_to_parameters.values()),
        "buffers": list(signature.inputs_to_buffers.values()),
        "inputs": len(signature.user_inputs),
        "outputs": len(signature.user_outputs),
        "loss first": backward.loss_output == signature.user_outputs[0],
        "gradients": sorted(backward.gradients_to_parameters.values()),
        "gradients of inputs": list(backward.gradients_to_user_inputs.values()) == list(signature.user_inputs),
    }
    wanted = {
        "parameters": ["weight"],
        "buffers": ["target"],
        "inputs": 1,
        "outputs": 2,
        "loss first": True,
        "gradients": ["weight"],
        "gradients of inputs": True,
    }
    result.demand("structure", "the signature", wanted, seen)


@clause("A10", modes="train", on=ON)
def test_mutated_buffer_is_an_output(check: Check) -> None:
    """A written buffer comes out of the functional graph under its name, and its new value is in the loss."""
    result = check(built(Counted), tensor(2), probe=False).gradient(0).mutated("module.seen")
    signature = signature_of(Counted(), torch.ones(2, requires_grad=True))
    result.demand("mutation", "buffers to mutate", ["seen"], list(signature.buffers_to_mutate.values()))
    result.joint.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    detach = torch.ops.aten.detach.default(arg2_1)
    add = torch.ops.aten.add.Tensor(arg1_1, detach)
    mul = torch.ops.aten.mul.Tensor(arg2_1, arg0_1)
    add_1 = torch.ops.aten.add.Tensor(mul, add)
    tanh = torch.ops.aten.tanh.default(add_1)
    detach_1 = torch.ops.aten.detach.default(tanh)
    detach_2 = torch.ops.aten.detach.default(tanh)
    sum_1 = torch.ops.aten.sum.default(tanh)
    ones_like = torch.ops.aten.ones_like.default(sum_1, memory_format=torch.preserve_format)
    expand = torch.ops.aten.expand.default(ones_like, [2])
    detach_3 = torch.ops.aten.detach.default(detach_2)
    tanh_backward = torch.ops.aten.tanh_backward.default(expand, detach_3)
    mul_1 = torch.ops.aten.mul.Tensor(tanh_backward, arg2_1)
    mul_2 = torch.ops.aten.mul.Tensor(tanh_backward, arg0_1)
    return (add, sum_1, mul_1, mul_2)
""")


@clause("A10", modes="train", on=ON)
def test_loss_is_named_beside_a_mutated_buffer(check: Check) -> None:
    """The output that the signature calls the loss is the loss, also where new values of buffers come before it."""
    check(built(Counted), tensor(2), probe=False).gradient(0)
    signature = signature_of(Counted(), torch.ones(2, requires_grad=True))
    check.demand(
        "structure", "the output that is the loss", signature.user_outputs[0], signature.backward_signature.loss_output
    )


@clause("A10", modes="train", on=ON)
def test_shared_parameter_gets_both_gradients(check: Check) -> None:
    """A parameter that two layers share is an input of the joint graph for each; its gradient is the sum of both."""

    class Tied(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(3, 3, bias=False)
            self.second = torch.nn.Linear(3, 3, bias=False)
            self.second.weight = self.first.weight

        def forward(self, a: torch.Tensor) -> Any:
            return (self.second(self.first(a).tanh()).sum(),)

    result = check(built(Tied), tensor(2, 3), probe=False).gradient(0)
    signature = signature_of(Tied(), torch.ones(2, 3))
    result.demand(
        "structure", "parameters", ["first.weight", "second.weight"], list(signature.inputs_to_parameters.values())
    )
