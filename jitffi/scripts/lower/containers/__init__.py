"""Lowerings of lists, tuples, dicts and vectors, and the functions of IR that they share."""
