"""What the keys of the caches hold: a call that differs in it is compiled anew, and gets its own answer."""

from typing import Any

import torch

from suites.harness import Check, built, clause, tensor
from suites.harness.backends.entry_points.inductor_cached import Under

from .counting import demand_counts

ON = ("inductor_cached",)

FACTOR = 0.0


@clause("caches.keys", on=ON)
def test_key_holds_the_value_of_a_global(check: Check) -> None:
    """A program whose global has another number is compiled anew, and one that has the first number again is a hit."""

    def program(a: torch.Tensor, factor: float) -> Any:
        global FACTOR
        FACTOR = factor
        return a * FACTOR + 1

    result = check(program, calls=[(tensor(3), 2.0), (tensor(3), 3.0), (tensor(3), 2.0)]).shape("out", 3)
    demand_counts(check, result, hit=1, miss=2)
    result.values().expect("""\
out = float32[3] [2.373, -4.26, 0.522]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-0.5083, 0.1813, 0.7959]
""")


@clause("caches.keys", on=ON)
def test_key_holds_what_a_closure_chose(check: Check) -> None:
    """Another function in the program's closure is another graph, though nothing of the arguments differs."""
    activations = [torch.sin, torch.cos, torch.sin]

    def program(a: torch.Tensor) -> Any:
        return activations.pop()(a) * 2

    result = check(program, calls=[(tensor(3),)] * 3).shape("out", 3)
    demand_counts(check, result, hit=1, miss=2)
    result.values().expect("""\
out = float32[3] [1.268, -0.979, -0.4735]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [1.753, 1.926, 1.995]
""")


@clause("caches.keys", on=ON)
def test_key_holds_the_constants_in_the_program(check: Check) -> None:
    """A tensor that the program makes of Python numbers has the numbers of its own call."""

    def program(a: torch.Tensor, numbers: list[int]) -> Any:
        return a * torch.tensor(numbers, device=a.device) + 1

    result = check(program, calls=[(tensor(3), [1, 2, 3]), (tensor(3), [4, 5, 6]), (tensor(3), [4, 5, 6])])
    demand_counts(check, result, hit=1, miss=2)
    result.values().expect("""\
out = float32[3] [1.686, -4.26, 0.283]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-1.011, -0.3644, 0.5918]
""")


@clause("caches.keys", on=ON)
def test_tensor_in_the_closure_is_no_part_of_the_key(check: Check) -> None:
    """A tensor that the program closes over is an input of what is cached: a hit computes with its values of now."""
    held = torch.tensor([1.0, 2.0, 3.0], device=check.device)

    def program(a: torch.Tensor) -> Any:
        held.add_(1)
        return a * held

    result = check(program, calls=[(tensor(3),)] * 3).mutated("closure held")
    demand_counts(check, result, hit=2, miss=1)


@clause("caches.keys", on=ON)
def test_key_holds_dtypes_and_strides(check: Check) -> None:
    """Inputs of another dtype or in another order of memory are compiled for, and come out as eager's."""

    def program(a: torch.Tensor) -> Any:
        return a * 3, a.clone()

    kinds = [tensor(2, 3), tensor(2, 3, dtype=torch.float64), tensor(2, 3, strides=(1, 2)), tensor(2, 3)]
    result = check(program, calls=[(kind,) for kind in kinds]).strides("out[0]", 3, 1)
    demand_counts(check, result, hit=1, miss=3)
    result.values().expect("""\
out[0] = float32[2, 3] [[2.059, -7.89, -0.717], [-4.146, -1.368, 3.046]]
out[1] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
""")
    result.in_call(1).values().expect("""\
out[0] = float64[2, 3] [[-1.508, -0.8187, -0.2041], [2.729, -1.436, -1.57]]
out[1] = float64[2, 3] [[-0.5028, -0.2729, -0.06803], [0.9096, -0.4786, -0.5232]]
""")


@clause("caches.keys", on=ON)
def test_key_holds_which_arguments_are_one_tensor(check: Check) -> None:
    """A graph for two tensors does not serve one tensor given twice, where a write to one shows in the other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        a.add_(1)
        return a * b

    twice = tensor(3)
    result = check(program, calls=[(tensor(3), tensor(3)), (twice, twice)]).mutated(0)
    demand_counts(check, result, miss=2)


@clause("caches.keys", modes="train", on=ON)
def test_key_holds_what_requires_grad(check: Check) -> None:
    """The same arithmetic for other inputs that require grad gives gradients to these, and to no others."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        return (a * b).tanh()

    plain = tensor(3, grad=False)
    result = check(program, calls=[(plain, plain), (tensor(3), plain), (plain, tensor(3))]).no_grad("out")
    demand_counts(check, result, miss=3)
    result.values().expect("""\
out = float32[3] [0.4392, 1, 0.05706]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-0.4279, 0.1299, 0.03558]
""")


@clause("caches.keys", modes="train", on=ON)
def test_key_holds_the_grad_mode(check: Check) -> None:
    """A part of the program without gradients is cached apart from the same part with them."""

    def program(a: torch.Tensor, records: bool) -> Any:
        with torch.set_grad_enabled(records):
            b = a.tanh()
        return b * a

    result = check(program, calls=[(tensor(3), False), (tensor(3), True), (tensor(3), False)]).gradient(0)
    demand_counts(check, result, hit=1, miss=2)


@clause("caches.keys", on=ON)
def test_key_holds_autocast(check: Check) -> None:
    """A product under autocast, on or off, has the dtype of its own call, whether that is cached apart or passes by."""

    def program(a: torch.Tensor, enabled: bool, dtype: torch.dtype) -> Any:
        with torch.autocast(a.device.type, dtype, enabled=enabled):
            return a @ a

    calls = [(tensor(4, 4), True, torch.bfloat16), (tensor(4, 4), False, torch.bfloat16)]
    result = check(program, calls=[*calls, calls[0]])
    second = result.in_call(1).call.tensors
    result.happened(second["out"].dtype == "float32", "a call without autocast")
    result.values().expect("""\
out = bfloat16[4, 4] [[0.8047, -0.6641, -1.578, 0.5234], [0.004883, 0.8711, 1.336, -1.164], [0.01843, -0.582, 2.016,
    -2.484], [0.0354, -0.3438, -1.531, 1.906]]
""")
    result.in_call(1).values().expect("""\
out = float32[4, 4] [[4.637, -0.7923, 0.7619, -5.178], [3.656, 5.081, 0.7935, 3.468], [3.554, 3.727, 2.922, 2.256],
    [0.6678, 2.959, 2.196, 3.768]]
""")


@clause("caches.keys", on=ON)
def test_key_holds_settings_of_the_compiler(check: Check) -> None:
    """Another setting of Inductor or of AOTAutograd is another key; the first settings again are a hit."""

    def program(a: torch.Tensor, under: Under) -> Any:
        return a * 2 - 1

    inductor = Under((("inductor.max_fusion_size", 3),))
    functorch = Under((("functorch.treat_parameters_as_free_to_save", False),))
    calls = [(tensor(3), under) for under in (Under(), inductor, functorch, Under(), inductor)]
    result = check(program, calls=calls).shape("out", 3)
    demand_counts(check, result, hit=2, miss=3)
    result.values().expect("""\
out = float32[3] [0.3729, -6.26, -1.478]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [-2.006, -1.546, -1.136]
""")


@clause("caches.keys", shapes="dynamic", on=ON)
def test_float_that_is_a_bound_and_a_factor(check: Check) -> None:
    """A float that a graph is given, and that both bounds and scales, is the call's own in each of its places."""

    def program(a: torch.Tensor, limit: float) -> Any:
        return a.clamp(max=limit) * limit

    result = check(program, calls=[(tensor(8), limit) for limit in (0.75, 0.5, -0.5)])
    result.values().expect("""\
out = float32[8] [0.5148, -1.973, -0.1792, -1.036, -0.342, 0.5625, -1.19, 0.5625]
""")
    result.in_call(1).values().expect("""\
out = float32[8] [-0.2514, -0.1364, -0.03402, 0.25, -0.2393, -0.2616, 0.25, 0.1134]
""")


@clause("caches.keys", modes="train", on=ON)
def test_key_holds_the_backward_of_a_function(check: Check) -> None:
    """Two custom Functions of one name whose forwards are equal are cached apart for their backwards."""

    def make(scale: float) -> Any:
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
                return a * 2

            @staticmethod
            def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
                return gradient * scale

        return Scaled

    first, second = make(3.0), make(-7.0)

    def program(a: torch.Tensor, other: bool) -> Any:
        return (second if other else first).apply(a) + 1

    config = {"functorch.autograd_cache_allow_custom_autograd_functions": True}
    calls = [(tensor(3), False), (tensor(3), True), (tensor(3), False)]
    result = check(program, calls=calls, config=config).gradient(0)
    demand_counts(check, result, hit=1, miss=2)


@clause("caches.keys", modes="train", on=ON)
def test_key_holds_hooks_on_tensors(check: Check) -> None:
    """A hook that multiplies a gradient in one call does nothing to the gradient of the next."""

    def program(a: torch.Tensor, factor: float) -> Any:
        b = a * 2
        if factor:
            b.register_hook(lambda gradient: gradient * factor)
        return b.tanh()

    check(program, calls=[(tensor(3), 0.0), (tensor(3), 10.0), (tensor(3), -3.0)]).gradient(0)


@clause("caches.keys", modes="train", on=ON, fullgraph=False)
def test_key_holds_hooks_on_saved_tensors(check: Check) -> None:
    """A graph compiled within hooks that pack what is saved is not the graph without them, nor that of other hooks."""

    def program(a: torch.Tensor, factor: float) -> Any:
        hooks = torch.autograd.graph.saved_tensors_hooks(lambda kept: kept * factor, lambda kept: kept + factor)
        b = a * 2
        with hooks:
            return b.sin() * a

    check(program, calls=[(tensor(3), 2.0), (tensor(3), 5.0)]).gradient(0)


@clause("caches.keys", modes="train", on=ON)
def test_key_holds_which_outputs_are_detached(check: Check) -> None:
    """An output that is detached, or returned twice, is cached apart from one that is not."""

    def program(a: torch.Tensor, detached: bool) -> Any:
        b = a.tanh()
        return (b.detach() if detached else b), b * 2

    result = check(program, calls=[(tensor(3), True), (tensor(3), False), (tensor(3), True)]).no_grad("out[0]")
    demand_counts(check, result, hit=1, miss=2)
    result.values().expect("""\
out[0] = float32[3] [0.5957, -0.9897, -0.2345]
out[1] = float32[3] [1.191, -1.979, -0.4691]
""")
    result.in_call(1).values().expect("""\
out[0] = float32[3] [-0.4643, -0.2663, -0.06793]
out[1] = float32[3] [-0.9286, -0.5326, -0.1359]
""")


@clause("caches.keys", on=ON)
def test_hit_returns_the_structure_of_its_own_call(check: Check) -> None:
    """The same graph in another container, with other Python values beside it, is a hit that returns these."""

    def program(a: torch.Tensor, number: int) -> Any:
        b = a * 2 - 1
        return {"b": b, "number": number} if number else (b, "none")

    result = check(program, calls=[(tensor(3), 0), (tensor(3), 7)]).holds("out[1]", "none")
    demand_counts(check, result, hit=1, miss=1)


@clause("caches.keys", on=ON)
def test_key_holds_the_default_dtype(check: Check) -> None:
    """A tensor made without a dtype has the default one of its call's global_state."""

    def under(dtype: torch.dtype) -> Any:
        return built(lambda: dtype)

    def program(a: torch.Tensor, dtype: torch.dtype) -> Any:
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        b = a + torch.ones(3, device=a.device)
        torch.set_default_dtype(before)
        return b

    calls = [(tensor(3), under(torch.float32)), (tensor(3), under(torch.float64)), (tensor(3), under(torch.float32))]
    result = check(program, calls=calls).shape("out", 3)
    demand_counts(check, result, hit=1, miss=2)
    result.values().expect("""\
out = float32[3] [1.686, -1.63, 0.761]
""")
    result.in_call(1).values().expect("""\
out = float64[3] [0.4972, 0.7271, 0.932]
""")
