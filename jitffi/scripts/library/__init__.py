"""Builtins, methods and operators of scripts: one row each."""
