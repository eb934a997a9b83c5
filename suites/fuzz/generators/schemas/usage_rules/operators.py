"""Usages of operators that torch must refuse or accept: registrations, kernels that break their schemas, fake kernels.

Each is written as the body of a function without arguments, around a drawn schema where the rule leaves one open.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping

from ...choices import Choices
from ..bodies import SAME, Body, fake_lines, kernel_lines, parameters
from ..registration import NAMESPACE
from ..schema import Return, Schema, parse
from ..schema_drawing import draw_schema

#: What is passed for an argument of a type.
_VALUES = {
    "Tensor": "torch.ones(3)",
    "Tensor?": "torch.ones(3)",
    "Tensor[]": "[torch.ones(3), torch.ones(2)]",
    "Tensor?[]": "[torch.ones(3), torch.ones(2)]",
    "Tensor[]?": "[torch.ones(3)]",
    "SymInt": "3",
    "SymInt[]": "[1, 2]",
    "int": "2",
    "int[]": "[1]",
    "float": "0.5",
    "bool": "True",
    "Scalar": "2",
    "str": "'text'",
    "ScalarType": "torch.float32",
    "Device": "torch.device('cpu')",
}
#: Runs a call below fake tensors that carry real ones, as draft export does: kernels are checked against their schemas.
_WATCHED = (
    "from torch._functorch import config",
    "from torch._subclasses.fake_tensor import FakeTensorMode",
    "from torch.fx.experimental.symbolic_shapes import ShapeEnv",
    "from torch.utils._pytree import tree_map_only",
    "",
    "with config.patch(fake_tensor_propagate_real_tensors=True):",
    "    with FakeTensorMode(shape_env=ShapeEnv()) as mode:",
    "        passed = tree_map_only(torch.Tensor, mode.from_tensor, given)",
    "        operator(*passed)",
    "return 'taken'",
)
TAKEN = "taken"
TRIES = 12


@dataclasses.dataclass(frozen=True)
class Usage:
    """``lines`` of a function; ``error`` and ``says`` as in `UsageRule`."""

    lines: tuple[str, ...]
    says: object = TAKEN
    error: str = ""


def _schema(choices: Choices, wanted: Callable[[Schema], bool], plainest: str) -> Schema:
    """A drawn schema of which something holds; the plainest one if none comes of a few tries."""
    for _ in range(TRIES):
        schema = draw_schema(choices, "custom_op")
        if not schema.tag and not schema.keyword_only and wanted(schema):
            return schema
    return parse(plainest)


def _passed(schema: Schema) -> str:
    return f"({', '.join(_VALUES[argument.type] for argument in schema.positional)},)"


def _body(schema: Schema) -> Body:
    return Body(shapes=(SAME,) * len(schema.returns))


def _defined(name: str, schema: Schema, kernel: list[str], fake: bool = True) -> list[str]:
    """The lines that define ``operator`` with these kernels."""
    hints = parameters(schema)
    written = tuple(argument.name for argument in schema.written)
    lines = [f"def kernel({hints}):", *(f"    {line}" for line in kernel), ""]
    if fake and schema.returns:
        lines += [f"def fake({hints}):", *(f"    {line}" for line in fake_lines(schema, _body(schema))), ""]
    lines.append(
        f"operator = torch.library.custom_op('{NAMESPACE}::{name}', kernel, mutates_args={written!r}, "
        f"schema={str(schema)!r})"
    )
    return lines + ["operator.register_fake(fake)"] * (fake and bool(schema.returns))


def _is_new(schema: Schema) -> bool:
    """Whether it only reads, for sure a tensor, and returns new tensors."""
    plain = any(argument.type == "Tensor" for argument in schema.arguments)
    return plain and not schema.written and bool(schema.returns) and all(item == Return() for item in schema.returns)


def _first(schema: Schema) -> str:
    return next(argument.name for argument in schema.arguments if argument.type == "Tensor")


# Kernels --------------------------------------------------------------------------------------------------------------


def _follows_its_schema(choices: Choices, name: str) -> Usage:
    schema = _schema(choices, lambda it: not any(r.type == "int" for r in it.returns), "(Tensor x) -> Tensor")
    lines = _defined(name, schema, kernel_lines(schema, _body(schema)))
    return Usage((*lines, f"given = {_passed(schema)}", *_WATCHED))


def _writes_undeclared(choices: Choices, name: str) -> Usage:
    schema = _schema(choices, _is_new, "(Tensor x) -> Tensor")
    lines = _defined(name, schema, [f"{_first(schema)}.add_(1)", *kernel_lines(schema, _body(schema))])
    given = f"given = {_passed(schema)}"
    return Usage((*lines, given, *_WATCHED), "does not mutate the argument", "RuntimeError")


def _writes_nothing(choices: Choices, name: str) -> Usage:
    schema = _schema(choices, lambda it: bool(it.written) and not it.returns, "(Tensor(x!) x) -> ()")
    lines = _defined(name, schema, ["pass"])
    given = f"given = {_passed(schema)}"
    return Usage((*lines, given, *_WATCHED), "mutates the argument", "RuntimeError")


def _returns_an_argument(choices: Choices, name: str) -> Usage:
    schema = _schema(choices, _is_new, "(Tensor x) -> Tensor")
    wrong = choices.one_of((_first(schema), f"{_first(schema)}[1:]", f"{_first(schema)}.view_as({_first(schema)})"))
    others = ["torch.ones(3)"] * (len(schema.returns) - 1)
    lines = _defined(name, schema, [f"return {', '.join([*others, wrong])}"], fake=False)
    return Usage((*lines, f"operator(*{_passed(schema)})"), "may not alias any inputs", "RuntimeError")


def _returns_one_thing_twice(choices: Choices, name: str) -> Usage:
    schema = _schema(choices, lambda it: _is_new(it) and len(it.returns) == 2, "(Tensor x) -> (Tensor, Tensor)")
    by_custom_op = choices.chance(50)
    kernel = ["made = torch.ones(3)", "return made, made"]
    if by_custom_op:
        lines = _defined(name, schema, kernel, fake=False)
        return Usage((*lines, f"operator(*{_passed(schema)})"), "may not alias any inputs", "RuntimeError")
    lines = [
        f"def kernel({parameters(schema)}):",
        *(f"    {line}" for line in kernel),
        "",
        f"library = torch.library.Library('{NAMESPACE}', 'FRAGMENT')",
        f"library.define({name + str(schema)!r})",
        f"library.impl('{name}', kernel, 'CPU')",
        f"operator = torch.ops.{NAMESPACE}.{name}.default",
        f"given = {_passed(schema)}",
    ]
    return Usage((*lines, *_WATCHED), "may not alias any inputs", "RuntimeError")


def _breaks_the_convention(choices: Choices, name: str) -> Usage:
    tag = choices.one_of(("inplace", "out"))
    if tag == "inplace":
        made = choices.one_of(("x.clone()", "x[...]", "x * 2"))
        head, call = "def kernel(x: torch.Tensor) -> torch.Tensor:", "torch.ones(3)"
        written, returned = "('x',)", f"return {made}"
    elif choices.chance(50):
        made = choices.one_of(("out.clone()", "x", "out[...]"))
        head = "def kernel(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:"
        written, returned, call = "('out',)", f"return {made}", "torch.ones(3), out=torch.ones(3)"
    else:
        made = choices.one_of(("out2, out", "out, out", "out, x"))
        result = "tuple[torch.Tensor, torch.Tensor]"
        head = f"def kernel(x: torch.Tensor, *, out: torch.Tensor, out2: torch.Tensor) -> {result}:"
        written, returned = "('out', 'out2')", f"return {made}"
        call = "torch.ones(3), out=torch.ones(3), out2=torch.ones(3)"
    made_of = f"'{NAMESPACE}::{name}', kernel, mutates_args={written}, tags=torch.Tag.{tag}"
    lines = [head, f"    {returned}", "", f"operator = torch.library.custom_op({made_of})", f"operator({call})"]
    return Usage(tuple(lines), f"An operator tagged with torch.Tag.{tag} must", "RuntimeError")


def _device_by_name(choices: Choices, name: str) -> Usage:
    lines = [
        "def kernel(n: int, device: torch.device) -> torch.Tensor:",
        "    return torch.full((3,), n, dtype=torch.int64, device=device)",
        "",
        f"operator = torch.library.custom_op('{NAMESPACE}::{name}', kernel, mutates_args=(), device_types='cpu')",
    ]
    if choices.chance(50):
        return Usage((*lines, "return operator(5, torch.device('cpu')).tolist()"), [5, 5, 5])
    lines.append("operator(5, torch.device('meta'))")
    return Usage(tuple(lines), "does not have a kernel registered for meta", "RuntimeError")


def _no_device_at_all(choices: Choices, name: str) -> Usage:
    more = choices.one_of(("", ", where: torch.device", ", device: str"))
    lines = (
        f"def kernel(n: int{more}) -> torch.Tensor:",
        "    return torch.ones(n)",
        "",
        f"torch.library.custom_op('{NAMESPACE}::{name}', kernel, mutates_args=(), device_types='cpu')",
    )
    return Usage(lines, "required to have a `device: torch.device` argument", "ValueError")


# Rules ----------------------------------------------------------------------------------------------------------------


def _formula_of_what_writes(choices: Choices, name: str) -> Usage:
    plainest = choices.one_of(("(Tensor(x!) x) -> ()", "(Tensor(x!) x) -> Tensor", "(Tensor x) -> ()"))
    schema = _schema(choices, lambda it: bool(it.written), plainest)
    lines = _defined(name, schema, kernel_lines(schema, _body(schema)))
    by_function = f"torch.library.register_autograd('{NAMESPACE}::{name}', lambda ctx, *grads: None)"
    call = choices.one_of(("operator.register_autograd(lambda ctx, *grads: None)", by_function))
    return Usage((*lines, call), "Cannot register autograd formula for", "RuntimeError")


def _formula_of_tag_out(choices: Choices, name: str) -> Usage:
    lines = _out(name)
    if choices.chance(50):
        return Usage((*lines, "operator.register_autograd(lambda ctx, grad: grad)"), "Out variants", "RuntimeError")
    call = "operator(torch.ones(3, requires_grad=True), out=torch.ones(3))"
    return Usage((*lines, call), "don't support automatic differentiation", "RuntimeError")


def _out(name: str) -> list[str]:
    return [
        "def kernel(x: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:",
        "    out.copy_(x)",
        "    return out",
        "",
        f"operator = torch.library.custom_op('{NAMESPACE}::{name}', kernel, mutates_args=('out',), tags=torch.Tag.out)",
    ]


def _backward_of(choices: Choices, name: str) -> Usage:
    """What a formula comes to, or that there is none: every argument is a one, so gradients can be told."""
    schema = choices.one_of(("(Tensor x) -> Tensor", "(Tensor[] x) -> Tensor", "(Tensor x) -> Tensor[]"))
    listed, many = "[] x" in schema, schema.endswith("[]")
    weight = choices.integer(2, 5)
    made = "x[0] * 1" if listed else "[x * 1, x * 1]" if many else "x * 1"
    lines = _defined(name, parse(schema), [f"return {made}"], fake=False)
    incoming = "sum(grads[0])" if many else "grads[0]"
    given = ["x = torch.ones(3, requires_grad=True)"]
    call = "sum(operator(x))" if many else "operator([x, torch.ones(3)])" if listed else "operator(x)"
    ending = [*given, f"{call}.sum().backward()", "return x.grad.tolist()"]
    kind = choices.integer(0, 2)
    if kind == 0:
        return Usage((*lines, *ending), "no autograd formula was registered", "RuntimeError")
    right = f"[{incoming} * {weight}, None]" if listed else f"{incoming} * {weight}"
    if kind == 1 and listed:
        wrong = choices.one_of((incoming, f"[{incoming}]", f"({incoming}, None)"))
        lines.append(f"operator.register_autograd(lambda ctx, *grads: {wrong})")
        return Usage((*lines, *ending), "same structure as the inputs", "RuntimeError")
    lines.append(f"operator.register_autograd(lambda ctx, *grads: {right})")
    return Usage((*lines, *ending), [float(weight * (2 if many else 1))] * 3)


def _low_precision(choices: Choices, name: str) -> Usage:
    schema = _schema(choices, _is_new, "(Tensor x) -> Tensor")
    lines = _defined(name, schema, kernel_lines(schema, _body(schema)))
    device, says = choices.one_of((("3", "of type `str`"), ("None", "of type `str`"), ("'meta'", "support autocast")))
    return Usage((*lines, f"operator.register_autocast({device}, torch.bfloat16)"), says, "ValueError")


def _names_what_it_writes(choices: Choices, name: str) -> Usage:
    schema = _schema(
        choices, lambda it: any(a.type == "Tensor" for a in it.arguments), "(Tensor x, Tensor y) -> Tensor"
    )
    lines = _defined(name, schema, ["pass"], fake=False)
    wrong = [argument.name for argument in schema.tensors if not argument.is_written] or ["x", "elsewhere"]
    lines[-1] = re.sub(r"mutates_args=\([^)]*\)", f"mutates_args={tuple(wrong)!r}", lines[-1])
    return Usage(tuple(lines), "Please make these consistent", "ValueError")


def _tensors_by_name(choices: Choices, name: str) -> Usage:
    kind = choices.one_of(("Tensor", "Tensor?", "Tensor[]", "Tensor?[]"))
    lines = _defined(name, parse(f"(Tensor x, *, {kind} y) -> Tensor"), ["pass"], fake=False)
    return Usage(tuple(lines), "custom_op with kwarg-only Tensor args", "NotImplementedError")


def _fake_kernel_twice(choices: Choices, name: str) -> Usage:
    first, says = choices.one_of(
        (
            (f"torch.library.register_fake('{NAMESPACE}::{name}', like, lib=library)", "already has a fake impl"),
            (f"library.impl('{name}', like, 'Meta')", "already has a DispatchKey::Meta"),
            (f"library.impl('{name}', like, 'CompositeImplicitAutograd')", "CompositeImplicitAutograd"),
        )
    )
    allowed = choices.chance(30) and "register_fake" in first
    again = f"torch.library.register_fake('{NAMESPACE}::{name}', like, lib=library"
    lines = (
        "def like(x):",
        "    return torch.empty_like(x)",
        "",
        f"library = torch.library.Library('{NAMESPACE}', 'FRAGMENT')",
        f"library.define('{name}(Tensor x) -> Tensor')",
        first,
        f"{again})" if allowed else f"{again}, allow_override=False)",
        f"return {TAKEN!r}",
    )
    return Usage(lines) if allowed else Usage(lines, says, "RuntimeError")


def _no_fake_kernel(choices: Choices, name: str) -> Usage:
    schema = _schema(choices, _is_new, "(Tensor x) -> Tensor")
    lines = _defined(name, schema, kernel_lines(schema, _body(schema)), fake=False)
    call = (
        "from torch._subclasses.fake_tensor import FakeTensorMode",
        "with FakeTensorMode():",
        f"    operator(*{_passed(schema)})",
    )
    return Usage((*lines, *call), "There was no fake impl registered", "RuntimeError")


def _size_of_data(choices: Choices, name: str) -> Usage:
    """Sizes that depend on data: allowed where there are symbols for them, of bounds that are plain numbers."""
    bounds, mode, says, error = choices.one_of(
        (
            ("", "FakeTensorMode(shape_env=ShapeEnv())", True, ""),
            ("min=2, max=9", "FakeTensorMode(shape_env=ShapeEnv())", True, ""),
            ("", "FakeTensorMode()", name, "RuntimeError"),
            ("min=-1", "FakeTensorMode(shape_env=ShapeEnv())", "greater than or equal to 0", "ValueError"),
            (
                "min=context.new_dynamic_size()",
                "FakeTensorMode(shape_env=ShapeEnv())",
                "statically known",
                "ValueError",
            ),
            (
                "max=context.new_dynamic_size()",
                "FakeTensorMode(shape_env=ShapeEnv())",
                "statically known",
                "ValueError",
            ),
        )
    )
    lines = (
        "from torch._subclasses.fake_tensor import FakeTensorMode",
        "from torch.fx.experimental.symbolic_shapes import ShapeEnv",
        "",
        "def kernel(x: torch.Tensor) -> torch.Tensor:",
        "    return x[x > 0]",
        "",
        f"operator = torch.library.custom_op('{NAMESPACE}::{name}', kernel, mutates_args=())",
        "",
        "def fake(x):",
        "    context = torch.library.get_ctx()",
        f"    return x.new_empty([context.new_dynamic_size({bounds})])",
        "",
        "operator.register_fake(fake)",
        f"with {mode}:",
        "    return isinstance(operator(torch.ones(3)).shape[0], torch.SymInt)",
    )
    return Usage(lines, says, error)


def _name_without_a_namespace(choices: Choices, name: str) -> Usage:
    wrong = choices.one_of((name, f"{NAMESPACE}:{name}", f"{NAMESPACE}::{name}::x"))
    call = choices.one_of(
        (
            f"torch.library.define({wrong!r}, '(Tensor x) -> Tensor')",
            f"torch.library.register_fake({wrong!r}, lambda x: x)",
            f"torch.library.register_autograd({wrong!r}, lambda ctx, grad: grad)",
        )
    )
    return Usage((call,), "of the form", "ValueError")


def _rule_of_a_mode(choices: Choices, name: str) -> Usage:
    """A rule that an operator has for a mode is what is called under it, the last that was registered."""
    schema = _schema(choices, lambda it: _is_new(it) and len(it.returns) == 1, "(Tensor x) -> Tensor")
    again = choices.chance(50)
    register = choices.one_of(
        ("operator.register_torch_dispatch(Mode, {})", "operator.register_torch_dispatch(Mode)({})")
    )
    lines = _defined(name, schema, kernel_lines(schema, _body(schema)), fake=False)
    lines += [
        "class Mode(torch.utils._python_dispatch.TorchDispatchMode):",
        "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):",
        "        return func(*args, **(kwargs or {}))",
        "",
        register.format("lambda mode, func, types, args, kwargs: torch.tensor(11)"),
        *([register.format("lambda mode, func, types, args, kwargs: torch.tensor(12)")] * again),
        "with Mode():",
        f"    return operator(*{_passed(schema)}).item()",
    ]
    return Usage(tuple(lines), 12 if again else 11)


def _kernel_of_a_device(choices: Choices, name: str) -> Usage:
    """The kernel of a device is the last that was registered, and the function itself while it is disabled."""
    register = choices.one_of(
        (
            "operator.register_kernel('cpu', second)",
            "operator.register_kernel(('cpu',))(second)",
            "torch.library.register_kernel(operator, 'cpu', second)",
        )
    )
    at_first = choices.chance(30)
    enabled = choices.chance(30)
    lines = [
        "import logging",
        "",
        "def first(x: torch.Tensor) -> torch.Tensor:",
        "    return x + 1",
        "",
        "def second(x):",
        "    return x + 2",
        "",
        "logging.getLogger('torch._library.custom_ops').setLevel('ERROR')",
        f"operator = torch.library.custom_op('{NAMESPACE}::{name}', mutates_args=())(first)",
        *([] if at_first else [register]),
        "x, seen = torch.zeros(()), []",
        f"with operator.set_kernel_enabled('cpu', enabled={enabled}):",
        "    seen.append(operator(x).item())",
        "    with operator.set_kernel_enabled('cpu', enabled=True):",
        "        seen.append(operator(x).item())",
        "    with operator.set_kernel_enabled('cpu', enabled=False):",
        "        seen.append(operator(x).item())",
        "return [*seen, operator(x).item()]",
    ]
    after = 1.0 if at_first else 2.0
    return Usage(tuple(lines), [after if enabled else 1.0, after, 1.0, after])


#: By the rule, in words that programs carry.
USAGES: Mapping[str, Callable[[Choices, str], Usage]] = {
    "a kernel that keeps its word": _follows_its_schema,
    "no write that is not declared": _writes_undeclared,
    "every write that is declared": _writes_nothing,
    "no argument returned as new": _returns_an_argument,
    "no result returned twice as new": _returns_one_thing_twice,
    "what the tag's convention returns": _breaks_the_convention,
    "a kernel for the device that is named": _device_by_name,
    "something that says where to run": _no_device_at_all,
    "no formula of what writes": _formula_of_what_writes,
    "no formula of Tag.out": _formula_of_tag_out,
    "a formula for backward": _backward_of,
    "a device with low precision": _low_precision,
    "mutates_args as in the schema": _names_what_it_writes,
    "no tensors by name alone": _tensors_by_name,
    "one fake kernel": _fake_kernel_twice,
    "a fake kernel": _no_fake_kernel,
    "sizes that depend on data": _size_of_data,
    "a name with a namespace": _name_without_a_namespace,
    "a rule of a mode": _rule_of_a_mode,
    "a kernel of a device": _kernel_of_a_device,
}
