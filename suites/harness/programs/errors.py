"""What is wrong with a program that cannot be examined."""

from __future__ import annotations


class BadProgram(Exception):
    """A program that cannot be examined; the message is one line that says what is missing or wrong, and where."""
