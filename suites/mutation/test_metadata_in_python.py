"""What Python asks of a tensor after an operator in place: its sizes, strides, length, whether it has a history.

The programs ask on the way, and go on with what they are told: a number that is out of date is a wrong result.
"""

from typing import Any

import torch

from suites.harness import Check, clause, tensor


@clause("T5.1", "python.tensors", shapes=("static", "dynamic"))
def test_sizes_after_a_view_in_place(check: Check) -> None:
    """`shape`, `size`, `dim` and `len` after a view in place are those of the view."""

    def program(a: torch.Tensor) -> Any:
        turned, longer, shorter, swapped = a * 1, a * 2, a[None] * 3, a * 4
        turned.t_()
        longer.unsqueeze_(-1)
        shorter.squeeze_(0)
        swapped.swapaxes_(0, 1)
        return {
            "turned": turned / turned.shape[0],
            "longer": longer / longer.shape[-1],
            "shorter": shorter * shorter.dim() + shorter.size(0),
            "swapped": swapped.sum() / len(swapped),
            "facts": [list(turned.shape), longer.dim(), list(shorter.size()), len(swapped)],
        }

    check(program, tensor(2, 3)).shape("out['longer']", 2, 3, 1).holds(
        "out['facts']", [[3, 2], 3, [2, 3], 3]
    ).computed()


@clause("T5.1", "python.tensors")
def test_strides_after_a_view_in_place(check: Check) -> None:
    """`stride` and `is_contiguous` after a view in place are those of the view."""

    def program(a: torch.Tensor) -> Any:
        turned, swapped = a * 1, a * 2
        turned.t_()
        swapped.transpose_(0, 1)
        chosen = turned + 1 if turned.is_contiguous() else turned - 1
        return chosen, swapped * swapped.stride(0), [turned.stride(), turned.is_contiguous(), swapped.stride()]

    check(program, tensor(2, 3)).holds("out[2]", [(1, 3), False, (1, 3)]).computed()


@clause("T5.1", "python.tensors")
def test_rows_after_a_view_in_place(check: Check) -> None:
    """Iteration and unpacking after a view in place go over the view's first dimension."""

    def program(a: torch.Tensor) -> Any:
        turned, shorter, unpacked = a * 1, a[None] * 2, a * 3
        turned.t_()
        shorter.squeeze_(0)
        unpacked.transpose_(0, 1)
        first, *others = unpacked
        return {
            "turned": [row * (place + 1) for place, row in enumerate(turned)],
            "shorter": [row - place for place, row in enumerate(shorter)],
            "unpacked": (first, len(others)),
        }

    check(program, tensor(2, 3)).shape("out['turned'][2]", 2).computed()


@clause("T5.1", "python.tensors", shapes=("static", "dynamic"))
def test_sizes_of_what_a_view_in_place_returns(check: Check) -> None:
    """What a view in place returns, and what is computed of the tensor afterwards, has the sizes of the view."""

    def program(a: torch.Tensor) -> Any:
        turned, longer, shorter, swapped = a * 1, a * 2, a[None] * 3, a * 4
        turned = turned.t_()
        longer.unsqueeze_(-1)
        shorter.squeeze_(0)
        moved = swapped.swapaxes_(0, 1)
        computed, rows = longer * 2, shorter.neg()
        return {
            "turned": turned / turned.shape[0] + turned.stride(1),
            "longer": computed.expand(*computed.shape[:-1], 2),
            "shorter": rows * rows.dim() + rows.size(0) - len(rows),
            "swapped": [row * (place + 1) for place, row in enumerate(moved)],
            "elsewhere": torch.arange(a.shape[1], device=a.device) + a.dim(),
        }

    check(program, tensor(2, 3)).shape("out['longer']", 2, 3, 2).values().expect("""\
out['turned'] = float32[3, 2] [[3.229, 2.539], [2.123, 2.848], [2.92, 3.338]]
out['longer'] = float32[2, 3, 2] [[[2.746, 2.746], [-10.52, -10.52], [-0.956, -0.956]], [[-5.528, -5.528], [-1.824,
    -1.824], [4.061, 4.061]]]
out['shorter'] = float32[2, 3] [[-4.119, 15.78, 1.434], [8.292, 2.736, -6.091]]
out['swapped'][0] = float32[2] [2.746, -5.528]
out['swapped'][1] = float32[2] [-21.04, -3.649]
out['swapped'][2] = float32[2] [-2.868, 12.18]
out['elsewhere'] = int64[3] [2, 3, 4]
""")


@clause("T5.1", "python.tensors", modes="train")
def test_history_after_a_write_by_name(check: Check) -> None:
    """`requires_grad` and `is_leaf` after a write whose operand goes by its name are those of what was written."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        product, total, put = a * 1, a * 2, a * 3
        product.mul_(other=b)
        total.add_(other=b, alpha=2)
        put.index_put_(indices=(torch.tensor([0], device=a.device),), values=b[1])
        return {
            "product": product * 2 if product.requires_grad else product,
            "sum": total * 3 if total.is_leaf else total,
            "put": put * 4 if put.requires_grad else put,
        }

    check(program, tensor(2, 3, grad=False), tensor(2, 3)).gradient(0).computed()


@clause("T5.1", "python.tensors", modes="train")
def test_history_after_a_write_by_a_list(check: Check) -> None:
    """`requires_grad` of tensors that an operator on a list wrote to is that of what was written."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        product, total = a * 1, a * 2
        torch._foreach_mul_([product], [b])
        torch._foreach_add_([total], [b], alpha=2)
        return product * 2 if product.requires_grad else product, total * 3 if total.is_leaf else total

    check(program, tensor(2, 3, grad=False), tensor(2, 3)).gradient(0).computed()


@clause("T5.1", "python.tensors", modes="train")
def test_history_after_a_write(check: Check) -> None:
    """`requires_grad` and `is_leaf` after a write by position, by an index, by a mask or of a number are current."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        def asked(x: torch.Tensor) -> torch.Tensor:
            return (x * 2 if x.requires_grad else x) - (3 if x.is_leaf else 0)

        product, copied, put, masked, total = a * 1, torch.zeros_like(a), a * 2, a * 3, a * 4
        product.mul_(b)
        copied.copy_(b)
        put[0] = b[1]
        masked.masked_fill_(a > 0, b.sum())
        total += b
        untouched, detached, unwritten = a * 5, b.detach() * 6, a * 7
        detached.mul_(a)
        unwritten.mul_(other=2)
        return [asked(x) for x in (product, copied, put, masked, total, untouched, detached, unwritten)]

    check(program, tensor(2, 3, grad=False), tensor(2, 3)).gradient(0).requires_grad("out[0]").values().expect("""\
out[0] = float32[2, 3] [[-2.178, -4.738, 0.5411], [6.142, -0.1523, -0.2874]]
out[1] = float32[2, 3] [[-3.173, 1.802, -2.264], [-4.445, 0.3338, -0.2831]]
out[2] = float32[2, 3] [[-4.445, 0.3338, -0.2831], [-5.528, -1.824, 4.061]]
out[3] = float32[2, 3] [[-8.029, -15.78, -1.434], [-8.292, -2.736, -8.029]]
out[4] = float32[2, 3] [[2.319, -19.24, -4.176], [-15.5, -3.315, 7.838]]
out[5] = float32[2, 3] [[0.4323, -16.15, -4.195], [-9.91, -5.28, 2.076]]
out[6] = float32[2, 3] [[-9.535, -17.21, -1.377], [15.43, -3.457, -3.862]]
out[7] = float32[2, 3] [[6.61, -39.82, -6.346], [-22.35, -9.385, 11.21]]
""")
