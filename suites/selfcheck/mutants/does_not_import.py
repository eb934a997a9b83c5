"""A backend's module that cannot be imported."""

raise OSError("libcompiler.so: cannot open shared object file")
