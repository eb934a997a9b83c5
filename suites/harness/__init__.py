"""The oracle. A clause imports what it is written with from here.

``specs`` make inputs, ``programs`` and ``backends`` make runs, ``observe`` writes down what a caller can see of one,
``compare`` tells two apart, ``oracle`` judges and walks the ladder, ``clauses`` and ``plugin`` are what pytest sees.
"""

from .clauses import ANY, AOT_FUNCTION, DYNAMO, Check, Result, clause
from .specs import built, leaf, tensor, view_of

__all__ = ["ANY", "AOT_FUNCTION", "DYNAMO", "Check", "Result", "built", "clause", "leaf", "tensor", "view_of"]
