"""What a program is called with: tensors of every make, some of them over one memory, and Python values.

A call is a sequence of arguments. Another call of the same program has the same arguments but for a few: of another
size, stride, dtype, alias pattern or value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ..choices import Choices

Shape = tuple[int, ...]

#: Shapes, from nothing to beyond where kernels change, the small ones far more often.
SMALL: tuple[Shape, ...] = (
    *((3,), (4,), (2, 3), (3, 3), (1,), (2, 3, 4), (8,), (5,), (4, 4), (1, 5), (17,), (16,), (2, 1, 3), (8, 9), (3, 1)),
    *((1, 2, 4, 4), (2, 3, 5, 4), (2, 2, 3, 3), (), (2, 2), (2, 3, 3, 3), (1, 4, 4, 4)),
)
LARGE: tuple[Shape, ...] = (
    *((64,), (127,), (33, 40), (1024,), (1025,), (2, 513), (4097,), (16, 17), (17, 64)),
    (1, 8, 18, 17),
)
EMPTY: tuple[Shape, ...] = ((0,), (0, 3), (2, 0))
INTEGERS = ("int64", "int32", "int8", "uint8", "int16")
LAYOUTS = ("transposed", "strided", "offset")
#: How an argument is made from an earlier one. All but the last two share its memory.
ALIASES = (
    *("{a}", "{a}[...]", "{a}.detach()", "{a}.reshape(-1)", "{a}.reshape(-1)[1:]", "{a}.reshape(-1)[::2]", "{a}.mT"),
    *("{a}.reshape(-1)[:1]", "{a}.clone()", "{a} * 2"),
)
#: Python values, and what else they may be in a later call; the numbers among them.
NUMBERS: tuple[tuple[str, ...], ...] = (("2", "1", "3", "0", "-1"), ("1.5", "0.5", "-2.0", "2.0", "7.0"))
VALUES: tuple[tuple[str, ...], ...] = (
    *NUMBERS,
    ("True", "False"),
    ("'sin'", "'tanh'", "'relu'"),
    ("[1, 0]", "[0, 1]", "[0]"),
    ("holder", "other_holder", "holding(2)"),
)


@dataclasses.dataclass(frozen=True)
class Argument:
    """One argument: a tensor with memory of its own, or ``alias``, an expression of earlier ones, or ``value``."""

    name: str
    shape: Shape = (3,)
    dtype: str = "float32"
    layout: str = ""
    #: ``constant`` (requires no grad), ``leaf`` or ``history``.
    role: str = "constant"
    alias: str = ""
    value: str = ""

    @property
    def is_floating(self) -> bool:
        """Whether it is a tensor of its own that could require grad."""
        return not self.alias and not self.value and self.dtype.startswith(("float", "bfloat", "complex"))

    def lines(self) -> list[str]:
        """The lines that make it."""
        if self.value or self.alias:
            return [f"{self.name} = {self.value or self.alias}"]
        made = self._made()
        if self.role == "history":
            return [f"made[{self.name!r}] = {made}.requires_grad_()", f"{self.name} = made[{self.name!r}] * 1"]
        if self.role == "leaf":
            plain = made == self._data(self.shape)
            made = f"{made[:-1]}, requires_grad=True)" if plain else f"{made}.requires_grad_()"
        return [f"{self.name} = {made}"]

    def _made(self) -> str:
        sizes = list(self.shape)
        if self.layout == "transposed" and len(sizes) >= 2:
            return f"{self._data([*sizes[:-2], sizes[-1], sizes[-2]])}.mT"
        if self.layout == "strided" and sizes:
            return f"{self._data([*sizes[:-1], 2 * sizes[-1]])}[..., ::2]"
        if self.layout == "offset" and sizes:
            return f"{self._data([sizes[0] + 1, *sizes[1:]])}[1:]"
        if self.layout == "channels_last" and len(sizes) == 4:
            return f"{self._data(sizes)}.to(memory_format=torch.channels_last)"
        return self._data(sizes)

    def _data(self, sizes: Sequence[int]) -> str:
        shape = ", ".join(map(str, sizes)) or "()"
        if self.dtype == "float32":
            return f"torch.randn({shape})"
        if self.is_floating:
            return f"torch.randn({shape}, dtype=torch.{self.dtype})"
        one = f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"
        if self.dtype == "bool":
            return f"torch.randint(0, 2, {one}, dtype=torch.bool)"
        low = 0 if self.dtype == "uint8" else -4
        return f"torch.randint({low}, 12, {one}, dtype=torch.{self.dtype})"


def draw_arguments(choices: Choices, train: bool) -> tuple[Argument, ...]:
    """One to three tensors, and now and then a Python value."""
    arguments: list[Argument] = []
    if choices.chance(12):
        return tuple(_windows(choices, train))
    for number in range(choices.integer(1, 3)):
        name = "abc"[number]
        if number and choices.chance(25):
            arguments.append(Argument(name, alias=choices.one_of(ALIASES).format(a=arguments[-1].name)))
        else:
            arguments.append(_tensor(choices, name, train))
            if number and choices.chance(15) and not arguments[0].alias:
                arguments[-1] = dataclasses.replace(arguments[-1], shape=arguments[0].shape)
    if choices.chance(25):
        arguments.append(Argument("n", value=choices.one_of(choices.one_of(VALUES)[:2])))
    return tuple(arguments)


def _windows(choices: Choices, train: bool) -> list[Argument]:
    """A base that stays outside, and two views of it, apart or not."""
    role = "history" if train else "constant"
    size = choices.one_of([8, 12, 20])
    base = Argument("base", (size,), role=role)
    return [base, *(Argument(name, alias=_window(choices, size)) for name in "ab")]


def _window(choices: Choices, size: int) -> str:
    start = choices.integer(0, size // 2)
    if choices.chance(30):
        return f"base[{start % 2}::2]"
    return f"base[{start}:{start + size // 2}]" + choices.one_of(["", "", ".view(2, -1)", ".view(-1, 2).t()"])


def _tensor(choices: Choices, name: str, train: bool) -> Argument:
    kind = choices.integer(0, 99)
    shape = choices.one_of(SMALL if kind % 10 else LARGE)
    if kind in (20, 60):
        shape = choices.one_of(EMPTY)
    layout = _layout(choices, shape) if choices.chance(20 if len(shape) < 4 else 60) else ""
    if kind >= 82:
        return Argument(name, shape, choices.one_of(INTEGERS), layout)
    if kind >= 79:
        return Argument(name, shape, "bool", layout)
    dtype = "float64" if kind < 8 else "complex64" if kind < 12 else "bfloat16" if kind < 17 else "float32"
    dtype = "float16" if kind == 17 else dtype
    role = "constant"
    if train and not choices.chance(20):
        role = "leaf" if choices.chance(55) else "history"
    return Argument(name, shape, dtype, layout, role)


def _layout(choices: Choices, shape: Shape) -> str:
    """A layout that a tensor of that shape can have; nothing where there is but one."""
    fits = {"transposed": len(shape) >= 2, "strided": bool(shape), "offset": bool(shape)}
    layouts = [layout for layout in LAYOUTS if fits[layout]] + ["channels_last"] * 4 * (len(shape) == 4)
    return choices.one_of(layouts) if layouts else ""


# Another call ---------------------------------------------------------------------------------------------------------

Vary = Callable[[Choices, Argument, Sequence[Argument]], Argument]


def _other_size(choices: Choices, argument: Argument, earlier: Sequence[Argument]) -> Argument:
    if not argument.shape:
        return dataclasses.replace(argument, shape=(3,))
    shape = list(argument.shape)
    place = choices.integer(0, len(shape) - 1)
    shape[place] = choices.one_of([shape[place] + 1, 2 * shape[place], shape[place] + 16, 1])
    return dataclasses.replace(argument, shape=tuple(shape))


def _other_layout(choices: Choices, argument: Argument, earlier: Sequence[Argument]) -> Argument:
    return dataclasses.replace(argument, layout="" if argument.layout else _layout(choices, argument.shape))


def _other_dtype(choices: Choices, argument: Argument, earlier: Sequence[Argument]) -> Argument:
    dtypes = ("float64", "bfloat16", "float32") if argument.is_floating else ("int32", "int64", "int8")
    return dataclasses.replace(argument, dtype=choices.one_of([dtype for dtype in dtypes if dtype != argument.dtype]))


def _other_role(choices: Choices, argument: Argument, earlier: Sequence[Argument]) -> Argument:
    roles = ("constant", "leaf", "history") if argument.is_floating else ("constant",)
    return dataclasses.replace(argument, role=choices.one_of(roles))


def _another_alias(choices: Choices, argument: Argument, earlier: Sequence[Argument]) -> Argument:
    if any(item.name == "base" for item in earlier):
        return dataclasses.replace(argument, alias=_window(choices, 8))
    names = [item.name for item in earlier if not item.value]
    if not names:
        return argument
    return Argument(argument.name, alias=choices.one_of(ALIASES).format(a=choices.one_of(names)))


def _apart(choices: Choices, argument: Argument, earlier: Sequence[Argument]) -> Argument:
    return dataclasses.replace(argument, alias=f"({argument.alias}).clone()") if argument.alias else argument


def _of_other_values(argument: Argument) -> list[Argument]:
    values = next(values for values in VALUES if argument.value in values)
    return [dataclasses.replace(argument, value=value) for value in values if value != argument.value]


def _another_value(choices: Choices, argument: Argument, earlier: Sequence[Argument]) -> Argument:
    return choices.one_of(_of_other_values(argument))


#: What can be otherwise in a later call, by the name of the feature.
VARIATIONS: dict[str, Vary] = {
    "another size": _other_size,
    "another layout": _other_layout,
    "another dtype": _other_dtype,
    "another role": _other_role,
    "another alias pattern": _another_alias,
    "memory apart": _apart,
    "another value": _another_value,
}


def vary(choices: Choices, arguments: Sequence[Argument]) -> tuple[tuple[Argument, ...], str]:
    """The arguments with one of them otherwise, and what is other: the name of a feature, or nothing."""
    place = choices.integer(0, len(arguments) - 1)
    argument = arguments[place]
    kind = choices.one_of(
        ["another value"]
        if argument.value
        else ["another alias pattern", "memory apart"]
        if argument.alias
        else [
            "another size",
            "another size",
            "another layout",
            "another dtype",
            "another role",
            "another alias pattern",
        ]
    )
    varied = VARIATIONS[kind](choices, argument, arguments[:place])
    return (*arguments[:place], varied, *arguments[place + 1 :]), kind if varied != argument else ""


def values_in_a_row(arguments: Sequence[Argument]) -> list[tuple[Argument, ...]]:
    """The arguments with each other value that the Python number among them may have; nothing if there is none."""
    for place, argument in enumerate(arguments):
        if any(argument.value in values for values in NUMBERS):
            return [(*arguments[:place], other, *arguments[place + 1 :]) for other in _of_other_values(argument)]
    return []


def builder(arguments: Sequence[Argument]) -> list[str]:
    """The lines of a function that makes the arguments and returns what the program takes."""
    lines = [line for argument in arguments for line in argument.lines()]
    names = parameters(arguments)
    return [*lines, f"return ({names[0]},)" if len(names) == 1 else f"return {', '.join(names)}"]


def parameters(arguments: Sequence[Argument]) -> list[str]:
    """The names of what the program takes: a base stays outside."""
    return [argument.name for argument in arguments if argument.name != "base"]
