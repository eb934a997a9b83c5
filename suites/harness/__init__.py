"""The engine. A clause imports what it is written with from here.

A program goes through these rooms: ``clauses`` (what a clause is written with, and its cells), ``programs`` (inputs and
what is run on them), ``backends`` (how it is compiled), ``observation`` (what a caller can see of one run), ``oracle``
(eager against compiled: what differs, and at which layer first), ``execution`` (processes, limits, kernels),
``results`` (the ledger and what follows from it). ``session`` and ``plugin`` tie them to pytest. The private names of
torch are in ``torch_internals``.
"""

from suites.harness.clauses.check import Check
from suites.harness.clauses.result import Result
from suites.harness.clauses.scope import ANY, AOT_FUNCTION, DYNAMO, clause
from suites.harness.programs.specs import built, leaf, tensor, view_of

__all__ = ["ANY", "AOT_FUNCTION", "DYNAMO", "Check", "Result", "built", "clause", "leaf", "tensor", "view_of"]
