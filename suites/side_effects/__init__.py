"""Side effects: what must survive the elimination of dead code, and what goes because nobody can see it.

In fact (`test_effects`): the effect happens, as often as in eager and in its order, though no result of it is read. In
graphs (`test_dead_code`): fx's own elimination of dead code, run on the traced program, keeps what has an effect and
drops what has none.

Not clauses, and why:

- T12, profiler ranges in a compiled graph: Dynamo leaves them out by default; that fx keeps them is in the table.
- T12, operators of streams and events: what they do shows on a GPU alone; that fx keeps them is in the table.
- T12, `wait_tensor` of a collective: its effect is of a process group (family distributed); it is in the table.
"""
