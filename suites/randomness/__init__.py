"""Randomness: equal seeds draw equal numbers, forward and backward, and leave equal generators.

Operators that draw (`test_draws`), the layouts that they draw into (`test_layouts`), dropout and its relatives
(`test_dropout`), generators and seeds inside a program (`test_generators`), the generators of Python and numpy
(`test_python_and_numpy`), draws in backward and in recomputation (`test_backward`), and draws in the same words
(`test_equal_draws`).

Inductor and what takes its decompositions run with ``fallback_random``, without which they promise other numbers than
eager's; what those have in common with eager's is `test_laws`. Other backends run without, as for their users: with it,
they would keep draws that nothing reads, which by default they eliminate, and draw again in backward.

Not clauses, and why:

- T17, functionalized random operators at work: they need CUDA. That their absence is said, and not passed over, is a
  clause.
- Two calls on one stream: every call begins at the same seed, and where its end leaves the generators is compared,
  which is the same and says more.
"""
