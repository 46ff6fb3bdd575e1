"""The cache on disk: machine code and parsed C declarations, found again by another process.

One file an entry, named by a hash of its key and holding the key itself, written under another name and moved into
place, so that any number of processes may write at once. Every failure means "not there": a directory that cannot be
written, an entry that is damaged, files that belong to somebody else. On the way of a warm start: imports next to
nothing.

    magic 8 | digest of the rest 16 | length of the key 4 | key | content
"""

from __future__ import annotations

import os
import stat
import sys
from time import time

from jitffi import _core
from jitffi.base.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _blake2 as hashes
    from collections.abc import Iterator

    from jitffi.base import version
else:  # what a process without a cache needs none of; hashlib would load OpenSSL, which costs more than a warm start
    hashes, version = late("_blake2"), late("jitffi.base.version")

_MAGIC = b"jitffi1\n"
_DIGEST = 16
_HEAD = len(_MAGIC) + _DIGEST + 4
_SUFFIX = ".jfc"
#: An entry larger than this is damaged or no entry.
MAX_ENTRY = 1 << 22
#: Bytes that all entries together may take; the oldest go first.
MAX_BYTES = 64 << 20
#: Entries read are marked as used this often, in seconds: the mark costs a write.
_TOUCH_AFTER = 86400


#: When this process began to load the generator of code: files of it that change later are none of it. Systems note
#: changes by clocks that may be a hundredth of a second late.
_LOADED = time() - 0.02


def _environment() -> str:
    """What all entries of this process depend on: one changed bit of it and they are not found. "" where that cannot be
    said any more."""
    files = version.fingerprint(version.ADAPTER_FOLDERS, _LOADED)
    layout = repr(sorted(_core.LAYOUT.items()))
    facts = (version.VERSION, files, str(_core.abi_version()), _core.BUILD, _core.CPU, layout, ",".join(_core.TABLE))
    return "\n".join(facts) if files else ""


#: Made when it is first needed: a process without a cache does without.
_environment_digest: bytes | None = None


def _digest() -> bytes:
    """A short form of the environment; empty where there is none, so that nothing is found and nothing kept."""
    global _environment_digest
    if _environment_digest is None:
        text = _environment()
        _environment_digest = hashes.blake2b(text.encode(), digest_size=_DIGEST).digest() if text else b""
    return _environment_digest


def directory() -> str | None:
    """Return where entries are kept; None when an empty JITFFI_CACHE_DIR switches the cache off, and without a home."""
    named = os.environ.get("JITFFI_CACHE_DIR")
    if named is None:
        base = _user_directory()
        return os.path.join(base, "jitffi") if os.path.isabs(base) else None
    try:
        return os.path.abspath(named) if named else None
    except OSError:  # a relative path, in a working directory that was removed
        return None


def _user_directory() -> str:
    """The user's directory for caches: XDG Base Directory Specification, Apple's File System Programming Guide."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return named
    return os.path.expanduser("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")


def _file_of(key: str) -> str:
    return hashes.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16, key=_digest()).hexdigest() + _SUFFIX


def _trusted(path: str) -> bool:
    """Whether *path* is a directory that only this user can write: whoever can put code there can run it."""
    return _is_ours(os.stat(path))


def _is_ours(info: os.stat_result) -> bool:
    return info.st_uid == os.geteuid() and not info.st_mode & 0o022


_trust: dict[str, bool] = {}


def _usable(path: str) -> bool:
    """`_trusted`, asked once a process and directory."""
    if path not in _trust:
        try:
            _trust[path] = _trusted(path)
        except OSError:
            return False
    return _trust[path]


_filled: set[str] = set()


def _has_entries(path: str) -> bool:
    """Whether the directory has had any: whoever asks an empty one need not say what for."""
    if path not in _filled:
        try:
            if not any(name.endswith(_SUFFIX) for name in os.listdir(path)):
                return False
        except OSError:
            return False
        _filled.add(path)
    return True


def _read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        info = os.fstat(fd)
        if not _is_ours(info) or not _HEAD <= info.st_size <= MAX_ENTRY:
            return None
        data = os.read(fd, info.st_size)
        _touch(fd, info.st_mtime)
    except OSError:
        return None
    finally:
        os.close(fd)
    return data


def _touch(fd: int, modified: float) -> None:
    if time() - modified > _TOUCH_AFTER:
        try:
            os.utime(fd)
        except OSError:  # a read-only cache is a cache all the same
            return


def load(key: str) -> bytes | None:
    """Return the content stored under *key*, or None."""
    where = directory()
    if where is None or not _usable(where) or not _has_entries(where) or not _digest():
        return None
    data = _read(os.path.join(where, _file_of(key)))
    if data is None or not _is_whole(data):
        return None
    rest = data[len(_MAGIC) + _DIGEST :]
    end = 4 + int.from_bytes(rest[:4], "little")
    if rest[4:end] != _full_key(key):
        return None
    return rest[end:]


def _is_whole(data: bytes) -> bool:
    said, rest = data[len(_MAGIC) : len(_MAGIC) + _DIGEST], data[len(_MAGIC) + _DIGEST :]
    return data[: len(_MAGIC)] == _MAGIC and hashes.blake2b(rest, digest_size=_DIGEST).digest() == said


def _full_key(key: str) -> bytes:
    return _digest() + key.encode("utf-8", "surrogatepass")


def store(key: str, content: bytes) -> bool:
    """Keep *content* under *key*; False when that is not possible, which nobody needs to know."""
    where = directory()
    if where is None or not _digest():
        return False
    full = _full_key(key)
    rest = len(full).to_bytes(4, "little") + full + content
    data = _MAGIC + hashes.blake2b(rest, digest_size=_DIGEST).digest() + rest
    if len(data) > MAX_ENTRY:
        return False
    try:
        if not _written(where, _file_of(key), data):
            return False
    except OSError:
        return False
    _keep_bounded(where)
    return True


def _written(where: str, name: str, data: bytes) -> bool:
    os.makedirs(where, mode=0o700, exist_ok=True)
    if not _usable(where):
        return False
    _write(where, name, data)
    return True


def _write(where: str, name: str, data: bytes) -> None:
    temporary = os.path.join(where, f".{name}.{os.getpid()}.{os.urandom(4).hex()}")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            written = 0
            while written < len(data):
                written += os.write(fd, data[written:])
        finally:
            os.close(fd)
        os.replace(temporary, os.path.join(where, name))
    except BaseException:
        os.unlink(temporary)
        raise


_stores = 0


def _keep_bounded(where: str) -> None:
    """Look at the directory's size on the first and every 64th store; remove the oldest entries beyond the bound."""
    global _stores
    _stores += 1
    if _stores % 64 != 1:
        return
    try:
        entries = sorted(_scan(where, temporaries=True))
    except OSError:
        return
    total = sum(size for _, size, _ in entries)
    for modified, size, path in entries:
        stale = os.path.basename(path).startswith(".") and _is_old(modified)
        if (total <= MAX_BYTES and not stale) or not _was_written_here(path):
            continue
        try:
            os.unlink(path)
        except OSError:
            continue
        total -= size


def _is_old(modified: float) -> bool:
    """Whether a temporary file's writer must be dead."""
    return time() - modified > 3600


_HEX = frozenset("0123456789abcdef")


def _is_name(name: str) -> bool:
    """Whether `_file_of` gives such names; or `_write`, until an entry is whole."""
    if not name.startswith("."):
        return name.endswith(_SUFFIX) and _is_digest(name.removesuffix(_SUFFIX))
    digest, _, writer = name[1:].partition(_SUFFIX + ".")
    process, _, mark = writer.partition(".")
    return _is_digest(digest) and process.isdecimal() and bool(mark) and _HEX.issuperset(mark)


def _is_digest(text: str) -> bool:
    return len(text) == 2 * _DIGEST and _HEX.issuperset(text)


def _was_written_here(path: str) -> bool:
    """Whether a file begins as an entry does, as far as it goes: nothing else is removed."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(fd).st_mode) and _MAGIC.startswith(os.read(fd, len(_MAGIC)))
    except OSError:
        return False
    finally:
        os.close(fd)


def _scan(where: str, temporaries: bool = False) -> list[tuple[float, int, str]]:
    """Return (time of last use, bytes, path) of each entry; those that others remove meanwhile are none."""
    found = []
    with os.scandir(where) as entries:
        for entry in entries:
            if not _is_name(entry.name) or (entry.name.startswith(".") and not temporaries):
                continue
            try:
                info = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISREG(info.st_mode):
                found.append((info.st_mtime, info.st_size, entry.path))
    return found


def _place() -> str:
    where = directory()
    if where is None:
        raise ValueError("there is no cache: JITFFI_CACHE_DIR is empty, or there is no home")
    return where


def entries() -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each whole entry. ValueError where the cache is off; without a directory there are none."""
    where = _place()
    for _, _, path in _scan(where) if os.path.isdir(where) else ():
        data = _read(path)
        if data is not None and _is_whole(data):
            yield os.path.basename(path), data


def put_entry(name: str, data: bytes) -> bool:
    """Keep an entry that `entries` has given, of whatever environment; False for what is none. ValueError where the
    cache is off, PermissionError where its directory is another's, OSError where it cannot be written."""
    where = _place()
    if name.startswith(".") or not _is_name(name) or not _HEAD <= len(data) <= MAX_ENTRY or not _is_whole(data):
        return False
    if not _written(where, name, data):
        raise PermissionError(f"{where}: others than this user can write there")
    return True


def info() -> dict[str, object]:
    """Return path, number of entries and bytes, as `jitffi cache info --json` prints them."""
    where = directory()
    try:
        entries = [each for each in _scan(where) if _was_written_here(each[2])] if where else []
    except OSError:
        entries = []
    return {"path": where, "entries": len(entries), "bytes": sum(size for _, size, _ in entries)}


def clear() -> int:
    """Remove all entries of all versions, and nothing that only looks like one; return how many there were. OSError
    when one cannot be removed."""
    where = directory()
    if where is None or not os.path.isdir(where):
        return 0
    removed = 0
    for _, _, path in _scan(where, temporaries=True):
        if os.path.lexists(path) and not _was_written_here(path):
            continue
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        removed += 1
    return removed
