"""Mutants of the caller's global_state: random generators, modes and flags."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch

from suites.harness.backends.backend import CompileCounter, CompileOptions
from suites.harness.backends.registry import resolve
from suites.harness.observation.global_state import GlobalState

from .making import Run, backward, compiler, graph, program, replace_fresh


def _generators() -> dict[str, torch.Tensor]:
    """The states of the default generators, by device: the GPU's where this process uses one."""
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_initialized():
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def _drawn_since(before: dict[str, torch.Tensor]) -> list[str]:
    """The devices whose generator has been drawn from."""
    return [device for device, state in _generators().items() if not torch.equal(before.get(device, state), state)]


@graph("random")
def draws_too_often(run: Run) -> Run:
    """A program that draws random numbers advances the generator by one draw too many."""

    def wrong(*args: Any) -> Any:
        before = _generators()
        outputs = run(*args)
        for device in _drawn_since(before):
            torch.rand((), device=device)
        return outputs

    return wrong


@graph("random")
def does_not_advance_the_generator(run: Run) -> Run:
    """The generator is after the call what it was before it, so that the next draws repeat these."""

    def wrong(*args: Any) -> Any:
        before = _generators()
        try:
            return run(*args)
        finally:
            torch.set_rng_state(before["cpu"])
            if "cuda" in before:
                torch.cuda.set_rng_state(before["cuda"])

    return wrong


@graph("value")
def draws_in_another_order(run: Run) -> Run:
    """Where random numbers are drawn, each output holds the right ones in another order."""

    def wrong(*args: Any) -> Any:
        before = _generators()
        outputs = run(*args)
        if not _drawn_since(before):
            return outputs
        return replace_fresh(args, outputs, lambda data: data.flip(-1) if data.dim() else None)

    return wrong


@program("state")
def leaks_grad_mode(run: Run) -> Run:
    """Gradients are switched the other way after the call."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        torch.set_grad_enabled(not torch.is_grad_enabled())
        return outputs

    return wrong


@program("state")
def leaks_autocast(run: Run) -> Run:
    """Autocast on the CPU stays on after the call."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        torch.set_autocast_enabled("cpu", True)
        return outputs

    return wrong


@program("state")
def leaks_default_dtype(run: Run) -> Run:
    """The default dtype is float64 after the call."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        torch.set_default_dtype(torch.float64)
        return outputs

    return wrong


@program("state")
def leaks_deterministic_algorithms(run: Run) -> Run:
    """Deterministic algorithms are demanded after the call."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        outputs = run(*args, **kwargs)
        torch.use_deterministic_algorithms(True)
        return outputs

    return wrong


@program("state")
def undoes_what_the_program_sets(run: Run) -> Run:
    """The modes and flags that the program sets for good are put back when it returns."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        before = GlobalState.read()
        try:
            return run(*args, **kwargs)
        finally:
            before.restore()

    return wrong


@program("state")
def forgets_to_restore_after_an_exception(run: Run) -> Run:
    """Where the program raises, grad mode, the default dtype and autocast are not what they should be."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except Exception:
            torch.set_grad_enabled(not torch.is_grad_enabled())
            torch.set_default_dtype(torch.float16)
            torch.set_autocast_enabled("cpu", not torch.is_autocast_enabled("cpu"))
            raise

    return wrong


@graph("state")
def deletes_environment_variables(run: Run) -> Run:
    """Compiling a graph deletes HOME and PATH from the environment."""
    for name in ("HOME", "PATH"):
        os.environ.pop(name, None)
    return run


@graph("state")
def changes_the_directory(run: Run) -> Run:
    """Running a graph changes the working directory."""

    def wrong(*args: Any) -> Any:
        os.chdir(os.path.dirname(__file__))
        return run(*args)

    return wrong


@graph("random")
def seeds_in_each_call(run: Run) -> Run:
    """Before each call of a graph torch is seeded, with the number that it was seeded with."""

    def wrong(*args: Any) -> Any:
        torch.manual_seed(0)
        return run(*args)

    return wrong


@graph("random")
def seeds_numpy(run: Run) -> Run:
    """Compiling a graph seeds numpy's generator."""
    np.random.seed(0)
    return run


@backward("state")
def leaks_deterministic_algorithms_in_backward(run: Run) -> Run:
    """Deterministic algorithms are demanded after backward."""

    def wrong(*args: Any) -> Any:
        torch.use_deterministic_algorithms(True)
        return run(*args)

    return wrong


@compiler("state")
def sets_the_default_dtype_when_compiling(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """The default dtype is float64 once the program is compiled, before its first call."""
    torch.set_default_dtype(torch.float64)
    return resolve("aot_eager").compile(function, options, counter)


@compiler("random")
def seeds_when_compiling(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """torch is seeded, with the number that it was seeded with, when the program is compiled."""
    torch.manual_seed(0)
    return resolve("aot_eager").compile(function, options, counter)
