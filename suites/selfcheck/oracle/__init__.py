"""Tests of the oracle itself, on differences made by hand."""
