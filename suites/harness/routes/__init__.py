"""Ways to compile a program that do not start at ``torch.compile``: one module each, with a `Backend` named BACKEND.

`suites.harness.backends.ROUTES` lists them by name; a clause that is about one says ``on=("that name",)``.
"""
