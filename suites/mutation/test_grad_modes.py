"""Input mutation under detach and no_grad: what takes part in differentiation, and what is data alone."""

import torch

from suites.harness import ANY, Check, clause, leaf, tensor


@clause("T4.1", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_detached_no_grad_and_plain_mutation_mixed_on_one_input(check: Check) -> None:
    """Of three mutations of one input, detached, under no_grad and plain, only the plain one is differentiated."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.detach().mul_(2)
        a.mul_(3)
        with torch.no_grad():
            a.mul_(5)
        return a * 7

    result = check(program, tensor(3, values=[1.0, 2.0, 3.0]))
    result.mutated(0).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    detach = torch.ops.aten.detach.default(clone)
    mul = torch.ops.aten.mul.Tensor(detach, 2)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 3)
    mul_2 = torch.ops.aten.mul.Tensor(mul_1, 5)
    mul_3 = torch.ops.aten.mul.Tensor(mul_2, 7)
    return (mul_2, mul_3)
""")


@clause("T4.1", "T4.3", modes=("train", "no_grad"), entry=ANY)
def test_detached_mutation_of_a_leaf(check: Check) -> None:
    """A leaf that requires grad may be mutated through `detach`: its data changes, its gradient ignores it."""

    def program(parameter: torch.Tensor) -> torch.Tensor:
        parameter.detach().mul_(2)
        return parameter * 3

    result = check(program, leaf(3))
    result.mutated(0).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    detach = torch.ops.aten.detach.default(clone)
    mul = torch.ops.aten.mul.Tensor(detach, 2)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 3)
    return (mul, mul_1)
""")


@clause("T4.1", "T4.3", modes="train", entry=ANY)
def test_detached_mutation_of_a_tensor_with_history(check: Check) -> None:
    """An input with a history mutated through `detach` keeps that history, and no new node is added to it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.detach().mul_(2)
        return a * 3

    check(program, tensor(3)).mutated(0).requires_grad(0).gradient(0)


@clause("T4.1", "T4.2", modes="train", entry=ANY)
def test_no_grad_mutation_leaves_the_history_of_its_input(check: Check) -> None:
    """An input with a history that is changed under no_grad keeps it: backward from the input reaches its leaf."""

    def program(a: torch.Tensor) -> None:
        with torch.no_grad():
            a.mul_(2)

    result = check(program, tensor(3))
    kept = result.call.gradients["leaf[0]"]
    arrived = kept is not None and kept.value is not None and bool(kept.value.any())
    result.mutated(0).happened(arrived, "a gradient of the leaf that is not zero")


@clause("T4.2", modes="train", shapes=("static", "dynamic"), entry=ANY)
def test_no_grad_mutation_stays_in_the_training_graph(check: Check) -> None:
    """A mutation under no_grad of a parameter in a training program is a `copy_` inside of the forward graph."""

    def program(parameter: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            parameter.add_(1)
        return parameter * a

    result = check(program, leaf(3), tensor(3))
    result.mutated(0).unchanged(1).gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    add = torch.ops.aten.add.Tensor(primals_1, 1)
    mul = torch.ops.aten.mul.Tensor(add, primals_2)
    copy_ = torch.ops.aten.copy_.default(primals_1, add)
    return (mul, primals_2, add)
""")


@clause("T4.2", modes="train", entry=ANY)
def test_program_all_under_no_grad_is_an_inference_graph(check: Check) -> None:
    """With its whole body under no_grad a program has no backward, though its inputs require grad."""

    def program(parameter: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            parameter.add_(a)
            return parameter * 2

    result = check(program, leaf(3), tensor(3))
    result.mutated(0).no_grad("out").unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    add = torch.ops.aten.add.Tensor(arg0_1, arg1_1)
    mul = torch.ops.aten.mul.Tensor(add, 2)
    copy_ = torch.ops.aten.copy_.default(arg0_1, add)
    return (mul,)
""")


@clause("T4.2", modes="train", entry=ANY)
def test_optimizer_step_under_no_grad(check: Check) -> None:
    """A hand-written SGD step with momentum changes parameter and state in place and leaves both without history."""

    def program(parameter: torch.Tensor, gradient: torch.Tensor, momentum: torch.Tensor) -> None:
        with torch.no_grad():
            momentum.mul_(0.9).add_(gradient)
            parameter.add_(momentum, alpha=-0.1)

    result = check(program, leaf(3), tensor(3, grad=False), tensor(3, grad=False))
    result.mutated(0, 2).unchanged(1).requires_grad(0).no_grad(2)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 0.9)
    add = torch.ops.aten.add.Tensor(mul, arg1_1)
    add_1 = torch.ops.aten.add.Tensor(arg2_1, add, alpha=-0.1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, add)
    copy__1 = torch.ops.aten.copy_.default(arg2_1, add_1)
    return ()
""")


@clause("T4.1", modes="train", entry=ANY)
def test_value_read_after_a_no_grad_mutation_is_the_new_one_in_backward_too(check: Check) -> None:
    """The derivative of a square taken after a no_grad mutation uses the mutated value."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            a.add_(10)
        return a * a

    check(program, leaf(3)).mutated(0).gradient(0)


@clause("T4.5", modes=("train", "no_grad"), entry=ANY)
def test_detached_alias_from_before_the_mutation_shows_the_new_data(check: Check) -> None:
    """A detached alias taken before its input is mutated shares the new data and does not require grad."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        detached = a.detach()
        a.mul_(2)
        return detached, a * 3

    result = check(program, tensor(3))
    result.mutated(0).aliases("out[0]", "arg[0]").no_grad("out[0]").requires_grad("out[1]")
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 3)
    detach = torch.ops.aten.detach.default(mul)
    return (mul, detach, mul_1)
""")


@clause("T4.8", modes="train", entry=ANY)
def test_outputs_made_under_no_grad(check: Check) -> None:
    """A tensor computed under no_grad is without grad, and an input returned from there keeps requiring it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            return a * 2, a

    result = check(program, tensor(3))
    result.no_grad("out[0]").same_object("out[1]", "arg[0]").requires_grad("out[1]")


@clause("T4.8", modes="train", entry=ANY)
def test_view_of_an_input_made_under_no_grad(check: Check) -> None:
    """A view of an input made under no_grad shares its data and has no history: backward through it goes nowhere."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            view = a[1:]
        return view, a * 2

    result = check(program, tensor(3))
    result.aliases("out[0]", "arg[0]").happened(result.facts("out[0]").is_leaf, "a view without history").gradient(0)


@clause("T4.8", modes="train", entry=ANY)
def test_enable_grad_inside_of_no_grad_records_again(check: Check) -> None:
    """Only what runs under the inner enable_grad is differentiated, the mutation there included."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            silent = b * 2
            with torch.enable_grad():
                a.add_(b)
                recorded = a * 3
        return silent, recorded

    result = check(program, tensor(3), tensor(3))
    result.mutated(0).no_grad("out[0]").requires_grad("out[1]").gradient(0, 1)


@clause("T4.8", modes=("train", "no_grad"))
def test_grad_mode_set_by_the_program_is_left_as_eager_leaves_it(check: Check) -> None:
    """A program that turns grad mode off for a mutation and on again leaves it on, and the rest is differentiated."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch.set_grad_enabled(False)
        a.mul_(2)
        torch.set_grad_enabled(True)
        return a * 3

    check(program, tensor(3)).mutated(0).gradient(0)
