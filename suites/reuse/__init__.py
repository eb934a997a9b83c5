"""Reuse: one compiled program called again, with anything about the call, the caller or the program changed.

What is guarded on: Python values and containers (`test_python_values`), tensors of another kind (`test_tensors`), the
caller's modes and flags (`test_modes`), what the program reaches besides its arguments (`test_program_state`); uses of
fifty kinds of values, in each place where a program finds one, are data (`table`). What is compiled in pieces
(`test_graph_breaks`) or once for several places (`test_regions`), and what is not compiled any more
(`test_recompile_limit`), or guarded no more (`test_guard_filters`). Each clause makes its calls in an order in which an
answer for an earlier call is a wrong one for a later; counts of recompilations are claimed where PyTorch documents what
is guarded on.

Other families hold their own part of it: mutation (`suites/mutation/test_reuse`), overlapping arguments
(`suites/aliasing/test_overlap_guards`), sizes (`suites/dynamic_shapes`).

Not clauses, and why:

- reuse.values, the time that guards take and the text of the log of recompilations: not a meaning.
- reuse.graph-breaks, which part of a program is compiled behind a break: an implementation's choice, but for the number
  of graphs.
- reuse.modes, deterministic algorithms as a branch in the program: eager's own definedness is found out by switching
  them, so the flag is not the caller's to vary; the refusal of an operator without such an algorithm is a clause.
"""
