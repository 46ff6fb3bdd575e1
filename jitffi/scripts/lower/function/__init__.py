"""A variant as a function: its frame, storage and variables, the values in it, and the module that it is part of."""
