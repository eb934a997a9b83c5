"""Autograd's modes: grad mode and inference mode, read, set, left behind and undone."""

import torch

from suites.harness import Check, clause, tensor


@clause("state.grad-modes", modes=("train", "no_grad"))
def test_grad_mode_set_by_the_program_stays_set(check: Check) -> None:
    """`set_grad_enabled` in a program holds after the call, and what was computed before it keeps its history."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = a * 2
        torch.set_grad_enabled(not torch.is_grad_enabled())
        return before, a * 3

    result = check(program, tensor(3))
    result.happened(result.call.global_state["grad mode"] != result.training, "another grad mode after the call")


@clause("state.grad-modes", modes="train")
def test_grad_mode_set_and_set_back(check: Check) -> None:
    """What is computed between `set_grad_enabled(False)` and its undoing has no history; what follows has."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        torch.set_grad_enabled(False)
        constant = a.sin()
        torch.set_grad_enabled(True)
        return constant, constant * a

    result = check(program, tensor(3)).no_grad("out[0]").requires_grad("out[1]").gradient(0)
    result.backward.expect("""\
def forward(self, sin, tangents_1):
    mul = torch.ops.aten.mul.Tensor(tangents_1, sin)
    return (mul,)
""")


@clause("state.grad-modes", modes="train", fullgraph=False)
def test_exception_inside_no_grad_restores_the_grad_mode(check: Check) -> None:
    """An exception that leaves a ``no_grad`` block, and the program, leaves grad mode as it was before the block."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        with torch.no_grad():
            if doubled.shape[0] == 3:
                raise ValueError("inside no_grad")
        return doubled

    result = check(program, tensor(3)).raised("inside no_grad")
    result.happened(result.call.global_state["grad mode"] is True, "grad mode being on again")


@clause("state.grad-modes", modes="train", fullgraph=False)
def test_grad_mode_set_before_an_exception_stays_set(check: Check) -> None:
    """Grad mode that a program switches off for good is off though the program raises after it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.set_grad_enabled(False)
        if doubled.shape[0] == 3:
            raise ValueError("switched off before")
        return doubled

    result = check(program, tensor(3)).raised("switched off before")
    result.happened(result.call.global_state["grad mode"] is False, "grad mode being off")


@clause("state.grad-modes")
def test_grad_enabled_inside_no_grad_is_undone(check: Check) -> None:
    """A program that is called without grad and enables it for a block gets history there, and grad is off after it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.enable_grad():
            recorded = a * 2
        return recorded, recorded * 3

    result = check(program, tensor(3))
    result.requires_grad("out[0]").no_grad("out[1]")
    result.happened(result.call.tensors["out[0]"].requires_grad, "history inside of the block")


@clause("D11")
def test_tensor_made_in_inference_mode_is_an_inference_tensor(check: Check) -> None:
    """What a program computes inside of ``inference_mode`` is an inference tensor; what follows is none."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.inference_mode():
            inner = a * 2
        return inner, a * 3

    result = check(program, tensor(3))
    result.happened(result.call.tensors["out[0]"].inference, "an inference tensor")


@clause("D11", fullgraph=False)
def test_inference_mode_left_by_an_exception(check: Check) -> None:
    """An exception out of an ``inference_mode`` block leaves that mode, and grad mode, as they were."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        with torch.inference_mode():
            if doubled.shape[0] == 3:
                raise ValueError("inside inference mode")
        return doubled

    result = check(program, tensor(3)).raised("inside inference mode")
    result.happened(result.call.global_state["inference mode"] is False, "inference mode being off again")


@clause("D11", modes=("train", "inference"), fullgraph=False)
def test_program_branches_on_its_modes(check: Check) -> None:
    """`is_grad_enabled` and `is_inference_mode_enabled` answer in a compiled program as they do at this call."""

    def program(a: torch.Tensor) -> torch.Tensor:
        if torch.is_inference_mode_enabled():
            return a * 5
        return a * 2 if torch.is_grad_enabled() else a * 3

    result = check(program, tensor(3))
    result.happened(result.call.global_state["inference mode"] is not result.training, "the mode of this variant")
    result.values().expect("""\
out = float32[3] [1.373, -5.26, -0.478]
""")


@clause("state.grad-modes", modes="train")
def test_decorated_function_leaves_grad_mode(check: Check) -> None:
    """A function decorated with ``no_grad`` that raises leaves grad mode on for the rest of the program."""

    @torch.no_grad()
    def frozen(a: torch.Tensor) -> torch.Tensor:
        raise KeyError("no history here")

    def program(a: torch.Tensor) -> torch.Tensor:
        try:
            return frozen(a)
        except KeyError:
            return a * 3

    check(program, tensor(3)).requires_grad("out").gradient(0)
