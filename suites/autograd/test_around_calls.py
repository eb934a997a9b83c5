"""Autograd around a compiled call: backward through some of its outputs, what is saved of it, hooks, and tangents."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.autograd import forward_ad

from suites.harness import Check, clause, tensor

#: What a clause's program is handed: it compiles a function, or hands it back as it is.
Compile = Callable[[Any], Any]


def _leaf(a: torch.Tensor) -> torch.Tensor:
    """A leaf with the values of ``a``, made beside what is compiled."""
    return a.detach().clone().requires_grad_()


def _sine(a: torch.Tensor) -> torch.Tensor:
    return a.sin() * 2


def _sine_and_exponential(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return a.sin(), b.exp() * 2


@clause("autograd.around-calls", modes="train")
def test_backward_through_one_of_two_outputs(check: Check) -> None:
    """A leaf of which only another output was computed has no gradient, and an optimizer leaves it alone."""

    def program(compile_part: Compile, a: torch.Tensor, b: torch.Tensor) -> tuple[Any, ...]:
        first, second = _leaf(a), _leaf(b)
        compile_part(_sine_and_exponential)(first, second)[0].sum().backward()
        torch.optim.SGD([first, second], lr=0.1, weight_decay=0.5).step()
        return first.grad, second.grad, first.detach(), second.detach()

    result = check(program, tensor(3, grad=False), tensor(3, grad=False), in_parts=True, backward=False)
    result.holds("out[1]", None).happened(bool(result.value("out[0]").any()), "a gradient of the other leaf")


@clause("autograd.around-calls", modes="train")
def test_backward_through_each_output_in_turn(check: Check) -> None:
    """Outputs that have no operator in common are run backward one after the other, neither retaining its graph."""

    def program(compile_part: Compile, a: torch.Tensor, b: torch.Tensor) -> tuple[Any, ...]:
        first, second = _leaf(a), _leaf(b)
        for output in compile_part(_sine_and_exponential)(first, second):
            output.sum().backward()
        return first.grad, second.grad

    result = check(program, tensor(3, grad=False), tensor(3, grad=False), in_parts=True, backward=False)
    sizes = [result.value(f"out[{number}]").abs().min() for number in range(2)]
    result.happened(bool(min(sizes) > 0), "a gradient of each leaf")


@clause("autograd.around-calls", modes="train")
def test_output_without_use_whose_gradient_is_infinite(check: Check) -> None:
    """An output that backward does not go through spoils no gradient, even where its own derivative is infinite."""

    def part(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.sin(), a.sqrt()

    def program(compile_part: Compile, a: torch.Tensor) -> Any:
        given = _leaf(a)
        compile_part(part)(given)[0].sum().backward()
        return given.grad

    result = check(program, tensor(3, values=[0.0, 1.0, 4.0], grad=False), in_parts=True, backward=False)
    result.happened(float(result.value("out")[0]) == 1, "the gradient of the sine alone")


def _products(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Saves its arguments and what it computes of them."""
    return (a @ b).sin() @ b


def _saved_on_cpu() -> Any:
    return torch.autograd.graph.save_on_cpu()


def _scaled() -> Any:
    return torch.autograd.graph.saved_tensors_hooks(lambda saved: saved * 4, lambda packed: packed / 4)


def _in_double_precision() -> Any:
    return torch.autograd.graph.saved_tensors_hooks(
        lambda saved: (saved.double(), saved.dtype), lambda packed: packed[0].to(packed[1])
    )


AROUND = {"saved_on_cpu": _saved_on_cpu, "scaled": _scaled, "in_double_precision": _in_double_precision}


@pytest.mark.parametrize("around", AROUND)
@clause("autograd.around-calls", "T9.6", modes="train")
def test_calls_under_hooks_on_what_is_saved(check: Check, around: str) -> None:
    """Calls under hooks of the caller on what is saved, and calls between them without any, have eager's gradients."""

    def program(compile_part: Compile, a: torch.Tensor, b: torch.Tensor) -> list[Any]:
        part, found = compile_part(_products), list[Any]()
        for number in range(4):
            first, second = _leaf(a + number), _leaf(b)
            if number % 2:
                with AROUND[around]():
                    output = part(first, second)
            else:
                output = part(first, second)
            output.sum().backward()
            found.append([output.detach(), first.grad, second.grad])
        return found

    arguments = tensor(3, 3, grad=False), tensor(3, 3, grad=False)
    check(program, *arguments, in_parts=True, backward=False).computed()


@clause("autograd.around-calls", "T9.6", modes="train")
def test_hooks_that_change_what_a_call_saved(check: Check) -> None:
    """Hooks of the caller's see what a call saves, and what they unpack is what its backward computes with."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return a.exp()

    def program(compile_part: Compile, a: torch.Tensor) -> list[Any]:
        compiled, found = compile_part(part), list[Any]()
        for factor in (1.0, 3.0, 1.0):
            seen = list[str]()

            def pack(saved: torch.Tensor, seen: list[str] = seen) -> torch.Tensor:
                seen.append("packed")
                return saved

            def unpack(packed: torch.Tensor, seen: list[str] = seen, factor: float = factor) -> torch.Tensor:
                seen.append("unpacked")
                return packed * factor

            given = _leaf(a)
            with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
                output = compiled(given)
            output.sum().backward()
            found.append([given.grad, seen])
        return found

    result = check(program, tensor(3, values=[0.0, 1.0, -1.0], grad=False), in_parts=True, backward=False)
    result.holds("out[1][1]", ["packed", "unpacked"])
    result.values("out[0][0]", "out[1][0]").expect("""\
out[0][0] = float32[3] [1, 2.718, 0.3679]
out[1][0] = float32[3] [3, 8.155, 1.104]
""")


@clause("autograd.around-calls", "T9.6", modes="train", fullgraph=False)
def test_tensors_saved_on_the_cpu_by_the_program(check: Check) -> None:
    """`save_on_cpu` in a program holds for what its block saves, and gradients are eager's."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.save_on_cpu():
            inner = _products(a, b)
        return inner.sin() * a

    check(program, tensor(3, 3), tensor(3, 3)).gradient(0, 1)


@clause("autograd.around-calls", "T9.6", modes="train")
def test_hooks_on_what_is_saved_disabled_in_a_program(check: Check) -> None:
    """A program that disables hooks on what is saved is refused where its caller has some, and in no other call."""

    def part(a: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
            return a.sin() * 2

    def program(compile_part: Compile, a: torch.Tensor) -> list[Any]:
        compiled, found = compile_part(part), list[Any]()
        for hooked in (False, True, False):
            given = _leaf(a)
            try:
                if hooked:
                    with _scaled():
                        output = compiled(given)
                else:
                    output = compiled(given)
            except RuntimeError as error:
                found.append("no hooks here" in str(error))
            else:
                output.sum().backward()
                found.append(given.grad)
        with _scaled():
            outside = given * given
        return [*found, outside]

    result = check(program, tensor(3, grad=False), in_parts=True, backward=False)
    result.holds("out[1]", True).happened(bool(result.value("out[2]").any()), "a gradient in the call after it")


@clause("autograd.around-calls", modes="train")
def test_gradient_that_is_not_a_number_in_anomaly_mode(check: Check) -> None:
    """Under anomaly mode a backward that makes NaN is refused, and before and after it the gradient is NaN."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return a.sqrt().sin() * 2

    def program(compile_part: Compile, a: torch.Tensor, b: torch.Tensor) -> list[Any]:
        compiled, found = compile_part(part), list[Any]()
        for detected in (False, True, False):
            given = _leaf(a)
            with torch.autograd.set_detect_anomaly(detected):
                output = compiled(given)
                try:
                    output.backward(b)
                except RuntimeError as error:
                    found.append("returned nan values in its 0th output" in str(error))
                else:
                    found.append(given.grad)
        return found

    arguments = tensor(3, values=[0.0, 1.0, 4.0], grad=False), tensor(3, values=[0.0, 1.0, 1.0], grad=False)
    result = check(program, *arguments, in_parts=True, backward=False)
    result.holds("out[1]", True).values("out[0]", "out[2]").expect("""\
out[0] = float32[3] [nan, 0.5403, -0.2081]
out[2] = float32[3] [nan, 0.5403, -0.2081]
""")


@clause("autograd.around-calls", modes="train", fullgraph=False)
def test_anomaly_mode_of_a_block_in_a_program(check: Check) -> None:
    """A block of anomaly mode in a program changes no gradient, and is over behind it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool, bool]:
        with torch.autograd.set_detect_anomaly(True, check_nan=False):
            inner, inside = _sine(a), torch.is_anomaly_enabled()
        return inner * a, inside, torch.is_anomaly_enabled()

    check(program, tensor(3)).gradient(0).holds("out[1]", True).holds("out[2]", False)


def _told(gradients: Any) -> list[Any]:
    return [None if each is None else each.detach() for each in gradients]


@pytest.mark.parametrize("mode", ["all", "any"])
@clause("autograd.around-calls", modes="train")
def test_hook_on_several_gradients(check: Check, mode: Any) -> None:
    """A hook on several leaves is called once, with the gradients of all, None for one without, or with the first."""

    def part(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b).sin() + a

    def program(compile_part: Compile, a: torch.Tensor, b: torch.Tensor) -> list[Any]:
        compiled, handed = compile_part(part), list[Any]()
        first, second, other = _leaf(a), _leaf(b), _leaf(a)
        leaves = (first, second, other) if mode == "all" else (first,)
        told = handed.append if mode == "any" else lambda gradients: handed.append(_told(gradients))
        handle = torch.autograd.graph.register_multi_grad_hook(leaves, told, mode=mode)
        compiled(first, second).sum().backward()
        handle.remove()
        compiled(first, second).sum().backward()
        return [handed, first.grad, second.grad]

    result = check(program, tensor(3, grad=False), tensor(3, grad=False), in_parts=True, backward=False)
    if mode == "all":
        result.holds("out[0][0][2]", None)
    result.happened("out[0][1]" not in result.call.entries, "one call of the hook").computed()


@clause("autograd.around-calls", modes="train")
def test_hook_on_the_gradients_of_several_outputs(check: Check) -> None:
    """A hook on three outputs is handed the gradients of those that backward went through, and None for the third."""

    def part(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return a.sin(), a * 2, a.exp()

    def program(compile_part: Compile, a: torch.Tensor) -> list[Any]:
        given, handed = _leaf(a), list[Any]()
        outputs = compile_part(part)(given)
        torch.autograd.graph.register_multi_grad_hook(outputs, lambda gradients: handed.append(_told(gradients)))
        (outputs[0] * 3 + outputs[1] * 5).sum().backward()
        return [handed, given.grad]

    result = check(program, tensor(3, grad=False), in_parts=True, backward=False)
    result.holds("out[0][0][2]", None).values().expect("""\
out[0][0][0] = float32[3] [3, 3, 3]
out[0][0][1] = float32[3] [5, 5, 5]
out[0][0][2] = NoneType
out[1] = float32[3] [12.32, 7.384, 12.91]
""")


@clause("autograd.around-calls", modes="train", fullgraph=False)
def test_hook_on_several_gradients_that_the_program_registers(check: Check) -> None:
    """A hook on several gradients that a program registers is called in backward, with all of them."""

    def program(a: torch.Tensor, b: torch.Tensor, seen: list[int]) -> torch.Tensor:
        torch.autograd.graph.register_multi_grad_hook((a, b), lambda gradients: seen.append(len(gradients)))
        return (a * b).sin()

    check(program, calls=[(tensor(3), tensor(3), [])]).gradient(0, 1).mutated_in_backward(2)


@clause("autograd.around-calls", modes="train")
def test_hooks_on_the_node_of_an_output(check: Check) -> None:
    """Hooks in front of the node of an output and of that of a leaf change the gradient that goes in."""

    def program(compile_part: Compile, a: torch.Tensor) -> list[Any]:
        given, seen = _leaf(a), list[Any]()
        accumulate = torch.autograd.graph.get_gradient_edge(given).node
        accumulate.register_prehook(lambda gradients: (gradients[0] + 1,))
        output = compile_part(_sine)(given)
        output.grad_fn.register_prehook(lambda gradients: (gradients[0] * 3,))
        output.grad_fn.register_hook(lambda of_inputs, of_outputs: seen.append(of_outputs[0].detach()))
        output.sum().backward()
        return [given.grad, seen]

    check(program, tensor(3, grad=False), in_parts=True, backward=False).values().expect("""\
out[0] = float32[3] [5.641, -4.232, 6.829]
out[1][0] = float32[3] [3, 3, 3]
""")


@clause("autograd.around-calls", modes="train")
def test_gradient_between_edges_of_the_graph(check: Check) -> None:
    """The gradient from the edge of an output, and that to the edge of a leaf, are those of the tensors."""

    def program(compile_part: Compile, a: torch.Tensor) -> list[Any]:
        given, compiled = _leaf(a), compile_part(_sine)
        edge = torch.autograd.graph.get_gradient_edge(compiled(given))
        (gradient,) = torch.autograd.grad(edge, given, torch.ones_like(given))
        compiled(given).sum().backward(inputs=[torch.autograd.graph.get_gradient_edge(given)])
        return [gradient, given.grad]

    result = check(program, tensor(3, grad=False), in_parts=True, backward=False)
    result.happened(torch.equal(result.value("out[0]"), result.value("out[1]")), "one gradient both ways")
    result.computed()


@clause("autograd.around-calls", modes="no_grad", fullgraph=False)
def test_tangent_of_an_argument(check: Check) -> None:
    """Of an argument that has a tangent the result has one, in calls between others whose argument has none."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * a

    def program(compile_part: Compile, a: torch.Tensor, b: torch.Tensor) -> list[Any]:
        compiled, found = compile_part(part), list[Any]()
        for _ in range(2):
            found.append(compiled(a))
            with forward_ad.dual_level():
                found += forward_ad.unpack_dual(compiled(forward_ad.make_dual(a, b)))
        return found

    check(program, tensor(3), tensor(3), in_parts=True, backward=False).values().expect("""\
out[0] = float32[3] [0.4351, 1.287, 0.05658]
out[1] = float32[3] [0.4351, 1.287, 0.05658]
out[2] = float32[3] [-1.61, -0.8227, -0.4761]
out[3] = float32[3] [0.4351, 1.287, 0.05658]
out[4] = float32[3] [0.4351, 1.287, 0.05658]
out[5] = float32[3] [-1.61, -0.8227, -0.4761]
""")


@clause("autograd.around-calls", modes="no_grad", fullgraph=False)
def test_jacobian_by_tangents(check: Check) -> None:
    """The Jacobian that `torch.autograd.functional` takes of a compiled function in forward mode is eager's."""

    def part(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * a.sum()

    def program(compile_part: Compile, a: torch.Tensor) -> Any:
        compiled = compile_part(part)
        compiled(a)
        return torch.autograd.functional.jacobian(compiled, a, strategy="forward-mode", vectorize=True)

    check(program, tensor(3), in_parts=True, backward=False).values().expect("""\
out = float32[3, 3] [[-1.054, 0.6338, 0.6338], [-0.4895, 1.414, -0.4895], [-0.2367, -0.2367, -2.357]]
""")
