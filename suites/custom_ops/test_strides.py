"""Which strides an operator's arguments have: it may read them as they lie in memory."""

import torch

from suites.harness import Check, clause, tensor

from . import operators as ops

#: What an operator says of the strides that it needs, by a name.
TAGS: dict[str, tuple[torch.Tag, ...]] = {
    "untold": (),
    "exact": (torch.Tag.needs_exact_strides,),
    "order": (torch.Tag.needs_fixed_stride_order,),
}


def _strides(a: torch.Tensor, many: list[torch.Tensor], *, named: torch.Tensor) -> torch.Tensor:
    return torch.tensor([part.stride() for part in (a, *many, named)], device=a.device)


def _fake(a: torch.Tensor, many: list[torch.Tensor], *, named: torch.Tensor) -> torch.Tensor:
    return torch.empty(2 + len(many), named.dim(), dtype=torch.int64, device=a.device)


for _name, _tags in TAGS.items():
    ops.define(f"strides_{_name}", "(Tensor a, Tensor[] many, *, Tensor named) -> Tensor", _strides, _fake, tags=_tags)


@clause("T10.3", "inductor.fallbacks")
def test_operator_is_given_the_strides_that_eager_gives(check: Check) -> None:
    """What is computed for an operator, alone, in a list or by a name, lies in memory as eager's does."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        turned = a.t()
        told: dict[str, torch.Tensor] = {}
        for name in TAGS:
            operator = getattr(torch.ops.parity, f"strides_{name}")
            rows = [turned.contiguous() + number for number in range(3)]
            told |= {
                f"rows, {name}": operator(rows[0], [rows[1], a + 2], named=rows[2]),
                f"columns, {name}": operator(turned + 4, [turned * 5, turned.exp()], named=turned - 6),
                f"both, {name}": operator(turned + 7, [a * 8, turned.contiguous() - 9], named=(turned @ b).cos()),
                f"joined, {name}": operator(torch.cat([a, b]).t(), [torch.cat([a, b], 1).t()], named=b[:, ::2] * 11),
            }
        return told

    check(program, tensor(4, 6), tensor(4, 6)).computed()
