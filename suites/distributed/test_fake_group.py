"""FSDP and collectives over the fake process group: one process that takes itself for one of many ranks."""

import contextlib
from collections.abc import Iterator

import torch
import torch.distributed as dist

from suites.distributed.models import Compile, Feedforward, Stack, compile_blocks, everyone, shard
from suites.harness import Check, clause, tensor, torch_internals

collectives = torch_internals.functional_collectives()


@contextlib.contextmanager
def rank_of_four() -> Iterator[None]:
    """This process as rank 1 of four, whose collectives give back what the rank itself puts in."""
    dist.init_process_group("fake", store=torch_internals.fake_store(), rank=1, world_size=4)
    try:
        yield
    finally:
        dist.destroy_process_group()


@clause("T15.4", modes="train", fullgraph=False, torch=">=2.13")
def test_fsdp_forward_and_backward(check: Check) -> None:
    """Compiled blocks under FSDP have eager's output and leave eager's gradients in this rank's shards."""

    def program(compile_part: Compile, x: torch.Tensor) -> list[torch.Tensor]:
        model = shard(compile_blocks(Stack(Feedforward), compile_part), x)
        out = model(x)
        out.square().mean().backward()
        shards = [parameter.grad.to_local() for parameter in model.parameters()]  # type: ignore[union-attr]
        return [out.detach(), *shards]

    with rank_of_four():
        result = check(program, calls=[(tensor(3, 8, grad=False),)], in_parts=True, backward=False)
    # Of 16 rows, a rank of four has four.
    result.shape("out[1]", 4, 8)
    result.demand("reuse", "graphs compiled", 2, result.verdict.counter.graphs)
    result.values().expect("""\
out[0] = float32[3, 8] [[1.034, -0.3183, 1.034, -0.3183, 1.034, -0.3183, 1.034, -0.3183], [1.135, 0.05024, 1.135,
    0.05024, 1.135, 0.05024, 1.135, 0.05024], [0.1329, 0.4489, 0.1329, 0.4489, 0.1329, 0.4489, 0.1329, 0.4489]]
out[1] = float32[4, 8] [[-0.001105, -0.003294, 0.004258, -0.002329, -0.0011, 0.002501, -0.002201, 0.005574],
    [0.0003054, -0.001199, 0.009859, -0.002572, -0.005415, 0.006661, -0.007178, 0.01056], [-0.008052, -0.0007644,
    0.01084, -0.02208, 0.02804, -0.006382, 0.01578, 0.006517], [0.002987, 0.01008, -0.01766, 0.008087, 0.006156,
    -0.01085, 0.01028, -0.0218]]
out[2] = float32[4] [0.002817, 0.0007885, -0.006542, -0.008489]
out[3] = float32[2, 16] [[0.02598, 0.03837, 0.03165, 0.02806, 0.02598, 0.03837, 0.03165, 0.02806, 0.02598, 0.03837,
    0.03165, 0.02806, 0.02598, 0.03837, 0.03165, 0.02806], [0.06178, 0.09063, 0.06972, 0.06545, 0.06178, 0.09063,
    0.06972, 0.06545, 0.06178, 0.09063, 0.06972, 0.06545, 0.06178, 0.09063, 0.06972, 0.06545]]
out[4] = float32[2] [0.1323, 0.3026]
out[5] = float32[4, 8] [[-0.01279, -0.1168, -0.001873, 0.002724, -0.09817, 0.01212, -0.07107, 0.02398], [0.001843,
    0.007786, 0.005354, 0.003657, -0.006973, 0.007785, -0.007389, 0.007364], [-0.001125, -0.005636, -0.006088,
    -0.002281, 0.006741, -0.007614, 0.007488, -0.008286], [0, 0, 0, 0, 0, 0, 0, 0]]
out[6] = float32[4] [0.1022, -0.004667, 0.003204, 0]
out[7] = float32[2, 16] [[0.05323, 0.00539, 0.01203, 0, 0.05323, 0.00539, 0.01203, 0, 0.05323, 0.00539, 0.01203, 0,
    0.05323, 0.00539, 0.01203, 0], [0.1272, 0.01113, 0.029, 0, 0.1272, 0.01113, 0.029, 0, 0.1272, 0.01113, 0.029, 0,
    0.1272, 0.01113, 0.029, 0]]
out[8] = float32[2] [0.1156, 0.2723]
out[9] = float32[2, 8] [[-0.04635, -0.2555, -0.05757, -0.02583, -0.179, -0.03955, -0.1232, -0.02851], [0.004435,
    -0.02671, -0.08159, 0.005723, 0.06825, -0.07956, 0.08587, -0.1088]]
out[10] = float32[2] [0.1919, 0.01508]
""")


@clause("T15.4", "T15.5", shapes=("static", "dynamic"), torch=">=2.13")
def test_collectives_of_many_ranks(check: Check) -> None:
    """Sizes after a gather and a scatter are those that the group's size gives, for sizes of any call."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        gathered = collectives.all_gather_tensor(a.cos(), 0, everyone())
        scattered = collectives.reduce_scatter_tensor(gathered * 2, "sum", 0, everyone())
        return gathered + 1, scattered + a

    with rank_of_four():
        result = check(program, calls=[(tensor(3, 2),), (tensor(5, 2),)])
        result.values().expect("""\
out[0] = float32[12, 2] [[1.773, 0.128], [1.972, 1.188], [1.898, 1.527], [1.773, 0.128], [1.972, 1.188], [1.898,
    1.527], [1.773, 0.128], [1.972, 1.188], [1.898, 1.527], [1.773, 0.128], [1.972, 1.188], [1.898, 1.527]]
out[1] = float32[3, 2] [[2.233, -4.374], [1.704, -1.007], [1.34, 2.07]]
""")
        result.in_call(1).values().expect("""\
out[0] = float32[20, 2] [1.876, 1.963, 1.998, 1.614, 1.888, 1.866, 0.5055, 1.974, 1.999, 1.906, 1.876, 1.963, ...,
    0.5055, 1.974, 1.999, 1.906]
out[1] = float32[5, 2] [[1.25, 1.653], [1.927, 2.138], [1.297, 1.209], [1.099, 2.176], [1.963, 2.249]]
""")
    result.shape("out[0]", 12, 2).shape("out[1]", 3, 2)
