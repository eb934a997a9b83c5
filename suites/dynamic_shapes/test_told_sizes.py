"""Sizes and integers of which torch.compile is told beforehand that they change: one compilation for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import torch
from packaging.version import Version

from suites.harness import Check, clause, tensor

if TYPE_CHECKING:
    from torch.fx.experimental.dynamic_spec import ParamsSpec, ShapesSpec


def _told(sizes: Callable[[], ParamsSpec | ShapesSpec]) -> Callable[[], dict[str, Any]]:
    """What torch.compile is told of sizes, by the name that this release has for it."""
    of_2_13 = Version(torch.__version__).release < (2, 14)
    return lambda: {"shapes_spec" if of_2_13 else "dynamic_shapes": sizes()}


@clause("dynamic-shapes.marked", "dynamic-shapes.unbacked", modes=("no_grad", "train"), torch=">=2.13")
def test_sizes_that_are_told_compile_once(check: Check) -> None:
    """A dimension that is told to change takes every size in one compilation, 0 and 1 too."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        return a * a.size(0) + b.sum(), a.sum(0) + a.size(1), b.size(0) * 2

    def sizes() -> ParamsSpec:
        from torch.fx.experimental.dynamic_spec import STATIC, ParamsSpec, ShapeVar, TensorSpec

        return ParamsSpec({"a": TensorSpec([ShapeVar("rows"), STATIC]), "b": TensorSpec([ShapeVar("most", max=64)])})

    calls = [(tensor(rows, 3), tensor(most)) for rows, most in ((4, 5), (1, 1), (7, 64), (0, 0), (2, 3))]
    result = check(program, calls=calls, more=_told(sizes)).recompiled(0)
    result.gradient(0, 1).in_call(4).values().expect("""\
out[0] = float32[2, 3] [[-0.2559, -7.654, -2.676], [-1.13, -0.5636, -0.1849]]
out[1] = float32[3] [4.433, 1.017, 3.696]
out[2] = int 6
""")


@clause("dynamic-shapes.marked", torch=">=2.13")
def test_size_that_is_not_told_compiles_anew(check: Check) -> None:
    """Another size of a dimension that is told to stay is another compilation, and right."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * a.size(1) + a.size(0)

    def told() -> ParamsSpec:
        from torch.fx.experimental.dynamic_spec import STATIC, ParamsSpec, ShapeVar, TensorSpec

        return ParamsSpec({"a": TensorSpec([ShapeVar("rows"), STATIC])})

    calls = [(tensor(*sizes),) for sizes in ((4, 3), (5, 3), (2, 2), (9, 2))]
    result = check(program, calls=calls, more=_told(told)).recompiled(1)
    result.in_call(2).values().expect("""\
out = float32[2, 2] [[1.128, 2.289], [5.36, 1.212]]
""")


@clause("dynamic-shapes.marked", "dynamic-shapes.unbacked", torch=">=2.13")
def test_sizes_within_containers_are_told(check: Check) -> None:
    """What is told of tensors in a list, a dict, further arguments and keywords holds for those."""

    def program(several: list[torch.Tensor], named: Mapping[str, torch.Tensor], *others: torch.Tensor) -> torch.Tensor:
        return torch.cat([*several, named["bias"] * 2, *others]) * several[0].size(0)

    def sizes() -> ParamsSpec:
        from torch.fx.experimental.dynamic_spec import DictSpec, ParamsSpec, SeqSpec, ShapeVar, TensorSpec

        def changing(name: str) -> TensorSpec:
            return TensorSpec([ShapeVar(name)])

        return ParamsSpec(
            {
                "several": SeqSpec([changing("first"), changing("second")]),
                "named": DictSpec({"bias": changing("bias")}),
                "*args": [changing("other")],
            }
        )

    numbers = ((2, 3, 4, 5), (3, 1, 1, 2), (1, 2, 3, 1))
    calls = [([tensor(a), tensor(b)], {"bias": tensor(c)}, tensor(d)) for a, b, c, d in numbers]
    result = check(program, calls=calls, more=_told(sizes)).recompiled(0)
    result.in_call(2).values().expect("""\
out = float32[7] [-0.4362, 0.1443, 1.68, -0.7878, 1.086, -0.5356, 0.6416]
""")


def _with_a_number(a: torch.Tensor, n: int) -> tuple[torch.Tensor, int]:
    return a * n + n, n * n + 1


def _any_number() -> ParamsSpec:
    from torch.fx.experimental.dynamic_spec import IntVar, ParamsSpec

    return ParamsSpec({"n": IntVar("n")})


@clause("dynamic-shapes.marked", "dynamic-shapes.arithmetic", torch=">=2.13")
def test_integers_that_are_told_compile_once(check: Check) -> None:
    """An integer argument that is told to change is each call's own in one compilation, 0 and 1 too."""
    calls = [(tensor(3), n) for n in (3, 1, 0, 12, 7)]
    result = check(_with_a_number, calls=calls, more=_told(_any_number), probe=False).recompiled(0)
    result.in_call(4).holds("out[1]", 50).values("out[0]").expect("""\
out[0] = float32[3] [13.55, -12.35, 5.077]
""")


@clause("dynamic-shapes.marked", "dynamic-shapes.arithmetic", torch=">=2.13")
def test_integers_below_nought_that_are_told_compile_once(check: Check) -> None:
    """An integer argument of which no bound is told takes numbers below nought in the same compilation."""
    calls = [(tensor(3), n) for n in (3, -4, -1, 5)]
    result = check(_with_a_number, calls=calls, more=_told(_any_number), probe=False).recompiled(0)
    result.in_call(1).holds("out[1]", 17)


@clause("dynamic-shapes.marked", torch=">=2.13")
def test_size_that_is_told_by_another(check: Check) -> None:
    """A size that is told as twice another, with what is assumed of that, takes every such pair in one compilation."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, a]) + b * a.size(0)

    def told() -> ShapesSpec:
        from torch.fx.experimental.dynamic_spec import STATIC, ParamsSpec, ShapesSpec, ShapeVar, TensorSpec

        rows = ShapeVar("rows", min=2, max=128)
        params = ParamsSpec({"a": TensorSpec([rows, STATIC]), "b": TensorSpec([rows * 2, STATIC])})
        even = cast(torch.SymBool, rows % 2 == 0)
        return ShapesSpec(params, assumptions=[even])

    calls = [(tensor(number, 3), tensor(2 * number, 3)) for number in (4, 2, 6)]
    result = check(program, calls=calls, more=_told(told)).recompiled(0)
    result.in_call(1).values().expect("""\
out = float32[4, 3] [[3.673, 0.1805, -0.1396], [1.783, 1.072, 1.51], [-1.141, -3.593, -0.0204], [-1.826, -1.233,
    1.274]]
""")
