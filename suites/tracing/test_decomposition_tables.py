"""Tables of decompositions: what is in the table is gone from the graph, and the graph computes the same."""

import torch

from suites.harness import Check, clause, tensor


@clause("T1.5", on=("make_fx",))
def test_without_a_table_the_backward_operator_is_there(check: Check) -> None:
    """Without a table the gradient of tanh is one operator of the traced graph."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda x: x.tanh().sum())(a)

    result = check(program, tensor(3))
    result.shape("out", 3)
    result.forward.expect("""\
def forward(self, a_1):
    tanh = torch.ops.aten.tanh.default(a_1)
    sum_1 = torch.ops.aten.sum.default(tanh)
    ones_like = torch.ops.aten.ones_like.default(sum_1, memory_format=torch.preserve_format)
    expand = torch.ops.aten.expand.default(ones_like, [3])
    tanh_backward = torch.ops.aten.tanh_backward.default(expand, tanh)
    return tanh_backward
""")


@clause("T1.5", shapes=("static", "dynamic"), on=("make_fx_decomposed",))
def test_with_a_table_the_backward_operator_is_gone(check: Check) -> None:
    """With the table the gradient of tanh is arithmetic, and no `tanh_backward` is in the graph."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda x: x.tanh().sum())(a)

    result = check(program, tensor(3))
    result.shape("out", 3)
    result.forward.expect("""\
def forward(self, a_1):
    tanh = torch.ops.aten.tanh.default(a_1)
    sum_1 = torch.ops.aten.sum.dim_IntList(tanh, [])
    full_like = torch.ops.aten.full_like.default(sum_1, 1, memory_format=torch.preserve_format)
    expand = torch.ops.aten.expand.default(full_like, [3])
    mul = torch.ops.aten.mul.Tensor(tanh, tanh)
    sub = torch.ops.aten.sub.Tensor(1, mul)
    mul_1 = torch.ops.aten.mul.Tensor(expand, sub)
    return mul_1
""")


@clause("T1.5", modes="train")
def test_backend_without_a_table_is_handed_the_backward_operator(check: Check) -> None:
    """AOTAutograd without a table hands its backward compiler `tanh_backward`, and the gradient is eager's."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.tanh() * 2

    result = check(program, tensor(3))
    result.gradient(0)
    result.backward.expect("""\
def forward(self, detach_1, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 2)
    tanh_backward = torch.ops.aten.tanh_backward.default(mul, detach_1)
    return (tanh_backward,)
""")


@clause("T1.5", modes="train", golden="inductor")
def test_backend_with_a_table_is_handed_arithmetic(check: Check) -> None:
    """Inductor's table takes `tanh_backward` and `silu` apart before its backward compiler sees them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.tanh() * torch.nn.functional.silu(b)

    result = check(program, tensor(3), tensor(3))
    result.gradient(0, 1)
    result.backward.expect("""\
def forward(self, primals_1, primals_2, tangents_1):
    tanh = torch.ops.aten.tanh.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(tangents_1, tanh)
    neg = torch.ops.aten.neg.default(primals_2)
    exp = torch.ops.aten.exp.default(neg)
    add = torch.ops.aten.add.Tensor(exp, 1)
    div = torch.ops.aten.div.Tensor(primals_2, add)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, div)
    sigmoid = torch.ops.aten.sigmoid.default(primals_2)
    mul_2 = torch.ops.aten.mul.Tensor(mul, sigmoid)
    sub = torch.ops.aten.sub.Tensor(1, sigmoid)
    mul_3 = torch.ops.aten.mul.Tensor(primals_2, sub)
    add_1 = torch.ops.aten.add.Tensor(mul_3, 1)
    mul_4 = torch.ops.aten.mul.Tensor(mul_2, add_1)
    mul_5 = torch.ops.aten.mul.Tensor(tanh, tanh)
    sub_1 = torch.ops.aten.sub.Tensor(1, mul_5)
    mul_6 = torch.ops.aten.mul.Tensor(mul_1, sub_1)
    return (mul_6, mul_4)
""")


@clause("T1.5", shapes=("static", "dynamic"), on=("make_fx_decomposed",))
def test_decompositions_of_several_operators_compute_the_same(check: Check) -> None:
    """Decomposed normalisation, loss, interpolation and linear algebra compute what the operators do."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        normal = torch.nn.functional.layer_norm(a, (4,))
        loss = torch.nn.functional.smooth_l1_loss(a, b, beta=0.5)
        spread = torch.nn.functional.pad(a, (1, 2), mode="constant", value=3.0)
        return normal, loss, spread, torch.addmm(a[:, :3], a, b.t() * 2, beta=0.5, alpha=3), a.logaddexp(b)

    result = check(program, tensor(3, 4), tensor(3, 4)).unchanged(0, 1)
    result.values().expect("""\
out[0] = float32[3, 4] [[1.269, -1.399, 0.5247, -0.3949], [-0.3973, 0.9801, -1.456, 0.873], [-0.3206, -1.487, 1.069,
    0.7386]]
out[1] = float32[] 0.9724
out[2] = float32[3, 7] [[3, 0.6865, -2.63, -0.239, -1.382, 3, 3], [3, -0.4561, 1.015, -1.587, 0.9008, 3, 3], [3,
    -1.132, -2.222, 0.1669, -0.1415, 3, 3]]
out[3] = float32[3, 3] [[4.202, -3.12, 25.28], [4.869, -5.431, -5.674], [22.83, 23.55, 29.6]]
out[4] = float32[3, 4] [[0.7351, -0.4645, 0.3403, -0.09297], [-0.301, 1.189, 1.027, 1.294], [-0.2418, -1.331,
    0.6283, 0.7107]]
""")


@clause("T1.5", on=("make_fx_decomposed",))
def test_decomposed_in_place_op_still_mutates(check: Check) -> None:
    """An operator that is decomposed writes to its tensor nevertheless, if it is the in-place one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.nn.functional.hardtanh_(a, -0.5, 0.25)
        a.addcmul_(b, b, value=2)
        return a * b

    check(program, tensor(6), tensor(6)).mutated(0).unchanged(1)
