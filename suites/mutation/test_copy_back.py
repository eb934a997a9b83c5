"""Where the copy back happens: inside the graph as its last ops, or after it, in AOTAutograd's epilogue."""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, clause, tensor


@clause("T3.2", modes=("no_grad", "inference"), shapes=("static", "dynamic"), entry=ANY)
def test_without_grad_copy_is_the_last_op_of_the_graph(check: Check) -> None:
    """Where no input requires grad, the mutation stays in the graph, as a `copy_` into the input after all else."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b)
        return a + 1

    result = check(program, tensor(3, 3), tensor(3, 3))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, arg1_1)
    add = torch.ops.aten.add.Tensor(mul, 1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, mul)
    return (add,)
""")


@clause("T3.2", modes=("no_grad", "inference"), shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_without_kept_mutations_the_new_value_is_an_output(check: Check) -> None:
    """When input mutations are not kept in the graph, it has no `copy_` and returns the new value to be copied back."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b)
        return a + 1

    result = check(program, tensor(3, 3), tensor(3, 3))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, arg1_1)
    add = torch.ops.aten.add.Tensor(mul, 1)
    return (mul, add)
""")


@clause("T3.2", modes="train", shapes=("static", "dynamic"), entry=AOT_FUNCTION)
def test_training_graph_without_kept_mutations_returns_every_new_value(check: Check) -> None:
    """In training too the new values are outputs, of inputs that require grad and of inputs that do not alike."""

    def program(a: torch.Tensor, constant: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        constant.add_(1)
        return a * constant

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(0, 1).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(primals_2, 1)
    mul_1 = torch.ops.aten.mul.Tensor(mul, add)
    return (mul, add, mul_1, add)
""")


@clause("T3.2", modes="train", entry=ANY)
def test_training_graph_keeps_copy_of_inputs_without_grad_alone(check: Check) -> None:
    """In a training graph the input without grad is copied into inside the graph, the one with grad after it."""

    def program(a: torch.Tensor, constant: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        constant.add_(1)
        return a * constant

    result = check(program, tensor(3), tensor(3, grad=False))
    result.mutated(0, 1).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(primals_2, 1)
    mul_1 = torch.ops.aten.mul.Tensor(mul, add)
    copy_ = torch.ops.aten.copy_.default(primals_2, add)
    return (mul, mul_1, add)
""")


@clause("T3.2", "T3.3", entry=ANY)
def test_each_new_value_goes_back_to_its_own_input(check: Check) -> None:
    """With several mutated inputs of one shape, in another order than the arguments', none gets another's value."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        c.add_(1)
        a.add_(c)
        b.add_(a)
        return a + b + c

    result = check(program, tensor(3), tensor(3), tensor(3))
    result.mutated(0, 1, 2)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    add = torch.ops.aten.add.Tensor(arg0_1, 1)
    add_1 = torch.ops.aten.add.Tensor(arg1_1, add)
    add_2 = torch.ops.aten.add.Tensor(arg2_1, add_1)
    add_3 = torch.ops.aten.add.Tensor(add_1, add_2)
    add_4 = torch.ops.aten.add.Tensor(add_3, add)
    copy_ = torch.ops.aten.copy_.default(arg0_1, add)
    copy__1 = torch.ops.aten.copy_.default(arg1_1, add_1)
    copy__2 = torch.ops.aten.copy_.default(arg2_1, add_2)
    return (add_4,)
""")


@clause("T3.2", entry=ANY)
def test_copying_one_input_into_another_then_changing_the_source(check: Check) -> None:
    """An input that takes another's value keeps it when that one changes afterwards: the copies back are ordered."""

    def program(a: torch.Tensor, b: torch.Tensor) -> None:
        a.copy_(b)
        b.add_(1)

    result = check(program, tensor(3), tensor(3))
    result.mutated(0, 1).distinct("arg[0]", "arg[1]")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    copy = torch.ops.aten.copy.default(arg0_1, arg1_1)
    add = torch.ops.aten.add.Tensor(arg1_1, 1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, copy)
    copy__1 = torch.ops.aten.copy_.default(arg1_1, add)
    return ()
""")


@clause("T3.2", modes=("no_grad", "train"), entry=ANY)
def test_input_written_back_to_its_old_value_is_not_disturbed(check: Check) -> None:
    """Changes that cancel out leave the input bit for bit as it was, though every read between saw the change."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.neg_()
        between = a * 2
        a.neg_()
        return between

    result = check(program, tensor(3, 3)).unchanged(0)
    result.values().expect("""\
out = float32[3, 3] [[-1.373, 5.26, 0.478], [2.764, 0.9121, -2.03], [3.173, -1.802, 2.264]]
""")


@clause("T3.2", shapes=("static", "dynamic"), entry=ANY)
def test_strides_of_the_caller_survive_the_copy_back(check: Check) -> None:
    """The value computed for a transposed input is copied into it element by element: its strides stay."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.copy_((a + b).contiguous())
        return a * 1

    result = check(program, tensor(3, 4, strides=(1, 3)), tensor(3, 4))
    result.mutated(0).strides(0, 1, 3)
