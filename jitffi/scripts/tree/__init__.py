"""What the stages hand each other: the tree of a script, and its types."""
