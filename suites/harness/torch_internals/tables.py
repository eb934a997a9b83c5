"""torch's own tables: of operators and of modules with their samples, and of how operators decompose."""

from __future__ import annotations

import contextlib
import functools
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import torch

_Drawn = TypeVar("_Drawn")

#: Where operators are taken apart: what a sample reaches of these files tells it from another.
DECOMPOSING = ("_decomp/*.py", "_refs/*.py", "_refs/*/*.py", "_refs/*/*/*.py", "_inductor/decomposition.py")
TELLING = ("_meta_registrations.py", "_prims/*.py", "_prims_common/*.py", "_subclasses/fake_impls.py")
#: Where Inductor lowers them.
LOWERING = ("_inductor/lowering.py", "_inductor/decomposition.py", "_inductor/kernel/*.py")


@functools.cache
def operator_table() -> Mapping[str, Any]:
    """Every operator of torch's tables by its formatted name, which tells variants apart.

    ``op_db``, those that call programs (``hop_db``), and those that are defined as custom operators (``custom_op_db``).
    Raises `ImportError` where torch comes without its testing modules, or what they need is missing.
    """
    with _nothing_else_changes():
        from torch.testing._internal.common_methods_invocations import op_db
        from torch.testing._internal.custom_op_db import custom_op_db
        from torch.testing._internal.hop_db import hop_db
    return {info.formatted_name: info for info in (*op_db, *hop_db, *custom_op_db)}


@functools.cache
def module_table() -> Mapping[str, Any]:
    """Every module of torch's table (``module_db``) by its formatted name. Raises `ImportError` as `operator_table`."""
    with _nothing_else_changes():
        from torch.testing._internal.common_modules import module_db
    return {info.formatted_name: info for info in module_db}


def drawn_samples(ask: Callable[[], Iterable[_Drawn]], seed: Callable[[int], None]) -> Iterator[_Drawn]:
    """The samples that asking an entry of a table brings, each drawn after ``seed`` was called with torch's number."""
    with _quickly(seed):
        samples = iter(ask())
    while True:
        with _quickly(seed):
            try:
                sample = next(samples)
            except StopIteration:
                return
        yield sample


@contextlib.contextmanager
def _quickly(seed: Callable[[int], None]) -> Iterator[None]:
    """What torch's tables do before each sample that they draw, without what takes long.

    They search the stack, and the files of all its frames, for the ``unittest`` that they would tell of it: there is
    none here, which is what they would find. And they seed torch for every kind of device, with a stack trace for each
    that is not there.
    """
    from torch.testing._internal import common_utils
    from torch.testing._internal.opinfo import core

    with contextlib.ExitStack() as stack:
        for module in (common_utils, core):
            stack.enter_context(mock.patch.object(module, "extract_test_fn", return_value=None))
        stack.enter_context(mock.patch.object(common_utils, "set_rng_seed", seed))
        yield


@contextlib.contextmanager
def _nothing_else_changes() -> Iterator[None]:
    """What torch's testing modules do to the process when they are imported is taken back.

    They forbid to set the flags of ``torch.backends``, and load a profile of hypothesis.
    """
    frozen = torch.backends.flags_frozen()
    hypothesis = sys.modules.get("hypothesis")
    before = hypothesis.settings.default if hypothesis else None
    try:
        yield
    finally:
        flags = torch.backends.disable_global_flags.__globals__
        flags["__allow_nonbracketed_mutation_flag"] = not frozen
        if hypothesis is not None:
            hypothesis.settings.register_profile("before-torchs-tables", before)
            hypothesis.settings.load_profile("before-torchs-tables")


def without_seeding(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of torch's tables that would seed the generators before its operator, without doing so.

    Dynamo does not trace the seeding, and what an operator draws belongs to its meaning. Any other is itself.
    """
    if not isinstance(function, types.FunctionType) or "wrapper_set_seed" not in function.__code__.co_names:
        return function
    names = {**function.__globals__, "wrapper_set_seed": _called}
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


def _called(operator: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return operator(*args, **kwargs)


def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """How operators decompose on the way to Inductor, and for other backends, where Inductor keeps them."""
    from torch._decomp import core_aten_decompositions
    from torch._inductor.decomposition import select_decomp_table

    return {**core_aten_decompositions(), **select_decomp_table()}


def python_dispatcher() -> contextlib.AbstractContextManager[Any]:
    """While it lasts operators are called as AOTAutograd traces them: by kernels in Python, where there are any."""
    from torch._dispatch.python import enable_python_dispatcher

    return enable_python_dispatcher()


def decomposing_files() -> list[str]:
    """Patterns of the files that take operators apart."""
    return _files_of_torch(DECOMPOSING)


def telling_files() -> list[str]:
    """Patterns of the files that tell sizes, strides and dtypes of results."""
    return _files_of_torch(TELLING)


def lowering_files() -> list[str]:
    """Patterns of the files in which Inductor lowers operators."""
    return _files_of_torch(LOWERING)


def _files_of_torch(patterns: Iterable[str]) -> list[str]:
    place = Path(torch.__file__).parent
    return [str(place / pattern) for pattern in patterns]
