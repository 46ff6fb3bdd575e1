"""The decorator, its dispatch, variants, and what the code of a script depends on."""
