"""The process that measures, from inside: what it times, what it counts, and what keeps that clean."""
