"""Checkpointed blocks whose gradients the program takes itself: forward, loss and backward are one graph."""

import functools

import torch
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from suites.autograd.checkpointed import dropped, layer, save_products
from suites.harness import Check, clause, leaf, tensor

#: Dynamo traces `torch.autograd.grad`, and does not break the graph there.
INSIDE = {"dynamo.trace_autograd_ops": True}


def _block(a: torch.Tensor) -> torch.Tensor:
    return (a.sin() * a).exp()


def _gradient_of_the_block_with(b: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    product = checkpoint(_block, b, use_reentrant=False) * factor
    return torch.autograd.grad(product.sum(), b)[0]


@clause("A3", "A24", modes="train", shapes=("static", "dynamic"))
def test_gradient_of_a_checkpointed_block(check: Check) -> None:
    """The program takes the gradient of a checkpointed block and hands out both: each is eager's."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        value = checkpoint(_block, a, use_reentrant=False)
        (gradient,) = torch.autograd.grad(value.sum(), a)
        return gradient * 2, value.detach()

    result = check(program, leaf(3), config=INSIDE)
    result.no_grad("out[0]")
    result.values().expect("""\
out[0] = float32[3] [3.599, 13.07, -0.9925]
out[1] = float32[3] [1.545, 3.623, 1.058]
""")


@clause("A3", "A24", modes="train")
def test_gradient_through_blocks_in_a_row(check: Check) -> None:
    """The gradient through three checkpointed layers with one weight is the sum of what each of them hands on."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        value = a
        for _ in range(3):
            value = checkpoint(layer, value, weight, use_reentrant=False)
        by_a, by_weight = torch.autograd.grad(value.sum(), (a, weight))
        return by_a, by_weight

    check(program, leaf(2, 3), leaf(3, 3), config=INSIDE).values().expect("""\
out[0] = float32[2, 3] [[0.0134, 0.001908, 0.001352], [-0.2072, -0.4259, -0.413]]
out[1] = float32[3, 3] [[-0.2731, 1.393, 0.2951], [-0.09006, 5.429, 1.065], [0.2007, 1.406, 0.08116]]
""")


@clause("A3", "A24", modes="train")
def test_gradient_through_a_block_within_a_block(check: Check) -> None:
    """A checkpointed block within another one is computed again within it, in the one graph."""

    def outer(a: torch.Tensor) -> torch.Tensor:
        return checkpoint(_block, a, use_reentrant=False).cos() * a

    def program(a: torch.Tensor) -> torch.Tensor:
        (gradient,) = torch.autograd.grad(checkpoint(outer, a, use_reentrant=False).sum(), a)
        return gradient

    check(program, leaf(3), config=INSIDE).values().expect("""\
out = float32[3] [-1.209, -8.852, 0.3871]
""")


@clause("A3", "A24", modes="train")
def test_gradient_of_a_selective_checkpoint(check: Check) -> None:
    """Of a block whose products alone are kept the program takes the same gradients."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        context = functools.partial(create_selective_checkpoint_contexts, save_products)
        value = checkpoint(layer, a, weight, use_reentrant=False, context_fn=context)
        by_a, by_weight = torch.autograd.grad(value.sum(), (a, weight))
        return by_a, by_weight

    check(program, leaf(2, 3), leaf(3, 3), config=INSIDE).values().expect("""\
out[0] = float32[2, 3] [[0.3233, 0.1068, -1.057], [-2.475, -2.404, -2.78]]
out[1] = float32[3, 3] [[-1.431, 0.8017, -0.5736], [-0.4731, -3.255, -2.173], [1.051, -0.2621, 0.6056]]
""")


@clause("A3", "A24", "T3.1", modes="train")
def test_step_by_the_gradient_of_a_checkpointed_layer(check: Check) -> None:
    """A step that the program takes writes to the weight after the layer was computed again by its old value."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        value = checkpoint(layer, a, weight, use_reentrant=False)
        (gradient,) = torch.autograd.grad(value.sum(), weight)
        with torch.no_grad():
            weight.sub_(gradient)
        return value.detach()

    result = check(program, tensor(2, 3, grad=False), leaf(3, 3), config=INSIDE)
    result.mutated(1).values().expect("""\
out = float32[2, 3] [[2.718, 1.362, 0.7544], [2.004, 0.3838, 2.258]]
arg[1] = float32[3, 3] [[-0.1554, 0.09907, -0.5583], [-1.749, 3.422, 2.031], [-3.365, -0.3242, -1.087]]
""")


@clause("A3", "A24", "T3.1", modes="train")
def test_write_after_the_gradient_of_a_checkpointed_block(check: Check) -> None:
    """What a checkpointed block reads is written to after its gradient was taken: the old numbers made it."""

    def program(a: torch.Tensor, buffer: torch.Tensor) -> torch.Tensor:
        buffer.add_(1)
        value = checkpoint(lambda a: (a.sin() * buffer).exp(), a, use_reentrant=False)
        (gradient,) = torch.autograd.grad(value.sum(), a)
        buffer.mul_(2)
        return gradient

    result = check(program, leaf(3), tensor(3, grad=False), config=INSIDE)
    result.mutated(1).values().expect("""\
out = float32[3] [-0.2319, -0.3634, 1.215]
arg[1] = float32[3] [-0.764, 1.088, 4.03]
""")


@clause("A3", "A24", modes="train")
def test_two_gradients_of_checkpointed_blocks(check: Check) -> None:
    """The program takes the gradient of one checkpointed block, and then of another that is multiplied by it."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        (by_a,) = torch.autograd.grad(checkpoint(_block, a, use_reentrant=False).sum(), a)
        return by_a, _gradient_of_the_block_with(b, by_a)

    check(program, leaf(3), leaf(3), config=INSIDE).values().expect("""\
out[0] = float32[3] [1.8, 6.536, -0.4962]
out[1] = float32[3] [-8.684, -6.791, -1.628]
""")


@clause("A3", "A24", modes="train")
def test_gradient_of_a_block_beside_another_gradient(check: Check) -> None:
    """A gradient that needs nothing computed again stands before that of a checkpointed block, in one graph."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        (by_a,) = torch.autograd.grad(_block(a).sum(), a)
        return by_a, _gradient_of_the_block_with(b, by_a)

    check(program, leaf(3), leaf(3), config=INSIDE).values().expect("""\
out[0] = float32[3] [1.8, 6.536, -0.4962]
out[1] = float32[3] [-8.684, -6.791, -1.628]
""")


@clause("A3", "A24", "A15", modes="train")
def test_gradient_of_a_checkpointed_dropout(check: Check) -> None:
    """The gradient of dropout in a checkpoint, taken inside of the program, is nought where forward dropped."""

    def program(a: torch.Tensor) -> torch.Tensor:
        (gradient,) = torch.autograd.grad(checkpoint(dropped, a, use_reentrant=False).sum(), a)
        return gradient

    result = check(program, leaf(4, 4), config=INSIDE).drew_random()
    result.happened(bool((result.value("out") == 0).any()), "elements that are dropped")


@clause("A24", "A15", modes="train")
def test_checkpointed_dropout_of_what_needs_no_gradient(check: Check) -> None:
    """With grad mode on, dropout in a checkpoint of what requires no grad is computed once and drawn as eager draws."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return checkpoint(dropped, a, use_reentrant=False) * 3

    result = check(program, tensor(4, 4, grad=False))
    result.drew_random().no_grad("out")
    result.happened(bool((result.value("out") == 0).any()), "elements that are dropped")


@clause("A3", "A24", "T13", modes="train")
def test_buffer_that_a_block_counts_in_for_its_gradient(check: Check) -> None:
    """A buffer that a checkpointed block adds to is added to again where the program's gradient computes it again."""

    def program(a: torch.Tensor, runs: torch.Tensor) -> torch.Tensor:
        def counted(a: torch.Tensor) -> torch.Tensor:
            runs.add_(1)
            return a.sin() * runs

        (gradient,) = torch.autograd.grad(checkpoint(counted, a, use_reentrant=False).sum(), a)
        return gradient

    result = check(program, leaf(3), tensor(3, grad=False, values=[1.0, 2.0, -3.0]), config=INSIDE)
    twice = torch.tensor([3.0, 4.0, -1.0])
    result.mutated(1).happened(torch.equal(result.value("arg[1]"), twice), "a second count for the gradient")
