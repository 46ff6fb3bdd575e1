"""Lowerings of str and bytes."""
