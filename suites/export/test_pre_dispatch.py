"""Export before dispatch: the graph holds what the program said, and runs as the program did."""

from typing import Any

import torch
from functorch.experimental.control_flow import map as mapped

from suites.harness import Check, built, clause, tensor

ON = ("export",)


@clause("A9", modes="train", on=ON)
def test_part_without_gradients_stays_one(check: Check) -> None:
    """A part of the program under ``no_grad`` is a graph of its own in the export, and gives no gradients when run."""

    def program(a: torch.Tensor) -> Any:
        with torch.no_grad():
            b = a.sin() * 2
        return a * b

    result = check(program, tensor(3)).gradient(0)
    result.forward.expect("""\
def forward(self, args_0):
    submod_1 = self.submod_1
    wrap_with_set_grad_enabled = torch.ops.higher_order.wrap_with_set_grad_enabled(False, submod_1, args_0)
    getitem = operator.getitem(wrap_with_set_grad_enabled, 0)
    mul = torch.ops.aten.mul.Tensor(args_0, getitem)
    return (mul,)

def submod_1(self, args_0):
    sin = torch.ops.aten.sin.default(args_0)
    mul = torch.ops.aten.mul.Tensor(sin, 2)
    return (mul,)
""")


@clause("A9", on=ON)
def test_part_with_gradients_inside_of_one_without(check: Check) -> None:
    """Grad modes that change back and forth within the program are in force for their own operators only."""

    def program(a: torch.Tensor) -> Any:
        with torch.enable_grad():
            b = a.sin()
        with torch.no_grad():
            c = a.cos()
        return b, c, torch.is_grad_enabled()

    result = check(program, tensor(3)).requires_grad("out[0]").no_grad("out[1]").holds("out[2]", False)
    result.happened(result.facts("out[0]").requires_grad, "a part that records")


@clause("A9", modes="train", on=ON)
def test_composite_operators_are_kept(check: Check) -> None:
    """Composite operators are in the exported graph by their own names, and have gradients when it runs."""

    def program(a: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> Any:
        b = torch.nn.functional.linear(a, weight, bias)
        return torch.nn.functional.layer_norm(b, (4,)).chunk(2, -1)[1]

    result = check(program, tensor(2, 3), tensor(4, 3), tensor(4)).gradient(0, 1, 2)
    result.forward.expect("""\
def forward(self, args_0, args_1, args_2):
    linear = torch.ops.aten.linear.default(args_0, args_1, args_2)
    layer_norm = torch.ops.aten.layer_norm.default(linear, [4], None, None, 1e-05, False)
    chunk = torch.ops.aten.chunk.default(layer_norm, 2, -1)
    getitem = operator.getitem(chunk, 0)
    getitem_1 = operator.getitem(chunk, 1)
    return (getitem_1,)
""")


@clause("A9", on=ON)
def test_nested_branches_are_chosen_by_each_call(check: Check) -> None:
    """Both levels of a nested `torch.cond` are in the export, and each call takes the branches of its own data."""

    def program(a: torch.Tensor) -> Any:
        def inner(b: torch.Tensor) -> Any:
            return torch.cond(b.sum() > 10, lambda c: c * 5, lambda c: c - 1, (b,))

        return torch.cond(a.sum() > 0, inner, lambda b: b.cos(), (a,)) + 1

    calls = [tensor(2, values=values) for values in ((1.0, 2.0), (9.0, 8.0), (-1.0, -7.0))]
    result = check(program, calls=[(call,) for call in calls]).shape("out", 2)
    result.forward.expect("""\
def forward(self, args_0):
    sum_1 = torch.ops.aten.sum.default(args_0)
    gt = torch.ops.aten.gt.Scalar(sum_1, 0)
    true_graph_0 = self.true_graph_0
    false_graph_0 = self.false_graph_0
    cond = torch.ops.higher_order.cond(gt, true_graph_0, false_graph_0, (args_0,))
    getitem = operator.getitem(cond, 0)
    add = torch.ops.aten.add.Tensor(getitem, 1)
    return (add,)

def true_graph_0(self, args_0):
    sum_1 = torch.ops.aten.sum.default(args_0)
    gt = torch.ops.aten.gt.Scalar(sum_1, 10)
    true_graph_0 = self.true_graph_0
    false_graph_0 = self.false_graph_0
    cond = torch.ops.higher_order.cond(gt, true_graph_0, false_graph_0, (args_0,))
    getitem = operator.getitem(cond, 0)
    return (getitem,)

def true_graph_0__true_graph_0(self, args_0):
    mul = torch.ops.aten.mul.Tensor(args_0, 5)
    return (mul,)

def true_graph_0__false_graph_0(self, args_0):
    sub = torch.ops.aten.sub.Tensor(args_0, 1)
    return (sub,)

def false_graph_0(self, args_0):
    cos = torch.ops.aten.cos.default(args_0)
    return (cos,)
""")


@clause("A9", on=ON)
def test_map_goes_over_the_first_dimension(check: Check) -> None:
    """`map` in the export applies its body to each row, with what is not mapped handed to each."""

    def program(rows: torch.Tensor, scale: torch.Tensor) -> Any:
        return mapped(lambda row, by: (row * by).cumsum(0) - row, rows, scale)

    result = check(program, tensor(3, 2), tensor(2)).shape("out", 3, 2)
    result.forward.expect("""\
def forward(self, args_0, args_1):
    body_graph_0 = self.body_graph_0
    map_impl = torch.ops.higher_order.map_impl(body_graph_0, [args_0], [args_1])
    getitem = operator.getitem(map_impl, 0)
    return (getitem,)

def body_graph_0(self, args_0, args_1):
    mul = torch.ops.aten.mul.Tensor(args_0, args_1)
    cumsum = torch.ops.aten.cumsum.default(mul, 0)
    sub = torch.ops.aten.sub.Tensor(cumsum, args_0)
    return (sub,)
""")


class Normalized(torch.nn.Module):
    """A convolution and a normalization that keeps running statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv1d(2, 3, 2)
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """The normalized convolution, clipped at 0."""
        out: torch.Tensor = self.norm(self.conv(a)).relu()
        return out


@clause("A9", modes="train", on=ON)
def test_convolution_and_batch_norm_in_training(check: Check) -> None:
    """A convolution with a batch norm after it is exported as both, keeps its running statistics and has gradients."""
    result = check(built(Normalized), tensor(2, 2, 4)).gradient(0)
    result.mutated("module.norm.running_mean", "module.norm.num_batches_tracked")
    result.forward.expect("""\
def forward(
    self, p_conv_weight, p_conv_bias, p_norm_weight, p_norm_bias, b_norm_running_mean, b_norm_running_var,
    b_norm_num_batches_tracked, a,
):
    conv1d = torch.ops.aten.conv1d.default(a, p_conv_weight, p_conv_bias)
    add_ = torch.ops.aten.add_.Tensor(b_norm_num_batches_tracked, 1)
    batch_norm = torch.ops.aten.batch_norm.default(
        conv1d, p_norm_weight, p_norm_bias, b_norm_running_mean, b_norm_running_var, True, 0.1, 1e-05, False,
    )
    relu = torch.ops.aten.relu.default(batch_norm)
    return (relu,)
""")


@clause("A9", modes="train", on=ON)
def test_reshape_and_contiguous_copy_only_where_they_must(check: Check) -> None:
    """`reshape` and `contiguous` are exported as they are: a view where memory allows it, a copy where it does not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return a.reshape(6), b.reshape(6) * 2, b.contiguous() + 1

    result = check(program, tensor(2, 3), tensor(2, 3, strides=(1, 2)), probe=False)
    result.aliases("out[0]", 0).distinct("out[1]", 1).strides("out[2]", 3, 1)
    result.forward.expect("""\
def forward(self, args_0, args_1):
    reshape = torch.ops.aten.reshape.default(args_0, [6])
    reshape_1 = torch.ops.aten.reshape.default(args_1, [6])
    mul = torch.ops.aten.mul.Tensor(reshape_1, 2)
    contiguous = torch.ops.aten.contiguous.default(args_1)
    add = torch.ops.aten.add.Tensor(contiguous, 1)
    return (reshape, mul, add)
""")


@clause("A9", on=ON)
def test_part_under_autocast_stays_one(check: Check) -> None:
    """A product under autocast is exported within it, and has its dtype; the one outside keeps the program's own."""

    def program(a: torch.Tensor) -> Any:
        with torch.autocast(a.device.type, torch.bfloat16):
            b = a @ a
        return b, a @ a

    result = check(program, tensor(3, 3))
    result.happened(result.facts("out[0]").dtype == "bfloat16", "a product in bfloat16")
    result.happened(result.facts("out[1]").dtype == "float32", "a product in float32")
    result.values().expect("""\
out[0] = bfloat16[3, 3] [[4.469, -0.8203, -2.562], [-1.93, 4.75, -1.281], [-0.543, 2.734, 2.578]]
out[1] = float32[3, 3] [[4.485, -0.8213, -2.564], [-1.929, 4.757, -1.282], [-0.538, 2.742, 2.575]]
""")


@clause("A9", "A11", on=ON)
def test_input_mutation_is_in_the_signature(check: Check) -> None:
    """A written input is an output of the functional graph, named in the signature, and the caller sees the write."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        b[1:].mul_(2)
        return a + b

    class Program(torch.nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> Any:
            return program(a, b)

    result = check(program, tensor(3), tensor(3)).mutated(1).unchanged(0)
    functional = torch.export.export(Program(), (torch.ones(3), torch.ones(3))).run_decompositions({})
    signature = functional.graph_signature
    result.demand("mutation", "inputs to mutate", ["b"], list(signature.user_inputs_to_mutate.values()))
    result.demand("mutation", "outputs of the caller's", 1, len(signature.user_outputs))


@clause("A9", shapes="dynamic", on=ON)
def test_export_serves_every_size(check: Check) -> None:
    """An export with dynamic sizes computes with the sizes of the call, and returns them as numbers."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return torch.cat([a, b]) * a.shape[0] + b.shape[0] // 2, a.shape[0]

    calls = [(tensor(4), tensor(5)), (tensor(2), tensor(9)), (tensor(7), tensor(3))]
    result = check(program, calls=calls).holds("out[1]", 4)
    result.demand("reuse", "graphs exported", 1, result.verdict.counter.graphs)


class Averaging(torch.nn.Module):
    """A module that gives its buffer another tensor in every call."""

    average: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("average", torch.zeros(3))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """What was averaged so far, this call included."""
        self.average = self.average * 0.5 + a.detach().mean(0)
        return a * self.average


@clause("A9", modes=("no_grad", "train"), on=ON)
def test_buffer_bound_to_another_tensor(check: Check) -> None:
    """A buffer that forward binds to another tensor keeps it from call to call of the export."""
    check(built(Averaging), tensor(4, 3), probe=False).values().expect("""\
out = float32[4, 3] [[-0.773, 1.327, 0.02972], [1.556, 0.2301, -0.1262], [1.787, -0.4545, 0.1408], [2.503, -0.08423,
    0.0176]]
module.average = float32[3] [-1.126, -0.5046, -0.1243]
""")
