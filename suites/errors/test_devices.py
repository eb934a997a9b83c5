"""Tensors on the CPU beside tensors on a GPU. On the CPU there is nothing to mix: these clauses have no cell there."""

import torch

from suites.harness import Check, built, clause, tensor


@clause("errors.devices", modes=("train", "no_grad"), devices="cuda")
def test_number_on_the_cpu_beside_a_tensor_on_the_gpu(check: Check) -> None:
    """A tensor of dimension zero on the CPU scales one on the GPU by its own value, and has its gradient."""

    def program(a: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return a.sin() * scale + scale

    result = check(program, tensor(3), built(torch.Tensor.cpu, tensor())).gradient(0, 1)
    devices = [torch.device(result.facts(path).device).type for path in ("arg[0]", "arg[1]", "out")]
    result.happened(devices == ["cuda", "cpu", "cuda"], f"three devices, not {devices}")


@clause("errors.devices", devices="cuda")
def test_rows_named_and_written_from_the_cpu(check: Check) -> None:
    """Indices on the CPU pick rows of a tensor on the GPU, and a copy from the CPU arrives in its memory."""

    def program(a: torch.Tensor, rows: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        picked = a[rows] * 2
        a.copy_(b)
        return picked

    rows = built(torch.Tensor.cpu, tensor(2, dtype=torch.int64, values=[2, 0]))
    result = check(program, tensor(3, 2), rows, built(torch.Tensor.cpu, tensor(3, 2))).mutated(0).unchanged(1, 2)
    result.happened(result.facts("arg[1]").device == "cpu", "indices on the CPU").shape("out", 2, 2)


@clause("errors.devices", devices="cuda")
def test_vector_on_the_cpu_beside_one_on_the_gpu(check: Check) -> None:
    """A tensor on the CPU that is no number is refused beside one on the GPU: neither is moved to the other."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.sin() + b

    check(program, tensor(3), built(torch.Tensor.cpu, tensor(3))).raised("devices")
