"""What comes out: containers, None, numbers and sizes as the program made them, with eager's autograd facts."""

from typing import Any

import torch

from suites.harness import ANY, Check, built, clause, leaf, tensor


@clause("T2.1", modes="train", entry=ANY)
def test_nested_outputs_keep_their_structure(check: Check) -> None:
    """Lists, dicts, None and Python values among tensors come out where the program put them; the graph has none."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return {"list": [a + b, None], "number": 3, "inner": {"text": "x", "last": a * b}, "flag": True}

    result = check(program, tensor(3), tensor(3))
    result.gradient(0, 1).distinct("out['list'][0]", "out['inner']['last']")
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    add = torch.ops.aten.add.Tensor(primals_1, primals_2)
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    return (add, mul, primals_1, primals_2)
""")


@clause("T2.1")
def test_single_element_containers_stay_containers(check: Check) -> None:
    """A tuple of one, a list of one and an empty one of each are not unwrapped, dropped or exchanged."""

    def program(a: torch.Tensor) -> Any:
        return ((a + 1,), [a + 2], [], (), {})

    result = check(program, tensor(3))
    result.shape("out[0][0]", 3).shape("out[1][0]", 3)
    result.values().expect("""\
out[0][0] = float32[3] [1.686, -1.63, 0.761]
out[1][0] = float32[3] [2.686, -0.6301, 1.761]
""")


@clause("T2.1", entry=ANY)
def test_list_comes_out_as_a_list(check: Check) -> None:
    """A program that returns a list returns a list."""

    def program(a: torch.Tensor) -> list[torch.Tensor]:
        return [a * 2, a - 1]

    check(program, tensor(3)).values().expect("""\
out[0] = float32[3] [1.373, -5.26, -0.478]
out[1] = float32[3] [-0.3135, -3.63, -1.239]
""")


@clause("T2.1")
def test_program_without_a_tensor_result(check: Check) -> None:
    """A program that only writes returns None, and the write has happened."""

    def program(a: torch.Tensor) -> None:
        a.add_(1)

    check(program, tensor(3)).mutated(0)


@clause("T2.2", modes="train", entry=ANY)
def test_requires_grad_of_outputs_follows_their_operands(check: Check) -> None:
    """Of outputs from differentiable, constant, integer and detached operands the differentiable alone require grad."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a * b, b * 2, a.argmax(0), a.detach() + b, b[index] * a.sum(), index + 1

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    result = check(program, tensor(3), tensor(3, grad=False), index)
    result.requires_grad("out[0]", "out[4]").no_grad("out[1]", "out[2]", "out[3]", "out[5]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    mul_1 = torch.ops.aten.mul.Tensor(primals_2, 2)
    argmax = torch.ops.aten.argmax.default(primals_1, 0)
    detach = torch.ops.aten.detach.default(primals_1)
    add = torch.ops.aten.add.Tensor(detach, primals_2)
    index = torch.ops.aten.index.Tensor(primals_2, [primals_3])
    sum_1 = torch.ops.aten.sum.default(primals_1)
    mul_2 = torch.ops.aten.mul.Tensor(index, sum_1)
    add_1 = torch.ops.aten.add.Tensor(primals_3, 1)
    return (mul, mul_1, argmax, add, mul_2, add_1, primals_2, index)
""")


@clause("T2.2", "T4.8", modes="train")
def test_outputs_of_regions_with_and_without_grad(check: Check) -> None:
    """Results of no_grad and enable_grad regions require grad as in eager, and are leaves where eager's are."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            quiet = a.sin()
            with torch.enable_grad():
                loud = a.cos() * quiet
        return quiet, loud, quiet * loud

    result = check(program, tensor(3))
    result.no_grad("out[0]").requires_grad("out[1]", "out[2]").gradient(0)
    result.happened(result.facts("out[0]").is_leaf and not result.facts("out[1]").is_leaf, "one leaf and one result")


@clause("T2.2", modes="train")
def test_parameter_beside_a_constant(check: Check) -> None:
    """Frozen and trained parameters of one module: results of the frozen alone need no grad, others reach theirs."""

    class Frozen(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cold = torch.nn.Parameter(torch.tensor([1.0, -2.0, 3.0]), requires_grad=False)
            self.warm = torch.nn.Parameter(torch.tensor([0.5, 4.0, -1.0]))

        def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return a * self.cold, a * self.warm * self.cold

    result = check(built(Frozen), tensor(3, grad=False))
    result.no_grad("out[0]").requires_grad("out[1]")


@clause("T2.3", modes="train", entry=ANY)
def test_composite_operators_decompose_below_autograd(check: Check) -> None:
    """In a training graph composite operators are their parts, and the inputs are called primals."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(a, b).flatten(0, 1).matmul(b)

    result = check(program, tensor(2, 3, 4), leaf(5, 4))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    t = torch.ops.aten.t.default(primals_2)
    view = torch.ops.aten.view.default(primals_1, [6, 4])
    mm = torch.ops.aten.mm.default(view, t)
    _unsafe_view = torch.ops.aten._unsafe_view.default(mm, [2, 3, 5])
    view_1 = torch.ops.aten.view.default(_unsafe_view, [6, 5])
    mm_1 = torch.ops.aten.mm.default(view_1, primals_2)
    t_1 = torch.ops.aten.t.default(view_1)
    return (mm_1, t, view, t_1)
""")


@clause("T2.3", modes="inference", entry=ANY)
def test_inference_graph_has_its_own_names(check: Check) -> None:
    """In an inference graph the inputs are called arguments, and nothing is saved for a backward."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(a, b).flatten(0, 1).matmul(b)

    result = check(program, tensor(2, 3, 4), leaf(5, 4))
    result.shape("out", 6, 4)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    t = torch.ops.aten.t.default(arg1_1)
    view = torch.ops.aten.view.default(arg0_1, [6, 4])
    mm = torch.ops.aten.mm.default(view, t)
    _unsafe_view = torch.ops.aten._unsafe_view.default(mm, [2, 3, 5])
    view_1 = torch.ops.aten.view.default(_unsafe_view, [6, 5])
    mm_1 = torch.ops.aten.mm.default(view_1, arg1_1)
    return (mm_1,)
""")


@clause("T2.4", modes=("train", "no_grad"), shapes=("dynamic", "static"), entry=ANY)
def test_sizes_come_out_as_integers(check: Check) -> None:
    """Sizes that are returned are Python ints of the call's own shape, and backward has no tangent for them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int, int]:
        return a.sin(), a.shape[0], a.numel() * 2 - a.shape[1]

    result = check(program, tensor(2, 3))
    result.gradient(0).happened(result.call.entries["out[2]"].detail == 9, "the number 9")
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    sin = torch.ops.aten.sin.default(primals_3)
    mul = operator.mul(primals_1, primals_2)
    mul_1 = operator.mul(mul, 2)
    sub = operator.sub(mul_1, primals_2)
    return (sin, primals_1, sub, primals_3, primals_1, primals_2)
""")
    if result.training:
        result.backward.expect("""\
def forward(self, primals_1, primals_2, primals_3, tangents_1):
    cos = torch.ops.aten.cos.default(primals_3)
    mul = torch.ops.aten.mul.Tensor(tangents_1, cos)
    return (None, None, mul)
""")


@clause("T2.4", shapes=("static", "dynamic"))
def test_torch_size_comes_out_as_torch_size(check: Check) -> None:
    """A `torch.Size`, of an input and of a result, comes out as one, with ints in it."""

    def program(a: torch.Tensor) -> tuple[torch.Size, torch.Size, torch.Tensor]:
        b = a.repeat(2, 1)
        return a.shape, b.size(), b

    result = check(program, calls=[(tensor(2, 3),), (tensor(4, 3),)])
    result.shape("out[2]", 4, 3)
    result.values().expect("""\
out[0][0] = int 2
out[0][1] = int 3
out[1][0] = int 4
out[1][1] = int 3
out[2] = float32[4, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015], [0.6865, -2.63, -0.239], [-1.382,
    -0.4561, 1.015]]
""")
    result.in_call(1).values().expect("""\
out[0][0] = int 4
out[0][1] = int 3
out[1][0] = int 8
out[1][1] = int 3
out[2] = float32[8, 3] [[-0.5028, -0.2729, -0.06803], [0.9096, -0.4786, -0.5232], [2.088, 0.2267, -0.03578],
    [0.4365, 0.7756, 1.016], [-0.5028, -0.2729, -0.06803], [0.9096, -0.4786, -0.5232], [2.088, 0.2267, -0.03578],
    [0.4365, 0.7756, 1.016]]
""")


@clause("T2.4", "A8", modes="train", shapes="dynamic")
def test_sizes_returned_by_one_graph_for_all_calls(check: Check) -> None:
    """One compiled graph returns each call's own sizes beside a tensor made of them, and differentiates."""

    def program(a: torch.Tensor) -> tuple[int, torch.Tensor]:
        rows = a.shape[0]
        return rows * 3, a.sum(0) * rows

    result = check(program, calls=[(tensor(2, 3),), (tensor(5, 3),), (tensor(7, 4),)])
    result.gradient(0).recompiled(0)


@clause("T2.4", modes="train")
def test_number_read_from_a_tensor(check: Check) -> None:
    """A number read out of a tensor in the program is the call's own, as a number and as a factor."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[float, torch.Tensor]:
        factor = b.item()
        return factor, a * factor

    config = {"dynamo.capture_scalar_outputs": True}
    check(program, tensor(3), tensor(grad=False), config=config).gradient(0).shape("out[1]", 3)


@clause("A18", entry=ANY)
def test_constant_made_in_the_program_is_fresh_in_each_call(check: Check) -> None:
    """A tensor of literals is made anew by each call: what the program adds to it in one is not there in the next."""

    def program(a: torch.Tensor) -> torch.Tensor:
        total = torch.tensor([1.0, 2.0, 3.0], device=a.device)
        total.add_(a)
        return total

    result = check(program, tensor(3))
    result.distinct("out", 0).unchanged(0)
    result.forward.expect("""\
def forward(self, arg0_1):
    _tensor_constant0 = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float32)
    lift_fresh_copy = torch.ops.aten.lift_fresh_copy.default(_tensor_constant0)
    add = torch.ops.aten.add.Tensor(lift_fresh_copy, arg0_1)
    return (add,)
""")


@clause("A18", "T2.2", modes="train", entry=ANY)
def test_constant_that_is_returned_is_the_callers_own(check: Check) -> None:
    """A tensor of literals that is returned is new memory each time: writing to it does not change the next call's."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        table = torch.tensor([0.5, -1.0, 4.0], device=a.device)
        return table, table * a

    result = check(program, calls=[(tensor(3),)] * 3)
    result.no_grad("out[0]").gradient(0).distinct("out[0]", 0)


@clause("A18", "T2.2", entry=ANY)
def test_constants_of_many_numbers_that_are_returned(check: Check) -> None:
    """Tensors of more literals than are written into a kernel are the caller's own, too, whatever they are made of."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "numbers": torch.tensor([0.5, -1.0, 4.0, 2.0, -3.0, 0.25, 1.5, 6.0, -0.5, 8.0], device=a.device),
            "places": torch.tensor([[0, 1, 2, 3], [2, 3, 0, 1], [3, 1, 2, 0]], device=a.device),
            "truths": torch.tensor([[True, False, True], [False, True, True], [True, True, False]], device=a.device),
            "used": torch.tensor([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0], [8.0, 0.0, 2.0]], device=a.device) @ a,
            "alone": torch.tensor(2.5, device=a.device),
            "none": torch.tensor([], device=a.device),
        }

    result = check(program, calls=[(tensor(3),)] * 3)
    result.distinct("out['numbers']", 0).in_call(2).distinct("out['places']", 0).values().expect("""\
out['numbers'] = float32[10] [0.5, -1, 4, 2, -3, 0.25, 1.5, 6, -0.5, 8]
out['places'] = int64[3, 4] [[0, 1, 2, 3], [2, 3, 0, 1], [3, 1, 2, 0]]
out['truths'] = bool[3, 3] [[True, False, True], [False, True, True], [True, True, False]]
out['used'] = float32[3] [6.573, 4.678, -0.1292]
out['alone'] = float32[] 2.5
out['none'] = float32[0] []
""")
