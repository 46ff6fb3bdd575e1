"""Source to tree: names, statements, expressions, annotations, and what is refused."""
