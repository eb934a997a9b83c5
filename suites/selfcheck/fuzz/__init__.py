"""Tests of random search: drawing, reducing, campaigns."""
