"""Pickles that an earlier version has written load: they look for what is in them by the names that modules had."""

from __future__ import annotations

import pickle

import pytest

import jitffi
from jitffi.base.former_names import FORMER


def _call(module: str, name: str, *arguments: object) -> bytes:
    """The pickle of a call, as `__reduce__` asks for."""
    given = b"".join([pickle.dumps(each, 0)[:-1] for each in arguments])
    return f"c{module}\n{name}\n(".encode() + given + b"tR."


def test_errors() -> None:
    error = pickle.loads(_call("jitffi.errors", "SignatureError", "unknown type", "(f63)", 1, 3, ""))
    assert type(error) is jitffi.SignatureError
    assert (error.text, error.column) == ("(f63)", 1)
    assert type(pickle.loads(_call("jitffi.errors", "ScriptError", "no sets"))) is jitffi.ScriptError


def test_libraries_and_functions() -> None:
    library = pickle.loads(
        _call("jitffi.library", "_loaded_again", *pickle_arguments(jitffi.load_library("libm.so.6")))
    )
    assert library.bind("fabs", "(x: f64) -> f64")(-2.5) == 2.5


def pickle_arguments(value: object) -> tuple[object, ...]:
    reduced = value.__reduce__()
    assert isinstance(reduced, tuple)
    arguments = reduced[1]
    assert isinstance(arguments, tuple)
    return arguments


@pytest.mark.parametrize("name", FORMER)
def test_each_is_there_and_public_names_stay(name: str) -> None:
    module = __import__(name, fromlist=["__doc__"])
    public = [each for each in dir(__import__(FORMER[name], fromlist=["x"])) if not each.startswith("__")]
    assert public and all(hasattr(module, each) for each in public)
    assert callable(jitffi.script) and jitffi.script.__name__ == "script"


def test_new_pickles_name_what_users_name() -> None:
    assert b"jitffi.base" not in pickle.dumps(jitffi.SignatureError("x"))


def test_other_names_are_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        __import__("jitffi.none_such")
