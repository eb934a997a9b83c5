"""Tensor subclasses: wrappers of other tensors go in and come out, and what they wrap is compiled.

Types, nesting and constant metadata of outputs and gradients (`test_wrappers`), data mutation and sides that are shared
(`test_mutation`), tangents of the right type, of a wrong one, and such as coerce themselves (`test_tangents`),
attributes, methods and types read by the program (`test_attributes`), parameters, buffers and outer geometry
(`test_parameters`), jagged nested tensors (`test_jagged`), and subclasses that wrap nothing (`test_plain_subclasses`).
Aliasing between wrappers, and the base of a view of one, is in `suites.aliasing.test_subclasses`. The classes of the
family's own are in `tensors`.

Not clauses, and why:

- T8.1, a dispatch mode that is active around the compiled program: Dynamo compiles nothing under it, so there is
  nothing to compare. A mode inside of the program is traced by AOTAutograd alone, and has its clauses there.
- T8.3, that a tangent of the wrong type raises: eager takes such tangents, so the clauses say what eager says, and the
  refusal is a known bug each; a backward that goes on with a wrong value fails them as before.
- T8.6, freezing is Inductor's own pass: its clause is about that backend alone.
"""
