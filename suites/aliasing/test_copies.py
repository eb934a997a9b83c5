"""Copies: a clone keeps what it copied, whatever is written to its source later, and shares no memory with it."""

import torch

from suites.harness import ANY, Check, clause, tensor

#: Numbers of which sums, means and variances do not round.
WHOLE = tensor(3, 2, values=[[1.0, 6.0], [5.0, 2.0], [3.0, 4.0]])


@clause("T7.9", modes=("train", "no_grad"), entry=ANY)
def test_clone_keeps_the_data_from_before_a_write_to_its_source(check: Check) -> None:
    """A clone taken before its source is written holds the old data, also when it is read after: reusing is wrong."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        saved = a.clone()
        a.add_(1)
        return saved, saved * a

    result = check(program, tensor(4))
    result.mutated(0).distinct("out[0]", 0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    clone_1 = torch.ops.aten.clone.default(clone)
    add = torch.ops.aten.add.Tensor(clone, 1)
    mul = torch.ops.aten.mul.Tensor(clone_1, add)
    return (add, clone_1, mul, clone_1, add)
""")


@clause("T7.9", modes=("no_grad", "inference"), entry=ANY)
def test_clone_of_a_tensor_written_through_another_dtype(check: Check) -> None:
    """A clone keeps the old data when its source is written through an integer view of the same memory."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        saved = a.clone()
        a.view(torch.int32).bitwise_xor_(1 << 20)
        return saved * 2, a * 2

    check(program, tensor(4, grad=False)).mutated(0)


@clause("T7.9", modes=("train", "no_grad"), entry=ANY)
def test_write_to_a_clone_leaves_its_source(check: Check) -> None:
    """A write to a clone of an input leaves the caller's tensor as it was, though the clone is its only reader."""

    def program(a: torch.Tensor) -> torch.Tensor:
        copied = a.clone()
        copied.view(-1)[1:].mul_(3)
        return copied

    result = check(program, tensor(2, 2)).unchanged(0).distinct("out", 0)
    result.values().expect("""\
out = float32[2, 2] [[0.6865, -7.89], [-0.717, -4.146]]
""")


@clause("T7.9", modes=("train", "no_grad"), entry=ANY)
def test_uniform_write_through_an_expanded_view(check: Check) -> None:
    """Filling an expanded view fills the one element behind it: base and view, both returned, show it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        b = a.sin()
        wide = b[:1].expand(3)
        wide.fill_(2.0)
        return b, wide

    check(program, tensor(4)).aliases("out[0]", "out[1]").strides("out[1]", 0)


@clause("T7.9", "T6.1", modes=("train", "no_grad"), entry=ANY)
def test_swap_through_a_temporary(check: Check) -> None:
    """Swapping two inputs through a clone leaves each with the other's old data: the copies keep their order."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        saved = a.clone()
        a.copy_(b)
        b.copy_(saved)
        return a - b

    check(program, tensor(4), tensor(4)).mutated(0, 1)


@clause("T7.9", "T3.1", modes=("train", "no_grad"))
def test_clone_of_an_input_of_which_a_part_was_written(check: Check) -> None:
    """A clone of an input, returned after a part of that input was written, has memory of its own."""

    def program(a: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        a[1] = row
        return a.clone()

    check(program, tensor(3, 2), tensor(2)).mutated(0).distinct("out", 0)


@clause("T7.9", "T3.1", modes=("train", "no_grad"))
def test_scattered_copy_that_is_copied_back(check: Check) -> None:
    """A copy with a row in it, returned and copied into the input too, is not the input: later writes part them."""

    def program(a: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        updated = torch.select_scatter(a, row, 0, 1)
        a.copy_(updated)
        return updated

    check(program, tensor(3, 2), tensor(2)).mutated(0).distinct("out", 0)


@clause("T7.9", "T3.1", modes=("train", "no_grad"))
def test_result_that_is_copied_back(check: Check) -> None:
    """A running sum, returned and copied into the input that it was made of, is not the input."""

    def program(a: torch.Tensor) -> torch.Tensor:
        summed = a.cumsum(0)
        a.copy_(summed)
        return summed

    check(program, tensor(3, 2)).mutated(0).distinct("out", 0)


@clause("T7.9", "T7.10", modes=("train", "no_grad"))
def test_results_of_equal_calls(check: Check) -> None:
    """Two equal calls have a result each, though one computation would do for both."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sin(), a.sin(), a.sum(0), a.sum(0)

    result = check(program, WHOLE).distinct("out[0]", "out[1]").distinct("out[2]", "out[3]")
    result.values().expect("""\
out[0] = float32[3, 2] [[0.8415, -0.2794], [-0.9589, 0.9093], [0.1411, -0.7568]]
out[1] = float32[3, 2] [[0.8415, -0.2794], [-0.9589, 0.9093], [0.1411, -0.7568]]
out[2] = float32[2] [9, 12]
out[3] = float32[2] [9, 12]
""")


@clause("T7.9", "T7.10", modes=("train", "no_grad"))
def test_results_of_equal_calls_of_an_operator_of_several(check: Check) -> None:
    """The same of operators that return several results, of which the program hands out one from each call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.sort(0)[0], a.sort(0)[0], torch.var_mean(a, 0)[0], torch.var_mean(a, 0)[0]

    result = check(program, WHOLE).distinct("out[0]", "out[1]").distinct("out[2]", "out[3]")
    result.values().expect("""\
out[0] = float32[3, 2] [[1, 2], [3, 4], [5, 6]]
out[1] = float32[3, 2] [[1, 2], [3, 4], [5, 6]]
out[2] = float32[2] [4, 4]
out[3] = float32[2] [4, 4]
""")


@clause("T7.9", "T7.10", modes=("train", "no_grad"))
def test_pieces_beside_what_they_are_joined_into(check: Check) -> None:
    """What is joined is a copy: a view of a piece, or a stack of it alone, handed out beside it is no part of it."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        first, second = a.sin(), a.cos()
        row, last = a.exp(), a * 2
        return torch.cat([first, second]), torch.stack([second]), torch.cat([row, last]), last.squeeze(0)

    result = check(program, tensor(1, 4)).computed()
    result.distinct("out[0]", "out[1]").distinct("out[2]", "out[3]")


@clause("T7.9", "T7.10")
def test_copies_beside_what_they_are_of(check: Check) -> None:
    """What changes nothing is a copy all the same: handed out beside what it is made of, it has memory of its own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.sin()
        whole = (b * 9).long()
        return (
            b,
            b.clone(),
            b.repeat(1, 1),
            torch.cat([b]),
            torch.nn.functional.pad(b, (0, 0)),
            b**1,
            b.slice_scatter(b, 0, 0, 3),
            torch.empty_like(b).copy_(b),
            b.to(b.dtype, copy=True),
            b.to(b.device, copy=True),
            whole,
            whole.ceil(),
            whole.clone(),
            whole.to(whole.dtype, copy=True),
            a.to(a.dtype, copy=True),
            a.to(a.device, copy=True),
        )

    result = check(program, tensor(3, 2)).computed()
    for copy in range(1, 10):
        result.distinct("out[0]", f"out[{copy}]")
    for copy in range(11, 14):
        result.distinct("out[10]", f"out[{copy}]")
    result.distinct("out[14]", 0).distinct("out[15]", 0)


@clause("T7.9", "T7.10")
def test_copies_of_a_number_by_no_dimension(check: Check) -> None:
    """A number repeated, spread, turned or viewed by no dimension is a copy, which a write to it leaves alone."""

    operators = torch.ops.aten
    copying = (
        lambda b: b.repeat(()),
        lambda b: b.clone(),
        lambda b: b.flip(()),
        lambda b: b.sum(()),
        lambda b: b.amax(()),
        lambda b: b.cumsum(0),
        lambda b: b.unsqueeze(0).repeat(1),
        lambda b: operators.expand_copy(b, ()),
        lambda b: operators.view_copy(b, ()),
        lambda b: operators.permute_copy(b, ()),
        lambda b: operators.squeeze_copy(b),
        lambda b: operators.alias_copy(b),
    )

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        made = [(a[0] * number + number).view(()) for number in range(len(copying))]
        copies = [copy(source) for copy, source in zip(copying, made, strict=True)]
        of_the_argument = a[0].repeat(())
        a.add_(1)
        for source in made:
            source.mul_(2)
        return (of_the_argument, *copies, *made)

    result = check(program, tensor(1, values=[2.0])).mutated(0).distinct("out[0]", 0)
    for place in range(1, len(copying) + 1):
        result.distinct(f"out[{place}]", f"out[{place + len(copying)}]")


@clause("T7.9", modes=("train", "no_grad", "inference"))
def test_detached_copy_of_an_input(check: Check) -> None:
    """A detached copy of an input has the old data in memory of its own, when the input is written after."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        copied = torch.detach_copy(a)
        a.add_(1)
        return copied, b * copied

    result = check(program, tensor(4, grad=False), tensor(4)).mutated(0).distinct("out[0]", 0)
    result.values("out[0]").expect("""\
out[0] = float32[4] [0.6865, -2.63, -0.239, -1.382]
""")


@clause("T7.9", modes="train")
def test_detached_copy_of_what_requires_grad(check: Check) -> None:
    """The copy is made beside what the gradient goes through; only a gradient that is asked of the copy is refused."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.detach_copy(a), a * 2

    result = check(program, tensor(4), backward=False).distinct("out[0]", 0)
    result.values("out[0]").expect("""\
out[0] = float32[4] [0.6865, -2.63, -0.239, -1.382]
""")
