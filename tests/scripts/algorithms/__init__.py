"""Forty files of textbook algorithms as textbooks have them, which scripts are to take without an edit.

Each has CALLS: for each of its functions what makes random arguments for one call. Equal seeds make equal arguments.
"""
