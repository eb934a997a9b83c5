"""What a program depends on, as data: a value of some kind lies in some place, and another lies there in the next call.

A row of ``uses.toml`` is a use of a value ``x``, as narrow as ``len(x)``: of what it asks alone a program may be taken
again. Each is compiled by itself, with the value in one of the places of `places`: an argument, an attribute, a global,
a default, a cell; it is called with one value, another, a third, and the first again. What a call comes to is the
value's that lies there then.
"""
