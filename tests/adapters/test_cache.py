"""The cache on disk: found again by its key only, bounded, safe with many writers, and never the cause of a failure."""

from __future__ import annotations

import contextlib
import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jitffi import _core
from jitffi.adapters import cache, code_store

#: Binds and calls; prints where the code came from: level 2 is the cache's.
CALL = """
import jitffi
hypot = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64")
assert hypot(3.0, 4.0) == 5.0
import sys
print("compiled" if "llvmlite" in sys.modules else "found")
"""

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.fixture
def where(tmp_path, monkeypatch) -> Path:
    """A cache directory of the test's own, for this process too."""
    directory = tmp_path / "cache"
    monkeypatch.setenv("JITFFI_CACHE_DIR", str(directory))
    monkeypatch.setattr(cache, "_trust", {})
    # What other tests have left to be made in this process is none of this directory's business.
    monkeypatch.setattr(code_store, "to_cache", lambda *_: None)
    return directory


def entry(where: Path) -> Path:
    (found,) = where.glob("*.jfc")
    return found


def test_what_is_stored_is_found_again(where):
    assert cache.load("key") is None
    assert cache.store("key", b"content")
    assert cache.load("key") == b"content"
    assert cache.load("another key") is None


def test_keys_may_hold_what_c_declarations_and_defaults_hold(where):
    for key in ("", "a\nb", "\0", "\udcff", "x" * 10_000):
        assert cache.store(key, key.encode("utf-8", "surrogatepass"))
        assert cache.load(key) == key.encode("utf-8", "surrogatepass")


def test_the_directory_is_made_for_the_user_alone(where):
    cache.store("key", b"content")
    assert stat.S_IMODE(where.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(where).stat().st_mode) == 0o600


def test_another_process_finds_the_code(where, run_python):
    assert run_python(CALL) == "compiled\n"
    assert run_python(CALL) == "found\n"


def test_an_empty_variable_switches_the_cache_off(run_python, tmp_path):
    env = {"JITFFI_CACHE_DIR": "", "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    assert run_python(CALL, env=env) == "compiled\n"
    assert run_python(CALL, env=env) == "compiled\n"
    assert list(tmp_path.iterdir()) == []


def test_without_the_variable_the_users_directory_is_used(tmp_path, monkeypatch):
    monkeypatch.delenv("JITFFI_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.directory() == str(tmp_path / "xdg" / "jitffi")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the specification says to ignore
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache.directory() == str(tmp_path / "home" / ".cache" / "jitffi")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # no home at all
    assert cache.directory() is None


# -- the key ---------------------------------------------------------------------------------------------------


def test_every_fact_of_the_environment_is_in_the_key():
    for fact in (_core.VERSION, str(_core.abi_version()), _core.BUILD, _core.CPU, ",".join(_core.TABLE)):
        assert fact in cache._environment()
    for name, value in _core.LAYOUT.items():
        assert repr((name, value)) in cache._environment()
    python = f"{sys.hexversion:x}"
    assert python in cache._environment()


def test_another_environment_finds_nothing(where, monkeypatch):
    cache.store("key", b"content")
    digest = cache._digest()
    for bit in range(len(digest) * 8):
        changed = bytearray(digest)
        changed[bit // 8] ^= 1 << bit % 8
        monkeypatch.setattr(cache, "_environment_digest", bytes(changed))
        assert cache.load("key") is None
    monkeypatch.setattr(cache, "_environment_digest", digest)
    assert cache.load("key") == b"content"


def test_a_file_under_the_name_of_another_key_is_not_taken(where):
    """What a collision of the names' hashes would be."""
    cache.store("key", b"content")
    os.rename(entry(where), where / cache._file_of("another key"))
    assert cache.load("another key") is None


# -- damage ----------------------------------------------------------------------------------------------------


def test_every_truncation_is_noticed(where):
    cache.store("key", b"content")
    path = entry(where)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert cache.load("key") is None
    path.write_bytes(whole)
    assert cache.load("key") == b"content"


def test_every_flipped_bit_is_noticed(where):
    cache.store("key", b"content")
    path = entry(where)
    whole = path.read_bytes()
    for bit in range(len(whole) * 8):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        assert cache.load("key") is None, f"bit {bit}"


def test_noise_is_no_entry(where):
    cache.store("key", b"content")
    path = entry(where)
    seed = random.randrange(1 << 32)
    noise = random.Random(seed)
    for size in (0, 1, 27, 28, 29, 1000, cache.MAX_ENTRY + 1):
        path.write_bytes(noise.randbytes(size))
        assert cache.load("key") is None, f"seed {seed}, size {size}"


def test_damaged_code_is_compiled_anew_and_stored_again(where, run_python):
    run_python(CALL)
    paths = list(where.glob("*.jfc"))
    assert paths
    for path in paths:
        content = bytearray(path.read_bytes())
        content[-1] ^= 1  # in the machine code
        path.write_bytes(content)
    assert run_python(CALL) == "compiled\n"
    assert run_python(CALL) == "found\n"


@pytest.mark.parametrize("kind", ["directory", "link", "fifo"])
def test_what_is_no_file_is_no_entry(where, kind, tmp_path):
    cache.store("key", b"content")
    path = entry(where)
    moved = tmp_path / "moved"
    os.rename(path, moved)
    {"directory": os.mkdir, "fifo": os.mkfifo, "link": lambda link: os.symlink(moved, link)}[kind](path)
    assert cache.load("key") is None
    assert cache.info()["entries"] == 0
    # It must not hinder who stores, either: a directory cannot be replaced, the others can.
    assert cache.store("key", b"new") is (kind != "directory")


# -- directories that cannot be used -----------------------------------------------------------------------------


def test_a_directory_that_others_can_write_is_not_used(where, run_python):
    where.mkdir()
    where.chmod(0o777)
    assert not cache.store("key", b"content")
    assert run_python(CALL) == "compiled\n"
    assert list(where.iterdir()) == []


@ROOT_ONLY
def test_a_foreign_directory_is_not_used(where, run_python):
    cache.store("key", b"content")
    os.chown(where, 12345, 12345)
    cache._trust.clear()
    assert cache.load("key") is None
    assert not cache.store("key", b"content")
    assert run_python(CALL) == "compiled\n"


@ROOT_ONLY
def test_a_foreign_entry_is_not_used(where):
    cache.store("key", b"content")
    os.chown(entry(where), 12345, 12345)
    assert cache.load("key") is None
    cache.store("key", b"content")
    assert cache.load("key") == b"content"


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_read_only_directory_is_read(where, run_python):
    run_python(CALL)
    before = sorted(path.name for path in where.iterdir())
    where.chmod(0o500)
    try:
        assert not cache.store("key", b"content")
        assert run_python(CALL) == "found\n"
        assert sorted(path.name for path in where.iterdir()) == before
    finally:
        where.chmod(0o700)


def test_a_cache_that_cannot_be_written_is_read(where, monkeypatch):
    """As on a read-only file system, also for root."""
    cache.store("key", b"content")
    os.utime(entry(where), (0, 0))  # old enough to be marked as used

    def refuse(*_args, **_kwargs):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(cache, "_write", refuse)
    assert cache.load("key") == b"content"
    assert not cache.store("another", b"content")


@pytest.mark.parametrize("place", ["/proc/no/such", "file/below", "file"])
def test_a_directory_that_cannot_be_made_is_no_cache(place, tmp_path, run_python):
    (tmp_path / "file").touch()
    env = {"JITFFI_CACHE_DIR": str(tmp_path / place)}
    assert run_python(CALL, env=env) == "compiled\n"


def test_a_relative_directory_is_relative_to_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JITFFI_CACHE_DIR", "here")
    assert cache.directory() == str(tmp_path / "here")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert cache.directory() is None


# -- many writers, and the bound -----------------------------------------------------------------------------------

WRITE = """
import sys
from jitffi.adapters import code_store, cache
for round in range(40):
    for key in range(10):
        content = bytes([key]) * (1000 + key)
        assert cache.store(f"key {key}", content)
        assert cache.load(f"key {key}") == content
"""


def test_many_processes_write_at_once(where):
    writers = [subprocess.Popen([sys.executable, "-c", WRITE], stderr=subprocess.PIPE) for _ in range(8)]
    for writer in writers:
        _, error = writer.communicate(timeout=120)
        assert writer.returncode == 0, error.decode()
    assert cache.info()["entries"] == 10
    assert [cache.load(f"key {key}") for key in range(10)] == [bytes([key]) * (1000 + key) for key in range(10)]
    assert not list(where.glob(".*")), "temporary files were left"


def test_many_processes_compile_at_once(where, run_python):
    programs = [subprocess.Popen([sys.executable, "-c", CALL], stdout=subprocess.PIPE) for _ in range(6)]
    for program in programs:
        program.communicate(timeout=120)
        assert program.returncode == 0
    assert run_python(CALL) == "found\n"


def test_the_bound_is_kept_and_the_oldest_go_first(where, monkeypatch):
    monkeypatch.setattr(cache, "MAX_BYTES", 20_000)
    monkeypatch.setattr(cache, "_stores", 0)
    now = time.time()
    for number in range(200):
        assert cache.store(f"key {number}", bytes(1000))
        path = where / cache._file_of(f"key {number}")
        if path.exists():
            os.utime(path, (now - 10_000 + number, now - 10_000 + number))
    monkeypatch.setattr(cache, "_stores", 64)
    cache.store("last", b"")
    assert 10_000 < cache.info()["bytes"] <= 20_000
    assert cache.load("last") == b""
    assert cache.load("key 199") == bytes(1000)
    assert cache.load("key 0") is None


def test_an_entry_in_use_counts_as_young(where):
    cache.store("key", b"content")
    path = entry(where)
    os.utime(path, (1000, 1000))
    cache.load("key")
    assert time.time() - path.stat().st_mtime < 60


def test_temporary_files_of_dead_writers_are_removed(where, monkeypatch):
    cache.store("key", b"content")
    dead, fresh = where / f".{cache._file_of('a')}.1.00", where / f".{cache._file_of('b')}.2.00"
    for path in (dead, fresh):
        path.touch()
    os.utime(dead, (1000, 1000))
    monkeypatch.setattr(cache, "_stores", 0)
    cache.store("another", b"content")
    assert (dead.exists(), fresh.exists()) == (False, True)
    assert cache.info()["entries"] == 2


def test_too_large_an_entry_is_not_stored(where):
    assert not cache.store("key", bytes(cache.MAX_ENTRY))
    assert cache.load("key") is None


def test_a_failed_write_leaves_nothing(where, monkeypatch):
    cache.store("key", b"content")

    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    assert not cache.store("another", b"content")
    monkeypatch.undo()
    assert [path.name for path in where.iterdir()] == [entry(where).name]


def test_clear_removes_entries_and_nothing_else(where):
    assert cache.clear() == 0
    cache.store("key", b"content")
    (where / "notes.txt").write_text("the user's own")
    assert cache.clear() == 1
    assert [path.name for path in where.iterdir()] == ["notes.txt"]
    assert cache.info() == {"path": str(where), "entries": 0, "bytes": 0}


def test_entries_that_vanish_during_a_look_are_no_error(where, monkeypatch):
    cache.store("key", b"content")
    scandir = os.scandir

    @contextlib.contextmanager
    def vanishing(path):
        with scandir(path) as entries:
            found = list(entries)
        for each in found:
            os.unlink(each.path)
        yield found

    monkeypatch.setattr(os, "scandir", vanishing)
    assert cache.info()["entries"] == 0
