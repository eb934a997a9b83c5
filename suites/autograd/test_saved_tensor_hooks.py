"""Hooks on saved tensors: graph modules are inlined into the forward and backward graphs, others are called."""

from collections.abc import Callable
from typing import Any

import torch

from suites.harness import Check, clause, leaf, tensor


def _scale(a: torch.Tensor) -> torch.Tensor:
    return a * 4


def _unscale(a: torch.Tensor) -> torch.Tensor:
    return a / 4


def _negate(a: torch.Tensor) -> torch.Tensor:
    return -a


def _to_fp8(a: torch.Tensor) -> torch.Tensor:
    return a.to(torch.float8_e5m2)


def _from_fp8(a: torch.Tensor) -> torch.Tensor:
    return a.to(torch.float32)


def _to_scaled_fp8(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scale = a.abs().amax(1, keepdim=True)
    return (a / scale).to(torch.float8_e5m2), scale


def _from_scaled_fp8(packed: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    values, scale = packed
    return values.to(torch.float32) * scale


def _with_dtype(a: torch.Tensor) -> tuple[torch.Tensor, Any, float, int]:
    return (a * 8).to(torch.float64), a.dtype, 8.0, a.shape[0]


def _by_dtype(packed: tuple[torch.Tensor, Any, float, int]) -> torch.Tensor:
    values, dtype, factor, rows = packed
    return (values / factor).to(dtype)[:rows]


def _in_place(a: torch.Tensor) -> torch.Tensor:
    return a.mul_(2)


def _same(a: torch.Tensor) -> torch.Tensor:
    return a


def traced(*functions: Callable[..., Any]) -> tuple[torch.fx.GraphModule, ...]:
    """The functions as graph modules, which AOTAutograd takes for hooks that it may inline."""
    return tuple(torch.fx.symbolic_trace(function) for function in functions)


#: Not closed over: that Dynamo calls a graph module is noted in its graph, and is not what the clauses are about.
SCALED = traced(_scale, _unscale)
NEGATED = traced(_negate, _negate)
FP8 = traced(_to_fp8, _from_fp8)
SCALED_FP8 = traced(_to_scaled_fp8, _from_scaled_fp8)
WITH_DTYPE = traced(_with_dtype, _by_dtype)
IN_PLACE = traced(_in_place, _same)


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Saves its input ``b`` and two products, which nobody else keeps."""
    c = a @ b
    d = c @ b
    return (c * d).sum(0)


@clause("T9.6", modes="train", fullgraph=False)
def test_hooks_are_inlined_for_tensors_that_only_backward_keeps(check: Check) -> None:
    """By default what only backward keeps is packed at the end of forward and unpacked in backward; inputs are not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*SCALED):
            return product(a, b)

    result = check(program, tensor(3, 3), leaf(3, 3))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    mm_1 = torch.ops.aten.mm.default(mm, primals_2)
    mul = torch.ops.aten.mul.Tensor(mm, mm_1)
    sum_1 = torch.ops.aten.sum.dim_IntList(mul, [0])
    t = torch.ops.aten.t.default(primals_2)
    t_1 = torch.ops.aten.t.default(primals_1)
    mul_1 = torch.ops.aten.mul.Tensor(mm, 4)
    mul_2 = torch.ops.aten.mul.Tensor(mm_1, 4)
    return (sum_1, mul_1, mul_2, t, t_1)
""")
    result.backward.expect("""\
def forward(self, mm_hook_0, mm_1_hook_0, t_1, t_2, tangents_1):
    div = torch.ops.aten.div.Tensor(mm_1_hook_0, 4)
    div_1 = torch.ops.aten.div.Tensor(mm_hook_0, 4)
    unsqueeze = torch.ops.aten.unsqueeze.default(tangents_1, 0)
    expand = torch.ops.aten.expand.default(unsqueeze, [3, 3])
    mul = torch.ops.aten.mul.Tensor(expand, div_1)
    mul_1 = torch.ops.aten.mul.Tensor(expand, div)
    t = torch.ops.aten.t.default(div_1)
    mm = torch.ops.aten.mm.default(t, mul)
    mm_1 = torch.ops.aten.mm.default(mul, t_1)
    add = torch.ops.aten.add.Tensor(mul_1, mm_1)
    mm_2 = torch.ops.aten.mm.default(t_2, add)
    mm_3 = torch.ops.aten.mm.default(add, t_1)
    add_1 = torch.ops.aten.add.Tensor(mm, mm_2)
    return (mm_3, add_1)
""")


@clause("T9.6", modes="train", fullgraph=False)
def test_hooks_are_inlined_for_every_saved_tensor_on_request(check: Check) -> None:
    """With the filter off, inputs that are saved are packed, too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*SCALED):
            return product(a, b)

    result = check(program, tensor(3, 3), leaf(3, 3), config={"functorch.saved_tensors_hooks_filtering_mode": "all"})
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    mm_1 = torch.ops.aten.mm.default(mm, primals_2)
    mul = torch.ops.aten.mul.Tensor(mm, mm_1)
    sum_1 = torch.ops.aten.sum.dim_IntList(mul, [0])
    t = torch.ops.aten.t.default(primals_2)
    t_1 = torch.ops.aten.t.default(primals_1)
    mul_1 = torch.ops.aten.mul.Tensor(mm, 4)
    mul_2 = torch.ops.aten.mul.Tensor(mm_1, 4)
    mul_3 = torch.ops.aten.mul.Tensor(t, 4)
    mul_4 = torch.ops.aten.mul.Tensor(t_1, 4)
    return (sum_1, mul_1, mul_2, mul_3, mul_4)
""")


@clause("T9.6", modes="train", fullgraph=False)
def test_hooks_leave_parameters_out_on_request(check: Check) -> None:
    """With the filter on static tensors, parameters stay as they are, and inputs that are saved are packed."""
    rows = [[1.0, 2.0, 3.0], [0.5, -1.0, 2.0], [3.0, 1.0, -2.0]]
    weight = torch.nn.Parameter(torch.tensor(rows, device=check.device))

    def program(a: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*SCALED):
            return product(a, weight)

    result = check(program, tensor(3, 3), config={"functorch.saved_tensors_hooks_filtering_mode": "no_static"})
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    mm_1 = torch.ops.aten.mm.default(mm, primals_2)
    mul = torch.ops.aten.mul.Tensor(mm, mm_1)
    sum_1 = torch.ops.aten.sum.dim_IntList(mul, [0])
    t = torch.ops.aten.t.default(primals_1)
    mul_1 = torch.ops.aten.mul.Tensor(mm, 4)
    mul_2 = torch.ops.aten.mul.Tensor(mm_1, 4)
    mul_3 = torch.ops.aten.mul.Tensor(t, 4)
    return (sum_1, primals_2, mul_1, mul_2, mul_3)
""")


@clause("T9.6", modes="train", fullgraph=False)
def test_activations_are_packed_to_fp8(check: Check) -> None:
    """Activations that float8 can hold exactly are saved in it, and the gradients are those of the exact values."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*FP8):
            return product(a, b)

    swap = [[0.0, 2.0], [0.5, 0.0]]
    result = check(program, leaf(2, 2, values=[[1.0, -1.5], [0.25, 3.0]]), leaf(2, 2, values=swap))
    result.gradient(0, 1)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    mm = torch.ops.aten.mm.default(primals_1, primals_2)
    mm_1 = torch.ops.aten.mm.default(mm, primals_2)
    mul = torch.ops.aten.mul.Tensor(mm, mm_1)
    sum_1 = torch.ops.aten.sum.dim_IntList(mul, [0])
    t = torch.ops.aten.t.default(primals_2)
    t_1 = torch.ops.aten.t.default(primals_1)
    _to_copy = torch.ops.aten._to_copy.default(mm, dtype=torch.float8_e5m2)
    _to_copy_1 = torch.ops.aten._to_copy.default(mm_1, dtype=torch.float8_e5m2)
    return (sum_1, _to_copy, _to_copy_1, t, t_1)
""")


@clause("T9.6", modes="train", fullgraph=False)
def test_activations_are_packed_to_fp8_with_their_scales(check: Check) -> None:
    """Activations are saved as float8 rows and one scale a row; unpacking puts the two together again."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*SCALED_FP8):
            return product(a, b)

    swap = [[0.0, 2.0], [0.5, 0.0]]
    result = check(program, leaf(2, 2, values=[[96.0, -1.5], [0.25, 2.0]]), leaf(2, 2, values=swap))
    result.gradient(0, 1)
    result.backward.expect("""\
def forward(self, mm_hook_0, mm_hook_1, mm_1_hook_0, mm_1_hook_1, t_1, t_2, tangents_1):
    _to_copy = torch.ops.aten._to_copy.default(mm_1_hook_0, dtype=torch.float32)
    mul = torch.ops.aten.mul.Tensor(_to_copy, mm_1_hook_1)
    _to_copy_1 = torch.ops.aten._to_copy.default(mm_hook_0, dtype=torch.float32)
    mul_1 = torch.ops.aten.mul.Tensor(_to_copy_1, mm_hook_1)
    unsqueeze = torch.ops.aten.unsqueeze.default(tangents_1, 0)
    expand = torch.ops.aten.expand.default(unsqueeze, [2, 2])
    mul_2 = torch.ops.aten.mul.Tensor(expand, mul_1)
    mul_3 = torch.ops.aten.mul.Tensor(expand, mul)
    t = torch.ops.aten.t.default(mul_1)
    mm = torch.ops.aten.mm.default(t, mul_2)
    mm_1 = torch.ops.aten.mm.default(mul_2, t_1)
    add = torch.ops.aten.add.Tensor(mul_3, mm_1)
    mm_2 = torch.ops.aten.mm.default(t_2, add)
    mm_3 = torch.ops.aten.mm.default(add, t_1)
    add_1 = torch.ops.aten.add.Tensor(mm, mm_2)
    return (mm_3, add_1)
""")


@clause("T9.6", modes="train", shapes=("static", "dynamic"), fullgraph=False)
def test_packed_tensor_with_a_dtype_a_factor_and_a_size(check: Check) -> None:
    """What a hook packs beside tensors, a dtype, a float and a size, reaches its unpacking, for sizes of each call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*WITH_DTYPE):
            return product(a, b)

    check(program, calls=[(tensor(3, 3), leaf(3, 3)), (tensor(4, 4), leaf(4, 4))]).gradient(0, 1)


@clause("T9.6", modes="train", fullgraph=False)
def test_other_hooks_on_a_later_call_are_inlined_anew(check: Check) -> None:
    """A call under other graph modules is compiled for these, and one without any for none."""

    def program(a: torch.Tensor, b: torch.Tensor, which: int) -> torch.Tensor:
        if which == 2:
            return product(a, b)
        with torch.autograd.graph.saved_tensors_hooks(*(NEGATED if which else SCALED)):
            return product(a, b)

    arguments = tensor(3, 3), leaf(3, 3)
    check(program, calls=[(*arguments, 0), (*arguments, 1), (*arguments, 2), (*arguments, 0)]).gradient(0, 1)


@clause("T9.6", modes="train", fullgraph=False)
def test_hook_that_changes_what_it_packs_is_refused(check: Check) -> None:
    """A graph module that writes to the tensor that it packs is refused, as the same function is in eager."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        with torch.autograd.graph.saved_tensors_hooks(*IN_PLACE):
            return product(a, b)

    check(program, tensor(3, 3), leaf(3, 3)).raised("in place")


@clause("T9.6", modes="train", fullgraph=False)
def test_hooks_that_are_functions_are_called(check: Check) -> None:
    """Python functions are called for what the compiled program saves: packed after forward, unpacked in backward."""

    def program(a: torch.Tensor, b: torch.Tensor, seen: dict[str, bool]) -> torch.Tensor:
        def pack(saved: torch.Tensor) -> torch.Tensor:
            seen["packed"] = True
            return saved * 4

        def unpack(packed: torch.Tensor) -> torch.Tensor:
            seen["unpacked"] = True
            return packed / 4

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return product(a, b)

    result = check(program, calls=[(tensor(3, 3), leaf(3, 3), {"packed": False, "unpacked": False})])
    result.gradient(0, 1).mutated_in_backward("arg[2]")
