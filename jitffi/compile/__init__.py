"""From an adapter to code in memory: IR to machine code, code that needs no linker, the cache, the linker's route."""
