"""functorch's transforms inside of a program: what they compute is computed by the traced or compiled graph too."""

from typing import Any

import torch
from torch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)
from torch.fx.experimental.proxy_tensor import make_fx

from suites.harness import Check, clause, tensor

TRACED = ("make_fx",)


@clause("T1.2", on=TRACED)
def test_traced_gradient_is_a_graph_of_plain_operators(check: Check) -> None:
    """make_fx of grad holds the backward formula's own operators, and computes the gradient of other inputs."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return grad(lambda x: (x.sin() * x).sum())(a)

    result = check(program, tensor(3))
    result.shape("out", 3).unchanged(0)
    result.forward.expect("""\
def forward(self, a_1):
    sin = torch.ops.aten.sin.default(a_1)
    mul = torch.ops.aten.mul.Tensor(sin, a_1)
    sum_1 = torch.ops.aten.sum.default(mul)
    ones_like = torch.ops.aten.ones_like.default(sum_1, memory_format=torch.preserve_format)
    expand = torch.ops.aten.expand.default(ones_like, [3])
    mul_1 = torch.ops.aten.mul.Tensor(expand, sin)
    mul_2 = torch.ops.aten.mul.Tensor(expand, a_1)
    cos = torch.ops.aten.cos.default(a_1)
    mul_3 = torch.ops.aten.mul.Tensor(mul_2, cos)
    add = torch.ops.aten.add.Tensor(mul_1, mul_3)
    return add
""")


@clause("T1.2", shapes=("static", "dynamic"))
def test_gradient_within_the_program(check: Check) -> None:
    """grad of an inner function gives the gradient at the call's own data, beside the value from the same pass."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return grad_and_value(lambda x: (x.exp() * b).sum(), argnums=0)(a)

    check(program, tensor(2, 3), tensor(3)).values().expect("""\
out[0] = float32[2, 3] [[-3.152, 0.06492, -0.8914], [-0.3984, 0.5709, -3.124]]
out[1] = float32[] -6.93
""")


@clause("T1.2", "A3", modes="train")
def test_gradient_of_a_gradient_within_the_program(check: Check) -> None:
    """A gradient taken inside of the program is differentiable: backward through it gives the second derivative."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return grad(lambda x: (x**3).sum())(a) * 2

    result = check(program, tensor(4))
    result.requires_grad("out").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    pow_1 = torch.ops.aten.pow.Tensor_Scalar(primals_1, 3)
    sum_1 = torch.ops.aten.sum.default(pow_1)
    ones_like = torch.ops.aten.ones_like.default(sum_1, memory_format=torch.preserve_format)
    expand = torch.ops.aten.expand.default(ones_like, [4])
    pow_2 = torch.ops.aten.pow.Tensor_Scalar(primals_1, 2.0)
    mul = torch.ops.aten.mul.Scalar(pow_2, 3.0)
    mul_1 = torch.ops.aten.mul.Tensor(expand, mul)
    mul_2 = torch.ops.aten.mul.Tensor(mul_1, 2)
    return (mul_2, primals_1, ones_like)
""")


@clause("T1.2")
def test_vjp_with_several_outputs(check: Check) -> None:
    """vjp hands back the outputs and a function of cotangents whose results follow the inputs' own order."""

    def program(a: torch.Tensor, b: torch.Tensor, cotangent: torch.Tensor) -> Any:
        pulled: Any = vjp(lambda x, y: (x @ y, x.sin().sum()), a, b)
        output, pull_back = pulled
        return output, pull_back((cotangent, cotangent.sum()))

    result = check(program, tensor(2, 3), tensor(3, 4), tensor(2, 4))
    result.shape("out[1][0]", 2, 3).shape("out[1][1]", 3, 4)
    result.values().expect("""\
out[0][0] = float32[2, 4] [[-1.413, 1.09, 5.843, 0.1712], [1.628, -1.602, 0.3436, 2.681]]
out[0][1] = float32[] -0.6655
out[1][0] = float32[2, 3] [[2.129, 4.717, 0.4946], [0.1342, -0.4959, 0.3486]]
out[1][1] = float32[3, 4] [[1.16, -0.09607, 0.436, -1.903], [-2.335, -0.5216, 2.345, 4.68], [-0.5999, 0.1161,
    -0.5246, 0.9053]]
""")


@clause("T1.2", on=TRACED)
def test_captured_vjp_function_is_traced_by_itself(check: Check) -> None:
    """A vjp function captured from outside is traced as a function of its cotangent, the saved tensors as constants."""

    point = torch.tensor([0.5, -1.0, 2.0], device=check.device)

    def program(cotangent: torch.Tensor) -> torch.Tensor:
        pulled: Any = vjp(lambda x: x.tanh() * x, point)
        pull_back = pulled[1]
        first = pull_back(cotangent, retain_graph=True, create_graph=False)[0]
        return first + make_fx(lambda c: pull_back(c)[0])(cotangent)(cotangent * 2)

    result = check(program, tensor(3))
    result.shape("out", 3)
    result.forward.expect("""\
def forward(self, cotangent_1):
    _tensor_constant0 = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float32)
    tanh = torch.ops.aten.tanh.default(_tensor_constant0)
    _tensor_constant0_1 = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float32)
    mul = torch.ops.aten.mul.Tensor(tanh, _tensor_constant0_1)
    mul_1 = torch.ops.aten.mul.Tensor(cotangent_1, tanh)
    _tensor_constant0_2 = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float32)
    mul_2 = torch.ops.aten.mul.Tensor(cotangent_1, _tensor_constant0_2)
    tanh_backward = torch.ops.aten.tanh_backward.default(mul_2, tanh)
    add = torch.ops.aten.add.Tensor(mul_1, tanh_backward)
    mul_3 = torch.ops.aten.mul.Tensor(cotangent_1, 2)
    mul_4 = torch.ops.aten.mul.Tensor(mul_3, tanh)
    _tensor_constant0_3 = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float32)
    mul_5 = torch.ops.aten.mul.Tensor(mul_3, _tensor_constant0_3)
    tanh_backward_1 = torch.ops.aten.tanh_backward.default(mul_5, tanh)
    add_1 = torch.ops.aten.add.Tensor(mul_4, tanh_backward_1)
    add_2 = torch.ops.aten.add.Tensor(add, add_1)
    return add_2
""")


@clause("T1.2")
def test_nested_reverse_mode_jacobian(check: Check) -> None:
    """jacrev of jacrev gives the third-order tensor of second derivatives, unequal along its axes."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return jacrev(jacrev(lambda x: torch.stack([x[0] * x[1] ** 2, x[2].sin() * x[0]])))(a)

    result = check(program, tensor(3))
    result.shape("out", 2, 3, 3)
    result.values().expect("""\
out = float32[2, 3, 3] [[[0, -5.26, 0], [-5.26, 1.373, 0], [0, 0, 0]], [[0, 0, 0.9716], [0, 0, 0], [0.9716, 0,
    0.1625]]]
""")


@clause("T1.2", on=TRACED)
def test_nested_jacobian_through_make_fx(check: Check) -> None:
    """A nested jacrev is traced into one graph without a wrapper left in it, good for other points."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return jacrev(jacrev(lambda x: torch.stack([x[0] * x[1] ** 2, x[2].sin() * x[0]])))(a)

    check(program, tensor(3)).values().expect("""\
out = float32[2, 3, 3] [[[0, -5.26, 0], [-5.26, 1.373, 0], [0, 0, 0]], [[0, 0, 0.9716], [0, 0, 0], [0.9716, 0,
    0.1625]]]
""")


@clause("T1.2")
def test_forward_over_reverse(check: Check) -> None:
    """A Hessian and a Jacobian-vector product, forward mode over reverse mode, are eager's."""

    def program(a: torch.Tensor, direction: torch.Tensor) -> Any:
        pushed: Any = jvp(lambda x: x.cos() * x[0], (a,), (direction,))
        return hessian(lambda x: (x[0] * x.exp()).sum())(a), *pushed

    check(program, tensor(3), tensor(3)).values().expect("""\
out[0] = float32[3, 3] [[5.337, 0.07207, 0.7874], [0.07207, 0.04947, 0], [0.7874, 0, 0.5405]]
out[1] = float32[3] [0.531, -0.5986, 0.6669]
out[2] = float32[3] [-0.4677, 1.052, -1.178]
""")


@clause("T1.2", modes="train", shapes=("static", "dynamic"))
def test_vmap_over_chosen_dimensions(check: Check) -> None:
    """vmap over the first dimension of one operand and the last of another puts the results where it is asked to."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return vmap(lambda x, y: x.outer(y) + y.sum(), in_dims=(0, 1), out_dims=1)(a, b)

    result = check(program, tensor(4, 2), tensor(3, 4))
    result.shape("out", 2, 4, 3).gradient(0, 1)


@clause("T1.2", on=TRACED)
def test_traced_vmap_is_a_graph_of_batched_operators(check: Check) -> None:
    """make_fx of vmap holds operators on whole batches: no loop, no wrapper, the batch an ordinary dimension."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return vmap(torch.dot)(a, b) * 2

    result = check(program, tensor(4, 3), tensor(4, 3))
    result.shape("out", 4)
    result.forward.expect("""\
def forward(self, a_1, b_1):
    unsqueeze = torch.ops.aten.unsqueeze.default(b_1, -1)
    unsqueeze_1 = torch.ops.aten.unsqueeze.default(a_1, -2)
    expand = torch.ops.aten.expand.default(unsqueeze_1, [4, 1, 3])
    view = torch.ops.aten.view.default(expand, [4, 1, 3])
    expand_1 = torch.ops.aten.expand.default(unsqueeze, [4, 3, 1])
    view_1 = torch.ops.aten.view.default(expand_1, [4, 3, 1])
    bmm = torch.ops.aten.bmm.default(view, view_1)
    _unsafe_view = torch.ops.aten._unsafe_view.default(bmm, [4, 1, 1])
    squeeze = torch.ops.aten.squeeze.dim(_unsafe_view, -1)
    squeeze_1 = torch.ops.aten.squeeze.dim(squeeze, -1)
    mul = torch.ops.aten.mul.Tensor(squeeze_1, 2)
    return mul
""")


@clause("T1.2")
def test_gradients_per_sample(check: Check) -> None:
    """vmap of grad over a batch, parameters shared, gives each sample its own gradient."""

    def program(weight: torch.Tensor, batch: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        def loss(w: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return ((w @ x).tanh() - y).pow(2).sum()

        return vmap(grad(loss), in_dims=(None, 0, 0))(weight, batch, targets)

    check(program, tensor(2, 3), tensor(5, 3), tensor(5, 2)).values().expect("""\
out = float32[5, 2, 3] [[[-0.01856, 0.01054, -0.01324], [-2.019, 1.146, -1.441]], [[0.3995, -0.03001, 0.02544],
    [-0.09967, 0.007486, -0.006349]], [[1.774, 0.4496, 0.3691], [-0.1187, -0.03008, -0.02469]], [[-2.977e-05,
    -0.0001607, -4.64e-05], [-0.585, -3.158, -0.9118]], [[0.5362, 0.09666, -0.4342], [0.104, 0.01875, -0.08423]]]
""")


@clause("T1.2")
def test_functional_call_of_a_module_under_grad(check: Check) -> None:
    """grad of functional_call takes the gradients of the parameters that are passed, not of the module's own."""

    module = torch.nn.Linear(3, 2, bias=False)

    def program(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return grad(lambda w: functional_call(module, {"weight": w}, (x,)).sin().sum())(weight)

    check(program, tensor(2, 3), tensor(4, 3)).values().expect("""\
out = float32[2, 3] [[-0.3011, -3.492, 0.1379], [2.886, -0.1789, -0.6847]]
""")


@clause("T1.2")
def test_forward_mode_jacobian_agrees_with_its_batch(check: Check) -> None:
    """jacfwd of a function with an integer-indexed result gives the rows in the order of the result."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return jacfwd(lambda x: torch.cat([x[1:] * x[:-1], x.sum().reshape(1)]))(a)

    check(program, tensor(3)).values().expect("""\
out = float32[3, 3] [[-2.63, 0.6865, 0], [-0, -0.239, -2.63], [1, 1, 1]]
""")


@clause("T1.2", fullgraph=False)
def test_linearized_function_is_used_twice(check: Check) -> None:
    """linearize, where the graph breaks, hands out the value and a function of tangents, which is called twice."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        value, along = linearize(lambda x, y: (x * y).sin().sum(0), a * 2, b)
        return value.cos(), along(a, torch.ones_like(b)), along(b, a) - b

    check(program, tensor(2, 3), tensor(2, 3)).values().expect("""\
out[0] = float32[3] [0.5724, 0.6615, 0.9733]
out[1] = float32[3] [0.1422, -1.174, 1.631]
out[2] = float32[2, 3] [[8.284, -0.08301, 4.324], [8.92, 0.6509, 3.334]]
""")


@clause("T1.2", shapes=("static", "dynamic"))
def test_vmap_in_chunks(check: Check) -> None:
    """vmap over five rows, two at a time, gives the rows of the whole, stacked where out_dims says."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return vmap(lambda x, y: torch.outer(x, y).sum(0), in_dims=(0, 1), out_dims=1, chunk_size=2)(a, b)

    check(program, tensor(5, 2), tensor(3, 5)).values().expect("""\
out = float32[3, 5] [[-0.3244, 0.2294, -1.293, 0.4021, 1.615], [0.8072, 3.634, -0.3619, -0.6525, -0.5753], [1.497,
    3.012, -0.2052, -0.1061, 2.342]]
""")


@clause("T1.2", modes=("no_grad", "train"))
def test_vmap_over_a_dictionary(check: Check) -> None:
    """vmap takes the dimensions of the entries of a dictionary by their names, and gives each result one of its own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        def row(given: dict[str, torch.Tensor], scale: torch.Tensor) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
            return {"product": given["x"] * given["y"] * scale}, given["x"].cumsum(0)

        return vmap(row, in_dims=({"x": 0, "y": -1}, None), out_dims=(0, 1))({"x": a, "y": b}, a[0, 0])

    check(program, tensor(2, 3), tensor(3, 2)).values().expect("""\
out[0]['product'] = float32[2, 3] [[-0.7476, 2.044, -0.02739], [-0.8546, 0.6957, -0.09864]]
out[1] = float32[3, 2] [[0.6865, -1.382], [-1.944, -1.838], [-2.183, -0.8229]]
""")


@clause("T1.2", modes=("no_grad", "train"))
def test_vmap_of_an_index_for_each_row(check: Check) -> None:
    """Of each row its own element is read, and one is written: gathers and scatters by an index that is batched."""

    def program(a: torch.Tensor, where: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        read = vmap(lambda row, at: row.index_select(0, at[None]))(a, where)
        return read, vmap(lambda row, at: row.index_put((at,), row.new_tensor(9.0)))(a, where)

    where = tensor(3, dtype=torch.int64, values=[1, 0, 1])
    check(program, tensor(3, 2), where).values().expect("""\
out[0] = float32[3, 1] [[-2.63], [-0.239], [1.015]]
out[1] = float32[3, 2] [[0.6865, 9], [9, -1.382], [-0.4561, 9]]
""")


@clause("T1.2", "randomness.draws")
def test_numbers_that_vmap_draws_for_each_row_or_once(check: Check) -> None:
    """With randomness "same" all rows get one draw, with "different" each one of its own, in eager's order."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        same = vmap(lambda row: torch.rand_like(row) + row, randomness="same")(a) - a
        different = vmap(lambda row: torch.rand_like(row) + row, randomness="different")(a) - a
        return same, different, vmap(lambda row: torch.randperm(4), randomness="different")(a)

    result = check(program, tensor(3, 4)).drew_random()
    rows, others = result.value("out[0]"), result.value("out[1]")
    result.happened(torch.allclose(rows[0], rows[2], atol=1e-5), "one draw for all rows")
    result.happened(not torch.allclose(others[0], others[2], atol=1e-5), "a draw for each row")


@clause("T1.2")
def test_jacobian_in_chunks(check: Check) -> None:
    """jacrev in chunks of one or two rows, of two arguments and beside what is no part of it, is the whole one."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[Any, Any]:
        rows = jacrev(lambda x, y: (x * y.sum()).sin(), argnums=(0, 1), chunk_size=2)(a, b)
        return rows, jacrev(lambda x: (x * x[0], x.sum()), has_aux=True, chunk_size=1)(a)

    check(program, tensor(3), tensor(2)).values().expect("""\
out[0][0] = float32[3, 3] [[-0.559, -0, -0], [-0, -0.2234, -0], [-0, -0, -1.664]]
out[0][1] = float32[3, 2] [[0.2088, 0.2088], [-0.3197, -0.3197], [-0.2163, -0.2163]]
out[1][0] = float32[3, 3] [[1.373, 0, 0], [-2.63, 0.6865, 0], [-0.239, 0, 0.6865]]
out[1][1] = float32[] -2.183
""")


@clause("T1.2")
def test_results_beside_derivatives(check: Check) -> None:
    """What a function hands out beside its value comes back from each transform, and has no part in its derivative."""

    def program(a: torch.Tensor) -> tuple[Any, ...]:
        def both(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x.sin() * x, x.exp()

        pulled: Any = vjp(both, a, has_aux=True)
        _, pull, beside = pulled
        gradients, (total, last) = grad_and_value(lambda x: (x.sin().sum(), x[-1]), has_aux=True)(a)
        return (
            pull(a),
            beside,
            jvp(both, (a,), (a,), has_aux=True),
            jacfwd(both, has_aux=True)(a),
            gradients,
            total,
            last,
        )

    check(program, tensor(2)).values().expect("""\
out[0][0] = float32[2] [0.7996, -4.745]
out[1] = float32[2] [1.987, 0.07207]
out[2][0] = float32[2] [0.4351, 1.287]
out[2][1] = float32[2] [0.7996, -4.745]
out[2][2] = float32[2] [1.987, 0.07207]
out[3][0] = float32[2, 2] [[1.165, 0], [0, 1.804]]
out[3][1] = float32[2] [1.987, 0.07207]
out[4] = float32[2] [0.7735, -0.872]
out[5] = float32[] 0.1443
out[6] = float32[] -2.63
""")


@clause("T1.2", modes=("no_grad", "train"))
def test_ensemble_of_modules(check: Check) -> None:
    """vmap of functional_call over stacked parameters runs three layers on one input, each by its own weights."""
    layer = torch.nn.Linear(3, 2, bias=False)

    def program(weights: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        def one(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return functional_call(layer, {"weight": weight}, (x,))

        return vmap(one, in_dims=(0, None))(weights, x).sin()

    check(program, tensor(3, 2, 3), tensor(2, 3)).values().expect("""\
out = float32[3, 2, 2] [[[-0.6165, 0.008451], [-0.9773, -0.2304]], [[-0.1505, 0.9702], [-0.8582, 0.3042]], [[0.1705,
    0.6723], [-0.8041, -0.9434]]]
""")
