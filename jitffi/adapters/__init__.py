"""Adapters between two conventions, and their machine code: stored, shared, and made better when things are quiet."""
