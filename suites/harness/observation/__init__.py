"""Everything that a caller can see of one run, as plain data."""
