"""ONNX Runtime as a backend: graphs of AOTAutograd, by torch's own exporter to ONNX, on the provider for the CPU."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import onnxruntime
import torch

from suites.harness import torch_internals

__version__ = onnxruntime.__version__
executions = 0


def example(value: Any) -> tuple[Any, Any]:
    """An argument as `torch.onnx.export` takes it, made of a fake one, and which sizes of it are left open."""
    if not isinstance(value, torch.Tensor):
        return hint(value), torch.export.Dim.AUTO if isinstance(value, torch.SymInt) else None
    left_open = [place for place, size in enumerate(value.shape) if isinstance(size, torch.SymInt)]
    real = torch.empty_strided([*map(hint, value.shape)], [*map(hint, value.stride())], dtype=value.dtype)
    return real, dict.fromkeys(left_open, torch.export.Dim.AUTO) or None


def hint(size: Any) -> Any:
    """The size that a symbolic one has in the call that is compiled for."""
    return size.node.hint if isinstance(size, torch.SymInt) else size


def session(module: torch.fx.GraphModule, example_inputs: list[Any]) -> onnxruntime.InferenceSession:
    """What ONNX Runtime makes of a graph."""
    examples = [example(each) for each in example_inputs]
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exported: Any = torch.onnx.export(
            module,
            tuple(value for value, _ in examples),
            dynamic_shapes=(tuple(left_open for _, left_open in examples),) if examples else None,
            dynamo=True,
            verbose=False,
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    text = exported.model_proto.SerializeToString()
    return onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])


def compile_functional(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Callable[..., list[Any]]:
    """A functional graph as a callable. Raises `NotImplementedError` for what is not exported, or has no kernel."""
    try:
        # In a thread of its own, which has no compilation under way: the export's guards would be among that one's.
        with ThreadPoolExecutor(1) as elsewhere:
            engine = elsewhere.submit(session, module, example_inputs).result()
    except Exception as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        raise NotImplementedError(f"{type(cause).__name__}: {cause}") from error
    names = [each.name for each in engine.get_inputs()]
    returned: Any = module.graph.output_node().args[0]

    def run(*args: Any) -> list[Any]:
        global executions
        tensors = [torch.as_tensor(each).detach().contiguous() for each in args]
        values = map(onnxruntime.OrtValue.from_dlpack, tensors)
        results = map(torch.from_dlpack, engine.run_with_ort_values(None, dict(zip(names, values, strict=True))))
        executions += 1
        return [value_of(node, results) for node in returned]

    return run


def value_of(node: Any, results: Any) -> Any:
    """What a graph returns in one place: the engine's next result, a number where the graph has one, or a constant."""
    if not isinstance(node, torch.fx.Node):
        return node
    result = next(results)
    return result if isinstance(node.meta["val"], torch.Tensor) else result.item()


compile_graph = torch_internals.aot_autograd(fw_compiler=compile_functional)
compile_graph.parity_modes = ("no_grad", "inference")  # type: ignore[attr-defined]
compile_graph.parity_executed = lambda: executions  # type: ignore[attr-defined]
