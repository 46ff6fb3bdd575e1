"""The tables of C entry points that generated code calls, which tests compare with the headers."""
