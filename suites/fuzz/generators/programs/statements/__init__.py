"""What a statement of a program can be, a module a theme.

A family is a function of a scope that returns lines. Most of them fill one of a table of templates; a statement that
eager refuses, leaves undefined, or that rounding could decide is rejected.
"""
