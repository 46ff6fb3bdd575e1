"""Functions at the workers of a cluster: compiled here for their machine, called there.

Without an argument the cluster is two processes of this machine. With the address of a scheduler it is that one's: its
workers may be other machines, and need neither LLVM nor a compiler.

    dask scheduler
    dask worker tcp://HERE:8786 --no-nanny        on an aarch64 board, say
    python examples/32_remote.py tcp://HERE:8786
"""

import contextlib
import logging
import sys

import distributed

import jitffi


@jitffi.script(signature="(text: str) -> map[str, i64]")
def count_words(text):
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts


@contextlib.contextmanager
def scheduler():
    """The address of the one that is named, else of one that is started here."""
    if len(sys.argv) > 1:
        yield sys.argv[1]
        return
    options = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}  # else workers tell that they are stopped
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster:
        yield cluster.scheduler_address


def main() -> None:
    with scheduler() as address, jitffi.connect(address) as session:
        print("machines:", len(session.targets()))
        if len(sys.argv) > 1:
            print(*session.targets().values(), sep="\n")
        session.upload(count_words)
        count = session.get_function("count_words")
        print("counted:", count("To be or not to be"))
        taken = count.time_evaluator(number=100, repeat=5)("to be or not to be")
        print("measured there:", len(taken.results), "times", taken.median < 1)

        numbers = session.array(jitffi.NDArray.zeros((1000,), "float64"))
        print("stays there:", numbers.dtype, numbers.shape, float(numbers.fetch()[999]))

        try:
            count(b"bytes")
        except TypeError as error:
            print("error:", error, error.__notes__[0].partition("tcp")[0])


if __name__ == "__main__":
    main()
