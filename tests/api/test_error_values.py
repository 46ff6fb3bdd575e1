"""Errors as values of native containers and of fields."""

from __future__ import annotations

import pytest

import jitffi


def test_errors_are_values_in_native_containers() -> None:
    def error(message: str = "no word", kind: str = "KeyError") -> jitffi.Error:
        return jitffi.Error("ValueError", "above", cause=jitffi.Error(kind, message))

    assert error() in jitffi.List([1, error()]) and jitffi.Tuple([error()]) == jitffi.Tuple([error()])
    assert jitffi.Map({error(): 1})[error()] == 1 and jitffi.Map({error(): 1}).get(error("other")) is None
    assert jitffi.structural_equal([error()], [error()])
    assert jitffi.structural_hash(error()) == jitffi.structural_hash(error())
    for other in (error("other"), error(kind="IndexError"), jitffi.Error("ValueError", "above"), "above"):
        assert not jitffi.structural_equal(error(), other) and other not in jitffi.List([error()])


def test_fields_take_exceptions_and_shapes_what_they_are_made_of():
    @jitffi.register_object("tests.error_objects.Told")
    class Told:
        error: jitffi.Error
        shape: jitffi.Shape | None = None

    exception = ValueError("q")
    told = Told(exception, (2, 3))
    assert told.error.exception is exception and told.shape == (2, 3)
    told.error = jitffi.Error("KeyError", "k")
    assert told.error.kind == "KeyError"
    with pytest.raises(TypeError, match=r"Told\.error: expected error, got int 5"):
        told.error = 5
