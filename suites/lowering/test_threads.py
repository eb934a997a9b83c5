"""Kernels of several threads: what each sums, counts, finds and writes is put together as by one.

A worker of the harness has one thread, for which Inductor writes other loops than for the several that users have.
"""

import torch

from suites.harness import Check, clause, tensor

THREADS: dict[str, object] = {"inductor.cpp.threads": 3}


@clause("inductor.threads", modes="train", on=("inductor",))
def test_reductions_by_several_threads(check: Check) -> None:
    """Sums, products, extremes, places, truths and variances of many numbers, of all, of rows and of columns."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        scaled, small = a * 2, a / 128 + 1
        found = {
            "sum": scaled.sum(),
            "product": small.prod(),
            "largest": scaled.max(),
            "least": scaled.min(),
            "place": scaled.argmax(),
            "place of the least": (a + 1).argmin(),
            "variance": scaled.var(),
            "norm": torch.linalg.vector_norm(a, 3),
            "all": (a > -5).all(),
            "any": (a > 3.4).any(),
            "whole": whole.sum() + whole.amax() * whole.amin(),
            "whole place": whole.argmax(),
            "bits": (whole & 1).sum(),
            "truths": (a > 0).sum(),
            "logarithm": scaled.logsumexp((0, 1)),
            "wide": a.double().sum(),
        }
        for dim in (0, 1):
            found[f"sums {dim}"] = (a * 3).sum(dim)
            found[f"variances {dim}"] = (a * 4).var(dim)
            found[f"places {dim}"] = (a * 5).argmin(dim)
            found[f"extremes {dim}"] = (a * 6).amax(dim) - whole.amin(dim)
        return found

    check(program, tensor(67, 83), tensor(67, 83, dtype=torch.int64), config=THREADS).gradient(0).computed()


@clause("inductor.threads", modes="train", on=("inductor",))
def test_writes_by_several_threads(check: Check) -> None:
    """Rows that several threads add to one place, joints, tiles and running sums arrive whole."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        sums = torch.zeros(5, 64, device=a.device)
        return {
            "added": sums.index_add(0, places % 5, a),
            "scattered": sums[:, 0].scatter_add(0, places % 5, a[:, 3] * 2),
            "summed": sums.index_put((places % 5, places % 64), a[:, 1], accumulate=True),
            "looked up": torch.nn.functional.embedding(places % 67, a * 3),
            "joined": torch.cat([a, a[:, :13] * 2], 1) + 1,
            "turned": a.t() + a.t().contiguous().view(64, 67) * 2,
            "running": a.cumsum(0) * 2,
            "softmax": (a * 2).softmax(1),
            "of columns": (a * 3).softmax(0),
            "normalised": torch.nn.functional.layer_norm(a, (64,)),
            "mean": (a - a.mean(0)).square().mean(1, keepdim=True) * a,
        }

    check(program, tensor(67, 64), tensor(67, dtype=torch.int64), config=THREADS).gradient(0).computed()


@clause("inductor.threads", modes="train", shapes="dynamic", on=("inductor",))
def test_sizes_by_several_threads(check: Check) -> None:
    """Loops whose sizes are arguments are shared out in every call by its own sizes."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (a * 2).sum(), a.softmax(1) + 1, (a * 3).amax(0), a.var(1)

    calls = [(tensor(67, 83),), (tensor(131, 40),), (tensor(2, 2),)]
    check(program, calls=calls, config=THREADS).gradient(0).computed()


@clause("numbers.vectors", modes="train")
def test_sums_of_very_many_numbers(check: Check) -> None:
    """More numbers than are summed in one go, with some left over: of all, of rows and of columns."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        wide, long = a.view(3, 4111), a.view(4111, 3)
        return {
            "all": (a * a).sum(),
            "rows": (wide.square() * 3).sum(1),
            "columns": (long.square() * 4).sum(0),
            "mean": (wide + 1).mean(1),
            "variance": (a + 2).var(),
            "of rows": (wide * 5).var(1),
            "of columns": (long * 6).std(0),
            "product": (a / 4096 + 1).prod(),
            "low": a.abs().bfloat16().sum(),
            "wide": a.double().exp().sum(),
            "scaled": (wide.square().sum(1, keepdim=True) + wide)[:, :2],
        }

    check(program, tensor(12333)).gradient(0).computed()
