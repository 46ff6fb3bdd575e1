"""Files that are none: FIFOs, devices, sockets and directories, wherever a user can name a file."""

from __future__ import annotations

import gzip
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import jitffi
from jitffi.adapters import cache
from jitffi.bind import bind_header
from jitffi.cli import main
from jitffi.tune.data import readers
from jitffi.tune.traces.trace import read as read_trace


@pytest.fixture(autouse=True)
def _no_waiting() -> Any:
    def too_long(*_: object) -> None:
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=["fifo", "link to a fifo", "/dev/zero", "socket", "directory"])
def special(request: Any, tmp_path: Path) -> Any:
    path = tmp_path / "special"
    if request.param == "/dev/zero":
        yield "/dev/zero"
        return
    if request.param == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
            yield str(path)
        return
    if request.param == "directory":
        path.mkdir()
    else:
        os.mkfifo(path)
    if request.param.startswith("link"):
        (tmp_path / "link").symlink_to(path)
        path = tmp_path / "link"
    yield str(path)


@pytest.fixture(scope="module")
def object_file(tmp_path_factory: Any) -> str:
    return str(jitffi.emit("labs: (x: i64) -> i64", tmp_path_factory.mktemp("objects") / "labs.o"))


READERS = {
    "load_module": lambda path, _: jitffi.load_module(path),
    "load_module, as a Path": lambda path, _: jitffi.load_module(Path(path)),
    "load_module, among others": lambda path, other: jitffi.load_module(other, path),
    "load_module, first": lambda path, other: jitffi.load_module(path, other),
    "load_module(link=)": lambda path, other: jitffi.load_module(other, link=path),
    "load_library": lambda path, _: jitffi.load_library(path),
    "use_profile": lambda path, _: jitffi.use_profile(path),
    "a trace": lambda path, _: read_trace(path),
    "bind_header": lambda path, _: bind_header(path, "libm.so.6", None),
    "bind_header of a library": lambda path, _: bind_header("math.h", path, None),
    "emit(link=)": lambda path, _: jitffi.emit("labs: (i64) -> i64", os.devnull + ".so", link=path, format="so"),
}


@pytest.mark.parametrize("name", READERS)
def test_what_is_no_regular_file_is_refused(name: str, special: str, object_file: str) -> None:
    with pytest.raises((OSError, ValueError)) as raised:
        READERS[name](special, object_file)
    if name.startswith(("load", "use")):
        assert isinstance(raised.value, OSError)
    assert os.path.exists(special)


def test_a_file_of_signatures_that_is_none(special: str, tmp_path: Path, capfd: Any) -> None:
    assert main(["emit", f"@{special}", "-o", str(tmp_path / "out.o")]) in (1, 2)
    out, error = capfd.readouterr()
    assert not out and error.count("\n") == 1 and special in error


def test_signatures_come_through_a_pipe_that_is_open(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "jitffi", "emit", "-o", str(tmp_path / "out.o")]
    for source in ("@-", "@/dev/stdin", "@/dev/fd/0"):
        subprocess.run([*command, source], input=b"labs: (x: i64) -> i64\n", check=True, timeout=60)
    assert jitffi.load_module(tmp_path / "out.o").labs(-3) == 3


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JITFFI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def foreign(where: Path) -> set[Path]:
    """Make what looks like the cache's, and is not."""
    digest = "0123456789abcdef" * 2
    outside = where.parent / "outside.jfc"
    outside.write_bytes(b"jitffi1\nof another place")
    for name in ("notes.jfc", "notes.jfc.backup.txt", f"{digest}.jfc.old", f"{digest[1:]}.jfc", f"{digest.upper()}.jfc",
                 f".{digest}.jfc", f".{digest}.jfc.swp", ".x.jfc.1.00", f"{digest}", ".jfc"):  # fmt: skip
        (where / name).write_bytes(b"jitffi1\n")
    (where / f"{digest}.jfc").write_text("of that name, but no entry")
    (where / f".{digest}.jfc.1.00").write_text("of that name, but no entry")
    (where / f"{digest[::-1]}.jfc").mkdir()
    (where / f"{'a' * 32}.jfc").symlink_to(outside)
    os.mkfifo(where / f"{'b' * 32}.jfc")
    return {*where.iterdir(), outside}


def test_clear_removes_only_what_the_cache_has_written(where: Path, capfd: Any) -> None:
    cache.store("key", b"content")
    (entry,) = where.iterdir()
    cut_off = where / f"{'c' * 32}.jfc"
    cut_off.write_bytes(b"jit")  # by a full disk
    others = foreign(where) - {entry, cut_off}
    assert cache.info()["entries"] == 2
    assert main(["cache", "clear"]) == 0
    assert {*where.iterdir(), where.parent / "outside.jfc"} == others


def test_the_bound_removes_only_what_the_cache_has_written(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.store("key", b"content")
    (entry,) = where.iterdir()
    monkeypatch.setattr(cache, "MAX_BYTES", 0)  # from here on: any store may be the one that looks at the bound
    others = foreign(where) - {entry}
    for path in others:
        if not path.is_symlink():
            os.utime(path, (1000, 1000))
    monkeypatch.setattr(cache, "_stores", 0)
    cache.store("another", b"content")
    assert {*where.iterdir(), where.parent / "outside.jfc"} == others


@pytest.mark.parametrize("packed", [False, True])
def test_a_corpus_may_be_a_fifo_whose_writer_comes_later(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("lines.txt.gz" if packed else "lines.txt")
    os.mkfifo(path)
    content = b"one line\nand another\n"

    def write() -> None:
        time.sleep(0.2)
        path.write_bytes(gzip.compress(content) if packed else content)

    writer = threading.Thread(target=write)
    writer.start()
    with readers.reader(readers.check(str(path)), time.monotonic() + 15) as read:
        found = b"".join(iter(lambda: read(1000), b""))
    writer.join()
    assert found == content


def test_a_corpus_whose_writer_never_comes_is_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lines.txt")
    with readers.reader(readers.check(str(tmp_path / "lines.txt")), time.monotonic() + 0.2) as read:
        assert read(1000) == b""
