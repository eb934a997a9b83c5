"""Random custom operators: schemas as values, a model of what must happen to them, kernels made of their annotations.

``schema`` is what an operator says of itself, ``strategies`` draws one, ``rules`` is the model, ``bodies`` writes
kernels that read all they may read and write what they declare, ``on_gpu`` the same with Triton, ``registration``
registers them, ``calls``, ``surroundings`` and ``drawing`` put programs around them, ``schema_check`` compares what
operators do with their schemas, and ``usage_rules`` draws definitions that torch must accept or refuse.
"""
