"""Eager against compiled: whether a program is defined, what differs, and which layer shows it first."""
