"""Arithmetic of sizes: what Python says of two integers holds of two symbolic sizes, also where one is negative."""

import math

import torch

from suites.harness import Check, clause, tensor


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_floor_division_rounds_down(check: Check) -> None:
    """`//` of a size and a negative number, and of a negated size, rounds down and not towards zero."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        return a.sum() * 0 + torch.tensor([n // -2, -n // 2, (3 - n) // 4, (n - 9) // 5])

    check(program, calls=[(tensor(5),), (tensor(7),), (tensor(11),)]).shape("out", 4).recompiled(0)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_floor_division_in_a_kernel_rounds_down(check: Check) -> None:
    """Sizes divided inside of tensor arithmetic round down, as the same division outside does."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows, columns = a.shape
        return a + (rows - columns) // 3, a * ((columns - rows) % 4) + (-rows) // columns

    calls = [(tensor(2, 7),), (tensor(7, 2),), (tensor(3, 4),), (tensor(4, 12),)]
    check(program, calls=calls).shape("out[0]", 2, 7).recompiled(0)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_remainder_has_the_sign_of_the_divisor(check: Check) -> None:
    """`%` of sizes and negative numbers has the divisor's sign."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        n = a.size(0)
        return a[: n % 3] * 2, [n % -3, -n % 3, (2 - n) % 5]

    result = check(program, calls=[(tensor(5),), (tensor(7),), (tensor(9),)])
    result.happened(result.call.entries["out[1][0]"].detail == -1, "a negative remainder")


@clause("dynamic-shapes.arithmetic", modes="train", shapes="dynamic")
def test_padding_to_a_multiple(check: Check) -> None:
    """Padding by `-n % k` makes every size a multiple of `k`, by nothing where it is one already."""

    def program(a: torch.Tensor) -> torch.Tensor:
        padded = torch.nn.functional.pad(a, (0, -a.size(0) % 4), value=2.0)
        return padded.view(-1, 4).sum(1) * a.size(0)

    result = check(program, calls=[(tensor(6),), (tensor(8),), (tensor(5),), (tensor(3),)], probe=False)
    shapes = [call.tensors["out"].shape for call in result.expected.calls]
    result.gradient(0).happened(shapes == [(2,), (2,), (2,), (1,)], "padding to the next multiple")
    result.forward.expect("""\
def forward(self, primals_1, primals_2):
    neg = operator.neg(primals_1)
    mod = operator.mod(neg, 4)
    constant_pad_nd = torch.ops.aten.constant_pad_nd.default(primals_2, [0, mod], 2.0)
    sym_size = torch.ops.aten.sym_size.int(constant_pad_nd, 0)
    view = torch.ops.aten.view.default(constant_pad_nd, [-1, 4])
    sym_size_1 = torch.ops.aten.sym_size.int(view, 0)
    sum_1 = torch.ops.aten.sum.dim_IntList(view, [1])
    mul = torch.ops.aten.mul.Tensor(sum_1, primals_1)
    return (mul, primals_1, sym_size, sym_size_1)
""")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_padding_by_negative_amounts(check: Check) -> None:
    """Padding by amounts that sizes make negative crops."""

    def program(a: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        short = like.size(0) - a.size(0)
        return torch.nn.functional.pad(a, (1, short), value=-1.0) + 1

    result = check(program, calls=[(tensor(4), tensor(7)), (tensor(6), tensor(3)), (tensor(5), tensor(5))])
    shapes = [call.tensors["out"].shape for call in result.expected.calls]
    result.happened(shapes == [(8,), (4,), (6,)], "padding and cropping")


@clause("dynamic-shapes.arithmetic", modes="train", shapes="dynamic")
def test_scale_factors_of_sizes(check: Check) -> None:
    """A float made of sizes, an odd fraction or a root, scales with the precision of a Python float."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        return a * (n / 300) + a.sin() * n**-0.5 + a.cos() / math.sqrt(n)

    result = check(program, calls=[(tensor(5, dtype=torch.float64),), (tensor(7, dtype=torch.float64),)])
    result.gradient(0).shape("out", 5)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_interpolation_by_an_odd_scale_factor(check: Check) -> None:
    """The output's size is the floor of size times factor, where the product is no exact number either."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.interpolate(a, scale_factor=1 / 3)

    calls = [(tensor(1, 1, 9),), (tensor(1, 1, 10),), (tensor(1, 1, 8),), (tensor(1, 1, 12),)]
    result = check(program, calls=calls, probe=False)
    shapes = [call.tensors["out"].shape[-1] for call in result.expected.calls]
    result.happened(shapes == [3, 3, 2, 4], "sizes rounded down")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_sizes_rounded_from_floats(check: Check) -> None:
    """`int`, `round`, `math.ceil`, `math.floor` and `math.trunc` of a size's fraction are Python's own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        n = a.size(0)
        half = n / 2
        sizes = [int(half - n), round(half), math.ceil(n / 3), math.floor(-n / 3), math.trunc(-half)]
        return a.new_ones(math.ceil(n * 0.3)) * int(n * 0.7), sizes

    calls = [(tensor(5),), (tensor(7),), (tensor(10),), (tensor(6),)]
    check(program, calls=calls, probe=False).shape("out[0]", 2)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_true_division_of_sizes_is_a_float(check: Check) -> None:
    """`/` of sizes that divide evenly is a float, and promotes an integer tensor to one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        n = a.size(0)
        return a * (n / 2), a * (n // 2)

    counts = tensor(4, dtype=torch.int64), tensor(7, dtype=torch.int64)
    result = check(program, calls=[(each,) for each in counts])
    result.happened(result.facts("out[0]").dtype != result.facts("out[1]").dtype, "a promotion")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_minimum_and_maximum_of_sizes(check: Check) -> None:
    """`min` and `max` of sizes and constants choose for the call at hand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        shorter = min(a.size(0), b.size(0))
        return a[:shorter] - b[:shorter], a.sum() * max(a.size(0) - 4, b.size(0) - 6, 0)

    calls = [(tensor(5), tensor(8)), (tensor(9), tensor(3)), (tensor(2), tensor(4))]
    check(program, calls=calls).shape("out[0]", 5)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branches_on_sizes_are_guarded(check: Check) -> None:
    """A branch that depends on a size's range or remainder is taken anew for a size on the other side."""

    def program(a: torch.Tensor) -> torch.Tensor:
        n = a.size(0)
        if n > 6:
            return a[:6] + 1
        if n % 2 == 0:
            return a * 2
        return -a if n != 5 else a.flip(0)

    result = check(program, calls=[(tensor(4),), (tensor(8),), (tensor(3),), (tensor(5),), (tensor(2),)], probe=False)
    shapes = [call.tensors["out"].shape for call in result.expected.calls]
    result.happened(shapes == [(4,), (6,), (3,), (5,), (2,)], "every branch")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_branch_decided_by_a_range_is_compiled_once(check: Check) -> None:
    """A size that a branch has bounded is not asked again: sizes within the bounds share one compilation."""

    def program(a: torch.Tensor) -> torch.Tensor:
        if a.size(0) > 10:
            return a * 2
        if a.size(0) < 20:
            return a[: a.size(0) - 1] + a[1:]
        return a

    result = check(program, calls=[(tensor(5),), (tensor(9),), (tensor(3),), (tensor(10),)])
    result.shape("out", 4).recompiled(0)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_a_bound_at_its_edge(check: Check) -> None:
    """The sizes just below, at and just above a branch's bound each take their own side."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return a * 2 if 2 * a.size(0) + 1 >= 9 else a - 2

    calls = [(tensor(6),), (tensor(4),), (tensor(3),), (tensor(5),), (tensor(2),)]
    check(program, calls=calls, probe=False).shape("out", 6).recompiled(1)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_check_of_a_size_holds_in_every_call(check: Check) -> None:
    """A size that fails `torch._check` raises, in the call in which it fails and in no other."""

    def program(a: torch.Tensor) -> torch.Tensor:
        torch._check(a.size(0) % 2 == 0, lambda: "an even size is wanted")
        return a.view(2, -1).sum(0)

    result = check(program, calls=[(tensor(4),), (tensor(5),), (tensor(6),)])
    errors = [call.error is not None for call in result.expected.calls]
    result.happened(errors == [False, True, False], "a failed check")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_assertion_about_sizes_holds_in_every_call(check: Check) -> None:
    """An `assert` that two sizes add up raises in the call in which they do not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        assert a.size(0) + b.size(0) == 8, "eight rows in all"
        return torch.cat([a, b]).cumsum(0)

    result = check(program, calls=[(tensor(3), tensor(5)), (tensor(6), tensor(2)), (tensor(4), tensor(5))])
    result.shape("out", 8).happened(result.expected.calls[2].error is not None, "a failed assertion")


@clause("dynamic-shapes.arithmetic", "T16.11", shapes="dynamic")
def test_sizes_made_of_several_symbols(check: Check) -> None:
    """A size that is a product, a sum and a quotient of other sizes is that of the call at hand."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        rows, columns, extra = *a.shape, b.size(0)
        flat = torch.cat([a.reshape(-1), b])
        return flat[: (rows * columns + extra) // 2 * 2].view(-1, 2) + rows * extra

    calls = [(tensor(3, 4), tensor(5)), (tensor(5, 2), tensor(4)), (tensor(2, 6), tensor(7))]
    check(program, calls=calls).shape("out", 8, 2).recompiled(0)


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_products_beyond_thirty_two_bits(check: Check) -> None:
    """A product of sizes and constants beyond 32 bits is not cut off."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int]:
        n = a.size(0)
        return a + n * n * 1_000_003 * 4099, n * 3_000_000_019

    counts = [(tensor(size, dtype=torch.int64),) for size in (5, 9)]
    result = check(program, calls=counts)
    result.happened(result.call.entries["out[1]"].detail == 15_000_000_095, "a number beyond 32 bits")


@clause("dynamic-shapes.arithmetic", shapes="dynamic")
def test_size_as_the_number_of_a_dtype(check: Check) -> None:
    """A tensor filled with a size, boolean or of bytes, holds what the size is in that dtype."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        true = torch.full((3,), a.shape[0], dtype=torch.bool)
        small = torch.full((2,), a.shape[0] + 254, dtype=torch.int64).byte()
        return true.sum(), small.int()

    check(program, calls=[(tensor(3),), (tensor(5),)]).shape("out[0]")
