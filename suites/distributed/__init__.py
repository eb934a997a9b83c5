"""Distributed: programs on two processes, and whole FSDP2 training steps.

FSDP2 end to end (`test_fsdp`), as it is set up (`test_fsdp_settings`) and what it holds in memory
(`test_fsdp_memory`), DTensors (`test_tensor_parallel`), products that are fused with collectives
(`test_async_tensor_parallel`, on GPUs alone), pipelines of stages (`test_pipelines`), functional collectives in a graph
(`test_functional_collectives`), their waits and their order (`test_waits_and_order`) and the streams that they run on
(`test_streams`, on GPUs alone), collectives that Inductor joins or moves where a setting asks for it (`test_buckets`),
also in a schedule of the whole graph (`test_overlap`), and FSDP in one process over the fake process group
(`test_fake_group`). The models that train are in `models`, what is claimed of training in `claims`.

Each rank is a fresh process that joins a process group: of gloo on the CPU, of NCCL with a GPU to itself. What a rank
observes is compared with what the same rank observes of eager. Claims and graphs are rank 0's.

Not clauses, and why:

- How long Inductor thinks that a product or a collective takes, by which its schedule is made: `test_overlap` says it.
- A functional collective's result that is returned as it is: eager's is of a class that waits when it is first used,
  and whoever looks at it before reads memory that may still be written. The programs here use it or wait for it.
- Asynchronous in-place collectives (``async_op=True``): torch refuses to compile them, by design.
- ``nn.TransformerEncoderLayer`` under `fully_shard` as a clause of its own: nothing of it is compiled, neither whole
  nor by block after sharding, so that every comparison would be vacuous. The transformer here writes its attention out.
"""
