"""Ways to compile a program that do not start at ``torch.compile``: one module each, with a `Backend` named BACKEND.

``ENTRY_POINTS`` of `suites.harness.backends.names` lists them; a clause that is about one says ``on=("its name",)``.
"""
