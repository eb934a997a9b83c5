"""Pipelines: a rank has a stage or more of a model, which a schedule calls for one micro-batch after the other.

Between a stage's forward for a micro-batch and its backward lie its forwards for others: what one of them has saved,
returned and sent is not to be touched by the next.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import get_schedule_class

from suites.distributed.models import Compile, Feedforward, Recomputed
from suites.harness import Check, Result, clause, tensor

#: Three steps of eight rows. The first stage is given them, and the last one compares what comes out with them.
BATCHES = tensor(3, 8, 8, grad=False)
#: The parts that a batch is run in: more than there are stages, so that a stage has several of them under way.
MICRO_BATCHES = 4

Loss = Callable[[Any, torch.Tensor], torch.Tensor]
Trained = tuple[list[torch.Tensor], list[torch.Tensor], list[torch.Tensor]]


def distance(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The loss of a micro-batch: how far what came out of the last stage is from its target."""
    return (output - target).square().mean()


def stages(block: Callable[[], nn.Module], beside: torch.Tensor, a_rank: int = 1) -> list[nn.Module]:
    """This rank's stages of a model that has ``a_rank`` on each, on the device and in the dtype of ``beside``.

    Stage s is on rank s modulo the number of ranks. Each begins with parameters of its own.
    """
    torch.manual_seed(0)
    every = [block() for _ in range(a_rank * dist.get_world_size())]
    return [stage.to(beside) for stage in every[dist.get_rank() :: dist.get_world_size()]]


class Pipeline:
    """This rank's part of a pipeline: its stages, compiled, under a schedule of torch's."""

    def __init__(
        self, schedule: str, modules: Sequence[nn.Module], compile_part: Compile, loss: Loss = distance
    ) -> None:
        self._schedule, self._loss = schedule, loss
        self._compiled = [compile_part(module) for module in modules]
        self._running: dict[torch.Size, Any] = {}
        self._parameters = [parameter for module in modules for parameter in module.parameters()]
        self._trained = [parameter for parameter in self._parameters if parameter.requires_grad]

    def step(self, batch: torch.Tensor) -> list[torch.Tensor]:
        """Run a batch forward and backward; the losses of its micro-batches, on the rank of the last stage."""
        losses: list[torch.Tensor] = []
        given = (batch,) if dist.get_rank() == 0 else ()
        last = dist.get_rank() == dist.get_world_size() - 1
        self._under_schedule(batch).step(*given, **({"target": batch.roll(1, -1), "losses": losses} if last else {}))
        return [loss.detach() for loss in losses]

    def train(self, batches: Sequence[torch.Tensor]) -> Trained:
        """A step of SGD with momentum on each batch; losses, gradients of the last step, parameters."""
        # A stage that is frozen has nothing to optimize.
        optimizer = torch.optim.SGD(self._trained, lr=0.1, momentum=0.9) if self._trained else None
        losses = []
        for batch in batches:
            for parameter in self._parameters:
                parameter.grad = None
            losses += self.step(batch)
            if optimizer is not None:
                optimizer.step()
        gradients = [parameter.grad for parameter in self._parameters if parameter.grad is not None]
        return losses, gradients, [parameter.detach() for parameter in self._parameters]

    def _under_schedule(self, batch: torch.Tensor) -> Any:
        """The schedule for batches of that size: a stage takes micro-batches of one size alone."""
        if batch.shape not in self._running:
            rank, ranks, own = dist.get_rank(), dist.get_world_size(), len(self._compiled)
            placed = [
                PipelineStage(module, rank + number * ranks, own * ranks, batch.device)
                for number, module in enumerate(self._compiled)
            ]
            made: Any = get_schedule_class(self._schedule)
            several = "Interleaved" in self._schedule
            self._running[batch.shape] = made(placed if several else placed[0], MICRO_BATCHES, self._loss)
        return self._running[batch.shape]


def was_compiled(result: Result) -> None:
    """Demand that stages were compiled: those that run eagerly agree with everything."""
    result.demand("reuse", "whether graphs were compiled", True, result.verdict.counter.graphs > 0)


@pytest.mark.parametrize("schedule", ["GPipe", "1F1B"])
@clause("T15.10", modes="train", ranks=2)
def test_stage_a_rank(check: Check, schedule: str) -> None:
    """A compiled stage runs micro-batches forward before it runs an earlier one backward: each backward has what its
    own forward saved, and its own gradient is what the stage before is sent."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        return Pipeline(schedule, stages(Feedforward, batches), compile_part).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)
    result.values("out[1][1]").expect("""\
out[1][1] = float32[16] [0.03232, 0.01434, -0.0101, -0.006442, 0.04508, -0.01944, 0.03632, 0.01384, -0.01576,
    0.01063, 0.02131, 0.004549, -0.05587, 0.0239, -0.01888, 0.0198]
""")


@clause("T15.10", modes="train", ranks=2, profile="default")
def test_two_stages_a_rank(check: Check) -> None:
    """Two stages of a rank are called in turn, each for its own micro-batches and by its own parameters; the code of
    one that ran with the other's would train neither."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        return Pipeline("Interleaved1F1B", stages(Feedforward, batches, 2), compile_part).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)
    result.values("out[1][1]", "out[1][5]").expect("""\
out[1][1] = float32[16] [0.03236, 0, -0.01738, -0.001876, 0.04046, -0.003606, 0.04328, 0.02288, -0.004866, 0.006723,
    0.002421, 0.02914, -0.04457, 0.02399, -0.01142, 0.01523]
out[1][5] = float32[16] [0.06826, 0.03128, 0.008681, -0.07856, -0.02757, 0.003243, 0.01834, 0.03891, 0.09383, 0,
    -0.08193, 0.01992, -0.007062, -0.01191, -0.05689, -0.04503]
""")


@clause("T15.10", modes="train", ranks=2, profile="full")
def test_weights_that_are_differentiated_later(check: Check) -> None:
    """A schedule that runs backward for inputs first and for weights later trains compiled stages as eager's; torch
    refuses to, since a compiled backward is one piece."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        return Pipeline("InterleavedZeroBubble", stages(Feedforward, batches), compile_part).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)


@clause("T15.10", "T17", modes="train", ranks=2, profile="default")
def test_activations_of_a_stage_that_are_computed_again(check: Check) -> None:
    """A stage that computes a micro-batch's activations again draws the dropout of that one's forward once more, and
    not that of the micro-batches which have run since."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        return Pipeline("GPipe", stages(Recomputed, batches), compile_part).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)
    result.drew_random()
    # Not as numbers: in torch 2.11 a pipeline draws once before its first step, to learn of the sizes.
    result.happened(bool(result.value("out[1][1]").any()), "a gradient that is not zero")


@clause("T15.10", modes="train", ranks=2, profile="default")
def test_batches_of_another_size(check: Check) -> None:
    """Stages that were compiled for micro-batches of two rows run those of three, forward and backward, and then two
    again: with the sizes of the first a row would be left out."""

    def program(compile_part: Compile, few: torch.Tensor, more: torch.Tensor) -> Trained:
        return Pipeline("1F1B", stages(Feedforward, few), compile_part).train([few, more, few])

    sizes = tensor(8, 8, grad=False), tensor(12, 8, grad=False)
    result = check(program, calls=[sizes], in_parts=True, backward=False)
    was_compiled(result)
    result.values("out[1][1]").expect("""\
out[1][1] = float32[16] [0.007211, -0.006852, 0.009862, -0.06654, -0.004924, -0.02933, 0.005609, -0.006655, 0.03029,
    -0.07197, 0.04645, -0.0338, 0.002983, -0.004562, 0.02184, -0.04488]
""")


def frozen_on(rank: int) -> Callable[[], nn.Module]:
    """A block that is trained everywhere but on one rank."""
    return lambda: Feedforward().requires_grad_(dist.get_rank() != rank)


@clause("T15.10", modes="train", ranks=2, profile="default")
def test_last_stage_that_is_frozen(check: Check) -> None:
    """A stage that is not trained still hands back the gradients of what it was sent: else none before it learns."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        frozen = stages(frozen_on(dist.get_world_size() - 1), batches)
        return Pipeline("1F1B", frozen, compile_part).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)
    result.values("out[1][1]").expect("""\
out[1][1] = float32[16] [0.03807, 0.01599, -0.007458, -0.004539, 0.049, -0.02311, 0.03898, 0.008706, -0.01807,
    0.006062, 0.02098, 0.005461, -0.05894, 0.02457, -0.01828, 0.01874]
""")


# 2.12 itself refuses such a stage: it has no gradients, and is expected to be sent some.
@clause("T15.10", modes="train", ranks=2, profile="full", torch="!=2.12.*")
def test_first_stage_that_is_frozen(check: Check) -> None:
    """A stage of which nothing is differentiable is sent gradients all the same, and keeps its parameters."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        return Pipeline("1F1B", stages(frozen_on(0), batches), compile_part).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)
    result.holds("out[1]", []).values("out[2][1]").expect("""\
out[2][1] = float32[16] [-0.1237, -0.2898, -0.07521, 0.07557, -0.2303, -0.01814, 0.2531, -0.03635, 0.009826,
    -0.0305, 0.07155, 0.2248, 0.3349, 0.2245, 0.3357, -0.02557]
""")


def of_halves(outputs: tuple[torch.Tensor, torch.Tensor], target: torch.Tensor) -> torch.Tensor:
    """`distance` of rows that came in two parts."""
    return distance(torch.cat(outputs), target)


class Halves(nn.Module):
    """A block that takes rows in one part or two and returns them in two: views of one tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.feedforward = Feedforward()

    def forward(self, *parts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """``parts``: [..., WIDTH] each, together of an even number of rows. The first and the second half of them."""
        rows = self.feedforward(torch.cat(parts)).sigmoid()
        half = len(rows) // 2
        return rows[:half], rows[half:]


@clause("T15.10", modes="train", ranks=2, profile="default")
def test_stage_that_returns_views_of_one_tensor(check: Check) -> None:
    """Two halves of a stage's rows are sent as they are, and the gradient of each comes back to its own half."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        return Pipeline("1F1B", stages(Halves, batches), compile_part, of_halves).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)
    result.values("out[1][1]").expect("""\
out[1][1] = float32[16] [-0.001597, 0.0005973, -0.0008673, -0.004026, -0.001242, -0.001274, -0.001309, 0.001468,
    -0.002687, 0.001741, 0.003451, -0.004882, 0.001354, 0.003196, -0.004209, 0.0008723]
""")


def of_both(outputs: tuple[torch.Tensor, torch.Tensor], target: torch.Tensor) -> torch.Tensor:
    """`distance` of two results that are added up."""
    return distance(outputs[0] + outputs[1], target)


class Carrying(nn.Module):
    """A block that hands on, beside what it computes, what the first block of all has computed."""

    def __init__(self) -> None:
        super().__init__()
        self.feedforward = Feedforward()

    def forward(self, rows: torch.Tensor, carried: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """``rows``, ``carried``: [..., WIDTH]; so are both of the result. The second is what was carried."""
        if carried is None:
            computed = self.feedforward(rows)
            return computed.sin(), computed
        return self.feedforward(rows + carried), carried[:]


@clause("T15.10", modes="train", ranks=2, profile="full")
def test_stage_that_hands_on_what_it_was_given(check: Check) -> None:
    """Rows that a stage hands on unchanged, as a view of what it was sent, arrive at the next, and their gradients come
    back through it to the stage that computed them."""

    def program(compile_part: Compile, batches: torch.Tensor) -> Trained:
        return Pipeline("1F1B", stages(Carrying, batches), compile_part, of_both).train(list(batches))

    result = check(program, calls=[(BATCHES,)], in_parts=True, backward=False)
    was_compiled(result)
    result.values("out[1][1]").expect("""\
out[1][1] = float32[16] [-0.1258, 0.04341, -0.01347, -0.01664, 0.163, -0.1856, 0.3213, 0.02266, 0.2168, 0.06103,
    -0.1554, 0.1391, -0.09907, -0.1007, 0.001204, 0.07022]
""")
