"""What users call: see the floors in docs/design.md."""
