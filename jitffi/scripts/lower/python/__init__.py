"""Lowerings of what is done by Python's own objects, with the interpreter's lock held."""
