"""Sessions with the workers of a cluster of separate processes on this machine."""

from __future__ import annotations

import _thread
import gc
import threading
from pathlib import Path

import numpy
import pytest

import jitffi
from jitffi.remote.session import WorkerLost

distributed = pytest.importorskip("distributed")
WORKER = Path(__file__).with_name("at_worker.py")


@jitffi.register_object("tests.remote.Point")
class Point:
    x: float
    names: list[str]


@jitffi.script(signature="(x: i64, by: i64 = 3) -> i64")
def times(x, by=3):
    return x * by


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as made:
        yield made


@pytest.fixture(scope="module")
def session(cluster):
    with jitffi.connect(cluster.scheduler_address) as made:
        made.upload(times)
        assert made.get_function("times")(2) == 6
        loaded = made._client.submit(eval, "'llvmlite' in __import__('sys').modules", workers=[made._worker])
        assert loaded.result() is False, "a worker that is sent compiled code loads no compiler"
        made.upload(WORKER)
        yield made


@pytest.fixture
def remote(session):
    return lambda name, **options: session.get_function(f"tests.remote.{name}", **options)


def test_machines(session):
    assert {text.split("-")[2] for text in session.targets().values()} == {"linux"} and len(session.targets()) == 2
    assert session._worker in repr(session)


def test_scripts_are_compiled_here(session, remote):
    module = session.load_module("times.so")
    assert list(module) == ["times"] and "times" in module and len(module) == 1
    assert module.times(5) == 15 and module["times"](by=2, x=4) == 8
    assert str(module.times.signature) == "(x: i64, by: i64 = 3) -> i64"
    assert session.get_function("times")(2, 2) == 4
    with pytest.raises(TypeError, match="times: 'by': expected int, got str 'x'") as caught:
        module.times(1, "x")
    assert "raised at the worker tcp://" in caught.value.__notes__[0]
    with pytest.raises(TypeError, match="times: got an unexpected keyword argument 'z'"):
        module.times(1, z=2)
    with pytest.raises(AttributeError, match="has no function 'tims'; did you mean 'times'"):
        module.tims  # noqa: B018
    taken = module.times.time_evaluator(number=100, repeat=4)(3)
    assert len(taken.results) == 4 and 0 < taken.min <= taken.median <= taken.max


VALUES = (
    None, True, -(2**63), 2.5, "a", "x" * 100, "\U0001f600", b"", b"y" * 50, [1, ["a", [None]]], {"a": (1, 2.5)}, (),
    jitffi.DataType("float32x4"), jitffi.Device("cpu:0"),
)  # fmt: skip


def test_values(remote):
    echo = remote("echo")
    for value in VALUES:
        got = echo(value)
        assert got == value and jitffi.structural_equal(got, value)
    assert list(echo(*VALUES)) == list(VALUES)
    point = echo(Point(2.5, ["a", "b"]))
    assert type(point) is Point and point == Point(2.5, ["a", "b"])
    array = numpy.arange(6, dtype="int16").reshape(2, 3)
    assert (echo([array])[0].numpy() == array).all()
    with pytest.raises(TypeError, match="argument 1: a function of this process cannot be called from a worker"):
        echo(print)
    with pytest.raises(TypeError, match="echo: an argument cannot be sent"):
        echo(object())


def test_what_stays_there(session, remote):
    array = session.array(numpy.arange(10.0))
    assert array.shape == (10,) and array.dtype == "float64" and "RemoteArray float64[10] at tcp" in repr(array)
    assert remote("total")(array) == 45.0 and remote("echo")([array, 1])[0].shape == (10,)
    doubled = remote("twice", keep=True)(array)
    assert (doubled.numpy() == 2 * numpy.arange(10)).all() and remote("total")(doubled) == 90.0
    assert remote("twice")(array).shape == (10,)
    add = remote("adder")(5)
    assert add(3) == 8 and remote("apply")(add, 4) == 9
    gone = doubled.handle.number
    del doubled
    gc.collect()
    with pytest.raises(LookupError, match="it was freed"):
        session.ask("fetch", (gone,), array.worker)
    with jitffi.connect(session._client) as other, pytest.raises(ValueError, match="argument 1 is of another session"):
        other.upload(WORKER)
        other.get_function("tests.remote.total")(array)


def test_native_code_here_calls_functions_there(session):
    @jitffi.function("(f: func, x: i64) -> i64")
    def apply(f, x):
        return f(x, 2)

    assert apply(session.get_function("times"), 21) == 42


def test_errors(remote):
    with pytest.raises(KeyError, match="key") as caught:
        remote("fails")("key")
    assert 'in fails\n    raise {"key"' in str(caught.value.__cause__)
    with pytest.raises(SystemExit):
        remote("fails")("exit")
    with pytest.raises(Exception, match="^Unknown: unknown"):
        remote("fails")("unknown")


def test_refusals(session, tmp_path):
    with pytest.raises(ValueError, match="the worker has no function 'nowhere'"):
        session.get_function("nowhere")
    with pytest.raises(ValueError, match="nothing was uploaded as 'nothing'"):
        session.load_module("nothing")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        session.upload(tmp_path / "none.so")
    foreign = tmp_path / "foreign.so"
    foreign.write_bytes(b"\x7fELF\2\1" + bytes(10) + b"\3\0\x2a\0" + bytes(44))
    with pytest.raises(ValueError, match=r"foreign.so is for machine 42, the worker's machine is \w+-"):
        session.upload(foreign)
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at 'tcp://127.0.0.1:1'"):
        jitffi.connect("tcp://127.0.0.1:1", timeout=1)
    with pytest.raises(TypeError, match="got int"):
        jitffi.connect(3)


def test_a_function_that_takes_too_long(session, remote):
    sleeps, before = remote("sleeps"), session._worker
    session.timeout = 0.5
    try:
        with pytest.raises(TimeoutError, match=r"sleeps: no answer from tcp://.* in 0.5 s"):
            sleeps(3.0)
    finally:
        session.timeout = None
    assert session.get_function("times")(5) == 15 and session._worker != before


def test_ctrl_c_while_a_worker_is_asked(session, remote):
    sleeps, before = remote("sleeps"), session._worker
    timer = threading.Timer(0.3, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        sleeps(2.0)
    assert session.get_function("times")(5) == 15 and session._worker != before


def test_a_function_that_ends_its_worker(cluster):
    with jitffi.connect(cluster.scheduler_address) as session:
        session.upload(WORKER, times)
        array, lost = session.array(numpy.arange(3.0)), session._worker
        with pytest.raises(WorkerLost, match=f"ends: the worker {lost} "):
            session.get_function("tests.remote.ends")()
        assert session.load_module("times.so").times(4) == 12 and session._worker != lost
        with pytest.raises(WorkerLost):
            array.numpy()


def test_what_was_closed_is_freed(cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        session = jitffi.connect(client)
        worker, held = session._worker, f"'{session._token}' in __import__('jitffi.remote.worker').remote.worker._held"

        def is_held():
            return client.submit(eval, held, workers=[worker], pure=False).result()

        session.upload(WORKER)
        assert is_held()
        session.close()
        session.close()
        assert not is_held() and repr(session) == "<jitffi.Session with nobody: it was closed>"
        with pytest.raises(ValueError, match="the session was closed"):
            session.get_function("tests.remote.echo")


def test_closing_goes_on_where_workers_are_lost(cluster):
    class Lost:
        def submit(self, *_, **__):
            return self

        def result(self, timeout):
            raise OSError(f"no scheduler within {timeout}")

    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)  # tests before this one have ended some, which come back
        session = jitffi.connect(client)
        assert len(session.targets()) == 2
        session._client = Lost()
        session.close()
        assert not session._machines


def test_certificates():
    pytest.importorskip("cryptography")
    security = distributed.Security.temporary()
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", security=security, silence_logs=50
    ) as cluster:
        assert cluster.scheduler_address.startswith("tls://")
        with jitffi.connect(cluster.scheduler_address, security=security) as session:
            session.upload(times)
            assert session.get_function("times")(7) == 21
