"""Which pads are tried, in which order and for how long, and what may be concluded from their times."""
