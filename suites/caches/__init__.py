"""Caches of compiled code: a second compilation in the same process or the next is served by them, or is not.

When they serve, count and pass (`test_hits`), and what their keys hold (`test_keys`): a call that differs in anything
that the code depends on is compiled anew, and every call gets its own answer. The clauses run on ``inductor_cached``, a
way to compile (`suites.harness.backends.entry_points.inductor_cached`) in which every call compiles again; `counting`
has the claims about what was counted.

Not clauses, and why:

- caches.counts, the remote caches and the hot load of artifacts: they need a server, or are `torch.compiler`'s save and
  load, which family tracing holds for ``standalone_compile``.
- caches.keys, Triton operators and invoke_subgraph in keys: they need a GPU, or are the operators' own clauses.
- caches.keys, operators defined anew: an operator is called by its name, so nothing of its body is in a cached graph.
"""
