"""Programs for tests of scripts (tests/scripts/programs.txt), and how they are run and compared."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jitffi


def programs() -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Those of programs.txt: a text, and the arguments of its calls."""
    found = []
    for part in (Path(__file__).parents[1] / "scripts" / "programs.txt").read_text(encoding="utf-8").split("## ")[1:]:
        head, _, text = part.partition("\n")
        found.append((text, ast.literal_eval(head)))
    return found


PROGRAMS = programs()


class Notes:
    """Gives back what it is called with, and keeps it."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, value: Any) -> Any:
        self.seen.append(value)
        return value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notes) and self.seen == other.seen

    def __deepcopy__(self, memo: Any) -> Notes:
        return Notes()

    def __repr__(self) -> str:
        return f"Notes({self.seen})"


def module(text: str, name: str) -> dict[str, Any]:
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {"jitffi": jitffi, "__name__": "demo"}
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    return namespace


def outcome(call: Callable[..., Any], args: Any) -> Any:
    try:
        result = call(*args)
    except NameError:
        return NameError, args
    except ValueError as error:
        return ValueError, (error.args if "unpack" not in str(error) and "targets" not in str(error) else ()), args
    except Exception as error:
        return type(error), error.args, args
    return result, args
