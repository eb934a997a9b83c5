"""Reads and writes at one place, at none, and in what has no dimension."""

import torch

from suites.harness import Check, clause, tensor


@clause("numbers.options", modes=("train", "no_grad"))
def test_places_in_what_has_no_dimension(check: Check) -> None:
    """A tensor without dimensions is read, written and added to as one of one number is, at the place nought."""

    def program(a: torch.Tensor, b: torch.Tensor, place: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "gathered": a.gather(0, place) * 2,
            "gathered in a row": (a + 1).gather(-1, place[None].expand(3)),
            "written": (a * 2).scatter(0, place, b),
            "number written": a.scatter(-1, place, 2.5) + a,
            "added": a.scatter_add(0, place, b),
            "largest": a.scatter_reduce(0, place, b, "amax"),
            "mean": a.scatter_reduce(0, place, b * 2, "mean", include_self=False),
            "masked": a.masked_fill(place == 0, 2.0) * b,
        }

    parts = tensor(values=[-1.5]), tensor(values=[0.75]), tensor(dtype=torch.int64, values=[0])
    check(program, *parts).gradient(0, 1).computed()


@clause("numbers.options", modes=("train", "no_grad"))
def test_places_named_in_what_has_no_dimension(check: Check) -> None:
    """A tensor without dimensions has one row, at the place nought: it is chosen, copied to, filled and added to."""

    def program(a: torch.Tensor, b: torch.Tensor, place: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "selected": a.index_select(0, place[None]) + b,
            "added with a factor": (a * 3).index_add(0, place[None], b, alpha=2),
            "copied": a.index_copy(0, place, b * 4) + a,
            "filled": a.index_fill(0, place, 1.5) - b,
        }

    parts = tensor(values=[-1.5]), tensor(values=[0.75]), tensor(dtype=torch.int64, values=[0])
    check(program, *parts).gradient(0, 1).computed()


@clause("numbers.options", modes="train")
def test_writes_and_reads_at_one_place(check: Check) -> None:
    """An index without a dimension names one row, which stays a row; of a tensor without one it names its number."""

    def program(
        a: torch.Tensor, row: torch.Tensor, number: torch.Tensor, place: torch.Tensor, first: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "filled": a.index_fill(0, place, 2.0),
            "filled column": a.index_fill(-1, place, number.detach()),
            "copied": a.index_copy(0, place, row),
            "read": a.detach().index_select(1, place),
            "a number filled": number.index_fill(0, first, 3.0),
            "a number copied": number.index_copy(0, first, number * 2),
            "a number added": number.index_add(0, first, number),
            "a number read": number.index_select(0, first),
            "a number gathered": number.gather(0, first),
            "a number scattered": number.scatter(0, first, number * 3),
        }

    one, first = tensor(dtype=torch.int64, values=[1]), tensor(dtype=torch.int64, values=[0])
    check(program, tensor(3, 4), tensor(1, 4), tensor(values=[1.5]), one, first).gradient(0, 1, 2).values().expect("""\
out['filled'] = float32[3, 4] [[0.6865, -2.63, -0.239, -1.382], [2, 2, 2, 2], [-1.132, -2.222, 0.1669, -0.1415]]
out['filled column'] = float32[3, 4] [[0.6865, 1.5, -0.239, -1.382], [-0.4561, 1.5, -1.587, 0.9008], [-1.132, 1.5,
    0.1669, -0.1415]]
out['copied'] = float32[3, 4] [[0.6865, -2.63, -0.239, -1.382], [-2.313, -0.5863, -0.4814, -0.4153], [-1.132,
    -2.222, 0.1669, -0.1415]]
out['read'] = float32[3, 1] [[-2.63], [1.015], [-2.222]]
out['a number filled'] = float32[] 3
out['a number copied'] = float32[] 3
out['a number added'] = float32[] 3
out['a number read'] = float32[] 1.5
out['a number gathered'] = float32[] 1.5
out['a number scattered'] = float32[] 4.5
""")


@clause("numbers.options", modes="train")
def test_reads_and_writes_at_no_place(check: Check) -> None:
    """An index of nothing reads nothing, of the dtype of what it reads; what is written by it is a copy as it was."""

    def program(a: torch.Tensor, row: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        none, nothing, half, kept = places[:0], row[:0], a.detach().half(), a.detach() + 1
        spread = none[:, None].expand(0, 3)
        copies = {
            "copy with a number": kept.scatter(0, spread, 1.5),
            "copy that is added to": kept.scatter_add(0, spread, nothing.detach()),
            "copy of means": kept.scatter_reduce(0, spread, nothing.detach(), "mean", include_self=False),
            "copy of rows": kept.index_copy(0, none, nothing.detach()),
        }
        for copy in copies.values():
            copy.mul_(2)
        return {
            "gathered": a.gather(0, spread),
            "halves gathered": half.gather(1, spread.t()[:2]) * 2,
            "whole gathered": places.gather(-1, none),
            "along": torch.take_along_dim(a, spread, 0),
            "flat": torch.take(a, none),
            "selected": half.index_select(1, none),
            "rows": a[none],
            "columns": half[:, none] + 1,
            "scattered": a.scatter(0, spread, nothing),
            "added": a.scatter_add(0, spread, nothing),
            "largest": a.scatter_reduce(0, spread, nothing, "amax"),
            "rows added": a.index_add(0, none, nothing, alpha=2),
            "columns filled": a.index_fill(1, none, 3.0),
            "put": a.index_put((none,), nothing, accumulate=True),
            "put flat": a.put(none, nothing[:, 0]),
            **copies,
            "kept": kept,
        }

    places = tensor(2, dtype=torch.int64, values=[1, 0])
    check(program, tensor(4, 3), tensor(2, 3), places).gradient(0, 1).computed()


@clause("numbers.options", modes="train")
def test_sum_at_one_place(check: Check) -> None:
    """A row is added to the one that an index without a dimension names."""

    def program(a: torch.Tensor, row: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        return a.index_add(0, place, row, alpha=2)

    one = tensor(dtype=torch.int64, values=[1])
    whole = tensor(3, 4, values=[float(number) for number in range(12)])
    check(program, whole, tensor(1, 4, values=[1.0, 2.0, 4.0, 8.0]), one).gradient(0, 1).values().expect("""\
out = float32[3, 4] [[0, 1, 2, 3], [6, 9, 14, 23], [8, 9, 10, 11]]
""")


@clause("numbers.options", modes="train")
def test_gradient_of_a_read_at_one_place(check: Check) -> None:
    """A row that an index without a dimension names has a gradient, and no other has."""

    def program(a: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        return a.index_select(1, place) * 2

    one = tensor(dtype=torch.int64, values=[1])
    check(program, tensor(2, 3, values=[float(number) for number in range(6)]), one).gradient(0).values().expect("""\
out = float32[2, 1] [[2], [8]]
""")


@clause("numbers.options", "T7.9", modes=("train", "no_grad"))
def test_running_values_of_what_has_no_dimension(check: Check) -> None:
    """A running sum or product of a single number is that number in memory of its own, though it is written to."""

    def program(a: torch.Tensor, written: torch.Tensor) -> dict[str, torch.Tensor]:
        made, before = a.sin(), written.cumsum(0)
        written.add_(1)
        return {
            "sum": a.cumsum(0),
            "product": a.cumprod(-1),
            "in its own dtype": torch.cumsum(a, 0, dtype=torch.float32),
            "logarithm": torch.logcumsumexp(a, 0),
            "largest": torch.cummax(a, 0).values,
            "least": torch.cummin(a, -1).values,
            "in order": a.sort().values,
            "made": made,
            "sum of what is made": made.cumsum(-1),
            "product of what is made": torch.cumprod(made, 0),
            "twice": made.cumsum(0).cumprod(0),
            "from before": before,
        }

    result = check(program, tensor(values=[-1.5]), tensor(values=[2.5], grad=False)).mutated(1)
    for name in ("sum", "product", "in its own dtype", "logarithm", "largest", "least", "in order"):
        result.distinct(f"out[{name!r}]", 0)
    for name in ("sum of what is made", "product of what is made", "twice"):
        result.distinct("out['made']", f"out[{name!r}]")
    result.distinct("out['from before']", 1).values().expect("""\
out['sum'] = float32[] -1.5
out['product'] = float32[] -1.5
out['in its own dtype'] = float32[] -1.5
out['logarithm'] = float32[] -1.5
out['largest'] = float32[] -1.5
out['least'] = float32[] -1.5
out['in order'] = float32[] -1.5
out['made'] = float32[] -0.9975
out['sum of what is made'] = float32[] -0.9975
out['product of what is made'] = float32[] -0.9975
out['twice'] = float32[] -0.9975
out['from before'] = float32[] 2.5
arg[1] = float32[] 3.5
arg[1]._base = float32[1] [3.5]
""")
