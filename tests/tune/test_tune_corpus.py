"""Corpora: what an item is in each kind of file, that samples are samples, and that no file is too large or too odd."""

from __future__ import annotations

import bz2
import collections
import gzip
import lzma
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import jitffi
from jitffi.base.errors import ArgumentError
from jitffi.tune.data import corpus, readers
from jitffi.tune.data.reservoir import NOTHING, Reservoir
from jitffi.tune.records import Sample

MIB = 1 << 20


@pytest.fixture
def written(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return str(path)

    return write


def items(*paths, **options):
    """What is in the sample, in an order that can be compared."""
    return sorted(corpus.read(paths, **options).items, key=repr)


# -- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\rtwo\n", ["one\rtwo"]),
        (b"\n\none\n", ["", "", "one"]),
        (b"\xef\xbb\xbfone\n", ["one"]),
        (b"a\0b\x0c\x1c\xc2\x85\xe2\x80\xa8c\n", ["a\0b\x0c\x1c\x85\u2028c"]),
        (b"", []),
        (b"\xef\xbb\xbf", [""]),
    ],
)
def test_a_line_is_an_item_without_its_end(data, expected, written):
    sample = corpus.read([written("a.txt", data)])
    assert sorted(sample.items) == expected
    assert sample.notes == ()


def test_bytes_that_are_no_text_are_replaced_and_noted(written):
    junk = bytes(range(256)) * 2000
    path = written("junk.bin", junk)
    sample = corpus.read([path, written("good.txt", "äöü\n")])
    assert "äöü" in sample.items
    assert sorted(sample.items) == sorted([*junk.decode(errors="replace").split("\n"), "äöü"])
    # All but the first, which is \x00 to \x09.
    assert sample.notes == (f"{path}:2: no UTF-8, read with U+FFFD in its place (so are 1999 more of those looked at)",)


@pytest.mark.parametrize("before", [0, 1, 2, 3, 4])
def test_a_giant_line_is_cut_between_two_characters(before, written):
    text = "x" * before + "🙂" * (MIB // 2)
    path = written("a.txt", f"one\n{text}\ntwo\n{text}")
    sample = corpus.read([path])
    whole = (MIB - before) // 4
    assert sorted(map(len, sample.items)) == [3, 3, before + whole, before + whole]
    assert sorted(sample.items)[-1] == "x" * before + "🙂" * whole
    assert sample.notes == (f"{path}:2: longer than 1 MiB, cut there (so are 1 more of those looked at)",)


def test_a_line_of_just_the_longest_length_is_not_cut(written):
    for end in (b"", b"\n", b"\nx"):
        sample = corpus.read([written("a.txt", b"a" * MIB + end)])
        assert max(map(len, sample.items)) == MIB
        assert sample.notes == ()


def test_lines_of_json(written):
    path = written("a.jsonl", '{"a": 1}\n\n[1, 2]\r\n"text"\n null \n3.5\n')
    sample = corpus.read([path])
    assert sorted(sample.items, key=repr) == ["text", 3.5, None, [1, 2], {"a": 1}]
    assert sample.notes == ()
    assert items(written("b.NDJSON", '\ufeff{"b": 2}')) == [{"b": 2}]


def test_lines_that_are_no_json_are_noted(written):
    bad = "{\n" * 5
    path = written("a.jsonl", b'{"a": 1}\n{"b": \n\n' + bad.encode() + b'"\xff"\n' + b"[" * 100_000 + b'\n{"c": 3}\n')
    sample = corpus.read([path])
    assert sorted(sample.items, key=repr) == [{"a": 1}, {"c": 3}]
    assert sample.notes == (f"{path}:2: no JSON, left out (so are 7 more of those looked at)",)
    long = corpus.read([written("b.jsonl", '"' + "a" * MIB + '"\n1\n')])
    assert long.items == (1,)
    assert long.notes[0].endswith("b.jsonl:1: no JSON, left out")


def test_packed_files(written):
    text = b'{"a": 1}\n{"a": 2}\n'
    for ending, pack in ((".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)):
        assert items(written(f"a.jsonl{ending}", pack(text))) == [{"a": 1}, {"a": 2}]
        assert items(written(f"a.txt{ending}", pack(text))) == ['{"a": 1}', '{"a": 2}']
        for data in (b"no such thing", pack(text * 1000)[:-10]):
            with pytest.raises(ArgumentError, match=f"a.txt{ending}: what is in it cannot be unpacked: "):
                corpus.read([written(f"a.txt{ending}", data)])


STDIN = """
import sys
from jitffi.tune.data import corpus
print(*sorted(corpus.read(["-", sys.argv[1]]).items))
"""


def test_standard_input_and_pipes(written, tmp_path):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", STDIN, written("b.txt", "three\n")]
    assert subprocess.check_output(command, input=b"one\ntwo\n", env=env, timeout=600) == b"one three two\n"
    with open(written("a.txt", "one\ntwo\n")) as file:
        assert subprocess.check_output(command, stdin=file, env=env, timeout=600) == b"one three two\n"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    thread = threading.Thread(target=pipe.write_text, args=("one\n" * 50_000,))
    thread.start()
    sample = corpus.read([pipe])
    thread.join()
    assert set(sample.items) == {"one"}


def test_a_pipe_that_says_nothing_does_not_take_longer_than_the_time_given():
    reader, writer = os.pipe()
    os.write(writer, b"one\ntw")
    start = time.monotonic()
    sample = corpus.read([f"/dev/fd/{reader}"], seconds=0.2)
    assert time.monotonic() - start < 60
    assert sample.notes == (f"/dev/fd/{reader}: the first 0.00586 KiB were looked at, then the time was up",)
    assert "one" in sample.items
    os.close(reader)
    os.close(writer)


def test_what_never_ends():
    sample = corpus.read(["/dev/zero"])
    assert [len(item) for item in sample.items] == [MIB]
    assert sample.notes[0] == "/dev/zero: the first 64.0 MiB were looked at"


@pytest.mark.parametrize("name", ["missing.txt", "a.txt/b", "missing.parquet"])
def test_files_that_are_not_there(name, written, tmp_path):
    written("a.txt", "")
    with pytest.raises(FileNotFoundError, match=f"{name}: no such file") as caught:
        corpus.read([tmp_path / name])
    assert isinstance(caught.value, ArgumentError)


def test_what_is_no_file_of_items(tmp_path, written):
    with pytest.raises(ArgumentError, match="it is a directory; name files"):
        corpus.read([tmp_path])
    with pytest.raises(ValueError, match="null"):
        corpus.read(["a\0b"])
    with pytest.raises(ArgumentError, match="Parquet and Arrow are read as they are; unpack it"):
        corpus.read([written("a.parquet.gz", "")])


# -- tables -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def arrow():
    return pytest.importorskip("pyarrow")


def test_rows_of_tables(arrow, tmp_path):
    from pyarrow import feather, parquet

    table = arrow.table({"word": ["one", None, "two"], "n": [1, 2, 3]})
    rows = [{"word": "one", "n": 1}, {"word": None, "n": 2}, {"word": "two", "n": 3}]
    for name in ("a.parquet", "a.pq", "a.arrow", "a.feather", "a.ipc", "a.arrows"):
        for columns, expected in ((table, rows), (table.select(["word"]), ["one", "two"])):
            path = str(tmp_path / name)
            if name in ("a.parquet", "a.pq"):
                parquet.write_table(columns, path)
            elif name == "a.feather":
                feather.write_feather(columns, path, compression="uncompressed")
            else:
                make = arrow.ipc.new_stream if name == "a.arrows" else arrow.ipc.new_file
                with make(path, columns.schema) as file:
                    file.write_table(columns)
            sample = corpus.read([path])
            assert sorted(sample.items, key=repr) == sorted(expected, key=repr), name
            assert sample.notes == (() if columns is table else (f"{path}: a row without a value, left out",))


def test_of_large_tables_the_rows_that_come_first_are_read(arrow, tmp_path, monkeypatch):
    from pyarrow import parquet

    monkeypatch.setattr(corpus, "STREAM", 100_000)
    words = arrow.table({"n": list(range(100_000))})
    path = str(tmp_path / "a.parquet")
    parquet.write_table(words, path, row_group_size=1000)
    first, again, other = (corpus.read([path], seed) for seed in (1, 1, 2))
    assert first == again
    assert first.items != other.items
    assert sorted(first.items) == list(range(len(first.items))) and 100_000 <= 8 * len(first.items) < 200_000
    [note] = first.notes
    assert note.startswith(f"{path}: the first ") and note.endswith(" KiB were looked at")


def test_tables_that_are_none(arrow, written):
    for name, kind in (("a.parquet", "Parquet"), ("a.arrow", "Arrow"), ("a.feather", "Arrow")):
        for data in ("no table at all", ""):
            with pytest.raises(ArgumentError, match=rf"{name}: no {kind} file: "):
                corpus.read([written(name, data)])


def test_tables_without_pyarrow(written, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"a.parquet: Parquet and Arrow need pyarrow: pip install 'jitffi\[tune\]'"):
        corpus.read([written("a.parquet", "")])


# -- iterables --------------------------------------------------------------------------------------------------------


def test_what_a_corpus_can_be(written):
    path = written("a.txt", "one\n")
    assert corpus.of(None).items == ()
    assert corpus.of(path).items == corpus.of(Path(path)).items == corpus.of([Path(path)]).items == ("one",)
    assert corpus.of([path]).items == (path,)  # strings in a list are items
    assert sorted(corpus.of({"a": 1, "b": 2}).items) == ["a", "b"]
    assert sorted(corpus.of(jitffi.List(["x", "y"])).items) == ["x", "y"]
    assert corpus.of([]) == corpus.of(iter(())) == Sample(())
    with pytest.raises(TypeError, match="corpus: expected a path, paths or an iterable of items, got int"):
        corpus.of(7)


def test_an_iterable_without_an_end_is_looked_at_in_part():
    def count():
        n = 0
        while True:
            yield n
            n += 1

    sample = corpus.sample(count(), seed=3)
    assert len(sample.items) == corpus.MOST_ITEMS
    assert 990_000 < max(sample.items) < 1 << 20
    assert sample.notes == ("the iterable: the first 64.0 MiB were looked at",)

    large = corpus.sample(("x" * MIB for _ in count()), seed=3)
    assert len(large.items) == 8
    assert large.notes == ("the iterable: the first 64.0 MiB were looked at",)


def test_a_slow_iterable_ends_when_the_time_is_up():
    start = time.monotonic()
    sample = corpus.sample((time.sleep(0.001) for _ in range(1_000_000)), seconds=0.1)
    assert time.monotonic() - start < 200
    assert sample.notes[0].endswith(" were looked at, then the time was up")


def test_one_item_larger_than_all_that_may_be_kept():
    assert [len(item) for item in corpus.sample(["x" * (9 * MIB)]).items] == [9 * MIB]


def test_what_iterating_raises_comes_out():
    with pytest.raises(ZeroDivisionError):
        corpus.sample(1 // n for n in (1, 0))


# -- samples ----------------------------------------------------------------------------------------------------------


def test_every_item_is_as_likely_as_every_other():
    """Counted over 2000 seeds: within five standard deviations, for an item and for a place in the order."""
    chosen, first = collections.Counter(), collections.Counter()
    for seed in range(2000):
        kept = Reservoir(seed, 10, 1000)
        kept.offer(30, lambda i: (i, 1))
        kept.offer(20, lambda i: (i + 30, 1))
        got = kept.items()
        assert len(set(got)) == 10
        chosen.update(got)
        first[got[0]] += 1
    # 400 of each expected, with a deviation of 18; 40 with 6.3.
    assert all(abs(chosen[i] - 400) < 90 for i in range(50))
    assert all(abs(first[i] - 40) < 32 for i in range(50))


def test_the_reservoir_is_bounded_in_bytes_and_leaves_out_what_is_nothing():
    kept = Reservoir(1, 1000, 500)
    kept.offer(10_000, lambda i: (NOTHING, 0) if i % 2 else (i, 7))
    assert len(kept.items()) == 71
    assert all(item % 2 == 0 for item in kept.items())


def test_the_seed_decides(written):
    path = written("a.txt", "".join(f"{n}\n" for n in range(100_000)))
    first, again, other = (corpus.read([path], seed) for seed in (1, 1, 2))
    assert first == again
    assert len(first.items) == corpus.MOST_ITEMS
    assert first.items[:10] != other.items[:10]
    # A beginning is a sample, too: its mean is the corpus's, within five standard deviations.
    mean = sum(map(int, first.items[:1000])) / 1000
    assert abs(mean - 50_000) < 5 * 28_868 / 1000**0.5


def numbered(path, count, width=100):
    """A file of *count* lines, line n being n and then as many signs as fit into a length that varies."""
    with open(path, "w") as file:
        for n in range(count):
            file.write(f"{n}:{'x' * (n * 7919 % (2 * width))}\n")


def test_parts_of_large_files_are_read_by_seeks(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "WHOLE", MIB)
    for name, count in (("a.txt", 30_000), ("b.txt", 10), ("c.txt", 60_000), ("d.txt", 0)):
        numbered(tmp_path / name, count)
    paths = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt", "d.txt")]
    monkeypatch.setattr(corpus, "BLOCKS", 20)
    first, again, other = (corpus.read(paths, seed) for seed in (1, 1, 2))
    assert first == again
    assert first.items != other.items
    assert first.notes == ("the corpus has 9.12 MiB; 20 parts of 64.0 KiB of it were read, at random",)
    whole = collections.Counter()
    for path in paths:
        whole.update(path.read_text().splitlines())
    found = collections.Counter(first.items)
    assert found <= whole
    assert 20 * 65536 / 106 * 0.8 < len(first.items) < 20 * 65536 / 106 * 1.2
    # Lines of all lengths, as there are.
    lengths = [len(item) for item in first.items]
    assert abs(sum(lengths) / len(lengths) - 105) < 6


def lines_by_block(path):
    """The lines of a file, read as those of all its blocks."""
    reading = corpus._Reading(0, None)
    source = readers.check(str(path))
    starts = range(0, source.size, readers.BLOCK)
    return [get.args[1] for start in starts for _, get, _ in reading.lines(source, start, readers.BLOCK)]


def test_each_line_begins_in_one_block(tmp_path):
    path = tmp_path / "a.txt"
    numbered(path, 20_000)
    path.write_bytes(path.read_bytes() + b"y" * 300_000 + b"\r\n\n" + b"z" * (2 * MIB) + b"\nlast")
    expected = [line.rstrip(b"\r") for line in path.read_bytes().split(b"\n")]
    found = [line for lines in lines_by_block(path) for line in lines]
    assert len(found) == len(expected)
    assert all(a == b[: readers.LONGEST + 1] for a, b in zip(found, expected, strict=True))
    # Where lines end just where blocks do.
    path.write_bytes(b"".join(b"%07d\n" % n for n in range(100_000)))
    assert [int(line) for lines in lines_by_block(path) for line in lines] == list(range(100_000))


def test_bad_json_in_a_part_of_a_file_is_noted(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(b"%07d\n" % n for n in range(100_000)))  # leading zeros are no JSON
    monkeypatch.setattr(corpus, "WHOLE", MIB // 2)
    monkeypatch.setattr(corpus, "BLOCKS", 3)
    sample = corpus.read([path])
    assert sample.items == ()
    assert sample.notes[1].startswith(f"{path}: no JSON, left out (so are ")


def test_lines_so_long_that_no_part_has_a_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "BLOCKS", 2)
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * (30 * MIB))
    sample = corpus.read([path], seed=5)
    assert [len(item) for item in sample.items] == [MIB]
    assert sample.notes[0] == "the corpus has 30.0 MiB; 2 parts of 64.0 KiB of it were read, at random"


LIMITED = """
import resource, sys
from jitffi.tune.data import corpus
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
for path in sys.argv[1:]:
    sample = corpus.read([path])
    print(len(sample.items), sum(map(len, sample.items)))
# Not getrusage's, which begins with what the process had that started this one.
print("KiB", next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def test_files_larger_than_memory(tmp_path):
    """Three of 8 GiB, of which disks hold next to nothing: lines here and there, one line, and a stream of it."""
    spread, one = tmp_path / "spread.txt", tmp_path / "one.txt"
    with open(spread, "wb") as file:
        for start in range(0, 8 << 30, 32 << 20):
            file.seek(start)
            file.write(b"\n" + b"some words\n" * 10)
        file.truncate(8 << 30)
    with open(one, "wb") as file:
        file.truncate(8 << 30)
    with open(spread, "rb") as stream:
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, str(spread), str(one), "-"], stdin=stream, capture_output=True, text=True,
            timeout=600, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *rows, (_, peak) = [line.split() for line in done.stdout.splitlines()]
    assert rows[1] == ["1", str(MIB)]
    assert all(int(count) >= 1 and int(size) <= 9 * MIB for count, size in rows)
    assert int(peak) < 1 << 20
