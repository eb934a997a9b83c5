"""A run of pytest: options, cells, the plan, the records, the workers, and what the terminal says."""
