"""Workloads for tests of processes that measure, in a module that is imported quickly: each of those does it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jitffi


def sleeps(item, pad=None):
    time.sleep(0.0005 * (1 + (pad or 0)))


@jitffi.script
def words(text):
    found = []
    for word in text.split():
        word = word + "-----"
        found.append(word)
    return found


def without_item(pad=1):
    sum(range(100))


def slow(item):
    time.sleep(0.12)


def very_slow(item):
    time.sleep(100)


def fails_by_pad(item, pad=None):
    if pad == 1:
        raise ValueError("not with this\none")
    if pad == 2:
        os.kill(os.getpid(), signal.SIGSEGV)
    if pad == 4:
        os._exit(3)
    if pad == 5:
        sys.exit("enough")
    if pad == 6:
        raise KeyboardInterrupt
    return item


def hangs(item, pad=None):
    while pad == 1:
        pass


def fails_late(item, pad=None, calls=[]):  # noqa: B006
    calls.append(pad)
    if pad == 1 and len(calls) > 3000:
        raise MemoryError


def default_fails(item, pad=None):
    if pad is None:
        raise OSError("no default")


def picky(item):
    return 100 // (item % 5)


def noisy(item):
    print("to the terminal?", item)
    print("or here?", file=sys.stderr)
    os.write(1, b'["end"]\n')
    try:
        input()
    except EOFError:
        return
    raise AssertionError("there is no input")


def write(path, text):
    """All of it or nothing: the process may be killed meanwhile."""
    part = Path(f"{path}.{os.getpid()}.part")
    part.write_text(text)
    part.replace(path)


def tells_environment(item):
    write(item, "\n".join([f"{name}={value}" for name, value in os.environ.items()]))


def starts_another(item):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with open(item, "a") as file:
        print(os.getpid(), child.pid, file=file)
    time.sleep(60)


def kills_its_worker(item):
    """The process that has started this one, if it is the item."""
    if os.getppid() == item:
        os.kill(item, signal.SIGKILL)
    time.sleep(0.0005)


def tells_process(item, pad=None):
    """Into the folder that is the item: a file a process, of the process that started it."""
    if not (mine := item / str(os.getpid())).exists():
        write(mine, str(os.getppid()))
    time.sleep(0.001)
