"""Errors: a compiled program raises wherever the eager one does, and says the same kind of thing.

Shapes that do not fit (`test_shapes`), dtypes that an operator does not take (`test_dtypes`), numbers and dtypes that
its kernel has no code for (`test_kernels`), indices and values that only a run can tell are wrong (`test_indices`,
`test_values`), parameters (`test_parameters`), exceptions of the program's own (`test_exceptions`) and its assertions
(`test_assertions`), tensors of two devices (`test_devices`). Refusals of mutation are family mutation's.

An error that eager raises and a compiled program does not is silent: the caller goes on with numbers that mean nothing.

Not clauses, and why:

- D12, the *type* of an error: tracing wraps what eager raises (``TorchRuntimeError`` for ``RuntimeError``), and may.
  That it raises, and its class of message, is compared.
- What a call left behind when it raised in the middle: an eager program stops at the operator that raises, a compiled
  one anywhere between its graphs. What the program itself catches is compared.
"""
