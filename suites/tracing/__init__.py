"""Tracing: a program becomes a graph of ATen operators that means what the program means.

``make_fx`` and what it composes with (`test_make_fx`, `test_transforms`), layers along a direction
(`test_forward_mode`), functionalization as a transform of its own (`test_functionalize`) and by family of operators
(`test_functionalization`), tables of decompositions (`test_decomposition_tables`), real weights in symbolic tracing
(`test_real_weights`), branches and loops that are operators of the graph (`test_control_flow`) and the nnc shim
(`test_nnc_shim`), and what follows a trace that failed (`test_after_a_failed_trace`). What is not reached through
``torch.compile`` runs through an entry point of its own: `suites.harness.backends.entry_points`.

Not clauses, and why:

- T1.3, a scalar on the CPU beside a tensor on another device: the same program on ``--device cuda``.
- T1.6, Python numbers as inputs of the nnc shim: TorchScript takes them for tensors and refuses them; upstream's own
  scalars are tensors without dimensions.
- functionalization.operators, operators on wrappers that were made at another functorch level, and mixed wrappers:
  errors of the C++ kernels that no program without private API reaches.
- functionalization.operators, a write through memory that overlaps itself: undefined in eager; reads through it are
  clauses.
"""
