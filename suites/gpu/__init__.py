"""What only a GPU can show: a machine without one has no cell of these clauses.

Triton kernels that a program brings with it (`test_triton_kernels`, the kernels in `kernels`), graphs of launches that
are recorded once and replayed (`test_cuda_graphs`), streams and memory that the host shares (`test_streams`), sizes at
which Inductor's kernels take another form (`test_thresholds`), attention by each of its ways (`test_attention`) and
numbers of fewer bits (`test_precision`). Tensors on two devices are in ``errors``.

Not clauses, and why:

- T16.14: other hardware, or a choice between kernels that are equivalent by measurement.
- T15.6: several GPUs; what can be held of it is in ``distributed``.
"""
