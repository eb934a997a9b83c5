"""A copy is made, then its source is mutated: the copy keeps the old value, an alias shows the new one."""

import torch

from suites.harness import ANY, Check, clause, tensor


@clause("T3.1", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_clone_keeps_the_value_from_before(check: Check) -> None:
    """A clone taken before its source is mutated has the old value, whether it is returned or used."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        old = a.clone()
        a.mul_(2)
        return old, a - old

    result = check(program, tensor(17))
    result.mutated(0).distinct("out[0]", "arg[0]").gradient(0)
    result.forward.expect("""\
def forward(self, primals_1):
    clone = torch.ops.aten.clone.default(primals_1)
    clone_1 = torch.ops.aten.clone.default(clone)
    mul = torch.ops.aten.mul.Tensor(clone, 2)
    sub = torch.ops.aten.sub.Tensor(mul, clone_1)
    return (mul, clone_1, sub)
""")


@clause("T3.1", entry=ANY)
def test_copy_into_a_new_tensor_keeps_the_value_from_before(check: Check) -> None:
    """A new tensor filled by `copy_` keeps what it was given when the source changes."""

    def program(a: torch.Tensor) -> torch.Tensor:
        kept = torch.empty_like(a)
        kept.copy_(a)
        a.zero_()
        return kept

    check(program, tensor(17)).mutated(0).distinct("out", "arg[0]")


@clause("T3.1", modes=("train", "no_grad"), entry=ANY)
def test_joined_tensors_keep_the_values_from_before(check: Check) -> None:
    """`cat`, `stack` and indexing copy: mutating their sources afterwards does not show in them."""

    def program(a: torch.Tensor, b: torch.Tensor, index: torch.Tensor) -> tuple[torch.Tensor, ...]:
        joined, stacked, picked = torch.cat([a, b]), torch.stack([a]), a[index]
        a.add_(1)
        b.neg_()
        return joined, stacked, picked

    index = tensor(2, dtype=torch.int64, values=[2, 0])
    result = check(program, tensor(5), tensor(5), index)
    result.mutated(0, 1).distinct("out[0]", "arg[0]").distinct("out[1]", "arg[0]").distinct("out[2]", "arg[0]")


@clause("T3.5", modes=("train", "no_grad"), shapes=("static", "dynamic"), entry=ANY)
def test_contiguous_and_reshape_copy_only_where_eager_copies(check: Check) -> None:
    """Of a transposed input `contiguous` and `reshape` are copies, of a contiguous one they are the input's memory."""

    def program(dense: torch.Tensor, strided: torch.Tensor) -> tuple[torch.Tensor, ...]:
        aliases = dense.contiguous(), dense.reshape(-1)
        copies = strided.contiguous(), strided.reshape(-1)
        dense.mul_(2)
        strided.mul_(3)
        return aliases[0] + 1, aliases[1] + 1, copies[0] + 1, copies[1] + 1

    check(program, tensor(3, 4), tensor(3, 4, strides=(1, 3))).mutated(0, 1).gradient(0, 1)


@clause("T3.5", modes=("train", "no_grad"), entry=ANY)
def test_conversion_copies_only_where_the_dtype_changes(check: Check) -> None:
    """`to` another dtype keeps the old value, `to` the same dtype is the tensor itself and shows the new one."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        other, same = a.to(torch.float64), a.to(torch.float32)
        a.mul_(2)
        return other * 3, same * 3

    result = check(program, tensor(5))
    result.mutated(0).gradient(0)


@clause("T3.1", entry=ANY)
def test_expanded_copy_is_written_and_its_source_is_not(check: Check) -> None:
    """A clone of an expanded input has memory for every element: writing one row changes that row alone."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows = a.expand(3, 4).clone()
        rows[1].fill_(9)
        return rows, a + 1

    result = check(program, tensor(1, 4)).unchanged(0).distinct("out[0]", "arg[0]")
    result.values().expect("""\
out[0] = float32[3, 4] [[0.6865, -2.63, -0.239, -1.382], [9, 9, 9, 9], [0.6865, -2.63, -0.239, -1.382]]
out[1] = float32[1, 4] [[1.686, -1.63, 0.761, -0.382]]
""")


@clause("T3.5", entry=ANY)
def test_expanded_view_shows_what_its_source_became(check: Check) -> None:
    """Every row of an expanded view, read after its source was filled in part, shows the new value."""

    def program(a: torch.Tensor) -> torch.Tensor:
        rows = a.expand(3, 4)
        a[0, 1:].fill_(9)
        return rows * 2

    check(program, tensor(1, 4)).mutated(0)


@clause("T3.1", shapes=("static", "dynamic"), entry=ANY)
def test_sliding_windows_show_what_their_source_became(check: Check) -> None:
    """Windows that overlap, read after an element of their source was written, show it in each of them."""

    def program(a: torch.Tensor) -> torch.Tensor:
        windows = a.unfold(0, 3, 1)
        a[2] = 9
        return windows.sum(1)

    check(program, tensor(7)).mutated(0)
