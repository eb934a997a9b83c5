"""Distributed: programs on two processes, and whole FSDP2 training steps.

FSDP2 end to end (`test_fsdp`), functional collectives in a graph (`test_functional_collectives`) and FSDP in one
process over the fake process group (`test_fake_group`). The models that train are in `models`.

Each rank is a fresh process that joins a gloo process group on the CPU; what a rank observes is compared with what the
same rank observes of eager. Claims and graphs are rank 0's.

Not clauses, and why:

- T15.6, overlap of streams, NCCL, bucketing of all-gathers, copy-in on CUDA: nothing of it runs without two GPUs.
- ``nn.TransformerEncoderLayer`` under `fully_shard` as a clause of its own: nothing of it is compiled, neither whole
  nor by block after sharding, so that every comparison would be vacuous. The transformer here writes its attention out.
"""
