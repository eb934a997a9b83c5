"""What the verbs share that run programs in forks: one thread, backends that can run here, compilers that are warm."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from tools.exits import CannotRun, no_such_backend

if TYPE_CHECKING:
    from suites.harness.backends.backend import Backend


def settle(backends: Iterable[str], device: str = "cpu", *, plain: bool = False) -> None:
    """Make forks of this process safe: one thread, and no CUDA initialised; decide what is done for speed (``plain``:
    nothing), and say on standard error if something of that does not work here.

    Call it before torch is imported.
    """
    alone(device)
    from suites.harness.execution import accelerations

    line = accelerations.decide(backends, plain=plain).line
    if line:
        click.echo(line, err=True)


def alone(device: str = "cpu") -> None:
    """The part of `settle` that takes no time: one thread, no CUDA initialised."""
    if device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    from suites.harness.execution.isolation import leave_cuda_to_forks, one_thread

    leave_cuda_to_forks()
    one_thread()


def silence() -> None:
    """Programs that break the compiler have it say so, at length: of thousands of programs nobody reads that."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)


def available(names: Iterable[str], device: str = "cpu") -> list[str]:
    """These names of backends, each once. Those that are not torch's own are not imported here.

    Raises `CannotRun` if one is not to be had or cannot run here.
    """
    from suites.harness.backends.registry import NoSuchBackend, facts, lacks
    from suites.harness.execution import environment

    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    found = list(dict.fromkeys(names))
    for name in found:
        try:
            facts(name)
        except NoSuchBackend as error:
            raise no_such_backend(error) from None
        reason = environment.why_not(name, device) or lacks(name)
        if reason:
            raise CannotRun(reason)
    return found


def backends(names: Iterable[str], device: str = "cpu") -> list[Backend]:
    """The backends of these names, imported here. Raises what `available` does."""
    from suites.harness.backends.registry import resolve

    return [resolve(name) for name in available(names, device)]


def searched(name: str, device: str = "cpu") -> Backend:
    """The backend of that name, for a search whose finds become scripts of ``torch.compile``.

    Raises what `backends` does, and `click.UsageError` for one of the other ways to compile.
    """
    (backend,) = backends([name], device)
    if not backend.dynamo:
        raise click.UsageError(f"--backend {name}: a way to compile that clauses name, and no backend of torch.compile")
    return backend


def prime(backends: Iterable[Backend], device: str = "cpu") -> None:
    """Compile something small here, so that each forked run begins with everything imported and probed.

    Where a GPU is in sight things are only imported: compiling would initialise CUDA, and then no fork could use it.
    Nothing here has a gradient: where torch is built for GPUs, autograd starts threads at the first one, and works in
    no fork from then on.
    """
    if device != "cpu":
        from suites.harness import torch_internals
        from suites.harness.execution.collector import freeze_what_stays

        torch_internals.import_compiler(inductor=True)
        freeze_what_stays()
        return
    import torch

    from suites.harness.backends.backend import CompileCounter, CompileOptions
    from suites.harness.backends.registry import resolve
    from suites.harness.execution.collector import freeze_what_stays

    layers = dict.fromkeys(layer for backend in backends for layer in (*backend.references, backend.name))
    for name in layers:
        if name in ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor"):
            backend = resolve(name)
            # What fails here fails in each program's own run, and is told there.
            with contextlib.suppress(Exception), backend.settings(CompileOptions()):
                compiled = backend.compile(lambda x: x.sin() + 1, CompileOptions(), CompileCounter())
                compiled(torch.ones(3))
    freeze_what_stays()
