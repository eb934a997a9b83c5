"""Kernels that several operators become: what is read has been written, and what is written over has been read."""

import torch

from suites.harness import Check, clause, tensor


@clause("inductor.fusion", modes="train")
def test_elements_read_elsewhere_than_they_were_written(check: Check) -> None:
    """What is computed once is read in its place and at others: moved along, turned, by rows, by index, over again."""

    def program(a: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        rows = (a / 4).exp()
        columns, third = (a / 5).exp() + rows, (a / 6).exp()
        return {
            "moved along": rows[:, 1:] + rows[:, :-1],
            "in its place": rows * 2 - columns,
            "backwards": columns.flip(1) - columns,
            "turned": third[:, :4] + third[:, :4].t(),
            "rolled": columns.roll(1, 0) * columns,
            "by index": third[places] + third,
            "less its row's": rows - rows.amax(1, keepdim=True),
            "by its column's": columns / columns.sum(0),
            "less all": third - third.mean(),
            "running": third.cumsum(1) + third,
            "first of all": rows[:1] + columns,
            "last of each": rows[:, -1:] + columns.flip(0),
            "seen otherwise": (rows * 3).view(6, 4) + columns.view(6, 4),
            "joined": torch.cat([rows, columns[:2] + rows[:2]], 0) + torch.cat([third[:2], rows], 0),
            "of parts": (columns.view(4, 2, 3) - columns.view(4, 2, 3).amin(2, keepdim=True)).view(4, 6) + rows,
        }

    inputs = tensor(4, 6), tensor(4, dtype=torch.int64, values=[3, 0, 2, 2])
    check(program, *inputs).gradient(0).computed()


@clause("inductor.fusion", modes="train")
def test_reductions_of_reductions(check: Check) -> None:
    """Sums, extremes and products of rows, of what these are taken off, of columns beside rows, and again."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        largest = a.amax(-1, keepdim=True)
        shifted = (a - largest) / 3
        weights = shifted.exp() / shifted.exp().sum(-1, keepdim=True)
        centred = weights - weights.mean(1, keepdim=True)
        spread = centred.square().mean((0, 2))
        return {
            "weights": weights,
            "of columns": (weights * a).sum(1),
            "of rows": (weights + largest).sum(-1) * 2,
            "centred": centred / (spread[:, None] + 0.1),
            "spread": spread - largest.sum((0, 2)),
            "of all": (weights * 3).sum() + centred.amax(),
            "rows and columns": weights.sum(2)[:, :, None] * a.sum(1, keepdim=True),
            "extremes": weights.amax(0) - a.amin(0),
            "of pairs": (a.view(2, 3, 4, 2).sum(3) * largest).sum(1),
            "of one": largest.sum(2) + a[..., :1].sum(2),
            "in two ways": a.sum((1, 2)) - a.sum(1).sum(1) * 2,
            "product": (weights + 1).prod(1) / (weights + 1).prod(2).sum(1, keepdim=True),
        }

    check(program, tensor(2, 3, 8)).gradient(0).computed()


@clause("inductor.fusion", "T3.5")
def test_reads_around_writes(check: Check) -> None:
    """What was read before a write is the old, and after it the new: of an argument, its parts and what is computed."""

    def program(a: torch.Tensor, b: torch.Tensor, places: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {"before": a + 1, "moved before": a[1:] * a[:-1], "summed before": a.sum(0)}
        rows = torch.arange(4, device=a.device)
        found["added by rows"] = a.index_add(0, rows, b) * 2
        found["added by columns"] = (b * 3).scatter_add(1, rows.expand(4, 4), a).sum(0)
        turned = a.t() * 2
        a.mul_(3)
        found["between"] = a.flip(0) - b
        a[1:].add_(b[:-1])
        found["after a part"] = a.sum(1) + found["summed before"][:4]
        a[0] = found["moved before"][2]
        product = b @ b
        found["product"] = product + 1
        less = product - 1
        product.index_put_((places,), b[:2], accumulate=True)
        found["less"] = less.flip(0) * 2
        made = torch.zeros(4, 4, device=a.device)
        made.index_put_((places,), b[:2], accumulate=True)
        found["made"] = made + made.t()
        found["added to"] = product[places] * 2
        product[:, 1].copy_(product[:, 0])
        found["copied"] = product.t() + turned
        product.diagonal().zero_()
        found["row of it"] = product[2] * 4
        b.copy_(b.t() * 2)
        b.select(0, 3).sub_(a[3])
        found["last"] = product + b
        return found

    inputs = tensor(4, 4), tensor(4, 4), tensor(2, dtype=torch.int64, values=[3, 1])
    check(program, *inputs).mutated(0).mutated(1).computed()


@clause("inductor.fusion", "T3.5")
def test_write_to_what_is_read_at_other_places(check: Check) -> None:
    """A kernel that reads moved, turned or added elements has read them all before another writes over them."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, d: torch.Tensor) -> tuple[torch.Tensor, ...]:
        moved = a.roll(1, 0) + 1
        a.add_(10)
        turned = b.t() * 2
        b.copy_(b * 3)
        spread = c[:1] + c
        c.mul_(4)
        ahead = d[1:] - d[:-1]
        d[1:].add_(5)
        return moved, turned, spread, ahead, a * 2, b + c, d.flip(1) * 2

    inputs = tensor(5, 5), tensor(5, 5), tensor(5, 5), tensor(5, 5)
    check(program, *inputs).mutated(0).mutated(1).mutated(2).mutated(3).computed()


@clause("inductor.fusion")
def test_what_is_written_by_index_is_read_in_another_order(check: Check) -> None:
    """What is written by index is read after the last write, also where a kernel joins the read to a turned one."""

    def program(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor) -> dict[str, torch.Tensor]:
        places = rows[:, None].expand(3, 4)
        written = b.clone()
        written[rows] = 0.5
        made = {
            "added by rows": torch.zeros(3, 4, device=a.device).index_add(0, rows, b),
            "added by index": torch.ones(3, 4, device=a.device).index_put((rows,), b, accumulate=True),
            "scattered": torch.zeros(3, 4, device=a.device).scatter_reduce(0, places, b, "sum"),
            "written": written,
        }
        found = {}
        for number, (name, each) in enumerate(made.items(), 1):
            found[f"turned beside {name}"] = turned = (a.flip(1) * number).exp()
            found[name] = turned + each
        return found

    signs = tensor(3, 4, values=[[0.0, 0.5, -0.5, 1.0], [0.25, 0.75, 0.0, -1.0], [-0.25, 0.0, 1.5, 0.5]])
    numbers = tensor(3, 4, values=[[1.0, 2.0, 4.0, 8.0], [16.0, 32.0, 64.0, 128.0], [-1.0, -2.0, -4.0, -8.0]])
    rows = tensor(3, dtype=torch.int64, values=[0, 2, 2])
    check(program, signs, numbers, rows).values().expect("""\
out['turned beside added by rows'] = float32[3, 4] [[2.718, 0.6065, 1.649, 1], [0.3679, 1, 2.117, 1.284], [1.649,
    4.482, 1, 0.7788]]
out['added by rows'] = float32[3, 4] [[3.718, 2.607, 5.649, 9], [0.3679, 1, 2.117, 1.284], [16.65, 34.48, 61,
    120.8]]
out['turned beside added by index'] = float32[3, 4] [[7.389, 0.3679, 2.718, 1], [0.1353, 1, 4.482, 1.649], [2.718,
    20.09, 1, 0.6065]]
out['added by index'] = float32[3, 4] [[9.389, 3.368, 7.718, 10], [1.135, 2, 5.482, 2.649], [18.72, 51.09, 62,
    121.6]]
out['turned beside scattered'] = float32[3, 4] [[20.09, 0.2231, 4.482, 1], [0.04979, 1, 9.488, 2.117], [4.482,
    90.02, 1, 0.4724]]
out['scattered'] = float32[3, 4] [[21.09, 2.223, 8.482, 9], [0.04979, 1, 9.488, 2.117], [19.48, 120, 61, 120.5]]
out['turned beside written'] = float32[3, 4] [[54.6, 0.1353, 7.389, 1], [0.01832, 1, 20.09, 2.718], [7.389, 403.4,
    1, 0.3679]]
out['written'] = float32[3, 4] [[55.1, 0.6353, 7.889, 1.5], [16.02, 33, 84.09, 130.7], [7.889, 403.9, 1.5, 0.8679]]
""")


@clause("inductor.fusion", modes="train")
def test_gates_of_what_neighbours_add(check: Check) -> None:
    """What neighbours add to each node is scaled by a gate of its channels turned round, and gradients are eager's."""

    def program(
        nodes: torch.Tensor, weights: torch.Tensor, ends: torch.Tensor, starts: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        gates = nodes.flip(1).sigmoid()
        told = torch.zeros_like(nodes).index_add(0, ends, nodes[starts] * weights[:, None])
        return gates, gates * told

    ends, starts = ([2, 0, 2, 1, 3, 0], [0, 1, 1, 3, 2, 3])
    places = (tensor(6, dtype=torch.int64, values=values) for values in (ends, starts))
    check(program, tensor(4, 3), tensor(6), *places).gradient(0, 1).values().expect("""\
out[0] = float32[4, 3] [[0.4405, 0.06723, 0.6652], [0.734, 0.3879, 0.2007], [0.2438, 0.7111, 0.1699], [0.4647,
    0.5416, 0.09776]]
out[1] = float32[4, 3] [[0.9907, 0.01071, -0.335], [0.6775, -0.02689, 0.0118], [-0.225, 4.483, 0.0109], [1.653,
    -1.094, 0.2481]]
""")


@clause("inductor.fusion", modes="train")
def test_results_that_are_partly_used(check: Check) -> None:
    """Of operators with several results some are used by nothing, or by what is dropped, or only to be written to."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        values, places = a.max(1)
        _, least = a.min(0)
        ordered, _ = a.sort(1)
        _, order = (a * 2).sort(0)
        spread, _ = torch.var_mean(a, 1)
        _, mean = torch.var_mean(a * 2, 0)
        _ = values + mean[:3]  # Dropped.
        top = a.topk(2, 1)
        first, _, last = a.split([1, 2, 2], 1)
        written = torch.zeros_like(first)
        written.add_(first)
        unread = mean.clone()
        unread.add_(1)
        parts = torch.unbind(a * 3)
        return {
            "values": values,
            "places": places + least[:3],
            "order": ordered[:, 1:] - order[:, 1:],
            "spread": spread * mean[1],
            "top": top.indices,
            "pieces": written + last,
            "one row": parts[1],
            "norm": torch.native_layer_norm(a, [5], None, None, 1e-3)[1],
            "half": a.median(0).values,
        }

    check(program, tensor(3, 5)).gradient(0).computed()


@clause("inductor.fusion")
def test_results_in_the_memory_of_operands(check: Check) -> None:
    """A result of another size, dtype, order or offset than its dead operand does not lie in that one's memory."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        def product(scale: float) -> torch.Tensor:
            return (a * scale) @ a

        wide = a.tile(3, 3)
        return {
            "smaller": product(1)[1:] + 1,
            "larger": product(2).double() * 2,
            "as large": (product(3) > 0).to(torch.int32) + whole,
            "narrower": product(4).to(torch.bfloat16) * 1.5,
            "moved": product(5).roll(1, 1) - 1,
            "turned": product(6).t().contiguous() + 2,
            "wider": product(7)[:1] + product(8),
            "twice": torch.cat([product(9), product(10) * 2]) * 2,
            "padded": torch.nn.functional.pad(product(11), (1, 0)) + 3,
            "of rows": product(12).sum(1, keepdim=True) + product(13),
            "shifted": product(14)[:, 1:] * product(15)[:, :-1],
            "in two ways": product(16).view(2, 8) + product(16).t().reshape(2, 8),
            "chained": (((product(17) + 1) @ a).relu() @ a).sin() + 1,
            "in another order": a.t() * 2 + (product(18) @ a).amax(),
            "backwards": (wide @ (wide * 21)).reshape(-1).flip(0) + 5,
            "moved along": (wide @ (wide * 22)).reshape(-1).roll(7) * 2,
            "as it lies": product(19).t(),
            "as it lies and computed": (product(20) + 4).t(),
        }

    check(program, tensor(4, 4), tensor(4, 4, dtype=torch.int32)).unchanged(0).computed()


@clause("inductor.fusion", modes="train", inputs=("plain", "strided"))
def test_loops_in_several_orders(check: Check) -> None:
    """Operands that lie in several orders, of all dimensions and of some, meet in one loop, with sizes of one too."""

    def program(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        moved = b.permute(2, 0, 1)
        last = a.contiguous() * 2
        return {
            "orders": a + moved,
            "one of them": (moved * 3).sum(0) + a[1],
            "rows": a[:, :1] * moved + c,
            "column": moved[..., 1:2] + a * c[:, :, None, 0],
            "flat": (last.reshape(-1) + a.reshape(-1)) * 2,
            "parts": last.reshape(2, 12) + moved.reshape(2, 12),
            "sums": (a * moved).sum(1) + moved.amax(1),
            "of the others": (a * 4).sum((0, 2)) - moved.mean((0, 2)),
            "spread": c.expand(2, 3, 4) - moved.flip(1),
            "turned": a.transpose(0, 2) + b.transpose(0, 1).reshape(4, 3, 2),
            "of one": (a[:, None, :1, :, None] + moved[:, None, :1, :, None]).sum((1, 4)),
            "squeezed": (a[:1] - moved[1:]).squeeze(0) * 5,
        }

    check(program, tensor(2, 3, 4), tensor(3, 4, 2), tensor(1, 3, 4)).gradient(0, 1, 2).computed()
