"""Functions at the workers of a cluster, here two processes of this machine: compiled here, called there."""

import distributed

import jitffi


@jitffi.script(signature="(text: str) -> map[str, i64]")
def count_words(text):
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def main() -> None:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        jitffi.connect(cluster.scheduler_address) as session,
    ):
        print("machines:", len(session.targets()))
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
