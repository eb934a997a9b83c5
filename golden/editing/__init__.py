"""Edits of goldens: where a literal stands, what is to change, and changing it in one step or not at all."""
