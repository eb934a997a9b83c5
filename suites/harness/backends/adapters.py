"""Backends that are not torch's own: found by name, looked over once, and what they say of themselves read.

A backend is any callable with torch.compile's own signature, ``(graph_module, example_inputs) -> callable``. What it
says of itself are attributes of it, all optional:

``parity_bitwise``
    True: it runs eager's own kernels, and values are compared to the last bit.
``parity_runs_torch``
    True: torch's operators, or its compiler's kernels, execute its graphs, by design. Without it a pass in which they
    did is a fallback.
``parity_executed``
    How executions of its engine are counted: a function without arguments that returns their number in this process so
    far, or the name of a function, ``module:function``, each call of which is one.
``parity_config``
    Settings of torch's compiler that comparing needs.
``parity_modes``
    The grad modes that it claims to support: ``("no_grad", "inference")``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import operator
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import suites
from suites.harness.backends.backend import Backend
from suites.harness.backends.compiling import through_dynamo
from suites.harness.execution.isolation import one_line
from suites.harness.observation import owners
from suites.harness.programs.errors import is_missing
from suites.harness.programs.specs import MODES

_SIGNATURE = "a backend is called with (graph_module, example_inputs) and returns a callable"


#: What a backend's attributes are named that speak to Parity, and all that there are.
_SAYS = "parity_"
SAYINGS = ("parity_bitwise", "parity_config", "parity_executed", "parity_modes", "parity_runs_torch")
#: The group of entry points in which packages register backends with torch.
_ENTRY_POINTS = "torch_dynamo_backends"
#: The packages of a checkout that have backends: mutants, and adapters to the engines of others.
_OWN = ("suites", "tools")
#: As many functions of a module are named where one was asked for that there is not.
_NAMED = 5
#: Where the types of functions, classes and annotations are from.
_OF_THE_LANGUAGE = ("builtins", "typing", "types")
#: What a name ends in that is the name of a factory of backends.
MADE = "()"
#: What the method of an object is called that compiles, where the object itself cannot be called.
_COMPILES = "compile"


class NoSuchBackend(Exception):
    """A backend's name means nothing here, or what it names is none. The message is one line."""


class WrongUse(NoSuchBackend):
    """What was typed, or what the backend says of itself, is wrong wherever it is run: no package is missing."""


def split(name: str) -> tuple[str, dict[str, Any] | None]:
    """A backend's name without its options, and those: ``openvino?{"device": "CPU"}``. None where there are none.

    Raises `WrongUse` for options that are not a JSON object.
    """
    base, mark, text = name.partition("?")
    if not mark:
        return name, None
    try:
        options = json.loads(text)
    except ValueError as error:
        raise WrongUse(f"backend {name!r}: what follows the ? is not JSON: {error}") from None
    if not isinstance(options, dict):
        raise WrongUse(f"backend {name!r}: what follows the ? must be a JSON object of options, as torch.compile's")
    return base, options


def canonical(name: str) -> str:
    """The one way to write a backend's name: options without blanks and in order. A name that is wrong stays."""
    try:
        base, options = split(name)
    except NoSuchBackend:
        return name
    return named(base, options)


def named(base: str, options: Mapping[str, Any] | None) -> str:
    """The name of a backend that is handed those options."""
    return f"{base}?{json.dumps(options, sort_keys=True, separators=(',', ':'))}" if options else base


def imported(name: str, options: Mapping[str, Any] | None = None) -> Backend:
    """What ``module:attribute`` names, or what ``module:factory()`` makes, called with the options as its arguments.

    Raises `NoSuchBackend`.
    """
    module_name, _, attribute = name.partition(":")
    module = _module(name, module_name)
    path = attribute.removesuffix(MADE)
    compiler: Any = module
    for part in path.split("."):
        found = getattr(compiler, part, None)
        if found is None:
            there = backends_of(module)
            near = difflib.get_close_matches(path, there, 1)
            hint = _meant(module_name, near) if near else _has(module_name, there)
            raise WrongUse(f"backend {name!r}: {module_name}.{path} does not exist; {hint}")
        compiler = found
    if attribute.endswith(MADE):
        made = _made(name, compiler, dict(options or {}))
        return dataclasses.replace(adapted(name, made, package=module.__name__), name=named(name, options))
    if isinstance(compiler, Backend):
        return dataclasses.replace(compiler, name=name)
    return adapted(name, compiler, options, package=module.__name__)


def _made(name: str, factory: Any, options: dict[str, Any]) -> Any:
    """The backend that a factory makes. Raises `NoSuchBackend` for whatever it raises."""
    with _telling(lambda error: NoSuchBackend(f"backend {name!r} is not made: {_told(error)}{_place(error)}")):
        return factory(**options)


@contextlib.contextmanager
def _telling(say: Callable[[BaseException], NoSuchBackend]) -> Iterator[None]:
    """Within it a backend's own code runs: what it raises, or exits with, is raised as ``say`` has it.

    Not what the user's Ctrl-C raises.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise say(error) from error


def adapted(
    name: str,
    compiler: Any,
    options: Mapping[str, Any] | None = None,
    *,
    package: str | None = None,
    version: str = "",
) -> Backend:
    """The backend that a callable is, by what it says of itself. ``options`` are handed to it as torch.compile's.

    Its ``version`` is that of the distribution that it comes with, or of ``package``, where it is not given.

    Raises `WrongUse` for what cannot be called as a backend is, or says of itself what makes no sense.
    """
    problem = _problem(compiler, options)
    if problem:
        hint = _hint(name, compiler) if ":" in name else ""
        raise WrongUse(f"backend {name!r} {problem}{hint}; {_SIGNATURE}")
    if unknown := _unknown(compiler):
        raise WrongUse(f"backend {name!r} {unknown}")
    bitwise = bool(getattr(compiler, "parity_bitwise", False))
    executed, calls = _counts(name, compiler)
    compile_graph = _with_options(compiler, dict(options)) if options else compiler
    return Backend(
        named(name, options),
        through_dynamo(lambda _: compile_graph),
        bitwise=bitwise,
        version=version or version_of(package or _package(name, compiler)),
        config=tuple(dict(getattr(compiler, "parity_config", {})).items()),
        runs_torch=bitwise or bool(getattr(compiler, "parity_runs_torch", False)),
        executed=executed,
        engine_call=calls,
        modes=_modes(name, compiler),
    )


def name_of(compiler: Callable[..., Any]) -> str:
    """What a backend that has no name is called: ``module:qualname`` of it, or of its class."""
    named = compiler if hasattr(compiler, "__qualname__") else type(compiler)
    return f"{named.__module__}:{named.__qualname__}"


def suggestion(name: str) -> str:
    """Which ``module:attribute`` may have been meant by the name of a module, or by ``module.attribute``.

    Empty if it is neither. Imports the module, and raises `NoSuchBackend` where that fails.
    """
    if (module := _there(name, name)) is not None:
        return _meant(name, backends_of(module)) or f"did you mean {f'{name}:NAME_OF_A_FUNCTION'!r}?"
    *_, last = parts = name.split(".")
    owner = _there(name, ".".join(parts[:-1])) if len(parts) > 1 else None
    if owner is None:
        return ""
    near = [last] if hasattr(owner, last) else difflib.get_close_matches(last, backends_of(owner), 1)
    return _meant(owner.__name__, near)


def _there(name: str, module_name: str) -> ModuleType | None:
    """The module of that name; None if there is none. Raises `NoSuchBackend` for one that cannot be imported."""
    if not all(map(str.isidentifier, module_name.split("."))):
        return None
    with _telling(lambda error: _not_imported(name, module_name, error)):
        try:
            found = importlib.util.find_spec(module_name)
        except ModuleNotFoundError as error:
            if not is_missing(error, module_name):
                raise
            return None
        except ValueError:  # A module that says nothing of itself, such as ``__main__``.
            return None
        return importlib.import_module(module_name) if found is not None else None


def _meant(module: str, attributes: Sequence[str]) -> str:
    """A question about the first few of these; empty if there are none."""
    *others, last = [repr(f"{module}:{attribute}") for attribute in attributes[:_NAMED]] or [""]
    return f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?" if last else ""


def _has(module: str, attributes: Sequence[str]) -> str:
    """What a module has that could be a backend, where nothing is like what was asked for."""
    named = ", ".join(repr(f"{module}:{attribute}") for attribute in attributes[:_NAMED])
    more = f" and {len(attributes) - _NAMED} more" if len(attributes) > _NAMED else ""
    return f"there is {named}{more}" if named else f"nothing in {module} could be a backend"


def backends_of(module: ModuleType) -> list[str]:
    """What a module has that could be a backend: objects that are called as one first, then its functions named so."""
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    candidates = {name: value for name, value in public.items() if callable(value) and not _problem(value, None)}
    # What AOTAutograd makes of a compiler, say: a module that has one seldom has it for another end.
    objects = [name for name, value in candidates.items() if type(value).__module__ not in _OF_THE_LANGUAGE]
    functions = [
        name
        for name, value in candidates.items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and _needs_two(value)
    ]
    named_so = ("backend", "compile")
    return sorted(objects) + sorted(functions, key=lambda name: (not any(word in name for word in named_so), name))


def _needs_two(function: Callable[..., Any]) -> bool:
    """Whether a function cannot be called without two arguments, as a graph and its example inputs are."""
    first = list(inspect.signature(function).parameters.values())[:2]
    return len(first) == 2 and all(each.default is each.empty for each in first)


def version_of(package: str) -> str:
    """The version that a module says, or that of the distribution it comes with, or its package's; empty for none.

    Of a module within a package its own word goes first: an adapter that has come with others may say its engine's.
    """
    top = package.partition(".")[0]
    if package != top and (told := _told_version(package)):
        return told
    for distribution in importlib.metadata.packages_distributions().get(top, ()):
        return importlib.metadata.version(distribution)
    return _told_version(package) or _told_version(top)


def _told_version(module_name: str) -> str:
    told = getattr(sys.modules.get(module_name), "__version__", None)
    return "" if told is None else str(told)


def registered_version(name: str) -> str:
    """The version of the distribution whose entry point registers a backend of that name; empty if none does."""
    for entry in importlib.metadata.entry_points(group=_ENTRY_POINTS):
        if entry.name == name and entry.dist is not None:
            return entry.dist.version
    return ""


def _module(name: str, module_name: str) -> ModuleType:
    def told(error: BaseException) -> NoSuchBackend:
        if isinstance(error, ModuleNotFoundError) and is_missing(error, module_name):
            return NoSuchBackend(
                f"backend {name!r}: no module {error.name!r} on sys.path (the current directory is on it)"
            )
        return _not_imported(name, module_name, error)

    with _telling(told):  # A module may exit, too.
        return importlib.import_module(_installed(module_name))


def _installed(module_name: str) -> str:
    """The name that a module is imported by: one of Parity's own, ``suites...``, is where Parity is installed."""
    top, *rest = module_name.split(".")
    place = Path(suites.__file__).parent.with_name(top).joinpath(*rest)
    own = top in _OWN and place.with_suffix(".py").is_file()
    return suites.__name__.removesuffix("suites") + module_name if own else module_name


def _not_imported(name: str, module_name: str, error: BaseException) -> NoSuchBackend:
    return NoSuchBackend(f"backend {name!r}: importing {module_name} failed: {_told(error)}{_place(error)}")


def ended(name: str, how: str) -> NoSuchBackend:
    """What is said of a backend whose module or factory ended the process that looked at it."""
    module, colon, attribute = name.partition("?")[0].partition(":")
    if not colon:
        return NoSuchBackend(f"backend {name!r} does not load: {how}")
    made = f", or calling {attribute}," if attribute.endswith(MADE) else ""
    return NoSuchBackend(f"backend {name!r}: importing {module}{made} ended the process ({how})")


def _told(error: BaseException) -> str:
    """An exception's type and its whole message, in one line. The place of a syntax error is told by `_place`."""
    text = error.msg if isinstance(error, SyntaxError) and error.filename else str(error)
    lines = [line.strip() for line in text.splitlines()]
    return f"{type(error).__name__}: {'; '.join(filter(None, lines))}".rstrip(": ")


def _place(error: BaseException) -> str:
    """Where it was raised: the last place outside of Python's own modules and torch; the last one if there is none."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({_short(error.filename)}:{error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if "importlib" not in frame.filename and frame.filename != __file__]
    others = [each for each in outside if not (owners.is_pythons(each.filename) or owners.is_torchs(each.filename))]
    last = (others or outside)[-1:]
    return "".join(f" ({_short(frame.filename)}:{frame.lineno})" for frame in last)


def _short(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _problem(compiler: Any, options: Mapping[str, Any] | None) -> str:
    """Why something cannot be called as a backend is; empty if it can."""
    if not callable(compiler):
        return f"is of type {type(compiler).__name__}, which is not callable"
    if inspect.isclass(compiler) and "__call__" not in dir(compiler):
        return "is a class whose instances cannot be called"
    try:
        signature = inspect.signature(compiler, follow_wrapped=False)
    except (TypeError, ValueError):
        return ""  # Written in another language: it will say so itself.
    try:
        signature.bind(None, [], **({"options": options} if options else {}))
    except TypeError as error:
        if options and not _problem(compiler, None):
            return (
                f"takes no options: {error}: they arrive as options={dict(options)!r}{_by_factory(compiler, options)}"
            )
        return f"cannot be called as one: its arguments are {signature}"
    return ""


def _hint(name: str, compiler: Any) -> str:
    """What may have been meant by the name of what is no backend: what it makes, or a method; empty if nothing."""
    called = _binds(compiler)
    if inspect.isfunction(compiler):
        return f"; if it makes one, name it {name + MADE!r}" if called else ""
    method = _method(compiler)
    if not inspect.isclass(compiler):
        return f"; its method can: name it '{name}.{method}'" if method else ""
    if "__call__" in dir(compiler) and _binds(compiler.__call__, None, None, []):
        options = "" if called else ", with its arguments as options after a '?'"
        return f"; its instances can: name it {name + MADE!r}{options}"
    if not method:
        return ""
    module, _, path = name.partition(":")
    public = vars(sys.modules[module]) if module in sys.modules else {}
    if there := [key for key, value in public.items() if type(value) is compiler]:
        return f"; a method of its instances can: name it '{module}:{there[0]}.{method}'"
    return f"; a method of its instances can: write INSTANCE = {path}(...), and name it '{module}:INSTANCE.{method}'"


def _method(compiler: Any) -> str:
    """The method of an instance, or of those of a class, that compiles as a backend does; empty if there is none."""
    found = getattr(compiler, _COMPILES, None)
    itself = (None,) if inspect.isclass(compiler) and inspect.isfunction(found) else ()
    return _COMPILES if callable(found) and _binds(found, *itself, None, []) else ""


def _by_factory(compiler: Any, options: Mapping[str, Any]) -> str:
    """How a function that has an argument for each option would be handed them; empty for one that has not."""
    if not (inspect.isfunction(compiler) and _binds(compiler, None, [], **options)):
        return ""
    name, factory = compiler.__name__, f"{compiler.__module__}:{compiler.__qualname__}{MADE}"
    arguments = ", ".join(f"{key}={value!r}" for key, value in options.items())
    made = f"{name}({arguments}), that returns the backend and is named {named(factory, options)!r}"
    return f"; or as arguments of a factory, {made}"


def _binds(function: Any, *args: Any, **keywords: Any) -> bool:
    """Whether something can be called with these arguments, as far as its signature tells."""
    try:
        inspect.signature(function).bind(*args, **keywords)
    except (TypeError, ValueError):
        return False
    return True


def _with_options(compiler: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    def compile_graph(module: Any, example_inputs: Any) -> Any:
        return compiler(module, example_inputs, options=dict(options))

    return compile_graph


def _counts(name: str, compiler: Any) -> tuple[Callable[[], int] | None, str]:
    told = getattr(compiler, "parity_executed", None)
    if told is None:
        return None, ""
    if callable(told):
        _count(name, told)
        return functools.partial(_count, name, told), ""
    try:
        owner, attribute = function_of(str(told))
        if not callable(getattr(owner, attribute)):
            raise AttributeError(f"{attribute} is not callable")
    except Exception as error:
        kind = NoSuchBackend if isinstance(error, ImportError) else WrongUse
        raise kind(f"backend {name!r}: its parity_executed is {told!r}: {one_line(error)}") from None
    return None, str(told)


def _count(name: str, told: Callable[[], Any]) -> int:
    """What a backend's own count says. Raises `WrongUse` where it says nothing that can be counted."""
    try:
        return int(operator.index(told()))
    except Exception as error:
        why = f"its parity_executed says no number: {one_line(error)}{_place(error)}"
        raise WrongUse(f"backend {name!r}: {why}") from error


def function_of(name: str) -> tuple[Any, str]:
    """What holds the function ``module:function`` or ``module:Class.method``, and the function's name there.

    Raises what importing the module raises, and `AttributeError` for a name that is not there.
    """
    module_name, _, attribute = name.partition(":")
    owner: Any = importlib.import_module(module_name)
    *path, last = attribute.split(".")
    for part in path:
        owner = getattr(owner, part)
    getattr(owner, last)
    return owner, last


def _unknown(compiler: Any) -> str:
    """What a backend says of itself that nobody reads, a word misspelt; empty if there is none."""
    for attribute in sorted(name for name in dir(compiler) if name.startswith(_SAYS)):
        if attribute not in SAYINGS:
            near = difflib.get_close_matches(attribute, SAYINGS, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(SAYINGS)}"
            return f"has {attribute}, which says nothing; {hint}"
    return ""


def _modes(name: str, compiler: Any) -> tuple[str, ...]:
    told = getattr(compiler, "parity_modes", MODES)
    modes = (told,) if isinstance(told, str) else tuple(told)
    for mode in modes:
        if mode not in MODES:
            raise WrongUse(f"backend {name!r}: its parity_modes name {mode!r}; known are {', '.join(MODES)}")
    return tuple(mode for mode in MODES if mode in modes)


def _package(name: str, compiler: Any) -> str:
    module = getattr(compiler, "__module__", None) or type(compiler).__module__
    # Torch registers bridges to others by the name of what they lead to.
    return name if module.partition(".")[0] == "torch" else module
