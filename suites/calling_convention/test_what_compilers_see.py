"""What a backend's compilers are handed: example inputs for each placeholder, names and stack traces of the program."""

from collections.abc import Callable
from typing import Any

import torch
from functorch.compile import make_boxed_func

from suites.harness import Check, built, clause, tensor, torch_internals
from suites.harness.torch_internals import FakeTensor


class _Spy:
    """Compilers that run graphs as they are and keep what they were handed."""

    def __init__(self) -> None:
        self.modules: list[torch.fx.GraphModule] = []
        self.examples: list[list[Any]] = []

    def __call__(self, module: torch.fx.GraphModule, examples: Any) -> Callable[..., Any]:
        self.modules.append(module)
        self.examples.append(list(examples))
        run: Callable[..., Any] = make_boxed_func(module.forward)
        return run

    def compiling(self, program: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """``program``, compiled by the spy through torch.compile."""
        torch_internals.reset()
        backend = torch_internals.aot_autograd(fw_compiler=self, bw_compiler=self)
        compiled: Callable[..., Any] = torch.compile(program, backend=backend, fullgraph=True, **options)
        return compiled

    def placeholders(self, graph: int) -> list[torch.fx.Node]:
        """The inputs of a graph, in order."""
        return list(self.modules[graph].graph.find_nodes(op="placeholder"))

    def traces(self, graph: int) -> dict[str, str]:
        """The operators of a graph with the line of the program that each comes from."""
        calls = self.modules[graph].graph.nodes
        return {
            str(node.target): _last_line(node.meta.get("stack_trace") or "")
            for node in calls
            if node.op == "call_function"
        }


def _last_line(trace: str) -> str:
    """The innermost line of code of a stack trace, without the marks that newer Pythons set below it."""
    lines = [line.strip() for line in trace.splitlines() if line.strip(" ^~")]
    return lines[-1] if lines else ""


@clause("T2.7", "A18", modes="train", shapes=("static", "dynamic"))
def test_compilers_see_a_fake_input_for_each_placeholder(check: Check) -> None:
    """Forward and backward compilers are handed an example for each placeholder: a fake tensor of its shape."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).exp()

    result = check(program, tensor(2, 3), tensor(3, 4))
    result.gradient(0, 1)
    spy = _Spy()
    a, b = torch.randn(2, 3, requires_grad=True), torch.randn(3, 4, requires_grad=True)
    spy.compiling(program, dynamic=check.variant.shapes == "dynamic")(a, b).sum().backward()
    result.demand("structure", "graphs compiled", 2, len(spy.modules))
    for graph in (0, 1):
        examples = spy.examples[graph]
        result.demand("structure", "an example for each placeholder", len(spy.placeholders(graph)), len(examples))
        tensors = [example for example in examples if isinstance(example, torch.Tensor)]
        result.demand("structure", "tensors that are fake", len(tensors), sum(map(_is_fake, tensors)))
        shapes = [tuple(node.meta["val"].shape) for node in spy.placeholders(graph) if _is_fake(node.meta["val"])]
        result.demand("shape", "shapes of the examples", shapes, [tuple(example.shape) for example in tensors])


def _is_fake(value: Any) -> bool:
    return isinstance(value, FakeTensor)


@clause("A18", modes="train")
def test_nodes_keep_the_line_that_they_come_from(check: Check) -> None:
    """Operators of the forward graph, copied-back mutations included, and their gradients name the program's lines."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        b.mul_(2)
        waves = a.sin()
        return waves @ b

    result = check(program, tensor(3, 3), tensor(3, 3, grad=False))
    result.mutated(1).gradient(0)
    spy = _Spy()
    spy.compiling(program)(torch.randn(3, 3, requires_grad=True), torch.randn(3, 3)).sum().backward()
    forward, backward = spy.traces(0), spy.traces(1)
    result.demand("structure", "line of sin", "waves = a.sin()", forward.get("aten.sin.default", ""))
    result.demand("structure", "line of the mutation", "b.mul_(2)", forward.get("aten.mul.Tensor", ""))
    result.demand("structure", "line of sin's gradient", "waves = a.sin()", backward.get("aten.cos.default", ""))
    result.demand(
        "structure", "line of the product's gradient", "return waves @ b", backward.get("aten.mm.default", "")
    )


@clause("A18", "T2.3", modes="train")
def test_module_of_each_node_is_known(check: Check) -> None:
    """Nodes of the forward graph know the submodule that they come from, by its path."""

    class Layers(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(3, 3)
            self.second = torch.nn.Softplus()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.second(self.first(x))

    result = check(built(Layers), tensor(2, 3))
    result.gradient(0)
    spy = _Spy()
    spy.compiling(Layers())(torch.randn(2, 3)).sum().backward()
    owners = {
        str(node.target): list((node.meta.get("nn_module_stack") or {"": ("", None)}).values())[-1][0]
        for node in spy.modules[0].graph.nodes
        if node.op == "call_function"
    }
    result.demand("structure", "module of addmm", True, owners.get("aten.addmm.default", "").endswith("first"))
    result.demand("structure", "module of softplus", True, owners.get("aten.softplus.default", "").endswith("second"))
