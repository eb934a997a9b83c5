"""What a program reaches besides its arguments, changed between two calls: attributes, weights, defaults, globals."""

import builtins
import contextlib
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from suites.harness import Check, built, clause, leaf, tensor, torch_internals
from suites.models.training import QUICK

#: A global of this module, for the clauses about globals.
FACTOR = 2.0
WEIGHT: torch.Tensor | None = None
MEASURE: Any = abs


class Scaled(torch.nn.Module):
    """A linear map with settings of several kinds."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)
        self.factor = 2.0
        self.count = 1
        self.kind = "sin"
        self.register_buffer("shift", torch.tensor([0.5, -0.5]))

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        """Map, repeat ``count`` times, scale and shift."""
        out = self.linear(a)
        for _ in range(self.count):
            out = getattr(out, self.kind)()
        if self.training:
            out = out + 1
        shift = self.shift
        assert isinstance(shift, torch.Tensor)
        return out * self.factor + shift


def weights(scale: float) -> torch.Tensor:
    """Six different numbers in a matrix of two rows."""
    return (torch.arange(6.0).reshape(2, 3) - 2) * scale


@clause("reuse.state", modes="train")
def test_attributes_of_a_module(check: Check) -> None:
    """A float, an int and a text that a module holds are read in every call."""

    def settings(factor: float, count: int, kind: str) -> Any:
        def change(module: Scaled) -> None:
            module.factor, module.count, module.kind = factor, count, kind

        return change

    hooks = [settings(2.0, 1, "sin"), settings(3.5, 1, "sin"), settings(3.5, 2, "sin"), settings(3.5, 2, "cos")]
    result = check(built(Scaled), calls=[(tensor(4, 3),)] * 4, before=hooks, probe=False)
    result.gradient(0).shape("out", 4, 2)


@clause("reuse.state", modes="train")
def test_training_flag_of_a_module(check: Check) -> None:
    """`eval()` and `train()` between calls switch what the module does, dropout and statistics included."""

    class Normed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(3)
            self.drop = torch.nn.Dropout(0.5)

        def forward(self, a: torch.Tensor) -> torch.Tensor:
            return self.drop(self.norm(a)) * 2

    hooks = [lambda m: m.train() and None, lambda m: m.eval() and None, lambda m: m.train() and None]
    result = check(built(Normed), calls=[(tensor(4, 3),)] * 3, before=hooks, probe=False)
    drawn = [call.drew_random for call in result.expected.calls]
    result.gradient(0).recompiled(1).happened(drawn == [True, False, True], "a call that draws nothing")


@clause("reuse.state", modes="train")
def test_weights_loaded_between_calls(check: Check) -> None:
    """Weights that `load_state_dict` copied in are the ones used, without a new compilation."""

    def load(scale: float) -> Any:
        return lambda m: m.load_state_dict({"weight": weights(scale)}) and None

    module = built(lambda: torch.nn.Linear(3, 2, bias=False))
    result = check(module, calls=[(tensor(4, 3),)] * 3, before=[load(1), load(-3), load(0.5)], probe=False)
    result.gradient(0).recompiled(0)


@clause("reuse.state", modes="train")
def test_weights_whose_data_are_swapped(check: Check) -> None:
    """Other memory under a parameter, given to it through `.data`, is the memory that is read."""

    def swap(scale: float) -> Any:
        def change(module: Any) -> None:
            module.weight.data = weights(scale).to(module.weight.device)

        return change

    module = built(lambda: torch.nn.Linear(3, 2, bias=False))
    result = check(module, calls=[(tensor(4, 3),)] * 3, before=[swap(1), swap(-3), swap(0.5)], probe=False)
    result.gradient(0).recompiled(0)


@clause("reuse.state", modes="train")
def test_parameter_replaced_between_calls(check: Check) -> None:
    """A parameter object that took another's place is the one that is used and that gets the gradient."""

    def replace(scale: float, requires_grad: bool = True) -> Any:
        def change(module: Any) -> None:
            weight = weights(scale).to(module.weight.device)
            module.weight = torch.nn.Parameter(weight, requires_grad)

        return change

    module = built(lambda: torch.nn.Linear(3, 2, bias=False))
    hooks = [replace(1), replace(-3), replace(2, requires_grad=False), replace(0.5)]
    result = check(module, calls=[(tensor(4, 3, grad=False),)] * 4, before=hooks, probe=False)
    flags = [call.tensors["out"].requires_grad for call in result.expected.calls]
    result.happened(flags == [True, True, False, True], "a frozen parameter in the third call")


@clause("reuse.state")
def test_buffer_replaced_by_one_of_another_shape(check: Check) -> None:
    """A buffer that was replaced, by one of another shape or dtype too, is the one that is read."""

    def replace(value: torch.Tensor) -> Any:
        def change(module: Any) -> None:
            module.shift = value.clone().to(module.shift.device)

        return change

    hooks = [replace(torch.tensor([1.0, 2.0])), replace(torch.tensor(3.0)), replace(torch.tensor([[1.0], [5.0]]))]
    result = check(built(Scaled), calls=[(tensor(2, 3),)] * 3, before=hooks, probe=False)
    result.shape("out", 2, 2).recompiled(2)
    result.values().expect("""\
out = float32[2, 2] [[1.688, 5.31], [1.823, 5.929]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 2] [[4.877, 6.321], [5.17, 5.193]]
""")


@clause("reuse.state")
def test_submodule_replaced_between_calls(check: Check) -> None:
    """A submodule that took another's place is the one that is called."""

    def replace(make: Any) -> Any:
        def change(module: Any) -> None:
            module.linear = make().to(module.shift.device)
            torch.nn.init.constant_(next(module.linear.parameters()), 0.25)

        return change

    hooks = [
        replace(lambda: torch.nn.Linear(3, 2, bias=False)),
        replace(lambda: torch.nn.Sequential(torch.nn.Linear(3, 2, bias=False), torch.nn.ReLU())),
        replace(lambda: torch.nn.Linear(3, 2, bias=False)),
    ]
    result = check(built(Scaled), calls=[(tensor(4, 3),)] * 3, before=hooks, probe=False)
    result.values().expect("""\
out = float32[4, 2] [[1.462, 0.462], [2.091, 1.091], [1.622, 0.6221], [1.456, 0.4559]]
""")
    result.in_call(1).values().expect("""\
out = float32[4, 2] [[2.5, 1.5], [2.5, 1.5], [3.579, 2.579], [3.557, 2.557]]
""")


@clause("reuse.state")
def test_hook_registered_between_calls(check: Check) -> None:
    """A forward hook that was registered after the first call runs in the second, and not once it is removed."""

    def hooks_of(module: Any, *hooks: Any) -> None:
        torch_internals.forget_module_hooks(module.linear)
        for hook in hooks:
            module.linear.register_forward_hook(hook)

    def double(module: Any, args: Any, output: torch.Tensor) -> torch.Tensor:
        return output * 2

    before = [lambda m: hooks_of(m), lambda m: hooks_of(m, double), lambda m: hooks_of(m)]
    calls = [(tensor(4, 3, values=[[1, 2, 3]] * 4),)] * 3
    result = check(
        built(Scaled), calls=calls, before=before, probe=False, config={"dynamo.skip_nnmodule_hook_guards": False}
    )
    values = [call.tensors["out"].value.tolist() for call in result.expected.calls]  # type: ignore[union-attr]
    result.happened(values[0] == values[2] != values[1], "a hook in one call")


def _hooked(module: Any, *hooks: Any) -> None:
    torch_internals.forget_module_hooks(module.linear)
    for hook in hooks:
        module.linear.register_full_backward_hook(hook)


def _doubled(module: Any, grad_input: Any, grad_output: Any) -> Any:
    return tuple(None if grad is None else grad * 2 for grad in grad_input)


@clause("reuse.state", modes="train", fullgraph=False)
def test_backward_hook_registered_between_calls(check: Check) -> None:
    """With guards on hooks, a backward hook that was registered after the first call is called from the second on."""
    before = [lambda m: _hooked(m), lambda m: _hooked(m, _doubled), lambda m: _hooked(m)]
    calls = [(tensor(4, 3),)] * 3
    config = {"dynamo.skip_nnmodule_hook_guards": False}
    check(built(Scaled), calls=calls, before=before, probe=False, config=config).gradient(0)


@clause("reuse.state", modes="train", fullgraph=False)
def test_backward_hook_registered_between_calls_as_torch_comes(check: Check) -> None:
    """Without any setting, a backward hook that was registered after the first call is called from the second on."""
    before = [lambda m: _hooked(m), lambda m: _hooked(m, _doubled)]
    check(built(Scaled), calls=[(tensor(4, 3),)] * 2, before=before, probe=False).gradient(0)


@clause("reuse.state")
def test_defaults_of_a_function(check: Check) -> None:
    """Defaults bound anew, by position and by keyword, are those that the next call is given."""

    def program(a: torch.Tensor, scale: float = 2.0, *, shift: float = 1.0) -> torch.Tensor:
        return a * scale + shift

    def defaults(scale: float, shift: float) -> Any:
        def change(function: types.FunctionType) -> None:
            function.__defaults__, function.__kwdefaults__ = (scale,), {"shift": shift}

        return change

    hooks = [defaults(2.0, 1.0), defaults(3.0, 1.0), defaults(3.0, -4.0)]
    result = check(program, calls=[(tensor(3),)] * 3, before=hooks)
    result.values().expect("""\
out = float32[3] [2.373, -4.26, 0.522]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-0.5083, 0.1813, 0.7959]
""")


@clause("reuse.state")
def test_defaults_of_a_function_that_is_called(check: Check) -> None:
    """Defaults of a helper, bound anew between calls, reach the compiled program that calls it."""

    def helper(a: torch.Tensor, scale: float = 2.0) -> torch.Tensor:
        return a * scale

    def program(a: torch.Tensor) -> torch.Tensor:
        return helper(a) + 1

    def defaults(scale: float) -> Any:
        def change(function: types.FunctionType) -> None:
            called = (function.__closure__ or ())[0].cell_contents
            called.__defaults__ = (scale,)

        return change

    result = check(program, calls=[(tensor(3),)] * 3, before=[defaults(2.0), defaults(5.0), defaults(2.0)])
    result.values().expect("""\
out = float32[3] [2.373, -4.26, 0.522]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.514, -0.3644, 0.6598]
""")


@clause("reuse.state")
def test_globals(check: Check) -> None:
    """A global number and a global tensor bound anew between calls are read in every call."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * FACTOR if WEIGHT is None else a * FACTOR + WEIGHT

    def bind(factor: float, weight: torch.Tensor | None) -> Any:
        def change(function: types.FunctionType) -> None:
            function.__globals__.update(FACTOR=factor, WEIGHT=weight)

        return change

    hooks = [
        bind(2.0, None),
        bind(3.0, None),
        bind(3.0, torch.tensor([1.0, 2.0, 4.0])),
        bind(3.0, torch.tensor([7.0, 0.0, 1.0])),
        bind(2.0, None),
    ]
    result = check(program, calls=[(tensor(3),)] * 5, before=hooks, probe=False)
    result.values().expect("""\
out = float32[3] [1.373, -5.26, -0.478]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.508, -0.8187, -0.2041]
""")


@clause("reuse.state")
def test_global_that_hides_a_builtin(check: Check) -> None:
    """A global of a builtin's name that is there in the second call is called in that call, the builtin in others."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * abs(-2)

    @contextlib.contextmanager
    def hidden(function: types.FunctionType) -> Iterator[None]:
        function.__globals__["abs"] = lambda number: number - 5
        yield
        del function.__globals__["abs"]

    calls = [(tensor(2, values=[1.0, 1.0]),)] * 3
    result = check(program, calls=calls, before=[None, hidden, None], probe=False)
    firsts = [float(result.in_call(number).value("out")[0]) for number in range(3)]
    result.happened(firsts == [2, -7, 2], "a global in the builtin's place")


@clause("reuse.state")
def test_global_that_is_bound_to_a_builtin(check: Check) -> None:
    """A global that names a builtin in one call and a function of its own in another is the call's own."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * MEASURE(-2)

    def bind(measure: Any) -> Any:
        def change(function: types.FunctionType) -> None:
            function.__globals__["MEASURE"] = measure

        return change

    hooks = [bind(each) for each in (abs, lambda number: number - 5, abs)]
    result = check(program, calls=[(tensor(2, values=[1.0, 1.0]),)] * 3, before=hooks, probe=False)
    firsts = [float(result.in_call(number).value("out")[0]) for number in range(3)]
    result.happened(firsts == [2, -7, 2], "another function in the second call")


@clause("reuse.state")
def test_closures(check: Check) -> None:
    """A closed-over number, list and tensor, bound or changed between calls, are read in every call."""
    scale, parts = 2.0, [1.0, 3.0]
    weight = torch.tensor([1.0, 2.0, 4.0], device=check.device)

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * scale + weight * sum(parts)

    def bind(**values: Any) -> Any:
        def change(function: types.FunctionType) -> None:
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
                cell.cell_contents = values[name]

        return change

    other = torch.tensor([7.0, 0.0, 1.0], device=check.device)
    hooks = [
        bind(scale=2.0, parts=[1.0, 3.0], weight=weight.clone()),
        bind(scale=5.0, parts=[1.0, 3.0], weight=weight.clone()),
        bind(scale=5.0, parts=[1.0, 3.0, 2.0], weight=weight.clone()),
        bind(scale=5.0, parts=[1.0, 3.0, 2.0], weight=other),
    ]
    result = check(program, calls=[(tensor(3),)] * 4, before=hooks, probe=False)
    result.values().expect("""\
out = float32[3] [5.373, 2.74, 15.52]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [1.486, 6.636, 15.66]
""")


@clause("reuse.state")
def test_objects_of_another_class(check: Check) -> None:
    """An object of another class, or one that was given another attribute, is asked by its own methods."""

    class Doubling:
        offset = 1.0

        def apply(self, a: torch.Tensor) -> torch.Tensor:
            return a * 2 + self.offset

    class Negating(Doubling):
        def apply(self, a: torch.Tensor) -> torch.Tensor:
            return -a + self.offset

    def shifted(kind: type[Doubling], offset: float) -> Any:
        def make() -> Doubling:
            made = kind()
            made.offset = offset
            return made

        return built(make)

    def program(a: torch.Tensor, step: Doubling) -> torch.Tensor:
        return step.apply(a)

    steps = [built(Doubling), built(Negating), shifted(Doubling, 4.0), shifted(Negating, -2.0), built(Doubling)]
    result = check(program, calls=[(tensor(3), step) for step in steps], probe=False)
    result.values().expect("""\
out = float32[3] [2.373, -4.26, 0.522]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [1.503, 1.273, 1.068]
""")


class Turn:
    """Something that is told from others by which one it is."""


class Turns:
    """Two of them, one of which is the current one; how often each was, in ones and in tens."""

    def __init__(self) -> None:
        self.left, self.right = Turn(), Turn()
        self.current, self.count = self.left, 0


def alternating() -> Any:
    """A program that adds in one call and subtracts in the next."""
    turns = Turns()

    def program(a: torch.Tensor) -> torch.Tensor:
        if turns.current is turns.left:
            turns.current, turns.count = turns.right, turns.count + 1
            return a + 1
        turns.current, turns.count = turns.left, turns.count + 10
        return a - 1

    return program


@clause("reuse.state", "python.objects")
def test_which_object_an_attribute_is(check: Check) -> None:
    """An attribute that is one object in a call and another one in the next takes the branch of its own call."""
    result = check(built(alternating), calls=[(tensor(3),)] * 4).shape("out", 3)
    result.in_call(3).holds("closure turns.count", 22)


@clause("reuse.state")
def test_arguments_that_are_one_object(check: Check) -> None:
    """Two arguments are asked in each call whether they are one object, and whether they are equal."""

    def program(a: torch.Tensor, left: Any, right: Any) -> tuple[torch.Tensor, torch.Tensor]:
        return (a + 1 if left is right else a - 1), (a * 2 if left == right else a * 3)

    one, other, numbers = built(Turn), built(Turn), built(lambda: [1])
    pairs = [(one, other), (one, one), (other, one), (numbers, built(lambda: [1])), (numbers, numbers)]
    result = check(program, calls=[(tensor(3), *pair) for pair in pairs])
    result.values().expect("""\
out[0] = float32[3] [-0.3135, -3.63, -1.239]
out[1] = float32[3] [2.059, -7.89, -0.717]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [0.4972, 0.7271, 0.932]
out[1] = float32[3] [-1.006, -0.5458, -0.1361]
""")


@clause("reuse.state", fullgraph=False)
def test_code_of_a_method_replaced(check: Check) -> None:
    """A method that its class was given anew, or whose code was, is what is called from then on."""

    class Step:
        def apply(self, a: torch.Tensor) -> torch.Tensor:
            return a * 2

    def other_method(program: Any) -> None:
        Step.apply = lambda self, a: a * 5  # type: ignore[method-assign]

    def other_code(program: Any) -> None:
        Step.apply.__code__ = (lambda self, a: a * 9).__code__

    def first_method(program: Any) -> None:
        def apply(self: Step, a: torch.Tensor) -> torch.Tensor:
            return a * 2

        Step.apply = apply  # type: ignore[method-assign]

    def program(a: torch.Tensor, step: Step) -> torch.Tensor:
        return step.apply(a)

    calls = [(tensor(3), built(Step))] * 3
    result = check(program, calls=calls, before=[first_method, other_method, other_code], probe=False)
    result.values().expect("""\
out = float32[3] [1.373, -5.26, -0.478]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-2.514, -1.364, -0.3402]
""")


@clause("reuse.state")
def test_attribute_that_comes_before_another(check: Check) -> None:
    """An attribute set on a subclass, or on an object that answered by `__getattr__`, comes before what was found."""

    class Base:
        factor = 2.0

    class Derived(Base):
        pass

    class Answering:
        def __getattr__(self, name: str) -> float:
            if name == "offset":
                return 1.0
            raise AttributeError(name)

    def program(a: torch.Tensor, derived: Derived, answering: Answering) -> torch.Tensor:
        return a * derived.factor + answering.offset

    def on_the_subclass(program: Any) -> None:
        Derived.factor = 5.0

    def on_the_other_class(program: Any) -> None:
        setattr(Answering, "offset", 7.0)  # noqa: B010

    def on_none(program: Any) -> None:
        for owner, name in ((Derived, "factor"), (Answering, "offset")):
            if name in vars(owner):
                delattr(owner, name)

    calls = [(tensor(3), built(Derived), built(Answering))] * 3
    result = check(program, calls=calls, before=[on_none, on_the_subclass, on_the_other_class], probe=False)
    result.values().expect("""\
out = float32[3] [2.373, -4.26, 0.522]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.514, -0.3644, 0.6598]
""")


@clause("reuse.state")
def test_submodule_hidden_by_an_attribute(check: Check) -> None:
    """A submodule that an attribute of the object itself hides is not the one that is called."""

    def hide(module: Any) -> None:
        other = torch.nn.Linear(3, 2, bias=False, device=next(module.parameters()).device)
        torch.nn.init.constant_(other.weight, 5.0)
        object.__setattr__(module, "linear", other)

    def leave(module: Any) -> None:
        vars(module).pop("linear", None)

    result = check(built(Scaled), calls=[(tensor(4, 3),)] * 2, before=[leave, hide], probe=False)
    result.values().expect("""\
out = float32[4, 2] [[1.188, 2.81], [1.323, 3.429], [3.952, 2.873], [2.734, 3.448]]
""")
    result.in_call(1).values().expect("""\
out = float32[4, 2] [[4.261, 3.261], [1.61, 0.6103], [0.6573, -0.3427], [0.5214, -0.4786]]
""")


@clause("reuse.state")
def test_containers_that_methods_close_over(check: Check) -> None:
    """A class made beside the program, whose methods read a dict and a list of theirs, reads what they hold now."""
    settings, parts = {"factor": 1.0}, [1.0]

    class Step:
        def apply(self, a: torch.Tensor) -> torch.Tensor:
            return a * settings["factor"] + len(parts)

    def program(a: torch.Tensor) -> torch.Tensor:
        return Step().apply(a)

    def change(factor: float, count: int) -> Any:
        def hook(program: Any) -> None:
            settings["factor"], parts[:] = factor, [1.0] * count

        return hook

    hooks = [change(1.0, 1), change(7.0, 1), change(7.0, 3)]
    result = check(program, calls=[(tensor(3),)] * 3, before=hooks, probe=False)
    result.values().expect("""\
out = float32[3] [1.686, -1.63, 0.761]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-2.519, -0.9102, 0.5238]
""")


@clause("reuse.state")
def test_attribute_that_was_missing(check: Check) -> None:
    """An attribute that an object lacked in one call and has in the next is found, one that is still missing not."""

    def program(a: torch.Tensor, options: types.SimpleNamespace) -> tuple[torch.Tensor, list[str]]:
        found = []
        if hasattr(options, "scale"):
            found.append("scale")
        if hasattr(options, "shift"):
            found.append("shift")
        return a * 2 + len(found), found

    options = [(), ("shift",), ("scale", "shift"), (), ("scale",)]
    calls = [(tensor(3), built(functools.partial(types.SimpleNamespace, **dict.fromkeys(each, 1)))) for each in options]
    result = check(program, calls=calls, probe=False)
    for number, names in enumerate(options):
        result.in_call(number).holds("out[1]", list(names))


def _scaled_by_a_torch(a: torch.Tensor, scale: float) -> tuple[torch.Tensor, Any]:
    return a * scale, torch


@clause("reuse.state", shapes="dynamic")
def test_global_of_the_name_of_a_module(check: Check) -> None:
    """A global by the name of a module that compiled code needs may be something else: it is that, and does no harm."""
    program = built(lambda: types.FunctionType(_scaled_by_a_torch.__code__, {"torch": 5, "__builtins__": builtins}))
    calls = [(tensor(3, dtype=torch.float64), scale) for scale in (2.5, 3.5, 0.1)]
    check(program, calls=calls, probe=False).holds("out[1]", 5)


@clause("reuse.state")
def test_globals_without_builtins(check: Check) -> None:
    """A function whose globals have no `__builtins__` of their own is called with those of Python."""
    program = built(lambda: types.FunctionType(_scaled_by_a_torch.__code__, {"torch": 7}))
    check(program, calls=[(tensor(3), scale) for scale in (2.5, 3.5)], probe=False).holds("out[1]", 7)


@clause("reuse.state")
def test_stance_of_one_call(check: Check) -> None:
    """A stance that forbids to compile anew holds in its block: a call of another dtype after it compiles."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a + 1

    dtypes = [torch.float32, torch.float32, torch.int64]
    hooks = [None, lambda program: torch.compiler.set_stance("fail_on_recompile"), None]
    calls = [(tensor(3, dtype=dtype),) for dtype in dtypes]
    check(program, calls=calls, before=hooks, probe=False).computed().recompiled(1)


def _stances(*stances: str | tuple[str, dict[str, Any]]) -> Callable[[Any], Any]:
    """A hook: the call is made in these stances, the last innermost."""

    def entered(program: Any) -> contextlib.ExitStack:
        stack = contextlib.ExitStack()
        for each in stances:
            name, options = (each, {}) if isinstance(each, str) else each
            stack.enter_context(torch.compiler.set_stance(name, **options))
        return stack

    return entered


#: In which stances the second and third of four calls are made.
STANCES: dict[str, Callable[[Any], Any]] = {
    "force_eager": _stances("force_eager"),
    "eager_on_recompile": _stances("eager_on_recompile"),
    "eager_then_compile": _stances("eager_then_compile"),
    "aot_eager_then_compile": _stances("aot_eager_then_compile"),
    "force_backend": _stances(("default", {"force_backend": "eager"})),
    "eager_in_failing": _stances("fail_on_recompile", "eager_on_recompile"),
    "default_in_eager": _stances("force_eager", "default"),
    "eager_in_default": _stances("default", "force_eager"),
}


@pytest.mark.parametrize("name", STANCES)
@clause("reuse.state", modes="train", on=QUICK)
def test_stance_of_calls(check: Check, name: str) -> None:
    """Whether a stance has calls compiled or not, they write, return views and differentiate as eager does."""

    def program(a: torch.Tensor, factor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        factor.mul_(2)
        return a.sin() * factor, factor[1:]

    dtypes = [torch.float32, torch.float64, torch.float32, torch.float64]
    calls = [(leaf(3, dtype=dtype), tensor(3, dtype=dtype, grad=False)) for dtype in dtypes]
    result = check(
        program, calls=calls, before=[_stances("default"), STANCES[name], STANCES[name], _stances("default")]
    )
    result.gradient(0).mutated(1).aliases("out[1]", 1).recompiled_at_most(1 if "eager" in name else 3)


@clause("reuse.state", modes="train", on=QUICK)
def test_calls_without_guards(check: Check) -> None:
    """A stance that leaves guards out, once all is compiled that calls need, still tells the kinds of calls apart."""

    def program(a: torch.Tensor, kind: str) -> torch.Tensor:
        return a.sin() * 2 if kind == "sine" else a.exp()

    skipping = _stances(("default", {"skip_guard_eval_unsafe": True}))
    calls = [(leaf(3), kind) for kind in ("sine", "exponential") * 2]
    hooks = [_stances("default")] * 2 + [skipping] * 2
    check(program, calls=calls, before=hooks, probe=False).gradient(0).recompiled(1)


@clause("reuse.state", on=QUICK)
def test_attribute_of_a_class_between_calls_of_its_method(check: Check) -> None:
    """A compiled class method reads the attributes that its class has where it is called."""

    def program(compile_part: Callable[[Any], Any], a: torch.Tensor) -> list[torch.Tensor]:
        class Scale:
            by = 3

            @classmethod
            def scaled(cls, a: torch.Tensor) -> torch.Tensor:
                return a * cls.by

        compiled, found = compile_part(Scale.scaled), []
        for by in (3, 5, 3):
            Scale.by = by
            found.append(compiled(a))
        return found

    result = check(program, tensor(3), in_parts=True).computed()
    result.happened(not torch.equal(result.value("out[0]"), result.value("out[1]")), "another scale")
