"""What every other part of the package may use, and what uses none of them."""
