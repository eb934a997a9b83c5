"""From decisions to a whole program: operators, inputs that may share memory, a prelude, calls, an epilogue."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import torch

from ..choices import Choices
from ..programs.drawing import Drawn
from ..programs.scope import Rejected, Scope, Statement
from . import on_gpu, surroundings
from .bodies import HELPERS, INTERLEAVED, READS_FIRST, SAME, SINGLE, TURNED, Body, kernel_lines, parameters, source
from .calls import batched_call, call, in_region, refused_call
from .registration import (
    SPELLINGS,
    TRITON,
    Operator,
    can_be_batched,
    can_be_differentiable,
    definition_text,
    function,
    helpers_for,
    layouts,
)
from .rules import REFUSED, fate
from .schema import PLAIN, TENSORS, Schema
from .schema_drawing import APIS, draw_schema
from .usage_rules.drawing import HELPERS as RULE_HELPERS
from .usage_rules.drawing import UsageRule, draw_usage_rule

Family = Callable[[Scope], tuple[str, ...]]

#: What a statement before or after the calls can be, with how often it is tried: before, and after.
FAMILIES: Mapping[str, tuple[Family, int, int]] = {
    "view": (surroundings.view, 5, 2),
    "parts": (surroundings.parts, 2, 0),
    "copy": (surroundings.copy, 5, 1),
    "alias": (surroundings.alias, 2, 1),
    "computed": (surroundings.computed, 3, 1),
    "in place": (surroundings.in_place, 1, 2),
    "read": (surroundings.read, 0, 4),
}
#: What schemas, operators and calls must be seen to have, each in one program of a hundred at least.
FEATURES = (
    *TENSORS,
    *(kind.replace("Tensor", "Tensor(!)", 1) for kind in TENSORS),
    *PLAIN,
    *("keyword-only", "default", "overload", "tag inplace", "tag out", "autograd formula", "autocast rule", "vmap"),
    *("0 returns", "1 returns", "2 returns", "3 returns", "returns what it writes", "returns a view"),
    *("returns Tensor[]", "returns int", "None", "None in a list", "empty list", "default taken"),
    *("one tensor twice in a call", "one memory twice in a call", "shared memory", "transposed input"),
    *("refused by eager", "train", "dynamic", "functionalization v1", "fate kept", "fate wrapped", "fate refused"),
    *("definition taken", "definition refused", "inference mode", "a second kernel", "a tag of strides", "a region"),
    *("an argument called self", "a fake kernel that is not needed", *(f"rules by {how}" for how in SPELLINGS)),
    *(f"registered by {api}" for api in APIS),
)
#: What programs for a GPU have none of.
_NOT_ON_A_GPU = (
    *("overload", "tag *", "autograd formula", "autocast rule", "vmap", "definition *", "a second kernel"),
    *("a tag of strides", "a fake kernel that is not needed", "rules by *", "registered by *", "returns a view"),
    *("returns what it writes", "int", "int[[]]", "Tensor[[]][?]", "Tensor(!)[[]][?]"),
)
TRITON_FEATURES = (
    *(name for name in FEATURES if not any(fnmatchcase(name, pattern) for pattern in _NOT_ON_A_GPU)),
    *(f"a kernel by {way}" for way in dict.fromkeys(on_gpu.WAYS)),
)
#: Operators that write are wrapped without regard to views, as `torch.export` has them wrapped.
OLDER_WRAPPER = 'CONFIG = {"inductor.enable_auto_functionalized_v2": False}'
SHAPES = ("3", "4", "2, 3", "3, 3", "4, 2", "1", "2, 2, 2", "5", "0", "2, 1", "7")
MOST_OPERATORS, MOST_CALLS, MOST_BEFORE, MOST_AFTER, TRIES = 3, 4, 4, 3, 4


def draw_program(
    choices: Choices, unique: str = "0", weights: Mapping[str, int] | None = None, *, triton: bool = False
) -> Drawn:
    """A program that eager runs, or refuses where that is what it is about.

    ``unique`` tells its operators from those of other programs in one process: digits. ``weights`` are families' own.
    ``triton``: its operators are of ``triton_op``, and it is printed for a GPU; it is drawn on the CPU all the same.
    Raises `Rejected` where nothing that was drawn could be run.
    """
    for _ in range(TRIES):
        drawing = _Drawing(choices, unique, weights or {}, triton)
        try:
            drawing.draw()
        except Rejected:
            continue
        return drawing.drawn()
    raise Rejected("nothing that was drawn can be run")


@dataclasses.dataclass
class _Drawing:
    choices: Choices
    unique: str
    weights: Mapping[str, int]
    triton: bool = False
    features: set[str] = dataclasses.field(default_factory=set)
    names: list[str] = dataclasses.field(default_factory=list)
    inputs: list[str] = dataclasses.field(default_factory=list)
    returned: list[str] = dataclasses.field(default_factory=list)
    usage_rules: list[UsageRule] = dataclasses.field(default_factory=list)
    regions: dict[str, str] = dataclasses.field(default_factory=dict)

    def draw(self) -> None:
        """Make every decision."""
        choices = self.choices
        self.dynamic = choices.chance(20)
        self.train = choices.chance(30)
        self.older = choices.chance(12)
        self.inference = not self.train and choices.chance(6)
        self.way = choices.one_of(on_gpu.WAYS) if self.triton else ""
        self.features |= {f"a kernel by {self.way}"} if self.triton else set()
        self.scope = Scope(choices, self.train)
        if choices.chance(15) and not self.triton:
            numbers = range(choices.integer(1, 4))
            self.usage_rules = [draw_usage_rule(choices, f"ruled{number}_{self.unique}") for number in numbers]
        self._draw_inputs()
        self.operators = [self._draw_operator(number) for number in range(choices.integer(1, MOST_OPERATORS))]
        self._learn_operators()
        if choices.chance(3):
            self.features.add("refused by eager")
            line = refused_call(self.scope, self.operators[0])
            self.scope.statements.append(Statement((line,), "refused call"))
            return
        self._draw_statements(choices.integer(0, MOST_BEFORE))
        self._draw_calls()
        self._draw_statements(choices.integer(0, MOST_AFTER), late=True)
        self._draw_outputs()
        self._try_backward()

    def drawn(self) -> Drawn:
        """The program as a file, with what it is made of."""
        used = [operator for operator in self.operators if self._is_called(operator)]
        definitions = [definition_text(operator) for operator in used]
        for operator in used:
            self.features |= features_of(operator.schema) | _features_of(operator)
        head = ["from typing import Optional"] if any("Optional[" in text for text in definitions) else []
        if self.usage_rules:
            head = ["from collections.abc import Sequence\nfrom typing import List, Optional"]
        flags = ["TRAIN = True"] * self.train + ["DYNAMIC = True"] * self.dynamic + [OLDER_WRAPPER] * self.older
        self.features |= {"functionalization v1"} if self.older else set()
        histories = any("made[" in line for line in self.inputs)
        body = [line for statement in self.scope.statements for line in statement.lines]
        body += [f"return {', '.join(self.returned)}"] if self.returned else []
        given = f"({self.names[0]},)" if len(self.names) == 1 else ", ".join(self.names)
        head.append(on_gpu.IMPORTS if self.triton else "import torch")
        blocks = ["\n\n".join(head), "\n".join(flags), "made = {}" if histories else ""]
        helpers = on_gpu.helpers(self.way) if self.triton else HELPERS
        definitions += self._rule_texts()
        blocks += [*helpers_for("\n".join(definitions), helpers), *definitions]
        blocks += [text for name, text in self.regions.items() if any(f"{name}(" in line for line in body)]
        blocks += [function(f"def program({', '.join(self.names)}):", body)]
        made = ["with torch.device('cuda'):", *(f"    {line}" for line in self.inputs)] if self.triton else self.inputs
        blocks += [function("def inputs():", [*made, f"return {given}"]), self._calls(used)]
        blocks += [function("def leaves():", ["return made"]) if histories else ""]
        whole = "\n\n\n".join(block for block in blocks if block) + "\n"
        self.features |= {"train" if self.train else "no grad", "dynamic" if self.dynamic else "static"}
        families = tuple(statement.family for statement in self.scope.statements)
        return Drawn(whole, families, tuple(sorted(self.features)))

    def _rule_texts(self) -> list[str]:
        self.features |= {"definition refused" if rule.error else "definition taken" for rule in self.usage_rules}
        texts = [rule.text(f"ruling{number}") for number, rule in enumerate(self.usage_rules)]
        return [RULE_HELPERS, *texts] if texts else []

    def _calls(self, used: list[Operator]) -> str:
        """The calls, where they are not the usual two: in inference mode, or with a kernel turned off for one."""
        if self.inference:
            self.features.add("inference mode")
            return f"calls = [{', '.join(['(inputs, torch.inference_mode)'] * 2)}]"
        twofold = [operator for operator in used if operator.second]
        if not twofold:
            return ""
        self.features.add("a second kernel")
        off = f"(inputs, {twofold[0].name}_off)"
        return f"calls = [{', '.join([off, 'inputs'] if self.choices.chance(50) else ['inputs', off, 'inputs'])}]"

    def _is_called(self, operator: Operator) -> bool:
        word = f"{operator.name}("
        under_vmap = f"({operator.name},"
        lines = [line for statement in self.scope.statements for line in statement.lines]
        regions = [text for name, text in self.regions.items() if any(f"{name}(" in line for line in lines)]
        return any(word in line or under_vmap in line for line in [*lines, *regions])

    # Inputs

    def _draw_inputs(self) -> None:
        torch.manual_seed(0)
        for number in range(self.choices.integer(1, 3)):
            name = "abc"[number]
            before = self.names[-1] if self.names else ""
            self.names.append(name)
            if before and self.choices.chance(25):
                self.features.add("shared memory")
                kinds = [f"{before}[...]", before, f"{before}.detach()", f"{before}.reshape(-1)[1:]", f"{before}.mT"]
                if self._made()[before].dim() < 2:
                    kinds = kinds[:-1]
                self.inputs.append(f"{name} = {self.choices.one_of(kinds)}")
            else:
                self.inputs += self._input(name)
        self.scope.names.update(self._made())

    def _made(self) -> dict[str, Any]:
        """The inputs so far, all of one run: those that share memory do."""
        names: dict[str, Any] = {"made": {}}
        torch.manual_seed(0)
        try:
            exec("\n".join(self.inputs), {"torch": torch}, names)
        except Exception as error:
            raise Rejected(str(error)) from None
        return {key: value for key, value in names.items() if key in self.names}

    def _input(self, name: str) -> list[str]:
        shape = self.choices.one_of(SHAPES)
        if self.choices.chance(10):
            self.features.add("integers")
            return [f"{name} = torch.arange({self.choices.integer(1, 6)})"]
        dtype = ", dtype=torch.float64" if self.choices.chance(8) else ""
        if self.choices.chance(12) and shape.count(",") == 1:
            self.features.add("transposed input")
            return [f"{name} = torch.randn({', '.join(shape.split(', ')[::-1])}{dtype}).t()"]
        if not self.train or self.choices.chance(50):
            return [f"{name} = torch.randn({shape}{dtype})"]
        if self.choices.chance(60):
            self.features.add("leaf")
            return [f"{name} = torch.randn({shape}{dtype}, requires_grad=True)"]
        self.features.add("history")
        return [f"made[{name!r}] = torch.randn({shape}{dtype}, requires_grad=True)", f"{name} = made[{name!r}] * 1"]

    # Operators

    def _draw_operator(self, number: int) -> Operator:
        choices = self.choices
        if self.triton:
            schema = self._schema_for_triton()
            return Operator(f"op{number}", f"op{number}_{self.unique}", schema, self._body(schema), TRITON)
        api = choices.one_of(APIS)
        schema = draw_schema(choices, api)
        if fate(schema) == REFUSED and not choices.chance(50):
            schema = draw_schema(choices, api)
        return Operator(
            f"op{number}",
            f"op{number}_{self.unique}",
            schema,
            self._body(schema),
            api,
            differentiable=can_be_differentiable(schema) and choices.chance(80 if self.train else 20),
            autocast=fate(schema) != REFUSED and not schema.written and not schema.tag and choices.chance(8),
            batched=can_be_batched(schema) and choices.chance(40),
            layout=choices.one_of(layouts()) if choices.chance(10) else "",
            second=api.startswith("custom_op") and choices.chance(8),
            explicit=bool(schema.tag) and choices.chance(25),
            spelling=choices.one_of(SPELLINGS) if api.startswith("custom_op") else "methods",
        )

    def _body(self, schema: Schema) -> Body:
        order = INTERLEAVED if self.choices.chance(60) else READS_FIRST
        return Body(order, tuple(self.choices.one_of([SAME, SAME, TURNED, SINGLE]) for _ in schema.returns))

    def _schema_for_triton(self) -> Schema:
        """One of a tensor for certain, so that what is new has a device; ``triton_op`` knows no tags."""
        for _ in range(TRIES):
            schema = draw_schema(self.choices, "custom_op")
            if not schema.tag and source(schema):
                return schema
        raise Rejected("no operator for a GPU")

    def _learn_operators(self) -> None:
        """Have statements that call the operators run, with the kernels alone: nothing is registered."""
        heads = [f"def {op.name}_kernel({parameters(op.schema)}):" for op in self.operators]
        bodies = ["\n".join(f"    {line}" for line in kernel_lines(op.schema, op.body)) for op in self.operators]
        texts = [f"{head}\n{body}" for head, body in zip(heads, bodies, strict=True)]
        exec("\n".join([*helpers_for("\n".join(texts)), *texts]), self.scope.globals)
        for op in self.operators:
            self.scope.globals[op.name] = _stand_in(op, self.scope.globals[f"{op.name}_kernel"])

    # Statements

    def _draw_statements(self, number: int, *, late: bool = False) -> None:
        lottery: list[str] = []
        for name, (_, before, after) in FAMILIES.items():
            lottery += [name] * (self.weights.get(name, 1) * (after if late else before))
        for _ in range(number if lottery else 0):
            family = self.choices.one_of(lottery)
            self._add(family, FAMILIES[family][0])

    def _add(self, family: str, statement: Family) -> bool:
        for _ in range(TRIES):
            try:
                self.scope.add(family, *statement(self.scope))
            except Rejected:
                continue
            return True
        return False

    def _draw_calls(self) -> None:
        calls = 0
        for number in range(self.choices.integer(1, MOST_CALLS)):
            operator = self.operators[number] if number < len(self.operators) else self.choices.one_of(self.operators)
            if operator.batched and self.choices.chance(50):
                calls += self._add("call under vmap", lambda scope: batched_call(scope, operator, self.features))
            elif self.choices.chance(6):
                calls += self._add(
                    "call in a region", lambda scope: self._in_region(operator, call(scope, operator, self.features))
                )
            else:
                calls += self._add("call", lambda scope: call(scope, operator, self.features))
            if self.choices.chance(20):
                self._draw_statements(1)
        if not calls:
            raise Rejected("no operator can be called with what there is")

    def _in_region(self, operator: Operator, lines: tuple[str, ...]) -> tuple[str, ...]:
        name = f"region{len(self.regions)}"
        self.regions[name], line = in_region(self.scope, operator, lines, name)
        exec(self.regions[name].partition("\n")[2], self.scope.globals)
        self.features.add("a region")
        return (line,)

    def _draw_outputs(self) -> None:
        """What the program returns: the newest values more likely, now and then an argument or one value twice."""
        choices = self.choices
        made = [name for name in self.scope.tensors() if name not in self.names]
        self.returned = made[:1] + [name for name in made[1:] if choices.chance(50)][:3]
        self.returned += [name for name in self.names if choices.chance(10)]
        if self.returned and choices.chance(5):
            self.features.add("one value returned twice")
            self.returned.append(self.returned[0])

    def _try_backward(self) -> None:
        """What autograd refuses, because a write changed what it had saved, is not what the program is about."""
        roots = [self.scope[name] for name in dict.fromkeys(self.returned)]
        roots = [root for root in roots if root.requires_grad and root.dtype.is_floating_point]
        if roots:
            try:
                torch.autograd.backward([root.sum() for root in roots])
            except RuntimeError as error:
                raise Rejected(str(error)) from None


def _stand_in(operator: Operator, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The operator as eager would run it, as far as what follows must know."""

    def run(*args: Any, **kwargs: Any) -> Any:
        low = operator.autocast and torch.is_autocast_enabled("cpu")
        given = [_lowered(value) for value in args] if low else args
        named = {name: _lowered(value) for name, value in kwargs.items()} if low else kwargs
        with torch.no_grad():
            result = kernel(*given, **named)
        return _attached(result, [*args, *kwargs.values()]) if operator.differentiable else result

    return run


def _lowered(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_lowered(item) for item in value]
    return value.bfloat16() if isinstance(value, torch.Tensor) and value.dtype == torch.float32 else value


def _attached(result: Any, values: list[Any]) -> Any:
    tensors = [item for value in values for item in (value if isinstance(value, list) else [value])]
    tensors = [item for item in tensors if isinstance(item, torch.Tensor) and item.requires_grad]
    if not tensors or not torch.is_grad_enabled():
        return result
    zero = sum(tensor.sum() * 0 for tensor in tensors)
    return tuple(item + zero for item in result) if isinstance(result, tuple) else result + zero


def features_of(schema: Schema) -> set[str]:
    """What a schema has, of all that schemas can have."""
    found = {_plain(argument.type, argument.alias) for argument in schema.arguments}
    found |= {"keyword-only"} if schema.keyword_only else set()
    found |= {"default"} if any(argument.default is not None for argument in schema.arguments) else set()
    found |= {f"{len(schema.returns)} returns"}
    found |= {f"tag {schema.tag}"} if schema.tag else set()
    found |= {"overload"} if schema.overload else set()
    for result in schema.returns:
        if result.alias:
            found.add("returns what it writes" if result.alias.endswith("!") else "returns a view")
        elif result.type != "Tensor":
            found.add(f"returns {result.type}")
    return found


def _plain(kind: str, alias: str) -> str:
    return kind.replace("Tensor", "Tensor(!)", 1) if alias.endswith("!") else kind


def _features_of(operator: Operator) -> set[str]:
    found = {f"registered by {operator.api}", f"fate {fate(operator.schema)}"}
    found |= {operator.body.order} if operator.schema.written else set()
    found |= {"autograd formula"} if operator.differentiable else set()
    found |= {"autocast rule"} if operator.autocast else set()
    found |= {"a tag of strides"} if operator.layout else set()
    found |= {"a fake kernel that is not needed"} if operator.explicit else set()
    found |= {f"rules by {operator.spelling}"} if operator.is_custom_op else set()
    found |= {"an argument called self"} if operator.schema.arguments[0].name == "self" else set()
    return found
