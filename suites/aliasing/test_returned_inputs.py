"""Outputs that are inputs: the caller gets his own tensor object back, not a view and not a copy."""

import torch

from suites.harness import ANY, Check, clause, leaf, tensor


@clause(
    "T7.10",
    modes=("train", "no_grad"),
    shapes=("static", "dynamic"),
    inputs=("plain", "strided", "subclass"),
    entry=ANY,
)
def test_input_returned_as_it_is(check: Check) -> None:
    """An input returned untouched is the caller's own tensor object."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a, a * 2

    result = check(program, tensor(4))
    result.same_object("out[0]", "arg[0]").distinct("out[1]", 0)
    result.forward.expect("""\
def forward(self, primals_1):
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    return (mul,)
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_mutated_input_returned(check: Check) -> None:
    """A mutated input that is returned is the caller's own tensor object, with the new data."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.mul_(2)

    result = check(program, tensor(4))
    result.mutated(0).same_object("out", "arg[0]")
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    return (mul, mul)
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_inputs_returned_in_another_order(check: Check) -> None:
    """Inputs returned in reverse, one twice, in a dict and a list: each place holds the right caller's object."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, object]:
        return {"swapped": [b, a], "again": b, "new": a + b}

    result = check(program, tensor(3), tensor(3))
    result.same_object("out['swapped'][0]", "arg[1]").same_object("out['again']", "arg[1]")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_fresh_output_returned_twice(check: Check) -> None:
    """One new tensor returned twice is one object twice."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b, b

    result = check(program, tensor(4))
    result.same_object("out[1]", "out[0]")
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    return (sin, primals_1)
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_equal_computations_stay_apart(check: Check) -> None:
    """The same expression computed twice is two tensors: merging equal nodes must not make outputs share memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.sin() + 1, a.sin() + 1

    result = check(program, tensor(4)).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4] [1.634, 0.5105, 0.7633, 0.01777]
out[1] = float32[4] [1.634, 0.5105, 0.7633, 0.01777]
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_equal_results_among_several_stay_apart(check: Check) -> None:
    """One result of an operator that has several, computed twice alike, is two tensors, as a sole result is."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.max(0).values, a.max(0).values

    result = check(program, tensor(3, 2)).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[2] [0.6865, 1.015]
out[1] = float32[2] [0.6865, 1.015]
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_clone_of_an_input_is_no_alias(check: Check) -> None:
    """A clone of an input, and a no-op on that clone, are memory of their own: dropping the clone would alias them."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.clone(), a.clone().contiguous()

    result = check(program, tensor(4))
    result.distinct("out[0]", 0).distinct("out[1]", 0).distinct("out[0]", "out[1]")
    result.values().expect("""\
out[0] = float32[4] [0.6865, -2.63, -0.239, -1.382]
out[1] = float32[4] [0.6865, -2.63, -0.239, -1.382]
""")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_no_op_that_returns_its_input(check: Check) -> None:
    """contiguous() and to() of a tensor that is so already give back the caller's own object."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.contiguous(), a.to(torch.float32)

    result = check(program, tensor(4))
    result.same_object("out[0]", "arg[0]").same_object("out[1]", "arg[0]")


@clause("T7.10", modes=("train", "no_grad"), entry=ANY)
def test_op_that_happens_to_be_the_identity(check: Check) -> None:
    """x + 0, x * 1 and a full slice copy give new memory or a view exactly where eager does."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return a + 0, a * 1, a[:]

    result = check(program, tensor(4))
    result.distinct("out[0]", 0).distinct("out[1]", 0).aliases("out[2]", 0)


@clause("T7.10", modes="train", entry=ANY)
def test_leaf_returned_as_it_is(check: Check) -> None:
    """A leaf that is returned stays the caller's leaf, and gradients of the rest of the program still reach it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a, a.exp()

    result = check(program, leaf(3))
    result.same_object("out[0]", "arg[0]").gradient(0)
    result.happened(result.facts("out[0]").is_leaf, "a leaf coming back")
