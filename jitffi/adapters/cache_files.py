"""Entries of the cache on disk in one file, to be carried to another machine: a tar of those that are whole."""

from __future__ import annotations

import io
import os
import tarfile

from jitffi.adapters import cache


def export_to(path: str) -> int:
    """Write all entries of the user's cache to a tar, compressed where *path* ends with .gz; return how many there are.
    ValueError where the cache is off, OSError where a file cannot be written."""
    found = sorted(cache.entries())
    with tarfile.open(path, "w:gz" if path.endswith((".gz", ".tgz")) else "w") as archive:
        for name, content in found:
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o600
            archive.addfile(member, io.BytesIO(content))
    return len(found)


def import_from(path: str) -> tuple[int, int]:
    """Take over the entries of such a file: how many, and how many members were none that is whole. Whoever made the
    file made code that will run here. ValueError for what is no tar, and where the cache is off."""
    taken = refused = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isreg() and member.size <= cache.MAX_ENTRY else None
                if file is not None and cache.put_entry(os.path.basename(member.name), file.read()):
                    taken += 1
                else:
                    refused += 1
    except tarfile.TarError:
        raise ValueError(f"{path}: no file that `jitffi cache export` has written") from None
    return taken, refused
