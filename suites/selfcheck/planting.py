"""Other code in living functions of torch, in memory: what they are given is what every caller of theirs runs."""

from __future__ import annotations

import ast
import dis
import gc
import types
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from suites.harness import torch_internals


class Living:
    """The living functions of some files, and those of their functions that remember what they have answered."""

    def __init__(self, paths: Iterable[str]) -> None:
        wanted = set(paths)
        self._functions = defaultdict[tuple[str, str, int], list[types.FunctionType]](list)
        self._remembering = defaultdict[str, list[Any]](list)
        gc.unfreeze()  # What is frozen is none of the objects that the collector tells.
        for found in gc.get_objects():
            # Not isinstance, which asks a weak proxy for a class that may be gone.
            if type(found) is types.FunctionType and _path_of(found) in wanted:
                code = found.__code__
                self._functions[code.co_filename, code.co_name, code.co_firstlineno].append(found)
            elif type(found) is torch_internals.REMEMBERING:
                path = _path_of(found.__wrapped__)
                if path in wanted and _remembers_answers(found.__wrapped__):
                    self._remembering[path].append(found)

    def give(self, path: str, tree: ast.Module) -> list[tuple[types.FunctionType, types.CodeType]]:
        """Give the functions of a file the code of ``tree``, and forget what they have answered.

        Returns those that have it, each with the code that it had.
        """
        before = []
        for code in _codes(compile(tree, path, "exec")):
            for function in self._functions.get((path, code.co_name, code.co_firstlineno), ()):
                if code.co_freevars == function.__code__.co_freevars:
                    before.append((function, function.__code__))
                    function.__code__ = code
        self.forget(path)
        return before

    def forget(self, path: str) -> None:
        """Forget what the functions of a file have answered."""
        for function in self._remembering[path]:
            function.cache_clear()


def _path_of(function: Any) -> str:
    """The file that a function is written in, whatever module it says that it is of; empty if it is none of Python's.

    One that a decorator of another module wraps once, to register patterns, must not register them twice.
    """
    return str(getattr(getattr(function, "__code__", None), "co_filename", ""))


def _remembers_answers(function: Any) -> bool:
    """Whether what a function is remembered to return are answers.

    One that only makes an empty container is remembered for what is registered there, for good.
    """
    names = {instruction.opname for instruction in dis.get_instructions(function)}
    return bool(names - {"RESUME", "BUILD_LIST", "BUILD_MAP", "RETURN_VALUE"})


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)
