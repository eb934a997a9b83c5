"""Python in the program: what Dynamo captures means what the interpreter would have done.

The containers that a program changes (`test_lists`, `test_mappings`, `test_sets_and_queues`), the names that it reads
and writes (`test_scopes`), the order and the laziness of its loops (`test_iteration`), its branches, exceptions and
context managers (`test_control_flow`), its assertions (`test_assertions`), its numbers and texts (`test_values`),
identity and conversions of tensors (`test_tensors_as_objects`), its classes and objects (`test_objects`,
`test_protocols`), how functions are called (`test_functions`) and marked (`test_marked_functions`), and the state of a
module (`test_modules`). What each operation of Python's own types and functions comes to, with all of its arguments, is
data: `table`.

Most clauses return Python values beside a tensor: the tensor makes the program worth compiling, the values tell what
was done. They run without gradients, in one variant; where Python numbers become symbols, with dynamic shapes too.

Not clauses, and why:

- python.lists, containers among the arguments that only gain and lose elements: family mutation holds the basic
  changes.
- python.scopes, ``del`` of a global: Dynamo leaves a function that holds it to the interpreter, so nothing is compiled.
- python.scopes, module-level names of a clause's own file: runs share them, so such a program sets what it then
  changes.
"""
