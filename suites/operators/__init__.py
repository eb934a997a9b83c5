"""Operators: the numbers where compilers have gone wrong in silence.

Indices that reductions return (`test_index_returning`), integers and their widths (`test_integers`), those without a
sign past the ones that have it (`test_unsigned_numbers`), low precision (`test_low_precision`,
`test_computed_in_more`), floor division and remainders (`test_division`), signed zero, infinity and NaN
(`test_special_values`, `test_nan_order`), as parts of complex numbers, too (`test_complex_special_values`), programs
that nearly match a pattern which a compiler rewrites (`test_pattern_near_misses`, `test_written_out_attention`), what
is left out or put otherwise by default (`test_rewrites`, `test_rewritten_softmax`, `test_rewritten_conversions`,
`test_dtypes_in_rewrites`), identities that hold for most numbers only (`test_algebra`), which dtype a result has
(`test_promotion`), reductions (`test_reductions`), those of bytes to a byte (`test_reductions_of_bytes`), resampling
(`test_resampling`), indices that the program computes (`test_computed_indices`), functions whose operand is nearly
nought (`test_near_nought`), and rows longer and shorter than a vector register (`test_long_rows`, `test_short_rows`).
What the options of each operator do is in the folder ``functional``; every operator of torch's own table is in the
folder `table`, as data.

Inputs are asymmetric and have no ties. Integers and booleans are compared exactly; floating point by distance to double
precision, and infinities, NaNs and zeros by what they are.

Not clauses, and why:

- Ties of ``argmax`` and ``topk``, conversions of negative floats to unsigned integers, and of floats that do not fit:
  undefined, so no program here depends on one.
"""
