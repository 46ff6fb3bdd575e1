"""What the tests upload: functions that a worker registers."""

import os
import time

import jitffi


class Unknown(Exception):
    """Of a module that only the worker has."""


@jitffi.register_object("tests.remote.Point")
class Point:
    x: float
    names: list[str]


def register(function):
    return jitffi.register_global_func(f"tests.remote.{function.__name__}", function, override=True)


@register
def echo(*args):
    return args[0] if len(args) == 1 else list(args)


@register
def total(array):
    return float(array.numpy().sum())


@register
def twice(array):
    return jitffi.from_dlpack(2 * array.numpy())


@register
def fails(what):
    raise {"key": KeyError, "exit": SystemExit, "unknown": Unknown}[what](what)


@register
def adder(n):
    return jitffi.convert(lambda x: x + n)


@register
def apply(f, x):
    return f(x)


@register
def ends():
    os._exit(3)


@register
def sleeps(seconds):
    time.sleep(seconds)
