"""The calling conventions, one a file, each an entry half and a callee half."""
