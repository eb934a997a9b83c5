"""What type hints say: the schema that torch must infer from them, and hints that it must refuse.

The model is the reference of ``torch.library.custom_op`` and ``infer_schema``: the list of types that arguments and
results may have, ``mutates_args``, and that what is mutated is named by the place of its argument.
"""

from __future__ import annotations

import dataclasses

from ...choices import Choices
from ..schema import Argument, Return, Schema

#: Hints that are supported, with the type that each is.
SUPPORTED = (
    *(("torch.Tensor", "Tensor"), ("'torch.Tensor'", "Tensor"), ("Optional[torch.Tensor]", "Tensor?")),
    *(("'Optional[torch.Tensor]'", "Tensor?"), ("torch.Tensor | None", "Tensor?")),
    *(("list[torch.Tensor]", "Tensor[]"), ("Sequence[torch.Tensor]", "Tensor[]"), ("List[torch.Tensor]", "Tensor[]")),
    *(("list['torch.Tensor']", "Tensor[]"), ("list[Optional[torch.Tensor]]", "Tensor?[]")),
    *(("Sequence[Optional[torch.Tensor]]", "Tensor?[]"), ("'list[Optional[torch.Tensor]]'", "Tensor?[]")),
    *(("int", "SymInt"), ("Optional[int]", "SymInt?"), ("list[int]", "SymInt[]"), ("Optional[list[int]]", "SymInt[]?")),
    *(("float", "float"), ("Optional[float]", "float?"), ("list[float]", "float[]"), ("'List[float]'", "float[]")),
    *(("bool", "bool"), ("list[bool]", "bool[]"), ("Optional[Sequence[bool]]", "bool[]?")),
    *(("str", "str"), ("Optional[str]", "str?"), ("torch.types.Number", "Scalar")),
    *(
        ("list[torch.types.Number]", "Scalar[]"),
        ("torch.dtype", "ScalarType"),
        ("Optional[torch.dtype]", "ScalarType?"),
    ),
    *(("torch.device", "Device"), ("'torch.device'", "Device"), ("Optional[torch.device]", "Device?")),
)
#: What a default of a type may be, in Python and in a schema.
_DEFAULTS = {
    "SymInt": (("3", "3"), ("-1", "-1")),
    "float": (("1.5", "1.5"),),
    "bool": (("True", "True"),),
    "str": (("'mean'", '"mean"'),),
    "Scalar": (("2", "2"), ("0.5", "0.5")),
    "ScalarType": (("torch.float64", "float64"),),
    "Device": (("torch.device('cpu')", '"cpu"'),),
}
RETURNS = (
    *(("torch.Tensor", "Tensor"), ("'torch.Tensor'", "Tensor"), ("list[torch.Tensor]", "Tensor[]")),
    *(("List[torch.Tensor]", "Tensor[]"), ("int", "SymInt"), ("float", "float"), ("bool", "bool")),
    ("torch.types.Number", "Scalar"),
)
#: Hints of arguments and of results that are refused, with a part of what is said.
UNSUPPORTED = (
    *((hint, "unsupported type") for hint in ("dict", "set[int]", "complex", "bytes", "list[str]", "tuple")),
    *((hint, "unsupported type") for hint in ("Optional[list[torch.Tensor]]", "list[list[int]]")),
    *((hint, "do not support Tuple") for hint in ("tuple[int]", "tuple[int, ...]", "tuple[torch.Tensor, ...]")),
    *((hint, "do not support Tuple") for hint in ("tuple[int, str]", "tuple[str]", "tuple[()]")),
    ("torch._C.ScriptObject", "ScriptObject"),
    *((hint, "It is not a type") for hint in ("'NoSuchType'", "'1 +'", "'torch.NoSuchType'")),
)
UNSUPPORTED_RETURNS = ("dict", "str", "tuple[torch.Tensor, str]", "Optional[torch.Tensor]", "torch.dtype")
#: Defaults that no schema can spell.
UNSUPPORTED_DEFAULTS = ("[1, 2]", "object()", "(1.0,)")
NAMES = "xyzuvw"
UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a function with hints: what stands in Python, and what it is in a schema.

    ``written`` is whether ``mutates_args`` names it; ``star`` comes before its name, ``*`` or ``**``.
    """

    name: str
    hint: str
    type: str
    default: tuple[str, str] | None = None
    keyword_only: bool = False
    written: bool = False
    star: str = ""

    @property
    def is_tensor(self) -> bool:
        """Whether tensors are passed in it."""
        return self.type.startswith("Tensor")

    def __str__(self) -> str:
        annotation = f": {self.hint}" if self.hint else ""
        return f"{self.star}{self.name}{annotation}{'' if self.default is None else f' = {self.default[0]}'}"


@dataclasses.dataclass(frozen=True)
class Function:
    """A function that an operator can be made of: ``returns`` are pairs of a hint and a type; ``tag`` as in `Schema`.

    ``result`` is the whole hint of what it returns, where that is not made of ``returns``. ``by_place`` of the
    parameters have a place and no name. ``mutates`` is ``mutates_args`` as it is written.
    """

    parameters: tuple[Parameter, ...]
    returns: tuple[tuple[str, str], ...] = (("torch.Tensor", "Tensor"),)
    tag: str = ""
    result: str | None = None
    by_place: int = 0
    mutates: str | None = None

    @property
    def signature(self) -> str:
        """What stands between the function's name and its colon."""
        words = [str(parameter) for parameter in self.parameters if not parameter.keyword_only]
        if self.by_place:
            words.insert(self.by_place, "/")
        named = [str(parameter) for parameter in self.parameters if parameter.keyword_only]
        words += ["*"] * bool(named) + named
        hints = [hint for hint, _ in self.returns]
        result = "None" if not hints else hints[0] if len(hints) == 1 else f"tuple[{', '.join(hints)}]"
        result = result if self.result is None else self.result
        return f"({', '.join(words)})" + (f" -> {result}" if result else "")

    @property
    def options(self) -> str:
        """``mutates_args`` and ``tags``, as a call spells them."""
        written = tuple(parameter.name for parameter in self.parameters if parameter.written)
        tags = f", tags=torch.Tag.{self.tag}" if self.tag else ""
        return f"mutates_args={repr(written) if self.mutates is None else self.mutates}{tags}"

    @property
    def schema(self) -> Schema:
        """What torch must infer."""
        arguments = tuple(
            Argument(
                parameter.name,
                parameter.type,
                f"a{place}!" if parameter.written else "",
                None if parameter.default is None else parameter.default[1],
                parameter.keyword_only,
            )
            for place, parameter in enumerate(self.parameters)
        )
        written = [argument.alias for argument in arguments if argument.is_written]
        returns = tuple(Return(kind) for _, kind in self.returns)
        if self.tag:
            returns = tuple(Return("Tensor", alias) for alias in written)
        return Schema(arguments, returns, self.tag)


def draw_function(choices: Choices) -> Function:
    """A function whose hints torch reads; of those with a tag, one that keeps to its convention."""
    tag = choices.one_of(("", "", "", "inplace", "out"))
    count = choices.integer(1, 4)
    drawn = [_draw_parameter(choices, name) for name in NAMES[:count]]
    if tag:
        drawn = [dataclasses.replace(parameter, written=False) for parameter in drawn]
    first_named = choices.integer(1, count) if choices.chance(25) else count
    parameters = [
        dataclasses.replace(parameter, keyword_only=place >= first_named) for place, parameter in enumerate(drawn)
    ]
    parameters = _without_gaps(parameters)
    tensor = Parameter("self_" if choices.chance(5) else "first", "torch.Tensor", "Tensor")
    if tag == "inplace":
        parameters.insert(0, dataclasses.replace(tensor, written=True))
        return Function(tuple(parameters), tag=tag)
    if tag == "out":
        outs = [Parameter(name, "torch.Tensor", "Tensor", None, True, True) for name in ("out", "out2")]
        outs = outs[: choices.integer(1, 2)]
        return Function((*parameters, *outs), (("torch.Tensor", "Tensor"),) * len(outs), tag)
    returns = tuple(choices.one_of(RETURNS) for _ in range(choices.integer(0, 2)))
    mutates = None
    if choices.chance(15):
        mutates = repr(UNKNOWN)
        parameters = [dataclasses.replace(parameter, written=parameter.is_tensor) for parameter in parameters]
    return Function(tuple(parameters), returns, mutates=mutates)


def _draw_parameter(choices: Choices, name: str) -> Parameter:
    hint, kind = choices.one_of(SUPPORTED)
    default = None
    if choices.chance(40):
        default = ("None", "None") if kind.endswith("?") else choices.one_of(_DEFAULTS.get(kind, (None,)))
    return Parameter(name, hint, kind, default, written=kind.startswith("Tensor") and choices.chance(30))


def _without_gaps(parameters: list[Parameter]) -> list[Parameter]:
    """Python wants those of a place that have a default after those that have none."""
    has_default = False
    left = []
    for parameter in parameters:
        if has_default and parameter.default is None and not parameter.keyword_only:
            continue
        has_default |= parameter.default is not None
        left.append(parameter)
    return left
