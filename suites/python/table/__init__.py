"""Python's own operations, as data: what Dynamo makes of each is what the interpreter would have done.

A sheet (``lists.toml``) holds rows: an expression, or a few statements of which the last one is an expression. A row
is a function of a program; what it returns, or the type of what it raises, and what it does to its values are compared
with the interpreter's. The values that a row names are made in it from a literal, which Dynamo computes with while it
traces, or they are the caller's, who has others in the next call, which Dynamo guards and holds as symbols.

A row that some release of torch gets wrong is apart, so that what is known of it hides no other.
"""
