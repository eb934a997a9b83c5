"""Collectives on streams of their own: what one stream sends and another reads, each in its turn. On GPUs alone."""

from __future__ import annotations

import torch
import torch.distributed as dist

from suites.distributed.models import Compile, everyone
from suites.harness import Check, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()


def busy(a: torch.Tensor) -> torch.Tensor:
    """Some milliseconds of work on the stream that is current; a zero that is there after it."""
    work = a.new_full((2048, 2048), 1 / 2048)
    for _ in range(8):
        work = work @ work
    return work.mean() * 0


@clause("T15.6", fullgraph=False, devices="cuda", ranks=2)
def test_part_that_is_called_on_another_stream(check: Check) -> None:
    """A compiled part with a collective runs on the stream that it is called on, after what that stream has still to
    do: on any other, it would send what nobody has written yet."""

    def program(compile_part: Compile, a: torch.Tensor) -> torch.Tensor:
        def part(a: torch.Tensor) -> torch.Tensor:
            rows: torch.Tensor = collectives.all_gather_tensor(a * (dist.get_rank() + 1), 0, everyone())
            return rows.sin() + a[0]

        compiled = compile_part(part)
        # Compiled and warm, so that what is called below is under way at once.
        compiled(a)
        side, here = torch.cuda.Stream(), torch.cuda.current_stream()
        late = torch.zeros_like(a)
        side.wait_stream(here)
        with torch.cuda.stream(side):
            late.copy_(a + busy(a))
            found: torch.Tensor = compiled(late)
        here.wait_stream(side)
        return found * 2

    result = check(program, tensor(3, 4), in_parts=True)
    result.shape("out", 6, 4).computed()


@clause("T15.6", fullgraph=False, devices="cuda", ranks=2)
def test_collective_beside_work_on_another_stream(check: Check) -> None:
    """A sum that one compiled part asks for, while another part works on another stream, is there when a third reads
    it, and so is what was worked on."""

    def program(compile_part: Compile, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        def summed(a: torch.Tensor) -> torch.Tensor:
            mine = a + busy(a) if dist.get_rank() else a
            total: torch.Tensor = collectives.wait_tensor(collectives.all_reduce(mine.cos(), "sum", everyone()))
            return total

        def worked(a: torch.Tensor) -> torch.Tensor:
            return (a + busy(a)).exp()

        def together(total: torch.Tensor, work: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return total * work, total - work

        side, here = torch.cuda.Stream(), torch.cuda.current_stream()
        side.wait_stream(here)
        with torch.cuda.stream(side):
            work = compile_part(worked)(a)
        total = compile_part(summed)(a)
        here.wait_stream(side)
        work.record_stream(here)
        first, second = compile_part(together)(total, work)
        return first, second

    check(program, tensor(64, 64), in_parts=True).distinct("out[0]", "out[1]").computed()
