"""Ahead of time: adapters as objects, libraries, modules, headers and stubs. emitting.py is the way through.

The package is not called `emit`, since that is the public function: `jitffi.emit` would be one or the other.
"""
