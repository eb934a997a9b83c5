"""Mutants of the process that they run in, and backends that do not do their work at all."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import torch

from suites.harness.backends.backend import CompileCounter, CompileOptions

from .making import Run, compiler, graph
from .ranks import is_rank_one


@graph("crash")
def segfaults(run: Run) -> Run:
    """Running a graph ends the process by a segmentation fault."""

    def wrong(*args: Any) -> Any:
        os.kill(os.getpid(), signal.SIGSEGV)
        return run(*args)

    return wrong


@graph("crash")
def exits(run: Run) -> Run:
    """Running a graph ends the process without a word."""

    def wrong(*args: Any) -> Any:
        os._exit(3)

    return wrong


@graph("timeout")
def hangs(run: Run) -> Run:
    """Running a graph never returns."""

    def wrong(*args: Any) -> Any:
        while True:
            time.sleep(60)

    return wrong


@graph("crash", place="ranks")
def rank_one_dies(run: Run) -> Run:
    """Rank 1 is killed in the middle of a run; rank 0 waits for it."""

    def wrong(*args: Any) -> Any:
        if is_rank_one():
            os.kill(os.getpid(), signal.SIGKILL)
        return run(*args)

    return wrong


@graph("timeout", place="ranks")
def rank_one_hangs(run: Run) -> Run:
    """Rank 1 never comes back from a run; rank 0 waits for it."""

    def wrong(*args: Any) -> Any:
        while is_rank_one():
            time.sleep(60)
        return run(*args)

    return wrong


@compiler("vacuous")
def compiles_nothing(function: Run, options: CompileOptions, counter: CompileCounter) -> Run:
    """Programs run eagerly: right in everything, and a test of nothing."""
    return function


def supports_nothing(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
    """Says that it does not support the program."""
    raise NotImplementedError("no kernel for this program")


def fails_to_compile(module: torch.fx.GraphModule, example_inputs: list[Any]) -> Run:
    """Compilation fails."""
    raise RuntimeError("internal compiler error")
