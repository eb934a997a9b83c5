"""Normal numbers, drawn into a row of a larger tensor, land in its first row, and the caller's row is moved there.

``torch.randn(out=)`` resizes what it writes into. On Inductor the row that was handed in begins, from then on, where
its memory begins (its ``storage_offset`` is 0): a row that nobody named is overwritten, silently.
"""

import torch


def program(row):
    torch.randn(3, out=row)


def inputs():
    return (torch.zeros(3, 3)[1],)
