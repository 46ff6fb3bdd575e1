"""Programs that are traced: what is recorded of them, and how it is played again."""
