"""Random programs: several inputs that may share memory, straight-line statements over them, outputs that may alias.

``choices`` is where decisions come from (a seed, or Hypothesis), ``inputs`` says what a program is called with, and
with what else it is called later, ``scope`` is a program while it grows, the families are what a statement can be
(``views``, ``writes``, ``indexing``, ``arithmetic``, ``reductions``, ``products``, ``fresh``, ``autograd``, ``state``,
``python``), ``helpers`` is what they lean on, ``drawing`` puts a program together, and ``text`` prints it as a file for
``parity check``.

``numbers`` draws programs of another kind, of one operator a statement, on what kernels treat apart.

A family is a function of a scope that returns lines. Most of them fill one of a table of templates; a statement that
eager refuses, leaves undefined, or that rounding could decide is not taken.
"""
