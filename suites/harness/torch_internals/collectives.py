"""How Inductor fuses, joins and moves collectives, where a setting asks for it, and what it made of them."""

from __future__ import annotations

import contextlib
import itertools
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from unittest import mock

import torch

from suites.harness.execution.marks import Marks

#: Inductor splits products beside collectives, so that one part is computed while another is sent.
MICRO_PIPELINED: dict[str, object] = {"inductor._micro_pipeline_tp": True}


@contextlib.contextmanager
def collectives_after_micro_pipelining() -> Iterator[Callable[[], set[str]]]:
    """What the context gives names the collectives in all graphs that Inductor's pass has been over, fused or not.

    In this process and in its forks. ``fused_all_gather_matmul`` and ``fused_matmul_reduce_scatter`` are what the pass
    makes of a collective and a product. Needs `MICRO_PIPELINED` and, on each rank, `enable_symmetric_memory`. Multicast
    over NVLink is off meanwhile: it can take GPUs that others share out of service.
    """
    from torch._inductor.fx_passes import post_grad

    found = Marks(
        (
            "all_gather_into_tensor",
            "fused_all_gather_matmul",
            "fused_matmul_reduce_scatter",
            "reduce_scatter_tensor",
        )
    )
    fuse = post_grad.micro_pipeline_tp_pass

    def noted(graph: torch.fx.Graph) -> None:
        fuse(graph)
        for node in graph.nodes:
            found.add(getattr(node.target, "_opname", ""))

    with (
        mock.patch.object(post_grad, "micro_pipeline_tp_pass", noted),
        mock.patch.dict(os.environ, {"TORCH_SYMM_MEM_DISABLE_MULTICAST": "1", "NCCL_NVLS_ENABLE": "0"}),
    ):
        yield found.made


#: Inductor joins collectives of one kind and group that do not wait for each other.
BUCKETED: dict[str, object] = {
    "inductor.bucket_all_gathers_fx": "all",
    "inductor.bucket_all_reduces_fx": "all",
    "inductor.bucket_reduce_scatters_fx": "all",
}


@contextlib.contextmanager
def collectives_in_buckets() -> Iterator[Callable[[], set[tuple[str, int]]]]:
    """What the context gives names each kind of bucket that Inductor made: the collective, and how many were joined.

    In this process and in its forks. Needs `BUCKETED`.
    """
    from torch._inductor.fx_passes import bucketing

    names = ("all_gather_into_tensor", "all_reduce", "reduce_scatter_tensor")
    found = Marks(itertools.product(names, range(16)))
    join = bucketing.process_collective_bucket

    def noted(graph: torch.fx.Graph, joined: list[torch.fx.Node], *args: Any, **kwargs: Any) -> Any:
        found.add((getattr(joined[0].target, "_opname", ""), len(joined)))
        return join(graph, joined, *args, **kwargs)

    with mock.patch.object(bucketing, "process_collective_bucket", noted):
        yield found.made


#: Inductor's schedule of a whole graph: collectives start early and are waited for late, beside products, or joined.
OVERLAPPED: dict[str, object] = {
    "inductor.aten_distributed_optimizations.enable_overlap_scheduling": True,
    "inductor.aten_distributed_optimizations.collective_bucketing": True,
}
#: What a schedule may have come to: how many collectives there were before it, and how many after.
_COUNTS = range(12)


@contextlib.contextmanager
def collectives_scheduled_for_overlap(
    milliseconds: Mapping[str, float],
) -> Iterator[Callable[[], set[tuple[int, int]]]]:
    """What the context gives names, of each graph that was scheduled, how many collectives it had before and after.

    In this process and in its forks. Needs `OVERLAPPED`. ``milliseconds``: how long operators of such names are taken
    to run; all others take no time. So the schedule is the same on every rank and machine, and one without a GPU, whose
    bandwidth torch would ask Triton for, has one as well.
    """
    import torch.utils._runtime_estimation as estimation
    from torch._inductor.fx_passes import overlap_scheduling

    found = Marks(itertools.product(_COUNTS, _COUNTS))
    schedule = overlap_scheduling.schedule_overlap_bucketing

    def taken(node: torch.fx.Node, size: int | None = None) -> float:
        return milliseconds.get(getattr(node.target, "_opname", ""), 0.0)

    def noted(graph: torch.fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
        before = _collectives_of(graph)
        options = {"custom_runtime_estimation": taken, "enable_fusion_regions": False}
        scheduled = schedule(graph, *args, **{**kwargs, **options})
        found.add((before, _collectives_of(scheduled)))
        return scheduled

    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(overlap_scheduling, "schedule_overlap_bucketing", noted))
        # 2.15 has the second name in place of the first.
        for name in ("get_gpu_dram_gbps", "get_device_dram_gbps", "get_device_tflops"):
            if hasattr(estimation, name):
                stack.enter_context(mock.patch.object(estimation, name, return_value=1000.0))
        yield found.made


def _collectives_of(graph: torch.fx.GraphModule) -> int:
    """How many collectives a graph starts, those in graphs that it calls with it."""
    modules = (module for module in graph.modules() if isinstance(module, torch.fx.GraphModule))
    started = (node.target for module in modules for node in module.graph.nodes if node.op == "call_function")
    names = (target for target in started if getattr(target, "namespace", "") == "_c10d_functional")
    return sum(getattr(target, "_opname", "") != "wait_tensor" for target in names)


def enable_symmetric_memory(group: torch.distributed.ProcessGroup) -> None:
    """Let what Inductor fuses use memory of other ranks of the group. Each rank has to."""
    from torch.distributed import _symmetric_memory as symmetric_memory

    with warnings.catch_warnings():
        # Deprecated in 2.11, whose pass still leaves groups alone for which it was not called.
        warnings.simplefilter("ignore", FutureWarning)
        symmetric_memory.enable_symm_mem_for_group(group.group_name)
