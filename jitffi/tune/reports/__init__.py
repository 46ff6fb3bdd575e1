"""What was found out, told: on a terminal, as JSON, as a picture, as a page."""
