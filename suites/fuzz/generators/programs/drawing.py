"""From decisions to a whole program: its inputs, its statements, what it returns, and with what it is called again."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch

from suites.harness.observation.gradients import cotangents_for, differentiable_roots, run_backward
from suites.harness.observation.walk import Walked, walk
from suites.harness.oracle.definedness import HazardMode

from ..choices import Choices
from .helpers import PREAMBLE
from .inputs import Argument, builder, draw_arguments, parameters, values_in_a_row, vary
from .scope import Rejected, Scope, Statement, is_bounded, tensors_in
from .statements import arithmetic, autograd, fresh, indexing, products, python, reductions, state, views, writes
from .text import file_text

Family = Callable[[Scope], tuple[str, ...]]

#: What a statement can be, with how often it is tried.
FAMILIES: Mapping[str, tuple[Family, int]] = {
    "view": (views.view, 13),
    "parts": (views.parts, 4),
    "chain": (views.chain, 3),
    "layout": (views.layout, 7),
    "shared memory": (views.shared_memory, 4),
    "in place": (writes.in_place, 13),
    "self reference": (writes.self_reference, 4),
    "saved then written": (writes.saved_then_written, 3),
    "swap": (writes.swap, 2),
    "assignment": (indexing.assignment, 8),
    "out argument": (writes.out_argument, 3),
    "metadata": (writes.metadata, 2),
    "foreach": (writes.foreach, 3),
    "hidden write": (autograd.hidden_write, 4),
    "pointwise": (arithmetic.pointwise, 9),
    "integers": (arithmetic.integers, 7),
    "truths": (arithmetic.truths, 4),
    "complex numbers": (arithmetic.complexes, 4),
    "cast": (arithmetic.cast, 5),
    "reduction": (reductions.reduction, 5),
    "scan": (reductions.scan, 3),
    "order": (reductions.order, 3),
    "statistics": (reductions.statistics, 2),
    "loss": (reductions.loss, 2),
    "gather": (indexing.gather, 4),
    "put": (indexing.put, 4),
    "products": (products.products, 5),
    "two products": (products.two_products, 3),
    "attention": (products.attention, 3),
    "embedding": (products.embedding, 3),
    "constants": (fresh.constants, 3),
    "random numbers": (fresh.random_numbers, 4),
    "loop": (python.loop, 2),
    "containers": (python.containers, 3),
    "closure": (python.closure, 2),
    "generator": (python.generator, 3),
    "local class": (python.local_class, 3),
    "identity": (python.identity, 1),
    "branch": (python.branch, 2),
    "sizes": (python.sizes, 3),
    "argument": (python.argument, 6),
    "state": (state.state, 3),
    "module": (state.module, 4),
    "function": (autograd.function, 4),
    "grad mode": (autograd.grad_mode, 4),
    "autocast": (autograd.autocast, 2),
    "gradient inside": (autograd.gradient_inside, 4),
}

#: Families that only some inputs allow, by what an input is then.
_RARE: Mapping[str, Callable[[Any], bool]] = {
    "argument": lambda value: not isinstance(value, torch.Tensor),
    "attention": lambda value: isinstance(value, torch.Tensor) and value.dim() == 4,
    "truths": lambda value: isinstance(value, torch.Tensor) and value.dtype == torch.bool,
    "complex numbers": lambda value: isinstance(value, torch.Tensor) and value.dtype.is_complex,
}

#: Families that are more often where sizes are symbolic.
_OF_SIZES = ("sizes", "chain")

#: What a program's text shows of itself, by the name of the feature.
SHOWN: Mapping[str, str] = {
    "train": r"^TRAIN",
    "dynamic": r"^DYNAMIC",
    "leaf": r"requires_grad=True",
    "history": r"made\[",
    "several calls": r"^calls = ",
    "another grad mode": r"torch\.no_grad\)",
    "another default dtype": r"double_by_default\)",
    "python argument": r"^def program\(.*\bn\)",
    "views of one base": r"^    base = |made\['base'\]",
    "integers": r"torch\.randint\(",
    "booleans": r"dtype=torch\.bool\)",
    "complex": r"dtype=torch\.complex64",
    "low precision": r"dtype=torch\.b?float16",
    "double precision": r"dtype=torch\.float64",
    "channels_last": r"channels_last",
    "no elements": r"randn\((0|\d+, 0|0, \d+)\b",
    "over a thousand elements": r"randn\((4097|102\d|17, 64|33, 40|2, 513|1, 8, 18)",
    "global state": r"\b(memory|buffer|row|log|chance)\b",
    "object as an argument": r"\b(other_)?hold(er|ing)\b",
    "module in training": r"\b(running|latest|norm\d+|norm2d\d+|stack\d+)\(",
    "module in evaluation": r"\b(settled|fixed\d+)\(",
    "containers returned": r"^    return [\[{]",
}
#: The others: of a call that is not like the first one.
VARIED = (
    *("another size", "another layout", "another dtype", "another role", "another alias pattern", "memory apart"),
    *("another value", "values in a row", "same again"),
)
#: Most statements of a program, and how often one is drawn anew that does not fit.
MOST_STATEMENTS, TRIES = 8, 4


@dataclasses.dataclass(frozen=True)
class Drawn:
    """A program as the text of a file for ``parity check``, and what it is made of."""

    text: str
    families: tuple[str, ...]
    features: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class _Call:
    """One call: its arguments, the name of what it is made within, and what is other than in the first call."""

    arguments: tuple[Argument, ...]
    context: str = ""
    feature: str = ""


@dataclasses.dataclass(frozen=True)
class _Body:
    """All of a program but its calls."""

    statements: tuple[Statement, ...]
    returned: tuple[str, ...]
    definitions: Mapping[str, str]
    train: bool
    dynamic: bool

    def text(self, calls: Sequence[_Call]) -> str:
        lines = [line for statement in self.statements for line in statement.lines]
        return file_text(
            parameters(calls[0].arguments),
            [*lines, *([f"return {', '.join(self.returned)}"] if self.returned else [])],
            [builder(call.arguments) for call in calls],
            [call.context for call in calls],
            self.definitions,
            train=self.train,
            dynamic=self.dynamic,
        )


def draw_program(choices: Choices, weights: Mapping[str, int] | None = None) -> Drawn:
    """A program that eager runs. ``weights`` are families' own, by name, in place of those of `FAMILIES`.

    Raises `Rejected` where nothing that was drawn could be run.
    """
    given = weights or {name: weight for name, (_, weight) in FAMILIES.items()}
    for _ in range(TRIES):
        drawn = _attempt(choices, given)
        if drawn is not None:
            return drawn
    raise Rejected("no program fits")


def _attempt(choices: Choices, weights: Mapping[str, int]) -> Drawn | None:
    train = choices.chance(55)
    dynamic = choices.chance(15)
    first = _Call(draw_arguments(choices, train))
    try:
        scope = _scope(choices, first.arguments, train)
    except Rejected:
        return None
    _draw_statements(scope, choices, weights, dynamic)
    names = parameters(first.arguments)
    body = _Body(tuple(scope.statements), tuple(_draw_outputs(scope, names)), dict(scope.definitions), train, dynamic)
    if not scope.statements or not is_sound(body.text([first, first])):
        return None
    calls = [first]
    for other in _others(choices, first):
        if other not in calls and is_sound(body.text([*calls, other])):
            calls.append(other)
    calls = calls if len(calls) > 1 else [first, first]
    text = body.text(calls)
    if not is_sound(text, looked=False):
        return None
    features = {name for name, pattern in SHOWN.items() if re.search(pattern, text, re.M)}
    features |= {call.feature for call in calls} - {""} | set(_of_inputs(first.arguments))
    return Drawn(text, tuple(statement.family for statement in scope.statements), tuple(sorted(features)))


def _scope(choices: Choices, arguments: Sequence[Argument], train: bool) -> Scope:
    """A scope with the arguments in it. Raises `Rejected` where they cannot be made."""
    scope = Scope(choices, train)
    exec("\n".join(PREAMBLE), scope.globals)
    torch.default_generator.manual_seed(0)
    scope.globals["made"] = {}
    made: dict[str, object] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(line for argument in arguments for line in argument.lines()), scope.globals, made)
    except (RuntimeError, IndexError) as error:
        raise Rejected(str(error)) from None
    scope.names.update({name: made[name] for name in parameters(arguments)})
    return scope


def lottery_of(weights: Mapping[str, int], values: Collection[Any], *, dynamic: bool) -> list[str]:
    """The families that a statement is drawn from, each as often as it weighs, where a program has these values.

    A campaign's programs depend on the order as well.
    """
    lottery = [name for name, weight in weights.items() for _ in range(weight)]
    # What few programs have is used where it is there.
    for name, wanted in _RARE.items():
        if any(map(wanted, values)):
            lottery += [name] * (4 * weights.get(name, 0))
    return lottery + [name for name in _OF_SIZES * (4 * dynamic) for _ in range(weights.get(name, 0))]


def _draw_statements(scope: Scope, choices: Choices, weights: Mapping[str, int], dynamic: bool) -> None:
    lottery = lottery_of(weights, scope.names.values(), dynamic=dynamic)
    for _ in range(choices.integer(1, MOST_STATEMENTS)):
        for _ in range(TRIES):
            family = choices.one_of(lottery)
            try:
                scope.add(family, *FAMILIES[family][0](scope))
            except Rejected:
                continue
            break


def _draw_outputs(scope: Scope, inputs: Sequence[str]) -> list[str]:
    """What the program returns: the newest values more likely, now and then an input or one value twice."""
    made = [
        name
        for name, value in reversed(scope.names.items())
        if name not in inputs and re.fullmatch(r"t\d+", name) and not callable(value)
    ]
    returned = made[:1] + [name for name in made[1:] if scope.choices.chance(45)][:3]
    returned += [name for name in inputs if name in scope.names and scope.choices.chance(10)]
    if returned and scope.choices.chance(5):
        returned.append(returned[0])
    if len(returned) > 1 and scope.choices.chance(10):
        return [scope.choices.one_of(["[{}]", "{{'a': {}, 'b': [{}]}}"]).format(", ".join(returned[1:]), returned[0])]
    return returned


def _of_inputs(arguments: Sequence[Argument]) -> list[str]:
    aliases = {argument.alias for argument in arguments} - {""}
    names = {argument.name for argument in arguments}
    found = ["same tensor twice"] if aliases & names else []
    found += ["shared memory"] if any("base" not in names and alias not in names for alias in aliases) else []
    return found + [f"{argument.layout} input" for argument in arguments if argument.layout]


def _others(choices: Choices, first: _Call) -> list[_Call]:
    """What the program is called with after the first call, if eager takes it."""
    row = values_in_a_row(first.arguments)
    if row and choices.chance(40):
        return [_Call(arguments, "", "values in a row") for arguments in row]
    varied = [_vary(choices, first) for _ in range(choices.integer(0, 3))]
    return [call for call in varied if call is not None]


def _vary(choices: Choices, first: _Call) -> _Call | None:
    kind = choices.integer(0, 9)
    if kind == 0:
        return _Call(first.arguments, "torch.no_grad", "another grad mode")
    if kind == 1:
        return _Call(first.arguments, "double_by_default", "another default dtype")
    if kind == 2:
        return dataclasses.replace(first, feature="same again")
    arguments, feature = vary(choices, first.arguments)
    return _Call(arguments, "", feature) if feature else None


def is_sound(text: str, *, looked: bool = True) -> bool:
    """Whether eager runs each call of a program, and backward, to numbers that are finite and not too large.

    ``looked``: with nothing undefined either. What looks for that has some operators take other ways, so that what
    autograd makes of them is seen without it.
    """
    namespace: dict[str, Any] = {}
    default = torch.get_default_dtype()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.default_generator.manual_seed(0)
            exec(text, namespace)
            for call in namespace.get("calls", [namespace["inputs"]] * 2):
                build, *contexts = call if isinstance(call, tuple) else (call,)
                hazards = HazardMode() if looked else None
                walked = _call(namespace, build, [*contexts, *([lambda mode=hazards: mode] if looked else [])])
                if hazards is not None and (hazards.hazards or hazards.ties):
                    return False
                if not _is_bounded_with_gradients(namespace, walked):
                    return False
        return True
    except Exception:
        return False
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(default)


def _call(namespace: dict[str, Any], build: Any, contexts: Sequence[Any]) -> Walked:
    """Make a call within contexts; everything that its caller can see afterwards."""
    torch.default_generator.manual_seed(0)
    args = build()
    torch.default_generator.manual_seed(0)
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context())
        result = namespace["program"](*args)
    return walk({"out": result, **{f"arg[{number}]": arg for number, arg in enumerate(args)}})


def _is_bounded_with_gradients(namespace: dict[str, Any], walked: Walked) -> bool:
    if not all(map(is_bounded, walked.tensors.values())):
        return False
    if not namespace.get("TRAIN"):
        return True
    roots = differentiable_roots(walked)
    error = run_backward(roots, cotangents_for(roots, False), False) if roots else None
    leaves = [*tensors_in([namespace.get("made", {})]), *walked.tensors.values()]
    return error is None and all(leaf.grad is None or is_bounded(leaf.grad) for leaf in leaves if leaf.is_leaf)


__all__ = ["FAMILIES", "SHOWN", "VARIED", "Drawn", "Statement", "draw_program", "is_sound"]
