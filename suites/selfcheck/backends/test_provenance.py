"""Who executed a graph: backends that hand it back in one way or another, and engines that make a part of it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch

from suites.harness import built, leaf, tensor
from suites.harness.backends.adapters import adapted
from suites.harness.backends.backend import CompileCounter, CompileOptions
from suites.harness.execution import accelerations
from suites.harness.observation.observe import CallOptions
from suites.harness.oracle import dispatched, provenance
from suites.harness.oracle.examine import Examination, examine
from suites.harness.oracle.runs import Run, Subject
from suites.harness.programs.clause_programs import ClauseProgram
from suites.harness.programs.specs import Variant
from suites.harness.torch_internals import aot_autograd, core_decompositions, forget_library, lookup_backend, version
from suites.selfcheck.examples import EXAMPLES


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run of these tests may be a plain one."""
    on = accelerations.on
    monkeypatch.setattr(accelerations, "on", lambda way: way == accelerations.WATCHED or on(way))


def examined(compiler: Any, program: Any, *specs: Any, mode: str = "no_grad") -> Examination:
    subject = Subject(ClauseProgram(program, (specs, specs), Variant(mode)), CallOptions(mode))
    return examine(subject, adapted("mine", compiler))


def sums(a: torch.Tensor) -> torch.Tensor:
    return (a + 1) * 2


# Backends whose graphs torch executes -------------------------------------------------------------------------------


def hands_back(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    forward: Callable[..., Any] = module.forward
    return forward


def interprets(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    run: Callable[..., Any] = torch.fx.Interpreter(module).run
    return run


def decomposes(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    backend = aot_autograd(fw_compiler=lambda graph, _: graph.forward, decompositions=core_decompositions())
    compiled: Callable[..., Any] = backend(module, inputs)
    return compiled


def functionalizes(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    compiled: Callable[..., Any] = aot_autograd(fw_compiler=lambda graph, _: graph.forward)(module, inputs)
    return compiled


def leaves_it_to_inductor(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    compiled: Callable[..., Any] = lookup_backend("inductor")(module, inputs)
    return compiled


@pytest.mark.parametrize("compiler", [hands_back, interprets, decomposes])
@pytest.mark.parametrize("mode", ["train", "no_grad", "inference"])
def test_graph_that_is_handed_back_is_executed_by_torch(compiler: Any, mode: str) -> None:
    found = examined(compiler, sums, tensor(3) if mode != "train" else leaf(3), mode=mode)
    assert (found.outcome, found.executed) == ("pass", False)


def test_graph_that_is_left_to_inductor_is_executed_by_torch() -> None:
    found = examined(leaves_it_to_inductor, lambda a: (a @ a + 1).relu() * 2, leaf(3, 3), mode="train")
    assert (found.outcome, found.executed) == ("pass", False)


WORKER = ThreadPoolExecutor(1)


def in_the_worker(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Runs the graph in a thread that was there before."""

    def run(*args: Any) -> Any:
        modes = torch.is_inference_mode_enabled(), torch.is_grad_enabled()

        def forward() -> Any:
            with torch.inference_mode(modes[0]), torch.set_grad_enabled(modes[1]):
                return module.forward(*args)

        return WORKER.submit(forward).result()

    return run


def in_a_new_thread(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        with ThreadPoolExecutor(1) as pool, torch.inference_mode(torch.is_inference_mode_enabled()):
            return pool.submit(torch.set_grad_enabled(torch.is_grad_enabled())(module.forward), *args).result()

    return run


def copied(value: Any) -> Any:
    """The value as an engine would hand it over, in memory of its own."""
    return torch.from_numpy(np.array(value.detach().numpy())) if isinstance(value, torch.Tensor) else value


def copies(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Returns copies of what torch computes."""
    return lambda *args: tuple(copied(each) for each in module.forward(*args))


def copies_behind_aot_autograd(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Returns copies of what torch computes in forward and in backward."""
    compiled: Callable[..., Any] = aot_autograd(fw_compiler=copies)(module, inputs)
    return compiled


def hidden_programs() -> dict[str, Any]:
    """Programs whose operators have others within them, are composite, draw, write or make constants."""
    functional = torch.nn.functional
    return {
        "sums": sums,
        "composite": lambda a: functional.linear(a, a).softmax(-1).pow(2) * a,
        "attention": lambda a: functional.scaled_dot_product_attention(a[None], a[None], a[None]).sum(),
        "draws": lambda a: torch.rand(3) + functional.dropout(a, 0.5, True),
        "not a number": lambda a: (a * float("nan") + float("inf")).nan_to_num(),
        "writes": lambda a: a.mul_(2).add_(torch.tensor([1.0, 2.0, 3.0])),
    }


@pytest.mark.parametrize("mode", ["no_grad", "inference"])
@pytest.mark.parametrize("program", hidden_programs().values(), ids=hidden_programs())
@pytest.mark.parametrize("compiler", [in_the_worker, copies])
def test_fallback_is_told_that_no_dispatch_mode_sees(compiler: Any, program: Any, mode: str) -> None:
    made = Subject(ClauseProgram(program, ((tensor(3, 3),),), Variant(mode)), CallOptions(mode)).make(
        Run(adapted("mine", compiler), watched=True)
    )
    assert not any(call.error for call in made.observation.calls)
    assert made.by_backend is False


@pytest.mark.parametrize("compiler", [in_the_worker, in_a_new_thread, copies_behind_aot_autograd])
def test_fallback_that_is_hidden_is_told_with_gradients(compiler: Any) -> None:
    found = examined(compiler, sums, leaf(3), mode="train")
    assert (found.outcome, found.executed) == ("pass", False)


def test_fallback_in_a_thread_is_told_of_modules() -> None:
    found = examined(in_the_worker, built(Normalised), tensor(4, 3))
    assert (found.outcome, found.executed) == ("pass", False)


class Normalised(torch.nn.Module):
    """Running statistics, a buffer that no argument is, a constant that is made on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.register_buffer("scale", torch.full((3,), 2.0))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return self.norm(a) * self.scale + torch.tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize("compiler", [hands_back, decomposes])
def test_constants_and_hidden_writes_are_no_signs_of_an_engine(compiler: Any) -> None:
    found = examined(compiler, built(Normalised), tensor(4, 3))
    assert (found.outcome, found.executed) == ("pass", False)


@pytest.mark.parametrize("compiler", [hands_back, interprets, decomposes])
@pytest.mark.parametrize(
    "program",
    [
        lambda a: torch.tensor([1.0, float("nan"), 3.0]) + a,
        lambda a: torch.as_tensor([1.0, float(a.shape[0])]).sum() + a,
        lambda a: torch.tensor(data=2.0) * a,
    ],
    ids=["literals", "of a size", "by name"],
)
def test_literals_of_the_program_are_no_sign_of_an_engine(program: Any, compiler: Any) -> None:
    found = examined(compiler, program, tensor(3))
    assert (found.outcome, found.executed) == ("pass", False)


@pytest.mark.parametrize(
    "program",
    [
        lambda a: torch.empty_like(a).copy_(a),
        lambda a: torch.empty(3).fill_(2.0) + a,
        lambda a: torch.ones_like(torch.empty(3)) + a,
    ],
    ids=["copied into", "filled", "asked for its sizes"],
)
@pytest.mark.parametrize("compiler", [hands_back, interprets, functionalizes])
def test_memory_that_the_program_allocates_is_no_sign_of_an_engine(program: Any, compiler: Any) -> None:
    found = examined(compiler, program, tensor(3))
    assert (found.outcome, found.executed) == ("pass", False)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_no_example_takes_torch_for_an_engine(name: str) -> None:
    example = EXAMPLES[name]
    made = example.subject().make(Run(adapted("mine", hands_back), watched=True))
    assert made.by_backend is not True


# Engines ------------------------------------------------------------------------------------------------------------


def by_numpy(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Multiplies by numpy; the rest is torch's."""

    class Half(torch.fx.Interpreter):
        def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
            if getattr(target, "__name__", "") == "mul" and not args[0].requires_grad:
                return torch.from_numpy(args[0].numpy() * args[1])
            return super().call_function(target, args, kwargs)

    return Half(module).run


def by_pointer(allocate: Callable[..., torch.Tensor]) -> Any:
    """Computes into memory that torch has handed out, behind its back."""

    def compile_graph(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        def run(*args: torch.Tensor) -> Any:
            right = (args[0].numpy() + 1) * 2
            result = allocate(right.shape)
            ctypes.memmove(result.data_ptr(), right.ctypes.data, right.nbytes)
            return (result,)

        return run

    return compile_graph


def in_place_by_pointer(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    def run(*args: torch.Tensor) -> Any:
        args[0].numpy()[...] *= 2
        return (args[0],)

    return run


def backward_by_numpy(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Torch runs forward, the engine backward."""

    def compile_backward(graph: torch.fx.GraphModule, _: Any) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            return [torch.from_numpy(args[-1].numpy() * 2)]

        return run

    compiled: Callable[..., Any] = aot_autograd(
        fw_compiler=lambda graph, _: graph.forward, bw_compiler=compile_backward
    )(module, inputs)
    return compiled


@pytest.fixture
def engine_operator() -> Iterator[Any]:
    library = torch.library.Library("parity_engine", "DEF")
    library.define("run(Tensor a) -> Tensor")
    library.impl("run", lambda a: (a + 1) * 2, "CompositeExplicitAutograd")
    yield lambda module, inputs: lambda a: (torch.ops.parity_engine.run(a),)
    forget_library(library)


@pytest.mark.parametrize(
    "compiler",
    [by_numpy, by_pointer(torch.empty), by_pointer(torch.zeros)],
    ids=["result", "empty memory", "zeros"],
)
def test_result_that_no_operator_of_torch_made_is_the_engines(compiler: Any) -> None:
    found = examined(compiler, sums, tensor(3))
    assert (found.outcome, found.executed) == ("pass", True)


def handing_over(hand_over: Callable[[Any], torch.Tensor]) -> Any:
    """Computes by numpy a graph of literals that are added to an argument."""

    def compile_graph(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        return lambda a: (hand_over(a.numpy() + [1.0, 2.0, 3.0]).float(),)

    return compile_graph


@pytest.mark.parametrize("hand_over", [torch.from_numpy, torch.as_tensor, torch.tensor])
def test_engine_that_hands_over_is_told_from_literals_of_the_program(hand_over: Any) -> None:
    """However the engine's array becomes a tensor: it is not the numbers that the graph holds."""
    found = examined(handing_over(hand_over), lambda a: torch.tensor([1.0, 2.0, 3.0]) + a, tensor(3))
    assert (found.outcome, found.executed) == ("pass", True)


def half_in_the_worker(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Multiplies by numpy, and adds by torch, in a thread."""
    return lambda a: WORKER.submit(lambda: (torch.from_numpy((a + 1).detach().numpy() * 2),)).result()


def within_another(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    """Squares by torch, which multiplies for that, and multiplies by numpy."""
    return lambda a: (torch.from_numpy(a.pow(3).numpy() * 2),)


@pytest.mark.parametrize(
    ("compiler", "program"),
    [(half_in_the_worker, sums), (within_another, lambda a: a.pow(3) * 2), (by_numpy, sums)],
    ids=["in a thread", "an operator within another", "in this thread"],
)
def test_engine_that_computes_a_part_has_executed_something(compiler: Any, program: Any) -> None:
    found = examined(compiler, program, tensor(3))
    assert (found.outcome, found.executed) == ("pass", True)


def test_operators_of_the_same_name_are_counted() -> None:
    """An engine that leaves one of two to torch has executed the other."""

    def compile_graph(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        return lambda a: (torch.from_numpy((a * 2).numpy() * np.float32(3)),)

    found = examined(compile_graph, lambda a: a * 2 * 3, tensor(3))
    assert (found.outcome, found.executed) == ("pass", True)


def test_argument_that_changes_on_its_own_is_the_engines_work() -> None:
    found = examined(in_place_by_pointer, lambda a: a.mul_(2), tensor(3))
    assert (found.outcome, found.executed) == ("pass", True)


def test_engine_that_runs_backward_alone_has_executed_something() -> None:
    found = examined(backward_by_numpy, sums, leaf(3), mode="train")
    assert (found.outcome, found.executed) == ("pass", True)


def test_operator_of_the_backends_own_is_its_engine(engine_operator: Any) -> None:
    assert examined(engine_operator, sums, tensor(3)).executed is True


# Counts of the backend's own ----------------------------------------------------------------------------------------


def test_backend_counts_its_executions_itself() -> None:
    runs = [0]

    def compile_graph(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            runs[0] += args[0].shape[0] == 3
            return module.forward(*args)

        return run

    compile_graph.parity_executed = lambda: runs[0]  # type: ignore[attr-defined]
    assert [examined(compile_graph, sums, tensor(size)).executed for size in (3, 4)] == [True, False]


def raises_in_its_graph(a: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.embedding(torch.tensor([7]), a)


def raises_before_any_graph(a: torch.Tensor) -> torch.Tensor:
    raise ValueError("no such size")


@pytest.mark.parametrize("program", [raises_in_its_graph, raises_before_any_graph])
def test_count_of_none_says_nothing_where_every_call_raises(program: Any) -> None:
    def compile_graph(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        forward: Callable[..., Any] = module.forward
        return forward

    compile_graph.parity_executed = lambda: 0  # type: ignore[attr-defined]
    found = examined(compile_graph, program, tensor(3, 3))
    assert (found.outcome, found.executed) == ("pass", None)


def engine(run: Callable[..., Any], *args: Any) -> Any:
    """What a backend of these tests calls once it executes something."""
    return run(*args)


def test_backend_names_the_function_of_its_engine() -> None:
    def compile_graph(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        return lambda *args: engine(module.forward, *args) if args[0].shape[0] == 3 else module.forward(*args)

    compile_graph.parity_executed = f"{__name__}:engine"  # type: ignore[attr-defined]
    before = engine
    assert [examined(compile_graph, sums, tensor(size)).executed for size in (3, 4)] == [True, False]
    assert engine is before


def test_engine_that_is_tried_while_it_is_compiled_has_executed_nothing() -> None:
    """By its own count, and by calls of its function, whether a program is examined or compiled by hand."""
    tried = [0]

    def counts(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        tried[0] += 1
        return module.forward

    def calls(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        engine(lambda: None)
        return module.forward

    counts.parity_executed = lambda: tried[0]  # type: ignore[attr-defined]
    calls.parity_executed = f"{__name__}:engine"  # type: ignore[attr-defined]
    assert [examined(compiler, sums, tensor(3)).executed for compiler in (counts, calls)] == [False, False]
    assert tried[0]
    backend, counter = adapted("mine", counts), CompileCounter()
    with counter.counting(backend.executed):
        backend.compile(sums, CompileOptions(), counter)(torch.ones(3))
    assert (counter.graphs, counter.executions) == (1, 0)


# What is not asked, or not told -------------------------------------------------------------------------------------


def test_backend_that_is_torchs_by_design_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance.Provenance, "around", None)
    for attribute in ("parity_bitwise", "parity_runs_torch"):

        def compile_graph(module: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
            return module.forward

        setattr(compile_graph, attribute, True)
        assert examined(compile_graph, sums, tensor(3)).executed is None


def test_plain_run_does_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerations, "on", lambda way: False)
    assert examined(hands_back, sums, tensor(3)).executed is None


def test_graph_without_an_operator_says_nothing() -> None:
    assert examined(hands_back, lambda a: (a, a), tensor(3)).executed is None


def test_looking_that_fails_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(storage: Any) -> int:
        raise RuntimeError("no such memory")

    monkeypatch.setattr(provenance, "_digest", broken)
    found = examined(hands_back, sums, tensor(3))
    assert (found.outcome, found.executed) == ("pass", None)


class Unknown:
    """What a fake run cannot be made of."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no such run")


@pytest.mark.parametrize("broken", ["FakeTensorMode", "ExecutionTraceObserver", "_Counting", "_executed"])
def test_second_question_that_fails_leaves_the_first_answer(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    monkeypatch.setattr(dispatched, broken, Unknown())
    found = examined(copies, sums, tensor(3))
    assert (found.outcome, found.executed) == ("pass", True)


def test_second_question_changes_nothing() -> None:
    """Neither tensors, nor their versions, nor gradients and generators; and its trace is not in the error stream."""

    class Draws(torch.nn.Module):
        calls: torch.Tensor
        mean: torch.Tensor
        variance: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(3))
            self.register_buffer("calls", torch.tensor(0))
            self.register_buffer("mean", torch.zeros(3))
            self.register_buffer("variance", torch.ones(3))

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            self.calls.add_(1)
            a = torch.nn.functional.batch_norm(a.mul_(2), self.mean, self.variance, self.weight, None, True)
            return torch.nn.functional.dropout(a, 0.5, True) + torch.rand(3)

    module = torch.fx.symbolic_trace(Draws())
    a = torch.ones(4, 3)

    def state() -> Any:
        tensors = [a, *module.state_dict().values(), torch.get_rng_state()]
        return [(each.tolist(), version(each)) for each in tensors[:-1]], tensors[-1].tolist()

    for of_backward in (False, True):
        question = dispatched.Question(module, [a], of_backward=of_backward)
        with question.watching():
            module(a.clone())
        before = state()
        assert question.executed_by_torch() is not of_backward
        assert state() == before
    assert all(parameter.grad is None for parameter in module.parameters())


def test_error_stream_holds_what_others_write(capfd: pytest.CaptureFixture[str]) -> None:
    question = dispatched.Question(torch.fx.symbolic_trace(sums), [torch.ones(3)])
    with question.watching():
        os.write(2, b"a line\n")
    with dispatched._without_its_lines():
        os.write(2, b"another\n[W1128 execution_trace_observer.cpp:989] Enabling Execution Trace Observer\nthird")
    assert capfd.readouterr().err == "a line\nanother\nthird"


@pytest.mark.parametrize("name", sorted(EXAMPLES)[::12])
def test_the_compared_runs_are_those_of_a_run_that_does_not_ask(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is recorded of an example is the same, and the question is the last thing that is asked of a backend."""
    example = EXAMPLES[name]
    backend = adapted("mine", decomposes)
    runs: list[Run] = []

    def recorded(run: Run) -> Any:
        runs.append(run)
        return example.subject().make(run)

    asked = examine(example.subject(), backend, recorded)
    assert not any(run.watched for run in runs[:-1])
    monkeypatch.setattr(accelerations, "on", lambda way: False)
    plain = examine(example.subject(), backend)
    assert (asked.outcome, asked.detail, asked.facets, asked.tolerance) == (
        plain.outcome,
        plain.detail,
        plain.facets,
        plain.tolerance,
    )
    assert [item.fingerprint for item in asked.divergences] == [item.fingerprint for item in plain.divergences]
