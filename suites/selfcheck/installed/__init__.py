"""Parity in somebody else's project: what a wheel holds, and clauses outside of the suites."""
