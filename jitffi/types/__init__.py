"""One row a type: how its values live in C, in slots and in Python, and how generated code moves them."""
