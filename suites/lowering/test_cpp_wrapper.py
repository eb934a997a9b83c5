"""The C++ wrapper: the code around the kernels is C++, and hands back what the Python wrapper would."""

from typing import Any

import torch

from suites.harness import Check, clause, tensor
from suites.lowering.operators import accumulate, spelled, swirl

ON = ("inductor_cpp_wrapper",)


@clause("T16.2", "T3.1", modes="train", on=ON)
def test_mutation_and_gradients(check: Check) -> None:
    """A mutated argument carries its history, and both leaves get eager's gradients."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.sub_(b.cos())
        return (a @ b).sin()

    check(program, tensor(3, 3), tensor(3, 3)).mutated(0).gradient(0, 1)


@clause("T16.11", "T7.1", shapes="dynamic", on=ON)
def test_dynamic_sizes_and_aliases(check: Check) -> None:
    """Views among the outputs share memory with what they are of, and sizes are those of each call."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, int]:
        joined = torch.cat([a, b]) * a.shape[0]
        return joined[1:].t(), a[0], joined.shape[0]

    result = check(program, calls=[(tensor(2, 3), tensor(4, 3)), (tensor(4, 5), tensor(3, 5))])
    result.aliases("out[1]", 0).shape("out[0]", 3, 5).recompiled(0)


@clause("T16.10", "inductor.fallbacks", on=ON)
def test_fallback_kernels(check: Check) -> None:
    """Custom operators, one that returns and one that mutates, run from C++ in their places between the kernels."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        early = swirl(a.sin(), b)
        accumulate(a, early)
        return a * 2 + early

    check(program, tensor(3, 4), tensor(3, 4)).mutated(0).unchanged(1)


@clause("dynamic-shapes.unbacked", on=ON)
def test_numbers_that_the_data_decide(check: Check) -> None:
    """A truth, whole numbers of either sign and a fraction that are taken out of tensors are the call's own."""

    def program(a: Any, truths: Any, whole: Any, few: Any, parts: Any) -> dict[str, torch.Tensor]:
        truth, count, small, part = truths.all().item(), whole.sum().item(), few[0].item(), parts.sum().item()
        return {
            "truth": a * truth + 1,
            "chosen": a + torch.sym_ite(truth, 2, -3),
            "sum and product": (a + count) * count,
            "quotient and remainder": a + count // 3 * 10 + count % 3,
            "of few bits": a * small + small,
            "fraction": a * part - part,
        }

    a = tensor(2, values=[1.0, 2.0])
    calls = [
        (
            a,
            tensor(2, dtype=torch.bool, values=[truth, 1]),
            tensor(1, dtype=torch.int64, values=[count]),
            tensor(1, dtype=torch.int8, values=[few]),
            tensor(1, values=[part]),
        )
        for truth, count, few, part in ((1, -4, -100, -0.75), (0, 5, 127, 2.5))
    ]
    result = check(program, calls=calls, config={"dynamo.capture_scalar_outputs": True}).recompiled(0)
    result.values().expect("""\
out['truth'] = float32[2] [2, 3]
out['chosen'] = float32[2] [3, 4]
out['sum and product'] = float32[2] [12, 8]
out['quotient and remainder'] = float32[2] [-17, -16]
out['of few bits'] = float32[2] [-200, -300]
out['fraction'] = float32[2] [0, -0.75]
""")
    result.in_call(1).values().expect("""\
out['truth'] = float32[2] [1, 1]
out['chosen'] = float32[2] [-2, -1]
out['sum and product'] = float32[2] [30, 35]
out['quotient and remainder'] = float32[2] [13, 14]
out['of few bits'] = float32[2] [254, 381]
out['fraction'] = float32[2] [0, 2.5]
""")


@clause("inductor.fallbacks", on=ON)
def test_text_with_backslashes_for_an_operator(check: Check) -> None:
    """An operator is told a text as it is: a backslash and the letter after it are two letters."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return spelled(a, r"C:\new\table"), spelled(a, r"\w+")

    check(program, tensor(2, grad=False, values=[0.0, 1.0])).values().expect("""\
out[0] = float32[2] [7943, 7944]
out[1] = float32[2] [459, 460]
""")


@clause("inductor.fallbacks", on=ON)
def test_other_text_for_an_operator(check: Check) -> None:
    """Text without backslashes or quotes, empty text and letters beyond ASCII reach an operator as they are."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return spelled(a, "ab %d {x}"), spelled(a, ""), spelled(a, "éü'")

    check(program, tensor(2, grad=False, values=[0.0, 1.0])).values().expect("""\
out[0] = float32[2] [4175, 4176]
out[1] = float32[2] [0, 1]
out[2] = float32[2] [854, 855]
""")
