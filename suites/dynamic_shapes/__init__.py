"""Dynamic shapes: one compiled program, called with sizes and numbers that it was not traced with.

Sizes as inputs have them (`test_sizes`), numbers computed of sizes (`test_size_arithmetic`), remainders, powers and
whole parts of sizes and of other numbers (`test_remainders_and_powers`), torch's own functions of sizes
(`test_symbolic_functions`), sizes that leave the program (`test_symbolic_outputs`), which dimensions are symbolic and
what that saves (`test_marked_dimensions`), sizes and integers of which torch.compile is told beforehand
(`test_told_sizes`), strides, offsets and overlaps that follow the sizes (`test_strides_and_offsets`), and sizes and
positions that the data decide (`test_unbacked_sizes`, `test_unbacked_indices`). Every clause calls the program with
sizes that make an answer for others visible: remainders of a vector's width, 0 and 1, equal and unequal ones.

Not clauses, and why:

- dynamic-shapes.marked, a dimension marked as dynamic that the program then fixes: torch.compile refuses the program
  before a backend is asked; that is the mark's own contract, and eager knows nothing of it.
- T16.11, expressions of several symbols as inputs of an ahead-of-time compiled model: family export; here as what one
  graph hands the next.
- dynamic-shapes.arithmetic, `divmod` of sizes: Dynamo leaves a frame that calls it to Python, so that nothing is
  compiled.
- dynamic-shapes.arithmetic, how a range analysis simplifies an expression: an implementation's choice; the counts of
  recompilations show where it must have decided a branch.
- dynamic-shapes.unbacked, `nonzero_static` and other operators with a size of their own: no unbacked size comes of
  them.
"""
