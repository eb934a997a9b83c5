"""Run a program once and write down everything that its caller can see, as plain data.

An observation holds no live object of the run: tensors are snapshots on the CPU, identity and aliasing are relations
between paths. It can be compared, kept and sent between processes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from . import torch_internals
from .state import Surroundings, generator_states, seed_everything
from .walk import Entry, Walked, type_name, walk

#: Storages above this are not searched for writes outside of the views that the caller holds.
MAX_STORAGE_BYTES = 1 << 24
#: Tensors written to, one after another, to see who else changes.
MAX_PROBES = 12


@dataclasses.dataclass
class Inputs:
    """What one call is given, and the leaves that gradients will arrive at."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)
    leaves: dict[str, torch.Tensor] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Instance:
    """A program ready for one run: its function, the state that it reaches, and a builder of inputs for each call."""

    function: Callable[..., Any]
    calls: Sequence[Callable[[], Inputs]]
    #: Roots of state besides the arguments: the module, closures, globals; path -> value.
    state: Mapping[str, object] = dataclasses.field(default_factory=dict)


class Program(Protocol):
    """The function under test with the builders of its inputs, made afresh for every run."""

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """A fresh instance; with ``upcast``, every floating-point input and parameter in double precision."""
        ...


@dataclasses.dataclass(frozen=True)
class Circumstances:
    """How calls are made: grad mode, whether gradients are compared, and how often backward runs."""

    mode: str = "train"
    backward: bool = True
    backward_twice: bool = False
    probe: bool = True

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """The grad mode in which the program is called (and, for inference, its inputs are built)."""
        with contextlib.ExitStack() as stack:
            if self.mode == "inference":
                stack.enter_context(torch.inference_mode())
            elif self.mode == "no_grad":
                stack.enter_context(torch.no_grad())
            yield


@dataclasses.dataclass(frozen=True)
class TensorFacts:
    """One tensor as the caller sees it. ``strides`` and ``offset`` count elements; None where there are none."""

    type: str
    dtype: str
    shape: tuple[int, ...]
    device: str
    strides: tuple[int, ...] | None
    offset: int | None
    layout: str
    requires_grad: bool
    is_leaf: bool
    inference: bool
    #: The path of the tensor whose view this is, ``<another>`` if that one is not in sight, None if it is no view.
    base: str | None
    #: Storage size in bytes, None without storage.
    storage_bytes: int | None
    value: torch.Tensor | None


@dataclasses.dataclass(frozen=True)
class ErrorFacts:
    """An exception: its type's name, its message, and the message of the first cause."""

    type: str
    message: str

    @classmethod
    def of(cls, error: BaseException) -> ErrorFacts:
        """Read an exception; the chain of causes is part of the message."""
        messages = [str(error)]
        cause = error.__cause__
        while cause is not None and len(messages) < 4:
            messages.append(str(cause))
            cause = cause.__cause__
        return cls(type(error).__name__, "\n".join(messages))


@dataclasses.dataclass
class Call:
    """The observation of one call."""

    error: ErrorFacts | None = None
    entries: dict[str, Entry] = dataclasses.field(default_factory=dict)
    tensors: dict[str, TensorFacts] = dataclasses.field(default_factory=dict)
    inner: frozenset[str] = frozenset()
    #: Path -> the first path with the same storage.
    storage: dict[str, str] = dataclasses.field(default_factory=dict)
    #: Paths of inputs and state whose value the call changed, or that it brought there.
    changed: frozenset[str] = frozenset()
    #: Per storage of the inputs, the elements outside of every observed view that the call changed.
    spilled: dict[str, dict[int, float]] = dataclasses.field(default_factory=dict)
    surroundings: dict[str, Any] = dataclasses.field(default_factory=dict)
    random: dict[str, str] = dataclasses.field(default_factory=dict)
    drew_random: bool = False
    #: Leaf -> its gradient after the call's backward; None if there is none.
    gradients: dict[str, TensorFacts | None] = dataclasses.field(default_factory=dict)
    backward_error: ErrorFacts | None = None
    backward_ran: bool = False
    #: Outputs of the call before this one that this call changed: memory that was the caller's was used again.
    overwritten: frozenset[str] = frozenset()
    #: What a write to one tensor changed: path written -> paths that changed, or the error of the write.
    writes: dict[str, frozenset[str] | str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Observation:
    """All calls of one run."""

    calls: list[Call] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    #: In-place ops on aliasing outputs, each after a call of its own; see `InPlaceProbe`.
    in_place: dict[str, InPlaceProbe] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class InPlaceProbe:
    """What came of an in-place op, with autograd recording, on one output of a fresh call, and of backward after it."""

    error: ErrorFacts | None = None
    requires_grad: dict[str, bool] = dataclasses.field(default_factory=dict)
    backward_error: ErrorFacts | None = None
    gradients: dict[str, TensorFacts | None] = dataclasses.field(default_factory=dict)


def observe(
    program: Program,
    compile_program: Callable[[Callable[..., Any]], Callable[..., Any]],
    circumstances: Circumstances,
    *,
    upcast: bool = False,
    in_place_on: Sequence[str] = (),
    script: bool = True,
    only_call: int | None = None,
    after_call: Callable[[], None] = lambda: None,
) -> Observation:
    """Instantiate ``program``, compile it with ``compile_program`` and observe its calls, in order.

    ``in_place_on`` names outputs to write to, in place and recorded, each after one more call with the first call's
    inputs; without ``script`` nothing else runs. ``only_call`` makes that call alone. ``after_call`` runs after each
    call of the script. Errors of the program are part of the observation; errors of building inputs propagate.
    """
    seed_everything()
    surroundings = Surroundings.read()
    instance = program.instantiate(upcast=upcast)
    started = time.perf_counter()
    observation = Observation()
    stack = contextlib.ExitStack()
    try:
        # What eager warns of, compiled programs warn of while tracing, or not at all; it is not compared.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        run = compile_program(instance.function)
        calls = instance.calls if only_call is None else [instance.calls[only_call]]
        calls = calls if script else []
        earlier = _Outlived()
        for number, build in enumerate(calls):
            call, outputs = _observe_call(instance, run, build, circumstances, number, surroundings)
            call.overwritten = earlier.changed()
            earlier = _Outlived(outputs)
            observation.calls.append(call)
            after_call()
        for path in in_place_on:
            probe = _probe_in_place(instance, run, instance.calls[0], circumstances, path)
            surroundings.restore()
            if probe is not None:
                observation.in_place[path] = probe
    finally:
        stack.close()
        surroundings.restore()
    observation.seconds = time.perf_counter() - started
    return observation


def build_inputs(build: Callable[[], Inputs], circumstances: Circumstances) -> Inputs:
    """Build one call's inputs, seeded; inside inference mode where the call is."""
    seed_everything()
    if circumstances.mode == "inference":
        with torch.inference_mode():
            return build()
    return build()


def _observe_call(
    instance: Instance,
    run: Callable[..., Any],
    build: Callable[[], Inputs],
    circumstances: Circumstances,
    number: int,
    surroundings: Surroundings,
) -> tuple[Call, dict[str, torch.Tensor]]:
    """Make one call; returns what was observed, and the live outputs."""
    inputs = build_inputs(build, circumstances)
    before = walk(_roots(inputs, instance))
    _add_bases(before)
    leaves = _find_leaves(inputs, before)
    values = {path: _value(tensor) for path, tensor in before.tensors.items()}
    storages = _storage_snapshots(before.tensors)
    seed_everything()
    drawn_from = generator_states()
    call = Call()
    output: Any = None
    try:
        with circumstances.entered():
            output = run(*inputs.args, **inputs.kwargs)
            call.surroundings = Surroundings.read().flags
    except Exception as error:
        call.error = ErrorFacts.of(error)
    except SystemExit as error:
        call.error = ErrorFacts.of(error)
    finally:
        surroundings.restore()
    call.random = generator_states()
    call.drew_random = call.random != drawn_from
    if call.error is not None:
        return call, {}
    after = walk(_roots(inputs, instance))
    for path, tensor in before.tensors.items():
        # A base is in sight through the view that had it, also after the call has given that view another one.
        if path.endswith("._base") and path not in after.tensors and id(tensor) not in after._seen:
            walk({path: tensor}, after)
    walk({"out": output}, after)
    _describe(call, after)
    call.changed = frozenset(
        path
        for path, old in values.items()
        if old is not None and (facts := call.tensors.get(path)) is not None and not _identical(old, facts.value)
    ) | frozenset(path for path in after.tensors if path not in before.tensors and not path.startswith("out"))
    call.spilled = _spilled(after.tensors, storages)
    if circumstances.backward and circumstances.mode == "train":
        _backward(call, after, leaves, number, circumstances)
        surroundings.restore()
    if circumstances.probe:
        call.writes = _probe_writes(after)
    return call, {path: tensor for path, tensor in after.tensors.items() if path.startswith("out")}


class _Outlived:
    """The outputs of a call, kept until the next call has run."""

    def __init__(self, outputs: Mapping[str, torch.Tensor] | None = None) -> None:
        self._outputs = dict(outputs or {})
        self._values = {path: _value(tensor) for path, tensor in self._outputs.items()}

    def changed(self) -> frozenset[str]:
        """The outputs whose values are not what they were."""
        return frozenset(
            path
            for path, old in self._values.items()
            if old is not None and not _identical(old, _value(self._outputs[path]))
        )


def _roots(inputs: Inputs, instance: Instance) -> dict[str, object]:
    roots: dict[str, object] = {f"arg[{index}]": value for index, value in enumerate(inputs.args)}
    roots.update({f"arg[{name!r}]": value for name, value in inputs.kwargs.items()})
    roots.update(instance.state)
    return roots


def _add_bases(walked: Walked) -> None:
    """Bring the bases of views into sight: a write through a view of an argument shows there."""
    for path, tensor in list(walked.tensors.items()):
        if path in walked.inner or is_traceable_wrapper_subclass(tensor):
            continue
        base = None if tensor.is_inference() else tensor._base
        if base is not None and id(base) not in walked._seen:
            walk({f"{path}._base": base}, walked)


def _find_leaves(inputs: Inputs, walked: Walked) -> dict[str, torch.Tensor]:
    """The leaves that gradients arrive at: those named, those among the inputs and state, and those behind them."""
    leaves = dict(inputs.leaves)
    known = {id(tensor) for tensor in leaves.values()}
    for path, tensor in walked.tensors.items():
        if path in walked.inner or not tensor.requires_grad:
            continue
        found = [tensor] if tensor.is_leaf else list(_history(tensor))
        for position, leaf in enumerate(found):
            if id(leaf) not in known:
                known.add(id(leaf))
                leaves[path if leaf is tensor else f"leaf {position} of {path}"] = leaf
    return leaves


def _history(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    pending: list[Any] = [tensor.grad_fn]
    seen: set[Any] = set()
    while pending:
        node = pending.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = torch_internals.accumulated_variable(node)
        if variable is not None:
            yield variable
        pending.extend(parent for parent, _ in reversed(node.next_functions))


def _describe(call: Call, walked: Walked) -> None:
    call.entries = dict(walked.entries)
    call.inner = frozenset(walked.inner)
    paths = {id(tensor): path for path, tensor in walked.tensors.items()}
    first: dict[int, str] = {}
    for path, tensor in walked.tensors.items():
        call.tensors[path] = tensor_facts(tensor, paths, inner=path in walked.inner)
        key = torch_internals.storage_key(tensor)
        if key is not None:
            call.storage[path] = first.setdefault(key, path)


def tensor_facts(tensor: torch.Tensor, paths: Mapping[int, str] | None = None, *, inner: bool = False) -> TensorFacts:
    """Describe one tensor; ``paths`` (id -> path) names its base where that is in sight."""
    wrapper = is_traceable_wrapper_subclass(tensor)
    strided = tensor.layout == torch.strided
    base: str | None = None
    if not tensor.is_inference() and not inner and not wrapper and tensor._base is not None:
        base = (paths or {}).get(id(tensor._base), "<another>")
    storage_bytes: int | None = None
    if torch_internals.storage_key(tensor) is not None:
        storage_bytes = tensor.untyped_storage().nbytes()
    return TensorFacts(
        type=type_name(tensor),
        dtype=str(tensor.dtype).removeprefix("torch."),
        shape=tuple(int(size) for size in tensor.shape),
        device=str(tensor.device),
        strides=tuple(int(stride) for stride in tensor.stride()) if strided else None,
        offset=int(tensor.storage_offset()) if strided else None,
        layout=str(tensor.layout).removeprefix("torch."),
        requires_grad=False if inner else tensor.requires_grad,
        is_leaf=True if inner else tensor.is_leaf,
        inference=tensor.is_inference(),
        base=base,
        storage_bytes=storage_bytes,
        value=_value(tensor),
    )


def _value(tensor: torch.Tensor) -> torch.Tensor | None:
    """A dense snapshot on the CPU; None for wrapper subclasses, whose inner tensors are walked."""
    if is_traceable_wrapper_subclass(tensor):
        return None
    # Inference tensors cannot leave inference mode's rules behind except by a copy made inside it.
    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        try:
            if storage_too_small(tensor):
                return None
            plain = tensor.detach()
            if plain.layout != torch.strided:
                plain = plain.to_dense()
            copied = plain.resolve_conj().resolve_neg().cpu().clone(memory_format=torch.contiguous_format)
        except (RuntimeError, NotImplementedError):
            return None
    return _without_class(copied)


def storage_too_small(tensor: torch.Tensor) -> bool:
    """Whether the storage was resized under the tensor, so that reading it would be out of bounds."""
    if tensor.layout != torch.strided or not tensor.numel() or torch_internals.storage_key(tensor) is None:
        return False
    last = tensor.storage_offset() + sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    return (last + 1) * tensor.element_size() > tensor.untyped_storage().nbytes()


def _without_class(tensor: torch.Tensor) -> torch.Tensor:
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(torch.Tensor) if type(tensor) is not torch.Tensor else tensor


def _identical(old: torch.Tensor, new: torch.Tensor | None) -> bool:
    """Equal to the last bit, NaNs included; both are contiguous snapshots."""
    if new is None or old.dtype != new.dtype or old.shape != new.shape:
        return False
    with torch.inference_mode():
        return torch.equal(old.reshape(-1).view(torch.uint8), new.reshape(-1).view(torch.uint8))


def _flat(tensor: torch.Tensor) -> torch.Tensor | None:
    """The whole storage as a flat CPU copy in the tensor's dtype."""
    if torch_internals.storage_key(tensor) is None or tensor.untyped_storage().nbytes() > MAX_STORAGE_BYTES:
        return None
    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        flat.set_(tensor.untyped_storage())
        return flat.cpu().clone()


def _storage_snapshots(tensors: Mapping[str, torch.Tensor]) -> dict[int, torch.Tensor]:
    snapshots: dict[int, torch.Tensor] = {}
    for tensor in tensors.values():
        key = torch_internals.storage_key(tensor)
        if key is not None and key not in snapshots and (flat := _flat(tensor)) is not None:
            snapshots[key] = flat
    return snapshots


def _spilled(tensors: Mapping[str, torch.Tensor], before: Mapping[int, torch.Tensor]) -> dict[str, dict[int, float]]:
    """Elements of the inputs' storages that changed and that no observed tensor covers, by storage and position."""
    spilled: dict[str, dict[int, float]] = {}
    for key, old in before.items():
        members = [(p, t) for p, t in tensors.items() if torch_internals.storage_key(t) == key and t.dtype == old.dtype]
        if not members:
            continue
        new = _flat(members[0][1])
        if new is None or new.shape != old.shape or not new.numel():
            continue
        covered = torch.zeros(new.shape, dtype=torch.bool)
        for _, tensor in members:
            if not storage_too_small(tensor):
                covered.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).fill_(True)
        same = (new == old) | (new.isnan() & old.isnan())
        places = (~covered & ~same).nonzero().flatten().tolist()
        if places:
            spilled[members[0][0]] = {int(place): _number(new[place]) for place in places[:64]}
    return spilled


def _number(scalar: torch.Tensor) -> float:
    return float(abs(scalar)) if scalar.dtype.is_complex else float(scalar)


# Backward ------------------------------------------------------------------------------------------------------------


def _differentiable_roots(walked: Walked) -> dict[str, torch.Tensor]:
    """What a caller could call backward on: outputs and (mutated) inputs that have a history."""
    return {
        path: tensor
        for path, tensor in walked.tensors.items()
        if path not in walked.inner and not path.endswith("._base") and tensor.requires_grad and not tensor.is_leaf
    }


def _cotangent(path: str, tensor: torch.Tensor, summed: bool) -> torch.Tensor:
    """A deterministic cotangent for one root: distinct random weights, or what ``sum().backward()`` would hand it."""
    if is_traceable_wrapper_subclass(tensor):
        names, context = tensor.__tensor_flatten__()
        parts = {name: _cotangent(f"{path}.{name}", getattr(tensor, name), False) for name in names}
        return type(tensor).__tensor_unflatten__(parts, context, tensor.shape, tensor.stride())
    if summed:
        return torch.ones((), dtype=tensor.dtype, device=tensor.device).expand(tensor.shape)
    generator = torch.Generator().manual_seed(zlib.crc32(path.encode()))
    weights = torch.randn(tensor.shape, generator=generator).to(device=tensor.device, dtype=tensor.dtype)
    if tensor.dtype.is_complex:
        weights = weights * (1 + 1j)
    return weights


def _run_backward(roots: Mapping[str, torch.Tensor], summed: bool, twice: bool) -> ErrorFacts | None:
    cotangents = [_cotangent(path, tensor, summed) for path, tensor in roots.items()]
    try:
        torch.autograd.backward(list(roots.values()), cotangents, retain_graph=twice)
        if twice:
            torch.autograd.backward(list(roots.values()), cotangents)
    except Exception as error:
        return ErrorFacts.of(error)
    return None


def _backward(
    call: Call, walked: Walked, leaves: Mapping[str, torch.Tensor], number: int, circumstances: Circumstances
) -> None:
    roots = _differentiable_roots(walked)
    if roots:
        call.backward_ran = True
        call.backward_error = _run_backward(roots, number % 2 == 1, circumstances.backward_twice)
    for name, leaf in leaves.items():
        call.gradients[name] = None if leaf.grad is None else tensor_facts(leaf.grad)
    call.random = {**call.random, **{f"{name} after backward": state for name, state in generator_states().items()}}


# Probes --------------------------------------------------------------------------------------------------------------


def _probe_writes(walked: Walked) -> dict[str, frozenset[str] | str]:
    """Write to each tensor in turn and see which others change: aliasing as the caller meets it."""
    seen = {path: _value(tensor) for path, tensor in walked.tensors.items()}
    seen = {path: value for path, value in seen.items() if value is not None}
    targets = [path for path in walked.tensors if path in seen and seen[path].numel()]  # type: ignore[union-attr]
    # Outputs first: if there are too many tensors, a shared output is what a caller trips over.
    targets.sort(key=lambda path: not path.startswith("out"))
    # Fresh outputs keep what is written: a compiled program that hands out one constant on every call shows by it.
    lasting = {path: tensor for path, tensor in walked.tensors.items() if not path.startswith("out")}
    kept = _storage_snapshots(lasting)
    effects: dict[str, frozenset[str] | str] = {}
    for target in targets[:MAX_PROBES]:
        error = _write(walked.tensors[target])
        changed = set()
        for path, old in list(seen.items()):
            new = _value(walked.tensors[path])
            if old is not None and not _identical(old, new):
                changed.add(path)
                seen[path] = new
        effects[target] = error or frozenset(changed)
    _restore_storages(lasting, kept)
    return effects


def _restore_storages(tensors: Mapping[str, torch.Tensor], kept: Mapping[int, torch.Tensor]) -> None:
    """Put back what probing wrote: a module's parameters and a program's globals live on into the next call."""
    for tensor in tensors.values():
        old = kept.get(torch_internals.storage_key(tensor) or 0)
        if old is None or old.dtype != tensor.dtype:
            continue
        with torch.inference_mode():
            flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
            flat.set_(tensor.untyped_storage())
            flat.copy_(old)


def _write(tensor: torch.Tensor) -> str | None:
    try:
        with torch.inference_mode():
            plain = tensor.detach()
            if plain.dtype == torch.bool:
                plain.logical_not_()
            elif plain.dtype.is_floating_point or plain.dtype.is_complex:
                # A NaN, an infinity or a large number would hide the write; every element must change.
                plain.copy_(torch.where(plain == 1, torch.full_like(plain, 2), torch.full_like(plain, 1)))
            else:
                plain.bitwise_xor_(1)
    except RuntimeError as error:
        return type(error).__name__
    return None


def _probe_in_place(
    instance: Instance, run: Callable[..., Any], build: Callable[[], Inputs], circumstances: Circumstances, path: str
) -> InPlaceProbe | None:
    inputs = build_inputs(build, circumstances)
    walked = walk(_roots(inputs, instance))
    leaves = _find_leaves(inputs, walked)
    seed_everything()
    try:
        with circumstances.entered():
            output = run(*inputs.args, **inputs.kwargs)
    except Exception:
        return None
    walk({"out": output}, walked)
    target = walked.tensors.get(path)
    if target is None:
        return None
    probe = InPlaceProbe()
    try:
        target.mul_(2)
    except Exception as error:
        probe.error = ErrorFacts.of(error)
        return probe
    probe.requires_grad = {name: tensor.requires_grad for name, tensor in walked.tensors.items()}
    try:
        roots = _differentiable_roots(walked)
    except RuntimeError as error:
        # A view whose base was written to regenerates its history when it is asked for, and may refuse.
        probe.backward_error = ErrorFacts.of(error)
        return probe
    if roots:
        probe.backward_error = _run_backward(roots, False, False)
        probe.gradients = {
            name: None if leaf.grad is None else tensor_facts(leaf.grad) for name, leaf in leaves.items()
        }
    return probe
