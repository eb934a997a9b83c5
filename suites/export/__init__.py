"""Export: a program that leaves Python as one graph means what it meant, and says in its signature what it changes.

Before dispatch (`test_pre_dispatch`), where composite operators and grad modes stay what they are; as a joint graph of
forward and backward (`test_joint`); what is refused (`test_refusals`); sizes that nobody knows yet (`test_unbacked`).
The clauses run on ``export`` (`suites.harness.backends.entry_points.export`) and ``export_joint``.

Not clauses, and why:

- A11, random numbers made functional, and pytrees in the simple interface: how Inductor and higher-order operators
  call it; family randomness and the operators' own clauses hold what they mean.
"""
