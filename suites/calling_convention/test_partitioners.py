"""Partitioners: what is saved for backward and what is computed again is their choice; gradients are not."""

import torch
from torch.utils.checkpoint import checkpoint

from suites.harness import ANY, AOT_FUNCTION, Check, clause, tensor

OWN = (
    "suites.calling_convention.partitioners:recomputes_everything",
    "suites.calling_convention.partitioners:saves_everything",
)


@clause("A13", modes="train", entry=AOT_FUNCTION)
def test_default_partitioner_saves_what_backward_reads(check: Check) -> None:
    """The default partitioner hands the forward's own intermediates to backward: nothing is computed twice."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a * b).sin() * b).exp()

    result = check(program, tensor(3), tensor(3))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    sin = torch.ops.aten.sin.default(mul)
    mul_1 = torch.ops.aten.mul.Tensor(sin, primals_2)
    exp = torch.ops.aten.exp.default(mul_1)
    detach = torch.ops.aten.detach.default(exp)
    return (exp, primals_1, primals_2, mul, sin, detach)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_2, mul, sin, detach, tangents_1):
    detach_1 = torch.ops.aten.detach.default(detach)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, detach_1)
    mul_2 = torch.ops.aten.mul.Tensor(mul_1, sin)
    mul_3 = torch.ops.aten.mul.Tensor(mul_1, primals_2)
    cos = torch.ops.aten.cos.default(mul)
    mul_4 = torch.ops.aten.mul.Tensor(mul_3, cos)
    mul_5 = torch.ops.aten.mul.Tensor(mul_4, primals_1)
    mul_6 = torch.ops.aten.mul.Tensor(mul_4, primals_2)
    add = torch.ops.aten.add.Tensor(mul_2, mul_5)
    return (mul_6, add)
""")


@clause("A13", modes="train")
def test_min_cut_partitioner_computes_again_what_is_cheap(check: Check) -> None:
    """The min-cut partitioner saves inputs and results alone of a pointwise chain: backward computes the rest again."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return ((a * b).sin() * b).exp()

    result = check(program, tensor(3), tensor(3))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    sin = torch.ops.aten.sin.default(mul)
    mul_1 = torch.ops.aten.mul.Tensor(sin, primals_2)
    exp = torch.ops.aten.exp.default(mul_1)
    detach = torch.ops.aten.detach.default(exp)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (exp, primals_1, primals_2, detach_1)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_2, detach_1, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, detach_1)
    mul_1 = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    sin = torch.ops.aten.sin.default(mul_1)
    mul_2 = torch.ops.aten.mul.Tensor(mul, sin)
    mul_3 = torch.ops.aten.mul.Tensor(mul, primals_2)
    cos = torch.ops.aten.cos.default(mul_1)
    mul_4 = torch.ops.aten.mul.Tensor(mul_3, cos)
    mul_5 = torch.ops.aten.mul.Tensor(mul_4, primals_1)
    mul_6 = torch.ops.aten.mul.Tensor(mul_4, primals_2)
    add = torch.ops.aten.add.Tensor(mul_2, mul_5)
    return (mul_6, add)
""")


@clause("A13", modes="train")
def test_recomputation_reads_the_value_from_before_a_mutation(check: Check) -> None:
    """What backward computes again of an input that is mutated in between is of the old value, not of the new one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        waves = ((b * 2).sin() * a).cos()
        b.mul_(3)
        return waves * waves

    check(program, tensor(3), tensor(3, grad=False)).mutated(1).unchanged(0).gradient(0)


@clause("A13", modes="train", entry=ANY)
def test_recomputation_beside_a_differentiated_mutation(check: Check) -> None:
    """An input that is differentiated, read, then written to and read again: each gradient is of its own value."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        waves = (a * 2).sin() * b
        a.add_(b)
        return waves.exp() * a

    check(program, tensor(3), tensor(3)).mutated(0).unchanged(1).gradient(0, 1)


@clause("A13", modes="train")
def test_only_the_results_that_backward_reads_are_saved(check: Check) -> None:
    """Of the results of `topk` backward reads the places: they are saved, and the values are not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        values, _ = a.matmul(b).topk(2, dim=1)
        return values.sum(1)

    result = check(program, tensor(4, 3), tensor(3, 5))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    topk = torch.ops.aten.topk.default(mm, 2, 1)
    getitem = operator.getitem(topk, 0)
    getitem_1 = operator.getitem(topk, 1)
    sum_1 = torch.ops.aten.sum.dim_IntList(getitem, [1])
    t = torch.ops.aten.t.default(primals_1)
    t_1 = torch.ops.aten.t.default(primals_2)
    return (sum_1, getitem_1, t, t_1)
""")


@clause("A13", modes="train")
def test_intermediate_that_is_an_output_and_saved(check: Check) -> None:
    """A result that is returned and read by backward keeps its history, and writing to it later is noticed."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        power = a.exp()
        return power, power * power.sum()

    result = check(program, tensor(3), backward_twice=True)
    result.gradient(0).distinct("out[0]", "out[1]")


@clause("A13", modes="train")
def test_gradient_of_one_output_of_several(check: Check) -> None:
    """An output that needs no grad, one whose tangent is zero and a differentiable one share a backward graph."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        hidden = a.tanh()
        return hidden * b, hidden.detach() > 0, (hidden * 0).sum()

    check(program, tensor(3), tensor(3)).gradient(0, 1).no_grad("out[1]")


@clause("A6", modes="train", shapes="dynamic", entry=AOT_FUNCTION)
def test_size_is_saved_where_a_size_is_enough(check: Check) -> None:
    """Backward of a sum needs the shape of its operand: sizes are saved, and no tensor is."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).sum(0)

    result = check(program, tensor(3, 4))
    result.gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    sum_1 = torch.ops.aten.sum.dim_IntList(mul, [0])
    sym_size = torch.ops.aten.sym_size.int(primals_1, 0)
    sym_size_1 = torch.ops.aten.sym_size.int(primals_1, 1)
    return (sum_1, sym_size, sym_size_1)
""")
    result.backward.expect("""\
def forward(self, sym_size_int, sym_size_int_1, tangents_1):
    unsqueeze = torch.ops.aten.unsqueeze.default(tangents_1, 0)
    expand = torch.ops.aten.expand.default(unsqueeze, [sym_size_int, sym_size_int_1])
    mul = torch.ops.aten.mul.Tensor(expand, 2)
    return (mul,)
""")


@clause("A6", modes="train", shapes="dynamic")
def test_min_cut_saves_sizes_apart_from_tensors(check: Check) -> None:
    """The min-cut partitioner saves the sizes that backward's views need beside the tensors that it reads."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        rows, columns = a.shape
        return a.reshape(columns * rows).exp().unsqueeze(0) * b.mean(0) * rows

    result = check(program, tensor(2, 3), tensor(4, 6))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4, primals_5):
    mul = operator.mul(primals_2, primals_1)
    view = torch.ops.aten.view.default(primals_3, [mul])
    exp = torch.ops.aten.exp.default(view)
    unsqueeze = torch.ops.aten.unsqueeze.default(exp, 0)
    mean = torch.ops.aten.mean.dim(primals_5, [0])
    mul_1 = torch.ops.aten.mul.Tensor(unsqueeze, mean)
    mul_2 = torch.ops.aten.mul.Tensor(mul_1, primals_1)
    return (mul_2, exp, mean, primals_1, primals_2, primals_4)
""")
    result.backward.expect("""\
def forward(self, primals_1, primals_2, primals_4, exp, mean, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, primals_1)
    unsqueeze = torch.ops.aten.unsqueeze.default(exp, 0)
    mul_1 = torch.ops.aten.mul.Tensor(mul, unsqueeze)
    mul_2 = torch.ops.aten.mul.Tensor(mul, mean)
    sum_1 = torch.ops.aten.sum.dim_IntList(mul_1, [0], True)
    mul_3 = operator.mul(primals_2, primals_1)
    view = torch.ops.aten.view.default(sum_1, [mul_3])
    unsqueeze_1 = torch.ops.aten.unsqueeze.default(view, 0)
    expand = torch.ops.aten.expand.default(unsqueeze_1, [primals_4, mul_3])
    div = torch.ops.aten.div.Scalar(expand, primals_4)
    squeeze = torch.ops.aten.squeeze.dim(mul_2, 0)
    detach = torch.ops.aten.detach.default(exp)
    detach_1 = torch.ops.aten.detach.default(detach)
    mul_4 = torch.ops.aten.mul.Tensor(squeeze, detach_1)
    view_1 = torch.ops.aten.view.default(mul_4, [primals_1, primals_2])
    return (None, None, view_1, None, div)
""")


@clause("A8", modes="train", shapes="dynamic")
def test_activations_of_dynamic_sizes(check: Check) -> None:
    """Activations whose sizes are sums and products of the inputs' own are saved and read at each call's sizes."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        joined = torch.cat([a, b])
        outer = joined[:, None] * joined[None].exp()
        return outer.reshape(-1)[: a.shape[0] * 3].sin()

    result = check(program, calls=[(tensor(2), tensor(3)), (tensor(4), tensor(5)), (tensor(3), tensor(3))])
    result.shape("out", 6).gradient(0, 1).recompiled(0)


@clause("A8", modes="train", shapes="dynamic")
def test_output_whose_size_depends_on_the_data(check: Check) -> None:
    """An output of as many elements as the data say is returned and differentiated at each call's own count."""

    def program(a: torch.Tensor) -> torch.Tensor:
        chosen = a[a > 0]
        return chosen * chosen

    config = {"dynamo.capture_dynamic_output_shape_ops": True}
    calls = [(tensor(5, values=[1, -2, 3, 4, -5]),), (tensor(5, values=[-1, -2, 3, -4, -5]),)]
    check(program, calls=calls, config=config).shape("out", 3).gradient(0)


@clause("A14", modes="train", on=OWN)
def test_partitioner_of_ones_own_recomputes_everything(check: Check) -> None:
    """A partitioner may save inputs alone: matrix product and softmax are computed again, to the same gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).softmax(1).sin()

    result = check(program, tensor(2, 3), tensor(3, 4))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    _softmax = torch.ops.aten._softmax.default(mm, 1, False)
    sin = torch.ops.aten.sin.default(_softmax)
    return (sin, primals_1, primals_2)
""")


@clause("A14", "A24", "A6", modes="train", shapes="dynamic", on=OWN[1:])
def test_default_partitioner_saves_sizes_and_what_was_drawn(check: Check) -> None:
    """The default partitioner saves sizes apart from tensors, never draws again, and recomputes a checkpoint alone."""

    def block(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(a.exp(), 0.5).sin()

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        noise = torch.rand_like(b).cos()
        kept = checkpoint(block, a * 2, use_reentrant=False)
        return kept.sum(0) * b.mean(0) * noise * b.shape[0]

    check(program, tensor(5, 3), tensor(7, 3)).drew_random().gradient(0, 1)
