"""Twenty text functions as an engineer first writes them, with nothing done for a compiler: what scripts are to take.

words.py, formats.py    the functions, and the helpers that they call
inputs.py               what each is called with, of any size: a few words for tests, thousands for measuring
"""
