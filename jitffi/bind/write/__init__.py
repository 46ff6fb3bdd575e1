"""What is declared as the text of a Python module, and the summary of what it holds and leaves out."""
