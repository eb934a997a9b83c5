"""Settings that choose between equivalent code: whichever is chosen, a few telling programs keep their meaning."""

import pytest
import torch

from suites.harness import Check, clause, tensor, torch_internals

SETTINGS: dict[str, dict[str, object]] = {
    "aggressive_fusion": {"aggressive_fusion": True},
    "no_epilogue_fusion": {"epilogue_fusion": False},
    "no_split_reductions": {"split_reductions": False},
    "loop_ordering": {"loop_ordering_after_fusion": True},
    "no_comprehensive_padding": {"comprehensive_padding": False},
    "no_pattern_matcher": {"pattern_matcher": False},
    "no_in_place_buffers": {"inplace_buffers": False},
    "no_cat_folding": {"max_pointwise_cat_inputs": 0},
    "reads_not_inlined": {"realize_reads_threshold": 1, "realize_opcount_threshold": 1},
}
#: Those that decide over kernels of reductions.
OF_REDUCTIONS = ("aggressive_fusion", "no_split_reductions", "loop_ordering", "reads_not_inlined")
#: Those that decide over buffers and their layouts.
OF_LAYOUT = ("no_comprehensive_padding", "no_in_place_buffers", "no_cat_folding", "no_epilogue_fusion")


def settings(name: str) -> dict[str, object]:
    """The settings of that name as `Check` takes them."""
    return {f"inductor.{key}": value for key, value in SETTINGS[name].items()}


@pytest.mark.parametrize("name", SETTINGS)
@clause("T16.4", "mutation.copy-then-mutate", on=("inductor",))
def test_writes_among_reads(check: Check, name: str) -> None:
    """Kernels that read an argument before, between and after two writes each see the data of their moment."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        first = a.sum(0)
        a.mul_(b)
        second = torch.cat([a, b + first])
        a[:, 0] = first[1]
        return first.cos(), second, (a * 2).t()

    check(program, tensor(3, 4), tensor(3, 4), config=settings(name)).mutated(0).unchanged(1)


@pytest.mark.parametrize("name", OF_REDUCTIONS)
@clause("T16.4", "numbers.indices", modes="train", on=("inductor",))
def test_reductions_over_both_dimensions(check: Check, name: str) -> None:
    """Reductions over rows, columns and everything, of one tensor, have eager's values and gradients."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        both = (a * b).exp()
        return both.sum(0), both.t().softmax(0), both.mean() * a.amax(1)

    check(program, tensor(5, 33), tensor(5, 33), config=settings(name)).gradient(0, 1).shape("out[1]", 33, 5)


@pytest.mark.parametrize("name", OF_LAYOUT)
@clause("T16.4", "layout.memory-formats", on=("inductor",))
def test_layouts_of_results(check: Check, name: str) -> None:
    """Results that are permuted, joined or products of permuted operands have eager's strides."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
        permuted = (a + 1).permute(2, 0, 1)
        joined = torch.cat([a.transpose(0, 1), b], 2)
        return permuted, joined * 2, (a[0] @ b[0].t()).relu().t()

    result = check(program, tensor(2, 3, 4), tensor(3, 2, 4), config=settings(name))
    result.strides("out[0]", 1, 12, 4)
    result.values().expect("""\
out[0] = float32[4, 2, 3] [[[0.6078, 0.6095, 1.271], [-0.353, 0.4051, 2.294]], [[-0.1695, 1.888, 0.4887], [0.8962,
    -0.07826, -0.07808]], [[2.512, 0.2187, -0.4938], [0.5824, -0.3471, 2.383]], [[0.1732, 2.979, 2.5], [0.008194,
    0.8065, 0.01225]]]
out[1] = float32[3, 2, 8] [-0.7843, -2.339, 3.023, -1.654, -1.412, -0.1356, 0.3328, -1.804, -2.706, -0.2077,
    -0.8351, -1.984, ..., 0.5385, 0.4706, 0.1348, -0.9406]
out[2] = float32[2, 3] [[1.353, 0, 0], [0, 0.1851, 0.03654]]
""")


@clause("T16.13", modes="train", on=("inductor",))
def test_provenance_tracking(check: Check) -> None:
    """Tracking where kernels come from changes nothing of what they compute, forward or backward."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).sin() * b + a.sum()

    check(program, tensor(3, 3), tensor(3, 3), config={"inductor.trace.provenance_tracking_level": 1}).gradient(0, 1)


@clause("T16.13", on=("inductor",))
def test_each_node_has_a_kernel(check: Check) -> None:
    """Every kernel names the nodes that it computes, and every node that computes something has a kernel."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        product = a @ b
        return product.sin() * b, (product + 1).sum()

    with torch_internals.kernel_origins() as origins:
        result = check(program, tensor(3, 3), tensor(3, 3), config={"inductor.trace.provenance_tracking_level": 1})
    result.values().expect("""\
out[0] = float32[3, 3] [[2.219, 0.1357, -0.1372], [1.235, 0.4602, 0.1154], [-0.3913, -2.208, -0.3237]]
out[1] = float32[] 22.58
""")
    named = sorted({node for nodes in origins.values() for node in nodes})
    result.demand("state", "nodes that have a kernel", ["add", "mm", "mul", "sin", "sum_1"], named)
    products = [kernel for kernel, nodes in origins.items() if "mm" in nodes]
    result.demand("state", "nodes of the product's own kernel", [["mm"]], [origins[kernel] for kernel in products])
