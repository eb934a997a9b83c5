"""Which dimensions are symbolic: as marked, as the caller asks, or once a second size has come; and what that costs."""

import torch

from suites.harness import Check, built, clause, tensor, torch_internals
from suites.harness.programs.specs import BuiltSpec


def marked(rows: int, columns: int, dim: int = 0, **bounds: int) -> BuiltSpec:
    """A tensor of ``rows`` by ``columns`` whose dimension ``dim`` is marked as dynamic."""
    return built(lambda data: torch_internals.mark_dynamic(data, dim, **bounds), tensor(rows, columns))


@clause("dynamic-shapes.marked", modes="train")
def test_marked_dimension_is_compiled_once(check: Check) -> None:
    """A dimension marked as dynamic is symbolic from the first call: other sizes of it share one compilation."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(0) * a.size(0)

    result = check(program, calls=[(marked(3, 4),), (marked(5, 4),), (marked(9, 4),)])
    result.gradient(0).recompiled(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    sum_1 = torch.ops.aten.sum.dim_IntList(primals_2, [0])
    mul = torch.ops.aten.mul.Tensor(sum_1, primals_1)
    return (mul, primals_1)
""")


@clause("dynamic-shapes.marked")
def test_dimension_beside_the_marked_one_stays_constant(check: Check) -> None:
    """The dimension that was not marked is guarded: another size of it compiles anew, and is right."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.t() * a.size(1) + a.size(0)

    result = check(program, calls=[(marked(3, 4),), (marked(5, 4),), (marked(5, 6),), (marked(7, 4),)])
    result.shape("out", 4, 3).recompiled(1)
    result.values().expect("""\
out = float32[4, 3] [[5.746, 1.176, -1.528], [-7.52, 7.061, -5.889], [2.044, -3.346, 3.668], [-2.528, 6.603, 2.434]]
""")
    result.in_call(1).values().expect("""\
out = float32[4, 5] [[-3.536, 10.68, 11.57, 8.813, 1.067], [2.838, 3.493, 7.064, 7.283, 0.9273], [5.769, 2.755,
    7.26, -2.057, -2.387], [10.5, 0.3391, 9.248, -4.142, 6.2]]
""")


@clause("dynamic-shapes.marked")
def test_marked_dimension_with_bounds(check: Check) -> None:
    """A branch that the marked bounds decide is no guard: every size within them shares one compilation."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[:2] * 2 if a.size(0) >= 3 else a * 3

    calls = [(marked(size, 2, min=3, max=12),) for size in (4, 3, 12, 7)]
    result = check(program, calls=calls).recompiled(0)
    result.values().expect("""\
out = float32[2, 2] [[1.373, -5.26], [-0.478, -2.764]]
""")
    result.in_call(1).values().expect("""\
out = float32[2, 2] [[-1.006, -0.5458], [-0.1361, 1.819]]
""")


@clause("dynamic-shapes.marked", modes="train")
def test_second_size_makes_a_dimension_dynamic(check: Check) -> None:
    """The second size compiles anew, with that dimension symbolic; a third and a fourth compile nothing."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * a.size(0)

    result = check(program, calls=[(tensor(4, 3),), (tensor(6, 3),), (tensor(9, 3),), (tensor(5, 3),)])
    result.gradient(0).recompiled(1)


@clause("dynamic-shapes.marked")
def test_each_dimension_becomes_dynamic_by_itself(check: Check) -> None:
    """A dimension whose size has never changed stays constant beside one that has become symbolic."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.cumsum(1) + a.size(0) * a.size(1)

    calls = [(tensor(4, 3),), (tensor(6, 3),), (tensor(6, 5),), (tensor(7, 8),)]
    result = check(program, calls=calls).recompiled(2)
    result.values().expect("""\
out = float32[4, 3] [[12.69, 10.06, 9.817], [10.62, 10.16, 11.18], [10.41, 11.31, 10.18], [9.778, 9.945, 9.803]]
""")
    result.in_call(1).values().expect("""\
out = float32[6, 3] [[15.87, 15.33, 15.76], [17.69, 19.11, 18.73], [17.44, 16.27, 17.92], [18.52, 17.87, 17.96],
    [18.95, 19.52, 17.76], [15.71, 14.73, 13.71]]
""")


@clause("dynamic-shapes.marked")
def test_sizes_one_and_zero_compile_apart(check: Check) -> None:
    """Sizes 0 and 1 are never instances of a symbolic size of automatic dynamic shapes, and are right each time."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(0, keepdim=True) + a

    calls = [(tensor(4, 2),), (tensor(6, 2),), (tensor(1, 2),), (tensor(0, 2),), (tensor(8, 2),), (tensor(1, 2),)]
    result = check(program, calls=calls, probe=False).recompiled(3)
    result.values().expect("""\
out = float32[4, 2] [[-0.9087, -4.726], [-1.834, -3.478], [-2.051, -1.081], [-3.182, -1.195]]
""")
    result.in_call(1).values().expect("""\
out = float32[6, 2] [[1.276, 1.52], [1.71, 2.703], [1.3, 1.27], [3.866, 2.02], [1.743, 2.23], [2.554, 2.809]]
""")


@clause("dynamic-shapes.marked")
def test_every_size_compiles_without_automatic_dynamic_shapes(check: Check) -> None:
    """With automatic dynamic shapes off, each size is compiled for itself, once."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.flip(0) * a.size(0)

    calls = [(tensor(4),), (tensor(6),), (tensor(4),), (tensor(9),), (tensor(6),)]
    result = check(program, calls=calls, config={"dynamo.automatic_dynamic_shapes": False})
    result.shape("out", 4).recompiled(2)
    result.values().expect("""\
out = float32[4] [-5.528, -0.956, -10.52, 2.746]
""")
    result.in_call(1).values().expect("""\
out = float32[6] [-3.139, -2.872, 5.458, -0.4082, -1.637, -3.017]
""")


def _perhaps(rows: int) -> BuiltSpec:
    return built(lambda data: torch_internals.maybe_mark_dynamic(data, 0), tensor(rows, 3))


@clause("dynamic-shapes.marked", modes="train")
def test_dimension_that_may_be_dynamic_is_compiled_once(check: Check) -> None:
    """A dimension marked as one that may be dynamic is symbolic from the first call where nothing asks for its size."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(0) * a.size(0)

    check(program, calls=[(_perhaps(rows),) for rows in (3, 5, 9)]).gradient(0).recompiled(0)


@clause("dynamic-shapes.marked", modes="train")
def test_dimension_that_may_be_dynamic_and_whose_size_is_asked_for(check: Check) -> None:
    """Where a program takes a branch by its size, such a dimension is constant, and another size compiles anew."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sin() * 2 if a.size(0) == 3 else a.cos() * a.size(0)

    check(program, calls=[(_perhaps(rows),) for rows in (3, 5, 9, 3)]).gradient(0).recompiled(1)


@clause("dynamic-shapes.marked", shapes="dynamic")
def test_marked_static_dimension_stays_constant(check: Check) -> None:
    """Under `dynamic=True`, a dimension marked as static is compiled for its size: another one compiles anew."""

    def fixed(rows: int) -> BuiltSpec:
        return built(lambda data: torch_internals.mark_static(data, 0), tensor(rows, 3))

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(0) * a.size(0)

    result = check(program, calls=[(fixed(3),), (fixed(5),), (fixed(3),)]).recompiled(1)
    result.values().expect("""\
out = float32[3] [-6.846, -6.556, -1.067]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [13.06, -7.047, 2.066]
""")


@clause("dynamic-shapes.marked", "dynamic-shapes.unbacked")
def test_dimension_marked_unbacked_takes_every_size(check: Check) -> None:
    """A dimension of which nothing may be assumed takes the sizes 0 and 1 in one compilation with the others."""

    def unbacked(rows: int) -> BuiltSpec:
        return built(lambda data: torch_internals.mark_unbacked(data, 0), tensor(rows, 3))

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * a.size(0) + 1, a.sum(0)

    result = check(program, calls=[(unbacked(4),), (unbacked(1),), (unbacked(0),), (unbacked(7),)]).recompiled(0)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    ge = operator.ge(arg0_1, 0)
    _assert_scalar = torch.ops.aten._assert_scalar.default(
        ge, "Runtime assertion failed for expression u0 >= 0 on node 'ge'",
    )
    mul = torch.ops.aten.mul.Tensor(arg1_1, arg0_1)
    add = torch.ops.aten.add.Tensor(mul, 1)
    sum_1 = torch.ops.aten.sum.dim_IntList(arg1_1, [0])
    return (add, sum_1)
""")


@clause("dynamic-shapes.marked", shapes="dynamic")
def test_integers_as_arguments_are_the_calls_own(check: Check) -> None:
    """An integer argument sizes, indexes and scales by the call's own value, 0, 1 and a negative one too."""

    def program(a: torch.Tensor, n: int) -> tuple[torch.Tensor, torch.Tensor, int]:
        return a * n + a[n], a.roll(n, 0), n * 2 + 1

    calls = [(tensor(7), 3), (tensor(7), 5), (tensor(7), 0), (tensor(7), 1), (tensor(7), -2)]
    check(program, calls=calls, probe=False).holds("out[2]", 7)


@clause("dynamic-shapes.marked")
def test_second_integer_makes_an_argument_dynamic(check: Check) -> None:
    """The second value of an integer argument compiles anew, as a symbol; the third compiles nothing."""

    def program(a: torch.Tensor, n: int) -> torch.Tensor:
        return a * n + torch.arange(n).sum()

    calls = [(tensor(3), 4), (tensor(3), 7), (tensor(3), 12), (tensor(3), 5)]
    result = check(program, calls=calls).recompiled(1)
    result.values().expect("""\
out = float32[3] [8.746, -4.52, 5.044]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [17.48, 19.09, 20.52]
""")


@clause("dynamic-shapes.marked", modes="train", shapes=("dynamic", "static"))
def test_floats_as_arguments_are_the_calls_own(check: Check) -> None:
    """A float argument, also 0.0, 1.0, -0.0 and infinity, is the call's own in values and gradients."""

    def program(a: torch.Tensor, scale: float) -> torch.Tensor:
        return a * scale + a.sin() / (2.0 + scale)

    scales = (0.5, 2.5, 0.0, 1.0, -0.0, float("inf"), 0.1)
    check(program, calls=[(tensor(3), scale) for scale in scales], probe=False).gradient(0)


@clause("dynamic-shapes.marked", "dynamic-shapes.arithmetic", modes=("no_grad", "train"))
def test_power_by_an_integer_argument(check: Check) -> None:
    """An exponent that is an integer argument is the call's own, in the power and in its gradient."""

    def program(a: torch.Tensor, n: int) -> torch.Tensor:
        return a**n + n**2

    result = check(program, calls=[(tensor(3), n) for n in (2, 3, 1, 0)], probe=False).gradient(0)
    result.values().expect("""\
out = float32[3] [4.471, 10.92, 4.057]
""")
    result.in_call(1).values().expect("""\
out = float32[3] [8.873, 8.98, 9]
""")
