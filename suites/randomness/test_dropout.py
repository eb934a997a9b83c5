"""Dropout and its relatives: one mask for forward and backward, and no draw where nothing is dropped."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor


@clause("T17", modes="train", shapes=("static", "dynamic"))
def test_gradient_goes_where_dropout_let_pass(check: Check) -> None:
    """Backward uses the mask that forward drew, and draws none of its own."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.dropout(a.sin(), 0.3) * a

    result = check(program, tensor(6, 5)).drew_random().gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    native_dropout = torch.ops.aten.native_dropout.default(sin, 0.3, True)
    getitem = operator.getitem(native_dropout, 0)
    getitem_1 = operator.getitem(native_dropout, 1)
    mul = torch.ops.aten.mul.Tensor(getitem, primals_1)
    return (mul, primals_1, getitem, getitem_1)
""")
    result.backward.expect("""\
def forward(self, primals_1, getitem, getitem_1, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, getitem)
    mul_1 = torch.ops.aten.mul.Tensor(tangents_1, primals_1)
    native_dropout_backward = torch.ops.aten.native_dropout_backward.default(mul_1, getitem_1, 1.4285714285714286)
    cos = torch.ops.aten.cos.default(primals_1)
    mul_2 = torch.ops.aten.mul.Tensor(native_dropout_backward, cos)
    add = torch.ops.aten.add.Tensor(mul, mul_2)
    return (add,)
""")


@clause("T17", "randomness.dropout", modes="train")
def test_two_dropouts_of_one_tensor_have_masks_of_their_own(check: Check) -> None:
    """The same dropout of the same tensor, written twice, drops twice."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return functional.dropout(a, 0.5), functional.dropout(a, 0.5)

    result = check(program, tensor(8, 4)).drew_random().gradient(0)
    first, second = (result.value(path) for path in ("out[0]", "out[1]"))
    result.happened(not torch.equal(first, second), "two masks that differ")


@clause("T17", modes="train")
def test_dropout_that_drops_nothing_draws_nothing(check: Check) -> None:
    """Dropout in evaluation, of probability 0 or of no elements leaves the generator alone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        evaluated = functional.dropout(a, 0.5, training=False) * 2
        return evaluated, functional.dropout(a * 3, 0.0), functional.dropout(a[:0], 0.5) * 2

    result = check(program, tensor(4, 4))
    result.happened(not result.call.drew_random, "no draw")
    result.values().expect("""\
out[0] = float32[4, 4] [[-0.7843, -2.339, 3.023, -1.654], [-0.7809, 1.776, -1.563, 3.958], [0.4662, -0.4096, -1.36,
    1.965], [0.3842, -0.5403, 2.113, -2.495]]
out[1] = float32[4, 4] [[-1.176, -3.509, 4.535, -2.48], [-1.171, 2.664, -2.344, 5.937], [0.6993, -0.6144, -2.04,
    2.947], [0.5764, -0.8104, 3.17, -3.743]]
out[2] = float32[0, 4] []
""")


@clause("T17", modes="train")
def test_dropout_that_drops_everything(check: Check) -> None:
    """Dropout of probability 1 gives zeros, gives no NaN in the gradient, and draws what eager draws."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return functional.dropout(a, 1.0), torch.rand(3, device=a.device) * a[0, 0]

    check(program, tensor(4, 4)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_dropout_of_whole_channels(check: Check) -> None:
    """`dropout2d` draws once for each channel, and not for each element."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.dropout2d(a, 0.5)

    check(program, tensor(3, 4, 2, 2)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_alpha_dropout(check: Check) -> None:
    """`alpha_dropout` drops eager's elements to its negative saturation value."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.alpha_dropout(a, 0.3, training=True)

    check(program, tensor(5, 4)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_dropout_in_place_on_an_intermediate(check: Check) -> None:
    """``inplace=True`` drops from the tensor that others look at, too."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scaled = a * 2
        view = scaled[1:]
        functional.dropout(scaled, 0.5, inplace=True)
        return view.exp(), scaled

    check(program, tensor(5, 3)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_leaky_slopes_drawn_by_rrelu(check: Check) -> None:
    """`rrelu` in training draws a slope for each negative element, and its gradient is that slope."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return functional.rrelu(a, 0.1, 0.4, training=True)

    check(program, tensor(5, 4)).drew_random().gradient(0)


@clause("T17", modes="train")
def test_dropout_inside_attention(check: Check) -> None:
    """`scaled_dot_product_attention` with dropout drops eager's weights, and its gradients follow the same mask."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(query, key, value, dropout_p=0.4)

    check(program, tensor(1, 2, 4, 8), tensor(1, 2, 5, 8), tensor(1, 2, 5, 8)).drew_random().gradient(0, 1, 2)


@clause("T17", "numbers.near-misses", modes="train")
def test_dropout_of_attention_weights_written_out(check: Check) -> None:
    """Attention written out with dropout on its weights draws eager's mask, whether or not it is recognised."""

    def program(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        weights = torch.softmax(query @ key.transpose(-2, -1) / 8**0.5, dim=-1)
        return functional.dropout(weights, 0.4) @ value

    check(program, tensor(1, 2, 4, 8), tensor(1, 2, 5, 8), tensor(1, 2, 5, 8)).drew_random().gradient(0, 1, 2)
