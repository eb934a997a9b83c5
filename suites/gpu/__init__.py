"""What only a GPU can show: a machine without one has no cell of these clauses.

Triton kernels that a program brings with it (`test_triton_kernels`, the kernels in `kernels`), graphs of launches that
are recorded once and replayed (`test_cuda_graphs`), streams and memory that the host shares (`test_streams`), sizes at
which Inductor's kernels take another form (`test_thresholds`, the largest one at a time by `large`), forms that an
option gives their code (`test_forms`), kernels that are chosen by measuring (`test_candidates`), attention by each of
its ways (`test_attention`), numbers of fewer bits (`test_precision`, with the product in `eight_bits`), memory
(`test_memory`), random numbers (`test_random`) and what the host hands to kernels and hears of them (`test_host`). More
about tensors on two devices is in ``errors``; packages of AOTInductor are in ``lowering`` and run on either device.

Not clauses, and why:

- T16.14: other hardware, or a choice between kernels that are equivalent by measurement.
- T15.6: several GPUs; what can be held of it is in ``distributed``.
"""
