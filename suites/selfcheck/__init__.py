"""Parity's own proof: each clause can fail, each fault would be noticed, and what the tools say is so.

Backends that are wrong on purpose:
    `mutants`, tried on the `examples` of what each breaks; `clauses`, each a function that needs no pytest; `trials`
    of a clause on a mutant, which `remembering` makes cheap; `kill_matrix` of all clauses and mutants, and `quick`, the
    cells that it chooses by it; `on_device`: the mutants on a GPU; `claims`: programs that compute nothing.
Torch that is wrong on purpose:
    `faults` that `planted` plants, one at a time, in functions that live (`planting`), and asks the clauses about;
    PLANTED.md, what they noticed; `noticing`: samples of torch's table that notice more.
Tests, by the room that they are of:
    `oracle`, `planning`, `backends`, `golden`, `fuzz`, `table`, `tools`, `views`; `installed`: a wheel in a project of
    somebody else's. Which of them run is `sampling`'s; `leftovers` says whether a process has gone, and `forks` share
    what one process has.
"""
