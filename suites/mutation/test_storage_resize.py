"""Storage resize: programs that free an input's memory, or give it some, as sharded parameters do."""

import torch

from suites.harness import ANY, AOT_FUNCTION, Check, built, clause, leaf, tensor


def without_memory(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, with the memory behind it freed."""
    tensor.untyped_storage().resize_(0)
    return tensor


@clause("T5.8", modes=("no_grad", "inference"), entry=ANY)
def test_storage_is_grown_and_filled(check: Check) -> None:
    """An input without memory gets some and is filled: resize and copy are in the graph, the caller has both."""

    def program(empty: torch.Tensor, full: torch.Tensor) -> torch.Tensor:
        torch.ops.inductor.resize_storage_bytes_(empty, 16)
        empty.copy_(full)
        return empty + 1

    result = check(program, built(without_memory, tensor(4, grad=False)), tensor(4))
    result.storage_bytes(0, 16).unchanged(1)
    result.forward.expect("""\
def forward(self, arg0_1, arg1_1):
    resize_storage_bytes_ = torch.ops.inductor.resize_storage_bytes_.default(arg0_1, 16)
    copy = torch.ops.aten.copy.default(arg0_1, arg1_1)
    add = torch.ops.aten.add.Tensor(copy, 1)
    copy_ = torch.ops.aten.copy_.default(arg0_1, copy)
    return (add,)
""")


@clause("T5.8", modes="train", entry=ANY)
def test_storage_is_grown_and_filled_in_training(check: Check) -> None:
    """A memory that is filled in a training program holds the value when backward needs it."""

    def program(empty: torch.Tensor, full: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            torch.ops.inductor.resize_storage_bytes_(empty, 16)
            empty.copy_(full)
        return (empty * a).sin()

    result = check(program, built(without_memory, tensor(4, grad=False)), tensor(4, grad=False), leaf(4))
    result.storage_bytes(0, 16).gradient(0)
    result.forward.expect("""\
def forward(self, primals_1, primals_2, primals_3):
    resize_storage_bytes_ = torch.ops.inductor.resize_storage_bytes_.default(primals_1, 16)
    copy = torch.ops.aten.copy.default(primals_1, primals_2)
    mul = torch.ops.aten.mul.Tensor(copy, primals_3)
    sin = torch.ops.aten.sin.default(mul)
    copy_ = torch.ops.aten.copy_.default(primals_1, copy)
    return (sin, primals_3, copy)
""")


@clause("T5.8", modes=("no_grad", "inference"), entry=ANY)
def test_storage_is_freed_after_its_last_read(check: Check) -> None:
    """An input that is read and then freed is without memory afterwards, and nothing is copied back into it."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        torch.ops.inductor.resize_storage_bytes_(a, 0)
        return doubled

    result = check(program, tensor(4, grad=False))
    result.storage_bytes(0, 0)
    result.forward.expect("""\
def forward(self, arg0_1):
    mul = torch.ops.aten.mul.Tensor(arg0_1, 2)
    resize_storage_bytes_ = torch.ops.inductor.resize_storage_bytes_.default(arg0_1, 0)
    return (mul,)
""")


@clause("T5.8")
def test_storage_is_resized_through_its_python_object(check: Check) -> None:
    """`untyped_storage().resize_` in a compiled program frees the caller's memory as the operator does."""

    def program(a: torch.Tensor) -> torch.Tensor:
        doubled = a * 2
        a.untyped_storage().resize_(0)
        return doubled

    check(program, tensor(4, grad=False)).storage_bytes(0, 0)


@clause("T5.8", entry=AOT_FUNCTION)
def test_storage_is_freed_and_replaced_by_set(check: Check) -> None:
    """An input whose memory is freed and which is then set to other memory has that one and its data."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        torch.ops.inductor.resize_storage_bytes_(a, 0)
        a.set_(b * 2)  # type: ignore[call-overload]
        return a + 1

    check(program, tensor(4, grad=False), tensor(4, grad=False)).mutated(0).storage_bytes(0, 16)


@clause("T5.9", "D7", modes=("no_grad", "train"), entry=ANY, isolated=True)
def test_storage_is_grown_used_and_freed_again(check: Check) -> None:
    """An input that gets memory, is filled, used and freed in one call is without memory after it."""

    def program(empty: torch.Tensor, full: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            torch.ops.inductor.resize_storage_bytes_(empty, 16)
            empty.copy_(full)
        used = empty * 2
        torch.ops.inductor.resize_storage_bytes_(empty, 0)
        return used

    result = check(program, built(without_memory, tensor(4, grad=False)), tensor(4, grad=False))
    result.storage_bytes(0, 0).shape("out", 4)
    result.values().expect("""\
out = float32[4] [-0.9121, 2.03, -3.173, 1.802]
""")


@clause("T5.9", entry=ANY, isolated=True)
def test_data_mutation_of_an_input_that_is_freed_afterwards(check: Check) -> None:
    """An input that is written to, read and then freed is without memory after the call, and what was read is right."""

    def program(a: torch.Tensor) -> torch.Tensor:
        a.mul_(2)
        used = a + 1
        torch.ops.inductor.resize_storage_bytes_(a, 0)
        return used

    check(program, tensor(4, grad=False)).storage_bytes(0, 0).shape("out", 4)
