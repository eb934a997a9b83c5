"""The host's side: numbers that it hands to kernels, and what it hears of a kernel's assertion."""

import torch
from torch.nn import functional

from suites.harness import Check, built, clause, tensor


@clause("gpu.host", "errors.devices", modes=("no_grad", "train"), devices="cuda")
def test_numbers_on_the_cpu_in_several_operators(check: Check) -> None:
    """Tensors of dimension zero on the CPU bound, choose, divide and are divided, by their values of this call."""

    def program(a: torch.Tensor, low: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        bounded = torch.maximum(a, low)
        chosen = torch.where(a > 0, bounded, by)
        return chosen / by - low * a.sin()

    low, by = (built(torch.Tensor.cpu, tensor(grad=False, values=[value])) for value in (0.25, -3.0))
    other = built(torch.Tensor.cpu, tensor(grad=False, values=[1.5]))
    result = check(program, calls=[(tensor(40), low, by), (tensor(40), other, by)]).gradient(0).unchanged(1, 2)
    result.happened(result.facts("arg[1]").device == "cpu", "a number on the CPU").in_call(1).computed()


@clause("gpu.host", "errors.devices", devices="cuda")
def test_write_by_a_number_on_the_cpu(check: Check) -> None:
    """A write in place, of a tensor on the GPU, takes a number from the CPU, whatever the dtypes of the two."""

    def program(a: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
        a.mul_(factor)
        a[1:].add_(factor)
        return a * 2

    factor = built(torch.Tensor.cpu, tensor(dtype=torch.float64, grad=False, values=[1.5]))
    check(program, tensor(9), factor).mutated(0).unchanged(1)


@clause("gpu.host", "errors.indices", asserts_on_device=True, devices="cuda")
def test_word_that_is_not_in_the_table(check: Check) -> None:
    """A kernel that finds an index beyond an embedding's table raises when the host waits for it, as eager's does."""

    def program(table: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        return functional.embedding(words, table).sin()

    words = tensor(3, dtype=torch.int64, values=[0, 7, 1])
    check(program, calls=[(tensor(5, 4), words)]).raised("device-side assert triggered")


@clause("gpu.host", "errors.indices", asserts_on_device=True, devices="cuda")
def test_class_that_is_not_there(check: Check) -> None:
    """A target beyond the classes of a loss raises when the host waits for the kernel that met it, as eager's does."""

    def program(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(scores, targets)

    targets = tensor(4, dtype=torch.int64, values=[0, 1, 9, 2])
    check(program, calls=[(tensor(4, 3), targets)]).raised("device-side assert triggered")
