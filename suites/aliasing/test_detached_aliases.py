"""Detached aliases: outputs that share memory with a differentiable output and take no part in its gradient."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T7.5", "D1", "D2", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_detached_intermediate_beside_its_views(check: Check) -> None:
    """A detached alias returned beside views shares their memory, needs no grad, and leaves their gradient alone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b[:2], b[2:], b.detach()

    result = check(program, tensor(4))
    result.aliases("out[0]", "out[2]").no_grad("out[2]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    sin = torch.ops.aten.sin.default(primals_1)
    slice_1 = torch.ops.aten.slice.Tensor(sin, 0, 0, 2)
    slice_2 = torch.ops.aten.slice.Tensor(sin, 0, 2, 9223372036854775807)
    detach = torch.ops.aten.detach.default(sin)
    return (slice_1, slice_2, detach, sin, primals_1)
""")


@clause("T7.5", "D2", modes=("train", "no_grad"), entry=ANY)
def test_detached_view_beside_the_intermediate(check: Check) -> None:
    """A detached view returned beside its base shares its memory and does not require grad."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        b = a.sin()
        return b.view(-1), b, b[0].detach()

    result = check(program, tensor(2, 2))
    result.aliases("out[1]", "out[2]").no_grad("out[2]").requires_grad("out[0]", "out[1]").gradient(0)


@clause("T7.5", modes=("train", "no_grad"), entry=ANY)
def test_detached_input(check: Check) -> None:
    """A detached input, returned, lies in the caller's memory and does not require grad."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a.detach(), a * 2

    result = check(program, tensor(4))
    result.aliases("out[0]", 0).no_grad("out[0]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    detach = torch.ops.aten.detach.default(primals_1)
    mul = torch.ops.aten.mul.Tensor(primals_1, 2)
    return (detach, mul)
""")


@clause("T7.5", modes=("train", "no_grad"), entry=ANY)
def test_detached_view_of_a_mutated_input(check: Check) -> None:
    """A detached view taken before its input was mutated shows the new data, in the caller's memory, without grad."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        early = a.detach()[1:]
        a.mul_(2)
        return early, a + 1

    check(program, tensor(4)).mutated(0).aliases("out[0]", 0).no_grad("out[0]")


@clause("T7.5", "T4.8", modes=("train", "no_grad"), entry=ANY)
def test_write_through_a_detached_alias(check: Check) -> None:
    """A write through a detached alias of an intermediate changes its data and stays out of its gradient."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a + 1
        b.detach().mul_(3)
        return b * 2

    check(program, tensor(4)).gradient(0)


@clause("T7.6", modes=("train", "no_grad"), entry=ANY)
def test_view_detached_in_place(check: Check) -> None:
    """An intermediate that is detached in place comes out plain: no grad, no view, no gradient behind it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        b.mul_(2)
        b.detach_()
        return b, a.cos()

    result = check(program, tensor(4))
    result.no_grad("out[0]").gradient(0)


@clause("T7.6", modes=("train", "no_grad"))
def test_what_a_program_is_told_of_an_intermediate_detached_in_place(check: Check) -> None:
    """What a program asks of an intermediate before and after it is detached in place is told as it is then."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, bool, bool, bool, bool]:
        b = a.sin()
        before = b.requires_grad
        same = b.detach_()
        c = a * 3 if b.requires_grad else a * 5
        return c, before, b.requires_grad, same.requires_grad, same is b

    result = check(program, tensor(4, values=[1.0, 2.0, 3.0, 4.0]))
    result.holds("out[2]", False).holds("out[3]", False).holds("out[4]", True).gradient(0)
    result.values().expect("""\
out[0] = float32[4] [5, 10, 15, 20]
out[1] = bool True
out[2] = bool False
out[3] = bool False
out[4] = bool True
""")


@clause("T7.6", modes=("train", "no_grad"), entry=ANY)
def test_in_place_view_of_an_intermediate(check: Check) -> None:
    """An intermediate that was transposed in place and written comes out in its new shape, with eager's gradient."""

    def program(a: torch.Tensor) -> torch.Tensor:
        b = a.sin()
        b.t_()
        b[0].mul_(2)
        return b

    check(program, tensor(2, 3)).shape("out", 3, 2).gradient(0)


@clause("T7.5", modes="train", entry=ANY)
def test_detached_alias_of_the_same_sizes(check: Check) -> None:
    """A detached alias that has the sizes of what is returned beside it, but another place, other strides or the
    conjugate, is what eager's is, and not that other tensor without a gradient."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        row, square, numbers = a[0] * 2, (a * 3)[1:, 1:], (b * 4)[1:]
        return row[:2], row[1:].detach(), square, square.t().detach(), numbers, numbers.conj().detach()

    result = check(program, tensor(3, 3), tensor(3, dtype=torch.complex64))
    result.no_grad("out[1]", "out[3]", "out[5]").aliases("out[0]", "out[1]").aliases("out[2]", "out[3]").gradient(0, 1)


@clause("T7.5", "T7.10", modes="no_grad", entry=ANY)
def test_detached_alias_and_alias_of_the_same_dtype_without_gradients(check: Check) -> None:
    """Beside an intermediate its detached alias, and it as the dtype that it has, are objects over its memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        b = a * 2
        return b, b.detach(), b.view(torch.float32)

    result = check(program, tensor(2, 3)).aliases("out[0]", "out[1]")
    for name in ("out[1]", "out[2]"):
        result.happened(result.call.entries[name].kind == "tensor", "an object of its own")
    result.values("out[1]").expect("""\
out[1] = float32[2, 3] [[1.373, -5.26, -0.478], [-2.764, -0.9121, 2.03]]
""")
