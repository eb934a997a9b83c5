"""Programs about numbers: one operator a statement, on inputs at which kernels branch."""
