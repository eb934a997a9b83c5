"""Random programs: several inputs that may share memory, straight-line statements over them, outputs that may alias.

``choices`` is where decisions come from (a seed, or Hypothesis), ``scope`` is a program while it grows, the families
(``views``, ``writes``, ``arithmetic``, ``python``) are what a statement can be, ``drawing`` puts a program together
and ``text`` prints it as a file for ``parity check``.
"""
