"""Autograd: what backward computes, what it changes, what it keeps, and who is called on the way.

What backward writes to (`test_backward_mutation`), in which precision it runs (`test_backward_autocast`), hooks on what
is saved (`test_saved_tensor_hooks`) and on tensors and modules (`test_hooks`), Functions of the program's own
(`test_custom_functions`), derivatives of derivatives and backward a second time (`test_double_backward`), a backward
that is captured (`test_compiled_autograd`), what is computed again (`test_checkpointing`; where the program takes its
gradients itself, `test_checkpoints_inside`; of blocks in `checkpointed`) and what is saved (`test_partitioning`),
formulas under a broadcast gradient (`test_scatter_backward`), through branches and loops (`test_control_flow`), what
the caller does around a call (`test_around_calls`), and graphs whose in-place ops stay as they are
(`test_without_functionalization`).

Not clauses, and why:

- T9.4, metadata mutation in backward: upstream leaves it undefined, so there is nothing to compare.
- T9.5, the dtype of a listed autocast state: the list is part of a configuration that torch logs as JSON, which a
  dtype cannot be; the device's default is used.
- T9.6, hooks that are inlined and return a wrapper subclass: refused by design; with CUDA graphs: a device's matter.
- T9.7, D9, T13: what families mutation and aliasing hold already (a Function that returns its input, mark_dirty,
  buffers with history, counters, momentum) is not said twice.
- T13, `BatchNorm1d(momentum=None)`: Dynamo needs the number in a tensor and breaks the graph there, so that nothing of
  it is compiled.
- A15, effect tokens in partitioning: family custom_ops.
- A22, Functions written in C++, and A23, the freeing of activations: they need an extension, or a device's allocator.
- A retained gradient of a tensor that is neither returned nor kept by anybody: not in the caller's sight.
"""
