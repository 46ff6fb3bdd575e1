"""Tree to types: webs of variables, cells of containers, inference, narrowing, vectors."""
