"""The nnc shim: AOTAutograd in front of TorchScript keeps a program's calling convention."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor

NNC = ("nnc",)


@clause("T1.6", modes="train", on=NNC)
def test_scalars(check: Check) -> None:
    """Tensors without dimensions are inputs like any other: another number is another result and another gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.sin() * b

    result = check(program, tensor(), tensor())
    result.shape("out").gradient(0, 1)


@clause("T1.6", modes="train", on=NNC)
def test_containers_in_and_out(check: Check) -> None:
    """Nested containers go in and come out with their structure, and gradients reach the tensors in them."""

    def program(batch: dict[str, Any]) -> dict[str, Any]:
        left, right = batch["pair"]
        return {"sum": left + right, "parts": [left * 2, (right * batch["x"],)]}

    result = check(program, {"x": tensor(3), "pair": (tensor(3), tensor(3))})
    result.shape("out['parts'][1][0]", 3).gradient(0, 1, 2)


@clause("T1.6", on=NNC)
def test_inputs_passed_through_are_outputs(check: Check) -> None:
    """Inputs returned as they are come back as the caller's own tensors, in the program's order."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"second": b, "made": a * b, "first": a}

    result = check(program, tensor(3), tensor(3))
    result.same_object("out['second']", "arg[1]").same_object("out['first']", "arg[0]")


@clause("T1.6", on=NNC)
def test_dict_that_the_program_mutates(check: Check) -> None:
    """A tensor in a dict that the program writes to is written to in the caller's dict."""

    def program(state: dict[str, torch.Tensor], a: torch.Tensor) -> torch.Tensor:
        state["total"].add_(a)
        return state["total"] * state["scale"]

    result = check(program, {"total": tensor(3), "scale": tensor(3)}, tensor(3))
    result.mutated("arg[0]['total']").unchanged("arg[0]['scale']", "arg[1]")
