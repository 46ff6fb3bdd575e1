"""Signatures: what a function takes and returns, as immutable values, and the texts they are read from.

``model`` holds the values, ``text`` the package's own notation, ``cdecl`` C declarations and ``annotations`` Python
functions. Nothing is imported here: a warm start needs ``model`` and ``text`` only.
"""
