"""Mutations that eager refuses: the compiled program must refuse them too, not do something else."""

from collections.abc import Callable

import pytest
import torch

from suites.harness import ANY, Check, clause, leaf, tensor, view_of

_Write = Callable[[torch.Tensor, torch.Tensor], object]
#: Writes in place whose results no tensor of the dtype can hold.
WIDER: dict[str, tuple[torch.dtype, _Write]] = {
    "quotient": (torch.int64, lambda a, b: a.div_(2)),
    "root": (torch.int64, lambda a, b: a.sqrt_()),
    "bound": (torch.int64, lambda a, b: a.clamp_(0.5)),
    "quotient of truths": (torch.bool, lambda a, b: a.div_(2)),
    "factor": (torch.int64, lambda a, b: a.mul_(0.5)),
    "complex factor": (torch.float32, lambda a, b: a.mul_(1j)),
    "factor of truths": (torch.bool, lambda a, b: a.mul_(2)),
    "product added": (torch.int64, lambda a, b: a.addcmul_(b, b)),
}


@clause("D12", "T4.3", modes="train", entry=ANY)
def test_in_place_op_on_a_leaf_is_refused(check: Check) -> None:
    """A leaf that requires grad must not be mutated under grad."""

    def program(parameter: torch.Tensor) -> torch.Tensor:
        parameter.mul_(2)
        return parameter + 1

    check(program, leaf(3)).raised("a leaf Variable that requires grad")


@clause("D12", "T4.3", modes="train", entry=ANY)
def test_in_place_op_on_a_view_of_a_leaf_is_refused(check: Check) -> None:
    """A view of a leaf that requires grad must not be mutated under grad either."""

    def program(parameter: torch.Tensor) -> torch.Tensor:
        parameter[1:].mul_(2)
        return parameter + 1

    check(program, leaf(3)).raised("a view of a leaf Variable that requires grad")


@clause("D12", modes="train", entry=ANY)
def test_in_place_op_on_one_of_several_views_is_refused(check: Check) -> None:
    """A view that `unbind` returned among others must not be mutated under grad."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first, _ = a.unbind(0)
        first.mul_(2)
        return a + 1

    check(program, tensor(2, 3)).raised("returns multiple views")


@pytest.mark.parametrize("kind", ["loop", "names", "list", "pairs", "zip"])
@clause("D12", modes="train", entry=ANY)
def test_in_place_op_on_a_row_that_iteration_made_is_refused(check: Check, kind: str) -> None:
    """Rows of a tensor that is iterated over are views that were returned together, and are not mutated under grad."""

    def program(a: torch.Tensor) -> torch.Tensor:
        if kind == "loop":
            for row in a:
                row.mul_(2)
        elif kind == "names":
            first, _ = a
            first.mul_(2)
        elif kind == "list":
            list(a)[1].mul_(2)
        elif kind == "pairs":
            for place, row in enumerate(a):
                row.mul_(place)
        else:
            for row, other in zip(a, (2, 3), strict=True):
                row.mul_(other)
        return a + 1

    check(program, tensor(2, 3)).raised("returns multiple views")


@pytest.mark.parametrize("kind", ["chunk", "split", "sizes"])
@clause("D12", modes="train", entry=ANY)
def test_in_place_op_on_a_piece_that_was_split_off_is_refused(check: Check, kind: str) -> None:
    """Pieces that `chunk` and `split` return together are not mutated under grad."""

    def program(a: torch.Tensor) -> torch.Tensor:
        pieces = a.chunk(2) if kind == "chunk" else a.split(2 if kind == "split" else [1, 3])
        pieces[1].mul_(2)
        return a + 1

    check(program, tensor(4, 3)).raised("returns multiple views")


@clause("D12", modes=("train", "no_grad"), entry=ANY)
def test_in_place_op_on_a_piece_that_is_a_slice_is_taken(check: Check) -> None:
    """Pieces that are slices, as those of `tensor_split` and `hsplit` are, are mutated, and so is the whole."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.tensor_split(2)[1].mul_(2)
        a.hsplit([1])[0].sub_(5)
        a[1].mul_(3)
        return a * a

    check(program, tensor(4, 3)).mutated(0).gradient(0)


@clause("D12", "T4.8", modes="train", entry=ANY)
def test_in_place_op_on_a_view_made_under_no_grad_is_refused(check: Check) -> None:
    """A view made under no_grad of a tensor that requires grad must not be mutated under grad."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            view = a[1:]
        view.mul_(2)
        return a + 1

    check(program, tensor(3)).raised("no_grad")


@clause("D12", "T4.8", modes="train", entry=ANY)
def test_in_place_op_on_an_input_view_made_under_no_grad_is_refused(check: Check) -> None:
    """An input that is such a view, made before the call, must not be mutated under grad."""

    def made_under_no_grad(tensor: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return tensor[1:]

    def program(view: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        view.mul_(2)
        return a + 1

    base = tensor(3)
    check(program, view_of(base, made_under_no_grad), base).raised("no_grad")


@clause("D12", entry=ANY)
def test_in_place_result_that_does_not_fit_the_dtype_is_refused(check: Check) -> None:
    """An integer input cannot take a floating-point result in place."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(b)
        return a * 2

    check(program, tensor(3, dtype=torch.int64), tensor(3)).raised("can't be cast")


@clause("D12")
@pytest.mark.parametrize("write", tuple(WIDER))
def test_write_of_a_wider_dtype_is_refused(check: Check, write: str) -> None:
    """A tensor that was computed takes no fraction in place if it is whole, and no complex number if it is real."""
    dtype, change = WIDER[write]

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = a.clone()
        change(c, b)
        return c

    check(program, tensor(3, dtype=dtype), tensor(3)).raised("can't be cast")


@clause("D12", shapes=("static", "dynamic"), entry=ANY)
def test_in_place_result_that_does_not_fit_the_shape_is_refused(check: Check) -> None:
    """An input does not grow to a broadcast result in place."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(b)
        return a * 2

    check(program, tensor(3), tensor(2, 3)).raised("doesn't match the broadcast shape")
