"""What inference promises holds: functions run in CPython with every expression checked against its type."""

from __future__ import annotations

import importlib.util
import os

import pytest

from jitffi.base.errors import ScriptError
from tests.scripts import conform, programs

_COUNT = int(os.environ.get("JITFFI_TEST_PROGRAMS", "50"))


def load(path, text):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _change(items):
    items.append("changed")
    items.append(None)
    return items


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("part", range(4))
def test_random_programs(part, tmp_path):
    ended = 0
    for seed in range(part * _COUNT, (part + 1) * _COUNT):
        text = programs.Writer(seed).program()
        module = load(tmp_path / f"program{seed}.py", text)
        checked = conform.Checked(module.f, (module.h0, module.h1, module.h2))
        try:
            for args in [(2, "some text", _change), ("ab", None, _change), (2.5, [1, "x"], _change)]:
                ended += not isinstance(checked(*args), Exception)
        except ScriptError:
            raise
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {error}\n{text}") from error
    assert ended > _COUNT // 10
