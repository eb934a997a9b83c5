"""Usage rules of ``torch.library``: definitions that torch must accept, or refuse with a certain error.

Which of the two, and with which error, follows from the hints, the schema, the tag or what the kernel does. In a
program's file a rule is a function that makes the definition, and a statement that calls it and raises ``NotRuled``
where something else comes of it: so a rule that does not hold is a find, with eager as the layer. The names in that
text (``NotRuled``, ``ruling0``) stay as they are: a campaign's program has one text for good.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ...choices import Choices
from . import hints
from .hints import Function, Parameter, draw_function
from .operators import USAGES

#: What checks usage rules, in every file that has one.
HELPERS = '''\
class NotRuled(Exception):
    """Torch says something else of a definition than it must."""


def refused(rule, error, says, define):
    """What must be refused, with an error of that class and in these words."""
    try:
        define()
    except Exception as refusal:
        if isinstance(refusal, error) and says in str(refusal):
            return
        raise NotRuled(f"{rule}: refused with {type(refusal).__name__}: {refusal}") from None
    raise NotRuled(f"{rule}: not refused")


def stated(rule, says, define):
    """What must be taken, and come to that."""
    try:
        seen = define()
    except Exception as refusal:
        raise NotRuled(f"{rule}: refused with {type(refusal).__name__}: {refusal}") from None
    if seen != says:
        raise NotRuled(f"{rule}: comes to {seen!r}, not to {says!r}")'''


@dataclasses.dataclass(frozen=True)
class UsageRule:
    """``rule`` in words; ``lines`` are a function's body; ``error`` a class, or empty where torch must accept it.

    ``says`` is a part of the error's words, or the value that the function returns.
    """

    rule: str
    lines: tuple[str, ...]
    says: object
    error: str = ""

    def text(self, name: str) -> str:
        """The function of that name and the statement that checks it."""
        body = "\n".join(f"    {line}" if line else "" for line in self.lines)
        check = f"refused({self.rule!r}, {self.error}, " if self.error else f"stated({self.rule!r}, "
        return f"def {name}():\n{body}\n\n\n{check}{self.says!r}, {name})"


def draw_usage_rule(choices: Choices, name: str) -> UsageRule:
    """A usage rule; ``name`` is its operator's, if it defines one."""
    which = choices.integer(0, 2)
    if which == 0:
        function = draw_function(choices)
        named = "read" if choices.chance(20) else ""
        lines = _reads(function, f", op_name={named!r}" if named else "")
        return UsageRule("the schema of a function's hints", lines, f"{named}{function.schema}")
    if which == 1:
        rule = choices.one_of(tuple(_REFUSED_HINTS))
        return _REFUSED_HINTS[rule](choices, rule)
    rule = choices.one_of(tuple(USAGES))
    usage = USAGES[rule](choices, name)
    return UsageRule(rule, usage.lines, usage.says, usage.error)


def _reads(function: Function, named: str = "") -> tuple[str, ...]:
    return (
        f"def f{function.signature}:",
        "    pass",
        "",
        f"return torch.library.infer_schema(f, {function.options}{named})",
    )


def _refused(rule: str, function: Function, says: str, error: str = "ValueError") -> UsageRule:
    return UsageRule(rule, _reads(function), says, error)


# Hints that are refused -----------------------------------------------------------------------------------------------


def _plain(choices: Choices) -> Function:
    """A function without a tag and at least one parameter."""
    function = draw_function(choices)
    while function.tag or not function.parameters or function.mutates:
        function = dataclasses.replace(
            function, parameters=tuple(p for p in function.parameters if not p.written), tag="", mutates=None
        )
        function = function if function.parameters else Function((Parameter("x", "torch.Tensor", "Tensor"),))
    return function


def _with_first(function: Function, **changes: object) -> Function:
    first = dataclasses.replace(function.parameters[0], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(function, parameters=(first, *function.parameters[1:]))


def _argument_without_hint(choices: Choices, rule: str) -> UsageRule:
    return _refused(rule, _with_first(_plain(choices), hint=""), "must have a type annotation")


def _argument_of_no_type(choices: Choices, rule: str) -> UsageRule:
    hint, says = choices.one_of(hints.UNSUPPORTED)
    return _refused(rule, _with_first(_plain(choices), hint=hint, written=False), says)


def _default(choices: Choices, rule: str) -> UsageRule:
    function = _plain(choices)
    default = choices.one_of(hints.UNSUPPORTED_DEFAULTS)
    others = tuple(
        dataclasses.replace(p, default=("None", "None") if not p.keyword_only and p.default is None else p.default)
        for p in function.parameters[1:]
    )
    function = dataclasses.replace(function, parameters=(function.parameters[0], *others))
    return _refused(rule, _with_first(function, default=(default, "")), "unsupported default value")


def _result_without_hint(choices: Choices, rule: str) -> UsageRule:
    return _refused(rule, dataclasses.replace(_plain(choices), result=""), "No return type annotation")


def _result_of_no_type(choices: Choices, rule: str) -> UsageRule:
    hint = choices.one_of(hints.UNSUPPORTED_RETURNS)
    return _refused(rule, dataclasses.replace(_plain(choices), result=hint), "Return has unsupported type")


def _by_place_alone(choices: Choices, rule: str) -> UsageRule:
    function = _plain(choices)
    if function.parameters[0].keyword_only:
        function = Function((Parameter("x", "torch.Tensor", "Tensor"), *function.parameters))
    return _refused(rule, dataclasses.replace(function, by_place=1), "positional-only args, varargs, or varkwargs")


def _any_number(choices: Choices, rule: str) -> UsageRule:
    star = choices.one_of(("*", "**"))
    more = Parameter("more", "torch.Tensor", "Tensor", star=star)
    kept = tuple(p for p in _plain(choices).parameters if not p.keyword_only)
    return _refused(rule, Function((*kept, more)), "positional-only args, varargs, or varkwargs")


def _mutates_nothing_there(choices: Choices, rule: str) -> UsageRule:
    return _refused(rule, dataclasses.replace(_plain(choices), mutates="('elsewhere',)"), "were not found in")


def _mutates_a_number(choices: Choices, rule: str) -> UsageRule:
    number = Parameter("number", *choices.one_of((("int", "SymInt"), ("float", "float"), ("str", "str"))))
    function = Function((Parameter("x", "torch.Tensor", "Tensor"), dataclasses.replace(number, written=True)))
    return _refused(rule, function, "only Tensors or collections of Tensors can be mutated")


def _mutates_a_word(choices: Choices, rule: str) -> UsageRule:
    word = choices.one_of(("'all'", "'x'", "''"))
    return _refused(rule, dataclasses.replace(_plain(choices), mutates=word), "must either be a sequence")


def _both_tags(choices: Choices, rule: str) -> UsageRule:
    tags = "(torch.Tag.inplace, torch.Tag.out)"
    function = dataclasses.replace(_plain(choices), mutates=f"('x',), tags={tags}")
    return _refused(rule, function, "mutually exclusive", "AssertionError")


# What the conventions of the tags refuse ------------------------------------------------------------------------------

_TENSOR = Parameter("x", "torch.Tensor", "Tensor")


def _tagged_inplace(choices: Choices, rule: str) -> UsageRule:
    written = dataclasses.replace(_TENSOR, written=True)
    other = Parameter("y", "torch.Tensor", "Tensor", written=choices.chance(50))
    number = Parameter("n", "int", "SymInt")
    wrong, says = choices.one_of(
        (
            (Function((dataclasses.replace(written, keyword_only=True),)), "requires a positional Tensor"),
            (Function((number, written)), "first positional argument to be a Tensor"),
            (Function((Parameter("x", "list[torch.Tensor]", "Tensor[]", written=True),)), "argument to be a Tensor"),
            (Function((_TENSOR, other)), "exactly the first positional argument"),
            (Function((_TENSOR,), mutates=repr(hints.UNKNOWN)), "exactly the first positional argument"),
            (Function((written,), (("torch.Tensor", "Tensor"),) * 2), "return annotation to be torch.Tensor"),
            (Function((written,), ()), "return annotation to be torch.Tensor"),
            (Function((written,), (("int", "SymInt"),)), "return annotation to be torch.Tensor"),
        )
    )
    return _refused(rule, dataclasses.replace(wrong, tag="inplace"), says)


def _tagged_out(choices: Choices, rule: str) -> UsageRule:
    out = Parameter("out", "torch.Tensor", "Tensor", keyword_only=True, written=True)
    second = dataclasses.replace(out, name="out2")
    many = Parameter("out", "list[torch.Tensor]", "Tensor[]", keyword_only=True, written=True)
    wrong, says = choices.one_of(
        (
            (Function((dataclasses.replace(_TENSOR, written=True),)), "mutable arguments to be keyword-only"),
            (Function((_TENSOR, many)), "only supports mutable keyword-only Tensor"),
            (Function((_TENSOR, dataclasses.replace(out, written=False))), "requires at least one mutable"),
            (Function((_TENSOR, out, second)), "return annotation to match"),
            (Function((_TENSOR, out), ()), "return annotation to match"),
            (Function((_TENSOR, out), (("list[torch.Tensor]", "Tensor[]"),)), "return annotation to match"),
        )
    )
    return _refused(rule, dataclasses.replace(wrong, tag="out"), says)


_REFUSED_HINTS: Mapping[str, Callable[[Choices, str], UsageRule]] = {
    "a hint of every argument": _argument_without_hint,
    "a hint that is a type of operators": _argument_of_no_type,
    "a default that a schema can spell": _default,
    "a hint of what is returned": _result_without_hint,
    "a result that is a type of operators": _result_of_no_type,
    "no argument by place alone": _by_place_alone,
    "no arguments of any number": _any_number,
    "what is mutated is an argument": _mutates_nothing_there,
    "what is mutated is a tensor": _mutates_a_number,
    "what is mutated is a list of names": _mutates_a_word,
    "one tag of a convention": _both_tags,
    "the convention of Tag.inplace": _tagged_inplace,
    "the convention of Tag.out": _tagged_out,
}
