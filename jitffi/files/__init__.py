"""Ahead of time: adapters as objects, libraries, modules, headers and stubs. The order of the rooms is in emitting.py."""
