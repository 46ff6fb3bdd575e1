"""Object files linked in memory: read and checked, laid out, relocated, started. linker.py is the way through."""
