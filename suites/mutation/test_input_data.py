"""Data mutation of inputs: what an in-place op on an argument does to the caller's tensor and to gradients."""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, clause, tensor


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), inputs=("plain", "strided"), entry=ANY)
def test_in_place_op_reaches_the_caller(check: Check) -> None:
    """An in-place op on an input changes the caller's tensor, once, and the graph itself stays functional."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a * 3

    result = check(program, tensor(3, 3))
    result.mutated(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 3)
    return (mul, mul_1)
""")


@clause("T3.4", "T8.3", modes=("no_grad", "inference"), shapes=("static", "dynamic"), inputs="subclass", entry=ANY)
def test_in_place_op_on_a_subclass_reaches_both_inner_tensors(check: Check) -> None:
    """An in-place op on a wrapper subclass changes each of its inner tensors, and its graph copies each back."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a * 3

    result = check(program, tensor(3, 3))
    result.mutated("arg[0].a", "arg[0].b").distinct("out.a", "arg[0].a")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    mul_1 = torch.ops.aten.mul.Tensor(arg1_1, 2)
    mul_2 = torch.ops.aten.mul.Tensor(mul, 3)
    mul_3 = torch.ops.aten.mul.Tensor(mul_1, 3)
    copy_ = torch.ops.aten.copy_.default(arg0_1, mul)
    copy__1 = torch.ops.aten.copy_.default(arg1_1, mul_1)
    return (mul_2, mul_3)
""")


@clause("T3.4", "T8.3", modes="train", inputs="subclass", entry=ANY)
def test_backward_through_a_mutated_subclass_input(check: Check) -> None:
    """A mutated wrapper-subclass input carries history: backward from it, and from the result, reaches its leaf."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a * 3

    check(program, tensor(3, 3)).mutated(0).gradient(0)


@clause("T3.1", modes="train", entry=ANY)
def test_backward_uses_the_value_from_before_the_mutation(check: Check) -> None:
    """The factor's gradient of an in-place product is the input's old value, which the graph has to keep."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b)
        return a + 1

    check(program, tensor(3, 3), tensor(3, 3)).mutated(0).unchanged(1).gradient(0, 1)


@clause("T3.1", modes="train", entry=AOT_FUNCTION)
def test_old_value_of_a_mutated_input_is_cloned_for_backward(check: Check) -> None:
    """The graph clones an input whose old value backward needs, and saves the clone, not the caller's tensor."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(b)
        return a + 1

    result = check(program, tensor(3, 3), tensor(3, 3))
    result.mutated(0).gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    clone_1 = torch.ops.aten.clone.default(clone)
    mul = torch.ops.aten.mul.Tensor(clone, primals_2)
    add = torch.ops.aten.add.Tensor(mul, 1)
    return (mul, add, primals_2, clone_1)
""")
    result.backward.expect("""\
def forward(self, primals_2, clone_1, tangents_1, tangents_2):
    add = torch.ops.aten.add.Tensor(tangents_1, tangents_2)
    mul = torch.ops.aten.mul.Tensor(add, clone_1)
    mul_1 = torch.ops.aten.mul.Tensor(add, primals_2)
    return (mul_1, mul)
""")


@clause("T3.1", modes="train", entry=ANY)
def test_backward_of_a_result_from_before_the_mutation(check: Check) -> None:
    """A result computed before its input was overwritten keeps its value and its gradient."""

    def program(a: torch.Tensor) -> torch.Tensor:
        power = a.exp()
        a.fill_(7)
        return power

    result = check(program, tensor(3, 3))
    result.mutated(0).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    exp = torch.ops.aten.exp.default(clone)
    detach = torch.ops.aten.detach.default(exp)
    fill = torch.ops.aten.fill.Scalar(clone, 7)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (fill, exp, detach_1)
""")


@clause("T3.1", modes="train", entry=ANY)
def test_gradient_flows_through_the_mutated_input_itself(check: Check) -> None:
    """With no output at all, the mutated input carries the history: backward from it reaches both sources."""

    def program(a: torch.Tensor, b: torch.Tensor) -> None:
        a.sub_(b.cos())

    result = check(program, tensor(3, 3), tensor(3, 3))
    result.mutated(0).unchanged(1).gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    cos = torch.ops.aten.cos.default(primals_2)
    sub = torch.ops.aten.sub.Tensor(clone, cos)
    return (sub, primals_2)
""")
    result.backward.expect("""\
def forward(self, primals_2, tangents_1):
    neg = torch.ops.aten.neg.default(tangents_1)
    sin = torch.ops.aten.sin.default(primals_2)
    neg_1 = torch.ops.aten.neg.default(sin)
    mul = torch.ops.aten.mul.Tensor(neg, neg_1)
    return (tangents_1, mul)
""")


@clause("T3.3", modes=("train", "no_grad"), entry=ANY)
def test_only_mutated_inputs_are_copied_back(check: Check) -> None:
    """Of five inputs the two that are written to change, and the graph returns new values of these two alone."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
        b.add_(a)
        d.sub_(c)
        return b + c + d + e

    result = check(program, *(tensor(3) for _ in range(5)))
    result.mutated(1, 3).unchanged(0, 2, 4)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3, primals_4, primals_5):
    clone = torch.ops.aten.clone.default(primals_1)
    clone_1 = torch.ops.aten.clone.default(primals_3)
    add = torch.ops.aten.add.Tensor(clone, primals_2)
    sub = torch.ops.aten.sub.Tensor(clone_1, primals_4)
    add_1 = torch.ops.aten.add.Tensor(add, primals_4)
    add_2 = torch.ops.aten.add.Tensor(add_1, sub)
    add_3 = torch.ops.aten.add.Tensor(add_2, primals_5)
    return (add, sub, add_3)
""")


@clause("T3.3", modes=("train", "no_grad"), entry=ANY)
def test_input_that_is_also_the_output(check: Check) -> None:
    """A mutated input that is returned comes back as the caller's own object, not as a copy of it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a

    result = check(program, tensor(3, 3))
    result.mutated(0).same_object("out", "arg[0]")
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    return (mul, mul)
""")


@clause("T3.3", modes=("train", "no_grad"), entry=ANY)
def test_output_computed_from_a_mutated_input_has_its_own_memory(check: Check) -> None:
    """A clone of a mutated input has the new value, and writing to either afterwards does not show in the other."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a.clone()

    check(program, tensor(3, 3)).mutated(0).distinct("out", "arg[0]")


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_many_in_place_ops_are_one_copy_back(check: Check) -> None:
    """A chain of in-place ops leaves its last value in the input, and the graph returns that value once."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        a.add_(b)
        a.neg_()
        return a + b

    result = check(program, tensor(3), tensor(3))
    result.mutated(0).unchanged(1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    add = torch.ops.aten.add.Tensor(mul, primals_2)
    neg = torch.ops.aten.neg.default(add)
    add_1 = torch.ops.aten.add.Tensor(neg, primals_2)
    return (neg, add_1)
""")


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_reads_between_in_place_ops_see_the_value_of_their_moment(check: Check) -> None:
    """Each read of an input sees the in-place ops before it and none of those after it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        first = a * 1
        a.add_(1)
        second = a * 10
        a.mul_(3)
        return first, second, a * 100

    check(program, tensor(3)).mutated(0).distinct("out[0]", "out[1]").distinct("out[1]", "out[2]")


@clause("T3.1", modes="train", entry=ANY)
def test_overwriting_an_input_cuts_its_old_history(check: Check) -> None:
    """After `copy_` the input carries the source's gradient, and its own leaf gets zeros instead of a gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.copy_(b * 2)
        return a * 3

    result = check(program, tensor(3), tensor(3))
    result.mutated(0).gradient(0, 1)
    cut = result.call.gradients["leaf[0]"]
    result.happened(cut is not None and cut.value is not None and not cut.value.any(), "a gradient of zeros")


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_item_assignment_changes_the_selected_elements_alone(check: Check) -> None:
    """Assignment by index, slice, mask and index tensor writes where eager writes, and gradients follow."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a[0] = b
        a[1, 1:] = 7
        a[a < -1] = 0
        a[torch.tensor([3, 2]), torch.tensor([0, 2])] = b[:2]
        return a * 2

    check(program, tensor(4, 3), tensor(3)).mutated(0).unchanged(1).gradient(0, 1)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_in_place_op_keeps_the_inputs_dtype(check: Check) -> None:
    """An in-place op with a wider operand rounds into the input's own dtype; integer and bool inputs work alike."""

    def program(half: torch.Tensor, wide: torch.Tensor, whole: torch.Tensor, flags: torch.Tensor) -> torch.Tensor:
        half.add_(wide)
        whole.mul_(3)
        flags.logical_not_()
        return half * 2

    specs = tensor(5, dtype=torch.float16), tensor(5), tensor(5, dtype=torch.int64), tensor(5, dtype=torch.bool)
    result = check(program, *specs)
    result.mutated(0, 2, 3).unchanged(1)


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_scalar_and_empty_inputs_can_be_mutated(check: Check) -> None:
    """A 0-d input changes like any other, and an input without elements is left well formed."""

    def program(scalar: torch.Tensor, empty: torch.Tensor) -> torch.Tensor:
        scalar.add_(1)
        empty.mul_(2)
        return empty + scalar

    check(program, tensor(), tensor(0, 3)).mutated(0).shape("out", 0, 3)


@clause("T3.3", modes=("train", "no_grad"), entry=ANY)
def test_foreach_in_place_changes_every_tensor_of_the_list(check: Check) -> None:
    """A foreach in-place op writes to each of its tensors with its own operand."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            torch._foreach_mul_([a, b], [2.0, 3.0])
            torch._foreach_add_([a, b], [c, c])
        return a + b

    check(program, tensor(3), tensor(3), tensor(3)).mutated(0, 1).unchanged(2)


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_accumulating_scatters_write_into_the_input(check: Check) -> None:
    """`index_add_`, `scatter_add_` and an accumulating `index_put_` add into the caller's tensor and differentiate."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        a.index_add_(0, index, b)
        a.scatter_add_(0, index, b * 2)
        a.index_put_((index,), b * 3, accumulate=True)
        return a.sin()

    index = tensor(3, dtype=torch.int64, values=[0, 2, 2])
    check(program, tensor(4), tensor(3), index).mutated(0).unchanged(1, 2).gradient(0, 1)


@clause("T3.3", modes=("train", "inference"), shapes=("static", "dynamic"), entry=ANY)
def test_two_inputs_exchange_their_values(check: Check) -> None:
    """Two inputs whose new values are each other's old ones are written back without one overwriting the other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> None:
        old = a.clone()
        a.copy_(b)
        b.copy_(old)

    result = check(program, tensor(3, grad=False), tensor(3, grad=False))
    result.mutated(0, 1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    clone = torch.ops.aten.clone.default(arg0_1)
    copy = torch.ops.aten.copy.default(arg0_1, arg1_1)
    copy_1 = torch.ops.aten.copy.default(arg1_1, clone)
    copy_ = torch.ops.aten.copy_.default(arg0_1, copy)
    copy__1 = torch.ops.aten.copy_.default(arg1_1, copy_1)
    return ()
""")
