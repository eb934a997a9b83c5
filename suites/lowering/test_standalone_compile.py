"""Standalone compilation: an artifact runs as the graph that it was made of, also from a file."""

import torch

from suites.harness import Check, clause, tensor

ON = ("standalone_compile", "standalone_compile_saved")


@clause("T16.12", on=ON)
def test_results_and_mutation(check: Check) -> None:
    """An artifact's results, and what it writes to an argument, are eager's on the first call and on later ones."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        before = (a @ b).relu()
        a.sub_(before)
        return before.sum(0), a * b

    check(program, tensor(3, 3), tensor(3, 3)).mutated(0).unchanged(1)


@clause("T16.12", "T16.11", shapes="dynamic", on=ON)
def test_dynamic_sizes(check: Check) -> None:
    """One artifact serves other sizes, of arguments and of results that are expressions of several of them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a, b]).sin() * (a.shape[0] * b.shape[0])

    result = check(program, calls=[(tensor(3, 2), tensor(4, 2)), (tensor(5, 6), tensor(2, 6))])
    result.shape("out", 7, 2).recompiled(0)
    result.values().expect("""\
out = float32[7, 2] [[7.606, -5.874], [-2.841, -11.79], [-5.285, 10.19], [-12, 9.406], [-10.86, -9.542], [1.994,
    -1.693], [-8.841, -6.64]]
""")
    result.in_call(1).values().expect("""\
out = float32[7, 6] [-8.456, -5.145, 1.91, 9.806, -5.529, -5.736, -9.808, -6.735, -9.152, -9.45, 0.339, -9.917, ...,
    -6.939, -5.961, 5.941, -4.846]
""")


@clause("T16.12", "T16.1", on=ON)
def test_with_graph_partition(check: Check) -> None:
    """An artifact of a graph that partition may cut keeps its results and what it writes to an argument."""

    def program(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        b.mul_(2)
        return ((a @ b).sin() @ b) + 1

    check(program, tensor(3, 3), tensor(3, 3), config={"inductor.graph_partition": True}).mutated(1).unchanged(0)


@clause("T16.12", on=ON)
def test_output_that_is_a_view_of_an_argument(check: Check) -> None:
    """An output that is a view of an argument shares its memory, whoever runs the artifact."""

    def program(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return (a @ b) + 1, a[1:]

    check(program, tensor(3, 3), tensor(3, 3)).aliases("out[1]", 0)


@clause("T16.12", on=ON)
def test_random_numbers(check: Check) -> None:
    """An artifact draws from the caller's generator, as many numbers as eager and the same ones."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.dropout(a, 0.5) + torch.rand_like(a)

    check(program, tensor(16)).drew_random()
