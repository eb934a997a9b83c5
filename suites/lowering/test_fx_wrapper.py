"""The FX wrapper: Inductor hands back a graph module in place of wrapper code; on CPU it can hold extern kernels."""

import torch

from suites.harness import Check, clause, tensor

ON = ("inductor_fx_wrapper",)
#: Asserts for alignment are lines of Python, which this wrapper does not take.
NO_ASSERTS = {"inductor.alignment_asserts": False}


@clause("T16.8", modes="train", on=ON)
def test_products(check: Check) -> None:
    """A chain of products is run by calls of extern kernels alone; results and gradients are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return (a @ b) @ c

    check(program, tensor(2, 3), tensor(3, 4), tensor(4, 5)).gradient(0, 1, 2).shape("out", 2, 5)


@clause("inductor.fx-wrapper", "T16.8", shapes="dynamic", on=ON)
def test_products_of_dynamic_sizes(check: Check) -> None:
    """Sizes are those of each call's arguments: another size gives its own result, without another compilation."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b) @ a

    result = check(program, calls=[(tensor(2, 3), tensor(3, 2)), (tensor(5, 4), tensor(4, 5))])
    result.shape("out", 2, 3).recompiled(0)


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_fallback_with_several_outputs(check: Check) -> None:
    """A fallback kernel that has two outputs hands both on, each in its place."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, places = torch.topk(a @ b, 2)
        return values @ b[:2], places

    check(program, tensor(3, 4), tensor(4, 4), config=NO_ASSERTS).shape("out[1]", 3, 2)


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_views_between_kernels(check: Check) -> None:
    """Views between and after extern kernels have eager's strides and offsets, and show their buffers' data."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        product = (a @ b).t()[1:]
        return product @ a[:, :2], product

    check(program, tensor(3, 4), tensor(4, 5)).strides("out[1]", 1, 5)


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_cond(check: Check) -> None:
    """The branch that runs is the one that the predicate of this very call chooses."""

    def program(flag: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cond(flag, lambda a, b: a @ b, lambda a, b: b @ a, (a, b))

    calls = [(torch.tensor(flag), tensor(3, 3), tensor(3, 3)) for flag in (True, False)]
    check(program, calls=calls, config=NO_ASSERTS).shape("out", 3, 3)


@clause("inductor.fx-wrapper", "T16.8", on=ON)
def test_item(check: Check) -> None:
    """A number read from a tensor inside of the program is that of this very call."""

    def program(a: torch.Tensor, b: torch.Tensor, count: torch.Tensor) -> tuple[torch.Tensor, int]:
        return a @ b, int(count.item()) + 1

    calls = [(tensor(3, 3), tensor(3, 3), torch.tensor(number)) for number in (4, 7)]
    check(program, calls=calls, config={"dynamo.capture_scalar_outputs": True}).shape("out[0]", 3, 3)


@clause("T16.8", on=ON)
def test_generated_kernels(check: Check) -> None:
    """A pointwise kernel between two products is run as well; torch refuses C++ kernels here, in so many words."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).sin() @ b

    check(program, tensor(3, 3), tensor(3, 3)).unchanged(0, 1)
