"""Programs: a clause's function with its input specs, or a file with ``program`` and ``inputs``."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from . import torch_internals
from .observe import Inputs, Instance
from .specs import Builder, BuiltSpec, Variant
from .state import seed_everything


class BadProgram(Exception):
    """A program that cannot be examined; the message is one line that says what is missing or wrong, and where."""


# A clause's program ---------------------------------------------------------------------------------------------------


#: Called with the program before the inputs of a call are built; what it returns holds while that call is made.
BeforeCall = Callable[[Any], contextlib.AbstractContextManager[Any] | None]


@dataclasses.dataclass(frozen=True)
class ClauseProgram:
    """A function (or a spec that builds a module) with the specs of each call's inputs, under a variant."""

    function: Callable[..., Any] | BuiltSpec
    scripts: tuple[tuple[Any, ...], ...]
    variant: Variant = dataclasses.field(default_factory=Variant)
    device: str = "cpu"
    #: A hook a call, or None: see `Check`.
    before: tuple[BeforeCall | None, ...] = ()

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """A fresh function (closures copied, modules built anew); inputs are seeded by their call's number."""
        if isinstance(self.function, BuiltSpec):
            # A module is built in normal mode, as users build theirs, whatever mode its calls are made in.
            seed_everything()
            function = Builder(Variant(), device=self.device, upcast=upcast).build(self.function)
        else:
            function = fresh(self.function)
        numbered = enumerate(self.scripts)
        calls = [functools.partial(self._inputs, function, script, number, upcast) for number, script in numbered]
        return Instance(function, calls, lambda: dict(reachable_state(function)))

    def _inputs(self, function: Callable[..., Any], script: tuple[Any, ...], seed: int, upcast: bool) -> Inputs:
        hook = self.before[seed] if seed < len(self.before) else None
        during = hook(function) if hook is not None else None
        builder = Builder(self.variant, seed=seed, device=self.device, upcast=upcast)
        args = tuple(builder.build(spec) for spec in script)
        return Inputs(args, {}, builder.leaves, during or contextlib.nullcontext())


def fresh(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same code with defaults and closed-over data of its own, so that runs do not see each other's changes."""
    return _Freshener().function(function)


class _Freshener:
    def __init__(self) -> None:
        self.copies: dict[int, Any] = {}
        self.functions: dict[int, Any] = {}

    def function(self, function: Any) -> Any:
        if isinstance(function, torch.nn.Module):
            return copy.deepcopy(function)
        if not isinstance(function, types.FunctionType):
            return function
        if id(function) in self.functions:
            return self.functions[id(function)]
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        copied = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, None, cells if cells else None
        )
        self.functions[id(function)] = copied
        copied.__defaults__ = self.value(function.__defaults__)
        copied.__kwdefaults__ = self.value(function.__kwdefaults__)
        copied.__dict__.update({name: self.value(item) for name, item in function.__dict__.items()})
        copied.__qualname__ = function.__qualname__
        copied.__module__ = function.__module__
        for cell, original in zip(cells, function.__closure__ or (), strict=True):
            try:
                cell.cell_contents = self.value(original.cell_contents)
            except ValueError:
                continue  # An empty cell: the name is not bound yet.
        return copied

    def value(self, value: Any) -> Any:
        if isinstance(value, types.FunctionType):
            return self.function(value)
        try:
            return copy.deepcopy(value, self.copies)
        except Exception:
            return value  # What cannot be copied (an operator handle, a lock) is shared.


def reachable_state(function: Callable[..., Any]) -> Iterator[tuple[str, object]]:
    """The data that a program reaches besides its arguments: its module, its closures, its defaults and attributes."""
    if isinstance(function, torch.nn.Module):
        yield "module", function
        return
    if not isinstance(function, types.FunctionType):
        return
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            content = cell.cell_contents
        except ValueError:
            continue
        if _is_data(content) and not _is_operator(content):
            yield f"closure {name}", content
    for position, default in enumerate(function.__defaults__ or ()):
        if _is_data(default) and not _is_operator(default):
            yield f"default {position}", default
    for name, item in vars(function).items():
        if _is_data(item) and not name.startswith("_"):
            yield f"program.{name}", item


def _is_data(value: object) -> bool:
    return not isinstance(
        value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
    )


# A program in a file --------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class FileProgram:
    """A file that holds ``program(*args)`` and ``inputs() -> tuple``.

    Optional in the file: ``calls`` (a list of builders of inputs, one a call of the one compiled program; a tuple of a
    builder and functions that return context managers is a call made within those: ``(inputs, torch.no_grad)``),
    ``TRAIN`` (compare gradients, of the arguments that require them or of what ``leaves()`` returns), ``DYNAMIC``,
    ``CONFIG`` (settings of torch's compiler by name, ``{"inductor.memory_planning": True}``, that hold while the
    program is compiled and called). The file is executed anew for every run, so module-level state is a run's own.
    """

    path: Path
    device: str = "cpu"

    def settings(self) -> FileSettings:
        """Read ``TRAIN``, ``DYNAMIC``, ``CONFIG`` and the number of calls. Raises `BadProgram`."""
        namespace = self._execute()
        return FileSettings(
            train=bool(getattr(namespace, "TRAIN", False)),
            dynamic=True if getattr(namespace, "DYNAMIC", False) else None,
            calls=len(self._calls(namespace)),
            config=self._config(namespace),
        )

    def _config(self, namespace: Any) -> tuple[tuple[str, Any], ...]:
        config = getattr(namespace, "CONFIG", {})
        if not isinstance(config, dict) or not all(isinstance(name, str) for name in config):
            raise BadProgram(f"{self.path}: `CONFIG` must be a dict of settings by name, {{'inductor.debug': False}}")
        try:
            with torch_internals.configured(config):
                return tuple(config.items())
        except ValueError as error:
            raise BadProgram(f"{self.path}: `CONFIG`: {error}") from None

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """Execute the file and take ``program``, its builders and its globals from it. Raises `BadProgram`."""
        namespace = self._execute()
        program = namespace.program
        if upcast:
            upcaster = Upcaster()
            for name in dict(self._state(namespace, program)):
                if name.startswith("global "):
                    bare = name.removeprefix("global ")
                    setattr(namespace, bare, upcaster(getattr(namespace, bare)))
            program = upcaster(namespace.program)
        calls = [
            functools.partial(self._inputs, namespace, build, contexts, upcast)
            for build, *contexts in self._calls(namespace)
        ]
        return Instance(program, calls, lambda: dict(self._state(namespace, program)))

    def _execute(self) -> Any:
        name = f"parity_program_{self.path.stem.replace('-', '_').replace('.', '_')}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        if spec is None or spec.loader is None:
            raise BadProgram(f"{self.path}: not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except FileNotFoundError:
            raise BadProgram(f"{self.path}: no such file") from None
        except SyntaxError as error:
            raise BadProgram(f"{self.path}:{error.lineno}: {error.msg}") from None
        except Exception as error:
            line = _line_of(error, self.path)
            raise BadProgram(f"{self.path}{line}: {type(error).__name__}: {_first_line(error)}") from None
        if not callable(getattr(module, "program", None)):
            raise BadProgram(f"{self.path}: no function `program(*args)`")
        if not hasattr(module, "calls") and not callable(getattr(module, "inputs", None)):
            raise BadProgram(f"{self.path}: no function `inputs() -> tuple`")
        return module

    def _calls(self, namespace: Any) -> Sequence[tuple[Callable[[], Any], ...]]:
        """Of each call the builder of its inputs, and what makes the contexts that it is made within."""
        calls = getattr(namespace, "calls", None)
        if calls is None:
            # Twice: what the first call leaves behind (a stale guard, a reused buffer) shows in the second.
            return [(namespace.inputs,), (namespace.inputs,)]
        wanted = "a list of functions that return a tuple of inputs"
        if not isinstance(calls, (list, tuple)) or not calls:
            raise BadProgram(f"{self.path}: `calls` must be {wanted}")
        each = [call if isinstance(call, tuple) else (call,) for call in calls]
        if not all(call and all(map(callable, call)) for call in each):
            raise BadProgram(f"{self.path}: `calls` must be {wanted}, or of tuples of one and makers of contexts")
        return each

    def _inputs(
        self, namespace: Any, build: Callable[[], Any], contexts: Sequence[Callable[[], Any]], upcast: bool
    ) -> Inputs:
        try:
            args = build()
        except Exception as error:
            line = _line_of(error, self.path)
            raise BadProgram(
                f"{self.path}{line}: {getattr(build, '__name__', 'inputs')}() raised {type(error).__name__}: "
                f"{_first_line(error)}"
            ) from None
        if isinstance(args, list):
            args = tuple(args)
        if not isinstance(args, tuple):
            args = (args,)
        leaves: dict[str, torch.Tensor] = {}
        if callable(getattr(namespace, "leaves", None)):
            named = namespace.leaves()
            items = named.items() if isinstance(named, Mapping) else ((f"leaf[{i}]", t) for i, t in enumerate(named))
            leaves = {str(name): tensor for name, tensor in items}
        if upcast:
            args = Upcaster()(args)
        return Inputs(args, {}, leaves, _within(contexts))

    def _state(self, namespace: Any, program: Any) -> Iterator[tuple[str, object]]:
        """The file's own data: what a caller of ``program`` could look at afterwards."""
        if isinstance(program, torch.nn.Module):
            yield "module", program
        else:
            yield from reachable_state(program)
        for name, value in list(vars(namespace).items()):
            if name.startswith("__") or name in CONTRACT:
                continue
            if isinstance(value, type) and value.__module__ == namespace.__name__:
                yield from _class_state(value)
            elif isinstance(value, types.FunctionType) and value.__module__ == namespace.__name__:
                yield from ((f"{name}: {path}", item) for path, item in reachable_state(value))
            elif isinstance(value, types.MethodType):
                yield f"{name}.__self__", value.__self__
            elif _is_data(value) and not _is_operator(value):
                yield f"global {name}", value


@contextlib.contextmanager
def _within(makers: Sequence[Callable[[], Any]]) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for make in makers:
            stack.enter_context(make())
        yield


#: The names that the contract of a program file gives a meaning to.
CONTRACT = frozenset({"program", "inputs", "leaves", "calls", "TRAIN", "DYNAMIC", "CONFIG"})


def _class_state(cls: type) -> Iterator[tuple[str, object]]:
    """The data that a class of the file carries itself."""
    for name, item in list(vars(cls).items()):
        is_descriptor = hasattr(type(item), "__get__")
        if not name.startswith(("__", "_abc_")) and _is_data(item) and not is_descriptor and not _is_operator(item):
            yield f"class {cls.__name__}.{name}", item


@dataclasses.dataclass(frozen=True)
class FileSettings:
    """What a program file asks for."""

    train: bool
    dynamic: bool | None
    calls: int
    config: tuple[tuple[str, Any], ...] = ()


def _is_operator(value: object) -> bool:
    """Whether it is an operator, a type hint or a kernel, and so no data of a program."""
    kind = type(value)
    if isinstance(value, torch.Generator):
        return False
    modules = ("torch._ops", "torch._library", "torch.library", "typing", "torch._C", "triton.")
    return isinstance(value, torch.library.Library) or kind.__module__.startswith(modules)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else ""


def _line_of(error: BaseException, path: Path) -> str:
    """``:LINE`` of the last frame of ``path`` in an error's traceback, or nothing."""
    line = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = f":{trace.tb_lineno}"
        trace = trace.tb_next
    return line


# Double precision -----------------------------------------------------------------------------------------------------


class Upcaster:
    """Casts every floating-point tensor in a value to double precision, keeping leaves, views and shared storages.

    A tensor that has a history keeps it through a differentiable cast, so that gradients reach the leaves behind it.
    """

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}
        self._storages: dict[int, torch.Tensor] = {}
        self._alive: list[Any] = []

    def __call__(self, value: Any) -> Any:
        """The value in double precision; containers and objects are copied, anything else is itself."""
        if id(value) in self._done:
            return self._done[id(value)]
        result = self._cast(value)
        self._done[id(value)] = result
        self._alive.append(value)
        return result

    def _cast(self, value: Any) -> Any:
        if isinstance(value, torch.nn.Module):
            return value.double()
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self(item) for item in value))
        if type(value) in (list, tuple):
            return type(value)(self(item) for item in value)
        if type(value) is dict:
            return {key: self(item) for key, item in value.items()}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            copied = copy.copy(value)
            for field in dataclasses.fields(value):
                object.__setattr__(copied, field.name, self(getattr(value, field.name)))
            return copied
        return value

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex) or tensor.layout != torch.strided:
            return tensor
        wide = torch.complex128 if tensor.dtype.is_complex else torch.float64
        if tensor.requires_grad and not tensor.is_leaf:
            base = tensor._base
            if base is None:
                return tensor.to(wide) if tensor.dtype != wide else tensor.clone()
            return self(base).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        try:
            key = tensor.untyped_storage()._cdata
        except (RuntimeError, NotImplementedError):
            return tensor
        with torch.no_grad():
            if key not in self._storages:
                flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
                flat.set_(tensor.untyped_storage())
                self._storages[key] = flat.to(wide, copy=True)
            cast = self._storages[key].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
        # Taken under no_grad of a plain tensor: a leaf as far as autograd can see, if it is detached.
        return cast.detach().requires_grad_(tensor.requires_grad)
