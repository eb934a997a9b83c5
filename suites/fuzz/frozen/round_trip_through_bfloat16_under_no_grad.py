"""What a round trip through bfloat16 under no_grad returns requires grad on ``aot_eager_decomp_partition``.

``_to_copy`` is decomposed into ``prims.convert_element_type``, whose implementation (``_convert_element_type_aten``
in ``torch/_prims/__init__.py``) gives its result what the operand has for ``requires_grad``, whatever the grad mode.
"""

import torch

TRAIN = True


def program(a):
    with torch.no_grad():
        return a.bfloat16().float()


def inputs():
    return (torch.randn(3, requires_grad=True),)
