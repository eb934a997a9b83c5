"""Run a program once and write down everything that its caller can see, as plain data.

An observation holds no live object of the run: tensors are snapshots on the CPU, identity and aliasing are relations
between paths. It can be compared, kept and sent between processes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import torch

from suites.harness import torch_internals
from suites.harness.observation.facts import (
    ErrorFacts,
    Spill,
    TensorFacts,
    another,
    not_searched,
    snapshot,
    spilled,
    storage_snapshots,
    tensor_facts,
)
from suites.harness.observation.global_state import GlobalState, draw_once, generator_states, seed_everything
from suites.harness.observation.gradients import cotangents_for, differentiable_roots, find_leaves, run_backward
from suites.harness.observation.interrupts import Stopped, interrupts_stop
from suites.harness.observation.probes import probe_writes
from suites.harness.observation.walk import BEFORE, Entry, Walked, walk
from suites.harness.torch_internals import is_traceable_wrapper_subclass

#: How the names of what backward leaves end.
AFTER_BACKWARD = " after backward"


@dataclasses.dataclass
class Inputs:
    """What one call is given, and the leaves that gradients will arrive at."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)
    leaves: dict[str, torch.Tensor] = dataclasses.field(default_factory=dict)
    #: What holds while the call is made, and not while its inputs are built or looked at.
    during: contextlib.AbstractContextManager[Any] = dataclasses.field(default_factory=contextlib.nullcontext)


@dataclasses.dataclass
class Instance:
    """A program ready for one run: its function, the state that it reaches, and a builder of inputs for each call."""

    function: Callable[..., Any]
    calls: Sequence[Callable[[], Inputs]]
    #: Roots of state besides the arguments: the module, closures, globals; path -> value. Asked anew whenever it is
    #: looked at: a call may bind a name to another object, make one or delete one.
    state: Callable[[], Mapping[str, object]] = dict


class Program(Protocol):
    """The function under test with the builders of its inputs, made afresh for every run."""

    def instantiate(self, *, upcast: bool = False) -> Instance:
        """A fresh instance; with ``upcast``, every floating-point input and parameter in double precision."""
        ...


@dataclasses.dataclass(frozen=True)
class CallOptions:
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
    spilled: dict[str, Spill] = dataclasses.field(default_factory=dict)
    global_state: dict[str, Any] = dataclasses.field(default_factory=dict)
    random: dict[str, str] = dataclasses.field(default_factory=dict)
    drew_random: bool = False
    #: Leaf -> its gradient after the call's backward; None if there is none.
    gradients: dict[str, TensorFacts | None] = dataclasses.field(default_factory=dict)
    backward_error: ErrorFacts | None = None
    backward_ran: bool = False
    #: The global state that backward leaves; empty where it did not run.
    state_after_backward: dict[str, Any] = dataclasses.field(default_factory=dict)
    #: What backward itself changed of inputs, state and the cotangents that it was handed, or brought there (None:
    #: what it took away). Gradients are elsewhere. Paths end in ``after backward``.
    after_backward: dict[str, TensorFacts | Entry | None] = dataclasses.field(default_factory=dict)
    #: Outputs of the call before this one that this call changed: memory that was the caller's was used again.
    overwritten: frozenset[str] = frozenset()
    #: What was not looked at, one line each.
    cut: tuple[str, ...] = ()
    #: What a write to one tensor changed: path written -> paths that changed, or the error of the write.
    writes: dict[str, frozenset[str] | str] = dataclasses.field(default_factory=dict)

    def without_backward(self) -> Call:
        """The call as it was before its backward, and before what was probed after that."""
        return dataclasses.replace(
            self,
            random={name: state for name, state in self.random.items() if not name.endswith(AFTER_BACKWARD)},
            gradients={},
            backward_error=None,
            backward_ran=False,
            state_after_backward={},
            after_backward={},
            writes={},
        )


@dataclasses.dataclass
class Observation:
    """All calls of one run."""

    calls: list[Call] = dataclasses.field(default_factory=list)
    #: Global state and generators once the program is compiled, before its first call. torch.compile compiles in the
    #: first call; what does so before shows here.
    compiled_state: dict[str, Any] = dataclasses.field(default_factory=dict)
    compiled_random: dict[str, str] = dataclasses.field(default_factory=dict)
    seconds: float = 0.0
    #: In-place ops on aliasing outputs, each after a call of its own; see `InPlaceProbe`.
    in_place: dict[str, InPlaceProbe] = dataclasses.field(default_factory=dict)
    #: A call left the GPU in a state in which this process can make no other.
    lost_its_device: bool = False


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
    call_options: CallOptions,
    *,
    upcast: bool = False,
    in_place_on: Sequence[str] = (),
    only_call: int | None = None,
    after_call: Callable[[], None] = lambda: None,
) -> Observation:
    """Instantiate ``program``, compile it with ``compile_program`` and observe its calls, in order.

    ``in_place_on`` names outputs to write to, in place and recorded, each after one more call with the first call's
    inputs. ``only_call`` makes that call alone. ``after_call`` runs after each
    call of the script. Errors of the program are part of the observation; errors of building inputs propagate.
    """
    seed_everything()
    global_state = GlobalState.read()
    instance = program.instantiate(upcast=upcast)
    started = time.perf_counter()
    observation = Observation()
    stack = contextlib.ExitStack()
    try:
        # What eager warns of, compiled programs warn of while tracing, or not at all; it is not compared.
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(interrupts_stop())
        run = _compiled(compile_program, instance, observation)
        global_state.restore()
        calls = instance.calls if only_call is None else [instance.calls[only_call]]
        earlier = _Outlived()
        for number, build in enumerate(calls):
            call, outputs = _observe_call(instance, run, build, call_options, number, global_state, earlier)
            earlier = _Outlived(outputs)
            observation.calls.append(call)
            after_call()
            if (call.error or call.backward_error) and not torch_internals.device_works():
                observation.lost_its_device = True
                break
        for path in () if observation.lost_its_device else in_place_on:
            probe = _probe_in_place(instance, run, instance.calls[0], call_options, path)
            global_state.restore()
            if probe is not None:
                observation.in_place[path] = probe
    finally:
        stack.close()
        global_state.restore()
    observation.seconds = time.perf_counter() - started
    return observation


def _compiled(
    compile_program: Callable[[Callable[..., Any]], Callable[..., Any]], instance: Instance, observation: Observation
) -> Callable[..., Any]:
    """Compile the program and note what that leaves behind. Who exits or interrupts meanwhile does so in each call."""
    # What the first instance of a program draws, others may find drawn. And a generator that is seeded with what it was
    # seeded with shows only where it has been drawn from since.
    seed_everything()
    draw_once(torch_too=True)
    try:
        return compile_program(instance.function)
    except Stopped:
        raise
    except (KeyboardInterrupt, SystemExit) as error:
        return functools.partial(_raise, error)
    finally:
        observation.compiled_state, observation.compiled_random = GlobalState.read().flags, generator_states()


def _raise(error: BaseException, *args: Any, **kwargs: Any) -> Any:
    raise error


def build_inputs(build: Callable[[], Inputs], call_options: CallOptions) -> Inputs:
    """Build one call's inputs, seeded; inside inference mode where the call is."""
    seed_everything()
    if call_options.mode == "inference":
        with torch.inference_mode():
            return build()
    return build()


def _observe_call(
    instance: Instance,
    run: Callable[..., Any],
    build: Callable[[], Inputs],
    call_options: CallOptions,
    number: int,
    global_state: GlobalState,
    earlier: _Outlived,
) -> tuple[Call, dict[str, torch.Tensor]]:
    """Make one call; returns what was observed, and the live outputs."""
    inputs = build_inputs(build, call_options)
    with torch_internals.without_torch_function():
        before = _Before.look(inputs, instance)
    seed_everything()
    draw_once()
    drawn_from = generator_states()
    call = Call()
    output: Any = None
    try:
        with call_options.entered(), inputs.during:
            try:
                output = run(*inputs.args, **inputs.kwargs)
                torch_internals.wait_for_device()  # An error of a kernel is an error of the call that launched it.
            finally:
                call.global_state = GlobalState.read().flags
    except Stopped:
        raise
    except BaseException as error:
        call.error = ErrorFacts.of(error)
    finally:
        global_state.restore()
    call.random = generator_states()
    call.drew_random = call.random != drawn_from
    with torch_internals.without_torch_function():
        call.overwritten = earlier.changed()
        if call.error is not None:
            return call, {}
        after = _look_after(call, before, walk(_roots(inputs, instance)), output)
        if call_options.backward and call_options.mode == "train":
            _backward(call, after, before.leaves, number, call_options, lambda: _roots(inputs, instance))
            global_state.restore()
        if call_options.probe:
            call.writes, left_out = probe_writes(after)
            call.cut += left_out
    return call, {path: tensor for path, tensor in after.tensors.items() if path.startswith("out")}


@dataclasses.dataclass(frozen=True)
class _Before:
    """What a call's inputs and state are before it."""

    walked: Walked
    leaves: dict[str, torch.Tensor]
    values: dict[str, torch.Tensor | None]
    storages: dict[int, torch.Tensor]

    @classmethod
    def look(cls, inputs: Inputs, instance: Instance) -> _Before:
        walked = walk(_roots(inputs, instance))
        _add_bases(walked)
        values = {path: snapshot(tensor) for path, tensor in walked.tensors.items()}
        return cls(walked, find_leaves(inputs.leaves, walked), values, storage_snapshots(walked.tensors))


def _look_after(call: Call, before: _Before, after: Walked, output: object) -> Walked:
    """Describe inputs, state and output after the call; returns everything that was walked.

    ``after`` is the walk of inputs and state.
    """
    gone = {path: tensor for path, tensor in before.walked.tensors.items() if id(tensor) not in after._seen}
    for path, tensor in gone.items():
        # A base is in sight through the view that had it, also after the call has given that view another one.
        if path.endswith("._base") and path not in after.tensors and id(tensor) not in after._seen:
            walk({path: tensor}, after)
    walk({"out": output}, after)
    for path, tensor in gone.items():
        # What the call took from its place the caller may still hold: but not what is made when a walk asks for it.
        made = path in before.walked.inner or path.endswith((".get_state()", "._base"))
        if not made and BEFORE not in after._seen.get(id(tensor), ""):
            walk({f"{path}{BEFORE}": tensor}, after)
    _describe(call, after)
    call.changed = frozenset(
        path
        for path, facts in call.tensors.items()
        if not path.startswith("out")
        and ((was := path.replace(BEFORE, "")) not in before.values or another(before.values[was], facts.value))
    )
    call.spilled = spilled(after.tensors, before.storages)
    call.cut = (*after.cut, *not_searched(after.tensors))
    return after


class _Outlived:
    """The outputs of a call, kept until the next call has run."""

    def __init__(self, outputs: Mapping[str, torch.Tensor] | None = None) -> None:
        self._outputs = dict(outputs or {})
        self._values = {path: snapshot(tensor) for path, tensor in self._outputs.items()}

    def changed(self) -> frozenset[str]:
        """The outputs whose values are not what they were."""
        return frozenset(path for path, old in self._values.items() if another(old, snapshot(self._outputs[path])))


def _roots(inputs: Inputs, instance: Instance) -> dict[str, object]:
    roots: dict[str, object] = {f"arg[{index}]": value for index, value in enumerate(inputs.args)}
    roots.update({f"arg[{name!r}]": value for name, value in inputs.kwargs.items()})
    roots.update(instance.state())
    return roots


def _add_bases(walked: Walked) -> None:
    """Bring the bases of views into sight: a write through a view of an argument shows there."""
    for path, tensor in list(walked.tensors.items()):
        if path in walked.inner or is_traceable_wrapper_subclass(tensor):
            continue
        base = None if tensor.is_inference() else torch_internals.view_base(tensor)
        if base is not None and id(base) not in walked._seen:
            walk({f"{path}._base": base}, walked)


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


def _backward(
    call: Call,
    walked: Walked,
    leaves: Mapping[str, torch.Tensor],
    number: int,
    call_options: CallOptions,
    look: Callable[[], Mapping[str, object]],
) -> None:
    roots = differentiable_roots(walked)
    if roots:
        cotangents = cotangents_for(roots, number % 2 == 1)
        handed = {path: snapshot(tensor) for path, tensor in cotangents.items()}
        call.backward_ran = True
        call.backward_error = run_backward(roots, cotangents, call_options.backward_twice)
        call.state_after_backward = GlobalState.read().flags
        call.after_backward = dict(_changed_by_backward(call, walk(look())))
        for path, tensor in cotangents.items():
            if another(handed[path], snapshot(tensor)):
                call.after_backward[f"cotangent of {path}{AFTER_BACKWARD}"] = tensor_facts(tensor)
    call.gradients = _gradients_of(leaves)
    call.random = {**call.random, **{f"{name}{AFTER_BACKWARD}": state for name, state in generator_states().items()}}


def _gradients_of(leaves: Mapping[str, torch.Tensor]) -> dict[str, TensorFacts | None]:
    """Each leaf's gradient, in the order of the leaves; after all of them, by path, what a wrapper subclass holds."""
    found = {name: None if leaf.grad is None else tensor_facts(leaf.grad) for name, leaf in leaves.items()}
    for name, leaf in leaves.items():
        if leaf.grad is not None and is_traceable_wrapper_subclass(leaf.grad):
            held = walk({name: leaf.grad}).tensors
            found.update({path: tensor_facts(part, inner=True) for path, part in held.items() if path != name})
    return found


def _changed_by_backward(call: Call, walked: Walked) -> Iterator[tuple[str, TensorFacts | Entry | None]]:
    """What backward left otherwise than the call had left it, gradients apart."""
    for path in {**{path: None for path in call.entries if not path.startswith("out")}, **walked.entries}:
        entry = walked.entries.get(path)
        if path.endswith((".grad", "._base")) or ".grad." in path or BEFORE in path:
            continue
        if entry is not None and entry.kind == "tensor":
            before, now = call.tensors.get(path), tensor_facts(walked.tensors[path])
            resized = before is not None and before.storage_bytes != now.storage_bytes
            if before is None or resized or another(before.value, now.value):
                yield f"{path}{AFTER_BACKWARD}", now
        elif entry != call.entries.get(path):
            yield f"{path}{AFTER_BACKWARD}", entry


def _probe_in_place(
    instance: Instance, run: Callable[..., Any], build: Callable[[], Inputs], call_options: CallOptions, path: str
) -> InPlaceProbe | None:
    inputs = build_inputs(build, call_options)
    walked = walk(_roots(inputs, instance))
    leaves = find_leaves(inputs.leaves, walked)
    seed_everything()
    try:
        with call_options.entered(), inputs.during:
            output = run(*inputs.args, **inputs.kwargs)
    except Stopped:
        raise
    except BaseException:
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
        roots = differentiable_roots(walked)
    except RuntimeError as error:
        # A view whose base was written to regenerates its history when it is asked for, and may refuse.
        probe.backward_error = ErrorFacts.of(error)
        return probe
    if roots:
        probe.backward_error = run_backward(roots, cotangents_for(roots, False), False)
        probe.gradients = _gradients_of(leaves)
    return probe
