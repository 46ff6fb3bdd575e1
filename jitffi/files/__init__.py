"""Ahead of time: adapters as objects, libraries, modules, headers and stubs. emitting.py is the way through."""
