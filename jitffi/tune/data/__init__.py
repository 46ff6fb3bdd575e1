"""What a workload is fed: a reproducible sample of files, of a stream, or of an iterable."""
