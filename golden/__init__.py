"""What is expected: graphs, their canonical text, and the goldens in the tests.

Reading order: `text` and `value` (the language of canonical texts and its parser), `values` (that of small values),
`capture` (graphs of a compilation), `compare` and `explain` (meaning before text), `expectation` and `locate`
(``expect`` and the literal that it was called with), then what changes goldens: `edits` (pending edits, merged),
`rewrite` (literals in source), `journal` (files changed all or none), `bands` (other torch releases), `apply`. `drift`
clusters what changed between two sets of goldens. Only `text`, `capture` and `_torch` import torch.
"""
