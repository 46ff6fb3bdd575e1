"""Object files linked in memory, and the linkers of the system. linker.py is the way through the first."""
