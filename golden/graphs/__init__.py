"""Graphs: recorded as they pass, written as canonical text, compared by meaning, their differences told."""
