"""Aliasing: which tensors share memory, before, during and after a call, and who sees a write.

Inputs that overlap (`test_synthetic_bases`, `test_false_aliasing`, `test_duplicate_arguments`, `test_overlap_guards`),
outputs that are views (`test_views_of_inputs`, `test_views_of_intermediates`, `test_multi_output_views`,
`test_detached_aliases`, `test_view_replay`), outputs that are inputs (`test_returned_inputs`, `test_custom_functions`)
or copies (`test_copies`), how outputs lie in memory (`test_output_strides`), what a later write does
(`test_writes_after_the_call`), wrapper subclasses (`test_subclasses`) and when memory is free (`test_lifetimes`).

Not clauses, and why:

- T6.4, its CUDA twin: the same program on ``--device cuda``; there is nothing of CUDA's own in it.
- T7.1, the class of ``grad_fn`` of a view of an input: a compiled program names its own nodes (``AliasBackward0`` for
  ``ViewBackward0``) and may. What a caller relies on, the base, in-place ops and gradients, is compared everywhere.
- T7.2, which graph output an alias is regenerated from: an implementation's choice; goldens hold it for AOTAutograd.
- T7.12, the leak upstream measures in CUDA's allocator: measured here by storages that outlive their outputs.
- D10, version counters of arguments: family mutation; here only the counters of aliases among the outputs.
- Writes through memory that overlaps itself (stride 0, unfold): undefined in eager, so a program that does it is
  rejected before it is compared.
"""
