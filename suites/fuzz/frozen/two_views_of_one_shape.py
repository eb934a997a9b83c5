"""Two views of an intermediate that keep its shape, returned beside it: Inductor hands out one tensor three times.

Where nothing requires grad they are ``OutputType.non_alias``
(``torch/_functorch/_aot_autograd/collect_metadata_analysis.py``), and ``remove_noop_ops``
(``torch/_inductor/fx_passes/post_grad.py``) and the lowering of views make one buffer of them.
"""

import torch


def program(a):
    b = a * 2
    return b.expand(4), b.view(4), b


def inputs():
    return (torch.randn(4),)
