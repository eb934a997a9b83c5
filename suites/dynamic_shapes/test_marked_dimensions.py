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


@clause("dynamic-shapes.marked")
def test_marked_dimension_with_bounds(check: Check) -> None:
    """A branch that the marked bounds decide is no guard: every size within them shares one compilation."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a[:2] * 2 if a.size(0) >= 3 else a * 3

    calls = [(marked(size, 2, min=3, max=12),) for size in (4, 3, 12, 7)]
    check(program, calls=calls).shape("out", 2, 2).recompiled(0)


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
    check(program, calls=calls).shape("out", 4, 3).recompiled(2)


@clause("dynamic-shapes.marked")
def test_sizes_one_and_zero_compile_apart(check: Check) -> None:
    """Sizes 0 and 1 are never instances of a symbolic size of automatic dynamic shapes, and are right each time."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(0, keepdim=True) + a

    calls = [(tensor(4, 2),), (tensor(6, 2),), (tensor(1, 2),), (tensor(0, 2),), (tensor(8, 2),), (tensor(1, 2),)]
    check(program, calls=calls, probe=False).shape("out", 4, 2).recompiled(3)


@clause("dynamic-shapes.marked")
def test_every_size_compiles_without_automatic_dynamic_shapes(check: Check) -> None:
    """With automatic dynamic shapes off, each size is compiled for itself, once."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.flip(0) * a.size(0)

    calls = [(tensor(4),), (tensor(6),), (tensor(4),), (tensor(9),), (tensor(6),)]
    result = check(program, calls=calls, config={"dynamo.automatic_dynamic_shapes": False})
    result.shape("out", 4).recompiled(2)


@clause("dynamic-shapes.marked", shapes="dynamic")
def test_marked_static_dimension_stays_constant(check: Check) -> None:
    """Under `dynamic=True`, a dimension marked as static is compiled for its size: another one compiles anew."""

    def fixed(rows: int) -> BuiltSpec:
        return built(lambda data: torch_internals.mark_static(data, 0), tensor(rows, 3))

    def program(a: torch.Tensor) -> torch.Tensor:
        return a.sum(0) * a.size(0)

    check(program, calls=[(fixed(3),), (fixed(5),), (fixed(3),)]).shape("out", 3).recompiled(1)


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
    check(program, calls=calls).shape("out", 3).recompiled(1)


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

    check(program, calls=[(tensor(3), n) for n in (2, 3, 1, 0)], probe=False).gradient(0)
