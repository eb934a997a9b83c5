"""Programs: a clause's function with its input specs, or a file with ``program`` and ``inputs``."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.util
import math
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from packaging.specifiers import InvalidSpecifier

from suites.harness import torch_internals
from suites.harness.execution.isolation import one_line
from suites.harness.observation.observe import Inputs, Instance
from suites.harness.programs.copying import is_data, is_operator, reachable_state
from suites.harness.programs.errors import BadProgram, OtherRelease, awaited, other_release
from suites.harness.programs.names import CONTRACT
from suites.harness.programs.upcasting import Upcaster

# What is asked for beside a file --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Asked:
    """What the caller of a program's file asks for; it wins over what the file says.

    ``inputs``: the arguments of every call, each a Python expression, ``name=expression`` for one that is passed by
    name. ``train``, ``dynamic``: in place of ``TRAIN`` and ``DYNAMIC``; None leaves the file's.
    """

    inputs: tuple[str, ...] = ()
    train: bool | None = None
    dynamic: bool | None = None


@dataclasses.dataclass(frozen=True)
class Arguments:
    """The arguments of one call, some of them passed by name."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def named_expression(text: str) -> tuple[str, str]:
    """The name and the expression of an argument that is written as in a call; the name is empty without one.

    Raises `BadProgram` with a line for what is no expression.
    """
    match = re.match(r"\s*([^\W\d]\w*)\s*=(?!=)", text)
    name, expression = (match[1], text[match.end() :].strip()) if match else ("", text.strip())
    try:
        compile(expression, "--input", "eval")
    except (SyntaxError, ValueError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadProgram(f"--input {text!r}: not an expression: {said}") from None
    return name, expression


def mistake(path: Path, told: str = "") -> str:
    """One line: why a file holds no program of Python's, without executing it; empty if it holds one.

    ``told`` is what the line calls the file.
    """
    told = told or str(path)
    try:
        source = path.read_bytes()
    except FileNotFoundError:
        return f"{told}: no such file"
    except OSError as error:
        return f"{told}: cannot be read: {error.strerror or error}"
    if b"\0" in source:
        line = source[: source.index(b"\0")].count(b"\n") + 1
        return f"{told}:{line}: a NUL byte, which no Python source holds"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"{told}:{error.lineno}: {error.msg}" if error.lineno else f"{told}: {error.msg}"
    except (ValueError, RecursionError) as error:
        return f"{told}: {type(error).__name__}: {_first_line(error)}"
    return ""


# A program in a file --------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class FileProgram:
    """A file that holds ``program(*args)`` and ``inputs() -> tuple``.

    Optional in the file: ``calls`` (a list of builders of inputs, one a call of the one compiled program; a tuple of a
    builder and functions that return context managers is a call made within those: ``(inputs, torch.no_grad)``),
    ``TRAIN`` (compare gradients, of the arguments that require them or of what ``leaves()`` returns), ``DYNAMIC``,
    ``CONFIG`` (settings of torch's compiler by name, ``{"inductor.memory_planning": True}``, that hold while the
    program is compiled and called), ``TORCH`` (the releases that it is about: ``">=2.13"``). The file is executed anew
    for every run, so module-level state is a run's own.

    ``asked`` wins over what the file says; ``name`` is what messages call the file, if not by its path.
    """

    path: Path
    device: str = "cpu"
    asked: Asked = Asked()
    name: str = ""

    @property
    def told(self) -> str:
        """What messages call the program."""
        return self.name or str(self.path)

    @property
    def is_source(self) -> bool:
        """Whether ``path`` holds Python."""
        return True

    def settings(self) -> FileSettings:
        """Read ``TRAIN``, ``DYNAMIC``, ``CONFIG`` and the number of calls. Raises `BadProgram`."""
        namespace = self._execute()
        if self.asked.inputs:
            self._evaluated(namespace)  # What raises is told before anything is compiled.
        train, dynamic = self.asked.train, self.asked.dynamic
        return FileSettings(
            train=bool(getattr(namespace, "TRAIN", False)) if train is None else train,
            dynamic=True if (getattr(namespace, "DYNAMIC", False) if dynamic is None else dynamic) else None,
            calls=len(self._calls(namespace)),
            config=self._config(namespace),
        )

    def _config(self, namespace: Any) -> tuple[tuple[str, Any], ...]:
        config = getattr(namespace, "CONFIG", {})
        if not isinstance(config, dict) or not all(isinstance(name, str) for name in config):
            raise BadProgram(f"{self.told}: `CONFIG` must be a dict of settings by name, {{'inductor.debug': False}}")
        try:
            with torch_internals.configured(config):
                return tuple(config.items())
        except ValueError as error:
            raise BadProgram(f"{self.told}: `CONFIG`: {error}") from None

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """Execute the file and take ``program``, its builders and its globals from it. Raises `BadProgram`."""
        namespace = self._execute()
        program = namespace.program
        if upcast:
            upcaster = Upcaster()
            names = self._globals(namespace, program)
            for name in dict(self._state(namespace, program)):
                if name.startswith("global "):
                    bare = name.removeprefix("global ")
                    names[bare] = upcaster(names[bare])
            program = upcaster(namespace.program)
        calls = [
            functools.partial(self._inputs, namespace, build, contexts, upcast)
            for build, *contexts in self._calls(namespace)
        ]
        return Instance(program, calls, lambda: dict(self._state(namespace, program)))

    def _globals(self, namespace: Any, program: Any) -> dict[str, Any]:
        """The globals that the program finds its names in."""
        return vars(namespace)

    def _execute(self) -> Any:
        """The namespace of the file: its program, and what the contract of such a file gives a meaning to."""
        module = self._executed()
        if not callable(getattr(module, "program", None)):
            raise BadProgram(f"{self.told}: no function `program(*args)`")
        if reason := awaited(module.program):
            raise BadProgram(f"{self.told}: {reason}")
        if not self.asked.inputs and not hasattr(module, "calls") and not callable(getattr(module, "inputs", None)):
            wanted = "write one, or give --input EXPRESSION for each argument"
            raise BadProgram(f"{self.told}: no function `inputs() -> tuple`; {wanted}")
        return module

    def _executed(self) -> Any:
        """The file as a module of its own."""
        name = f"parity_program_{self.path.stem.replace('-', '_').replace('.', '_')}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        if spec is None or spec.loader is None:
            raise BadProgram(f"{self.told}: not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            wrong = mistake(self.path, self.told)
            if wrong:
                raise BadProgram(wrong) from None
            self._check_release(module)
            line = _line_of(error, self.path)
            raise BadProgram(f"{self.told}{line}: {_raised(error, 'the file is executed')}") from None
        self._check_release(module)
        return module

    def _check_release(self, module: Any) -> None:
        """Raise `OtherRelease` for a file whose ``TORCH``, read before what this torch may lack, is not this torch."""
        try:
            other = other_release(getattr(module, "TORCH", ""))
        except (InvalidSpecifier, TypeError):
            raise BadProgram(f"{self.told}: `TORCH` must be a range of releases like '>=2.13'") from None
        if other:
            raise OtherRelease(f"{self.told}: {other}")

    def _calls(self, namespace: Any) -> Sequence[tuple[Callable[[], Any], ...]]:
        """Of each call the builder of its inputs, and what makes the contexts that it is made within."""
        calls = getattr(namespace, "calls", None)
        if self.asked.inputs:
            build = functools.partial(self._evaluated, namespace)
            return [(build,), (build,)]
        if calls is None:
            # Twice: what the first call leaves behind (a stale guard, a reused buffer) shows in the second.
            return [(namespace.inputs,), (namespace.inputs,)]
        wanted = "a list of functions that return a tuple of inputs"
        if not isinstance(calls, (list, tuple)) or not calls:
            raise BadProgram(f"{self.told}: `calls` must be {wanted}")
        each = [call if isinstance(call, tuple) else (call,) for call in calls]
        if not all(call and all(map(callable, call)) for call in each):
            raise BadProgram(f"{self.told}: `calls` must be {wanted}, or of tuples of one and makers of contexts")
        return each

    def _inputs(
        self, namespace: Any, build: Callable[[], Any], contexts: Sequence[Callable[[], Any]], upcast: bool
    ) -> Inputs:
        try:
            args = build()
        except BadProgram:
            raise
        except (Exception, SystemExit) as error:
            line = _line_of(error, self.path)
            name = getattr(build, "__name__", "inputs")
            said = f"raised {type(error).__name__}: {_first_line(error)}"
            raise BadProgram(f"{self.told}{line}: {name}() {said}") from None
        kwargs: dict[str, Any] = {}
        if isinstance(args, Arguments):
            kwargs, args = args.kwargs, args.args
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
            args, kwargs = Upcaster()((args, kwargs))
        return Inputs(args, kwargs, leaves, _within(contexts))

    def _evaluated(self, namespace: Any) -> Arguments:
        """The arguments that were asked for, made in the names of the program."""
        args, kwargs = [], {}
        for text in self.asked.inputs:
            name, expression = named_expression(text)
            try:
                value = eval(expression, {"torch": torch, "math": math, **self._names(namespace)})
            except (Exception, SystemExit) as error:
                raise BadProgram(f"--input {text!r}: raised {one_line(error)}") from None
            if name:
                kwargs[name] = value
            else:
                args.append(value)
        return Arguments(tuple(args), kwargs)

    def _names(self, namespace: Any) -> dict[str, Any]:
        """The names that an expression may use besides ``torch`` and ``math``."""
        return vars(namespace)

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
            elif is_data(value) and not is_operator(value):
                yield f"global {name}", value


@contextlib.contextmanager
def _within(makers: Sequence[Callable[[], Any]]) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for make in makers:
            stack.enter_context(make())
        yield


def _class_state(cls: type) -> Iterator[tuple[str, object]]:
    """The data that a class of the file carries itself."""
    for name, item in list(vars(cls).items()):
        is_descriptor = hasattr(type(item), "__get__")
        if not name.startswith(("__", "_abc_")) and is_data(item) and not is_descriptor and not is_operator(item):
            yield f"class {cls.__name__}.{name}", item


@dataclasses.dataclass(frozen=True)
class FileSettings:
    """What a program file asks for."""

    train: bool
    dynamic: bool | None
    calls: int
    config: tuple[tuple[str, Any], ...] = ()


def _raised(error: BaseException, while_: str) -> str:
    """What an error says of itself. One that would end the process says when it does: that is not in its message."""
    if isinstance(error, SystemExit):
        return f"sys.exit({error.code!r}) while {while_}: nothing after it is there"
    return f"{type(error).__name__}: {_first_line(error)}"


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else ""


def _line_of(error: BaseException, path: Path) -> str:
    """``:LINE`` of the last frame of ``path`` in an error's traceback, or nothing."""
    line, places = "", (str(path), str(path.absolute()))
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in places:
            line = f":{trace.tb_lineno}"
        trace = trace.tb_next
    return line
