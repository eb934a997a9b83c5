"""Who executed a graph that a backend was handed: the backend, or torch's own operators.

A backend may hand a graph back, in silence, and then a pass says nothing of it. `Provenance` watches a run that is made
for this question alone, after the compared ones: while a compiled program runs, a dispatch mode sees each of torch's
operators, and the memory that it reads and writes. What the backend's engine makes is memory that none of them has
written: a tensor that comes from nowhere, uninitialised memory that is read, memory whose bytes changed on their own.
If there is none, torch has computed all that the program returned and wrote. Code that Inductor made is torch's too.
If there is some, `dispatched` says whether torch executed the whole graph all the same, out of sight or copied.

The mode is entered where what the backend returned is called, and around its backward: never while something is
compiled. Where it cannot tell, it says nothing, and the pass stands.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import torch
from torch.autograd.function import BackwardCFunction
from torch.overrides import TorchFunctionMode

from suites.harness import torch_internals
from suites.harness.backends.adapters import function_of
from suites.harness.oracle.dispatched import ALLOCATE, TORCHS, Question
from suites.harness.torch_internals import TorchDispatchMode, pytree

#: Operators that overwrite their first operand without reading it, or that look at its sizes and dtype alone.
_READ_NO_FIRST = frozenset(
    (
        *("copy_", "fill_", "zero_", "normal_", "uniform_", "random_", "bernoulli_", "exponential_", "copy", "fill"),
        *("zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like"),
        *("new_zeros", "new_ones", "new_full"),
    )
)
#: What a graph calls where the program makes a tensor of numbers: such a tensor comes from nowhere, and rightly so. An
#: engine that hands over what it has computed may call them, too, and with other numbers.
_MAKE_TENSORS = (torch.tensor, torch.as_tensor, torch.asarray)
#: Bytes of a storage up to which it is looked at whether it changed.
_LOOKED_AT = 1 << 20

_GIVEN, _TORCHS_OWN, _BLANK = "given", "torch's", "blank"


class Provenance(TorchDispatchMode):
    """Watches who makes what a compiled program returns and writes. One object a run.

    ``by_backend``: something that the program returned or used was made by no operator of torch, and torch did not
    execute all that was asked for. ``operators``: how many of torch's ran meanwhile. ``lost``: something kept it from
    looking.
    """

    #: Operators that call programs (`cond`, `map`) are run without being looked into.
    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.by_backend = self.lost = False
        self.operators = 0
        #: Whether something that is used in the call being watched was made by no operator that is seen.
        self._from_nowhere = False
        #: The storages that have been seen, each with who wrote it last and what it held then. Keeping them keeps
        #: their keys from being used again.
        self._storages: dict[int, tuple[Any, str, int | None]] = {}
        self._own_operators: set[str] = set()
        #: The calls of graphs that make tensors of numbers: which function, of what (None: of what the graph computes).
        self._literals: set[tuple[Any, str | None]] = set()
        #: Whether such a call is being made.
        self._of_literals = False
        self._depth = self._inside_inductor = 0

    @property
    def verdict(self) -> bool | None:
        """Whether the backend executed something; None where nothing ran, or that cannot be told."""
        if self.lost:
            return None
        return self.by_backend or (False if self.operators else None)

    # What is watched

    def around(self, module: torch.fx.GraphModule, compiled: Callable[..., Any]) -> Callable[..., Any]:
        """What a backend made of a graph, called under this mode; its backward too."""
        for node in module.graph.nodes:
            if node.op == "call_function" and node.target in _MAKE_TENSORS:
                self._literals.add((node.target, None if node.all_input_nodes else _numbers(node.args, node.kwargs)))
            if isinstance(node.target, (torch_internals.OpOverload, torch_internals.OpOverloadPacket)):
                self._own_operators.add(str(node.target).partition(".")[0])

        @functools.wraps(compiled, updated=("__dict__",) if hasattr(compiled, "__dict__") else ())
        def watched(*args: Any, **kwargs: Any) -> Any:
            before = _nodes(_tensors((args, kwargs)))
            with self._watching((args, kwargs), lambda: Question(module, args)):
                outputs = compiled(*args, **kwargs)
                self._look(_tensors(outputs))
            for node in _nodes(_tensors((outputs, args))) - before:
                if isinstance(node, BackwardCFunction):
                    self._watch_backward(node, Question(module, args, of_backward=True))
            return outputs

        return watched

    def _watch_backward(self, node: Any, question: Question) -> None:
        entered: list[contextlib.ExitStack] = []

        def enter(gradients: Sequence[Any]) -> None:
            entered.append(contextlib.ExitStack())
            entered[-1].enter_context(self._watching(gradients, lambda: question))

        def leave(gradients: Sequence[Any], _: Sequence[Any]) -> None:
            if entered:
                self._look(_tensors(gradients))
                entered.pop().close()

        node.register_prehook(enter)
        node.register_hook(leave)

    @contextlib.contextmanager
    def _watching(self, given: Any, ask: Callable[[], Question]) -> Iterator[None]:
        with self._quietly():
            for key, (storage, _, _) in list(self._storages.items()):
                self._storages[key] = storage, _GIVEN, _digest(storage)
            # Constants that a compiled program keeps for itself were there before it was called.
            for tensor in (*_tensors(given), *filter(_is_tensor, gc.get_objects())):
                self._note(tensor, _GIVEN)
        question = ask() if not self._depth else None
        self._depth += 1
        try:
            with contextlib.ExitStack() as stack:
                if question is not None:
                    stack.enter_context(question.watching())
                    stack.enter_context(torch_internals.around_inductors_code(self._inductor))
                    if self._literals:
                        stack.enter_context(_CallsOfTorch(self._call))
                    stack.enter_context(self)
                yield
        finally:
            self._depth -= 1
            with self._quietly():
                self._from_nowhere |= any(
                    who != _BLANK and digest is not None and _digest(storage) != digest
                    for storage, who, digest in self._storages.values()
                )
            if question is not None and self._from_nowhere:
                self._from_nowhere, by_torch = False, question.executed_by_torch()
                self.by_backend |= not by_torch
                self.operators += by_torch

    @contextlib.contextmanager
    def _quietly(self) -> Iterator[None]:
        """What looking comes to grief over is no fault of the program's."""
        try:
            yield
        except Exception:
            self.lost = True

    # What runs

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if any(kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__ for kind in types):
            return NotImplemented  # A subclass comes back with what it holds, and tracing is none of ours.
        kwargs = kwargs or {}
        if self._inside_inductor:
            return func(*args, **kwargs)
        name = getattr(func, "_opname", "") or str(func)
        operands = list(_tensors((args, kwargs)))
        with self._quietly():
            self._operator(func, name, operands)
        result = func(*args, **kwargs)
        with self._quietly():
            fresh = _BLANK if name in ALLOCATE else _TORCHS_OWN
            for tensor in operands:
                self._note(tensor, _TORCHS_OWN, again=not _is_view(func) and name not in ALLOCATE)
            for tensor in _tensors(result):
                self._note(tensor, fresh)
        return result

    def _call(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function of torch's, while a graph runs that makes a tensor of numbers."""
        before = self._of_literals
        with self._quietly():
            made = func in _MAKE_TENSORS and {(func, None), (func, _numbers(args, kwargs))} & self._literals
            self._of_literals = bool(made)
        try:
            return func(*args, **kwargs)
        finally:
            self._of_literals = before

    def _operator(self, func: Any, name: str, operands: Iterable[torch.Tensor]) -> None:
        namespace = getattr(func, "namespace", "aten")
        own = namespace in TORCHS or str(func).partition(".")[0] in self._own_operators
        if not own and isinstance(func, torch_internals.OpOverload):
            self.by_backend = True
            return
        self.operators += name not in ALLOCATE
        if self._of_literals:
            return
        unread = _unread(func, operands)
        self._look((each for each in operands if id(each) not in unread), reading=not _is_view(func))

    def _look(self, tensors: Iterable[torch.Tensor], *, reading: bool = True) -> None:
        """Notice what no operator of torch has made among the tensors that an operator reads, or that are returned."""
        with self._quietly():
            for tensor in tensors:
                key = torch_internals.storage_key(tensor)
                if key is None or not tensor.untyped_storage().nbytes():
                    continue
                storage, who, digest = self._storages.get(key, (None, "", None))
                unwritten = who == _BLANK and reading
                changed = who != _BLANK and digest is not None and _digest(storage) != digest
                self._from_nowhere |= storage is None or unwritten or changed

    def _note(self, tensor: torch.Tensor, who: str, *, again: bool = False) -> None:
        """Keep who made the memory of a tensor, if that is not known; ``again``: or has written to it since."""
        key = torch_internals.storage_key(tensor)
        if key is None or (key in self._storages and not again):
            return
        storage = tensor.untyped_storage()
        self._storages[key] = storage, who, _digest(storage)

    @contextlib.contextmanager
    def _inductor(self, arguments: Iterable[Any]) -> Iterator[Callable[[Any], None]]:
        """A call of code that Inductor made: what it returns and changes is torch's."""
        handed = list(_tensors(arguments))
        with self._quietly():
            self._look(handed)
        self._inside_inductor += 1
        self.operators += 1

        def returned(outputs: Any) -> None:
            with self._quietly():
                for key, (storage, who, _) in list(self._storages.items()):
                    self._storages[key] = storage, who, _digest(storage)
                for tensor in (*handed, *_tensors(outputs)):
                    self._note(tensor, _TORCHS_OWN, again=True)

        try:
            yield returned
        finally:
            self._inside_inductor -= 1


class _CallsOfTorch(TorchFunctionMode):
    """Has somebody make the calls of torch's functions that are made meanwhile."""

    def __init__(self, make: Callable[[Any, Sequence[Any], dict[str, Any]], Any]) -> None:
        super().__init__()
        self._make = make

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return self._make(func, args, kwargs or {})


def _numbers(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """What a call of `_MAKE_TENSORS` makes a tensor of, as text, in which a NaN is equal to another."""
    return repr(args[0] if args else kwargs.get("data", kwargs.get("obj")))


def _is_tensor(value: object) -> bool:
    return issubclass(type(value), torch.Tensor)  # Some proxies take the question to their own class as a use.


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    return (each for each in pytree.tree_leaves(values) if isinstance(each, torch.Tensor))


def _unread(func: Any, operands: Iterable[torch.Tensor]) -> set[int]:
    """The ids of operands that an operator does not read: results handed to it, and what ``copy_`` overwrites."""
    name = getattr(func, "_opname", "")
    found = list(operands)
    if name in _READ_NO_FIRST:
        return {id(each) for each in found[:1]}
    if not isinstance(func, torch_internals.OpOverload):
        return set()
    outs = sum(argument.is_out for argument in torch_internals.schema(func).arguments)
    return {id(each) for each in found[len(found) - outs :]} if outs else set()


def _is_view(func: Any) -> bool:
    return bool(getattr(func, "is_view", False))


def _digest(storage: Any) -> int | None:
    """What a storage holds, in a number; None where that is too much, or not to be read from here."""
    size = storage.nbytes()
    if not 0 < size <= _LOOKED_AT:
        return None
    if storage.device.type != "cpu":
        storage = storage.cpu()
    if not storage.data_ptr():
        return None
    return zlib.crc32(ctypes.string_at(storage.data_ptr(), size))


def _nodes(tensors: Iterable[torch.Tensor]) -> set[Any]:
    """The nodes of autograd's graph behind some tensors."""
    pending = [tensor.grad_fn for tensor in tensors if tensor.requires_grad and not tensor.is_inference()]
    found: set[Any] = set()
    while pending:
        node = pending.pop()
        if node is not None and node not in found:
            found.add(node)
            pending += [parent for parent, _ in node.next_functions]
    return found


class EngineCalls:
    """Counts the calls of a function of the backend's engine, ``module:function``."""

    def __init__(self, function: str) -> None:
        self._owner, self._name = function_of(function)
        self._calls = 0

    def number(self) -> int:
        """How many there have been."""
        return self._calls

    def counted(self) -> contextlib.AbstractContextManager[Any]:
        """What is around the whole run: the function counts its calls."""
        function = getattr(self._owner, self._name)

        @functools.wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            self._calls += 1  # One that raised has executed nothing.
            return result

        return mock.patch.object(self._owner, self._name, counted)
