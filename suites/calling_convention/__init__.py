"""Calling convention: what goes into a compiled program, what comes out, and what lies between forward and backward.

Values, None and containers that go in (`test_values_in`) and come out, with sizes and eager's autograd facts
(`test_values_out`); modules of unusual kinds (`test_modules`); partitioners, which choose what is saved and what is
computed again (`test_partitioners`, with backends of ours in `partitioners`); boxed calls, which free what they are
handed (`test_boxed_calls`); and what a backend's compilers see of a program (`test_what_compilers_see`).

T2.5, one tensor as several arguments, is held by ``aliasing/test_duplicate_arguments``; here are its cases in dicts.

Not clauses, and why:

- T2.1, A5, AOTAutograd's own runtime asserts on duplicates: Dynamo's guards recompile before they can fire, and without
  Dynamo the caller promises what they assert.
- T2.7, compilers that are handed real tensors: no public entry point does so since Dynamo hands on fake ones.
- A13, errors of a partitioner that finds no finite cut: they name an operator's cost model and no program's meaning.
- A18, a fake tensor met as a constant: an error of misuse of fake tensors, not of a program.
"""
