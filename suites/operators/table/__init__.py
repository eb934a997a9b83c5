"""Operators as data: every operator of torch's own tables through every facet.

The tables are ``op_db``, ``hop_db`` (operators that call programs) and ``custom_op_db``.

A clause is a row: one operator, whose chosen samples are the calls of one program (`test_operators`), and one module of
torch's other table (`test_modules`). What is chosen is data (`choices`): ``choices.json``, written by `choosing` from
what each sample reaches of torch's decompositions, and ``table.toml``, which says by hand what runs by default, what
does not run at all, and why. A sample is known by what it is called with (`samples`), so that another release's table
is told apart by name. `programs` makes a row's program. Formulas go wrong at their ends, where no sample is drawn: the
first samples of a row are called with numbers at the bounds of formulas, and with NaN and infinities, in the place of
theirs (`special_numbers`). Formulas go wrong in other dtypes, too, and where tensors lie otherwise in memory
(`layouts`): by default many operators of the table are called so in one program (`test_together`), those that models do
not use in the dtypes in which they reach what they do in no other (`dtypes`, ``dtypes.json``), in the full profile each
by itself. So it is where their tensors are changed (`changes`: larger in the second call, where sizes are symbols; of
one element and of none; expanded), and where a program takes their gradients itself (`derivatives`). Which changes
eager takes was tried (`trying`), and is data: ``changes.json``. By default run those operators of models that a change
makes reach something which none of them reaches as it is drawn (`reaching`, ``reaching.json``). Inductor, which takes
longest, runs by default only those in another dtype, in another layout and of special numbers that reach something of
its lowerings so which no other does (`lowered`, ``lowered.json``). A branch can be reached and what it says go unseen:
samples that notice a planted fault which no program of the default profile notices run by default, too, and calls that
torch's table does not draw, of its samples with arguments turned (`turning`); the other operators run laid out
otherwise by default only where that notices something (`noticing`, ``noticing.json``). What is written in place, and by
``out=``, goes to rows, columns and transposed memory (`writes`). All samples that are not among the chosen run in the
full profile, many of an operator or module in a program (`remaining`, `test_remaining`): how many there are, and which
of them eager refuses or leaves undefined, `counting` says in ``remaining.json``.

A program of many operators returns what it is told of each result, too (`told`): sizes, strides and a dtype, that it
may reckon with before anything has run; operators of which that is wrong stand alone (`test_told`).

Not clauses, and why:

- What torch leaves undefined, ``empty`` for one: named in ``table.toml`` with the reason.
- Changed tensors, gradients within programs, writes elsewhere and samples for what they notice on a GPU: which of them
  eager takes there was not tried, and an index past an end takes the device with it.
- Special numbers of the other operators on a GPU: which NaN its kernels take for the greatest, and what a write by such
  an index does, is not known. Those of models have run there.
- Samples of which a tensor has more elements than `remaining.LARGEST`: they cost most, and go the ways of others.
- Sparse and quantized samples: torch.compile refuses them by design.
"""
