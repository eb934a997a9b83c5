"""What backward is given: saved tensors, who requires grad, gradients that are cut or not there, inference graphs."""

import torch

from suites.harness import Check, built, clause, leaf, tensor


@clause("A16")
def test_parameters_under_no_grad_make_an_inference_graph(check: Check) -> None:
    """A layer called under no_grad is an inference graph: one output and nothing saved, though parameters need grad."""
    result = check(built(lambda: torch.nn.Linear(3, 2)), tensor(4, 3))
    result.no_grad("out")
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1, arg2_1):
    t = torch.ops.aten.t.default(arg0_1)
    addmm = torch.ops.aten.addmm.default(arg1_1, arg2_1, t)
    return (addmm,)
""")


class _Decoder(torch.nn.Module):
    """One step of greedy generation with a cache of what came before."""

    cache: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(7, 4)
        self.head = torch.nn.Linear(4, 7)
        self.register_buffer("cache", torch.zeros(4))

    def forward(self, token: torch.Tensor) -> torch.Tensor:
        self.cache.mul_(0.5).add_(self.embed(token))
        return self.head(self.cache.tanh()).argmax()


@clause("A16", "T13", modes=("no_grad", "inference"))
def test_steps_of_generation_under_no_grad(check: Check) -> None:
    """Steps of generation under no_grad move a cache on from step to step, and give eager's tokens."""
    result = check(built(_Decoder), calls=[(tensor(dtype=torch.int64, values=[token]),) for token in (3, 6, 0)])
    result.mutated("module.cache").no_grad("out")


@clause("A15", modes="train")
def test_every_mix_of_inputs_that_require_grad(check: Check) -> None:
    """A leaf, an input with history and a constant: gradients arrive at the first two; none is made for the third."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return a * b, b * c, c * 2

    result = check(program, leaf(3), tensor(3), tensor(3, grad=False))
    result.gradient(0, 1).requires_grad("out[0]", "out[1]").no_grad("out[2]", 2)
    result.backward.expect("""\
def forward(self, primals_1, primals_2, primals_3, tangents_1, tangents_2):
    mul = torch.ops.aten.mul.Tensor(tangents_2, primals_3)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, primals_1)
    mul_2 = torch.ops.aten.mul.Tensor(tangents_1, primals_2)
    add = torch.ops.aten.add.Tensor(mul, mul_1)
    return (mul_2, add, None)
""")


@clause("A15", modes="train")
def test_second_call_requires_other_gradients(check: Check) -> None:
    """Which inputs require grad may change from call to call, and each call's gradients are its own."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b).sin()

    fixed = tensor(3, grad=False)
    check(program, calls=[(leaf(3), fixed), (fixed, leaf(3)), (leaf(3), leaf(3)), (leaf(3), fixed)]).gradient(0)


@clause("A15", modes="train")
def test_input_that_the_result_does_not_depend_on(check: Check) -> None:
    """An unused leaf, and one that reaches the result through a comparison alone, have no gradient: not zeros."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.where(b > 0, a, a * 3)

    check(program, leaf(4), leaf(4), leaf(4)).gradient(0).no_gradient(1, 2)


@clause("A15", modes="train")
def test_part_of_the_program_under_no_grad(check: Check) -> None:
    """What is computed under no_grad is a constant for backward, and enable_grad inside of it records again."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            weight = a.softmax(0)
            with torch.enable_grad():
                recorded = a.exp()
        return a * weight, recorded * weight

    check(program, leaf(4)).requires_grad("out[0]", "out[1]").gradient(0)


@clause("A15", modes="train")
def test_detached_factor_is_a_constant_for_backward(check: Check) -> None:
    """A factor that is detached passes no gradient, on either side of a straight-through estimate."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rounded = a + (a.round() - a).detach()
        return rounded * a.detach() + a.data

    check(program, leaf(4)).gradient(0)


@clause("A15", modes="train", shapes=("static", "dynamic"))
def test_backward_needs_sizes_and_not_the_tensors(check: Check) -> None:
    """A sum and a mean over inputs of any size go back by the sizes of their own call."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(0) * a.shape[0] + a.mean(0) + a.expand(2, *a.shape).sum((0, 1))

    check(program, calls=[(leaf(4, 3),), (leaf(6, 3),), (leaf(3, 5),)]).gradient(0)


@clause("A15", modes="train", golden="aot_eager_decomp_partition")
def test_cheap_chain_is_recomputed_from_its_input(check: Check) -> None:
    """The min-cut partitioner saves the input of a pointwise chain alone and computes the rest again in backward."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin().exp().tanh() * 2

    result = check(program, leaf(4))
    result.gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    exp = torch.ops.aten.exp.default(sin)
    tanh = torch.ops.aten.tanh.default(exp)
    mul = torch.ops.aten.mul.Tensor(tanh, 2)
    return (mul, primals_1)
""")
    result.backward.expect("""\
def forward(self, primals_1, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, 2)
    sin = torch.ops.aten.sin.default(primals_1)
    exp = torch.ops.aten.exp.default(sin)
    tanh = torch.ops.aten.tanh.default(exp)
    alias = torch.ops.aten.alias.default(tanh)
    alias_1 = torch.ops.aten.alias.default(alias)
    mul_1 = torch.ops.aten.mul.Tensor(alias_1, alias_1)
    sub = torch.ops.aten.sub.Tensor(1, mul_1)
    mul_2 = torch.ops.aten.mul.Tensor(mul, sub)
    alias_2 = torch.ops.aten.alias.default(exp)
    alias_3 = torch.ops.aten.alias.default(alias_2)
    mul_3 = torch.ops.aten.mul.Tensor(mul_2, alias_3)
    cos = torch.ops.aten.cos.default(primals_1)
    mul_4 = torch.ops.aten.mul.Tensor(mul_3, cos)
    return (mul_4,)
""")


@clause("A15", modes="train")
def test_one_of_two_outputs_is_used(check: Check) -> None:
    """A program's backward is right if only one of its outputs has been used, whichever it is."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * b, (a + b).exp()

    def each(run: object) -> list[list[float] | None]:
        found: list[list[float] | None] = []
        for place in (0, 1):
            leaves = [torch.tensor(values, requires_grad=True) for values in ([0.5, -1.0], [2.0, 0.25])]
            run(*leaves)[place].sum().backward()  # type: ignore[operator]
            found += [None if a.grad is None else [round(x, 4) for x in a.grad.tolist()] for a in leaves]
        return found

    with check.compiled(program) as compiled:
        seen = each(compiled)
    check.demand("autograd", "gradients of either output", each(program), seen)


class _Frozen(torch.nn.Module):
    """A frozen layer under a trained one."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen = torch.nn.Linear(3, 3).requires_grad_(False)
        self.trained = torch.nn.Linear(3, 2)

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.trained(self.frozen(a).relu())


@clause("A15", modes="train")
def test_frozen_layer_gets_no_gradients(check: Check) -> None:
    """Frozen parameters have no gradients, and the gradient passes through them to what lies below."""
    result = check(built(_Frozen), tensor(4, 3))
    result.gradient(0)
    result.happened(
        [name for name in result.call.gradients if name.startswith("module.")]
        == ["module.trained.weight", "module.trained.bias"],
        "gradients of the trained layer alone",
    )


@clause("T13", modes="train")
def test_batch_norm_without_running_statistics(check: Check) -> None:
    """Batch normalization that tracks nothing uses the batch in training and in evaluation, and differentiates it."""
    check(built(lambda: torch.nn.BatchNorm1d(3, track_running_stats=False).eval()), tensor(5, 3)).gradient(0, 1, 2)


@clause("T13", modes="train")
def test_batch_norm_frozen_in_a_training_module(check: Check) -> None:
    """A normalization that is in evaluation keeps its statistics, and its affine parameters go on learning."""
    result = check(built(lambda: torch.nn.BatchNorm2d(2).eval()), tensor(3, 2, 2, 2))
    result.unchanged("module.running_mean", "module.num_batches_tracked").gradient(0, 1, 2)
