"""Random search: programs (`suites.fuzz.generators`) by the thousand, judged by the oracle that judges the clauses.

What search finds becomes a named, minimal, deterministic program; search itself never decides a gate.
"""
