"""make_fx: a traced graph, run on other inputs, means what the function means, with functorch's transforms in it."""

import torch

from suites.harness import Check, clause, tensor

TRACED = ("make_fx",)


@clause("T1.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), on=TRACED)
def test_graph_computes_the_function_on_other_inputs(check: Check) -> None:
    """One trace computes the function of whatever data it is run on: no number of the first call is baked in."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = torch.tanh(a @ b)
        return hidden * a.sum(), torch.where(a > 0, a, b.t()).cumsum(0)

    result = check(program, tensor(3, 3), tensor(3, 3))
    result.unchanged(0, 1).gradient(0, 1)
    result.forward.expect("""\
def forward(self, a_1, b_1):
    mm = torch.ops.aten.mm.default(a_1, b_1)
    tanh = torch.ops.aten.tanh.default(mm)
    sum_1 = torch.ops.aten.sum.default(a_1)
    mul = torch.ops.aten.mul.Tensor(tanh, sum_1)
    gt = torch.ops.aten.gt.Scalar(a_1, 0)
    t = torch.ops.aten.t.default(b_1)
    where = torch.ops.aten.where.self(gt, a_1, t)
    cumsum = torch.ops.aten.cumsum.default(where, 0)
    return (mul, cumsum)
""")


@clause("T1.1", shapes="dynamic", on=TRACED)
def test_symbolic_graph_serves_other_sizes(check: Check) -> None:
    """Traced with symbolic sizes, one graph computes with each call's own sizes, in shapes and in numbers alike."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rows, columns = a.shape
        return a.reshape(columns, rows) * rows + a.new_ones(columns, 1)

    result = check(program, calls=[(tensor(2, 3),), (tensor(4, 5),), (tensor(7, 3),)])
    result.shape("out", 3, 2)
    result.demand("reuse", "graphs traced for three sizes", 1, result.verdict.counter.graphs)
    result.forward.expect("""\
def forward(self, a_1):
    sym_size = torch.ops.aten.sym_size.int(a_1, 1)
    sym_size_1 = torch.ops.aten.sym_size.int(a_1, 0)
    view = torch.ops.aten.view.default(a_1, [sym_size, sym_size_1])
    mul = torch.ops.aten.mul.Tensor(view, sym_size_1)
    new_ones = torch.ops.aten.new_ones.default(a_1, [sym_size, 1])
    add = torch.ops.aten.add.Tensor(mul, new_ones)
    return add
""")


@clause("T1.1", modes="train", on=TRACED)
def test_graph_mutates_its_inputs_as_the_function_does(check: Check) -> None:
    """In-place ops are traced as they are: the graph writes to the caller's tensors, through views too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a[1:].mul_(b)
        a.t().add_(1)
        return a.sin()

    result = check(program, tensor(3, 3), tensor(3))
    result.mutated(0).unchanged(1).gradient(0, 1)
    result.forward.expect("""\
def forward(self, a_1, b_1):
    slice_1 = torch.ops.aten.slice.Tensor(a_1, 0, 1, 9223372036854775807)
    mul_ = torch.ops.aten.mul_.Tensor(slice_1, b_1)
    t = torch.ops.aten.t.default(a_1)
    add_ = torch.ops.aten.add_.Tensor(t, 1)
    sin = torch.ops.aten.sin.default(a_1)
    return sin
""")


@clause("T1.1", "A4", on=TRACED)
def test_graph_takes_and_gives_nested_containers(check: Check) -> None:
    """Dicts, lists and tuples of tensors, in and out, keep their structure and their order through the trace."""

    def program(batch: dict[str, torch.Tensor], pair: list[torch.Tensor]) -> dict[str, object]:
        return {"total": batch["x"] + batch["y"] * 2, "parts": [pair[1] - pair[0], (batch["y"],)], "nothing": None}

    result = check(program, {"x": tensor(3), "y": tensor(3)}, [tensor(2), tensor(2)])
    result.same_object("out['parts'][1][0]", "arg[0]['y']").distinct("out['total']", "arg[0]['x']")


@clause("T1.3", modes=("train", "no_grad"), shapes=("static", "dynamic"))
def test_zero_dimensional_tensor_beside_a_tensor(check: Check) -> None:
    """A 0-d tensor of a wider dtype takes part as a tensor of low rank: it does not widen the result, it broadcasts."""

    def program(a: torch.Tensor, scale: torch.Tensor, count: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * scale + count, count / scale

    scale = tensor(dtype=torch.float64)
    result = check(program, tensor(3, 2), scale, tensor(dtype=torch.int64))
    result.happened(result.facts("out[0]").dtype == "float32", "a float32 result").gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    mul = torch.ops.aten.mul.Tensor(primals_1, primals_2)
    add = torch.ops.aten.add.Tensor(mul, primals_3)
    div = torch.ops.aten.div.Tensor(primals_3, primals_2)
    return (add, div, primals_1, primals_2, primals_3)
""")


@clause("T1.3", on=TRACED)
def test_zero_dimensional_tensor_stays_an_input_of_the_graph(check: Check) -> None:
    """A 0-d tensor is an input of the traced graph and not a number in it: another one gives another result."""

    def program(a: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return a * scale

    result = check(program, tensor(3), tensor(dtype=torch.float64))
    result.shape("out", 3).unchanged(1)
    result.forward.expect("""\
def forward(self, a_1, scale_1):
    mul = torch.ops.aten.mul.Tensor(a_1, scale_1)
    return mul
""")
