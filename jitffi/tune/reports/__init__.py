"""What was found out, shown: on a terminal, as JSON, as a page."""
