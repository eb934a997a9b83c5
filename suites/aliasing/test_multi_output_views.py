"""Multi-output views (unbind, split, chunk): pieces share one memory, and eager refuses in-place ops on them."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T7.4", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_all_pieces_of_an_intermediate(check: Check) -> None:
    """Pieces of an unbound intermediate share one memory; AOTAutograd hides from autograd that they are views."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.exp().unbind(0)

    result = check(program, tensor(2, 3))
    result.aliases("out[0]", "out[1]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    unbind = torch.ops.aten.unbind.int(exp)
    getitem = operator.getitem(unbind, 0)
    getitem_1 = operator.getitem(unbind, 1)
    detach_1 = torch.ops.aten.detach.default(detach)
    return (getitem, getitem_1, detach_1)
""")


@clause("T7.4", modes=("train", "no_grad"), entry=ANY)
def test_chunks_of_an_intermediate(check: Check) -> None:
    """Chunks of an intermediate along its last dimension interleave in one memory, at eager's strides and offsets."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.exp().chunk(2, dim=1)

    result = check(program, tensor(3, 4))
    result.aliases("out[0]", "out[1]").strides("out[1]", 4, 1)
    result.happened(result.facts("out[1]").offset == 2, "an offset of two elements")


@clause("T7.4", modes=("train", "no_grad"), entry=ANY)
def test_pieces_beside_their_base(check: Check) -> None:
    """Pieces returned with the tensor that they are pieces of share its memory, and gradients of all of them add up."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.exp()
        return (*b.unbind(0), b)

    result = check(program, tensor(2, 3))
    result.aliases("out[0]", "out[2]").aliases("out[1]", "out[2]").gradient(0)


@clause("T7.4", modes=("train", "no_grad"), entry=ANY)
def test_pieces_beside_an_ordinary_view(check: Check) -> None:
    """Pieces returned beside one ordinary view share memory with it, and the graph has no output for their base."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.exp()
        return (*b.unbind(0), b.view(-1))

    result = check(program, tensor(2, 3))
    result.aliases("out[0]", "out[2]").aliases("out[1]", "out[2]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    unbind = torch.ops.aten.unbind.int(exp)
    getitem = operator.getitem(unbind, 0)
    getitem_1 = operator.getitem(unbind, 1)
    view = torch.ops.aten.view.default(exp, [-1])
    detach_1 = torch.ops.aten.detach.default(detach)
    return (getitem, getitem_1, view, detach_1)
""")


@clause("T7.4", modes="train", entry=ANY)
def test_piece_beside_its_base_and_a_view_refuses_in_place_ops(check: Check) -> None:
    """With two ordinary aliases returned beside it, an in-place op on a piece raises as in eager: nothing is hidden."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.exp()
        return (*b.unbind(0), b, b.view(-1))

    result = check(program, tensor(2, 3), strict_probe=True)
    result.aliases("out[0]", "out[2]").raised_in_place("out[0]", "multiple views")
    result.forward.expect("""\
def forward(self, primals_1):
    exp = torch.ops.aten.exp.default(primals_1)
    detach = torch.ops.aten.detach.default(exp)
    unbind = torch.ops.aten.unbind.int(exp)
    getitem = operator.getitem(unbind, 0)
    getitem_1 = operator.getitem(unbind, 1)
    view = torch.ops.aten.view.default(exp, [-1])
    detach_1 = torch.ops.aten.detach.default(detach)
    return (getitem, getitem_1, exp, view, detach_1)
""")


@clause("T7.4", modes="train", entry=ANY)
def test_piece_beside_its_base_refuses_in_place_ops(check: Check) -> None:
    """Where the base is returned too, an in-place op on a piece raises as in eager (AOTAutograd hides it by design)."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b = a.exp()
        return (*b.unbind(0), b)

    result = check(program, tensor(2, 3), strict_probe=True)
    result.raised_in_place("out[0]", "multiple views")


@clause("T7.4", modes="train", entry=ANY)
def test_piece_of_an_input_refuses_in_place_ops(check: Check) -> None:
    """An in-place op on a piece of an input raises as in eager: the caller holds the base."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return a.unbind(0)

    result = check(program, tensor(2, 3), strict_probe=True)
    result.aliases("out[0]", 0).raised_in_place("out[0]", "multiple views")


@clause("T7.4", "D12", modes="train")
def test_in_place_op_on_a_piece_inside_the_program_raises(check: Check) -> None:
    """An in-place op on a differentiable piece inside the program raises when compiled too, with the same complaint."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first, second = a.exp().unbind(0)
        first.mul_(2)
        return first + second

    check(program, tensor(2, 3)).raised("multiple views")


@clause("T7.4", modes=("no_grad", "inference"), entry=ANY)
def test_in_place_op_on_a_piece_without_grad(check: Check) -> None:
    """Without grad an in-place op on a piece is allowed and shows in the input that it is a piece of."""

    def program(a: torch.Tensor) -> torch.Tensor:
        first, second = a.split(2)
        first.mul_(2)
        return a + second.sum()

    check(program, tensor(4, grad=False)).mutated(0)
