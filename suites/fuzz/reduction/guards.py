"""What else must hold for a smaller program than that it diverges alike: its operators do what they say."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable

from suites.harness.programs.names import CONTRACT

from ..generators.devices import is_on_cuda
from ..generators.schemas.schema_check import follows_its_schemas
from .edits import bound

#: Whether a program diverges as one did.
Still = Callable[[str], bool]


def following_schemas(still: Still, text: str) -> Still:
    """``still``, asked of programs alone whose operators do what their schemas say.

    Asked of all, if ``text``, which it holds for, does not run in eager: then nothing can be said of its operators. Of
    a program for a GPU they stay as they are, since it would have to run here, and no fork could use the GPU then.
    """
    if is_on_cuda(text):
        return with_the_same_kernels(still, text)
    if not follows_its_schemas(text):
        return lambda candidate: still(renamed(candidate))
    return lambda candidate: follows_its_schemas(candidate) and still(renamed(candidate))


def renamed(text: str) -> str:
    """The program with numbers of its own in its operators' names.

    An operator is defined once in a process: of two candidates in one, the second would run the kernels of the first.
    """
    number = int(hashlib.blake2b(text.encode(), digest_size=6).hexdigest(), 16)
    return re.sub(r"\b(op\d+)_\d+\b", rf"\1_{number}", text)


def with_the_same_kernels(still: Still, text: str) -> Still:
    """``still``, asked of programs alone whose operators and kernels are some of those of ``text``, as they are there.

    Whether a kernel that was made smaller still does what its schema says cannot be checked on a GPU.
    """
    given = _definitions(text)
    return lambda candidate: _definitions(candidate) <= given and still(candidate)


def _definitions(text: str) -> set[str]:
    """What stands at the top of a program's file, but for the program, its inputs and its settings."""
    return {ast.dump(node) for node in ast.parse(text).body if bound(node) not in (*CONTRACT, "made")}
