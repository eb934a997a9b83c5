"""Mutation: what a program does to its inputs, to what they share memory with, and to the state around it.

Data of inputs (`test_input_data`, `test_copy_back`), through views (`test_views_of_inputs`), of tensors made of
themselves (`test_self_reference`), after a copy was taken (`test_copy_then_mutate`), through ``out=``
(`test_out_arguments`). Autograd: under detach and no_grad (`test_grad_modes`), inputs that start or stop requiring grad
(`test_requires_grad`), who learns of a mutation (`test_version_counters`), what is refused (`test_refusals`). Sizes and
strides (`test_metadata`) and what Python asks of them afterwards (`test_metadata_in_python`), memory (`test_set`,
`test_storage_resize`), modules (`test_buffers`), Python data (`test_containers`), in branches and loops
(`test_control_flow`), by numbers that are drawn (`test_random`), what backward makes of it (`test_gradients`), and one
compiled program called again (`test_reuse`).

Not clauses, and why:

- T3.7, the class of ``grad_fn`` of an alias outside of the program: a compiled program names its own nodes, and may.
  That the alias has a history, and that backward through it works, is checked.
- T3.8, which inputs overlap and what follows from it, in one call or in a later one: family aliasing.
- T4.7, version counters after a mutation in backward (D10): backward mutation has a family of its own. Version counters
  among aliases of one output (D10): family aliasing.
- T5.3, the error by which AOTAutograd alone refuses metadata mutation of a subclass: eager allows it, so the clause
  says that it works, and the refusal is a known bug.
- T5.10, creating a parameter, `set_` and resize in one autograd Function, as sharded training does: upstream holds it
  unsafe and skips it, so there is no meaning to compare with.
- D8, two subclass inputs that share one inner tensor: family aliasing.
- D13, double backward, and keeping a graph whose buffers were donated: backward's limits, not mutation's.
- What of a mutation is left behind by a call that raises: not observed, calls that raise end with their error.
- Writes through memory that overlaps itself (stride 0, unfold): undefined in eager, so a program that does it is
  rejected before it is compared.
"""
