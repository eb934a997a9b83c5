"""Random custom operators: schemas as values, a model of what must happen to them, kernels made of their annotations.

``schema`` is what an operator says of itself, ``strategies`` draws one, ``rules`` is the model, ``bodies`` writes
kernels that read all they may read and write what they declare, ``doors`` registers them, ``calls``, ``surroundings``
and ``drawing`` put programs around them, ``honesty`` sees whether an operator keeps its word, ``reduction`` has the
edits that make operators small.
"""
