"""Programs that are not files of their own: a function or module of a package, a saved one, an object in hand."""

from __future__ import annotations

import builtins
import contextlib
import copy
import dataclasses
import difflib
import functools
import importlib
import importlib.util
import inspect
import re
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from suites.harness.execution.isolation import one_line
from suites.harness.observation.observe import Inputs, Instance
from suites.harness.programs.copying import fresh, is_data, is_operator, reachable_state
from suites.harness.programs.errors import BadProgram, awaited, is_missing
from suites.harness.programs.files import Arguments, FileProgram, _raised
from suites.harness.programs.names import CONTRACT
from suites.harness.programs.upcasting import Upcaster


@dataclasses.dataclass(frozen=True)
class ImportedProgram(FileProgram):
    """``package.module:attribute``, or ``file.py:attribute``: a function, a module's class or an instance of one.

    Its inputs are those asked for, or what ``inputs`` beside it returns; ``calls``, ``leaves``, ``TRAIN``, ``DYNAMIC``
    and ``CONFIG`` beside it mean what they mean in a file. A class of ``torch.nn.Module`` is instantiated, seeded, for
    every run. An attribute that ends with a call (``Net(3, width=4)``) is what the call returns. A run has module-level
    state of its own only where its process has not imported the module: make each run in a fork.
    """

    #: The module to import; empty for a file.
    module: str = ""
    attribute: str = ""

    @property
    def told(self) -> str:
        """What messages call the program."""
        return f"{self.module or self.path}:{self.attribute}"

    @property
    def is_source(self) -> bool:
        """Whether ``path`` holds Python."""
        return not self.module

    def _execute(self) -> Any:
        module = self._imported() if self.module else self._executed()
        program = self._found(module)
        names = {name: vars(module)[name] for name in CONTRACT - {"program"} if name in vars(module)}
        namespace = types.SimpleNamespace(**names, program=program, beside=module)
        if not self.asked.inputs and "calls" not in names and not callable(names.get("inputs")):
            wanted = "give --input EXPRESSION for each argument, or write a function `inputs() -> tuple` beside it"
            _bound(program, (), {}, f"{self.told}: no inputs: {wanted}")
            namespace.inputs = tuple
        return namespace

    def _imported(self) -> types.ModuleType:
        try:
            return importlib.import_module(self.module)
        except ModuleNotFoundError as error:
            if is_missing(error, self.module):
                raise BadProgram(f"{self.told}: no module {error.name!r} here or installed") from None
            raise BadProgram(f"{self.told}: importing {self.module}: {one_line(error)}") from None
        except (Exception, SystemExit) as error:
            place = f"{error.filename}:{error.lineno}: " if isinstance(error, SyntaxError) else _place(error)
            said = error.msg if isinstance(error, SyntaxError) else _raised(error, "it is imported")
            raise BadProgram(f"{self.told}: importing {self.module}: {place}{said}") from None

    def _found(self, module: types.ModuleType) -> Any:
        """What the attribute names: something that can be called."""
        name, call, _ = self.attribute.partition("(")
        found: Any = module
        for part in name.split("."):
            if not hasattr(found, part):
                near = difflib.get_close_matches(part, [each for each in dir(found) if each[:1] != "_"], 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                owner = self.module or str(self.path) if found is module else type(found).__name__
                raise BadProgram(f"{self.told}: {owner} has no attribute {part!r}{hint}")
            found = getattr(found, part)
        is_module = isinstance(found, type) and issubclass(found, torch.nn.Module)
        if call or is_module:
            expression = self.attribute if call else f"{self.attribute}()"
            try:
                found = eval(expression, {"torch": torch, **vars(module)})
            except (Exception, SystemExit) as error:
                hint = "" if call else f"; write the call, {self.attribute}(...), or name an instance"
                raise BadProgram(f"{self.told}: {expression} raised {one_line(error)}{hint}") from None
        if not callable(found) or isinstance(found, types.ModuleType):
            raise BadProgram(f"{self.told}: of type {type(found).__name__}, which cannot be called")
        if isinstance(found, type):
            raise BadProgram(f"{self.told}: a class; of classes, those of torch.nn.Module can be checked")
        if reason := awaited(found):
            raise BadProgram(f"{self.told}: {reason}")
        return found

    def _evaluated(self, namespace: Any) -> Arguments:
        given = super()._evaluated(namespace)
        _bound(namespace.program, given.args, given.kwargs, f"{self.told}: what --input gives does not fit")
        return given

    def _names(self, namespace: Any) -> dict[str, Any]:
        return vars(namespace.beside)

    def _globals(self, namespace: Any, program: Any) -> dict[str, Any]:
        return _globals_of(program)

    def _state(self, namespace: Any, program: Any) -> Iterator[tuple[str, object]]:
        """The program's own data, and the globals that its code names: a package holds much besides."""
        yield from state_of(program)


@dataclasses.dataclass(frozen=True)
class SavedProgram(FileProgram):
    """A program that ``torch.export.save`` wrote: what ``module()`` of it does, on its ``example_inputs``."""

    @property
    def is_source(self) -> bool:
        """Whether ``path`` holds Python."""
        return False

    def _execute(self) -> Any:
        try:
            saved = torch.export.load(self.path)
            program = saved.module()
        except Exception as error:
            raise BadProgram(f"{self.told}: no program that torch.export.load takes: {one_line(error)}") from None
        namespace = types.SimpleNamespace(program=program)
        if not self.asked.inputs:
            if saved.example_inputs is None:
                raise BadProgram(
                    f"{self.told}: saved without example_inputs: give --input EXPRESSION for each argument"
                )
            namespace.inputs = lambda: Arguments(*copy.deepcopy(saved.example_inputs))
        return namespace

    def _state(self, namespace: Any, program: Any) -> Iterator[tuple[str, object]]:
        yield "module", program


@dataclasses.dataclass(frozen=True)
class LiveProgram:
    """A function or module in hand, called twice with copies of the arguments in hand.

    Copies share memory as the arguments do, and have their strides; ``build``, if there is one, makes them instead.
    ``copied``: the function is copied, too (closures, defaults, modules), for runs in one process; in a fork of its own
    a run may have the caller's.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    build: Callable[[], Any] | None = None
    copied: bool = False

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """An instance whose inputs are copies. Raises what copying them, or ``build``, raises."""
        program = fresh(self.function) if self.copied else self.function
        if upcast:
            upcaster = Upcaster()
            names = {} if self.copied else _globals_of(program)
            for name in [name for name in _named(program) if name in names and _is_state(names[name])]:
                names[name] = upcaster(names[name])
            program = upcaster(program)
        call = functools.partial(self._inputs, upcast)
        return Instance(program, [call, call], lambda: dict(state_of(program)))

    def _inputs(self, upcast: bool) -> Inputs:
        args, kwargs = copy.deepcopy((self.args, dict(self.kwargs)))
        if self.build is not None:
            try:
                made = self.build()
            except (Exception, SystemExit) as error:
                raise BadProgram(f"inputs() raised {one_line(error)}") from None
            args = tuple(made) if isinstance(made, (list, tuple)) else (made,)
        if upcast:
            args, kwargs = Upcaster()((args, kwargs))
        return Inputs(args, kwargs)


def state_of(program: Any) -> Iterator[tuple[str, object]]:
    """What a program reaches besides its arguments: module, what it is bound to, closures, globals that it names."""
    yield from reachable_state(program)
    if isinstance(program, types.MethodType):
        yield "self", program.__self__
    names = _globals_of(program)
    for name in _named(program):
        if name in names and _is_state(names[name]):
            yield f"global {name}", names[name]


def _is_state(value: object) -> bool:
    return is_data(value) and not is_operator(value)


def _function(program: Any) -> types.FunctionType | None:
    """The Python function whose code a program is, if it is one."""
    if isinstance(program, torch.nn.Module):
        return None
    with contextlib.suppress(ValueError):
        program = inspect.unwrap(program)
    program = getattr(program, "__func__", program)
    return program if isinstance(program, types.FunctionType) else None


def _globals_of(program: Any) -> dict[str, Any]:
    function = _function(program)
    return function.__globals__ if function is not None else {}


def _named(program: Any) -> list[str]:
    """The names that the code of a program, and of the functions in it, looks up outside of it."""
    function = _function(program)
    pending = [function.__code__] if function is not None else []
    found: dict[str, None] = {}
    while pending:
        code = pending.pop()
        found.update(dict.fromkeys(name for name in code.co_names if not hasattr(builtins, name)))
        pending += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return list(found)


def _bound(program: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], told: str) -> None:
    """Raise `BadProgram`, with the signature, for arguments that a program does not take."""
    function = program.forward if isinstance(program, torch.nn.Module) else program
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # Built in: it says so when it is called.
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        raise BadProgram(f"{told}: {error}; it takes {_short(signature)}") from None


def _short(signature: inspect.Signature) -> str:
    """The names that a signature takes, with their defaults and without their types."""
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return re.sub(r"\s+", " ", str(inspect.Signature(plain)))


def _place(error: BaseException) -> str:
    """``FILE:LINE: `` of the innermost frame that is not the import system's; empty where there is none."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<") and file not in (__file__, importlib.__file__):
            found = f"{file}:{trace.tb_lineno}: "
        trace = trace.tb_next
    return found
