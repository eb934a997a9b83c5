"""Reduction: a program that diverges made small, and written as a script of plain PyTorch."""
