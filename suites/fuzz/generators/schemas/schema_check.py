"""Schema checks: what operators change, return and describe, against what their schemas say.

A program whose operator writes to what it does not declare, or returns memory that it declares as new, means
nothing in particular when it is compiled. While a program is made smaller its kernels change, so every candidate is
looked at: run once in eager, with each call of an operator that is not torch's own watched.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from suites.harness.execution.isolation import Finished, run_forked

from .registration import NAMESPACE

#: Seconds that a program has to run once in eager.
LIMIT = 20.0


class Watch(TorchDispatchMode):
    """Notes what the operators of `NAMESPACE` do that their schemas do not say."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[str] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.namespace != NAMESPACE:
            return func(*args, **kwargs)
        given = list(_given(func, args, kwargs))
        written = {_memory(tensor) for argument, tensor in given if argument.is_write}
        before = [(argument, tensor, tensor.detach().clone()) for argument, tensor in given]
        apart = None
        if any(not argument.is_write and _memory(tensor) in written for argument, tensor in given):
            apart = _apart(func, args, kwargs)
        described = _described(func, args, kwargs)
        result = func(*args, **kwargs)
        for argument, tensor, old in before:
            if _memory(tensor) not in written and not _equal(tensor, old):
                self.violations.append(f"{func}: writes to {argument.name}, which it does not declare")
        if apart is not None and not all(map(_equal, apart, _after(func, result, given))):
            self.violations.append(f"{func}: reads under another name what it has written")
        self.violations += list(_unreturned(func, result))
        self.violations += list(_hidden_aliases(func, result, given))
        self.violations += list(_misdescribed(func, described, result))
        return result


def violations(text: str) -> list[str]:
    """What a program's operators do that their schemas do not say, found by running it in eager, in this process.

    Raises what the program raises.
    """
    module = types.ModuleType("drawn_program")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Type hints are what they are to Python, whatever this module does with its own.
        exec(compile(text, "program.py", "exec", dont_inherit=True), module.__dict__)
        args = module.inputs()
    with warnings.catch_warnings(), Watch() as watch:
        warnings.simplefilter("ignore")
        with torch.set_grad_enabled(getattr(module, "TRAIN", False)):
            module.program(*args)
    return watch.violations


def follows_its_schemas(text: str) -> bool:
    """Whether a program runs in eager, in a process of its own, and its operators do what their schemas say."""
    outcome = run_forked(lambda: not violations(text), LIMIT)
    return isinstance(outcome, Finished) and bool(outcome.value)


def _given(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[tuple[Any, torch.Tensor]]:
    """Each tensor of a call, with the argument that it is passed in."""
    for place, argument in enumerate(func._schema.arguments):
        value = args[place] if place < len(args) else kwargs.get(argument.name)
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, torch.Tensor):
                yield argument, item


def _after(func: Any, result: Any, given: list[tuple[Any, torch.Tensor]]) -> list[torch.Tensor]:
    """What a call has come to: its results, and what is in the tensors that it may write to."""
    written = [tensor.detach().clone() for argument, tensor in given if argument.is_write]
    return [*written, *(tensor.detach().clone() for _, tensor in _returned(func, result))]


def _apart(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """What the call comes to if nothing that it reads shares memory with what it writes.

    What a kernel means that sees its own writes in another argument is not agreed on: a functional graph keeps them
    apart.
    """
    bases: dict[int, torch.Tensor] = {}

    def copied(argument: Any, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [copied(argument, item) for item in value]
        if not isinstance(value, torch.Tensor):
            return value
        if not argument.is_write:
            return value.detach().clone()
        if _memory(value) not in bases:
            whole = torch.empty(0, dtype=value.dtype).set_(value.detach().untyped_storage())
            bases[_memory(value)] = whole.clone()
        return bases[_memory(value)].as_strided(value.shape, value.stride(), value.storage_offset())

    declared = func._schema.arguments
    passed = [copied(argument, value) for argument, value in zip(declared, args, strict=False)]
    named = {argument.name: copied(argument, kwargs[argument.name]) for argument in declared if argument.name in kwargs}
    result = func(*passed, **named)
    return _after(func, result, list(_given(func, passed, named)))


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _equal(left: torch.Tensor, right: torch.Tensor) -> bool:
    return left.shape == right.shape and torch.equal(torch.nan_to_num(left), torch.nan_to_num(right))


def _results(func: Any, result: Any) -> Iterator[tuple[Any, Any]]:
    """Each of the values that a call returns, with what is declared of it."""
    declared = func._schema.returns
    return zip(declared, result if len(declared) > 1 else [result], strict=False)


def _returned(func: Any, result: Any) -> Iterator[tuple[Any, torch.Tensor]]:
    for declaration, value in _results(func, result):
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, torch.Tensor):
                yield declaration, item


def _unreturned(func: Any, result: Any) -> Iterator[str]:
    """Tensors that are declared and not returned: the dispatcher takes None for a tensor that is not defined."""
    for declaration, value in _results(func, result):
        if str(declaration.type) == "Tensor" and not isinstance(value, torch.Tensor):
            yield f"{func}: returns no tensor where it declares one"


def _hidden_aliases(func: Any, result: Any, given: list[tuple[Any, torch.Tensor]]) -> Iterator[str]:
    seen = {_memory(tensor) for _, tensor in given}
    for declaration, tensor in _returned(func, result):
        if declaration.alias_info is not None:
            continue
        if _memory(tensor) in seen and tensor.numel():
            yield f"{func}: returns memory that is not new, which it does not declare"
        seen.add(_memory(tensor))


def _described(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What the fake kernel says of the results; None if it does not run, which is the program's to show."""
    if any(result.alias_info is not None for result in func._schema.returns):
        return None
    try:
        mode = FakeTensorMode()
        faked = tree_map_only(torch.Tensor, lambda tensor: mode.from_tensor(tensor.detach()), (args, kwargs))
        with mode:
            return func(*faked[0], **faked[1])
    except Exception:
        return None


def _misdescribed(func: Any, described: Any, result: Any) -> Iterator[str]:
    if described is None:
        return
    pairs = zip(_returned(func, described), _returned(func, result), strict=False)
    for (_, fake), (_, real) in pairs:
        strides = zip(fake.stride(), real.stride(), real.shape, strict=False)
        if (fake.shape, fake.dtype) != (real.shape, real.dtype) or any(
            said != seen for said, seen, size in strides if size > 1 and real.numel()
        ):
            yield f"{func}: its fake kernel describes another tensor"
