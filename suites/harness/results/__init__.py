"""The ledger, and what follows from it: the matrix and the verdict."""
