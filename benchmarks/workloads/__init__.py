"""What padding is tuned for: one WORKLOAD file each, as `jitffi autotune` takes them, with a corpus of corpora.py."""
