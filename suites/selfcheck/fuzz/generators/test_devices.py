"""What was drawn on the CPU, told to compute on a GPU."""

from __future__ import annotations

import ast

import pytest

from suites.fuzz.generators.choices import Seeded
from suites.fuzz.generators.devices import is_on_cuda, on_cuda
from suites.fuzz.kinds import KINDS


@pytest.mark.parametrize(
    ("drawn", "told"),
    [
        ("torch.randn(3)", 'torch.randn(3, device="cuda")'),
        ("torch.full((2,), k(), )", 'torch.full((2,), k(), device="cuda")'),
        (
            "torch.zeros(torch.tensor([1]).numel())",
            'torch.zeros(torch.tensor([1], device="cuda").numel(), device="cuda")',
        ),
        ("torch.normal(0.0, 1.0, (2, 3))", 'torch.normal(0.0, 1.0, (2, 3), device="cuda")'),
        ("torch.normal(a, b)", "torch.normal(a, b)"),
        ("torch.ones(2, device='meta')", "torch.ones(2, device='meta')"),
        ("torch.autocast('cpu', dtype=d)", "torch.autocast('cuda', dtype=d)"),
        ("impl('op', 'CPU', f)", "impl('op', 'CUDA', f)"),
        ("print('the é of cpu'), torch.eye(2)", "print('the é of cpu'), torch.eye(2, device=\"cuda\")"),
        ("x.new_zeros(3) + torch.ones_like(x)", "x.new_zeros(3) + torch.ones_like(x)"),
    ],
)
def test_what_makes_memory_says_where(drawn: str, told: str) -> None:
    assert on_cuda(drawn) == told
    assert on_cuda(told) == told


@pytest.mark.parametrize("of", KINDS)
def test_every_factory_of_a_program_has_a_device(of: str) -> None:
    for number in range(20):
        text = on_cuda(KINDS[of].draw(Seeded(f"devices/{number}"), number, None).text)
        made = [ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        assert all(
            "device=" in call for call in made if call.startswith(("torch.randn(", "torch.empty(", "torch.full("))
        )
        assert is_on_cuda(text)
        assert on_cuda(text) == text
