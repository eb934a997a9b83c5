"""The reader of TOML: Python's own, or on Python 3.10, which torch 2.11 to 2.14 support, the package it was made of."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["tomllib"]
