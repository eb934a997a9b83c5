"""A checked program as one self-contained file, and as a script of plain PyTorch that shows how it diverges."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import inspect
import sys
import types
from collections.abc import Iterable
from pathlib import Path

import torch

from suites.fuzz.campaigns import confirming
from suites.fuzz.judging import Judgement
from suites.fuzz.reduction.script import script
from suites.harness.backends.registry import facts
from suites.harness.execution.isolation import Finished, Raised, run_forked
from suites.harness.programs.files import FileProgram, FileSettings, named_expression
from suites.harness.programs.targets import ImportedProgram, SavedProgram
from tools.checking import Checked

#: What a file of a program says beside its source.
_FLAGS = ("TRAIN", "DYNAMIC", "CONFIG")
_FROM_HERE = "import os\nimport sys\n\nsys.path.append(os.getcwd())\n"


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """A script, with what its reader should know; no script where there is none, and why."""

    script: str
    notes: tuple[str, ...] = ()
    #: Whether it was run in a process of its own, and exited with 1.
    confirmed: bool = False


@dataclasses.dataclass(frozen=True)
class _Source:
    """A program as the text of a file for ``parity check``, with what is not in it."""

    text: str
    notes: tuple[str, ...] = ()


def reproduction(program: FileProgram, settings: FileSettings, checked: Checked, timeout: float) -> Reproduction:
    """The script of a program that diverges. It is run once, in a process of its own."""
    first = Judgement(checked.outcome, divergences=tuple(checked.divergences)).first
    assert first is not None
    if not facts(first.layer).dynamo:
        return Reproduction("", (f"{first.layer} is a way to compile that no script of torch.compile goes",))
    made = run_forked(lambda: source(program, settings, checked.mode), timeout)
    if not isinstance(made, Finished):
        why = made.message if isinstance(made, Raised) else getattr(made, "how", "no end in time")
        return Reproduction("", (f"{program.told}: its source cannot be taken: {why}",))
    taken: _Source = made.value
    text = script(taken.text, first)
    return Reproduction(text, taken.notes, confirming.exits_one(text))


def source(program: FileProgram, settings: FileSettings, mode: str = "train") -> _Source:
    """A program as one file, with the inputs, flags and grad mode that it was called with. Imports its module."""
    if isinstance(program, SavedProgram):
        taken = _of_saved(program)
    elif isinstance(program, ImportedProgram):
        taken = _of_imported(program)
    else:
        text = program.path.read_text(encoding="utf-8")
        # What it is called with otherwise would come before what was asked for.
        dropped = (*_FLAGS, "calls") if program.asked.inputs else _FLAGS
        taken = _Source(ast.unparse(_without(ast.parse(text), dropped)) + f"\n{_inputs(program)}")
    text = taken.text + "".join(
        f"\n{name} = {value!r}"
        for name, value in (
            ("TRAIN", settings.train),
            ("DYNAMIC", bool(settings.dynamic)),
            ("CONFIG", dict(settings.config)),
        )
        if value
    )
    tree = ast.parse(text)
    if mode != "train" and "calls" not in {name for node in tree.body for name in _binds(node)}:
        context = {"no_grad": "torch.no_grad", "inference": "torch.inference_mode"}[mode]
        text += f"\ncalls = [(inputs, {context})] * 2"
    local = sorted({name for node in ast.walk(tree) for name in _imported(node) if _is_here(name)})
    if local:
        future, rest = _split_future(ast.parse(text))
        text = f"{future}{_FROM_HERE}{rest}"
    told = (f"the script imports {', '.join(local)} from this folder: run it here",) if local else ()
    return _Source(_with_torch(text), (*taken.notes, *told))


def _of_saved(program: SavedProgram) -> _Source:
    path = str(program.path.resolve())
    text = f"import copy\nimport torch\n\nsaved = torch.export.load({path!r})\n"
    keywords: list[str] = []
    if program.asked.inputs:
        text += _inputs(program, "saved.module()")
    else:
        args, kwargs = torch.export.load(program.path).example_inputs
        keywords = list(kwargs)
        values = "(*args, *kwargs.values())" if keywords else "args"
        text += f"\ndef inputs():\n    args, kwargs = copy.deepcopy(saved.example_inputs)\n    return {values}\n"
        text += _wrapped("saved.module()", len(args), keywords) if keywords else "\nprogram = saved.module()\n"
    return _Source(text, (f"the script loads {path}",))


def _of_imported(program: ImportedProgram) -> _Source:
    namespace = program._execute()
    beside, found = namespace.beside, namespace.program
    root = program.attribute.partition("(")[0].split(".")[0]
    expression = program.attribute
    if "(" not in expression and isinstance(getattr(beside, root, None), type):
        expression = f"{expression}()"
    wanted = {root, *(name for name in ("inputs", "calls", "leaves") if not program.asked.inputs)}
    wanted |= {name for text in (*program.asked.inputs, expression) for name in _loaded(ast.parse(_expression(text)))}
    module, home = beside, inspect.getmodule(inspect.unwrap(found)) if isinstance(found, types.FunctionType) else None
    own = home is not None and home is not beside and getattr(home, found.__name__, None) is found
    if own and (program.asked.inputs or not vars(beside).keys() & {"inputs", "calls", "leaves"}):
        assert home is not None
        module, expression = home, found.__name__
        wanted.add(expression)
    given = _inputs(program, expression) or ("" if expression == "program" else f"\nprogram = {expression}\n")
    if getattr(namespace, "inputs", None) is tuple:
        given += "\ndef inputs():\n    return ()\n"
    try:
        whole = Path(inspect.getsourcefile(module) or "").read_text(encoding="utf-8")
    except (OSError, TypeError):
        whole = ""
    bound = {name for node in ast.parse(whole).body for name in _binds(node)}
    first = expression.partition("(")[0].split(".")[0]
    of_torch = module.__name__.split(".")[0] == "torch"
    if not whole or first not in bound or of_torch:
        names = sorted((wanted & vars(module).keys()) - {"torch", "math"})
        why = () if of_torch else (f"no source of {program.told} can be taken: the script imports it",)
        return _Source(f"from {module.__name__} import {', '.join(names)}\n{given}", why)
    package = module.__package__ or ""
    tree = _absolute(_slice(_without(ast.parse(whole), _FLAGS), wanted), package)
    return _Source(f"{ast.unparse(tree)}\n{given}")


def _inputs(program: FileProgram, expression: str = "program") -> str:
    """``inputs`` with the expressions that were asked for, and ``program`` that takes them; nothing without any."""
    if not program.asked.inputs:
        return ""
    named = [named_expression(text) for text in program.asked.inputs]
    keywords = [name for name, _ in named if name]
    ordered = [text for name, text in named if not name] + [text for name, text in named if name]
    text = "\ndef inputs():\n    return (" + "".join(f"{each}, " for each in ordered) + ")\n"
    if keywords:
        return text + _wrapped(expression, len(ordered) - len(keywords), keywords)
    return text + ("" if expression == "program" else f"\nprogram = {expression}\n")


def _wrapped(expression: str, positional: int, keywords: Iterable[str]) -> str:
    """``program``, which passes its last arguments on by name."""
    places = [f"a{number}" for number in range(positional)]
    given = ", ".join([*places, *(f"{name}={name}" for name in keywords)])
    return f"\nmade_of = {expression}\n\ndef program({', '.join([*places, *keywords])}):\n    return made_of({given})\n"


def _expression(text: str) -> str:
    return named_expression(text)[1]


# The part of a module that a program needs ----------------------------------------------------------------------------


def _slice(tree: ast.Module, wanted: Iterable[str]) -> ast.Module:
    """The statements of a module that bind those names, and what these need, in their order."""
    needed = set(wanted)
    kept: set[int] = set()
    grows = True
    while grows:
        grows = False
        for number, node in enumerate(tree.body):
            if number not in kept and (_binds(node) & needed or _acts_on(node) & needed or _is_future(node)):
                kept.add(number)
                needed |= _loaded(node)
                grows = True
    body = [node for number, node in enumerate(tree.body) if number in kept]
    return ast.Module([_narrowed(node, needed) for node in body], [])


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement of a module binds, or changes the object of."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
        inner = (getattr(node, field, []) for field in ("body", "orelse", "handlers", "finalbody"))
        nodes = [each for part in inner for each in part]
        nodes += [each for handler in nodes if isinstance(handler, ast.ExceptHandler) for each in handler.body]
        return {name for each in nodes if isinstance(each, ast.stmt) for name in _binds(each)}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {
        each.id for target in targets if target is not None for each in ast.walk(target) if isinstance(each, ast.Name)
    }


def _acts_on(node: ast.stmt) -> set[str]:
    """The first name of a call that stands by itself: ``net.eval()`` is about ``net``."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return set()
    function = node.value.func
    while isinstance(function, ast.Attribute):
        function = function.value
    return {function.id} if isinstance(function, ast.Name) else set()


def _loaded(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _narrowed(node: ast.stmt, needed: set[str]) -> ast.stmt:
    """An import without the names that nothing needs."""
    if isinstance(node, ast.ImportFrom) and not _is_future(node):
        names = [alias for alias in node.names if (alias.asname or alias.name) in needed]
        return ast.ImportFrom(node.module, names, node.level)
    if isinstance(node, ast.Import):
        return ast.Import([alias for alias in node.names if (alias.asname or alias.name).split(".")[0] in needed])
    return node


def _absolute(tree: ast.Module, package: str) -> ast.Module:
    """Relative imports by the whole name of what they import from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            node.module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            node.level = 0
    return tree


def _without(tree: ast.Module, names: Iterable[str]) -> ast.Module:
    """The module without those assignments, and without what it does where it is the program of Python's."""
    dropped = set(names)

    def kept(node: ast.stmt) -> bool:
        if isinstance(node, ast.If):
            return "__name__" not in _loaded(node.test)
        return not (isinstance(node, ast.Assign) and _binds(node) and _binds(node) <= dropped)

    return ast.Module([node for node in tree.body if kept(node)], [])


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _split_future(tree: ast.Module) -> tuple[str, str]:
    future = [node for node in tree.body if _is_future(node)]
    rest = [node for node in tree.body if not _is_future(node)]
    return "".join(f"{ast.unparse(node)}\n" for node in future), ast.unparse(ast.Module(rest, []))


def _with_torch(text: str) -> str:
    """The text with an import of torch, which the expressions of inputs name."""
    tree = ast.parse(text)
    missing = [name for name in ("torch", "math") if name in _loaded(tree)]
    missing = [name for name in missing if not any(name in _binds(node) for node in tree.body)]
    if not missing:
        return text
    future, rest = _split_future(tree)
    return future + "".join(f"import {name}\n" for name in missing) + rest


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level and node.module:
        return {node.module.split(".")[0]}
    return set()


def _is_here(name: str) -> bool:
    """Whether an import would find that name in the current directory, and nowhere else."""
    here = Path.cwd()
    return name not in sys.stdlib_module_names and ((here / name).is_dir() or (here / f"{name}.py").is_file())
