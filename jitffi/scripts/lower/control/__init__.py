"""Lowerings of statements, assignments, loops, conditions and calls."""
