"""Capture: the graphs of every stage, and that the graph recorded is the graph that ran."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from expecttest import assert_expected_inline
from functorch.compile import make_boxed_func

from golden.expectation import Session, use_session
from golden.graphs.capture import Graph, Graphs, NoSuchGraph, Recorder
from golden.graphs.compare import compare_texts
from golden.graphs.inductor import wrapper_skeleton
from golden.graphs.text import graph_text
from suites.harness import torch_internals


def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.sin() * b).sum()


def mutates(a: torch.Tensor) -> torch.Tensor:
    a.mul_(2)
    return a + 1


def leaves() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.ones(3, 3, requires_grad=True), torch.ones(3, 3)


def capture(
    program: Callable[..., Any], args: tuple[Any, ...], *, backend: str = "", keep: bool = False, **options: Any
) -> Graphs:
    """Compile a program, by AOTAutograd alone without a ``backend``; run it, and backward where there is one."""
    recorder = Recorder()
    if backend:
        torch_internals.reset()
        compiled = torch.compile(program, backend=recorder.backend(backend), **options)
    else:
        hooks = recorder.hooks()
        compiled = torch_internals.aot_function(program, dynamic=False, keep_input_mutations=keep, **hooks)
    output = compiled(*args)
    if output.requires_grad:
        output.sum().backward()
    return recorder.graphs()


@pytest.mark.parametrize("backend", ["", "aot_eager"])
def test_every_stage_of_a_training_program(backend: str) -> None:
    graphs = capture(program, leaves(), backend=backend)
    expected = ("joint", "forward", "backward")
    assert graphs.stages == (("dynamo", *expected) if backend else expected)
    assert graphs.forward.text.startswith("def forward(self, primals_1, primals_2):\n    sin = torch.ops.aten.sin")
    assert "tangents_1" in graphs.backward.text
    assert graphs.joint.targets[0] == "torch.ops.aten.sin.default"
    assert graphs.backward.graph is not None


@pytest.mark.parametrize("kept", [True, False])
def test_kept_input_mutations_are_copied_back_in_the_graph(kept: bool) -> None:
    graphs = capture(mutates, (torch.ones(2),), keep=kept)
    assert ("torch.ops.aten.copy_.default" in graphs.forward.targets) is kept


def test_compile_keeps_input_mutations_like_aot_eager() -> None:
    graphs = capture(mutates, (torch.ones(2),), backend="aot_eager")
    assert "torch.ops.aten.copy_.default" in graphs.forward.targets
    assert graphs.dynamo.text.startswith("def forward(self, l_a_):\n    mul_ = l_a_.mul_(2)\n")


def test_graph_breaks_give_several_graphs_in_order() -> None:
    def broken(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        torch._dynamo.graph_break()
        return b.cos()

    graphs = capture(broken, (torch.ones(2),), backend="aot_eager", fullgraph=False)
    first, second = graphs.all("forward")
    assert ("sin" in first.text, "cos" in second.text) == (True, True)
    assert graphs.forward is first


def test_a_missing_stage_says_what_there_is() -> None:
    graphs = capture(mutates, (torch.ones(2),))
    with pytest.raises(NoSuchGraph, match=r"no backward graph was captured; captured: forward \(a joint and"):
        _ = graphs.backward
    with pytest.raises(NoSuchGraph, match="inductor"):
        _ = graphs.wrapper
    with pytest.raises(NoSuchGraph, match="was anything compiled"):
        _ = Recorder().graphs().forward


def test_the_graph_recorded_is_the_graph_that_ran() -> None:
    """A compiler of the harness runs what it was handed; the recorder saw the very same graph."""
    ran: list[str] = []

    def compiler(module: Any, inputs: Any) -> Any:
        ran.append(graph_text(module))
        return make_boxed_func(module)

    recorder = Recorder()
    compiled = torch.compile(program, backend=recorder.backend(_aot_backend(compiler)))
    torch_internals.reset()
    compiled(*leaves()).backward()
    assert [graph.text for graph in recorder.graphs().recorded if graph.stage in ("forward", "backward")] == ran
    recorder.clear()
    assert recorder.graphs().stages == ()


def _aot_backend(compiler: Any) -> Any:
    return torch_internals.aot_autograd(fw_compiler=compiler, bw_compiler=compiler)


def test_two_captures_of_one_program_are_equal() -> None:
    first, second = (capture(program, leaves(), backend="aot_eager", dynamic=True) for _ in range(2))
    assert [graph.text for graph in first.recorded] == [graph.text for graph in second.recorded]


def test_a_changed_program_is_changed_and_a_renamed_one_is_not() -> None:
    def renamed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        waves = torch.sin(x)
        return torch.sum(waves * y)

    def planted(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a.sin().clone() * b).sum()

    expected = capture(program, leaves()).forward.text
    assert compare_texts(expected, capture(renamed, leaves()).forward.text).verdict == "same"
    found = compare_texts(expected, capture(planted, leaves()).forward.text)
    assert found.verdict == "changed"
    assert found.explanation.startswith("aten.clone of the result of aten.sin before aten.mul is new")


def test_expect_compares_with_the_golden() -> None:
    with use_session(Session("strict", "clause[cell]")):
        capture(mutates, (torch.ones(2),)).forward.expect("""\
def forward(self, arg0_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    add = torch.ops.aten.add.Tensor(mul, 1)
    return (mul, add)
""")


WRAPPER = """
async_compile.wait(globals())

class Runner:
    def call(self, args):
        primals_1, primals_2 = args
        args.clear()
        assert_size_stride(primals_1, (3, 3), (3, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cpu((3, 3), (3, 1), torch.float32)
            # Topologically Sorted Source Nodes: [mm]
            extern_kernels.mm(primals_1, primals_2, out=buf0)
            buf1 = buf0; del buf0  # reuse
            stream0 = get_raw_stream(0)
            cpp_fused_relu_0(buf1)
        del primals_1
        return (buf1, reinterpret_tensor(primals_2, (3, 3), (1, 3), 0), )
"""


def test_the_skeleton_of_a_wrapper() -> None:
    skeleton = wrapper_skeleton(WRAPPER)
    assert skeleton is not None
    assert_expected_inline(
        skeleton,
        """\
def call(self, primals_1, primals_2):
    torch.cuda.set_device(0)
    buf0 = empty_strided_cpu((3, 3), (3, 1), torch.float32)
    extern_kernels.mm(primals_1, primals_2, out=buf0)
    buf1 = buf0
    cpp_fused_relu_0(buf1)
    return (buf1, reinterpret_tensor(primals_2, (3, 3), (1, 3), 0))
""",
    )
    assert compare_texts(skeleton, skeleton.replace("buf", "tmp")).verdict == "cosmetic"
    assert compare_texts(skeleton, skeleton.replace("_relu_", "_gelu_")).verdict == "changed"


@pytest.mark.parametrize("code", ["#include <torch/csrc/inductor/cpp_prefix.h>", "x = 1"])
def test_code_without_a_wrapper_has_no_skeleton(code: str) -> None:
    assert wrapper_skeleton(code) is None


def test_inductor_stages() -> None:
    """A matrix product needs no kernel of its own, so nothing is compiled by the C++ compiler here."""
    graphs = capture(torch.mm, leaves(), backend="inductor")
    assert graphs.stages == ("dynamo", "joint", "forward", "backward", "post_grad", "wrapper")
    forward, backward = graphs.all("wrapper")
    assert isinstance(forward, Graph)
    assert "extern_kernels.mm(primals_1, primals_2, out=buf0)" in forward.text
    assert "tangents_1" in backward.text
    assert len(graphs.all("post_grad")) == 2
