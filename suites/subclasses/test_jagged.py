"""Jagged nested tensors: through a graph, made in one, reduced in one, forward and backward."""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor

LENGTHS = (2, 4, 1)


def _offsets(lengths: tuple[int, ...], beside: torch.Tensor) -> torch.Tensor:
    return torch.tensor((0, *lengths), device=beside.device).cumsum(0)


def _jagged(lengths: tuple[int, ...] = LENGTHS, longest: int | None = None) -> object:
    def build(values: torch.Tensor) -> torch.Tensor:
        offsets = _offsets(lengths, values)
        nested = torch.nested.nested_tensor_from_jagged(values.detach(), offsets, max_seqlen=longest)
        return nested.requires_grad_(not values.is_inference())

    return built(build, tensor(sum(lengths), 3, grad=False))


@clause("T8.5", modes=("train", "no_grad"))
def test_elementwise_op_on_a_jagged_tensor(check: Check) -> None:
    """A jagged tensor comes back jagged, over the caller's offsets, and its gradient is jagged."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    result = check(program, _jagged()).gradient(0)
    result.happened(result.facts("out").type == "NestedTensor", "a jagged output").aliases(
        "out._offsets", "arg[0]._offsets"
    )


@clause("T8.5", modes="train")
def test_two_jagged_tensors_of_one_ragged_size(check: Check) -> None:
    """The product of a jagged tensor and of one made from it is taken element by element, with both gradients."""

    def program(a: torch.Tensor, dense: torch.Tensor) -> torch.Tensor:
        return a.cos() * (a + 1) * dense

    check(program, _jagged(), tensor(3)).gradient(0, 1)


@clause("T8.5", modes="train")
def test_linear_layer_on_a_jagged_tensor(check: Check) -> None:
    """A linear layer over the last dimension of a jagged tensor has gradients for the weight summed over all rows."""

    def program(a: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.linear(a, weight, bias).relu()

    check(program, _jagged(), tensor(2, 3), tensor(2)).gradient(0, 1, 2)


@clause("T8.5", modes="train")
def test_reduction_over_the_ragged_dimension(check: Check) -> None:
    """The largest elements over the ragged dimension are a dense tensor, a row for each component, of its own rows."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return (a * 2).amax(dim=1)

    check(program, _jagged()).shape("out", 3, 3).gradient(0)


@clause("T8.5", modes="train")
def test_jagged_tensor_made_of_values_and_offsets(check: Check) -> None:
    """A program that puts values and offsets together, computes and takes the values out again works on them all."""

    def program(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        nested = torch.nested.nested_tensor_from_jagged(values * 2, offsets)
        return nested.sin().values() + values

    offsets = tensor(4, dtype=torch.int64, values=[0, 2, 6, 7])
    check(program, tensor(7, 3), offsets).shape("out", 7, 3).gradient(0)


@clause("T8.5", modes="train")
def test_jagged_tensor_padded(check: Check) -> None:
    """Padding a jagged tensor puts each component at the beginning of its row and the filling behind it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nested.to_padded_tensor(a.sin(), -9.0)

    check(program, _jagged(longest=4)).shape("out", 3, 4, 3).gradient(0)


@clause("T8.5", "T8.6", modes="train", shapes=("static", "dynamic"))
def test_other_lengths_in_a_later_call(check: Check) -> None:
    """One compiled program serves jagged tensors of other lengths and of another number of components."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2

    check(program, calls=[(_jagged(),), (_jagged((3, 1, 2)),), (_jagged((5, 2)),)]).gradient(0)


@clause("T8.5", "T8.7")
def test_parts_of_a_jagged_tensor_read_in_the_program(check: Check) -> None:
    """Values and offsets read in the program are those of the argument: row counts come from its offsets."""

    def program(a: Any) -> torch.Tensor:
        rows = a.offsets().diff()
        return a.values().sum(0) + rows.sum() * rows[0]

    check(program, _jagged()).values().expect("""\
out = float32[3] [7.117, 8.092, 16.85]
""")


@clause("T8.5", "T8.3")
def test_in_place_op_on_a_jagged_tensor(check: Check) -> None:
    """An in-place op on a jagged tensor changes the caller's values and leaves the offsets alone."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        return a + 1

    check(program, _jagged()).mutated("arg[0]._values").unchanged("arg[0]._offsets")


@clause("T8.5", modes=("train", "no_grad"))
def test_values_of_a_jagged_tensor_over_an_argument(check: Check) -> None:
    """The values of a jagged tensor that was made over an argument are that argument's memory, and require grad."""

    def program(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return torch.nested.nested_tensor_from_jagged(values, offsets).values()

    inputs = tensor(sum(LENGTHS), 3), tensor(4, dtype=torch.int64, values=[0, 2, 6, 7], grad=False)
    check(program, *inputs).aliases("out", 0).requires_grad("out").gradient(0)


@clause("T8.5", modes=("train", "no_grad"))
def test_values_of_a_jagged_view_of_an_argument(check: Check) -> None:
    """The values of a transposed jagged tensor over an argument lie in that argument transposed, and require grad."""

    def program(values: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return torch.nested.nested_tensor_from_jagged(values, offsets).transpose(1, 2).values()

    inputs = tensor(sum(LENGTHS), 3), tensor(4, dtype=torch.int64, values=[0, 2, 6, 7], grad=False)
    check(program, *inputs).aliases("out", 0).shape("out", 3, 7).requires_grad("out").gradient(0)


@clause("T8.5", modes=("train", "no_grad"))
def test_softmax_and_part_of_a_jagged_tensor(check: Check) -> None:
    """A softmax over the last dimension of a jagged tensor and one chunk of it have values and gradients row by row."""

    def program(values: torch.Tensor, offsets: torch.Tensor) -> Any:
        nested = torch.nested.nested_tensor_from_jagged(values * 2, offsets)
        return nested.softmax(-1).values(), nested.chunk(3, -1)[1].values() + 1

    inputs = tensor(sum(LENGTHS), 3), tensor(4, dtype=torch.int64, values=[0, 2, 6, 7], grad=False)
    check(program, *inputs).shape("out[1]", 7, 1).gradient(0)
