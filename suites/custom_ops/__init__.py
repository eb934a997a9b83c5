"""Custom operators: what of theirs a compiled program may change, must copy, and must keep in order.

Operators that mutate (`test_schemas`, with `schemas` as the table): which schemas are auto-functionalized, and that
predicate, graph and program agree. The ways to define one (`test_defining`), what they are called with
(`test_arguments`), lists (`test_lists`) and views of one base (`test_view_encodings`), in both forms of
auto-functionalization. Reinplacing (`test_reinplacing`), operators whose schema hides an alias (`test_hidden_aliases`),
`out=` operators (`test_out_operators`, where family mutation stops), fallbacks of Inductor (`test_fallbacks`), the
operators of sharded training in one process (`test_fsdp_operators`, `test_fsdp_hooks`), operators with effects
(`test_effects`) and the strides of what an operator is given (`test_strides`, which defines its own). All others live
in `operators`, defined once a process; what clauses say of graphs that hold them is in `graphs`.

Not clauses, and why:

- T10.1, the population (how many registered overloads there are, how many of them mutate): a count of a build of
  torch, not a contract. What the count stands for, that ATen's operators are left to their own functionalization, is
  rows of the table.
- T10.1, higher-order operators as mutable operators: they are no custom operators, and have no schema until called.
- effects.order, TorchBind objects: an object needs a class that is registered from C++.
- reinplacing.live, counters of missed opportunities and of missed bytes: how well reinplacing does, not whether it does
  right.
"""
