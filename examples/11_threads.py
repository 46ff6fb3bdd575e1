"""Threads: calls that release the interpreter's lock, and a thread that C starts and Python runs on."""

import array
import threading
import time

import jitffi

libc = jitffi.load_library(None)


def four_at_once(usleep) -> float:
    """Seconds that four threads take, each of which sleeps for 30 milliseconds."""
    threads = [threading.Thread(target=usleep, args=(30_000,)) for _ in range(4)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


print(f"the lock held:     {four_at_once(libc.bind('usleep', '(u32) -> i32')):.3f} s")
print(f"the lock released: {four_at_once(libc.bind('usleep', '(u32) -> i32', nogil=True)):.3f} s")

create = libc.bind("pthread_create", "(thread: ptr, attributes: ptr, start: func[(ptr) -> ptr], argument: ptr) -> i32")
# The call that waits has to let go of the lock, or the thread could never run Python.
join = libc.bind("pthread_join", "(thread: u64, result: ptr) -> i32", nogil=True)


@jitffi.function("(argument: ptr) -> ptr")
def body(argument):
    """Lives as long as this script, so C may call it as long, too."""
    if argument == 13:
        raise LookupError("13 is none of ours")
    print("on a thread of C:", threading.get_ident() != threading.main_thread().ident, argument)


for argument in (12, 13):
    thread, result = array.array("Q", [0]), array.array("Q", [0])
    assert create(thread, None, body, argument) == 0
    try:
        join(thread[0], result)
    except LookupError as error:
        print("out of the call that waited:", error)
