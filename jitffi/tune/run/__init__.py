"""Processes that measure, seen by whoever asks: on this machine, by an executor, on a cluster."""
