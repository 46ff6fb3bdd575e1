"""The text of headers: preprocessed, in tokens and macros, cut into one piece a declaration; constant expressions."""
