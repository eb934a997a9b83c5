"""Autocast and gradients: in which precision backward runs, and what dtype arrives."""

from typing import Any

import torch

from suites.harness import Check, clause, leaf, tensor


@torch.library.custom_op("parity_autograd::element_size", mutates_args=())
def element_size(a: torch.Tensor) -> torch.Tensor:
    """How many bytes an element of ``a`` has, in every place: 2 where autocast has converted it, else 4."""
    return torch.full(a.shape, float(a.element_size()), dtype=torch.float32, device=a.device)


@element_size.register_fake
def _(a: torch.Tensor) -> torch.Tensor:
    return torch.empty(a.shape, dtype=torch.float32, device=a.device)


element_size.register_autocast("cpu", torch.bfloat16)
element_size.register_autocast("cuda", torch.bfloat16)


class Sized(torch.autograd.Function):
    """A copy whose gradient says in which precision an operator of its backward ran."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        """A copy."""
        return a.clone()

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> torch.Tensor:
        """The bytes an element that the operator saw."""
        return element_size(cotangent)


def _sized(a: torch.Tensor) -> torch.Tensor:
    return Sized.apply(a)


def bytes_in_backward(check: Check, backward_pass_autocast: Any, *, autocast: bool) -> list[float]:
    """What an operator saw in backward, which is called outside of autocast; the call was in it if ``autocast``."""
    a = torch.ones(3, device=check.device, requires_grad=True)
    with check.compiled(_sized, config={"functorch.backward_pass_autocast": backward_pass_autocast}) as compiled:
        with torch.autocast(a.device.type, dtype=torch.bfloat16, enabled=autocast):
            output = compiled(a)
        compiled.needs_aot_autograd()
        output.backward(torch.ones(3, device=check.device))
    assert a.grad is not None, "the program is differentiable"
    seen: list[float] = a.grad.tolist()
    return seen


@clause("T9.5", modes="train")
def test_backward_is_in_the_autocast_of_its_call(check: Check) -> None:
    """By default backward runs in the autocast in which the program was called, although backward is called without."""
    seen = bytes_in_backward(check, "same_as_forward", autocast=True)
    check.demand("autograd", "bytes an element in backward", [2.0] * 3, seen)


@clause("T9.5", modes="train")
def test_backward_has_no_autocast_of_its_own(check: Check) -> None:
    """By default backward runs without autocast where the program was called without."""
    seen = bytes_in_backward(check, "same_as_forward", autocast=False)
    check.demand("autograd", "bytes an element in backward", [4.0] * 3, seen)


@clause("T9.5", modes="train")
def test_backward_with_autocast_switched_off(check: Check) -> None:
    """With autocast off for backward, backward runs in full precision, whatever the program was called in."""
    seen = bytes_in_backward(check, "off", autocast=True)
    check.demand("autograd", "bytes an element in backward", [4.0] * 3, seen)


@clause("T9.5", modes="train")
def test_backward_in_autocast_by_a_list_of_states(check: Check) -> None:
    """A list of autocast states is what backward runs in, whatever the program was called in."""
    device = torch.device(check.device).type
    seen = bytes_in_backward(check, [{"device_type": device}], autocast=False)
    check.demand("autograd", "bytes an element in backward", [2.0] * 3, seen)


@clause("T9.5", modes="train")
def test_region_of_autocast_ends_before_backward(check: Check) -> None:
    """An autocast region inside of the program is over when backward runs: its operators see full precision."""

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.autocast(a.device.type, dtype=torch.bfloat16):
            return Sized.apply(a) + element_size(a.detach())

    result = check(program, leaf(3))
    gradient = result.call.gradients["leaf[0]"]
    result.happened(gradient is not None and gradient.value.tolist() == [4.0] * 3, "full precision in backward")  # type: ignore[union-attr]


@clause("T9.5", modes="train")
def test_gradients_of_an_autocast_product_have_the_dtypes_of_their_leaves(check: Check) -> None:
    """A product under autocast is in bfloat16, and the gradients of its float32 factors are float32 again."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autocast(a.device.type, dtype=torch.bfloat16):
            return a @ b

    result = check(program, leaf(3, 4), leaf(4, 2))
    dtypes = [facts.dtype for facts in result.call.gradients.values() if facts is not None]
    result.happened(result.facts("out").dtype == "bfloat16", "a product in bfloat16")
    result.happened(dtypes == ["float32", "float32"], "gradients in float32")
    result.backward.expect("""\
def forward(self, t, t_1, tangents_1):
    mm = torch.ops.aten.mm.default(t, tangents_1)
    mm_1 = torch.ops.aten.mm.default(tangents_1, t_1)
    _to_copy = torch.ops.aten._to_copy.default(mm_1, dtype=torch.float32)
    _to_copy_1 = torch.ops.aten._to_copy.default(mm, dtype=torch.float32)
    return (_to_copy, _to_copy_1)
""")


@clause("T9.5", modes="train", shapes=("static", "dynamic"))
def test_one_weight_used_in_and_outside_of_autocast(check: Check) -> None:
    """A weight used in low precision inside of a region and in full precision after it gathers both gradients."""

    def program(a: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        with torch.autocast(a.device.type, dtype=torch.bfloat16):
            low = a @ weight
            with torch.autocast(a.device.type, enabled=False):
                full = a @ weight
        return low.float() * 2 + full

    check(program, tensor(3, 4), leaf(4, 4)).gradient(0, 1)
