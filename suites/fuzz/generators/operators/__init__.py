"""Programs about operators: chains of what models are made of, by options that are not the default.

``calls.toml`` has the calls as data, ``templates`` makes the text of one, ``chains`` has a program under construction,
and ``drawing`` draws the first operand, the statements, and what a program is called with.
"""
