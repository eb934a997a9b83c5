"""Random programs: several inputs that may share memory, straight-line statements over them, outputs that may alias.

``inputs`` says what a program is called with, and with what else it is called later, ``scope`` is a program under
construction, ``statements`` are what a line can be, ``helpers`` what lines use, ``drawing`` puts a program together,
and ``text`` prints it as a file for ``parity check``.
"""
